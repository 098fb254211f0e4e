// The login page: shows the form, checks the password, starts the session.
#include "web/login.h"

#include "crypto/digest.h"
#include "db/write.h"
#include "login/password_check.h"
#include "oauth/acr.h"
#include "oauth/client_id_url.h"
#include "pages/client_name.h"
#include "store/authorization_requests.h"
#include "store/factors.h"
#include "util/text.h"
#include "web/csrf.h"
#include "web/half_login.h"
#include "web/passkey_check.h"
#include "web/passkey_login.h"
#include "web/remembered_device.h"
#include "web/second_step.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kMethod = "password";
constexpr const char* kWithDevice = "remembered_device";
constexpr const char* kWrong = tr("That user name and password do not match. Check both and try again.");

constexpr const char* kTooLong = tr("That took too long. Enter your password again.");

constexpr std::string_view kAccountPurpose = "postern account v1";

/// Tells whether two attempts meant the same name, without keeping it: what is typed there may be a password. Only with
/// the key can a guess be compared with it.
std::string account_mark(const oauth::Context& context, const std::string& username) {
    const std::string key = crypto::hmac_sha256(context.keys.seal_key().reveal(), kAccountPurpose);
    return audit::short_digest(crypto::hmac_sha256(key, username));
}

/// What the login continues to, as the page names it.
text::Message name_of_destination(const LoginVisit& visit) {
    if (!visit.target) return tr("your account");
    // Anyone can publish a document under any name, and this page has no room to say so.
    if (visit.request.document) return text::Message::data(oauth::host_of_id(visit.request.client_id));
    return pages::client_name(visit.target->client());
}

/// Whether the message is about what was typed into the two fields (A11Y-3).
enum class Fields { fine, wrong };

http::Response form(Interaction& interaction, const LoginVisit& visit, const std::string& username,
                    const text::Message& message, int status = 200, Fields fields = Fields::fine) {
    pages::LoginPage page;
    page.client_name = name_of_destination(visit);
    page.action = interaction.context.settings.url(interaction.context.settings.paths.login);
    page.csrf = csrf_token(interaction.context, Form::login, interaction.browser, visit.request.id);
    page.resume = visit.sealed;
    page.username = username;
    page.message = message;
    page.fields_wrong = fields == Fields::wrong;
    page.passkey = offer_passkey_login(interaction, visit);
    const oauth::Settings& settings = interaction.context.settings;
    page.forgot = settings.offers_recovery() ? settings.url(*settings.paths.recover) : settings.branding.help;
    return interaction.pages().login(page, status);
}

/// What a right password led to.
struct Passed {
    std::optional<login::StartedSession> started;  ///< nullopt: a half is missing, and nothing was written
    SecondHalf missing = SecondHalf::none;
    bool must_change_password = false;
    std::int64_t stamp = 0;
    std::optional<DeviceCookie> device = {};  ///< that was used
};

/// The session, the mark that this request was logged in for, and the end of the old session: together or not at all.
/// nullopt when the user lost the right meanwhile.
std::optional<Passed> pass(Interaction& interaction, const LoginVisit& visit, const login::PasswordVerdict& verdict,
                           db::Transaction& transaction) {
    oauth::Context& context = interaction.context;
    const model::Subject& subject = verdict.named;
    const auto password = login::find_right_password(transaction, verdict);
    if (!password) return std::nullopt;
    const bool must_change = password->must_change && context.settings.login.keeps_passwords();
    std::optional<DeviceCookie> device;
    SecondHalf missing = SecondHalf::none;
    std::int64_t stamp = 0;
    if (oauth::highest_level(context.settings) > model::Level::password) {
        const auto state =
            store::find_second_factor(transaction.database(), subject, oauth::rp_id_of_second_factor(context.settings));
        missing = missing_half(context, state, visit);
        stamp = state.stamp;
        if (missing == SecondHalf::code && !must_change)
            device = use_remembered_device(interaction, transaction, visit, subject);
    } else if (must_change) {
        stamp = store::find_stamp(transaction.database(), subject);
    }
    if (must_change || (missing != SecondHalf::none && !device))
        return Passed{std::nullopt, missing, must_change, stamp};
    login::note_success(transaction, {verdict.failures_key, verdict.place_key}, context.now());
    model::Authentication how = model::by_password();
    how.remembered = device.has_value();
    Passed passed{
        .started = login::start_session(context, transaction, interaction.browser, subject, context.now(), how),
        .device = std::move(device)};
    if (visit.target)
        store::record_login(transaction, oauth::request_key(visit.request), subject, visit.request.expires_at);
    transaction.commit();
    return passed;
}

