// Makes ID tokens.
#include "oidc/id_token.h"

#include <algorithm>

#include "crypto/digest.h"
#include "jose/jws.h"
#include "json/writer.h"
#include "model/group.h"
#include "model/session.h"
#include "oauth/acr.h"
#include "oauth/client_profile.h"
#include "oauth/scope_policy.h"
#include "util/base64.h"

namespace postern::oidc {

bool has_id_token(const oauth::Settings& settings, const model::Scope& scope) {
    return settings.oidc && scope.contains("openid");
}

json::Object user_claims_for(oauth::Context& context, const model::Client& client, const model::Grant& grant,
                             const model::Scope& scope, ScopeClaims scope_claims,
                             const GetUserClaims& get_user_claims) {
    const auto names = oauth::still_registered(context.settings, client.scope, grant.claims.id_token);
    const bool by_scope = scope_claims == ScopeClaims::told;
    if (names.empty() && !by_scope) return {};
    return release_claims(context, {client.id, client.own_claims, grant.subject, scope, by_scope, names},
                          get_user_claims);
}

ScopeClaims scope_claims_of(const model::Client& client) {
    return client.id_token_claims ? ScopeClaims::told : ScopeClaims::elsewhere;
}

ScopeClaims scope_claims_of(model::ResponseType type) {
    return type == model::ResponseType::id_token ? ScopeClaims::told : ScopeClaims::elsewhere;
}

namespace {

std::string left_half(std::string_view digest) { return util::base64url_encode(digest.substr(0, digest.size() / 2)); }

}  // namespace

std::string at_hash(crypto::Algorithm algorithm, const oauth::AccessTokenIssue& access) {
    return left_half(algorithm == crypto::Algorithm::EdDSA ? crypto::sha512(access.value) : access.digest);
}

std::string c_hash(crypto::Algorithm algorithm, const std::string& code) {
    return left_half(algorithm == crypto::Algorithm::EdDSA ? crypto::sha512(code) : crypto::sha256(code));
}

namespace {

std::size_t size_of(const json::Object& claims) { return json::write(claims).size(); }

/// The claim that takes most room. There is one.
std::string longest_of(const json::Object& claims) {
    std::string longest;
    std::size_t bytes = 0;
    for (const auto& [name, value] : claims.members()) {
        const std::size_t size = size_of(json::Object{{name, value}});
        if (size <= bytes) continue;
        longest = name;
        bytes = size;
    }
    return longest;
}

/// Adds the user's claims, but for the longest ones where all would be too long. A claim is there whole or not at all:
/// a part of the groups could say that the user is not in one. UserInfo has them all, for a client with an access
/// token.
void add_user_claims(oauth::Context& context, const IdTokenAbout& about, json::Object& claims) {
    json::Object told = about.claims;
    std::string left_out;
    std::size_t room = about.max_bytes - std::min(about.max_bytes, size_of(claims));
    while (!told.members().empty() && size_of(told) > room) {
        const std::string longest = longest_of(told);
        left_out += (left_out.empty() ? "" : " ") + longest;
        told.erase(longest);
    }
    for (const auto& [name, value] : told.members()) claims.set(name, value);
    if (left_out.empty()) return;
    const bool is_alone = about.at_hash.empty() && about.c_hash.empty();
    context.log.warn(
        "claims_left_out",
        {{"id", context.trail.request_id()},
         {"client_id", about.grant.client_id.str()},
         {"claims", left_out},
         {"reason", "with them the claims of the ID token would be longer than " + std::to_string(about.max_bytes) +
                        " bytes; " + (is_alone ? "a response_type with a code leads to them" : "UserInfo has them")}});
}

}  // namespace

json::Object id_token_claims(oauth::Context& context, const IdTokenAbout& about) {
    const oauth::Settings& settings = context.settings;
    const util::Time now = context.now();
    json::Object claims{{"iss", settings.issuer},
                        {"sub", about.grant.subject.str()},
                        {"aud", about.grant.client_id.str()},
                        {"exp", util::to_epoch(now + settings.id_token_ttl)},
                        {"iat", util::to_epoch(now)}};
    if (about.grant.auth_time != model::kAuthTimeUnknown)
        claims.set("auth_time", util::to_epoch(about.grant.auth_time));
    oauth::add_authentication(about.grant, claims);
    if (about.nonce) claims.set("nonce", *about.nonce);
    if (!about.at_hash.empty()) claims.set("at_hash", about.at_hash);
    if (!about.c_hash.empty()) claims.set("c_hash", about.c_hash);
    if (about.with_sid && !about.grant.sid.empty())
        claims.set("sid", about.grant.sid.str());  // no session of a browser: RFC 8628
    add_user_claims(context, about, claims);
    return claims;
}

std::string make_id_token(oauth::Context& context, crypto::Algorithm algorithm, const IdTokenAbout& about) {
    const json::Object claims = id_token_claims(context, about);
    const keys::SigningKey& key = context.keys.signing_key(algorithm, context.now());
    return jose::sign_compact(key.key, key.kid, jose::TokenType::id_token, json::write(claims));
}

oauth::MakeIdToken id_tokens_with(oauth::Context& context, GetUserClaims get_user_claims) {
    return [&context, get_user_claims =
                          std::move(get_user_claims)](const oauth::IssuedToUser& issued) -> std::optional<std::string> {
        if (!has_id_token(context.settings, issued.scope)) return std::nullopt;
        const auto algorithm = oauth::id_token_algorithm_of(context.settings, issued.client);
        return make_id_token(context, algorithm,
                             {.grant = issued.grant,
                              .nonce = issued.nonce,
                              .at_hash = at_hash(algorithm, issued.access),
                              .claims = user_claims_for(context, issued.client, issued.grant, issued.scope,
                                                        scope_claims_of(issued.client), get_user_claims),
                              .with_sid = oauth::is_told_sid(context.settings, issued.client)});
    };
}

oauth::MakeFrontIdToken front_id_tokens_with(oauth::Context& context, GetUserClaims get_user_claims) {
    return [&context, get_user_claims = std::move(get_user_claims)](const oauth::FrontAnswer& answer) {
        const auto& [client, grant, request, code, access, claim_bytes] = answer;
        const auto algorithm = oauth::id_token_algorithm_of(context.settings, client);
        return make_id_token(context, algorithm,
                             {.grant = grant,
                              .nonce = request.nonce,
                              .at_hash = access ? at_hash(algorithm, *access) : "",
                              .claims = user_claims_for(context, client, grant, grant.scope,
                                                        scope_claims_of(request.response_type), get_user_claims),
                              .c_hash = code ? c_hash(algorithm, *code) : "",
                              .max_bytes = claim_bytes});
    };
}

}  // namespace postern::oidc
