// The reasons that a person sees on a page: requests, forms, links and logouts.
#include "refusal/rows.h"

namespace postern::refusal {
namespace {

using enum Reason;

constexpr const char* kUnreadableForm =
    "A form field was missing, given twice or unreadable; the detail names it. A password that was pasted with a tab or a "
    "line end is unreadable. Browsers send no other such forms; a program or an extension may.";

constexpr Row kRows[] = {
    {request_malformed, "request_malformed", request_malformed,
     "The authorization URL of the client is damaged: a parameter is given twice or is badly encoded, or its state is so "
     "long that no answer could return it. The detail says which."},
    {client_missing, "client_missing", client_missing, "The client sent no client_id. Check its configuration."},
    {client_unknown, "client_unknown", client_unknown,
     "No client with that id is registered; compare with `postern client list`, or add it with `postern client add`."},
    {client_unknown_documents_off, "client_unknown_documents_off", client_unknown,
     "The client_id is the URL of a document that describes the application. \"clientDocuments\": {\"enabled\": true} lets "
     "such applications in, or register this one with `postern client add URL --public`."},
    {client_disabled, "client_disabled", client_disabled,
     "The client is disabled; `postern client enable {client}` enables it again."},
    {client_disabled_registration_not_open, "client_disabled_registration_not_open", client_disabled,
     "The application registered itself without a token, and users sign in to such applications only with "
     "\"registration\": {\"mode\": \"open\"}, and at https addresses only on hosts of registration.hosts. Set that, or register "
     "the application yourself with `postern client add NAME --public`."},
    {client_disabled_profile, "client_disabled_profile", client_disabled,
     "The client must keep to the profile fapi2, its own or that of the configuration, and does not; the detail names the "
     "first rule that it breaks. Change the client with `postern client set {client}`, or the configuration. `postern doctor` "
     "names all clients that do not fit their profile."},
    {redirect_missing, "redirect_missing", redirect_missing,
     "The client must send redirect_uri, unless exactly one is registered; `postern client show {client}` lists them."},
    {redirect_unregistered, "redirect_unregistered", redirect_unregistered,
     "URIs must be equal byte for byte, a slash at the end included. Register exactly what the client sends with "
     "`postern client set {client} --redirect-uri ...`, naming every URI that stays registered, or correct the client. With "
     "--native the port of http://127.0.0.1, http://[::1] and http://localhost is free.",
     "The client is what its document says, and the document does not name this address. Only the people who "
     "publish it can add it; it is looked at again when the cached copy is no longer fresh."},
    {redirect_unregistered_in_document, "redirect_unregistered_in_document", redirect_unregistered,
     "The client is what its document says, and the document does not name this address. URIs must be equal byte for byte, "
     "but for the port on 127.0.0.1, [::1] and localhost. Only the people who publish the document can add it; it is looked "
     "at again when the cached copy is no longer fresh."},
    {redirect_unregistrable, "redirect_unregistrable", redirect_unregistered,
     "`postern client set` refuses this redirect URI, for the reason in the detail, which also says what to write instead. "
     "Correct it in the application, then register exactly that. An application behind a proxy that sends http for https "
     "does not know its own address: configure its public URL there, or let it trust X-Forwarded-Proto.",
     "No client can have this redirect URI, for the reason in the detail. Only the people who publish the application can "
     "correct it."},
    {invalid_request_uri, "invalid_request_uri", invalid_request_uri,
     "The address of the pushed request cannot be opened: it was cut, made before seal.key was replaced, or came without "
     "the client_id that belongs to it. The client must send client_id and the request_uri of the last push, each once."},
    {invalid_request_uri_of_another, "invalid_request_uri_of_another", invalid_request_uri,
     "Another client pushed this request: the detail names it. If one application uses several clients, it must send the "
     "client_id with which it pushed."},
    {invalid_request_uri_expired, "invalid_request_uri_expired", invalid_request_uri,
     "The browser came later than \"parTTL\" seconds after the push, most often with an old link or the back button. The user "
     "starts again at the application. If it happens each time, the application keeps the address for too long, or the "
     "clocks of several nodes differ."},
    {invalid_request_uri_used, "invalid_request_uri_used", invalid_request_uri,
     "The address of the pushed request was answered before, and it is answered once: the user went back, or opened the "
     "link again. The client pushes a new request for each sign-in."},
    {resume_missing, "resume_missing", resume_missing,
     "The login or consent page was opened without an authorization request. Users start at the application."},
    {resume_invalid, "resume_invalid", resume_invalid,
     "The link was cut, changed, or made before seal.key was replaced. The user should start again at the "
     "application."},
    {resume_expired, "resume_expired", resume_expired,
     "The user took longer than authorizationRequestTTL. Starting again at the application helps; the time can be "
     "raised."},
    {cookie_missing, "cookie_missing", cookie_missing,
     "The sign-in was started in another browser or inside an app, and this browser has no cookie of it: the page starts it "
     "over. A user who did not start it was sent a link of somebody else's sign-in, and should not continue. If it comes again "
     "in one browser, that one blocks cookies, or the site was opened under another host name or scheme than the issuer has in "
     "the configuration."},
    {session_cookie_missing, "session_cookie_missing", session_cookie_missing,
     "The browser did not send back the cookie of the login that it has just completed: it blocks cookies, or the site was "
     "opened under another host name or scheme than the issuer has in the configuration."},
    {other_browser, "other_browser", other_browser,
     "The sign-in was started in another browser or on another device, perhaps inside an app that then opened the page in "
     "the browser. The page starts it over in this one. A user who did not start it was sent a link of somebody else's "
     "sign-in, and should not continue."},
    {other_browser_unbound, "other_browser_unbound", other_browser,
     "A link that is for the authorization endpoint was opened at another page, which no browser does by itself. The page "
     "starts the sign-in over."},
    {already_used, "already_used", already_used,
     "The request was finished before, usually with the browser's back button. The user should start again at the "
     "application."},
    {form_foreign, "form_foreign", form_foreign,
     "The form was not made for this browser and login. Reloading the page helps; if it happens every time, compare "
     "the issuer's host name with the address bar."},
    {form_malformed, "form_malformed", form_malformed, kUnreadableForm},
    {account_form_foreign, "account_form_foreign", account_form_foreign,
     "The form was not made for this browser, session and page of the account, or another site sent it. Opening the "
     "page again helps."},
    {account_form_malformed, "account_form_malformed", account_form_malformed, kUnreadableForm},
    {link_not_good, "link_not_good", link_not_good,
     "A link of `postern user invite` or `reset-link` did nothing; the detail says why. If the user needs another one, make "
     "it with the same command."},
    {link_form_foreign, "link_form_foreign", link_form_foreign,
     "The form was not made for this browser and link, or another site sent it. Opening the link again helps; a browser "
     "that keeps no cookies for this site cannot use it."},
    {link_form_malformed, "link_form_malformed", link_form_malformed, kUnreadableForm},
    {recover_form_refused, "recover_form_refused", recover_form_refused,
     "The form of the page of a forgotten password was not made for this browser, was open for too long, or a field was "
     "missing. Sending it again helps; a browser that keeps no cookies for this site cannot use it."},
    {device_code_refused, "device_code_refused", device_code_refused,
     "The code that the user typed is none that a device waits with: mistyped, older than deviceCodeTTL seconds, or answered "
     "before. The page of codes was shown again; a device that goes on waiting shows another code."},
    {device_code_limited, "device_code_limited", device_code_limited,
     "The user sent more than 20 device codes in ten minutes, right or wrong: no other is looked at until these are over. If it was "
     "not the user, somebody else is signed in as the user and guesses: `postern session end NAME`, and a new password."},
    {device_login_unproved, "device_login_unproved", device_login_unproved,
     "A device is approved only behind a login that was made for it, and the web server does not tell when the user logged in, or "
     "tells of an older login. login.authTimeFromEnvironment names the variable with that time; \"device\": {\"freshLogin\": "
     "false} takes any session."},
    {mail_limited, "mail_limited", mail_limited,
     "Too many messages were asked for, so that none is sent for this request; the page does not say so, because it is the "
     "same for all. `postern user reset-link NAME` makes a link at once. If requests wait, `postern mail list` shows "
     "them, and `postern mail deliver` sends them."},
    {access_refused, "access_refused", access_refused, kAdviceForOthers},
    {logout_malformed, "logout_malformed", logout_malformed,
     "A parameter of the logout request is given twice, badly encoded or too long; the detail names it. Fix the "
     "client."},
    {logout_hint_invalid, "logout_hint_invalid", logout_hint_invalid,
     "The id_token_hint must be an ID token that this server issued, whole and unchanged; an expired one is fine. An "
     "application that has no ID token must leave the parameter out: undefined and null are no tokens. With client_id "
     "instead of it the user is asked, and then led back."},
    {logout_client_mismatch, "logout_client_mismatch", logout_client_mismatch,
     "The client sent its client_id with the ID token of another client. It must send its own token, or leave "
     "client_id "
     "out."},
    {logout_redirect_unregistered, "logout_redirect_unregistered", logout_redirect_unregistered,
     "URIs must be equal byte for byte, the query included; `state` is a parameter of its own. Register exactly what "
     "the client sends with `postern client set {client} --post-logout-redirect-uri ...`, naming every URI that stays "
     "registered, or correct the client.",
     "URIs must be equal byte for byte, the query included; `state` is a parameter of its own. The document at the "
     "URL of the client does not name this address in post_logout_redirect_uris; only the people who publish it "
     "can add it."},
    {logout_redirect_unregistrable, "logout_redirect_unregistrable", logout_redirect_unregistered,
     "`postern client set` refuses this address, for the reason in the detail, which also says what to write instead. "
     "Correct post_logout_redirect_uri in the application, then register exactly that.",
     "No client can have this address, for the reason in the detail. Only the people who publish the application can "
     "correct it."},
    {logout_hint_missing, "logout_hint_missing", logout_hint_missing,
     "The user was signed out but not redirected: post_logout_redirect_uri is followed only together with an "
     "id_token_hint, or with a client_id if the user is asked and agrees. The client should keep the ID token and send "
     "it, or send its client_id."},
    {logout_unconfirmed, "logout_unconfirmed", logout_unconfirmed,
     "No user was signed in in this browser, so none was asked, and without an id_token_hint nothing shows that the "
     "client itself sent the browser. The page has a link to the client. With an id_token_hint the browser is sent on "
     "at once."},
    {logout_client_document, "client_document", logout_client_document,
     "The user was signed out and not redirected: a document describes the client, and nothing has shown the user where it sends "
     "browsers at a logout. Add its host to clientDocuments.allow if you trust who publishes there."},
    {logout_resume_invalid, "logout_resume_invalid", logout_resume_invalid,
     "The link was cut, changed, or made before seal.key was replaced. The user should sign out at the application "
     "again."},
    {logout_resume_expired, "logout_resume_expired", logout_resume_expired,
     "The question whether to sign out stayed open longer than authorizationRequestTTL. Signing out again helps."},
    {logout_form_foreign, "logout_form_foreign", logout_form_foreign,
     "The answer came from another browser, from another site, or after the user had signed in again. Signing out "
     "again "
     "at the application helps."},
};

}  // namespace

constinit const std::span<const Row> kPageRows = kRows;

}  // namespace postern::refusal
