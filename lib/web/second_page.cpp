// The second page of a login: shows the form, checks the code or the passkey, completes the login.
#include <optional>

#include "http/url.h"
#include "login/code_check.h"
#include "login/passkey_check.h"
#include "login/password_check.h"
#include "oauth/sealed_request.h"
#include "store/factors.h"
#include "store/users.h"
#include "text/message.h"
#include "web/csrf.h"
#include "web/login_pages.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kMethod = "second_factor";
/// In the query of the login page: a session has just been started, with one of the last recovery codes.
constexpr const char* kFewCodesShown = "few_codes";
constexpr const char* kWrong = tr("That code was not accepted. Wait for the next one in your app and try again.");
constexpr const char* kLocked =
    tr("There were too many wrong codes. Sign in with a device that you have used before, or ask the administrator.");
constexpr const char* kAppUnreadable =
    tr("Your authenticator app cannot be checked at present. Use a recovery code, or ask your administrator.");
constexpr const char* kRecoveryUnreadable =
    tr("Recovery codes cannot be checked at present. Use a code of your authenticator app, or ask your administrator.");
constexpr const char* kCodesUnreadable = tr("Codes cannot be checked at present. Ask your administrator.");
constexpr const char* kMeanwhile =
    "the code or the passkey was used, or the user or the session changed, while this login waited";
constexpr const char* kChanged = tr("Your account has changed meanwhile. Enter your password again.");

std::int64_t unused_codes(oauth::Context& context, const model::Subject& subject) {
    return store::find_factors(context.store, subject).unused_codes;
}

std::string username_of(const Interaction& interaction, const model::HalfLogin& half) {
    return store::find_username(interaction.context.store, half.subject);
}

/// Also where another step would come, because the user's factors have changed: an answer starts over then.
bool asks_for_code(const Interaction& interaction, const LoginVisit& visit) {
    const auto step = find_login_step(interaction, interaction.context.store, visit);
    const auto* ask = std::get_if<login::AskSecondFactor>(&step);
    return ask == nullptr || ask->code;
}

http::Response form(Interaction& interaction, const LoginVisit& visit, const text::Message& message) {
    const oauth::Settings& settings = interaction.context.settings;
    pages::SecondStepPage page;
    page.username = username_of(interaction, *visit.request.half_login);
    page.action = settings.url(settings.paths.login);
    page.csrf = csrf_token(interaction.context, Form::second_step, interaction.browser, visit.request.id);
    page.resume = visit.sealed;
    // The web server would name the same user again.
    if (settings.login.has_page()) page.other_account = first_page_url(interaction, visit);
    page.message = message;
    page.has_codes = login::has_live_codes(interaction.context, visit.request.half_login->subject);
    page.passkey = login::offer_passkey_step(interaction.context, interaction.browser, visit.request);
    if (login::policy_of(settings).remembers_devices && !visit.request.half_login->must_change_password)
        page.remembered_until = text::shown_time(interaction.context.now() + settings.login.remember_device);
    page.remember = interaction.request.form.find("remember").has_value();
    page.code = asks_for_code(interaction, visit) || page.passkey.options.empty();
    return interaction.pages().second_step(page, 200);
}

void note_refusal(Interaction& interaction, const LoginVisit& visit, audit::Event event, const std::string& reason) {
    interaction.context.trail.add(event, {{"reason", reason},
                                          audit::subject(visit.request.half_login->subject),
                                          audit::client(visit.request.client_id)});
}

text::Message message_of(const login::ProofRefused& refused) {
    switch (refused.fault) {
        case login::ProofFault::throttled:
            return login::wait_message(refused.wait);
        case login::ProofFault::locked:
            return kLocked;
        case login::ProofFault::unreadable:
            return refused.still_works == login::StillWorks::recovery_codes ? kAppUnreadable
                   : refused.still_works == login::StillWorks::app          ? kRecoveryUnreadable
                                                                            : kCodesUnreadable;
        default:
            return kWrong;
    }
}

bool is_throttled(const login::ProofRefused& refused) {
    return refused.fault == login::ProofFault::throttled || refused.fault == login::ProofFault::locked;
}

/// The form again. TOTP-11: a code that is unreadable is not wrong, and what else the user has still works. An error of
/// this server is no failure of the user: it is in the log, not in the audit log.
http::Response refuse(Interaction& interaction, const LoginVisit& visit, const login::ProofRefused& refused,
                      const text::Message& message, const char* what_is_shown) {
    if (refused.fault == login::ProofFault::unreadable)
        interaction.context.log.error("store_failed", {{"id", interaction.request.id}, {"reason", refused.detail}});
    else
        note_refusal(interaction, visit,
                     is_throttled(refused) ? audit::Event::second_factor_throttled : audit::Event::second_factor_failed,
                     refused.detail);
    return answer_refused(form(interaction, visit, message), refused,
                          {refused.reason, what_is_shown, refused.detail, visit.request.client_id.str()});
}

http::Response start_over_changed(Interaction& interaction, const LoginVisit& visit) {
    if (!interaction.context.settings.login.has_page()) return start_over(interaction, visit);
    LoginVisit again = visit;
    again.request.half_login.reset();
    again.sealed = oauth::seal_request(interaction.context, again.request, interaction.browser.binding());
    keep_typed_name(interaction.context, *visit.request.half_login, again.request);
    return show_first_page(interaction, again, kChanged);
}

/// The account changed between the check and the write, so the login starts over.
http::Response ask_for_password_again(Interaction& interaction, const LoginVisit& visit) {
    note_refusal(interaction, visit, audit::Event::second_factor_failed, kMeanwhile);
    return start_over_changed(interaction, visit);
}

