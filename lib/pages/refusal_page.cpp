// The pages on which a request ends: one table.
#include "pages/refusal_page.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace postern::pages {
namespace {

using refusal::Reason;
using text::tr;

struct PageText {
    Reason reason;
    int status;
    const char* title;
    const char* message;
    const char* who;
};

constexpr const char* kAppOwner =
    tr("The people who run the application can fix this. Tell them the request id below.");
constexpr const char* kStartAgain = tr("Go back to the application and sign in again.");
constexpr const char* kOpenPageAgain = tr("Open the page of your account again.");
constexpr const char* kSignOutAgain = tr("Go back to the application and sign out there again.");

constexpr PageText kPageTexts[] = {
    {Reason::request_malformed, 400, tr("This sign-in link is damaged"),
     tr("The application sent a request that cannot be read, so it was not answered."), kAppOwner},
    {Reason::client_missing, 400, tr("The application did not say who it is"),
     tr("The sign-in request came without a client_id, so nothing was sent anywhere."), kAppOwner},
    {Reason::client_unknown, 400, tr("This application is not known here"),
     tr("The sign-in request names an application that is not registered at this server."), kAppOwner},
    {Reason::client_disabled, 400, tr("This application has been switched off"),
     tr("The administrator of this server has disabled sign-in for the application."),
     tr("The administrator of this server can enable it again.")},
    {Reason::redirect_missing, 400, tr("The application did not say where to return"),
     tr("The sign-in request has no redirect_uri, and the application has not registered exactly one."), kAppOwner},
    {Reason::redirect_unregistered, 400, tr("The return address is not registered"),
     tr("The application asked for your sign-in to be sent to an address that it has not registered, so nothing was sent "
        "there."),
     kAppOwner},
    // One page for whatever was wrong with the document: differences would tell what this server can reach.
    {Reason::client_document_refused, 400, tr("This application could not be identified"),
     tr("Its name is a web address, and what this server finds there does not describe an application that it accepts."),
     kAppOwner},
    {Reason::client_document_busy, 503, tr("Too many applications are being looked up"),
     tr("This server looks at the web address that names the application, and has looked at many in this minute."),
     tr("Wait a minute and try again.")},
    {Reason::client_document_changed, 400, tr("The application has changed"),
     tr("What it says about itself has changed while you were signing in, so nothing was sent to it."), kStartAgain},
    {Reason::client_document_no_room, 503, tr("No more applications can be added"),
     tr("This server keeps a limited number of applications of this kind, in all and for each user, and has reached it."),
     tr("The administrator of this server can make room.")},
    {Reason::client_document_error, 400, tr("The application asked for something that is not possible"),
     tr("It could not be signed in to, and would be told so at {host}. The administrator of this server has not checked "
        "this application."),
     tr("Go there only if you know the application and have just used it.")},
    {Reason::invalid_request_uri, 400, tr("This sign-in cannot be continued"),
     tr("The link is incomplete or was not made by this server."), kStartAgain},
    {Reason::invalid_request_uri_expired, 400, tr("This sign-in took too long"),
     tr("For your safety a sign-in that was started must be finished within some minutes."), kStartAgain},
    {Reason::invalid_request_uri_used, 400, tr("This sign-in is finished already"),
     tr("Its result was given to the application once, and it is given once only."),
     tr("Go back to the application. If you are not signed in there, try again.")},
    {Reason::resume_missing, 400, tr("There is nothing to sign in to yet"),
     tr("This page continues a sign-in that an application started, and no application has started one."),
     tr("Open the application you want to use and sign in from there.")},
    {Reason::resume_invalid, 400, tr("This sign-in cannot be continued"),
     tr("The link is incomplete or was not made by this server."), kStartAgain},
    {Reason::resume_expired, 400, tr("This sign-in took too long"),
     tr("For your safety a sign-in that was started must be finished within some minutes."), kStartAgain},
    {Reason::session_cookie_missing, 400, tr("Your browser sent no cookie"),
     tr("Signing in needs a cookie, and yours did not come back. Either your browser blocks cookies, or the sign-in was "
        "opened under another address than this server's own, which is {issuer} (127.0.0.1 and localhost are two "
        "addresses, and so are http and https)."),
     tr("Allow cookies for this site, then go back to the application and sign in again. If it happens with every "
        "browser, "
        "the people who run the application must send you to the address above.")},
    // Most often a link that an application opened inside itself was opened again in the browser.
    {Reason::cookie_missing, 400, tr("This browser does not know this sign-in"),
     tr("It was started in another browser or inside an app. Or this browser blocks cookies, or the page was opened under "
        "another address than this server's own, which is {issuer} (127.0.0.1 and localhost are two addresses, and so are http "
        "and https)."),
     tr("If you started this sign-in yourself, you can start it again here. If this page comes again, allow cookies for this "
        "site. If you did not start it, or somebody sent you the link, do not continue: close this page.")},
    {Reason::other_browser, 400, tr("This sign-in was started elsewhere"),
     tr("It was started in another browser or on another device, perhaps inside an app, and it can be finished only there."),
     tr("If you started this sign-in yourself, you can start it again here. If you did not start it, or somebody sent you the "
        "link, do not continue: close this page.")},
    {Reason::already_used, 400, tr("This sign-in is finished already"),
     tr("Its result was given to the application once, and it is given once only."),
     tr("Go back to the application. If you are not signed in there, try again.")},
    {Reason::form_foreign, 403, tr("This form is out of date"),
     tr("It was not shown to you in this browser, or you have signed in again since it was. Nothing was changed."),
     kStartAgain},
    {Reason::form_malformed, 400, tr("The form could not be read"),
     tr("A field is missing, was sent twice, or holds characters that cannot be typed. Nothing was changed."),
     kStartAgain},
    {Reason::too_busy, 503, tr("Too many people are signing in at this moment"),
     tr("Checking a password takes a moment, and the server is busy with other sign-ins. Nothing was changed."),
     tr("Wait some seconds and try again.")},
    {Reason::remote_user_missing, 403, tr("The web server did not say who you are"),
     tr("Here the web server signs people in before this page is reached, and it let you through without a name."),
     tr("The administrator of this server can fix this: at this address the web server must ask every user to sign in, "
        "and pass the name on as REMOTE_USER together with AUTH_TYPE, or in the variable that login.remoteUserVariable "
        "names.")},
    {Reason::remote_user_unusable, 403, tr("Your account name cannot be used here"),
     tr("The web server has signed you in under a name that is too long or holds characters that cannot be shown."),
     tr("The administrator of this server can have the web server pass on another attribute of your account.")},
    {Reason::account_unknown, 403, tr("Your account is not known here"),
     tr("The web server has signed you in, but no user with that name is registered at this server."),
     tr("The administrator of this server can add you. Tell them your user name and the request id below.")},
    {Reason::account_disabled, 403, tr("Your account has been switched off"),
     tr("The web server has signed you in, but your account at this server is disabled."),
     tr("The administrator of this server can enable it again.")},
    {Reason::access_refused, 403, tr("{user} may not use {client}"),
     tr("You are signed in as {user}. This application is for certain people here, and this account is not one of them."),
     tr("The administrator of this server or the people who run the application can give you access.")},
    {Reason::second_factor_missing, 403, tr("Your account needs a second factor"),
     tr("Your password was right. This sign-in also needs a passkey or an authenticator app, and your account has neither."),
     tr("The administrator of this server can make a link for you: within 30 minutes of using it you can set one up. Tell them "
        "your user name and the request id below.")},
    {Reason::password_change_missing, 403, tr("You need a new password"),
     tr("Your password was right. It must be changed before you can sign in with it, and that cannot be done here."),
     tr("The administrator of this server can give you another password. Tell them your user name and the request id below.")},
    {Reason::passkey_suspended, 403, tr("Your passkey is suspended"),
     tr("Your password was right. This sign-in also needs your passkey, which is not accepted any more because a copy of it "
        "may exist."),
     tr("The administrator of this server can let it count again, or let you add another one. Tell them your user name and "
        "the request id below.")},
    {Reason::account_form_foreign, 403, tr("This form is out of date"),
     tr("It was not shown to you in this browser, or you were signed out after it was. Nothing was changed."),
     kOpenPageAgain},
    {Reason::account_form_malformed, 400, tr("The form could not be read"),
     tr("A field is missing, was sent twice, or holds characters that cannot be typed. Nothing was changed."),
     kOpenPageAgain},
    // One page whatever is wrong with it (LINK-5): a guess learns nothing.
    {Reason::link_not_good, 400, tr("This link is no longer good"),
     tr("It works once and for a limited time. It has been used, it has expired, a newer one has taken its place, or a part "
        "of it is missing. Nothing was changed."),
     tr("If you have chosen a password with it, sign in with that. Otherwise the administrator of this server can give you a "
        "new link.")},
    {Reason::link_form_foreign, 403, tr("This form is out of date"),
     tr("It was not shown to you in this browser, or your browser keeps no cookies for this site. Nothing was changed."),
     tr("Open the link again.")},
    {Reason::link_form_malformed, 400, tr("The form could not be read"),
     tr("A field is missing, was sent twice, or holds characters that cannot be typed. Nothing was changed."),
     tr("Open the link again.")},
    {Reason::unmet_authentication_requirements, 403, tr("Your sign-in is not strong enough"),
     tr("{client} can be opened only after a sign-in with a passkey, and your account has none."),
     tr("Add a passkey on the page of your account, then try again. If you cannot, tell the administrator of this server your user "
        "name and the request id below.")},
    {Reason::gate_user_untold, 403, tr("{client} cannot be told who you are"),
     tr("You may use it, but the name by which it knows its users, such as a verified e-mail address, is missing in your account "
        "or cannot be sent."),
     tr("The administrator of this server can fix this. Tell them your user name and the request id below.")},
    {Reason::gate_form_lost, 401, tr("You are not signed in any more"),
     tr("The form was not sent, and what you typed is not stored here."),
     tr("Sign in again. Then go back to the form, fill it in if it is empty, and send it once more.")},
    {Reason::device_login_unproved, 403, tr("Your sign-in could not be confirmed"),
     tr("A device gets access only if you have just signed in for it, and the web server here does not say that you have. "
        "Nothing was allowed."),
     tr("Sign out of the web server, then open this page again. If it happens each time, the administrator of this server can "
        "fix it.")},
    {Reason::logout_malformed, 400, tr("This sign-out link is damaged"),
     tr("The application sent a request that cannot be read. You were not signed out."), kAppOwner},
    {Reason::logout_hint_invalid, 400, tr("This sign-out link cannot be trusted"),
     tr("It refers to a sign-in that this server does not recognise. You were not signed out."), kAppOwner},
    {Reason::logout_client_mismatch, 400, tr("This sign-out link contradicts itself"),
     tr("It names one application and carries the proof of another. You were not signed out."), kAppOwner},
    {Reason::logout_redirect_unregistered, 400, tr("The return address is not registered"),
     tr("The application asked for you to be sent, after signing out, to an address that it has not registered. You were "
        "not signed out."),
     kAppOwner},
    {Reason::logout_resume_invalid, 400, tr("This sign-out cannot be continued"),
     tr("The link is incomplete or was not made by this server. You were not signed out."), kSignOutAgain},
    {Reason::logout_resume_expired, 400, tr("This sign-out took too long"),
     tr("For your safety a question that was left open for some minutes is not acted upon. You were not signed out."),
     kSignOutAgain},
    {Reason::logout_form_foreign, 403, tr("This form is out of date"),
     tr("It was not shown to you in this browser, or you have signed in again since it was. You were not signed out."),
     kSignOutAgain},
};

const PageText* find_page_text(Reason reason) {
    const auto* row = std::ranges::find(kPageTexts, reason, &PageText::reason);
    return row == std::end(kPageTexts) ? nullptr : row;
}

/// A case has the page of its error unless it has one of its own.
const PageText& page_text(Reason reason) {
    if (const PageText* own = find_page_text(reason)) return *own;
    if (const PageText* of_error = find_page_text(refusal::row_of(reason).error)) return *of_error;
    throw std::logic_error("refusal without a page");
}

/// A name can look like a placeholder: values are not looked at again.
text::Message filled(const char* text, const RefusalFacts& facts) {
    using text::Message;
    return {text,
            {{"issuer", Message::data(facts.issuer)},
             {"client", facts.client_name},
             {"user", Message::verbatim(facts.username)},
             {"host", Message::data(facts.host)}}};
}

/// For a line of the log, which has the client in a member of its own, and no names of persons.
std::string without_names(const char* text) {
    return text::Catalogue().say(filled(text, {.client_name = "the application", .username = "the user"}));
}

}  // namespace

