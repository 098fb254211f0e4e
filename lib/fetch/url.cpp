#include "fetch/url.h"

#include <algorithm>

#include "fetch/network.h"
#include "http/url.h"
#include "util/text.h"

namespace postern::fetch {
namespace {

constexpr std::size_t kLongestName = 253;  // RFC 1035 §2.3.4

/// Labels of letters, digits, - and _, with dots between them and perhaps one at the end; four numbers; or an address
/// in brackets, which http::parse_url has looked at.
bool is_host(std::string_view host) {
    if (host.starts_with('[')) return true;
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.empty() || host.size() > kLongestName) return false;
    if (ends_in_number(host)) return parse_address(std::string(host)).has_value();
    return std::ranges::all_of(util::split(host, '.'), [](std::string_view label) {
        const auto fits = [](char c) { return util::is_letter(c) || util::is_digit(c) || c == '-' || c == '_'; };
        return !label.empty() && label.size() <= 63 && std::ranges::all_of(label, fits);
    });
}

bool is_among(std::string_view port, bool given, const std::vector<std::uint16_t>& ports) {
    const auto number = given ? util::parse_port(port) : std::optional<int>(443);
    return number && std::ranges::find(ports, *number) != ports.end();
}

}  // namespace

bool ends_in_number(std::string_view name) {
    if (name.ends_with('.')) name.remove_suffix(1);
    const std::string_view last = name.substr(name.rfind('.') + 1);
    const bool is_hexadecimal = last.starts_with("0x") || last.starts_with("0X");
    return is_hexadecimal || (!last.empty() && std::ranges::all_of(last, util::is_digit));
}

std::optional<std::string> url_fault(std::string_view url, const std::vector<std::uint16_t>& ports) {
    if (url.size() > kLongestUrl) return "the URL is longer than 2048 bytes";
    const auto parts = http::parse_url(url);
    if (!parts || !parts->has_authority) return "it is not an absolute URL";
    if (parts->scheme != "https") return "the URL is not https";
    if (parts->has_user_info) return "the URL has user information";
    if (parts->fragment) return "the URL has a fragment";
    if (!is_host(parts->host)) return "the host of the URL is neither a name nor an address";
    if (!is_among(parts->port, parts->has_port, ports)) return "the port of the URL is not among \"outbound.ports\"";
    return std::nullopt;
}

std::string host_of(std::string_view url) {
    std::string host = util::to_lower(http::parse_url(url).value().host);
    if (host.ends_with('.')) host.pop_back();
    return host;
}

}  // namespace postern::fetch
