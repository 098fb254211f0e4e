// The UserInfo endpoint's rules.
#include "oidc/userinfo.h"

#include <algorithm>

#include "http/headers.h"
#include "jose/jwt.h"
#include "model/group.h"
#include "oauth/access_token.h"
#include "oauth/client_bar.h"
#include "oauth/scope_policy.h"
#include "store/access_tokens.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::oidc {
namespace {

oauth::OAuthError invalid_token(std::string description, std::string detail = {}) {
    return oauth::make_error(oauth::ErrorCode::invalid_token, std::move(description), std::move(detail));
}

oauth::Outcome<std::string_view> parse_bearer_header(std::string_view header) {
    const auto [scheme, token] = http::split_credentials(header);
    if (!util::equal_ignoring_case(scheme, "bearer"))
        return invalid_token("the Authorization header is not a Bearer token");
    if (token.empty()) return invalid_token(std::string(jose::describe(jose::JwtFault::malformed)));
    return token;
}

oauth::Outcome<std::string_view> find_bearer_token(const http::Request& request) {
    if (request.authorization) return parse_bearer_header(*request.authorization);
    if (request.method == http::Method::post) {
        if (request.form.fault_of("access_token")) return invalid_token("the access token is malformed");
        if (const auto token = request.form.find("access_token")) return *token;
    }
    return invalid_token(kNoToken, request.why_no_authorization);
}

/// Returns the reason why an issued token is inactive, in words for the client's developer; store::is_active has
/// decided that it is.
const char* why_inactive(const store::StoredAccessToken& stored, util::Time now) {
    const struct {
        bool applies;
        const char* reason;
    } rows[] = {
        {now >= stored.expires_at, "the access token has expired"},
        {stored.revoked, "the access token has been revoked"},
        {!stored.client.enabled, "the client of the access token is disabled"},
        {!stored.user_enabled, "the user of the access token is disabled"},
    };
    const auto found = std::find_if(std::begin(rows), std::end(rows), [](const auto& row) { return row.applies; });
    return found == std::end(rows) ? "the access token is not active" : found->reason;
}

}  // namespace

oauth::Outcome<std::string_view> parse_bearer_token(const http::Request& request, std::size_t max_bytes) {
    const auto token = find_bearer_token(request);
    if (token && token->size() > max_bytes)
        return invalid_token("the access token is malformed", "longer than limits.token");
    return token;
}

oauth::Outcome<ActiveToken> find_active_token(oauth::Context& context, std::string_view token) {
    // The signature before any claim, the stored state before any answer.
    const util::Time now = context.now();
    auto known = oauth::verify_access_token(context, token, jose::Expiry::enforced);
    if (!known) return invalid_token(std::string(jose::describe(known.error())));
    auto stored = store::find_access_token(context.store, known->key);
    if (!stored) return invalid_token("the access token is unknown");
    context.trail.note_user(stored->subject);
    if (!store::is_active(*stored, now)) return invalid_token(why_inactive(*stored, now));
    if (const auto bar = oauth::find_client_bar(context.settings, stored->client))
        return invalid_token("the client of the access token is disabled", oauth::row_of(*bar).detail);
    return ActiveToken{std::move(known->claims), std::move(*stored)};
}

oauth::Outcome<json::Object> userinfo(oauth::Context& context, const store::StoredAccessToken& token,
                                      const GetUserClaims& get_user_claims) {
    const oauth::Settings& settings = context.settings;
    const model::Subject& subject = token.subject;
    if (!token.scope.contains("openid"))
        return oauth::make_error(oauth::ErrorCode::insufficient_scope, "openid scope required");
    if (subject.empty()) return invalid_token("the access token is not a user's");  // client_credentials
    // The token holds the scope; the grant holds claims that were granted by name. The client may have lost either
    // since.
    const auto names = oauth::still_registered(settings, token.registered, token.userinfo_claims);
    json::Object claims = release_claims(
        context, {token.client_id, token.own_claims, subject, token.scope, true, names}, get_user_claims);
    claims.set("sub", subject.str());  // from the token, never from the callback
    return claims;
}

GetUserClaims database_claims(oauth::Context& context) {
    return [&context](const model::Subject& subject) {
        auto user = store::find_user(context.store, subject);
        if (!user) return json::Object();
        json::Object claims = std::move(user->claims);
        claims.erase(model::kGroups);
        if (!claims.find("preferred_username")) claims.set("preferred_username", user->username);
        if (!claims.find("updated_at")) claims.set("updated_at", util::to_epoch(user->updated_at));
        return claims;
    };
}

}  // namespace postern::oidc