http::Response refusal_page(const Pages& pages, const http::Request& request, Reason reason,
                            const RefusalFacts& facts) {
    const PageText& text = page_text(reason);
    http::Response response = pages.error(ErrorPage{.status = text.status,
                                                    .title = filled(text.title, facts),
                                                    .message = filled(text.message, facts),
                                                    .who = text.who,
                                                    .request_id = request.id,
                                                    .try_again = facts.try_again,
                                                    .sign_out = facts.sign_out,
                                                    .account = facts.account,
                                                    .recover = facts.recover,
                                                    .other_account = facts.other_account,
                                                    .back = facts.back,
                                                    .client_name = facts.client_name});
    if (text.status == 503) response.set("Retry-After", "5");
    response.refusal = http::Refusal{reason, without_names(text.title), facts.detail, facts.client_id};
    return response;
}

std::vector<Reason> reasons_with_page() {
    std::vector<Reason> reasons;
    for (const PageText& row : kPageTexts) reasons.push_back(row.reason);
    return reasons;
}

http::Response refusal_page(const Pages& pages, const http::Request& request, const oauth::RedirectRefusal& refusal) {
    return refusal_page(pages, request, refusal.reason, {.client_id = refusal.client_id, .detail = refusal.log_detail});
}

}  // namespace postern::pages
