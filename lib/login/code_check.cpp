// Decides whether a code is right, and when the next one is looked at.
#include "login/code_check.h"

#include <algorithm>
#include <utility>

#include "db/write.h"
#include "factor/totp.h"
#include "factor/typed_code.h"
#include "login/activity.h"
#include "login/password_check.h"
#include "store/factors.h"
#include "store/login_attempts.h"
#include "store/users.h"

namespace postern::login {
namespace {

using refusal::Reason;

constexpr std::int64_t kFailuresToWait = 10;
constexpr std::int64_t kFailuresToLock = 100;
constexpr util::Seconds kLongestWait = std::chrono::hours(24);

/// After the tenth failure in a row `window`, after each ten more twice as long, and at most a day.
util::Seconds wait_after(std::int64_t failures, util::Seconds window) {
    util::Seconds wait = window;
    for (std::int64_t tens = failures / kFailuresToWait; tens > 1 && wait < kLongestWait; --tens) wait *= 2;
    return std::min(wait, kLongestWait);
}

/// A code that is right, and what spending it ends.
struct RightCode {
    bool is_recovery = false;
    std::int64_t step = 0;       ///< of a code of the app
    std::string code_hash = {};  ///< of a recovery code
    bool is_place_known = false;
    bool ends_lock = false;  ///< places not known are locked, and this code is right in a known one
};
using Verdict = util::Result<RightCode, ProofRefused>;

ProofRefused wrong(Reason reason, std::string why) { return {.reason = reason, .detail = std::move(why)}; }

ProofRefused unreadable(Reason reason, std::string why, StillWorks still_works = StillWorks::nothing) {
    return {.fault = ProofFault::unreadable, .reason = reason, .detail = std::move(why), .still_works = still_works};
}

ProofRefused wrong_code(const factor::TotpVerdict& verdict) {
    switch (verdict.outcome) {
        case factor::TotpOutcome::used:
            return wrong(Reason::second_factor_failed_used_before, "the code of the app was used before");
        case factor::TotpOutcome::clock_off:
            return wrong(Reason::second_factor_failed_clock_off,
                         "the app's clock is off by " + std::to_string(verdict.seconds_off) + " s");
        default:
            return wrong(Reason::second_factor_failed, "wrong code of the app");
    }
}

std::optional<util::Secret> open_app(oauth::Context& context, const model::Subject& subject,
                                     const std::optional<store::TotpRow>& row) {
    if (!row) return std::nullopt;
    return factor::open_totp_secret(context.keys.factor_key(), subject, row->created_at, row->sealed);
}

Verdict check_app(oauth::Context& context, const model::Subject& subject, const std::string& digits) {
    const auto row = store::find_totp(context.store, subject);
    if (!row) return wrong(Reason::second_factor_failed_no_app, "a code of an app, and the user has none");
    const auto secret = open_app(context, subject, row);
    if (!secret)
        return unreadable(Reason::temporarily_unavailable_other_factor_key,
                          "factor.key does not open the app's secret of user " + subject.str() +
                              ": restore the file from a backup, or run `postern user factors NAME --remove app`",
                          has_live_codes(context, subject) ? StillWorks::recovery_codes : StillWorks::nothing);
    const factor::TotpVerdict verdict = factor::check_totp(*secret, digits, context.now(), row->last_step);
    if (verdict.outcome != factor::TotpOutcome::right) return wrong_code(verdict);
    return RightCode{.step = verdict.step};
}

/// Whether all codes of the user that are left are of another factor.key.
bool has_dead_codes(oauth::Context& context, const model::Subject& subject) {
    return store::find_factors(context.store, subject).unused_codes > 0 && !has_live_codes(context, subject);
}

Verdict check_recovery(oauth::Context& context, const model::Subject& subject, const std::string& digits) {
    std::string hash = factor::recovery_code_hash(context.keys.factor_key(), subject, digits);
    if (store::has_unused_code(context.store, subject, hash))
        return RightCode{.is_recovery = true, .code_hash = std::move(hash)};
    if (!has_dead_codes(context, subject))
        return wrong(Reason::second_factor_failed_recovery_code,
                     "a recovery code that the user does not have or has used before");
    const bool app_works = open_app(context, subject, store::find_totp(context.store, subject)).has_value();
    return unreadable(Reason::temporarily_unavailable_other_codes_key,
                      "the recovery codes of user " + subject.str() +
                          " were made under another factor.key: restore the file from a backup, or run "
                          "`postern user factors NAME --remove codes`",
                      app_works ? StillWorks::app : StillWorks::nothing);
}

/// The reason why no code is looked at here and now.
std::optional<ProofRefused> find_throttle(const store::CodeState& state, util::Time now) {
    if (state.place == store::CodePlace::other && state.other.in_a_row >= kFailuresToLock)
        return ProofRefused{
            .fault = ProofFault::locked,
            .reason = Reason::second_factor_throttled_everywhere,
            .detail = "too many wrong codes from places not known; `postern user factors NAME --resume` ends it"};
    if (state.here().wait_until <= now) return std::nullopt;
    const util::Seconds wait = state.here().wait_until - now;
    return ProofRefused{.fault = ProofFault::throttled,
                        .wait = wait,
                        .reason = Reason::second_factor_throttled,
                        .detail = "too many wrong codes; it ends in " + std::to_string(wait.count()) + " s"};
}

Verdict compare(oauth::Context& context, const model::Subject& subject, const factor::TypedCode& code,
                const store::CodeState& state) {
    if (auto throttled = find_throttle(state, context.now())) return *std::move(throttled);
    if (!context.keys.has_factor_key())
        return unreadable(Reason::temporarily_unavailable_no_factor_key,
                          "factor.key is missing, so that no code can be checked: restore it from a backup, or run "
                          "`postern key repair`, then start login and account again");
    Verdict verdict = code.kind == factor::CodeKind::app ? check_app(context, subject, code.digits)
                                                         : check_recovery(context, subject, code.digits);
    if (!verdict) return verdict;
    verdict->is_place_known = state.place == store::CodePlace::known;
    verdict->ends_lock = verdict->is_place_known && state.other.in_a_row >= kFailuresToLock;
    return verdict;
}

void count_failure(db::Transaction& transaction, const oauth::Context& context, const model::Subject& subject,
                   store::CodePlace place) {
    const std::int64_t failures = store::count_code_failure(transaction, subject, place);
    if (failures % kFailuresToWait == 0)
        store::delay_codes(transaction, subject, place,
                           context.now() + wait_after(failures, context.settings.login.window));
}

/// One transaction for a user at a time: parallel guesses must not all have passed the throttle.
Verdict compare_and_count(const CodeAttempt& attempt, const factor::TypedCode& code) {
    oauth::Context& context = attempt.context;
    const model::Subject& subject = attempt.half.subject;
    const std::string place =
        success_keys(context, store::find_username(context.store, subject), attempt.address).code_place;
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::lock_user(transaction, subject);
        const auto state = store::find_code_state(context.store, subject, place, context.now());
        Verdict verdict = compare(context, subject, code, state);
        if (!verdict && verdict.error().fault == ProofFault::wrong) {
            count_failure(transaction, context, subject, state.place);
            note_failed_step(context, transaction, attempt.browser, subject, state.place == store::CodePlace::known);
            transaction.commit();
        }
        return verdict;
    });
}

