// Prepares the process before it reads anything: modes, core dumps, environment.
#include "server/process.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "config/config.h"
#include "crypto/start.h"
#include "util/text.h"

namespace postern::server {
namespace {

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
