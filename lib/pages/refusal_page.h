// What a person is told when a request ends on a page of ours: what happened, who can fix it.
#pragma once

#include <string>

#include "http/message.h"
#include "oauth/redirect_uri.h"
#include "pages/page.h"

namespace postern::pages {

enum class PageFault {
    request_malformed,
    client_missing,
    client_unknown,
    client_disabled,
    redirect_missing,
    redirect_unregistered,
    document_refused,  ///< the client's document cannot be read, or is not one to trust
    document_busy,     ///< too many documents are being fetched
    document_changed,  ///< since the sign-in was started
    document_no_room,  ///< `clientDocuments.max` are kept, or as many as one user may bring
    document_error,    ///< an error for an application that is not checked: the user decides whether to go there
    resume_missing,    ///< a page was opened without a request to resume
    resume_invalid,    ///< forged, cut, or sealed under an older key
    resume_expired,
    cookie_missing,          ///< the request was started in another browser, or in this one, which keeps no cookies
    session_cookie_missing,  ///< the cookie of a login that was whole a moment ago did not come back
    other_browser,           ///< the request was started in another browser
    already_used,
    form_foreign,  ///< CSRF: not a form of ours, or shown to another user
    form_malformed,
    too_busy,
    remote_user_missing,   ///< method remote_user, and the web server names no user
    remote_user_unusable,  ///< its name is not a possible user name
    account_unknown,       ///< its name is not that of a user here
    account_disabled,
    access_refused,           ///< the user may not use the application
    second_factor_missing,    ///< the user must log in with one, has none, and may not set one up at the login
    password_change_missing,  ///< the user must choose another password, and there is no page for that
    passkey_suspended,        ///< it is the only second factor of the user
    account_form_foreign,     ///< as form_foreign, on a page of the account
    account_form_malformed,
    link_not_good,      ///< a link of the operator: unknown, used, expired, void or cut
    link_form_foreign,  ///< as form_foreign, on the page of such a link
    link_form_malformed,
    logout_malformed,
    logout_hint_invalid,
    logout_client_mismatch,
    logout_redirect_unregistered,
    logout_resume_invalid,
    logout_resume_expired,
    logout_form_foreign,  ///< the answer to the question "sign out?" is not of this browser or not of this session
};

/// What is known about a refusal beyond its kind.
struct RefusalFacts {
    std::string client_id;
    std::string detail;         ///< for the operator
    std::string issuer;         ///< named where another address of this server would explain it
    std::string try_again;      ///< URL that starts the same sign-in over, or ""
    std::string sign_out = {};  ///< URL of the question whether to sign out, for a logout, or ""
    // For link_not_good:
    std::string recover = {};  ///< URL of the page that mails another link, or ""
    // For access_refused:
    text::Message client_name = {};
    std::string username = {};
    std::string other_account = {};  ///< URL that starts the same sign-in over with the login page
    std::string back = {};           ///< URL that tells the application; of document_error, too
    std::string host = {};           ///< where `back` leads, for document_error
};

/// The page of `fault`, with the refusal recorded under the request's id.
http::Response refusal_page(const Pages& pages, const http::Request& request, PageFault fault,
                            const RefusalFacts& facts);

/// Before a redirect_uri is trusted nothing is redirected (RFC 6749 §4.1.2.1).
http::Response refusal_page(const Pages& pages, const http::Request& request, const oauth::RedirectRefusal& refusal);

}  // namespace postern::pages
