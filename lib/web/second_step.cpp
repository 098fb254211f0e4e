// The second page of a login: shows the form, checks the code or the passkey, completes the login.
#include "web/second_step.h"

#include <algorithm>

#include "db/write.h"
#include "http/url.h"
#include "login/activity.h"
#include "login/code_check.h"
#include "login/password_check.h"
#include "oauth/acr.h"
#include "oauth/sealed_request.h"
#include "store/factors.h"
#include "store/users.h"
#include "text/shown_time.h"
#include "web/csrf.h"
#include "web/half_login.h"
#include "web/login.h"
#include "web/passkey_check.h"
#include "web/remembered_device.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kMethod = "second_factor";
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

/// Whose password was right is still there, enabled, and has the factors and the password of then.
bool is_as_it_was(oauth::Context& context, const model::HalfLogin& half) {
    const auto user = store::find_user(context.store, half.subject);
    return user && user->enabled && store::find_stamp(context.store, half.subject) == half.stamp;
}

std::string username_of(const Interaction& interaction, const model::HalfLogin& half) {
    return store::find_username(interaction.context.store, half.subject);
}

/// Only where a code would help: the user has one to give, has not given one yet, and it is not a passkey that is
/// needed.
bool asks_for_code(const Interaction& interaction, const LoginVisit& visit) {
    const model::HalfLogin& half = *visit.request.half_login;
    if (demanded_by(visit) >= model::Level::phishing_resistant) return false;
    const auto done = model::methods_of(half.done.amr);
    if (std::ranges::find(done, "otp") != done.end()) return false;
    const store::Factors factors = store::find_factors(interaction.context.store, half.subject);
    return factors.app || factors.unused_codes > 0;
}

http::Response form(Interaction& interaction, const LoginVisit& visit, const text::Message& message, int status = 200) {
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
    page.passkey = offer_passkey_step(interaction, visit);
    if (remembers_devices(settings) && !visit.request.half_login->must_change_password)
        page.remembered_until = text::shown_time(interaction.context.now() + settings.login.remember_device);
    page.remember = interaction.request.form.find("remember").has_value();
    page.code = asks_for_code(interaction, visit) || page.passkey.options.empty();
    return interaction.pages().second_step(page, status);
}

void note_refusal(Interaction& interaction, const LoginVisit& visit, audit::Event event, const std::string& reason) {
    interaction.context.trail.add(event, {{"reason", reason},
                                          audit::subject(visit.request.half_login->subject),
                                          audit::client(visit.request.client_id)});
}

http::Response refuse_code(Interaction& interaction, const LoginVisit& visit, const login::CodeVerdict& verdict) {
    const bool waits = verdict.outcome == login::CodeOutcome::throttled;
    const bool counts = waits || verdict.outcome == login::CodeOutcome::locked;
    note_refusal(interaction, visit,
                 counts ? audit::Event::second_factor_throttled : audit::Event::second_factor_failed,
                 verdict.log_detail);
    http::Response response = waits    ? form(interaction, visit, login::wait_message(verdict.wait), 429)
                              : counts ? form(interaction, visit, kLocked, 429)
                                       : form(interaction, visit, kWrong);
    if (waits) response.set("Retry-After", std::to_string(verdict.wait.count()));
    response.refusal = http::Refusal{verdict.reason, "the form for a code was shown again", verdict.log_detail,
                                     visit.request.client_id.str()};
    return response;
}

/// TOTP-11: it is not the code that is wrong, and what else the user has still works. An error of this server is no
/// failure of the user: it is in the log, not in the audit log.
http::Response refuse_unreadable(Interaction& interaction, const LoginVisit& visit, const login::CodeVerdict& verdict) {
    interaction.context.log.error("store_failed", {{"id", interaction.request.id}, {"reason", verdict.log_detail}});
    const char* other_kind = verdict.kind == factor::CodeKind::app ? kAppUnreadable : kRecoveryUnreadable;
    http::Response response = form(interaction, visit, verdict.other_kind_works ? other_kind : kCodesUnreadable, 503);
    response.refusal = http::Refusal{verdict.reason, "the form for a code was shown again", verdict.log_detail,
                                     visit.request.client_id.str()};
    return response;
}

