// Decides whether a passkey lets its owner in. Its signature comes before all that the server knows of
// it: a browser without the passkey learns nothing about it.
#include "web/passkey_check.h"

#include <array>
#include <utility>

#include "db/write.h"
#include "factor/transports.h"
#include "json/writer.h"
#include "login/activity.h"
#include "login/password_check.h"
#include "oauth/acr.h"
#include "oauth/cors.h"
#include "oauth/sealed_request.h"
#include "store/code_failures.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "util/base64.h"

namespace postern::web {
namespace {

constexpr std::int64_t kTimeout = 300000;  ///< milliseconds; the browser's own limit

/// A challenge is of one page: that of the login has no subject.
login::ChallengeUse use_of(const Interaction& interaction, const LoginVisit& visit) {
    const auto& half = visit.request.half_login;
    return {.ceremony = factor::Ceremony::assertion,
            .browser = interaction.browser,
            .subject = half ? half->subject : model::Subject(),
            .occasion = oauth::request_key(visit.request).str()};
}

factor::PasskeyRole role_in(const LoginVisit& visit) {
    return visit.request.half_login ? factor::PasskeyRole::second_step : factor::PasskeyRole::alone;
}

json::Value descriptor_of(const store::Passkey& passkey) {
    json::Object descriptor;
    descriptor.set("type", "public-key");
    descriptor.set("id", util::base64url_encode(passkey.credential_id));
    const auto transports = factor::parse_transports(passkey.transports);
    if (!transports.empty()) descriptor.set("transports", json::strings(transports));
    return descriptor;
}

pages::PasskeyOffer offer(Interaction& interaction, const LoginVisit& visit, const char* user_verification,
                          json::Array allowed) {
    oauth::Context& context = interaction.context;
    login::SealedChallenge challenge =
        login::make_challenge(context, use_of(interaction, visit), visit.request.expires_at);
    json::Object options;
    options.set("challenge", util::base64url_encode(challenge.bytes));
    options.set("rpId", context.settings.login.rp_id);
    options.set("timeout", kTimeout);
    options.set("userVerification", user_verification);
    options.set("allowCredentials", std::move(allowed));
    return {.options = json::write(options), .challenge = std::move(challenge.sealed)};
}

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

factor::AssertionResponse response_of(const Fields& fields) {
    return {.id = fields[0],
            .client_data = fields[1],
            .authenticator_data = fields[2],
            .signature = fields[3],
            .user_handle = fields[4]};
}

/// Why a passkey whose signature is right is not accepted; "": it is.
std::string why_unfit(const oauth::Context& context, const LoginVisit& visit, const store::Passkey& passkey) {
    const oauth::Settings& settings = context.settings;
    const auto& half = visit.request.half_login;
    if (half && passkey.subject != half->subject) return "the passkey is of another user than the password";
    if (!oauth::offers_passkeys(settings)) return "passkeys are switched off (login.passkeys)";
    if (!half && settings.login.passkeys != oauth::Passkeys::login)
        return "a passkey alone is no login here (login.passkeys)";
    if (half && settings.login.second_factor == oauth::SecondFactor::off)
        return "second factors are switched off (login.secondFactor)";
    if (passkey.rp_id != settings.login.rp_id) return "the passkey was made for another RP ID (login.rpId)";
    if (passkey.suspended_at) return "the passkey is suspended";
    const auto user = store::find_user(context.store, passkey.subject);
    if (!user || !user->enabled) return "the user is disabled";
    return "";
}

/// False, and nothing is written: the same answer was accepted before. A form that is sent twice has the counter of its
/// first time, which tells of no copy.
bool suspend(Interaction& interaction, const LoginVisit& visit, const store::Passkey& passkey,
             const login::Challenge& challenge) {
    oauth::Context& context = interaction.context;
    const bool is_new = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::lock_user(transaction, passkey.subject);
        if (!store::spend_challenge(transaction, challenge.bytes, challenge.expires_at)) return false;
        store::suspend_passkey(transaction, passkey.credential_id, context.now());
        login::note_activity(context, transaction, interaction.browser, passkey.subject,
                             model::Happened::passkey_suspended, passkey.name);
        transaction.commit();
        return true;
    });
    if (!is_new) return false;
    context.trail.add(audit::Event::passkey_suspended, {audit::subject(passkey.subject),
                                                        audit::client(visit.request.client_id),
                                                        {"passkey", audit::short_digest(passkey.credential_id)}});
    return true;
}

/// Whether the passkey was used for another login between the challenge and its answer: of two tabs the one that was
/// answered first may send later. A copy that waits so long is refused as well, and suspended at its next challenge:
/// docs/decisions/0108.
bool was_used_since(const store::Passkey& passkey, const login::Challenge& challenge) {
    return passkey.last_used_at && *passkey.last_used_at > challenge.issued_at;
}

/// Behind a right password alone: of another passkey nothing tells whose login it was to be.
void note_failure(Interaction& interaction, const LoginVisit& visit, db::Transaction& transaction) {
    if (!visit.request.half_login) return;
    oauth::Context& context = interaction.context;
    const model::Subject& subject = visit.request.half_login->subject;
    const std::string place =
        login::success_keys(context, store::find_username(context.store, subject), interaction.request.remote_address)
            .code_place;
    const bool is_known = store::find_attempts(context.store, {place}, context.now()).front().until > context.now();
    login::note_failed_step(context, transaction, interaction.browser, subject, is_known);
}

