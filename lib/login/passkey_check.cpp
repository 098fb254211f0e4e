// Decides whether a passkey lets its owner in. Its signature comes before all that the server knows of
// it: a browser without the passkey learns nothing about it.
#include "login/passkey_check.h"

#include <array>
#include <utility>

#include "db/write.h"
#include "json/writer.h"
#include "login/activity.h"
#include "login/passkey_setup.h"
#include "login/password_check.h"
#include "oauth/acr.h"
#include "oauth/cors.h"
#include "oauth/sealed_request.h"
#include "store/factors.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "util/base64.h"

namespace postern::login {
namespace {

factor::PasskeyRole role_in(const model::AuthorizationRequest& asked) {
    return asked.half_login ? factor::PasskeyRole::second_step : factor::PasskeyRole::alone;
}

/// The use of a challenge on the page of that login: the first page has no half login, and no subject.
ChallengeUse use_at(const Browser& browser, const model::AuthorizationRequest& asked) {
    return {.ceremony = factor::Ceremony::assertion,
            .browser = browser,
            .subject = asked.half_login ? asked.half_login->subject : model::Subject(),
            .occasion = oauth::request_key(asked).str()};
}

/// In the order of factor::AssertionResponse.
constexpr std::array kFields = {"id", "client_data", "authenticator_data", "signature", "user_handle"};

/// The fields of the form, decoded; a field that is missing is empty.
using Fields = std::array<std::string, kFields.size()>;

std::optional<Fields> decode_fields(const http::Params& sent) {
    Fields fields;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        auto decoded = util::base64url_decode(sent.find(kFields[i]).value_or(""));
        if (!decoded) return std::nullopt;
        fields[i] = std::move(*decoded);
    }
    return fields;
}

/// Why a passkey whose signature is right is not accepted; "": it is.
std::string why_unfit(const PasskeyAttempt& attempt, const store::Passkey& passkey) {
    const oauth::Settings& settings = attempt.context.settings;
    const auto& half = attempt.asked.half_login;
    if (half && passkey.subject != half->subject) return "the passkey is of another user than the password";
    if (!oauth::offers_passkeys(settings)) return "passkeys are switched off (login.passkeys)";
    if (!half && settings.login.passkeys != Passkeys::login) return "a passkey alone is no login here (login.passkeys)";
    if (half && settings.login.second_factor == SecondFactor::off)
        return "second factors are switched off (login.secondFactor)";
    if (passkey.rp_id != settings.login.rp_id) return "the passkey was made for another RP ID (login.rpId)";
    if (passkey.suspended_at) return "the passkey is suspended";
    const auto user = store::find_user(attempt.context.store, passkey.subject);
    if (!user || !user->enabled) return "the user is disabled";
    return "";
}

/// False, and nothing is written: the same answer was accepted before. A form that is sent twice has the counter of its
/// first time, which tells of no copy.
bool suspend(const PasskeyAttempt& attempt, const store::Passkey& passkey, const Challenge& challenge) {
    oauth::Context& context = attempt.context;
    const bool is_new = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::lock_user(transaction, passkey.subject);
        if (!store::spend_challenge(transaction, challenge.bytes, challenge.expires_at)) return false;
        store::suspend_passkey(transaction, passkey.credential_id, context.now());
        note_activity(context, transaction, attempt.browser, passkey.subject, model::ActivityKind::passkey_suspended,
                      passkey.name);
        transaction.commit();
        return true;
    });
    if (!is_new) return false;
    context.trail.add(audit::Event::passkey_suspended, {audit::subject(passkey.subject),
                                                        audit::client(attempt.asked.client_id),
                                                        {"passkey", audit::short_digest(passkey.credential_id)}});
    return true;
}

/// Whether the passkey was used for another login between the challenge and its answer: of two tabs the one that was
/// answered first may send later. A copy that waits so long is refused as well, and suspended at its next challenge:
/// docs/decisions/0108.
bool was_used_since(const store::Passkey& passkey, const Challenge& challenge) {
    return passkey.last_used_at && *passkey.last_used_at > challenge.issued_at;
}

