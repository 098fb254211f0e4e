#include "confine.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "http/url.h"
#include "os/landlock.h"
#include "os/seccomp.h"
#include "util/sanitized.h"
#include "util/text.h"

namespace {

using namespace postern;

/// Certificates of the system, and what the C library reads and loads to resolve a name.
constexpr const char* kSystem[] = {"/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/resolv.conf",
                                   "/etc/hosts",     "/etc/nsswitch.conf", "/etc/host.conf",
                                   "/etc/gai.conf",  "/etc/ld.so.cache",   "/lib",
                                   "/lib64",         "/usr/lib",           "/usr/share/ca-certificates"};

constexpr std::uint16_t kNameServer = 53;  // over TCP, for an answer that is too long for a datagram

std::vector<os::FileRule> file_rules(const fetch::Outbound& limits) {
    std::vector<os::FileRule> rules;
    std::error_code none;
    for (const char* path : kSystem) {
        if (std::filesystem::exists(path, none)) rules.push_back({path, os::FileUse::browse});
    }
    if (limits.ca) rules.push_back({*limits.ca, os::FileUse::read});
    return rules;
}

os::TcpPorts ports_of(const fetch::Outbound& limits) {
    os::TcpPorts ports = limits.ports;
    if (limits.proxy) {
        const auto url = http::parse_url(*limits.proxy);
        const auto port = url ? util::parse_port(url->port) : std::nullopt;
        ports = {static_cast<std::uint16_t>(port.value_or(0))};
    }
    ports.push_back(kNameServer);
    return ports;
}

}  // namespace

void confine(const fetch::Outbound& limits) {
    if (util::kSanitized) return;  // the runtime of a sanitizer needs what is forbidden here
#ifdef __linux__
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
    std::string reason;
    if (os::landlock_version(reason) > 0) os::restrict_files(file_rules(limits), {.ports = ports_of(limits)});
    if (os::can_filter_calls(reason)) os::filter_calls({.fetching = true});
}