/// `log_detail` is empty when it is accepted.
PasskeyVerdict judge(Interaction& interaction, const LoginVisit& visit) {
    oauth::Context& context = interaction.context;
    const http::Params& sent = interaction.request.form;
    PasskeyVerdict verdict;
    const auto refuse = [&](std::string why) {
        verdict.log_detail = std::move(why);
        return std::move(verdict);
    };
    auto challenge = login::open_challenge(context, sent.find("challenge").value_or(""), use_of(interaction, visit));
    if (!challenge)
        return refuse(challenge.error() == login::ChallengeFault::expired ? "the challenge has expired"
                                                                          : "the challenge is not one of this page");
    verdict.has_challenge = true;
    const auto fields = decode_fields(sent);
    if (!fields) return refuse("a field of the passkey is not base64url");
    const factor::AssertionResponse response = response_of(*fields);
    auto passkey = store::find_passkey(context.store, response.id);
    if (!passkey) return refuse("no user has that passkey");
    verdict.passkey = std::move(*passkey);
    const store::Passkey& found = verdict.passkey;

    const std::string handle = store::find_handle(context.store, found.subject);
    const std::string origin = oauth::origin_of(context.settings.issuer).value_or("");
    const auto use = factor::verify_assertion(
        response, {.credential_id = found.credential_id, .cose_key = found.cose_key, .user_handle = handle},
        {.challenge = challenge->bytes, .origin = origin, .rp_id = found.rp_id}, role_in(visit));
    if (!use) return refuse(std::string(factor::describe(use.error())));
    if (std::string why = why_unfit(context, visit, found); !why.empty()) return refuse(std::move(why));
    if (!factor::has_counter_grown(static_cast<std::uint32_t>(found.sign_count), use->sign_count)) {
        if (was_used_since(found, *challenge))
            return refuse("the counter of the passkey has not grown, after another login since the challenge");
        if (!suspend(interaction, visit, found, *challenge)) return refuse("the challenge was spent before");
        return refuse("the counter of the passkey has not grown, so there may be a copy of it; it is suspended");
    }
    verdict.use = *use;
    verdict.challenge = std::move(*challenge);
    return verdict;
}

/// Writes what a refusal means.
void settle(Interaction& interaction, const LoginVisit& visit, const PasskeyVerdict& refused) {
    oauth::Context& context = interaction.context;
    const bool costs_signature = !refused.passkey.credential_id.empty();
    const auto note = [&](db::Transaction& transaction) { note_failure(interaction, visit, transaction); };
    if (costs_signature) return login::count_address_failure(context, interaction.request.remote_address, note);
    if (!refused.has_challenge || !visit.request.half_login) return;
    db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        note(transaction);
        transaction.commit();
    });
}

}  // namespace

pages::PasskeyOffer offer_passkey_login(Interaction& interaction, const LoginVisit& visit) {
    const oauth::Settings& settings = interaction.context.settings;
    if (!oauth::offers_passkeys(settings) || settings.login.passkeys != oauth::Passkeys::login) return {};
    return offer(interaction, visit, "required", {});
}

pages::PasskeyOffer offer_passkey_step(Interaction& interaction, const LoginVisit& visit) {
    const oauth::Settings& settings = interaction.context.settings;
    const std::string_view rp_id = oauth::rp_id_of_second_factor(settings);
    if (rp_id.empty()) return {};
    json::Array allowed;
    for (const store::Passkey& passkey :
         store::list_passkeys(interaction.context.store, visit.request.half_login.value().subject))
        if (passkey.rp_id == rp_id && !passkey.suspended_at) allowed.push_back(descriptor_of(passkey));
    if (allowed.empty()) return {};
    return offer(interaction, visit, "discouraged", std::move(allowed));
}

bool has_passkey(const http::Params& sent) { return !sent.find("client_data").value_or("").empty(); }

std::optional<std::string> faulty_passkey_field(const http::Params& sent) {
    return sent.first_fault({"challenge", "id", "client_data", "authenticator_data", "signature", "user_handle"});
}

PasskeyVerdict check_passkey(Interaction& interaction, const LoginVisit& visit) {
    oauth::Context& context = interaction.context;
    const std::string& address = interaction.request.remote_address;
    if (const auto wait = login::find_address_wait(context, address)) {
        const std::string why =
            "too many failed logins for this address; it ends in " + std::to_string(wait->count()) + " s";
        return {.outcome = PasskeyOutcome::throttled, .wait = *wait, .log_detail = why};
    }
    PasskeyVerdict verdict = judge(interaction, visit);
    if (verdict.log_detail.empty())
        verdict.outcome = PasskeyOutcome::accepted;
    else
        settle(interaction, visit, verdict);
    return verdict;
}

bool spend_passkey(db::Transaction& transaction, const PasskeyVerdict& verdict, util::Time now) {
    const factor::PasskeyUse& use = verdict.use;
    if (verdict.outcome != PasskeyOutcome::accepted) return false;
    if (!store::spend_challenge(transaction, verdict.challenge.bytes, verdict.challenge.expires_at)) return false;
    if (!store::use_passkey(transaction, verdict.passkey.credential_id, use.sign_count, use.backup_eligible,
                            use.backed_up, now))
        return false;
    store::clear_code_failures(transaction, verdict.passkey.subject);
    return true;
}

void note_changed_passkey(Interaction& interaction, const LoginVisit& visit, const PasskeyVerdict& verdict) {
    if (verdict.passkey.backup_eligible == verdict.use.backup_eligible) return;
    interaction.context.trail.add(audit::Event::passkey_changed,
                                  {audit::subject(verdict.passkey.subject),
                                   audit::client(visit.request.client_id),
                                   {"passkey", audit::short_digest(verdict.passkey.credential_id)},
                                   audit::yes_or_no("backup_eligible", verdict.use.backup_eligible)});
}

}  // namespace postern::web
