// From what an endpoint declares to what its process may still do.
#include "server/sandbox.h"

#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "crypto/digest.h"
#include "db/error.h"
#include "db/maintenance.h"
#include "os/file_lock.h"
#include "os/landlock.h"
#include "os/seccomp.h"
#include "util/sanitized.h"

namespace postern::server {
namespace {

/// Resolving a name reads configuration that is replaced while the process runs, and loads modules. File modes
/// still protect the secrets in these directories.
constexpr const char* kForNames[] = {
    "/etc", "/lib", "/usr/lib", "/usr/share/ca-certificates", "/run/systemd/resolve", "/run/NetworkManager"};

bool signs(const Endpoint& endpoint, const oauth::Settings& settings) {
    return endpoint.keys == keys::KeyUse::sign || (endpoint.signs_if && endpoint.signs_if(settings));
}

bool asks_saslauthd(const config::Config& config, const Endpoint& endpoint) {
    return endpoint.logins && config.settings.login.saslauthd.has_value();
}

/// A password of our own costs a hash; a password that saslauthd refuses costs a wait.
bool takes_hash_slots(const config::Config& config, const Endpoint& endpoint) {
    const bool hashes = endpoint.passwords && config.settings.login.keeps_passwords();
    return hashes || asks_saslauthd(config, endpoint);
}

/// Lock files that cannot be made are storage that does not work: 503, not 500.
void add_slots(std::vector<os::FileRule>& rules, const std::string& files, int slots) {
    try {
        for (const std::string& slot : os::Slot::make_files(files, slots))
            rules.push_back({slot, os::FileUse::rewrite});
    } catch (const std::system_error& error) {
        throw db::StoreError(error.what());
    }
}

/// Such a process connects again when a connection was lost.
bool is_on_server(const config::Config& config, const Endpoint& endpoint) {
    return endpoint.store != StoreUse::none && db::is_uri(config.database);
}

/// Not among them: database, side files, gate, numbers of commits, ring, templates and log. They are open.
std::vector<os::FileRule> file_rules(const config::Config& config, const Endpoint& endpoint) {
    // By directory: a rotation puts new files in the place of the old ones.
    std::vector<os::FileRule> rules = {
        {config.keys, signs(endpoint, config.settings) ? os::FileUse::browse : os::FileUse::read}};
    if (takes_hash_slots(config, endpoint))
        add_slots(rules, config.hash_slot_files(), config.settings.login.hash_slots);
    if (may_fetch(endpoint, config.settings))
        add_slots(rules, config.fetch_slot_files(), config.settings.outbound.slots);
    if (is_on_server(config, endpoint)) {
        // By directory: a certificate that is renewed is another file.
        for (const std::string& path : db::files_of_uri(config.database, endpoint.name)) {
            const auto directory = std::filesystem::path(path).parent_path();
            std::error_code none;
            if (std::filesystem::is_directory(directory, none)) rules.push_back({directory, os::FileUse::read});
        }
    }
    for (const std::string& path : endpoint.needs.read) rules.push_back({path, os::FileUse::browse});
    for (const std::string& path : endpoint.needs.write) rules.push_back({path, os::FileUse::anything});
    if (endpoint.needs.network) {
        for (const char* path : kForNames) {
            if (std::filesystem::exists(path)) rules.push_back({path, os::FileUse::browse});
        }
    }
    return rules;
}

/// Makes libraries open the files that they open at their first use.
void open_what_is_opened_late() {
    ::tzset();                              // syslog(3) writes local time
    static_cast<void>(crypto::sha256(""));  // OpenSSL's algorithms
}

/// Uses the parts that are offered, files first: no rule can be added once calls are filtered.
void confine(const config::Config& config, const Endpoint& endpoint, const SandboxOffer& offer) {
    if (offer.landlock == 0 && !offer.calls) return;
    open_what_is_opened_late();
    const SandboxPermissions& needs = endpoint.needs;
    const auto server =
        is_on_server(config, endpoint) ? db::sockets_of_uri(config.database, endpoint.name) : db::UriSockets();
    if (offer.landlock > 0)
        os::restrict_files(
            file_rules(config, endpoint),
            {.anywhere = needs.network, .ports = server.ports, .abstract_sockets = server.has_abstract_sockets});
    if (offer.calls) {
        os::filter_calls({.syslog = config.log_target == "syslog",
                          .files = !needs.write.empty(),
                          .network = needs.network,
                          .tcp = !server.ports.empty(),
                          .unix_stream = server.has_unix_sockets || asks_saslauthd(config, endpoint)});
    }
}

/// Landlock restricts the calling thread and its children: a thread that a preloaded library started earlier keeps its
/// files. Counted in /proc; without /proc the count is unknown.
std::string running_threads() {
    std::error_code unknown;
    std::size_t threads = 0;
    for (std::filesystem::directory_iterator at("/proc/self/task", unknown), end; !unknown && at != end;
         at.increment(unknown))
        ++threads;
    if (threads <= 1) return "";
    return "threads that were started earlier (" + std::to_string(threads - 1) +
           ") are not restricted in their files; see LD_PRELOAD";
}

void add_missing(SandboxOffer& offer, const std::string& reason) {
    if (!reason.empty()) offer.missing += (offer.missing.empty() ? "" : "; ") + reason;
}

/// Why there must be none; "" when there may be one.
std::string objection(const config::Config& config, const Endpoint& endpoint) {
    if (config.sandbox == config::SandboxMode::off) return "it is switched off";
    if (endpoint.needs.anything) return "this program declares that it needs everything";
    return "";
}

}  // namespace

SandboxOffer sandbox_offer() {
    SandboxOffer offer;
    if (util::kSanitized) {
        offer.missing = "this is a build with sanitizers, which need what a sandbox forbids";
        return offer;
    }
    std::string reason;
    offer.landlock = os::landlock_version(reason);
    add_missing(offer, offer.landlock == 0 ? reason : running_threads());
    offer.calls = os::can_filter_calls(reason);
    if (!offer.calls) add_missing(offer, reason);
    return offer;
}

void enter_sandbox(const config::Config& config, const Endpoint& endpoint, const util::Log& log,
                   gateway::Transport transport) {
    const std::string none = objection(config, endpoint);
    const SandboxOffer offer = none.empty() ? sandbox_offer() : SandboxOffer{0, false, none};
    if (config.sandbox == config::SandboxMode::require && !offer.missing.empty()) {
        throw std::runtime_error("\"sandbox\" is \"require\", and a part of it is not available: " + offer.missing);
    }
    confine(config, endpoint, offer);
    const bool lacks = config.sandbox == config::SandboxMode::automatic && !offer.missing.empty();
    const util::LogLevel level = transport == gateway::Transport::cgi ? util::LogLevel::debug
                                 : lacks                              ? util::LogLevel::warn
                                                                      : util::LogLevel::info;
    log.write(level, "sandbox",
              {{"files", offer.landlock > 0 ? "Landlock " + std::to_string(offer.landlock) : "open"},
               {"calls", offer.calls ? "seccomp" : "open"},
               {"missing", offer.missing}});
}

}  // namespace postern::server
