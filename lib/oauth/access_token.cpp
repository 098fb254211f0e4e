// Makes access tokens and verifies them.
#include "oauth/access_token.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "crypto/digest.h"
#include "jose/jws.h"
#include "json/writer.h"
#include "model/session.h"
#include "oauth/acr.h"
#include "oauth/confirmation.h"
#include "store/groups.h"

namespace postern::oauth {
namespace {

constexpr std::size_t kUsualClaims = 12;

json::Object claims_of(const Settings& settings, const model::Grant& grant, const model::AccessToken& record) {
    // Without a user the client speaks for itself (RFC 9068 §2.2); users' subjects are random, so no client's id.
    const std::string& subject = grant.subject.empty() ? grant.client_id.str() : grant.subject.str();
    json::Object claims{{"iss", settings.issuer}, {"sub", subject}, {"cid", grant.client_id.str()}};
    claims.reserve(kUsualClaims);
    if (!record.scope.empty()) claims.set("scope", record.scope.to_string());
    claims.set("jti", record.jti);
    claims.set("iat", util::to_epoch(record.issued_at));
    claims.set("exp", util::to_epoch(record.expires_at));
    if (record.audience) claims.set("aud", *record.audience);
    add_confirmation(record.cnf, claims);  // RFC 9449 §6.1, RFC 8705 §3.1
    return claims;
}

/// RFC 9068 §2.2.3.1. All of them or none: a part of them could say that the user is not in a group.
void add_groups(Context& context, const model::Grant& grant, json::Object& claims) {
    json::Object with_groups = claims;
    with_groups.set(model::kGroups, json::strings(store::told_groups(context.store, grant.subject, grant.client_id)));
    if (json::write(with_groups).size() <= kMaxClaimBytes) {
        claims = std::move(with_groups);
        return;
    }
    context.log.warn("groups_left_out", {{"id", context.trail.request_id()},
                                         {"client_id", grant.client_id.str()},
                                         {"reason", "with them the claims would be longer than 4096 bytes"}});
}

/// Adds the claims of RFC 9068 §2.2; about the user only where there is one.
void add_profile_claims(Context& context, const AccessTokenAbout& about, json::Object& claims) {
    const model::Grant& grant = about.grant;
    claims.set("client_id", grant.client_id.str());
    if (grant.subject.empty()) return;
    if (grant.auth_time != model::kAuthTimeUnknown) claims.set("auth_time", util::to_epoch(grant.auth_time));
    add_authentication(grant, claims);
    if (about.with_groups && about.scope.contains(model::kGroups)) add_groups(context, grant, claims);
}

}  // namespace

model::ValueHash hash_of(std::string_view value) { return model::ValueHash(crypto::sha256_hex(value)); }

AccessTokenAbout as_wanted(const Settings& settings, const model::Client& client, AccessTokenAbout about) {
    about.profile = profile_of(settings, client);
    about.with_groups = client.groups_in_access_token;
    return about;
}

AccessTokenDraft draft_access_token(Context& context, const AccessTokenAbout& about) {
    const Settings& settings = context.settings;
    AccessTokenDraft draft;
    model::AccessToken& record = draft.record;
    record.jti = make_jti(context.random, about.grant.id);
    record.grant_id = about.grant.id;
    record.scope = about.scope;
    record.audience = about.target.audience;
    record.cnf = about.cnf;
    record.issued_at = context.now();
    // Keys are kept for as long as the configuration says that tokens live.
    record.expires_at = record.issued_at + std::min(settings.access_token_ttl,
                                                    about.target.access_token_ttl.value_or(settings.access_token_ttl));

    draft.claims = claims_of(settings, about.grant, record);
    if (about.profile == model::TokenProfile::rfc9068)
        add_profile_claims(context, about, draft.claims);
    else if (settings.username_in_access_token && !about.username.empty())
        draft.claims.set("username", about.username);
    return draft;
}

AccessTokenIssue make_access_token(Context& context, const AccessTokenAbout& about) {
    AccessTokenDraft draft = draft_access_token(context, about);
    const keys::SigningKey& key =
        context.keys.signing_key(context.settings.token_algorithm(about.profile), draft.record.issued_at);
    AccessTokenIssue issue;
    issue.value = jose::sign_compact(key.key, key.kid, jose::TokenType::access_token, json::write(draft.claims));
    issue.digest = crypto::sha256(issue.value);
    issue.record = std::move(draft.record);
    issue.record.token_hash = model::ValueHash(crypto::hex(issue.digest));
    return issue;
}

util::Result<VerifiedAccessToken, jose::JwtFault> verify_access_token(Context& context, std::string_view value,
                                                                      jose::Expiry expiry) {
    ASSIGN_OR_RETURN(auto jwt, jose::verify_jwt(context.keys.verifier(), value, jose::TokenType::access_token,
                                                context.settings.issuer, context.now(), expiry));
    store::AccessTokenKey key{grant_of(*jwt.claims), jwt.issued_at, model::ValueHash(crypto::hex(jwt.digest))};
    return VerifiedAccessToken{std::move(jwt.claims), std::move(key)};
}

model::GrantId make_grant_id(crypto::Random& random, util::Time now) {
    std::array<char, 17> digits;
    const auto seconds = static_cast<unsigned long long>(util::to_epoch(now));
    const int size = std::snprintf(digits.data(), digits.size(), "%08llx", seconds);
    return model::GrantId(std::string(digits.data(), static_cast<std::size_t>(size)) + crypto::random_id(random));
}

std::string make_jti(crypto::Random& random, const model::GrantId& grant) {
    return grant.str() + '.' + crypto::random_id(random);
}

model::GrantId grant_of(const json::Object& claims) {
    const json::Value* jti = claims.find("jti");
    const std::string* text = jti ? jti->if_string() : nullptr;
    return text ? model::GrantId(text->substr(0, text->find('.'))) : model::GrantId();
}

}  // namespace postern::oauth
