// Whose account is it, and may it be changed now?
#include "web/account/visit.h"

#include "http/url.h"
#include "store/users.h"

namespace postern::web {
namespace {

struct DoneText {
    AccountDone what;
    Form form;              ///< of the page that says it
    std::string_view word;  ///< in the address
    const char* text;
};
constexpr DoneText kDone[] = {
    {AccountDone::password_changed, Form::account_password, "password-changed",
     "Your password is changed. You are signed out everywhere else."},
    {AccountDone::app_on, Form::account_app, "app-on", "Your app is on."},
    {AccountDone::app_removed, Form::account_app, "app-removed", "Your app is removed."},
    {AccountDone::codes_shown_once, Form::account_codes, "codes-shown-once",
     "Recovery codes are shown once. If you have not kept them, make new ones."},
    {AccountDone::signed_out, Form::account_devices, "signed-out", "That device is signed out."},
    {AccountDone::signed_out_elsewhere, Form::account_devices, "signed-out-elsewhere",
     "You are signed out everywhere else."},
    {AccountDone::access_removed, Form::account_applications, "access-removed",
     "The application has no access any more."},
};

/// The token is of browser, session and form; the page is not about any other request.
constexpr const char* kNoRequest = "";

std::string text_of(std::string_view word, Form form) {
    for (const DoneText& row : kDone)
        if (row.word == word && row.form == form) return row.text;
    return "";
}

/// The form can be had again at the page.
http::Response refuse(const AccountVisit& visit, PageFault fault, const std::string& detail) {
    RefusalFacts facts{"", detail, visit.context().settings.issuer, visit.url()};
    return refusal_page(visit.interaction.pages, visit.request(), fault, facts);
}

}  // namespace

AccountFrame frame_of(const AccountVisit& visit) {
    const oauth::Settings& settings = visit.context().settings;
    AccountFrame frame;
    frame.overview = settings.url(settings.paths.account.value());
    if (settings.oidc && settings.paths.logout) frame.logout = settings.url(*settings.paths.logout);
    frame.done = text_of(visit.request().query.find("done").value_or(""), visit.form);
    frame.action = visit.url();
    frame.csrf = csrf_token(visit.context(), visit.form, visit.interaction.browser, kNoRequest);
    return frame;
}

http::Response with_browser_id(AccountVisit& visit, const std::function<http::Response()>& make) {
    http::Response cookies;
    ensure_browser_id(visit.context(), visit.interaction.browser, cookies);
    http::Response response = make();
    for (const auto& [name, value] : cookies.headers) response.add(name, value);
    return response;
}

std::optional<http::Response> refuse_stale_login(AccountVisit& visit) {
    const util::Seconds allowed = visit.context().settings.account.reauthentication;
    if (visit.context().now() - visit.session.auth_time < allowed) return std::nullopt;
    return log_in_for_account(visit.interaction, visit.page,
                              store::find_username(visit.context().store, visit.subject()));
}

std::optional<http::Response> refuse_foreign_form(AccountVisit& visit) {
    if (is_own_form(visit.context(), visit.form, visit.interaction.browser, kNoRequest, visit.request()))
        return std::nullopt;
    return refuse(visit, PageFault::account_form_foreign,
                  "the csrf field is missing or does not belong to this browser, session and page");
}

http::Response refuse_malformed_form(const AccountVisit& visit, const std::string& detail) {
    return refuse(visit, PageFault::account_form_malformed, detail);
}

http::Response done(const AccountVisit& visit, AccountDone what) {
    for (const DoneText& row : kDone)
        if (row.what == what) return http::see_other(http::with_query(visit.url(), {{"done", std::string(row.word)}}));
    return http::see_other(visit.url());
}

}  // namespace postern::web
