// The authorization code grant: the checks in the order that keeps a stranger from learning or destroying anything.
#include "oauth/grant_authorization_code.h"

#include "oauth/access_token.h"
#include "oauth/audience.h"
#include "oauth/max_age.h"
#include "oauth/pkce.h"
#include "store/access_tokens.h"
#include "store/refresh_tokens.h"
#include "store/users.h"

namespace postern::oauth {
namespace {

constexpr const char* kNotValid = "the authorization code is not valid";

/// RFC 6749 §4.1.3: identical if it was sent; if it was omitted, omitted again or the registered one.
Outcome<void> check_redirect_uri(const model::AuthorizationCode& code, const std::optional<std::string>& redirect_uri) {
    if (!redirect_uri && !code.redirect_uri_sent) return {};
    if (!redirect_uri) return invalid_grant("redirect_uri is required, as in the authorization request");
    if (*redirect_uri != code.redirect_uri)
        return invalid_grant("redirect_uri differs from the authorization request's");
    return {};
}

/// What proves that the sender started the flow: both the redirect_uri and the verifier.
Outcome<void> check_binding(const model::AuthorizationCode& code, const AuthorizationCodeGrant& grant) {
    if (auto ok = check_redirect_uri(code, grant.redirect_uri); !ok) return ok.error();
    return check_code_verifier(code.code_challenge, grant.code_verifier);
}

/// The interface specification: the exchange fails when auth_time + max_age is in the past. max_age=0 was satisfied by
/// a login made for the request and could never pass here, so it is not checked again (docs/decisions/0005).
Outcome<void> check_max_age(const Context& context, const store::StoredCode& stored) {
    const auto max_age = stored.code.max_age;
    if (!max_age || max_age->count() == 0) return {};
    if (is_stale_login(stored.grant.auth_time, *max_age + context.settings.max_age_leeway, context.now()))
        return invalid_grant("the login is older than max_age");
    return {};
}

/// `ended`: so that what the first use yielded has ended now.
void note_replay(Context& context, const store::StoredCode& stored, const char* reason, bool ended) {
    context.trail.add(AuditEvent::code_replayed,
                      audit::with_grant(stored.grant, {audit::credential("code", stored.code.code_hash),
                                                       {"reason", reason},
                                                       audit::yes_or_no("grant_ended", ended)}));
}

void revoke_yield(Context& context, const store::StoredCode& stored) {
    db::Transaction transaction(context.store, db::Durability::full);
    const bool ended = store::end_grant(transaction, stored.grant.id, context.now());
    transaction.commit();
    note_replay(context, stored, "spent before", ended);
}

OAuthError replayed() {
    return invalid_grant(
        kNotValid,
        "the code was spent before or at the same time: a replay, and everything it yielded has been revoked");
}

/// A second request revokes only if it is as good as the first: anybody else's must not be able to log the user out.
OAuthError answer_replay(Context& context, const store::StoredCode& stored, const AuthorizationCodeGrant& grant) {
    if (!check_binding(stored.code, grant)) {
        note_replay(context, stored, "spent before, and without its redirect_uri or verifier", false);
        return invalid_grant(
            kNotValid, "redeemed before; this request lacks its redirect_uri or verifier, so nothing was revoked");
    }
    revoke_yield(context, stored);
    return replayed();
}

}  // namespace

Outcome<CheckedCode> check_code(Context& context, const model::Client& client, const AuthorizationCodeGrant& grant) {
    if (!client.has_grant(model::GrantType::authorization_code))
        return make_error(ErrorCode::unauthorized_client,
                          "the client is not registered for the authorization_code grant");
    if (grant.audience)
        if (auto ok = check_audience(context, *grant.audience); !ok) return ok.error();

    auto stored = store::find_code(context.store, hash_of(grant.code));
    if (!stored) return invalid_grant(kNotValid, "no such code: mistyped, from another server, or expired and deleted");
    if (stored->grant.client_id != client.id) {
        context.trail.add_foreign(stored->grant, "authorization_code", stored->code.code_hash, client.id);
        return invalid_grant(kNotValid,
                             "the code was issued to " + stored->grant.client_id.str() + "; it still works there");
    }
    if (stored->code.redeemed_at) return answer_replay(context, *stored, grant);
    if (stored->code.burned_at) {
        note_replay(context, *stored, "burned or revoked before", false);
        return invalid_grant(kNotValid,
                             "a wrong verifier or redirect_uri spent the code before, or the client revoked it");
    }
    if (stored->grant.ended_at) return invalid_grant(kNotValid, "the grant has been revoked");
    if (context.now() >= stored->code.expires_at) return invalid_grant(kNotValid, "the code has expired");

    if (auto ok = check_binding(stored->code, grant); !ok) {
        db::Transaction transaction(context.store, db::Durability::full);
        store::burn_code(transaction, stored->code.code_hash, context.now());
        transaction.commit();
        context.trail.add(AuditEvent::code_burned,
                          audit::with_grant(stored->grant, {audit::credential("code", stored->code.code_hash),
                                                            {"reason", ok.error().description}}));
        return ok.error();
    }
    if (auto ok = check_max_age(context, *stored); !ok) return ok.error();
    auto user = store::find_user(context.store, stored->grant.subject);
    if (!user || !user->enabled) return invalid_grant(kNotValid, "the user is disabled or has been removed");
    return CheckedCode{std::move(*stored), std::move(*user)};
}

Outcome<void> redeem_code(Context& context, const CheckedCode& checked, const model::AccessToken& access,
                          const std::optional<model::RefreshToken>& refresh) {
    db::Transaction transaction(context.store, db::Durability::full);
    if (!store::redeem_code(transaction, checked.stored.code.code_hash, context.now())) {
        // Somebody was faster with the same proofs, or ended the grant meanwhile. Ending the grant in this transaction
        // cannot come before the winner's insert.
        const bool ended = store::end_grant(transaction, checked.stored.grant.id, context.now());
        transaction.commit();
        note_replay(context, checked.stored, "spent at the same time", ended);
        return replayed();
    }
    // The refresh token first: it lives longer, so that the grant is prolonged once.
    if (refresh) store::insert_refresh_token(transaction, *refresh);
    store::insert_access_token(transaction, access, refresh ? refresh->expires_at : util::Time{});
    transaction.commit();
    context.trail.add(
        AuditEvent::token_issued,
        audit::with_grant(checked.stored.grant,
                          {{"grant_type", "authorization_code"},
                           audit::credential("code", checked.stored.code.code_hash),
                           audit::credential("access_token", access.token_hash),
                           audit::credential("refresh_token", refresh ? refresh->token_hash : model::ValueHash()),
                           {"scope", access.scope.to_string()}}));
    return {};
}

}  // namespace postern::oauth
