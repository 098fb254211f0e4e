// What a person is told when a request ends on a page of ours: one table.
#include "web/refusal_page.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace postern::web {
namespace {

struct PageText {
    PageFault fault;
    int status;
    const char* code;  ///< our own word, for the log and `postern why`
    const char* title;
    const char* message;
    const char* who;
};

constexpr const char* kAppOwner = "The people who run the application can fix this. Tell them the request id below.";
constexpr const char* kStartAgain = "Go back to the application and sign in again.";
constexpr const char* kOpenPageAgain = "Open the page of your account again.";
constexpr const char* kSignOutAgain = "Go back to the application and sign out there again.";

constexpr PageText kPageTexts[] = {
    {PageFault::request_malformed, 400, "request_malformed", "This sign-in link is damaged",
     "The application sent a request that cannot be read, so it was not answered.", kAppOwner},
    {PageFault::client_missing, 400, "client_missing", "The application did not say who it is",
     "The sign-in request came without a client_id, so nothing was sent anywhere.", kAppOwner},
    {PageFault::client_unknown, 400, "client_unknown", "This application is not known here",
     "The sign-in request names an application that is not registered at this server.", kAppOwner},
    {PageFault::client_disabled, 400, "client_disabled", "This application has been switched off",
     "The administrator of this server has disabled sign-in for the application.",
     "The administrator of this server can enable it again."},
    {PageFault::redirect_missing, 400, "redirect_missing", "The application did not say where to return",
     "The sign-in request has no redirect_uri, and the application has not registered exactly one.", kAppOwner},
    {PageFault::redirect_unregistered, 400, "redirect_unregistered", "The return address is not registered",
     "The application asked for your sign-in to be sent to an address that it has not registered, so nothing was sent "
     "there.",
     kAppOwner},
    // One page for whatever was wrong with the document: differences would tell what this server can reach.
    {PageFault::document_refused, 400, "client_document_refused", "This application could not be identified",
     "Its name is a web address, and what this server finds there does not describe an application that it accepts.",
     kAppOwner},
    {PageFault::document_busy, 503, "client_document_busy", "Too many applications are being looked up",
     "This server looks at the web address that names the application, and has looked at many in this minute.",
     "Wait a minute and try again."},
    {PageFault::document_changed, 400, "client_document_changed", "The application has changed",
     "What it says about itself has changed while you were signing in, so nothing was sent to it.", kStartAgain},
    {PageFault::document_no_room, 503, "client_document_no_room", "No more applications can be added",
     "This server keeps a limited number of applications of this kind, in all and for each user, and has reached it.",
     "The administrator of this server can make room."},
    {PageFault::document_error, 400, "client_document_error",
     "The application asked for something that is not possible",
     "It could not be signed in to, and would be told so at {host}. The administrator of this server has not checked "
     "this application.",
     "Go there only if you know the application and have just used it."},
    {PageFault::resume_missing, 400, "resume_missing", "There is nothing to sign in to yet",
     "This page continues a sign-in that an application started, and no application has started one.",
     "Open the application you want to use and sign in from there."},
    {PageFault::resume_invalid, 400, "resume_invalid", "This sign-in cannot be continued",
     "The link is incomplete or was not made by this server.", kStartAgain},
    {PageFault::resume_expired, 400, "resume_expired", "This sign-in took too long",
     "For your safety a sign-in that was started must be finished within some minutes.", kStartAgain},
    {PageFault::cookie_missing, 400, "cookie_missing", "Your browser sent no cookie",
     "Signing in needs a cookie, and yours did not come back. Either your browser blocks cookies, or the sign-in was "
     "opened under another address than this server's own, which is {issuer} (127.0.0.1 and localhost are two "
     "addresses, and so are http and https).",
     "Allow cookies for this site, then go back to the application and sign in again. If it happens with every "
     "browser, "
     "the people who run the application must send you to the address above."},
    {PageFault::other_browser, 400, "other_browser", "This sign-in was started elsewhere",
     "The link belongs to another browser or device. If somebody sent it to you, do not use it.", kStartAgain},
    {PageFault::already_used, 400, "already_used", "This sign-in is finished already",
     "Its result was given to the application once, and it is given once only.",
     "Go back to the application. If you are not signed in there, try again."},
    {PageFault::form_foreign, 403, "form_foreign", "This form is out of date",
     "It was not shown to you in this browser, or you have signed in again since it was. Nothing was changed.",
     kStartAgain},
    {PageFault::form_malformed, 400, "form_malformed", "The form could not be read",
     "A field is missing, was sent twice, or holds characters that cannot be typed. Nothing was changed.", kStartAgain},
    {PageFault::too_busy, 503, "too_busy", "Too many people are signing in at this moment",
     "Checking a password takes a moment, and the server is busy with other sign-ins. Nothing was changed.",
     "Wait some seconds and try again."},
    {PageFault::remote_user_missing, 403, "remote_user_missing", "The web server did not say who you are",
     "Here the web server signs people in before this page is reached, and it let you through without a name.",
     "The administrator of this server can fix this: at this address the web server must ask every user to sign in, "
     "and pass the name on as REMOTE_USER together with AUTH_TYPE, or in the variable that login.remoteUserVariable "
     "names."},
    {PageFault::remote_user_unusable, 403, "remote_user_unusable", "Your account name cannot be used here",
     "The web server has signed you in under a name that is too long or holds characters that cannot be shown.",
     "The administrator of this server can have the web server pass on another attribute of your account."},
    {PageFault::account_unknown, 403, "account_unknown", "Your account is not known here",
     "The web server has signed you in, but no user with that name is registered at this server.",
     "The administrator of this server can add you. Tell them your user name and the request id below."},
    {PageFault::account_disabled, 403, "account_disabled", "Your account has been switched off",
     "The web server has signed you in, but your account at this server is disabled.",
     "The administrator of this server can enable it again."},
    {PageFault::access_refused, 403, "access_refused", "{user} may not use {client}",
     "You are signed in as {user}. This application is for certain people here, and this account is not one of them.",
     "The administrator of this server or the people who run the application can give you access."},
    {PageFault::second_factor_missing, 403, "second_factor_missing", "Your account needs a second factor",
     "Your password was right. This sign-in also needs a passkey or an authenticator app, and your account has neither.",
     "The administrator of this server can make a link for you: within 30 minutes of using it you can set one up. Tell them "
     "your user name and the request id below."},
    {PageFault::password_change_missing, 403, "password_change_missing", "You need a new password",
     "Your password was right. It must be changed before you can sign in with it, and that cannot be done here.",
     "The administrator of this server can give you another password. Tell them your user name and the request id below."},
    {PageFault::passkey_suspended, 403, "passkey_suspended", "Your passkey is suspended",
     "Your password was right. This sign-in also needs your passkey, which is not accepted any more because a copy of it "
     "may exist.",
     "The administrator of this server can let it count again, or let you add another one. Tell them your user name and "
     "the request id below."},
    {PageFault::account_form_foreign, 403, "account_form_foreign", "This form is out of date",
     "It was not shown to you in this browser, or you were signed out after it was. Nothing was changed.",
     kOpenPageAgain},
    {PageFault::account_form_malformed, 400, "account_form_malformed", "The form could not be read",
     "A field is missing, was sent twice, or holds characters that cannot be typed. Nothing was changed.",
     kOpenPageAgain},
    // One page whatever is wrong with it (LINK-5): a guess learns nothing.
    {PageFault::link_not_good, 400, "link_not_good", "This link is no longer good",
     "It works once and for a limited time. It has been used, it has expired, a newer one has taken its place, or a part "
     "of it is missing. Nothing was changed.",
     "If you have chosen a password with it, sign in with that. Otherwise the administrator of this server can give you a "
     "new link."},
    {PageFault::link_form_foreign, 403, "link_form_foreign", "This form is out of date",
     "It was not shown to you in this browser, or your browser keeps no cookies for this site. Nothing was changed.",
     "Open the link again."},
    {PageFault::link_form_malformed, 400, "link_form_malformed", "The form could not be read",
     "A field is missing, was sent twice, or holds characters that cannot be typed. Nothing was changed.",
     "Open the link again."},
    {PageFault::logout_malformed, 400, "logout_malformed", "This sign-out link is damaged",
     "The application sent a request that cannot be read. You were not signed out.", kAppOwner},
    {PageFault::logout_hint_invalid, 400, "logout_hint_invalid", "This sign-out link cannot be trusted",
     "It refers to a sign-in that this server does not recognise. You were not signed out.", kAppOwner},
    {PageFault::logout_client_mismatch, 400, "logout_client_mismatch", "This sign-out link contradicts itself",
     "It names one application and carries the proof of another. You were not signed out.", kAppOwner},
    {PageFault::logout_redirect_unregistered, 400, "logout_redirect_unregistered",
     "The return address is not registered",
     "The application asked for you to be sent, after signing out, to an address that it has not registered. You were "
     "not signed out.",
     kAppOwner},
    {PageFault::logout_resume_invalid, 400, "logout_resume_invalid", "This sign-out cannot be continued",
     "The link is incomplete or was not made by this server. You were not signed out.", kSignOutAgain},
    {PageFault::logout_resume_expired, 400, "logout_resume_expired", "This sign-out took too long",
     "For your safety a question that was left open for some minutes is not acted upon. You were not signed out.",
     kSignOutAgain},
    {PageFault::logout_form_foreign, 403, "logout_form_foreign", "This form is out of date",
     "It was not shown to you in this browser, or you have signed in again since it was. You were not signed out.",
     kSignOutAgain},
};

const PageText& page_text(PageFault fault) {
    for (const PageText& row : kPageTexts)
        if (row.fault == fault) return row;
    throw std::logic_error("page fault without a row");
}

/// The text with what stands for its marks, which is not looked at again: a name can look like a mark.
std::string filled(std::string_view text, const RefusalFacts& facts) {
    const std::pair<std::string_view, const std::string&> marks[] = {{"{issuer}", facts.issuer},
                                                                     {"{client}", facts.client_name},
                                                                     {"{user}", facts.username},
                                                                     {"{host}", facts.host}};
    std::string result;
    while (!text.empty()) {
        const auto* found = std::ranges::find_if(marks, [&](const auto& each) { return text.starts_with(each.first); });
        if (found == std::end(marks)) {
            result += text.front();
            text.remove_prefix(1);
        } else {
            result += found->second;
            text.remove_prefix(found->first.size());
        }
    }
    return result;
}

/// In a line of the log, which has the client in a member of its own, and no names of persons.
const RefusalFacts& without_names() {
    static const RefusalFacts facts{.client_id = {},
                                    .detail = {},
                                    .issuer = {},
                                    .try_again = {},
                                    .client_name = "the application",
                                    .username = "the user"};
    return facts;
}

PageFault page_fault(oauth::RedirectFault fault) {
    switch (fault) {
        case oauth::RedirectFault::malformed:
            return PageFault::request_malformed;
        case oauth::RedirectFault::client_missing:
            return PageFault::client_missing;
        case oauth::RedirectFault::client_unknown:
            return PageFault::client_unknown;
        case oauth::RedirectFault::client_disabled:
            return PageFault::client_disabled;
        case oauth::RedirectFault::redirect_missing:
            return PageFault::redirect_missing;
        case oauth::RedirectFault::redirect_unregistered:
            return PageFault::redirect_unregistered;
        case oauth::RedirectFault::document_refused:
            return PageFault::document_refused;
        case oauth::RedirectFault::document_busy:
            return PageFault::document_busy;
        case oauth::RedirectFault::document_changed:
            return PageFault::document_changed;
    }
    throw std::logic_error("redirect fault without a page");
}

}  // namespace

http::Response refusal_page(const Pages& pages, const http::Request& request, PageFault fault,
                            const RefusalFacts& facts) {
    const PageText& text = page_text(fault);
    http::Response response = pages.error(ErrorPage{.status = text.status,
                                                    .title = filled(text.title, facts),
                                                    .message = filled(text.message, facts),
                                                    .who = text.who,
                                                    .request_id = request.id,
                                                    .try_again = facts.try_again,
                                                    .other_account = facts.other_account,
                                                    .back = facts.back,
                                                    .client_name = facts.client_name});
    if (text.status == 503) response.set("Retry-After", "5");
    response.refusal = http::Refusal{text.code, filled(text.title, without_names()), facts.detail, facts.client_id};
    return response;
}

http::Response refusal_page(const Pages& pages, const http::Request& request, const oauth::RedirectRefusal& refusal) {
    return refusal_page(pages, request, page_fault(refusal.fault),
                        {.client_id = refusal.client_id, .detail = refusal.log_detail, .issuer = {}, .try_again = {}});
}

}  // namespace postern::web
