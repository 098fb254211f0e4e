// Reads the hints at a user that come with an authorization or logout request.
#include "oauth/expected_subject.h"

#include "jose/jwt.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

std::string text_claim(const json::Object& claims, std::string_view name) {
    const json::Value* value = claims.find(name);
    return value && value->if_string() ? *value->if_string() : std::string();
}

}  // namespace

std::optional<IdTokenHint> verify_id_token_hint(Context& context, std::string_view token) {
    const auto jwt = jose::verify_jwt(context.keys.verifier(), token, jose::TokenType::id_token,
                                      context.settings.issuer, context.now(), jose::Expiry::ignored);
    if (!jwt) return std::nullopt;
    return IdTokenHint{model::Subject(text_claim(*jwt->claims, "sub")),
                       model::ClientId(text_claim(*jwt->claims, "aud")), model::Sid(text_claim(*jwt->claims, "sid"))};
}

Outcome<std::optional<model::Subject>> parse_expected_subject(Context& context, const http::Params& params,
                                                              std::optional<model::Subject> claimed) {
    const auto token = params.find("id_token_hint");
    if (!token || !context.settings.oidc) return claimed;
    auto hint = verify_id_token_hint(context, *token);
    if (!hint)
        return invalid_request(
            "id_token_hint is not an ID token of this server",
            "changed, cut short, from another issuer, not an ID token, or signed with a retired key");
    // No user is both, so no login can satisfy the request: docs/decisions/0014-id-token-hint-and-claims.md.
    if (claimed && *claimed != hint->subject)
        return invalid_request("id_token_hint and the sub in claims name different users");
    return std::optional(std::move(hint->subject));
}

bool can_be_login_hint(std::string_view text) {
    return text.size() <= kMaxLoginHintBytes && util::displayable(text) == text;
}

std::optional<std::string> parse_login_hint(const http::Params& params) {
    const auto hint = params.find("login_hint");
    if (hint && !can_be_login_hint(*hint)) return std::nullopt;
    return std::optional<std::string>(hint);
}

}  // namespace postern::oauth