/// The factors that were proved before. Another tab may have raised the session since this page was asked for.
model::Authentication done_before(const Interaction& interaction, const model::HalfLogin& half) {
    const auto& session = interaction.browser.session;
    if (!half.sid.empty() && session && session->sid == half.sid) return session->how;
    return half.done;
}

/// Spends a second factor behind which a new password comes (PASSWORD-5). nullopt: something has changed meanwhile.
std::optional<http::Response> go_on_to_new_password(Interaction& interaction, const LoginVisit& visit,
                                                    const login::Proof& proof, const login::LoginStep& step) {
    const model::HalfLogin& half = *visit.request.half_login;
    if (!login::write_for_unchanged(interaction.context, half, proof.spend)) return std::nullopt;
    interaction.context.trail.add(audit::Event::new_password_asked,
                                  {audit::subject(half.subject), audit::client(visit.request.client_id)});
    LoginVisit proved = visit;
    proved.request.half_login->done = proof.how;
    return ask_for(interaction, std::move(proved.request), step);
}

/// Completes the login by a right second factor. nullopt: something has changed meanwhile, and nothing is written.
std::optional<http::Response> finish(Interaction& interaction, const LoginVisit& visit, const login::Proof& proof,
                                     const login::LoginStep& step) {
    oauth::Context& context = interaction.context;
    const model::Subject& subject = visit.request.half_login->subject;
    const bool is_wanted =
        interaction.request.form.find("remember") && login::policy_of(context.settings).remembers_devices;
    std::optional<login::DeviceCookie> device;
    const auto started = complete(interaction, visit, step, [&](db::Transaction& transaction) {
        if (!proof.spend(transaction)) return false;
        if (is_wanted) device = login::remember_device(context, transaction, interaction.browser, subject);
        return true;
    });
    if (!started) return std::nullopt;
    login::note_login(context, *started, kMethod, visit.request.client_id);
    http::Response response = go_on_with(interaction, visit, *started);
    if (!device) return response;
    context.trail.add(audit::Event::device_remembered, {audit::subject(subject), audit::client(visit.request.client_id),
                                                        audit::session(started->session.sid)});
    login::send_device(interaction.browser, *device, response);
    return response;
}

/// CODE-4: behind one of the last recovery codes the way on leads past a page that says so.
void lead_past_few_codes(Interaction& interaction, const LoginVisit& visit, http::Response& response) {
    const model::HalfLogin& half = *visit.request.half_login;
    const bool says_so = !half.must_change_password && interaction.context.settings.paths.account &&
                         unused_codes(interaction.context, half.subject) <= store::kFewCodes;
    if (says_so)
        response.set("Location", http::with_query(first_page_url(interaction, visit), {{kFewCodesShown, "yes"}}));
}

/// The answer to a second factor that was right.
http::Response accept(Interaction& interaction, const LoginVisit& visit, const login::Proof& proof) {
    const auto step = find_login_step(interaction, interaction.context.store, visit, proof.how);
    auto response = visit.request.half_login->must_change_password
                        ? go_on_to_new_password(interaction, visit, proof, step)
                        : finish(interaction, visit, proof, step);
    if (!response) return ask_for_password_again(interaction, visit);
    proof.note();
    if (proof.by_recovery_code) lead_past_few_codes(interaction, visit, *response);
    return *std::move(response);
}

http::Response submit_passkey(Interaction& interaction, const LoginVisit& visit) {
    if (const auto faulty = login::faulty_passkey_field(interaction.request.form))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request, "field: " + *faulty);
    const auto proof = login::attempt_passkey({interaction.context, interaction.browser, interaction.request,
                                               visit.request, done_before(interaction, *visit.request.half_login)});
    if (proof) return accept(interaction, visit, *proof);
    return refuse(interaction, visit, proof.error(),
                  is_throttled(proof.error()) ? message_of(proof.error()) : kPasskeyRefused,
                  "the form for a passkey was shown again");
}

http::Response submit_code(Interaction& interaction, const LoginVisit& visit) {
    const auto typed = interaction.request.form.find_typed("code");
    if (!typed) return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request, "field: code");
    const model::HalfLogin& half = *visit.request.half_login;
    const auto proof =
        login::attempt_code({interaction.context, interaction.browser, half, done_before(interaction, half),
                             visit.request.client_id, interaction.request.remote_address},
                            *typed);
    return proof ? accept(interaction, visit, *proof)
                 : refuse(interaction, visit, proof.error(), message_of(proof.error()),
                          "the form for a code was shown again");
}

}  // namespace

http::Response show_second_page(Interaction& interaction, const LoginVisit& visit) {
    return form(interaction, visit, "");
}

std::optional<http::Response> show_few_codes(Interaction& interaction, const LoginVisit& visit) {
    const auto& session = interaction.browser.session;
    const oauth::Settings& settings = interaction.context.settings;
    if (!interaction.request.query.find(kFewCodesShown) || !session || !settings.paths.account) return std::nullopt;
    const auto left = unused_codes(interaction.context, session->subject);
    pages::FewCodesPage page;
    page.left = text::Message::number(left);
    page.next = *continue_after_login(interaction, visit).find("Location");
    page.codes = settings.url(*settings.paths.account + "/codes");
    return interaction.pages().few_codes(page);
}

http::Response submit_second_page(Interaction& interaction, const LoginVisit& visit) {
    if (auto foreign = refuse_foreign_form(interaction, Form::second_step, visit.request)) return *std::move(foreign);
    if (!login::is_unchanged(interaction.context, *visit.request.half_login))
        return start_over_changed(interaction, visit);
    return login::has_passkey(interaction.request.form) ? submit_passkey(interaction, visit)
                                                        : submit_code(interaction, visit);
}

}  // namespace postern::web
