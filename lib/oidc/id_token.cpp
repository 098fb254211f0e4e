// What an ID token says.
#include "oidc/id_token.h"

#include "crypto/digest.h"
#include "jose/jws.h"
#include "json/writer.h"
#include "model/group.h"
#include "model/session.h"
#include "oauth/acr.h"
#include "oauth/scope_policy.h"
#include "util/base64.h"

namespace postern::oidc {
namespace {

/// What the grant asks for by name (OpenID Connect Core §5.5), as far as the client is still registered for it, and
/// what the granted scopes release, if the client looks for it there.
json::Object claims_for(oauth::Context& context, const oauth::IssuedToUser& issued,
                        const GetUserClaims& get_user_claims) {
    const oauth::Settings& settings = context.settings;
    const auto names = oauth::still_registered(settings, issued.client.scope, issued.grant.claims.id_token);
    const model::Scope scope = issued.client.id_token_claims ? issued.scope : model::Scope();
    if (names.empty() && scope.empty()) return {};
    json::Object all = get_user_claims(issued.grant.subject);
    if (is_told(settings.released_claims, model::kGroups, scope, names))
        add_groups(context.store, all, issued.grant.subject, issued.client.id);
    return told_claims(settings.released_claims, all, scope, names);
}

}  // namespace

std::string at_hash(crypto::Algorithm algorithm, const oauth::AccessTokenIssue& access) {
    const std::string digest = algorithm == crypto::Algorithm::EdDSA ? crypto::sha512(access.value) : access.digest;
    return util::base64url_encode(std::string_view(digest).substr(0, digest.size() / 2));
}

std::string make_id_token(oauth::Context& context, const IdTokenAbout& about) {
    const oauth::Settings& settings = context.settings;
    const util::Time now = context.now();
    json::Object claims{{"iss", settings.issuer},
                        {"sub", about.grant.subject.str()},
                        {"aud", about.grant.client_id.str()},
                        {"exp", util::to_epoch(now + settings.id_token_ttl)},
                        {"iat", util::to_epoch(now)}};
    if (about.grant.auth_time != model::kAuthTimeUnknown)
        claims.set("auth_time", util::to_epoch(about.grant.auth_time));
    oauth::add_authentication(settings, claims);
    if (about.nonce) claims.set("nonce", *about.nonce);
    claims.set("at_hash", about.at_hash);
    claims.set("sid", about.grant.sid.str());
    for (const auto& [name, value] : about.claims.members()) claims.set(name, value);

    const keys::SigningKey& key = context.keys.signing_key(settings.id_token_algorithm, now);
    return jose::sign_compact(key.key, key.kid, jose::TokenType::id_token, json::write(claims));
}

oauth::MakeIdToken id_tokens_with(oauth::Context& context, GetUserClaims get_user_claims) {
    return [&context, get_user_claims =
                          std::move(get_user_claims)](const oauth::IssuedToUser& issued) -> std::optional<std::string> {
        if (!context.settings.oidc || !issued.scope.contains("openid")) return std::nullopt;
        return make_id_token(context,
                             {issued.grant, issued.nonce, at_hash(context.settings.id_token_algorithm, issued.access),
                              claims_for(context, issued, get_user_claims)});
    };
}

}  // namespace postern::oidc