/// Durable, because the old cookie must stay dead. nullopt when the user lost the right meanwhile.
std::optional<http::Response> succeed(Interaction& interaction, const LoginVisit& visit,
                                      const login::PasswordVerdict& verdict) {
    oauth::Context& context = interaction.context;
    const auto passed = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        return pass(interaction, visit, verdict, transaction);
    });
    if (!passed) return std::nullopt;
    if (!passed->started) {
        context.trail.add(
            passed->missing == SecondHalf::none ? audit::Event::new_password_asked : audit::Event::second_factor_asked,
            {audit::subject(verdict.named), audit::client(visit.request.client_id)});
        model::HalfLogin half = begin_half_login(context, verdict.named, passed->stamp);
        half.must_change_password = passed->must_change_password;
        return continue_with_half(interaction, visit.request, std::move(half), passed->missing);
    }
    login::note_login(context, *passed->started, passed->device ? kWithDevice : kMethod, visit.request.client_id);
    http::Response response = go_on_with(interaction, visit, *passed->started);
    if (passed->device) send_device(interaction, *passed->device, response);
    return response;
}

void note_refusal(Interaction& interaction, audit::Event event, const LoginVisit& visit, const std::string& username,
                  const login::PasswordVerdict& verdict) {
    interaction.context.trail.add(event, {{"method", kMethod},
                                          {"reason", verdict.log_detail},
                                          audit::subject(verdict.named),
                                          {"account", account_mark(interaction.context, username)},
                                          audit::client(visit.request.client_id)});
}

http::Response refuse_form(Interaction& interaction, const LoginVisit& visit, const std::string& username,
                           const login::PasswordVerdict& verdict, const text::Message& problem) {
    const bool throttled = verdict.outcome == login::PasswordOutcome::throttled;
    note_refusal(interaction, throttled ? audit::Event::login_throttled : audit::Event::login_failed, visit, username,
                 verdict);
    http::Response response = throttled ? form(interaction, visit, username, login::wait_message(verdict.wait), 429)
                                        : form(interaction, visit, username, problem, 200, Fields::wrong);
    if (throttled) response.set("Retry-After", std::to_string(verdict.wait.count()));
    response.refusal =
        http::Refusal{throttled ? refusal::Reason::login_throttled : verdict.reason, "the login form was shown again",
                      verdict.log_detail, visit.request.client_id.str()};
    return response;
}

}  // namespace

http::Response show_first_step(Interaction& interaction, const LoginVisit& visit, const text::Message& message) {
    const std::string typed = interaction.request.form.find_typed("username").value_or("");
    return form(interaction, visit, typed.empty() ? visit.request.login_hint.value_or("") : typed, message);
}

http::Response show_login(Interaction& interaction) {
    ASSIGN_OR_RETURN(const auto visit, resume_login(interaction, interaction.request.query));
    if (auto used = refuse_if_used(interaction, visit.request)) return std::move(*used);
    if (auto few = show_few_codes(interaction, visit)) return std::move(*few);
    if (visit.request.half_login) return show_second_step(interaction, visit);
    if (visit.half_expired) return show_first_step(interaction, visit, kTooLong);
    // Only what the client sent itself: the `sub` of an old ID token must not be turned into a user name for its
    // holder.
    return form(interaction, visit, visit.request.login_hint.value_or(""), "");
}

http::Response submit_login(Interaction& interaction) {
    const http::Params& sent = interaction.request.form;
    ASSIGN_OR_RETURN(const auto visit, resume_login(interaction, sent));
    if (visit.request.half_login) return submit_second_step(interaction, visit);
    if (visit.half_expired) return show_first_step(interaction, visit, kTooLong);
    if (!is_own_form(interaction.context, Form::login, interaction.browser, visit.request.id, interaction.request))
        return refuse_and_offer(interaction, pages::PageFault::form_foreign, visit.request,
                                "the csrf field is missing or does not belong to this browser and request");
    if (interaction.request.query.find(pages::kLanguageParameter))
        return form(interaction, visit, sent.find_typed("username").value_or(""), "");
    if (has_passkey(sent)) return submit_passkey_login(interaction, visit);
    const auto typed = sent.find_typed("username");
    if (!typed || login::first_unreadable(sent, {"password"}))
        return refuse_and_offer(interaction, pages::PageFault::form_malformed, visit.request,
                                typed ? "field: password" : "field: username");
    const std::string& username = *typed;
    if (login::has_pasted_space(sent, "password"))
        return refuse_form(interaction, visit, username, {.log_detail = login::kPastedSpace},
                           login::pasted_space_message());
    login::PasswordVerdict verdict = login::attempt_login(interaction.context, username,
                                                          util::Secret(std::string(sent.find("password").value_or(""))),
                                                          interaction.request.remote_address);
    if (verdict.outcome == login::PasswordOutcome::busy) {
        note_refusal(interaction, audit::Event::login_overloaded, visit, username, verdict);
        return refuse_and_offer(interaction, pages::PageFault::too_busy, visit.request, verdict.log_detail);
    }
    if (verdict.outcome == login::PasswordOutcome::right) {
        if (auto response = succeed(interaction, visit, verdict)) return std::move(*response);
        verdict.outcome = login::PasswordOutcome::wrong;
        verdict.log_detail = "the password was changed or the user disabled while this login waited";
    }
    return refuse_form(interaction, visit, username, verdict, kWrong);
}

}  // namespace postern::web