/// Spends the code, clears the counter of its kind of place, and writes a line of the activity for a recovery code.
bool spend(const CodeAttempt& attempt, const RightCode& code, db::Transaction& transaction) {
    const util::Time now = attempt.context.now();
    const model::Subject& subject = attempt.half.subject;
    const bool is_spent = code.is_recovery ? store::spend_recovery_code(transaction, subject, code.code_hash, now)
                                           : store::spend_totp_step(transaction, subject, code.step, now);
    if (!is_spent) return false;
    // Not both without need: each login of the owner would give a guesser elsewhere ten more tries.
    if (code.ends_lock) store::clear_code_failures(transaction, subject);
    store::clear_code_failures(transaction, subject,
                               code.is_place_known ? store::CodePlace::known : store::CodePlace::other);
    if (code.is_recovery)
        note_activity(attempt.context, transaction, attempt.browser, subject, model::ActivityKind::recovery_code_used);
    return true;
}

/// For the audit log.
void note_recovery_code(const CodeAttempt& attempt) {
    const auto left = store::find_factors(attempt.context.store, attempt.half.subject).unused_codes;
    attempt.context.trail.add(
        audit::Event::recovery_code_used,
        {audit::subject(attempt.half.subject), audit::client(attempt.client), {"left", std::to_string(left)}});
}

}  // namespace

bool has_live_codes(oauth::Context& context, const model::Subject& subject) {
    return context.keys.has_factor_key() &&
           store::has_unused_code_under(context.store, subject, factor::code_key_name(context.keys.factor_key()));
}

ProofResult attempt_code(const CodeAttempt& attempt, const std::string& typed) {
    const factor::TypedCode code = factor::parse_code(typed);
    const bool is_code = code.kind == factor::CodeKind::app || code.kind == factor::CodeKind::recovery;
    const Verdict verdict = is_code ? compare_and_count(attempt, code)
                                    : Verdict(wrong(Reason::second_factor_failed, "neither six nor sixteen digits"));
    if (!verdict) {
        ProofRefused refused = verdict.error();
        refused.subject = attempt.half.subject;
        return refused;
    }
    Proof proof{.subject = attempt.half.subject, .how = model::with_code(attempt.done)};
    proof.spend = [attempt, right = *verdict](db::Transaction& transaction) {
        return spend(attempt, right, transaction);
    };
    proof.by_recovery_code = verdict->is_recovery;
    if (proof.by_recovery_code) proof.note = [attempt] { note_recovery_code(attempt); };
    return proof;
}

}  // namespace postern::login
