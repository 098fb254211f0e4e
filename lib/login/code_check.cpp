// Decides whether a code is right, and when the next one is looked at.
#include "login/code_check.h"

#include <algorithm>
#include <utility>

#include "db/write.h"
#include "factor/recovery_code.h"
#include "factor/totp.h"
#include "factor/totp_seal.h"
#include "login/activity.h"
#include "login/password_check.h"
#include "store/code_failures.h"
#include "store/factors.h"
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

CodeVerdict wrong(Reason reason, std::string why) {
    return {.outcome = CodeOutcome::wrong, .log_detail = std::move(why), .reason = reason};
}
CodeVerdict unreadable(Reason reason, std::string why, bool other_kind_works = false) {
    return {.outcome = CodeOutcome::unreadable,
            .log_detail = std::move(why),
            .reason = reason,
            .other_kind_works = other_kind_works};
}

CodeVerdict wrong_code(const factor::TotpVerdict& verdict) {
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

CodeVerdict check_app(oauth::Context& context, const model::Subject& subject, const std::string& digits) {
    const auto row = store::find_totp(context.store, subject);
    if (!row) return wrong(Reason::second_factor_failed_no_app, "a code of an app, and the user has none");
    const auto secret = open_app(context, subject, row);
    if (!secret)
        return unreadable(Reason::temporarily_unavailable_other_factor_key,
                          "factor.key does not open the app's secret of user " + subject.str() +
                              ": restore the file from a backup, or run `postern user factors NAME --remove app`",
                          has_live_codes(context, subject));
    const factor::TotpVerdict verdict = factor::check_totp(*secret, digits, context.now(), row->last_step);
    if (verdict.outcome != factor::TotpOutcome::right) return wrong_code(verdict);
    return {.outcome = CodeOutcome::right, .step = verdict.step};
}

/// Whether all codes of the user that are left are of another factor.key.
bool has_dead_codes(oauth::Context& context, const model::Subject& subject) {
    return store::find_factors(context.store, subject).unused_codes > 0 && !has_live_codes(context, subject);
}

CodeVerdict check_recovery(oauth::Context& context, const model::Subject& subject, const std::string& digits) {
    std::string hash = factor::recovery_code_hash(context.keys.factor_key(), subject, digits);
    if (store::has_unused_code(context.store, subject, hash))
        return {.outcome = CodeOutcome::right, .code_hash = std::move(hash)};
    if (has_dead_codes(context, subject))
        return unreadable(Reason::temporarily_unavailable_other_codes_key,
                          "the recovery codes of user " + subject.str() +
                              " were made under another factor.key: restore the file from a backup, or run "
                              "`postern user factors NAME --remove codes`",
                          open_app(context, subject, store::find_totp(context.store, subject)).has_value());
    return wrong(Reason::second_factor_failed_recovery_code,
                 "a recovery code that the user does not have or has used before");
}

CodeVerdict compare(oauth::Context& context, const model::Subject& subject, const factor::TypedCode& code) {
    if (!context.keys.has_factor_key())
        return unreadable(Reason::temporarily_unavailable_no_factor_key,
                          "factor.key is missing, so that no code can be checked: restore it from a backup, or run "
                          "`postern key repair`, then start login and account again");
    return code.kind == factor::CodeKind::app ? check_app(context, subject, code.digits)
                                              : check_recovery(context, subject, code.digits);
}

/// Why nothing is looked at here and now; right when something is.
CodeVerdict check_throttle(const store::CodeState& state, util::Time now) {
    if (state.place == store::CodePlace::other && state.other.in_a_row >= kFailuresToLock)
        return {
            .outcome = CodeOutcome::locked,
            .log_detail = "too many wrong codes from places not known; `postern user factors NAME --resume` ends it",
            .reason = Reason::second_factor_throttled_everywhere};
    if (state.here().wait_until <= now) return {.outcome = CodeOutcome::right};
    const util::Seconds wait = state.here().wait_until - now;
    return {.outcome = CodeOutcome::throttled,
            .wait = wait,
            .log_detail = "too many wrong codes; it ends in " + std::to_string(wait.count()) + " s",
            .reason = Reason::second_factor_throttled};
}

std::int64_t count_failure(db::Transaction& transaction, const oauth::Context& context, const model::Subject& subject,
                           store::CodePlace place) {
    const std::int64_t failures = store::count_code_failure(transaction, subject, place);
    if (failures % kFailuresToWait == 0)
        store::delay_codes(transaction, subject, place,
                           context.now() + wait_after(failures, context.settings.login.window));
    return failures;
}

ProofFault fault_of(const CodeVerdict& verdict) {
    if (verdict.outcome == CodeOutcome::throttled) return ProofFault::throttled;
    if (verdict.outcome == CodeOutcome::locked) return ProofFault::locked;
    return verdict.outcome == CodeOutcome::unreadable ? ProofFault::unreadable : ProofFault::wrong;
}

StillWorks still_works(const CodeVerdict& verdict) {
    if (!verdict.other_kind_works) return StillWorks::nothing;
    return verdict.kind == factor::CodeKind::app ? StillWorks::recovery_codes : StillWorks::app;
}

/// Spends the code, with a line of the activity for a recovery code.
bool spend(const CodeAttempt& attempt, const CodeVerdict& verdict, db::Transaction& transaction) {
    if (!spend_code(transaction, attempt.half.subject, verdict, attempt.context.now())) return false;
    if (verdict.kind == factor::CodeKind::recovery)
        note_activity(attempt.context, transaction, attempt.browser, attempt.half.subject,
                      model::Happened::recovery_code_used);
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

CodeVerdict look_at_code(oauth::Context& context, const model::Subject& subject, const std::string& typed,
                         const std::string& place_key, const OnWrongCode& on_wrong) {
    const factor::TypedCode code = factor::parse_code(typed);
    CodeVerdict verdict = wrong(Reason::second_factor_failed, "neither six nor sixteen digits");
    const bool is_code = code.kind == factor::CodeKind::app || code.kind == factor::CodeKind::recovery;
    if (is_code) {
        // One transaction for a user at a time: parallel guesses must not all have passed the throttle.
        db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
            store::lock_user(transaction, subject);
            const auto state = store::find_code_state(context.store, subject, place_key, context.now());
            verdict = check_throttle(state, context.now());
            if (verdict.outcome == CodeOutcome::right) verdict = compare(context, subject, code);
            verdict.is_place_known = state.place == store::CodePlace::known;
            verdict.ends_lock = verdict.is_place_known && state.other.in_a_row >= kFailuresToLock;
            if (verdict.outcome != CodeOutcome::wrong) return;
            verdict.failures_in_row = count_failure(transaction, context, subject, state.place);
            if (on_wrong) on_wrong(transaction, verdict);
            transaction.commit();
        });
    }
    verdict.kind = code.kind;
    return verdict;
}

