// The UserInfo endpoint's rules.
#include "oidc/userinfo.h"

#include <algorithm>

#include "http/headers.h"
#include "jose/jwt.h"
#include "model/group.h"
#include "oauth/access_token.h"
#include "oauth/client_bar.h"
#include "oauth/confirmation.h"
#include "oauth/dpop.h"
#include "oauth/scope_policy.h"
#include "refusal/reason.h"
#include "store/access_tokens.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::oidc {
namespace {

using refusal::Reason;

oauth::OAuthError invalid_token(std::string description, std::string detail = {}) {
    return oauth::make_error(oauth::ErrorCode::invalid_token, std::move(description), std::move(detail));
}

oauth::Outcome<PresentedAccess> parse_header(std::string_view header, bool takes_proofs) {
    const auto [name, token] = http::split_credentials(header);
    const bool is_bearer = util::equal_ignoring_case(name, "bearer");
    if (!is_bearer && !(takes_proofs && util::equal_ignoring_case(name, "dpop")))
        return invalid_token("the Authorization header is not a Bearer token");
    if (token.empty()) return invalid_token(std::string(jose::describe(jose::JwtFault::malformed)));
    return PresentedAccess{token, is_bearer ? Scheme::bearer : Scheme::dpop};
}

oauth::Outcome<PresentedAccess> find_presented(const http::Request& request, bool takes_proofs) {
    if (request.authorization) return parse_header(*request.authorization, takes_proofs);
    if (request.method == http::Method::post) {
        if (request.form.fault_of("access_token")) return invalid_token("the access token is malformed");
        if (const auto token = request.form.find("access_token")) return PresentedAccess{*token};
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

/// RFC 9449 §7.2: whoever has taken a bound token must not get by as a bearer.
oauth::Outcome<void> check_scheme(const model::Confirmation& cnf, Scheme scheme) {
    if (!cnf.jkt.empty() && scheme == Scheme::bearer)
        return oauth::make_error(Reason::invalid_token_bound,
                                 "the access token is bound to a key and needs a DPoP proof",
                                 "it came as a bearer token");
    if (cnf.jkt.empty() && scheme == Scheme::dpop)
        return invalid_token("the access token is not bound to a key: it is a Bearer token");
    return {};
}

/// RFC 9449 §7.1, RFC 8705 §3. The binding of the row and the one in the token were written together.
oauth::Outcome<void> check_binding(const json::Object& claims, const model::Confirmation& cnf, const Shown& shown) {
    if (oauth::confirmation_in(claims) != cnf)
        return invalid_token("the access token is bound to another key than its record says");
    RETURN_IF_ERROR(check_scheme(cnf, shown.scheme));
    if (cnf.x5t.empty() || cnf.x5t == shown.x5t) return {};
    return oauth::make_error(Reason::invalid_token_certificate,
                             "the access token is bound to a certificate, which the connection must show",
                             shown.x5t.empty() ? "no certificate arrived" : "another certificate arrived");
}

/// RFC 9449 §7.1: at a resource a proof that does not do is a 401.
oauth::OAuthError unauthorized(oauth::OAuthError error) {
    if (error.code == oauth::ErrorCode::invalid_dpop_proof) error.http_status = 401;
    return error;
}

}  // namespace

oauth::Outcome<PresentedAccess> parse_access_token(const http::Request& request, std::size_t max_bytes,
                                                   bool takes_proofs) {
    const auto presented = find_presented(request, takes_proofs);
    if (presented && presented->token.size() > max_bytes)
        return invalid_token("the access token is malformed", "longer than limits.token");
    return presented;
}

oauth::Outcome<ActiveToken> find_active_token(oauth::Context& context, std::string_view token, const Shown& shown) {
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
    RETURN_IF_ERROR(check_binding(*known->claims, stored->cnf, shown));
    return ActiveToken{std::move(known->claims), std::move(*stored)};
}

oauth::Outcome<void> check_proof(oauth::Context& context, const http::Request& request, std::string_view token,
                                 const ActiveToken& active) {
    auto key = oauth::read_proof(context, request, context.settings.paths.userinfo.value_or(""), std::string(token));
    if (!key) return unauthorized(key.error());
    if (!*key)
        return oauth::make_error(Reason::invalid_token_bound,
                                 "the access token is bound to a key and needs a DPoP proof", "no DPoP header arrived");
    const std::string& jkt = active.stored.cnf.jkt;
    if (oauth::jkt_of(*key) != jkt)
        return unauthorized(oauth::make_error(oauth::ErrorCode::invalid_dpop_proof, "the DPoP proof is not valid",
                                              "DPoP: the access token is bound to another key"));
    const auto used =
        oauth::use_proof(context, store::ReplayKind::proof_at_userinfo, **key, jkt, active.stored.client_id);
    if (!used) return unauthorized(used.error());
    return {};
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
