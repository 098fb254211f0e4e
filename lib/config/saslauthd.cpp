// `login.saslauthd`: how saslauthd is reached, and what it is told besides name and password.
#include "config/saslauthd.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "config/checks.h"
#include "os/unix_stream.h"

namespace postern::config {
namespace {

constexpr std::size_t kLongestService = 64;
constexpr std::size_t kLongestRealm = 255;

/// unix(7): an abstract name would not begin with a slash.
Fault socket_fault(std::string_view path) {
    if (const Fault fault = file_fault(path)) return fault;
    if (path.size() > os::UnixStream::kLongestPath) return "must have at most 107 bytes, as paths of sockets do";
    return std::nullopt;
}

/// With PAM it is the name of a file.
Fault service_fault(std::string_view service) {
    constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const bool is_name = !service.empty() && service.size() <= kLongestService && service.front() != '.' &&
                         service.find_first_not_of(kCharacters) == service.npos;
    return is_name ? std::nullopt
                   : Fault("must be 1 to 64 of the characters A-Z a-z 0-9 . _ -, the first of which is no dot");
}

Fault realm_fault(std::string_view realm) {
    const bool is_printable = std::ranges::all_of(realm, [](char c) { return c > ' ' && c < 0x7f; });
    return is_printable && realm.size() <= kLongestRealm
               ? std::nullopt
               : Fault("must be at most 255 printable ASCII characters without blanks");
}

struct Member {
    const char* name;
    std::string oauth::Saslauthd::*text;
    Fault (*check)(std::string_view);
};
constexpr Member kMembers[] = {{"socket", &oauth::Saslauthd::socket, socket_fault},
                               {"service", &oauth::Saslauthd::service, service_fault},
                               {"realm", &oauth::Saslauthd::realm, realm_fault}};

Fault read_member(oauth::Saslauthd& read, const std::string& name, const json::Value& value) {
    const auto* const member = std::ranges::find_if(kMembers, [&](const Member& known) { return name == known.name; });
    if (member == std::end(kMembers)) return "is not a known key";
    if (value.if_string() == nullptr) return "must be a string";
    read.*(member->text) = *value.if_string();
    return member->check(*value.if_string());
}

}  // namespace

Problems read_saslauthd(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object with \"socket\", \"service\" and \"realm\"");
    oauth::Saslauthd read;
    Problems problems;
    for (const auto& [name, member] : value.if_object()->members())
        if (const Fault fault = read_member(read, name, member)) problems.push_back({"." + name, *fault});
    config.settings.login.saslauthd = std::move(read);
    return problems;
}

}  // namespace postern::config
