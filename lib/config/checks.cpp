// What a URL, path or file name of the configuration may look like.
#include "config/checks.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "http/url.h"
#include "util/text.h"

namespace postern::config {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kLongestPath = 255;

bool consists_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
    return std::ranges::all_of(text, [&](char c) {
        return std::ranges::any_of(alphabets, [&](std::string_view set) { return set.find(c) != set.npos; });
    });
}

/// "" or a path with one spelling; the fault's words fit behind "path".
Fault segments_fault(std::string_view path) {
    if (path.empty()) return std::nullopt;
    if (path.size() > kLongestPath) return "must not be longer than 255 characters";
    if (path.front() != '/') return "must start with \"/\"";
    if (path.back() == '/') return "must not end in \"/\"";
    for (const std::string_view segment : util::split(path.substr(1), '/')) {
        if (segment.empty()) return "must not contain \"//\"";
        if (segment == "." || segment == "..") return "must not contain \".\" or \"..\" segments";
        if (!consists_of(segment, {kLetters, kUpper, kDigits, "-._~"})) {
            return "may contain only letters, digits and - . _ ~ between its slashes";
        }
    }
    return std::nullopt;
}

Fault host_fault(const http::UrlParts& url) {
    const std::string& host = url.host;
    if (host.empty()) return "must name a host";
    const bool literal = host.front() == '[';
    if (literal ? !consists_of(host, {"abcdef", kDigits, "[]:."}) : !consists_of(host, {kLetters, kDigits, "-._"})) {
        return "must spell its host in lower case, without percent-encoding (international names in their xn-- form)";
    }
    return std::nullopt;
}

Fault port_fault(const http::UrlParts& url) {
    if (!url.has_port) return std::nullopt;
    const auto port = util::parse_port(url.port);
    if (!port) return "must have a port between 1 and 65535, or none";
    if ((url.scheme == "https" && *port == 443) || (url.scheme == "http" && *port == 80)) {
        return "must leave out the default port";
    }
    return std::nullopt;
}

Fault scheme_fault(std::string_view issuer, const http::UrlParts& url) {
    if (url.scheme == "https" && issuer.starts_with("https://")) return std::nullopt;
    if (url.scheme == "http" && issuer.starts_with("http://") && http::is_loopback_http(url)) return std::nullopt;
    return "must start with https:// (http:// only for 127.0.0.1, [::1] or localhost)";
}

Fault extras_fault(const http::UrlParts& url) {
    if (url.has_user_info) return "must not contain user information";
    if (url.query) return "must not contain a query";
    if (url.fragment) return "must not contain a fragment";
    if (url.path.ends_with('/')) return "must not end in \"/\"";
    if (const Fault fault = segments_fault(url.path)) return "has a path that " + *fault;
    return std::nullopt;
}

}  // namespace

Fault issuer_fault(std::string_view issuer) {
    const auto url = http::parse_url(issuer);
    if (!url || !url->has_authority) return "must be an absolute URL such as https://id.example.org";
    for (const Fault& fault : {scheme_fault(issuer, *url), host_fault(*url), port_fault(*url), extras_fault(*url)}) {
        if (fault) return fault;
    }
    return std::nullopt;
}

bool is_address(std::string_view host) {
    return host.starts_with('[') || consists_of(util::split(host, '.').back(), {kDigits});
}

Fault rp_id_fault(std::string_view rp_id) {
    constexpr std::size_t kLongest = 253;
    const auto labels = util::split(rp_id, '.');
    const bool is_name = rp_id.size() <= kLongest && std::ranges::all_of(labels, [](std::string_view label) {
                             return !label.empty() && consists_of(label, {kLetters, kDigits, "-"});
                         });
    if (!is_name) return "must be the name of a host in lower case, such as example.org, without scheme and port";
    if (is_address(rp_id)) return "must not be an IP address: passkeys are for names";
    if (labels.size() < 2 && rp_id != "localhost")
        return "must not be a top-level domain: a passkey of it would be for all sites below it";
    return std::nullopt;
}

Fault path_fault(std::string_view path) {
    if (path.empty()) return "must start with \"/\"";
    // RFC 8414 §3.1 puts the issuer's path behind this one: it cannot be given to another endpoint.
    constexpr std::string_view kAuthorizationServer = "/.well-known/oauth-authorization-server";
    if (path.starts_with(kAuthorizationServer)) {
        return "must not begin with the fixed path of the authorization server metadata, " +
               std::string(kAuthorizationServer);
    }
    return segments_fault(path);
}

Fault file_fault(std::string_view name) {
    if (name.empty() || name.front() != '/') return "must be an absolute file name";
    if (util::has_control_bytes(name)) return "must not contain control characters";
    return std::nullopt;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    const std::string left = util::to_lower(a);
    const std::string right = util::to_lower(b);
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < left.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < right.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace postern::config