ProofResult attempt_code(const CodeAttempt& attempt, const std::string& typed) {
    oauth::Context& context = attempt.context;
    const model::Subject& subject = attempt.half.subject;
    const std::string place =
        success_keys(context, store::find_username(context.store, subject), attempt.address).code_place;
    const auto note_wrong = [&](db::Transaction& transaction, const CodeVerdict& wrong) {
        note_failed_step(context, transaction, attempt.browser, subject, wrong.is_place_known);
    };
    const CodeVerdict verdict = look_at_code(context, subject, typed, place, note_wrong);
    if (verdict.outcome != CodeOutcome::right)
        return ProofRefused{.fault = fault_of(verdict),
                            .wait = verdict.wait,
                            .reason = verdict.reason,
                            .detail = verdict.log_detail,
                            .subject = subject,
                            .still_works = still_works(verdict)};
    Proof proof{.subject = subject, .how = model::with_code(attempt.done)};
    proof.spend = [attempt, verdict](db::Transaction& transaction) { return spend(attempt, verdict, transaction); };
    proof.by_recovery_code = verdict.kind == factor::CodeKind::recovery;
    if (proof.by_recovery_code) proof.note = [attempt] { note_recovery_code(attempt); };
    return proof;
}

bool spend_code(db::Transaction& transaction, const model::Subject& subject, const CodeVerdict& verdict,
                util::Time now) {
    if (verdict.outcome != CodeOutcome::right) return false;
    const bool is_spent = verdict.kind == factor::CodeKind::app
                              ? store::spend_totp_step(transaction, subject, verdict.step, now)
                              : store::spend_recovery_code(transaction, subject, verdict.code_hash, now);
    if (!is_spent) return false;
    // Not both without need: each login of the owner would give a guesser elsewhere ten more tries.
    if (verdict.ends_lock) store::clear_code_failures(transaction, subject);
    store::clear_code_failures(transaction, subject,
                               verdict.is_place_known ? store::CodePlace::known : store::CodePlace::other);
    return true;
}

}  // namespace postern::login
