// Which audience may a client ask for in its access token?
#include "oauth/audience.h"

#include "http/url.h"
#include "store/clients.h"

namespace postern::oauth {

bool is_this_server(const std::string& issuer, const std::string& audience) {
    // Whatever spelling a resource server would take for this one.
    const std::string own = http::normalize_url(issuer).value_or(issuer);
    const std::string named = http::normalize_url(audience).value_or(audience);
    return audience == issuer || named == own || named.starts_with(own.ends_with('/') ? own : own + "/") ||
           named.starts_with(own + "?");
}

Outcome<void> check_audience(Context& context, const std::string& audience) {
    if (is_this_server(context.settings.issuer, audience))
        return invalid_target("the audience must not be this server", "audience: " + audience);
    const auto client = store::find_client(context.store, model::ClientId(audience));
    const bool takes_id_tokens = client && (client->has_grant(model::GrantType::authorization_code) ||
                                            client->has_grant(model::GrantType::implicit));
    if (takes_id_tokens)
        return invalid_target(
            "the audience must not be a client",
            "audience: " + audience + "; an access token with a client's id as `aud` would pass for an ID token there");
    return {};
}

}  // namespace postern::oauth
