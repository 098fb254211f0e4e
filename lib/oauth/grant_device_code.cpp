// The device grant.
#include "oauth/grant_device_code.h"

#include <algorithm>
#include <utility>

#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/refresh_token.h"
#include "oauth/scope_policy.h"
#include "refusal/reason.h"
#include "store/access_tokens.h"
#include "store/client_access.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"

namespace postern::oauth {
namespace {

using model::DeviceCode;
using model::DeviceCodeState;
using refusal::Reason;

constexpr util::Seconds kSlower{5};
constexpr util::Seconds kTolerance{1};
/// A poll that was sent twice, by a proxy or a library that tries again, is not the device's impatience.
constexpr util::Seconds kSamePoll{1};

OAuthError not_valid(std::string detail) { return invalid_grant("the device code is not valid", std::move(detail)); }

OAuthError replayed() {
    return not_valid(
        "the device code was used before or at the same time: a replay, and what it yielded has been revoked");
}

OAuthError expired() { return make_error(ErrorCode::expired_token, "the device code has expired"); }

/// The user approved, and the right is not there any more.
OAuthError lost(std::string detail) {
    return make_error(Reason::access_denied_device_right_lost, "the approval does not count any more",
                      std::move(detail));
}

PollRefusal slow_down(const DeviceCode& code, const Poll& poll) {
    OAuthError error = make_error(ErrorCode::slow_down, "the device polls too often",
                                  "expected at least " + std::to_string(code.interval.count()) + " s between polls");
    if (!poll.interval) return {std::move(error)};
    return {std::move(error), PollConsequence::slow, code, *poll.interval};
}

/// The answer to a poll in time for a code that is not approved.
std::optional<PollRefusal> refuse_unapproved(const DeviceCode& code) {
    switch (code.state) {
        case DeviceCodeState::pending:
            return PollRefusal{make_error(ErrorCode::authorization_pending, "the user has not answered yet"),
                               PollConsequence::record, code};
        case DeviceCodeState::denied:
            return PollRefusal{make_error(Reason::access_denied_on_device_page, "the user denied the request"),
                               PollConsequence::record, code};
        case DeviceCodeState::approved:
        case DeviceCodeState::used:
            break;
    }
    return std::nullopt;
}

/// RFC 8628 §3.5, in an order that keeps another client from learning anything about a code.
std::optional<PollRefusal> refuse_poll(const model::Client& client, const std::optional<DeviceCode>& code,
                                       util::Time now) {
    if (!code) return PollRefusal{not_valid("no such code: from another server, or expired and deleted")};
    if (code->client_id != client.id)
        return PollRefusal{not_valid("the code was issued to " + code->client_id.str() + "; it still works there"),
                           PollConsequence::audit_foreign, code};
    if (code->state == DeviceCodeState::used) return PollRefusal{replayed(), PollConsequence::revoke_yield, code};
    if (now >= code->expires_at) return PollRefusal{expired()};
    if (const Poll poll = judge_poll(*code, now); poll.too_soon) return slow_down(*code, poll);
    return refuse_unapproved(*code);
}

/// Ends what a used code has yielded.
void revoke_yield(Context& context, const DeviceCode& code, std::string_view reason) {
    const auto grant = store::find_grant(context.store, code.grant_id);
    const bool ended = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        const bool ends = store::end_grant(transaction, code.grant_id, context.now());
        transaction.commit();
        return ends;
    });
    if (!grant) return;
    context.trail.add(audit::Event::code_replayed,
                      audit::with_grant(*grant, {audit::credential("code", code.device_hash),
                                                 {"reason", std::string(reason)},
                                                 audit::yes_or_no("grant_ended", ended)}));
}

/// A poll that a power cut takes back costs nothing.
template <class Write>
void write_lazily(Context& context, const Write& write) {
    db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        write(transaction);
        transaction.commit();
    });
}

/// The outcome for a code that was usable when it was looked at.
enum class Redemption {
    redeemed,
    replayed,  ///< used at the same time
    expired,
    lost,  ///< the grant has ended, or the code is not there any more
};

Redemption redeem(db::Transaction& transaction, const UsableDeviceCode& usable, const model::AccessToken& access,
                  const std::optional<model::RefreshToken>& refresh, util::Time now) {
    if (!store::redeem_device_code(transaction, usable.code.device_hash, now)) {
        const auto found = store::find_device_code(transaction.database(), usable.code.device_hash);
        if (!found) return Redemption::lost;
        if (found->code.state == DeviceCodeState::used) return Redemption::replayed;
        return now >= found->code.expires_at ? Redemption::expired : Redemption::lost;
    }
    // The refresh token first: it lives longer, so that the grant is prolonged once.
    if (refresh) insert_first(transaction, *refresh);
    store::insert_access_token(transaction, access, refresh ? refresh->expires_at : util::Time{});
    transaction.commit();
    return Redemption::redeemed;
}

}  // namespace

