// Whose account is it, and may it be changed now?
#include "web/account/visit.h"

#include <stdexcept>

#include "http/url.h"
#include "login/complete.h"
#include "oauth/acr.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

using text::tr;

struct DoneText {
    AccountDone what;
    Form form;              ///< of the page that says it
    std::string_view word;  ///< in the address
    const char* text;
};
constexpr DoneText kDone[] = {
    {AccountDone::password_changed, Form::account_password, "password-changed",
     tr("Your password is changed. You are signed out everywhere else.")},
    {AccountDone::app_on, Form::account_app, "app-on", tr("Your app is on.")},
    {AccountDone::app_removed, Form::account_app, "app-removed", tr("Your app is removed.")},
    {AccountDone::passkey_added, Form::account_passkeys, "passkey-added", tr("Your passkey is added.")},
    {AccountDone::passkey_named, Form::account_passkeys, "passkey-named", tr("Your passkey has its new name.")},
    {AccountDone::passkey_removed, Form::account_passkeys, "passkey-removed", tr("Your passkey is removed.")},
    {AccountDone::codes_shown_once, Form::account_codes, "codes-shown-once",
     tr("Recovery codes are shown once. If you have not kept them, make new ones.")},
    {AccountDone::signed_out, Form::account_devices, "signed-out", tr("That device is signed out.")},
    {AccountDone::signed_out_elsewhere, Form::account_devices, "signed-out-elsewhere",
     tr("You are signed out everywhere else.")},
    {AccountDone::device_forgotten, Form::account_devices, "device-forgotten",
     tr("On that device you are asked for the second step again.")},
    {AccountDone::access_removed, Form::account_applications, "access-removed",
     tr("The application has no access any more.")},
    {AccountDone::profile_changed, Form::account_profile, "profile-changed", tr("Your profile is changed.")},
    {AccountDone::email_asked, Form::account_profile, "email-asked",
     tr("A message is on its way to the new e-mail address. The address counts once you have opened the link in it.")},
};

const DoneText& row_of(AccountDone what) {
    for (const DoneText& row : kDone)
        if (row.what == what) return row;
    throw std::logic_error("a change of the account without a text");
}

/// The token is of browser, session and form; the page is not about any other request.
constexpr const char* kNoRequest = "";

text::Message text_of(std::string_view word, Form form) {
    for (const DoneText& row : kDone)
        if (row.word == word && row.form == form) return row.text;
    return "";
}

/// The form can be had again at the page.
http::Response refuse(const AccountVisit& visit, refusal::Reason fault, const std::string& detail) {
    pages::RefusalFacts facts{"", detail, visit.context().settings.issuer, visit.url()};
    return pages::refusal_page(visit.interaction.pages(), visit.request(), fault, facts);
}

util::Time login_time_of(const AccountVisit& visit) {
    return login::login_time_of(login::policy_of(visit.context().settings), visit.session);
}

bool is_too_old(const AccountVisit& visit) {
    const util::Seconds allowed = visit.context().settings.account.reauthentication;
    return visit.context().now() - login_time_of(visit) >= allowed;
}

http::Response log_in_again(AccountVisit& visit) {
    const bool has_page = visit.context().settings.login.has_page();
    return log_in_for_account(visit.interaction,
                              has_page ? visit.page : http::with_query(visit.page, {{kAfterNewLogin, "yes"}}),
                              store::find_username(visit.context().store, visit.subject()));
}

/// What the login of a session has to be worth.
using Demand = model::Level (*)(const AccountVisit& visit, const store::SecondFactorState& user);

model::Level demanded_of_user(const AccountVisit& visit, const store::SecondFactorState& user) {
    const oauth::Context& context = visit.context();
    return login::standing_of(login::policy_of(context.settings), user, context.now(), visit.session.how).demanded;
}

model::Level what_the_user_has(const AccountVisit&, const store::SecondFactorState& user) {
    return user.available || user.suspended ? model::Level::second_factor : model::Level::unknown;
}

