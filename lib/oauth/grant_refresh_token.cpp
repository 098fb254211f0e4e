// The refresh token grant.
#include "oauth/grant_refresh_token.h"

#include "db/write.h"
#include "oauth/next_step.h"
#include "oauth/refresh_token.h"
#include "oauth/scope_policy.h"
#include "refusal/reason.h"
#include "store/access_tokens.h"
#include "store/client_access.h"
#include "store/grants.h"
#include "store/sweep.h"

namespace postern::oauth {
namespace {

constexpr const char* kNotValid = "the refresh token is not valid";

void note_reuse(Context& context, const store::StoredRefreshToken& stored, const char* reason, bool ended) {
    context.trail.add(audit::Event::refresh_token_reused,
                      audit::with_grant(stored.grant, {audit::credential("used", stored.token.token_hash),
                                                       {"reason", reason},
                                                       audit::yes_or_no("grant_ended", ended)}));
}

OAuthError not_valid(std::string detail) { return invalid_grant(kNotValid, std::move(detail)); }

/// Returns why the token is dead; nullptr while it may be redeemed. A rotated token is judged at the redemption, which
/// tells a retry from a theft.
const char* why_dead(const store::StoredRefreshToken& stored, util::Time now) {
    if (stored.grant.ended_at)
        return "the grant has ended: logged out, revoked, a token or code was used twice, or the user may no longer use "
               "the client";
    if (stored.token.revoked_at) return "the refresh token has been revoked";
    if (now >= stored.token.expires_at) return "the refresh token has expired; refreshTokenTTL says how long one lives";
    if (!stored.user_enabled) return "the user is disabled";
    return nullptr;
}

/// Uses up the token and inserts what takes its place; a reused one ends its grant instead. nullopt: the session of
/// `note` has ended, and nothing is written.
std::optional<store::Rotation> rotate(db::Transaction& transaction, const Context& context,
                                      const CheckedRefreshToken& checked, const model::AccessToken& access,
                                      const model::RefreshToken& refresh, SessionNote note) {
    const auto& stored = checked.stored;
    const util::Time now = context.now();
    lock_session(transaction, note, stored.grant);
    const auto rotation = store::rotate_refresh_token(transaction, stored.token, refresh.token_hash, now,
                                                      context.settings.refresh_reuse_grace);
    if (rotation == store::Rotation::refused) return rotation;
    if (rotation == store::Rotation::reused) {
        store::end_grant(transaction, stored.grant.id, now);
    } else {
        if (!make_session_note(transaction, note, stored.grant, now)) return std::nullopt;
        store::delete_expired_access_tokens(transaction, access.grant_id, now - store::kExpiredRetention);
        store::insert_access_token(transaction, access, stored.token.expires_at);
        store::insert_refresh_token(transaction, refresh, stored.token.expires_at);
    }
    transaction.commit();
    return rotation;
}

constexpr const char* kReused =
    "used before and shown again: it may have been stolen, so the whole grant has been revoked";

/// Checks the scope and the resources that the request asks for with the token.
Outcome<CheckedRefreshToken> check_request(Context& context, const model::Client& client,
                                           const RefreshTokenGrant& grant, const store::StoredRefreshToken& stored) {
    ASSIGN_OR_RETURN(const auto named, find_named_target(context, client, grant.target));
    ASSIGN_OR_RETURN(auto asked_for, judge_repeated_scope(context.settings, client, stored.grant, grant.scope));
    ASSIGN_OR_RETURN(auto target, choose_target(context, client, stored.grant, named));
    ASSIGN_OR_RETURN(auto scope, scope_for(target, asked_for));
    return CheckedRefreshToken{stored, std::move(asked_for), std::move(target), std::move(scope)};
}

/// Ends the grant of a token that is used once more, beyond a retry; changes nothing else.
bool end_if_reused(Context& context, const store::StoredRefreshToken& stored) {
    if (!stored.token.rotated_at) return false;
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        const auto rotation = store::rotate_refresh_token(transaction, stored.token, stored.token.token_hash,
                                                          context.now(), context.settings.refresh_reuse_grace);
        if (rotation != store::Rotation::reused) return false;  // and what it has written is rolled back
        store::end_grant(transaction, stored.grant.id, context.now());
        transaction.commit();
        return true;
    });
}

/// RFC 9449 §5, RFC 8705 §4. Whoever lacks the key cannot have used the token before, so this is no reuse.
Outcome<void> check_keys(const model::Confirmation& bound_to, const model::Confirmation& shown) {
    if (!bound_to.jkt.empty() && bound_to.jkt != shown.jkt)
        return make_error(refusal::Reason::invalid_grant_other_key, kNotValid,
                          shown.jkt.empty()
                              ? "the refresh token is bound to a key, and no DPoP proof came or dpop is \"off\""
                              : "the refresh token is bound to a key, and the DPoP proof is of another one");
    if (!bound_to.x5t.empty() && bound_to.x5t != shown.x5t)
        return make_error(refusal::Reason::invalid_grant_other_certificate, kNotValid,
                          shown.x5t.empty()
                              ? "the refresh token is bound to a certificate, and none came or mtls is not configured"
                              : "the refresh token is bound to a certificate, and another one came");
    return {};
}

}  // namespace