Outcome<void> check_device_grant(const model::Client& client) {
    if (client.has_grant(model::GrantType::device_code)) return {};
    return make_error(ErrorCode::unauthorized_client, "the client is not registered for the device grant");
}

Poll judge_poll(const DeviceCode& code, util::Time now) {
    // A clock that went back makes no poll too soon.
    if (!code.last_poll_at || now < *code.last_poll_at) return {};
    const util::Seconds since = now - *code.last_poll_at;
    if (since >= code.interval - kTolerance) return {};
    if (code.slowed || since <= kSamePoll) return {.too_soon = true};
    return {.too_soon = true, .interval = std::min(code.interval + kSlower, kMaxPollInterval)};
}

util::Result<UsableDeviceCode, PollRefusal> find_usable_device_code(Context& context, const model::Client& client,
                                                                    const DeviceCodeGrant& asked) {
    if (auto may = check_device_grant(client); !may) return PollRefusal{may.error()};
    const auto named = find_named_target(context, client, asked.target);
    if (!named) return PollRefusal{named.error()};
    const auto stored = store::find_device_code(context.store, hash_of(asked.device_code));
    const auto code = stored ? std::optional(stored->code) : std::nullopt;
    if (code) context.trail.note_user(code->subject);  // "" until a user has answered
    if (auto refusal = refuse_poll(client, code, context.now())) return *std::move(refusal);

    const auto grant = store::find_grant(context.store, code->grant_id);
    if (!grant || grant->ended_at) return PollRefusal{lost("the grant has ended")};
    // They are written together; the state of a row alone is no approval.
    if (grant->client_id != code->client_id || grant->subject != code->subject)
        return PollRefusal{lost("the grant is of another client or user than the code")};
    if (!stored->user_enabled) return PollRefusal{lost("the user is disabled")};
    if (!store::may_use(context.store, client.id, grant->subject))
        return PollRefusal{lost("the user may not use the client any more")};
    auto target = choose_target(context, client, *grant, *named);
    if (!target) return PollRefusal{target.error()};
    auto granted = still_registered(context.settings, client, grant->scope);
    auto scope = scope_for(*target, granted);
    if (!scope) return PollRefusal{scope.error()};
    return UsableDeviceCode{*code, *grant, stored->username, *std::move(target), std::move(granted), *std::move(scope)};
}

OAuthError settle(Context& context, const model::Client& client, const PollRefusal& refusal) {
    switch (refusal.consequence) {
        case PollConsequence::none:
            break;
        case PollConsequence::audit_foreign:
            context.trail.add(audit::Event::presented_by_another,
                              {audit::client(refusal.code->client_id),
                               audit::subject(refusal.code->subject),
                               {"kind", "device_code"},
                               audit::credential("token", refusal.code->device_hash),
                               {"presented_by", client.id.str()}});
            break;
        case PollConsequence::revoke_yield:
            revoke_yield(context, *refusal.code, "used before");
            break;
        case PollConsequence::slow:
            write_lazily(context, [&](db::Transaction& transaction) {
                store::slow_polls(transaction, refusal.code->device_hash, refusal.interval);
            });
            break;
        case PollConsequence::record:
            write_lazily(context, [&](db::Transaction& transaction) {
                store::record_poll(transaction, refusal.code->device_hash, context.now());
            });
            break;
    }
    return refusal.error;
}

Outcome<void> redeem_device_code(Context& context, const UsableDeviceCode& usable, const model::AccessToken& access,
                                 const std::optional<model::RefreshToken>& refresh) {
    const auto redemption = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        return redeem(transaction, usable, access, refresh, context.now());
    });
    if (redemption == Redemption::expired) return expired();
    if (redemption == Redemption::lost) return lost("the grant has ended, or the code was deleted, meanwhile");
    if (redemption == Redemption::replayed) {
        revoke_yield(context, usable.code, "used at the same time");
        return replayed();
    }
    context.trail.add(
        audit::Event::token_issued,
        audit::with_grant(usable.grant,
                          {{"grant_type", std::string(model::to_string(model::GrantType::device_code))},
                           audit::credential("code", usable.code.device_hash),
                           audit::credential("access_token", access.token_hash),
                           audit::credential("refresh_token", refresh ? refresh->token_hash : model::ValueHash()),
                           {"scope", access.scope.to_string()},
                           {"aud", access.audience.value_or("")}}));
    return {};
}

}  // namespace postern::oauth
