// The authorization code grant.
#include "oauth/grant_authorization_code.h"

#include <algorithm>

#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/client_profile.h"
#include "oauth/next_step.h"
#include "oauth/pkce.h"
#include "oauth/refresh_token.h"
#include "oauth/scope_policy.h"
#include "refusal/reason.h"
#include "store/access_tokens.h"
#include "store/refresh_tokens.h"

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

/// RFC 9449 §10: a code that was asked for with a key is for its holder.
Outcome<void> check_key(const model::AuthorizationCode& code, std::string_view jkt) {
    if (code.dpop_jkt.empty() || code.dpop_jkt == jkt) return {};
    return make_error(refusal::Reason::invalid_grant_other_key, "the authorization code is bound to another key",
                      jkt.empty() ? "the code is bound to a key, and no DPoP proof came or dpop is \"off\""
                                  : "the code is bound to a key, and the DPoP proof is of another one");
}

/// Checks the proof that the sender started the flow: the redirect_uri, the verifier and the key.
Outcome<void> check_binding(const model::AuthorizationCode& code, const AuthorizationCodeGrant& grant,
                            std::string_view jkt) {
    RETURN_IF_ERROR(check_redirect_uri(code, grant.redirect_uri));
    RETURN_IF_ERROR(check_code_verifier(code.code_challenge, grant.code_verifier));
    return check_key(code, jkt);
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

/// `ended`: what the first use yielded has ended now.
void audit_replay(Context& context, const store::StoredCode& stored, std::string_view reason, bool ended) {
    context.trail.add(audit::Event::code_replayed,
                      audit::with_grant(stored.grant, {audit::credential("code", stored.code.code_hash),
                                                       {"reason", std::string(reason)},
                                                       audit::yes_or_no("grant_ended", ended)}));
}

/// F2-11. Looked at here, since the client may have got its profile after the code was issued.
util::Time end_of(const Context& context, const model::Client& client, const store::StoredCode& stored) {
    if (!has_security_profile(context.settings, client)) return stored.code.expires_at;
    return std::min(stored.code.expires_at, stored.grant.created_at + kMaxProfileCodeTtl);
}

OAuthError not_valid(std::string detail) { return invalid_grant(kNotValid, std::move(detail)); }

OAuthError replayed() {
    return not_valid(
        "the code was spent before or at the same time: a replay, and everything it yielded has been "
        "revoked");
}

/// A second request revokes only if it is as good as the first, because a stolen code alone must not end a grant.
CodeRefusal refuse_spent(store::StoredCode stored, const AuthorizationCodeGrant& grant, std::string_view jkt) {
    if (check_binding(stored.code, grant, jkt)) return {replayed(), CodeConsequence::revoke_yield, std::move(stored)};
    return {not_valid("redeemed before; this request lacks its redirect_uri, verifier or key, so nothing was revoked"),
            CodeConsequence::audit_replay, std::move(stored)};
}

void burn(Context& context, const store::StoredCode& stored, const std::string& reason) {
    db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::burn_code(transaction, stored.code.code_hash, context.now());
        transaction.commit();
    });
    context.trail.add(
        audit::Event::code_burned,
        audit::with_grant(stored.grant, {audit::credential("code", stored.code.code_hash), {"reason", reason}}));
}

void revoke_yield(Context& context, const store::StoredCode& stored) {
    const bool ended = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        const bool ends = store::end_grant(transaction, stored.grant.id, context.now());
        transaction.commit();
        return ends;
    });
    audit_replay(context, stored, "spent before", ended);
}

/// The outcome for a code that was usable when it was looked at.
enum class Redemption {
    redeemed,
    replayed,       ///< spent at the same time; the grant has ended now
    refused,        ///< the grant had ended already
    session_ended,  ///< nothing has changed
};

Redemption redeem(db::Transaction& transaction, const store::StoredCode& stored, const model::AccessToken& access,
                  const std::optional<model::RefreshToken>& refresh, SessionNote note, util::Time now) {
    lock_session(transaction, note, stored.grant);
    if (!store::redeem_code(transaction, stored.code.code_hash, now)) {
        // A parallel request with the same proofs redeemed the code first, or the grant has ended meanwhile. This
        // transaction comes after the winner's, so ending the grant ends what the winner inserted.
        const bool ended = store::end_grant(transaction, stored.grant.id, now);
        transaction.commit();
        return ended ? Redemption::replayed : Redemption::refused;
    }
    if (!make_session_note(transaction, note, stored.grant, now)) return Redemption::session_ended;
    // The refresh token first: it lives longer, so that the grant is prolonged once.
    if (refresh) insert_first(transaction, *refresh);
    store::insert_access_token(transaction, access, refresh ? refresh->expires_at : util::Time{});
    transaction.commit();
    return Redemption::redeemed;
}

}  // namespace