http::Response refuse_passkey(Interaction& interaction, const LoginVisit& visit, const PasskeyVerdict& verdict) {
    const bool waits = verdict.outcome == PasskeyOutcome::throttled;
    note_refusal(interaction, visit, waits ? audit::Event::second_factor_throttled : audit::Event::second_factor_failed,
                 verdict.log_detail);
    http::Response response = waits ? form(interaction, visit, login::wait_message(verdict.wait), 429)
                                    : form(interaction, visit, kPasskeyRefused);
    if (waits) response.set("Retry-After", std::to_string(verdict.wait.count()));
    response.refusal =
        http::Refusal{waits ? refusal::Reason::login_throttled : refusal::Reason::passkey_refused,
                      "the form for a passkey was shown again", verdict.log_detail, visit.request.client_id.str()};
    return response;
}

http::Response start_over_changed(Interaction& interaction, const LoginVisit& visit) {
    if (!interaction.context.settings.login.has_page()) return start_over(interaction, visit);
    LoginVisit again = visit;
    again.request.half_login.reset();
    again.sealed = oauth::seal_request(interaction.context, again.request, interaction.browser.binding());
    keep_typed_name(interaction.context, *visit.request.half_login, again.request);
    return show_first_step(interaction, again, kChanged);
}

/// What was right a moment ago is not any more: the login begins again.
http::Response ask_for_password_again(Interaction& interaction, const LoginVisit& visit) {
    note_refusal(interaction, visit, audit::Event::second_factor_failed, kMeanwhile);
    return start_over_changed(interaction, visit);
}

/// What was proved before. Another tab may have raised the session since this page was asked for.
model::Authentication done_before(const Interaction& interaction, const model::HalfLogin& half) {
    const auto& session = interaction.browser.session;
    if (!half.sid.empty() && session && session->sid == half.sid) return session->how;
    return half.done;
}

/// Behind a second half after which a new password comes: it is spent, and no session begins (PASSWORD-5).
std::optional<http::Response> go_on_to_new_password(Interaction& interaction, const LoginVisit& visit,
                                                    const model::Authentication& how, const SpendSecondHalf& spend) {
    const model::HalfLogin& half = *visit.request.half_login;
    const bool is_spent = db::write(interaction.context.store, db::Durability::full, [&](db::Transaction& transaction) {
        const auto user = store::find_user_to_change(transaction, half.subject);
        if (!user || !user->enabled) return false;
        if (store::find_stamp(transaction.database(), half.subject) != half.stamp) return false;
        if (!spend(transaction)) return false;
        transaction.commit();
        return true;
    });
    if (!is_spent) return std::nullopt;
    interaction.context.trail.add(audit::Event::new_password_asked,
                                  {audit::subject(half.subject), audit::client(visit.request.client_id)});
    model::HalfLogin proved = half;
    proved.done = how;
    return continue_with_half(interaction, visit.request, std::move(proved), SecondHalf::none);
}

/// The answer to a second half that was right. nullopt: something has changed meanwhile, and nothing is written.
std::optional<http::Response> complete(Interaction& interaction, const LoginVisit& visit,
                                       const model::Authentication& how, const SpendSecondHalf& spend) {
    oauth::Context& context = interaction.context;
    if (visit.request.half_login->must_change_password) return go_on_to_new_password(interaction, visit, how, spend);
    const bool is_wanted = interaction.request.form.find("remember") && remembers_devices(context.settings);
    std::optional<DeviceCookie> device;
    const auto started = complete_login(interaction, visit, how, [&](db::Transaction& transaction) {
        if (!spend(transaction)) return false;
        if (is_wanted) device = remember_this_device(interaction, transaction, visit.request.half_login->subject);
        return true;
    });
    if (!started) return std::nullopt;
    login::note_login(context, *started, kMethod, visit.request.client_id);
    http::Response response = go_on_with(interaction, visit, *started);
    if (!device) return response;
    context.trail.add(audit::Event::device_remembered,
                      {audit::subject(started->session.subject), audit::client(visit.request.client_id),
                       audit::session(started->session.sid)});
    send_device(interaction, *device, response);
    return response;
}

