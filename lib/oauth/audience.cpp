// Which audience may a client ask for in its access token?
#include "oauth/audience.h"

#include <array>

#include "store/clients.h"

namespace postern::oauth {
namespace {

OAuthError invalid_target(std::string description, std::string detail = {}) {
    return make_error(ErrorCode::invalid_target, std::move(description), std::move(detail));
}

/// Everything at or under the issuer is ours: its endpoints, whatever they are called.
bool is_ours(const std::string& issuer, const std::string& audience) {
    return audience == issuer || audience.starts_with(issuer + "/");
}

}  // namespace

Outcome<std::optional<std::string>> parse_audience(const http::Params& query, const http::Params& form) {
    std::optional<std::string> audience;
    for (const http::Params* params : {&query, &form}) {
        for (const std::string_view name : {"aud", "audience"}) {
            const auto value = params->find(name);
            if (!value) continue;
            // It is signed into the token, which clients and servers bound.
            if (value->size() > kMaxAudienceBytes) return invalid_request("the audience is longer than 1024 bytes");
            if (audience && *audience != *value) return invalid_target("aud and audience name different targets");
            audience = value;
        }
    }
    return audience;
}

Outcome<void> check_audience(Context& context, const std::string& audience) {
    if (is_ours(context.settings.issuer, audience))
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
