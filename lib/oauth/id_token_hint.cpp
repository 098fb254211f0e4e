// Which user does an ID token hint name?
#include "oauth/id_token_hint.h"

#include "jose/jwt.h"

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

}  // namespace postern::oauth