/// The user's own state is read only where it could matter.
std::optional<http::Response> refuse_below(AccountVisit& visit, Demand demanded) {
    oauth::Context& context = visit.context();
    const model::Level level = visit.session.how.level;
    if (level >= oauth::highest_level(context.settings)) return std::nullopt;
    const auto user = factors_of(visit);
    if (level >= demanded(visit, user)) return std::nullopt;
    auto answer = raise_login(visit.interaction, account_request(context, visit.page), nullptr, user);
    return answer ? std::move(*answer) : log_in_again(visit);
}

}  // namespace

AccountFrame frame_of(const AccountVisit& visit) {
    const oauth::Settings& settings = visit.context().settings;
    AccountFrame frame;
    frame.overview = settings.url(settings.paths.account.value());
    frame.logout = settings.logout_url().value_or("");
    frame.done = text_of(visit.request().query.find("done").value_or(""), visit.form);
    frame.action = visit.url();
    frame.csrf = csrf_token(visit.context(), visit.form, visit.interaction.browser, kNoRequest);
    return frame;
}

HalfLoginFrame frame_of(Interaction& interaction, const LoginVisit& visit, Form form, const char* suffix) {
    const oauth::Settings& settings = interaction.context.settings;
    return {.username = store::find_username(interaction.context.store, visit.request.half_login->subject),
            .action = settings.url(*settings.paths.account + suffix),
            .csrf = csrf_token(interaction.context, form, interaction.browser, visit.request.id),
            .resume = visit.sealed,
            .other_account = first_page_url(interaction, visit)};
}

std::optional<http::Response> refuse_weak_login(AccountVisit& visit) { return refuse_below(visit, demanded_of_user); }

std::optional<http::Response> refuse_stale_login(AccountVisit& visit) {
    if (is_too_old(visit)) return log_in_again(visit);
    return refuse_below(visit, what_the_user_has);
}

bool is_too_old_again(const AccountVisit& visit) {
    const bool asked = !visit.context().settings.login.has_page() && visit.request().query.find(kAfterNewLogin);
    return asked && is_too_old(visit);
}

bool knows_login_time(const AccountVisit& visit) { return login_time_of(visit) != model::kAuthTimeUnknown; }

store::SecondFactorState factors_of(const AccountVisit& visit) {
    const oauth::Context& context = visit.context();
    return store::find_second_factor(context.store, visit.subject(), oauth::rp_id_of_second_factor(context.settings));
}

bool must_have_second_factor(const AccountVisit& visit, const store::SecondFactorState& user) {
    const oauth::Context& context = visit.context();
    const auto standing = login::standing_of(login::policy_of(context.settings), user, context.now());
    return standing.demanded >= model::Level::second_factor;
}

bool needs_link(const AccountVisit& visit) {
    const login::LoginPolicy policy = login::policy_of(visit.context().settings);
    if (policy.may_enrol == login::MayEnrol::everybody) return false;
    const auto user = factors_of(visit);
    return !user.available && !user.suspended && !login::standing_of(policy, user, visit.context().now()).may_enrol;
}

std::optional<http::Response> refuse_foreign_form(AccountVisit& visit) {
    const auto why =
        find_form_fault(visit.context(), visit.form, visit.interaction.browser, kNoRequest, visit.request());
    return why ? std::optional(refuse(visit, refusal::Reason::account_form_foreign, *why)) : std::nullopt;
}

http::Response refuse_malformed_form(const AccountVisit& visit, const std::string& detail) {
    return refuse(visit, refusal::Reason::account_form_malformed, detail);
}

http::Response done(const AccountVisit& visit, AccountDone what) {
    return http::see_other(http::with_query(visit.url(), {{"done", std::string(row_of(what).word)}}));
}

void note_ended(const AccountVisit& visit, const std::vector<store::EndedSession>& all) {
    for (const store::EndedSession& ended : all)
        visit.context().trail.add(audit::Event::session_ended, {audit::subject(visit.subject()),
                                                                audit::session(ended.sid),
                                                                {"grants_ended", std::to_string(ended.grants)},
                                                                {"by", "user"}});
}

text::Message message_of(AccountDone what) { return row_of(what).text; }

}  // namespace postern::web
