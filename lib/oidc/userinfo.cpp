// The UserInfo endpoint's rules.
#include "oidc/userinfo.h"

#include <algorithm>

#include "jose/jwt.h"
#include "oauth/access_token.h"
#include "store/access_tokens.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::oidc {
namespace {

oauth::OAuthError invalid_token(std::string description, std::string detail = {}) {
    return oauth::make_error(oauth::ErrorCode::invalid_token, std::move(description), std::move(detail));
}

/// b64token of RFC 6750 §2.1.
bool is_b64token(std::string_view text) {
    const auto allowed = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-._~+/=").find(static_cast<char>(c)) != std::string_view::npos;
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

oauth::Outcome<std::string> parse_bearer_header(std::string_view header) {
    constexpr std::string_view kScheme = "bearer ";
    if (util::to_lower(header.substr(0, kScheme.size())) != kScheme)
        return invalid_token("the Authorization header is not a Bearer token");
    const std::string_view token = header.substr(kScheme.size());
    if (!is_b64token(token)) return invalid_token("the Bearer token is malformed");
    return std::string(token);
}

oauth::Outcome<std::string> find_bearer_token(const http::Request& request) {
    if (request.authorization) return parse_bearer_header(*request.authorization);
    if (request.method == http::Method::post) {
        if (request.form.fault_of("access_token")) return invalid_token("the access token is malformed");
        if (auto token = request.form.find("access_token")) return std::move(*token);
    }
    return invalid_token("no access token was sent",
                         "no Authorization header and no access_token in a form body; if the client sends the header, "
                         "the web server takes "
                         "it away: Apache passes it with `CGIPassAuth On`");
}

/// What makes an issued token inactive, in words for the client's developer; nullptr for an active one.
const char* why_inactive(const std::optional<store::StoredAccessToken>& stored, util::Time now) {
    if (!stored) return "the access token is unknown";
    if (store::is_active(*stored, now)) return nullptr;
    return now >= stored->token.expires_at ? "the access token has expired" : "the access token has been revoked";
}

}  // namespace

oauth::Outcome<std::string> parse_bearer_token(const http::Request& request, std::size_t max_bytes) {
    auto token = find_bearer_token(request);
    if (token && token->size() > max_bytes)
        return invalid_token("the access token is malformed", "longer than limits.token");
    return token;
}

oauth::Outcome<json::Object> userinfo(oauth::Context& context, const std::string& token,
                                      const GetUserClaims& get_user_claims) {
    // The signature before any claim, the stored state before any answer.
    const util::Time now = context.now();
    const auto jwt = jose::verify_jwt(context.keys.verifier(), token, jose::TokenType::access_token,
                                      context.settings.issuer, now, jose::Expiry::enforced);
    if (!jwt) return invalid_token(std::string(jose::describe(jwt.error())));
    const auto stored = store::find_access_token(context.store, oauth::hash_of(token));
    if (const char* reason = why_inactive(stored, now)) return invalid_token(reason);
    if (!stored->token.scope.contains("openid"))
        return oauth::make_error(oauth::ErrorCode::insufficient_scope, "openid scope required");
    return userinfo_claims(get_user_claims(stored->grant.subject), stored->token.scope, stored->grant.subject);
}

GetUserClaims database_claims(oauth::Context& context) {
    return [&context](const model::Subject& subject) {
        const auto user = store::find_user(context.store, subject);
        if (!user) return json::Object();
        json::Object claims = user->claims;
        if (!claims.find("preferred_username")) claims.set("preferred_username", user->username);
        if (!claims.find("updated_at")) claims.set("updated_at", util::to_epoch(user->updated_at));
        return claims;
    };
}

}  // namespace postern::oidc
