#include "web/destination.h"

#include <arpa/inet.h>

#include <algorithm>
#include <utility>

#include "fetch/allowed.h"
#include "http/url.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::web {
namespace {

bool is_plain(std::string_view host) {
    return !host.empty() && std::ranges::all_of(host, [](char c) {
        return util::is_letter(c) || util::is_digit(c) || c == '-' || c == '_' || c == '.';
    });
}

/// An address of IPv4 in four numbers, if that is what a browser makes of the name.
std::string as_address(const std::string& name) {
    in_addr address{};
    char text[INET_ADDRSTRLEN] = "";
    if (!fetch::ends_in_number(name) || ::inet_aton(name.c_str(), &address) == 0) return name;
    return ::inet_ntop(AF_INET, &address, text, sizeof text) == nullptr ? name : text;
}

/// Registrations of before may have a host that is encoded, or an address in another spelling.
std::string as_browsers_read(const std::string& host) {
    const std::string name = util::to_lower(util::form_decode(host).value_or(host));
    return is_plain(name) ? as_address(name) : host;
}

}  // namespace

std::string destination(const std::string& redirect_uri) {
    const auto url = http::parse_url(redirect_uri);
    if (!url) return redirect_uri;
    const bool is_web = url->scheme == "https" || url->scheme == "http";
    return is_web ? as_browsers_read(url->host) : url->scheme + ": (an app on this device)";
}

std::string destinations(const std::vector<std::string>& redirect_uris) {
    std::vector<std::string> places;
    for (const std::string& uri : redirect_uris)
        if (std::string place = destination(uri); std::ranges::find(places, place) == places.end())
            places.push_back(std::move(place));
    std::string listed;
    for (const std::string& place : places) listed += (listed.empty() ? "" : ", ") + place;
    return listed;
}

}  // namespace postern::web