Outcome<CheckedRefreshToken> check_refresh_token(Context& context, const model::Client& client,
                                                 const RefreshTokenGrant& grant, const model::Confirmation& shown) {
    if (!client.has_grant(model::GrantType::refresh_token))
        return make_error(ErrorCode::unauthorized_client, "the client is not registered for the refresh_token grant");
    // The record's expiry is what counts; a JWT repeats it.
    auto known = find_refresh_token(context, grant.refresh_token, jose::Expiry::ignored);
    if (!known) return not_valid("no such refresh token: mistyped, forged, from another server, or long gone");
    store::StoredRefreshToken& stored = known->stored;
    context.trail.note_user(stored.grant.subject);
    if (stored.grant.client_id != client.id) {
        context.trail.add_foreign(stored.grant, "refresh_token", stored.token.token_hash, client.id);
        return not_valid("the refresh token was issued to " + stored.grant.client_id.str() + "; it still works there");
    }
    if (const char* reason = why_dead(stored, context.now())) {
        // A rotated token that is presented after its grant has ended may be the stolen one, so it is audited.
        if (stored.token.rotated_at) note_reuse(context, stored, reason, false);
        return not_valid(reason);
    }
    RETURN_IF_ERROR(check_keys(stored.grant.bound_to, shown));

    if (client.restricted && !store::may_use(context.store, client.id, stored.grant.subject))
        return not_valid(may_not_use().log_detail);

    auto checked = check_request(context, client, grant, stored);
    // A thief who asks for the wrong thing is a thief (RFC 9700 §4.14.2).
    if (!checked && end_if_reused(context, stored)) {
        note_reuse(context, stored, "used before", true);
        return not_valid(kReused);
    }
    return checked;
}

bool is_kept(const Settings& settings, const model::Client& client, const store::StoredRefreshToken& stored) {
    return has_security_profile(settings, client) && !stored.token.rotated_at && !stored.token.parent_hash;
}

Outcome<Refreshed> use_refresh_token(Context& context, const CheckedRefreshToken& checked,
                                     const model::AccessToken& access, SessionNote note) {
    enum class Use { used, dead, session_ended };
    const store::StoredRefreshToken& stored = checked.stored;
    // Access tokens that a power failure takes away do not work; a lost note would leave a client untold of a logout.
    const auto durability = note == SessionNote::none ? db::Durability::lazy : db::Durability::full;
    const Use use = db::write(context.store, durability, [&](db::Transaction& transaction) {
        const util::Time now = context.now();
        lock_session(transaction, note, stored.grant);
        if (!store::is_live(transaction, stored.token, now)) return Use::dead;
        if (!make_session_note(transaction, note, stored.grant, now)) return Use::session_ended;
        store::delete_expired_access_tokens(transaction, access.grant_id, now - store::kExpiredRetention);
        store::insert_access_token(transaction, access, stored.token.expires_at);
        transaction.commit();
        return Use::used;
    });
    if (use == Use::session_ended) return Refreshed::session_ended;
    if (use == Use::dead) return not_valid("used or ended some moments ago");
    context.trail.add(audit::Event::token_refreshed,
                      audit::with_grant(stored.grant, {audit::credential("used", stored.token.token_hash),
                                                       audit::credential("access_token", access.token_hash),
                                                       audit::credential("refresh_token", stored.token.token_hash),
                                                       {"scope", access.scope.to_string()},
                                                       {"aud", access.audience.value_or("")},
                                                       audit::yes_or_no("retried", false)}));
    return Refreshed::yes;
}

Outcome<Refreshed> redeem_refresh_token(Context& context, const CheckedRefreshToken& checked,
                                        const model::AccessToken& access, const model::RefreshToken& refresh,
                                        SessionNote note) {
    const auto rotation = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        return rotate(transaction, context, checked, access, refresh, note);
    });
    if (!rotation) return Refreshed::session_ended;
    switch (*rotation) {
        case store::Rotation::rotated:
        case store::Rotation::retried:
            context.trail.add(audit::Event::token_refreshed,
                              audit::with_grant(checked.stored.grant,
                                                {audit::credential("used", checked.stored.token.token_hash),
                                                 audit::credential("access_token", access.token_hash),
                                                 audit::credential("refresh_token", refresh.token_hash),
                                                 {"scope", access.scope.to_string()},
                                                 {"aud", access.audience.value_or("")},
                                                 audit::yes_or_no("retried", *rotation == store::Rotation::retried)}));
            return Refreshed::yes;
        case store::Rotation::refused:
            note_reuse(context, checked.stored, "used or ended some moments ago", false);
            return not_valid("used before, some moments ago; nothing was revoked");
        case store::Rotation::reused:
            note_reuse(context, checked.stored, "used before", true);
            return not_valid(kReused);
    }
    throw std::logic_error("rotation without an answer");
}

}  // namespace postern::oauth