/// Counts behind a right password alone: another passkey does not tell whose login it was to be.
void note_failure(const PasskeyAttempt& attempt, db::Transaction& transaction) {
    if (!attempt.asked.half_login) return;
    oauth::Context& context = attempt.context;
    const model::Subject& subject = attempt.asked.half_login->subject;
    const std::string place =
        success_keys(context, store::find_username(context.store, subject), attempt.request.remote_address).code_place;
    const bool is_known = store::find_attempts(context.store, {place}, context.now()).front().until > context.now();
    note_failed_step(context, transaction, attempt.browser, subject, is_known);
}

/// Why an answer is refused, and how far this server had to look at it.
struct Refused {
    std::string why;
    bool has_challenge = false;                            ///< it came with a challenge of this page
    std::optional<store::Passkey> passkey = std::nullopt;  ///< it named, and this server looked at its signature
};

/// The counter tells of a copy, or of an answer that came late or twice.
std::string refuse_counter(const PasskeyAttempt& attempt, const store::Passkey& passkey, const Challenge& challenge) {
    if (was_used_since(passkey, challenge))
        return "the counter of the passkey has not grown, after another login since the challenge";
    if (!suspend(attempt, passkey, challenge)) return "the challenge was spent before";
    return "the counter of the passkey has not grown, so there may be a copy of it; it is suspended";
}

util::Result<AcceptedPasskey, Refused> judge(const PasskeyAttempt& attempt) {
    oauth::Context& context = attempt.context;
    const http::Params& sent = attempt.request.form;
    auto challenge =
        open_challenge(context, sent.find("challenge").value_or(""), use_at(attempt.browser, attempt.asked));
    if (!challenge)
        return Refused{challenge.error() == ChallengeFault::expired ? "the challenge has expired"
                                                                    : "the challenge is not one of this page"};
    const auto fields = decode_fields(sent);
    if (!fields) return Refused{"a field of the passkey is not base64url", true};
    const auto& [id, client_data, authenticator_data, signature, user_handle] = *fields;
    const factor::AssertionResponse response{id, client_data, authenticator_data, signature, user_handle};
    auto found = store::find_passkey(context.store, response.id);
    if (!found) return Refused{"no user has that passkey", true};

    const std::string handle = store::find_handle(context.store, found->subject);
    const std::string origin = oauth::origin_of(context.settings.issuer).value_or("");
    const auto use = factor::verify_assertion(
        response, {.credential_id = found->credential_id, .cose_key = found->cose_key, .user_handle = handle},
        {.challenge = challenge->bytes, .origin = origin, .rp_id = found->rp_id}, role_in(attempt.asked));
    if (!use) return Refused{std::string(factor::describe(use.error())), true, std::move(found)};
    if (std::string why = why_unfit(attempt, *found); !why.empty()) return Refused{why, true, std::move(found)};
    if (!factor::has_counter_grown(static_cast<std::uint32_t>(found->sign_count), use->sign_count)) {
        std::string why = refuse_counter(attempt, *found, *challenge);
        return Refused{std::move(why), true, std::move(found)};
    }
    return AcceptedPasskey{std::move(*found), *use, std::move(*challenge)};
}

/// Writes what a refusal means.
void settle(const PasskeyAttempt& attempt, const Refused& refused) {
    oauth::Context& context = attempt.context;
    const auto note = [&](db::Transaction& transaction) { note_failure(attempt, transaction); };
    if (refused.passkey) return count_address_failure(context, attempt.request.remote_address, note);
    if (!refused.has_challenge || !attempt.asked.half_login) return;
    db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        note(transaction);
        transaction.commit();
    });
}

/// For the audit log: what the passkey says of itself is another thing than before.
void note_changed(const oauth::Context& context, const model::ClientId& client, const AcceptedPasskey& accepted) {
    const store::Passkey& passkey = accepted.passkey;
    if (passkey.backup_eligible == accepted.use.backup_eligible) return;
    context.trail.add(audit::Event::passkey_changed,
                      {audit::subject(passkey.subject),
                       audit::client(client),
                       {"passkey", audit::short_digest(passkey.credential_id)},
                       audit::yes_or_no("backup_eligible", accepted.use.backup_eligible)});
}

