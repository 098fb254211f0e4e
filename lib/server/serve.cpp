// The life of an endpoint's process: start-up checks, the accept loop, the end.
#include "server/serve.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "crypto/start.h"
#include "db/maintenance.h"
#include "gateway/exchange.h"
#include "server/app.h"
#include "server/failure.h"
#include "server/sandbox.h"
#include "server/service.h"
#include "util/text.h"
#include "util/version.h"

namespace postern::server {
namespace {

std::unique_ptr<App> start(const Endpoint& endpoint, pages::Parsing parsing) {
    auto app = std::make_unique<App>(config::load_config(config::default_config_path()), endpoint, parsing);
    for (const std::string& warning : app->config().warnings) app->log().warn("config", {{"warning", warning}});
    if (const pages::PageBook* pages = app->pages_if_read())
        for (const std::string& warning : pages->languages()->warnings())
            app->log().warn("config", {{"warning", warning}});
    if (endpoint.begin) endpoint.begin(*app);
    return app;
}

/// The log is where operators look; web servers treat a program's standard error in different ways.
void write_to_log(const Endpoint& endpoint, const std::exception& error) {
    const std::string target = config::configured_log_target(config::default_config_path());
    if (target == config::Config().log_target) return;
    try {
        const util::Log log(util::open_log_sink(target), util::LogLevel::error, endpoint.name);
        for (const std::string_view line : util::split(error.what(), '\n'))
            log.error("start_refused", {{"reason", util::trim(line)}});
    } catch (const std::exception&) {  // then standard error has it alone
    }
}

void explain(const Endpoint& endpoint, const std::exception& error) {
    const bool names_it = dynamic_cast<const config::ConfigError*>(&error) != nullptr;
    const std::string source = names_it ? std::string() : " (configured in " + config::default_config_path() + ")";
    std::fprintf(stderr, "postern %s: %s%s\n", endpoint.name.c_str(), error.what(), source.c_str());
    write_to_log(endpoint, error);
}

/// Decides when the database server has been away for so long that its host names have to be resolved again, which a
/// process in the sandbox cannot do itself. docs/decisions/0056
class Away {
public:
    explicit Away(App& app) : app_(app), longest_(max_away()) {
        // The processes of a pool miss it together, and do not end together.
        if (longest_) *longest_ += *longest_ * (static_cast<unsigned char>(app.random().bytes(1)[0])) / 512;
    }

    /// Says in the log that the process ends.
    bool is_over() const {
        db::Database* database = app_.database_if_open();
        const auto away = database ? db::away_for(*database) : std::chrono::milliseconds();
        if (!longest_ || away <= *longest_) return false;
        const auto seconds = std::to_string(std::chrono::floor<std::chrono::seconds>(away).count());
        app_.log().warn("end", {{"reason", "no database server could be reached for " + seconds +
                                               " s: the next process resolves the names of its hosts again"}});
        return true;
    }

private:
    App& app_;
    std::optional<std::chrono::milliseconds> longest_;
};

/// The sandbox lets this process start no other child. Says in the log that it ends.
bool has_lost_fetcher(const App& app) {
    const fetch::Fetcher* fetcher = app.fetcher_if_started();
    if (fetcher == nullptr || !fetcher->is_lost()) return false;
    app.log().warn("end", {{"reason", "the child that fetches is gone: the next process starts another one"}});
    return true;
}

/// Says in the log that this process ends.
bool has_lost_marks(const App& app) {
    if (!app.has_lost_marks()) return false;
    app.log().warn("end", {{"reason", "a file in the directory replays was made anew: the next process opens it"}});
    return true;
}

int serve_cgi(const Endpoint& endpoint, const Handler& handler) {
    gateway::CgiExchange exchange;
    try {
        static App* app = nullptr;  // at the end of a process the kernel tidies up faster than destructors do
        app = start(endpoint, pages::Parsing::when_shown).release();
        Service service(*app, endpoint, handler);
        enter_sandbox(app->config(), endpoint, app->log(), gateway::Transport::cgi);
        service.run(exchange);
        service.tidy_up();
        return 0;
    } catch (const std::exception& error) {
        explain(endpoint, error);
        exchange.read_variables({});
        exchange.receive(0);
        exchange.send(start_failure(error));
        return 1;
    }
}

int serve_fastcgi(const Endpoint& endpoint, const Handler& handler) {
    try {
        const auto app = start(endpoint, pages::Parsing::at_once);
        Service service(*app, endpoint, handler);
        const Away away(*app);
        const auto tidy_up = [&] {
            service.tidy_up();
            return away.is_over() || has_lost_fetcher(*app) || has_lost_marks(*app) ? gateway::Next::end
                                                                                    : gateway::Next::accept;
        };
        gateway::Loop loop{[&](gateway::Exchange& exchange) { service.run(exchange); }, tidy_up, max_requests()};
        loop.authorizes = endpoint.takes_questions;
        app->log().info("start", {{"version", util::kVersion}});
        enter_sandbox(app->config(), endpoint, app->log(), gateway::Transport::fastcgi);
        gateway::accept_requests(loop);
        return 0;
    } catch (const std::exception& error) {
        explain(endpoint, error);
        return 1;
    }
}

/// Keys, passwords and tokens would lie in a core file, and in the reach of every process of the same user.
void keep_memory_private() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);  // no debugger of the same user, and no core file through a pipe either
}

/// nullopt: it is not set.
std::optional<std::int64_t> number_in_environment(const char* name, std::int64_t least) {
    constexpr std::int64_t kMost = 1'000'000'000;
    const char* given = std::getenv(name);
    if (given == nullptr || *given == '\0') return std::nullopt;
    const auto number = util::parse_digits(given, kMost);
    if (!number || *number < least)
        throw config::ConfigError(std::string(name) + " must be a number from " + std::to_string(least) + " to " +
                                  std::to_string(kMost) + ", or unset");
    return number;
}

}  // namespace

int serve(const Endpoint& endpoint, const Handler& handler) {
    prepare_process(endpoint);
    return gateway::start_transport() == gateway::Transport::cgi ? serve_cgi(endpoint, handler)
                                                                 : serve_fastcgi(endpoint, handler);
}

void prepare_process(const Endpoint& endpoint) {
    umask(0007);  // database, side files, gate and ring are shared by the processes of one group
    const bool sees_secrets = endpoint.store != StoreUse::none || endpoint.keys == keys::KeyUse::sign || endpoint.seal;
    if (sees_secrets) keep_memory_private();
    // A module or engine named there would run inside this process.
    setenv("OPENSSL_CONF", "/dev/null", 1);
    for (const char* name : {"OPENSSL_MODULES", "OPENSSL_ENGINES", "SQLITE_TMPDIR"}) unsetenv(name);
    unsetenv("HOME");  // of the user that started the web server: libpq would look for its certificates there
    if (!endpoint.needs.openssl) crypto::start_alone();
}

std::optional<std::int64_t> max_requests() { return number_in_environment("POSTERN_MAX_REQUESTS", 1); }

std::optional<std::chrono::seconds> max_away() {
    constexpr std::int64_t kUnlessGiven = 30;
    const std::chrono::seconds longest(number_in_environment("POSTERN_MAX_AWAY", 0).value_or(kUnlessGiven));
    return longest.count() == 0 ? std::nullopt : std::optional(longest);
}

}  // namespace postern::server
