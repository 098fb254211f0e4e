// The program that fetches over HTTPS: an order on standard input, a reply on standard output, and it ends
// (docs/decisions/0066). It opens no configuration, no database and no key. An endpoint's child starts it
// (lib/fetch/fetcher.h).
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "fetch/allowed.h"
#include "fetch/messages.h"
#include "http/url.h"
#include "os/landlock.h"
#include "os/seccomp.h"
#include "transfer.h"
#include "util/sanitized.h"
#include "util/text.h"

namespace {

using namespace postern;

[[gnu::used]] constexpr auto kMarker = [] {
    std::array<char, fetch::kMarkerBegins.size() + fetch::kMarkerEnds.size()> marker{};
    std::ranges::copy(fetch::kMarkerEnds, std::ranges::copy(fetch::kMarkerBegins, marker.begin()).out);
    return marker;
}();

std::string read_input() {
    std::string bytes;
    char block[4096];
    for (ssize_t got = 0; bytes.size() <= fetch::kLongestOrder; bytes.append(block, static_cast<std::size_t>(got))) {
        got = ::read(STDIN_FILENO, block, sizeof block);
        if (got <= 0) break;
    }
    return bytes;
}

/// The system's certificates, and the files that the C library reads and loads to resolve a name.
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

/// Gives up everything but certificates, the files that names are resolved with, and connections to the ports of
/// `limits` and to name servers, as far as the kernel can forbid the rest. Throws std::runtime_error.
void confine(const fetch::Outbound& limits) {
    if (util::kSanitized) return;  // the runtime of a sanitizer needs what is forbidden here
    std::string reason;
    if (os::landlock_version(reason) > 0) os::restrict_files(file_rules(limits), {.ports = ports_of(limits)});
    if (os::can_filter_calls(reason)) os::filter_calls({.fetching = true});
}

/// The endpoint has looked at the URL, too; but the network reaches the endpoint.
fetch::Reply answer(const std::string& input) {
    const auto order = fetch::read_order(input);
    const auto question = order ? fetch::read_question(order->question) : std::nullopt;
    if (!question) return std::string("the fetching program was asked in a way that it does not know");
    if (question->purpose == fetch::Purpose::logout_token && order->methods == fetch::Methods::get)
        return std::string("this process may ask for documents alone");
    if (const auto fault = fetch::url_fault(question->url, order->limits.ports)) return *fault;
    if (const auto fault = fetch::host_fault(fetch::host_of(question->url), order->limits.allow)) return *fault;
    start_transfers();
    confine(order->limits);
    return transfer(*question, order->limits);
}

fetch::Reply answer_or_explain(const std::string& input) {
    try {
        return answer(input);
    } catch (const std::exception& error) {
        return std::string(error.what());
    }
}

}  // namespace

int main() {
    const std::string reply = fetch::write_reply(answer_or_explain(read_input()));
    const ssize_t written = ::write(STDOUT_FILENO, reply.data(), reply.size());
    ::_exit(written == static_cast<ssize_t>(reply.size()) ? 0 : 1);  // a thread may still wait for a name server
}