// In an order that keeps a stranger from learning or destroying anything: registration, the code's client, its state,
// then the proofs. A wrong target costs nothing: the code works with a right one.
util::Result<UsableCode, CodeRefusal> find_usable_code(Context& context, const model::Client& client,
                                                       const AuthorizationCodeGrant& grant, std::string_view jkt) {
    if (!client.has_grant(model::GrantType::authorization_code))
        return CodeRefusal{make_error(ErrorCode::unauthorized_client,
                                      "the client is not registered for the authorization_code grant")};
    const auto named = find_named_target(context, client, grant.target);
    if (!named) return CodeRefusal{named.error()};

    auto stored = store::find_code(context.store, hash_of(grant.code));
    if (!stored) return CodeRefusal{not_valid("no such code: mistyped, from another server, or expired and deleted")};
    context.trail.note_user(stored->grant.subject);
    if (stored->grant.client_id != client.id)
        return CodeRefusal{
            not_valid("the code was issued to " + stored->grant.client_id.str() + "; it still works there"),
            CodeConsequence::audit_foreign, std::move(*stored)};
    if (stored->code.redeemed_at) return refuse_spent(std::move(*stored), grant, jkt);
    if (stored->code.burned_at)
        return CodeRefusal{
            not_valid("a wrong verifier, redirect_uri or key spent the code before, or the client revoked it"),
            CodeConsequence::audit_replay, std::move(*stored)};
    if (stored->grant.ended_at) return CodeRefusal{not_valid("the grant has been revoked")};
    if (context.now() >= end_of(context, client, *stored)) return CodeRefusal{not_valid("the code has expired")};
    if (auto ok = check_binding(stored->code, grant, jkt); !ok)
        return CodeRefusal{ok.error(), CodeConsequence::burn, std::move(*stored)};
    if (auto ok = check_max_age(context, *stored); !ok) return CodeRefusal{ok.error()};
    if (!stored->user_enabled) return CodeRefusal{not_valid("the user is disabled")};
    auto target = choose_target(context, client, stored->grant, *named);
    if (!target) return CodeRefusal{target.error()};
    // A `scope` of the request means nothing here (RFC 6749 §4.1.3): the grant has its own.
    auto granted = still_registered(context.settings, client, stored->grant.scope);
    auto scope = scope_for(*target, granted);
    if (!scope) return CodeRefusal{scope.error()};
    return UsableCode{std::move(*stored), std::move(*target), std::move(granted), std::move(*scope)};
}

OAuthError settle(Context& context, const model::Client& client, const CodeRefusal& refusal) {
    switch (refusal.consequence) {
        case CodeConsequence::none:
            break;
        case CodeConsequence::audit_foreign:
            context.trail.add_foreign(refusal.stored->grant, "authorization_code", refusal.stored->code.code_hash,
                                      client.id);
            break;
        case CodeConsequence::audit_replay:
            audit_replay(context, *refusal.stored,
                         refusal.stored->code.redeemed_at
                             ? "spent before, and without its redirect_uri, verifier or key"
                             : "burned or revoked before",
                         false);
            break;
        case CodeConsequence::burn:
            burn(context, *refusal.stored, refusal.error.description);
            break;
        case CodeConsequence::revoke_yield:
            revoke_yield(context, *refusal.stored);
            break;
    }
    return refusal.error;
}

Outcome<void> redeem_code(Context& context, const store::StoredCode& stored, const model::AccessToken& access,
                          const std::optional<model::RefreshToken>& refresh, SessionNote note) {
    const auto redemption = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        return redeem(transaction, stored, access, refresh, note, context.now());
    });
    // With offline_access, too: the client would keep an ID token of a session whose end it was not told of.
    if (redemption == Redemption::session_ended)
        return not_valid("the session that the code is of has ended, and the client is told of ended sessions");
    if (redemption != Redemption::redeemed) {
        audit_replay(context, stored, "spent at the same time", redemption == Redemption::replayed);
        return replayed();
    }
    context.trail.add(audit::Event::token_issued,
                      audit::with_grant(stored.grant, {{"grant_type", "authorization_code"},
                                                       audit::credential("code", stored.code.code_hash),
                                                       audit::credential("access_token", access.token_hash),
                                                       audit::credential("refresh_token", refresh ? refresh->token_hash
                                                                                                  : model::ValueHash()),
                                                       {"scope", access.scope.to_string()},
                                                       {"aud", access.audience.value_or("")}}));
    return {};
}

bool spend_code(Context& context, const store::StoredCode& stored) {
    const bool is_spent = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        const bool is_first = store::redeem_code(transaction, stored.code.code_hash, context.now());
        transaction.commit();
        return is_first;
    });
    if (is_spent)
        context.trail.add(audit::Event::site_entered,
                          audit::with_grant(stored.grant, {audit::credential("code", stored.code.code_hash)}));
    return is_spent;
}

}  // namespace postern::oauth