PasskeyOffer offer(oauth::Context& context, const Browser& browser, const model::AuthorizationRequest& asked,
                   const char* user_verification, json::Array allowed) {
    SealedChallenge challenge = make_challenge(context, use_at(browser, asked), asked.expires_at);
    const json::Object options{{"challenge", util::base64url_encode(challenge.bytes)},
                               {"rpId", context.settings.login.rp_id},
                               {"timeout", kCeremonyTimeout},
                               {"userVerification", user_verification},
                               {"allowCredentials", std::move(allowed)}};
    return {.options = json::write(options), .challenge = std::move(challenge.sealed)};
}

}  // namespace

PasskeyOffer offer_passkey_login(oauth::Context& context, const Browser& browser,
                                 const model::AuthorizationRequest& asked) {
    const oauth::Settings& settings = context.settings;
    if (!oauth::offers_passkeys(settings) || settings.login.passkeys != Passkeys::login) return {};
    return offer(context, browser, asked, "required", {});
}

PasskeyOffer offer_passkey_step(oauth::Context& context, const Browser& browser,
                                const model::AuthorizationRequest& asked) {
    const std::string_view rp_id = oauth::rp_id_of_second_factor(context.settings);
    if (rp_id.empty()) return {};
    json::Array allowed;
    for (const store::Passkey& passkey : store::list_passkeys(context.store, asked.half_login.value().subject))
        if (passkey.rp_id == rp_id && !passkey.suspended_at) allowed.push_back(passkey_descriptor(passkey));
    if (allowed.empty()) return {};
    return offer(context, browser, asked, "discouraged", std::move(allowed));
}

bool has_passkey(const http::Params& sent) { return !sent.find("client_data").value_or("").empty(); }

std::optional<std::string> faulty_passkey_field(const http::Params& sent) {
    return sent.first_fault({"challenge", "id", "client_data", "authenticator_data", "signature", "user_handle"});
}

ProofResult attempt_passkey(const PasskeyAttempt& attempt) {
    oauth::Context& context = attempt.context;
    if (const auto wait = find_address_wait(context, attempt.request.remote_address)) {
        const std::string why =
            "too many failed logins for this address; it ends in " + std::to_string(wait->count()) + " s";
        return ProofRefused{
            .fault = ProofFault::throttled, .wait = *wait, .reason = refusal::Reason::login_throttled, .detail = why};
    }
    auto accepted = judge(attempt);
    if (!accepted) {
        const Refused& refused = accepted.error();
        settle(attempt, refused);
        return ProofRefused{.reason = refusal::Reason::passkey_refused,
                            .detail = refused.why,
                            .subject = refused.passkey ? refused.passkey->subject : model::Subject()};
    }
    const model::ClientId& client = attempt.asked.client_id;
    return Proof{
        .subject = accepted->passkey.subject,
        .how = attempt.asked.half_login ? model::with_passkey(attempt.done) : model::by_passkey(),
        .spend = [accepted = *accepted, &context](
                     db::Transaction& transaction) { return spend_passkey(transaction, accepted, context.now()); },
        .note = [accepted = *accepted, &context, client] { note_changed(context, client, accepted); },
        .stamp = store::find_stamp(context.store, accepted->passkey.subject)};
}

bool spend_passkey(db::Transaction& transaction, const AcceptedPasskey& accepted, util::Time now) {
    const factor::PasskeyUse& use = accepted.use;
    if (!store::spend_challenge(transaction, accepted.challenge.bytes, accepted.challenge.expires_at)) return false;
    if (!store::use_passkey(transaction, accepted.passkey.credential_id, use.sign_count, use.backup_eligible,
                            use.backed_up, now))
        return false;
    store::clear_code_failures(transaction, accepted.passkey.subject);
    return true;
}

}  // namespace postern::login