/// CODE-4: behind one of the last recovery codes the way on leads past a page that says so.
void lead_past_few_codes(Interaction& interaction, const LoginVisit& visit, const login::CodeVerdict& verdict,
                         http::Response& response) {
    const model::HalfLogin& half = *visit.request.half_login;
    const bool says_so = verdict.kind == factor::CodeKind::recovery && !half.must_change_password &&
                         interaction.context.settings.paths.account &&
                         unused_codes(interaction.context, half.subject) <= store::kFewCodes;
    if (says_so)
        response.set("Location", http::with_query(first_page_url(interaction, visit), {{kFewCodesShown, "yes"}}));
}

http::Response submit_passkey(Interaction& interaction, const LoginVisit& visit) {
    oauth::Context& context = interaction.context;
    if (const auto faulty = faulty_passkey_field(interaction.request.form))
        return refuse_and_offer(interaction, pages::PageFault::form_malformed, visit.request, "field: " + *faulty);
    const PasskeyVerdict verdict = check_passkey(interaction, visit);
    if (verdict.outcome != PasskeyOutcome::accepted) return refuse_passkey(interaction, visit, verdict);
    const auto how = model::with_passkey(done_before(interaction, *visit.request.half_login));
    auto response = complete(interaction, visit, how, [&](db::Transaction& transaction) {
        return spend_passkey(transaction, verdict, context.now());
    });
    if (!response) return ask_for_password_again(interaction, visit);
    note_changed_passkey(interaction, visit, verdict);
    return *std::move(response);
}

}  // namespace

http::Response show_second_step(Interaction& interaction, const LoginVisit& visit) {
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

http::Response submit_second_step(Interaction& interaction, const LoginVisit& visit) {
    oauth::Context& context = interaction.context;
    const http::Params& sent = interaction.request.form;
    if (!is_own_form(context, Form::second_step, interaction.browser, visit.request.id, interaction.request))
        return refuse_and_offer(interaction, pages::PageFault::form_foreign, visit.request,
                                "the csrf field is missing or does not belong to this browser and request");
    const model::HalfLogin& half = *visit.request.half_login;
    if (!is_as_it_was(context, half)) return start_over_changed(interaction, visit);
    if (has_passkey(sent)) return submit_passkey(interaction, visit);
    const auto typed = sent.find_typed("code");
    if (!typed) return refuse_and_offer(interaction, pages::PageFault::form_malformed, visit.request, "field: code");

    const std::string place =
        login::success_keys(context, username_of(interaction, half), interaction.request.remote_address).code_place;
    const auto note = [&](db::Transaction& transaction, const login::CodeVerdict& wrong) {
        login::note_failed_step(context, transaction, interaction.browser, half.subject, wrong.is_place_known);
    };
    const login::CodeVerdict verdict = login::check_code(context, half.subject, *typed, place, note);
    if (verdict.outcome == login::CodeOutcome::unreadable) return refuse_unreadable(interaction, visit, verdict);
    if (verdict.outcome != login::CodeOutcome::right) return refuse_code(interaction, visit, verdict);

    const auto how = model::with_code(done_before(interaction, half));
    auto response = complete(interaction, visit, how, [&](db::Transaction& transaction) {
        if (!login::spend_code(transaction, half.subject, verdict, context.now())) return false;
        if (verdict.kind == factor::CodeKind::recovery)
            login::note_activity(context, transaction, interaction.browser, half.subject,
                                 model::Happened::recovery_code_used);
        return true;
    });
    if (!response) return ask_for_password_again(interaction, visit);
    if (verdict.kind == factor::CodeKind::recovery)
        context.trail.add(audit::Event::recovery_code_used,
                          {audit::subject(half.subject),
                           audit::client(visit.request.client_id),
                           {"left", std::to_string(unused_codes(context, half.subject))}});
    lead_past_few_codes(interaction, visit, verdict, *response);
    return *std::move(response);
}

}  // namespace postern::web
