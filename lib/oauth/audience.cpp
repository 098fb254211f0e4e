// Checks the audience that a client asks for in its access token.
#include "oauth/audience.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "http/url.h"
#include "refusal/reason.h"
#include "store/clients.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

/// The path as a lenient reader takes it: decoded, without empty and dot segments (RFC 3986 §5.2.4).
std::string lenient_path(const std::string& path) {
    const std::string decoded = util::form_decode(path).value_or(path);  // the segments are parts of it
    std::vector<std::string> kept;
    for (const std::string_view segment : util::split(decoded, '/')) {
        if (segment == ".." && !kept.empty()) kept.pop_back();
        if (!segment.empty() && segment != "." && segment != "..") kept.emplace_back(segment);
    }
    std::string out;
    for (const std::string& segment : kept) out += "/" + segment;
    return out + "/";
}

/// Scheme, host, port and path as a lenient reader takes them; nullopt for text without a host.
std::optional<std::string> lenient_spelling(std::string_view text) {
    const auto url = http::parse_url(util::trim(text));
    if (!url || url->host.empty()) return std::nullopt;
    std::string host = util::to_lower(util::form_decode(url->host).value_or(url->host));
    if (host.ends_with('.')) host.pop_back();
    std::string port = url->port.substr(std::min(url->port.find_first_not_of('0'), url->port.size()));
    if (port.empty()) port = url->scheme == "http" ? "80" : "443";
    return url->scheme + "://" + host + ":" + port + lenient_path(url->path);
}

}  // namespace

bool is_this_server(const std::string& issuer, const std::string& audience) {
    const auto own = lenient_spelling(issuer);
    const auto named = lenient_spelling(audience);
    return audience == issuer || (own && named && named->starts_with(*own));
}

bool takes_id_tokens(const model::Client& client) {
    using enum model::GrantType;
    return client.has_grant(authorization_code) || client.has_grant(implicit) || client.has_grant(device_code);
}

Outcome<void> check_audience(Context& context, const std::string& audience) {
    if (is_this_server(context.settings.issuer, audience))
        return make_error(Reason::invalid_target_this_server, "the audience must not be this server",
                          "audience: " + audience);
    const auto client = store::find_client(context.store, model::ClientId(audience));
    if (client && takes_id_tokens(*client))
        return make_error(
            Reason::invalid_target_client, "the audience must not be a client",
            "audience: " + audience + "; an access token with a client's id as `aud` would pass for an ID token there");
    return {};
}

}  // namespace postern::oauth
