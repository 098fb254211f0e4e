// What `postern why` advises for each error code and each page.
#include "cli/why/advice.h"

#include <algorithm>
#include <iterator>

#include "cli/why/advice_for_reason.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

/// Stands for the id of the client.
constexpr std::string_view kClient = "{client}";

struct Advice {
    std::string_view error;
    std::string_view text;
    std::string_view for_described = {};  ///< in place of `text`, where a document describes the client
};

constexpr std::string_view kUnreadableForm =
    "A form field was missing, given twice or unreadable; the detail names it. A password that was pasted with a tab or a "
    "line end is unreadable. Browsers send no other such forms; a program or an extension may.";

constexpr Advice kAdvice[] = {
    // RFC 6749 §5.2, §4.1.2.1
    {"invalid_request",
     "The client sent a request that breaks the protocol: a parameter is missing, given twice, or malformed. Fix the "
     "client; the detail names the parameter."},
    {"invalid_client",
     "Compare client_id and secret with `postern client show {client}`; a new secret comes from `postern client secret "
     "{client}`. "
     "If the client sends credentials and none arrived, the web server removes the Authorization header: the detail "
     "names the directive that passes it.",
     "The client is what the document at its URL says, so it has no secret. Let the application authenticate by "
     "none: client_id in the body of the request, and no Authorization header."},
    {"invalid_grant",
     "The code or token was used before, has expired, was issued to another client, was ended when the user lost the "
     "right to use the client, or the redirect_uri or "
     "code_verifier differs from the first step. The client must start a new authorization; if it happens every time, "
     "compare what it sends in both steps."},
    {"unauthorized_client",
     "The client is not registered for this grant; register it with `postern client set {client} --grant ...`, naming every "
     "grant that the client needs.",
     "The document at the URL of the client does not name this grant in grant_types; only the people who publish "
     "it can add it. Such a client can have authorization_code and refresh_token and no other grant."},
    {"unsupported_grant_type",
     "This server does not offer the grant_type; discovery lists those it does in grant_types_supported."},
    {"unsupported_response_type", "This server does not offer the response_type; use response_type=code."},
    {"invalid_scope",
     "The client is not registered for the scope that the detail names. Register it with `postern client set {client} "
     "--scope \"...\"`, naming every scope that the client needs, or let the client ask for less.",
     "The client may ask for what clientDocuments.scope of the configuration and the scope of its document both "
     "name. Add the scope that the detail names to that key if such clients are to have it, or let the application "
     "ask for less."},
    {"access_denied",
     "The user denied the request. This is not a fault; the client should tell the user and offer to try again."},
    {"server_error", "The server failed. The log has a line with this request id; `postern doctor` finds most causes."},
    {"temporarily_unavailable",
     "The database was busy or could not be written. `postern doctor` checks it; a full disk or a long-running copy of "
     "the file are usual causes."},
    // RFC 6750 §3.1, RFC 8707 §2
    {"invalid_token",
     "The access token has expired, was revoked, or was not issued here. The client must get a new one; `detail` says "
     "which. If the client sends one and none arrived, the web server removes the Authorization header: the detail "
     "names the directive that passes it."},
    {"insufficient_scope",
     "The token was issued without the scope that is needed here; the client must request it when it asks for "
     "authorization."},
    {"invalid_target",
     "The audience asked for may not be used for a token: it is this server, one of its endpoints or another client. "
     "Leave it out or name the API. `audience` of an authorization request is recorded and gives no token its `aud`: "
     "`resource` does, or `audience` of the token request."},
    {"unsupported_token_type", "This server does not know the token_type_hint; leave it out."},
    // OpenID Connect Core §3.1.2.6
    {"login_required",
     "The client sent prompt=none, but no user is logged in, or the login is older than max_age. The client should "
     "repeat the request without prompt=none."},
    {"consent_required",
     "The client sent prompt=none, but the user has not approved these scopes. The client should repeat the request "
     "without prompt=none; for an application of your own, use `postern client set {client} --first-party`.",
     "The client sent prompt=none, but the user has not approved these scopes. The application should repeat the "
     "request without prompt=none: users approve such a client themselves."},
    {"unmet_authentication_requirements",
     "The client requires a value of `acr` that no login here can have; the detail names those that can. Let it ask for one of "
     "these, or name its value in login.acrNames."},
    {"request_not_supported", "Request objects are not supported; the client must send plain parameters."},
    {"request_uri_not_supported", "request_uri is not supported; the client must send plain parameters."},
    {"registration_not_supported",
     "The registration parameter is not supported; register the client with `postern client add`."},
    // pages
    {"request_malformed",
     "The authorization URL of the client is damaged: a parameter is given twice or is badly encoded, or its state is so "
     "long that no answer could return it. The detail says which."},
    {"client_missing", "The client sent no client_id. Check its configuration."},
    {"client_unknown",
     "No client with that id is registered; compare with `postern client list`, or add it with `postern client add`."},
    {"client_disabled", "The client is disabled; `postern client enable {client}` enables it again."},
    {"redirect_missing",
     "The client must send redirect_uri, unless exactly one is registered; `postern client show {client}` lists them."},
    {"redirect_unregistered",
     "URIs must be equal byte for byte, a slash at the end included. Register exactly what the client sends with "
     "`postern client set {client} --redirect-uri ...`, naming every URI that stays registered, or correct the client.",
     "The client is what its document says, and the document does not name this address. Only the people who "
     "publish it can add it; it is looked at again when the cached copy is no longer fresh."},
    {"client_document_refused",
     "The document at the URL of the client_id could not be fetched; the detail says why. Ask for it from this machine with "
     "curl. A host of your own network needs outbound.allow, a certificate authority of your own outbound.ca. It is not "
     "asked for again for 30 seconds."},
    {"client_document_busy",
     "More documents were to be fetched than in one minute may be. If strangers cause it, name the hosts that you trust in "
     "clientDocuments.allow: others are refused before anything is fetched."},
    {"client_document_changed",
     "The document of the client, or its registration here, has changed since the user began to sign in. The user should "
     "start again at the application. If it happens every time, the document changes with each request, which it must not."},
    {"client_document_no_room",
     "As many clients of documents are kept as clientDocuments.max allows. `postern client list` shows them; raise it, or "
     "name the hosts that you trust in clientDocuments.allow."},
    {"resume_missing",
     "The login or consent page was opened without an authorization request. Users start at the application."},
    {"resume_invalid",
     "The link was cut, changed, or made before seal.key was replaced. The user should start again at the "
     "application."},
    {"resume_expired",
     "The user took longer than authorizationRequestTTL. Starting again at the application helps; the time can be "
     "raised."},
    {"cookie_missing",
     "The sign-in was started in another browser or inside an app, and this browser has no cookie of it: the page starts it "
     "over. A user who did not start it was sent a link of somebody else's sign-in, and should not continue. If it comes again "
     "in one browser, that one blocks cookies, or the site was opened under another host name or scheme than the issuer has in "
     "the configuration."},
    {"session_cookie_missing",
     "The browser did not send back the cookie of the login that it has just completed: it blocks cookies, or the site was "
     "opened under another host name or scheme than the issuer has in the configuration."},
    {"other_browser",
     "The sign-in was started in another browser or on another device, perhaps inside an app that then opened the page in "
     "the browser. The page starts it over in this one. A user who did not start it was sent a link of somebody else's "
     "sign-in, and should not continue."},
    {"already_used",
     "The request was finished before, usually with the browser's back button. The user should start again at the "
     "application."},
    {"form_foreign",
     "The form was not made for this browser and login. Reloading the page helps; if it happens every time, compare "
     "the issuer's host name with the address bar."},
    {"form_malformed", kUnreadableForm},
    {"account_form_foreign",
     "The form was not made for this browser, session and page of the account, or another site sent it. Opening the "
     "page again helps."},
    {"account_form_malformed", kUnreadableForm},
    {"link_not_good",
     "A link of `postern user invite` or `reset-link` did nothing; the detail says why. If the user needs another one, make "
     "it with the same command."},
    {"link_form_foreign",
     "The form was not made for this browser and link, or another site sent it. Opening the link again helps; a browser "
     "that keeps no cookies for this site cannot use it."},
    {"link_form_malformed", kUnreadableForm},
    {"recover_form_refused",
     "The form of the page of a forgotten password was not made for this browser, was open for too long, or a field was "
     "missing. Sending it again helps; a browser that keeps no cookies for this site cannot use it."},
    {"mail_limited",
     "Too many messages were asked for, so that none is sent for this request; the page does not say so, because it is the "
     "same for all. `postern user reset-link NAME` makes a link at once. If requests wait, `postern mail list` shows "
     "them, and `postern mail deliver` sends them."},
    {"access_refused", kAdviceForOthers},
    {"client_document_error",
     "The request of a client with a document was answered by a page, which asks the user before the error goes to the "
     "client's address. The detail names the error; fix the client."},
    {"remote_user_missing",
     "login.method is \"remote_user\", and the web server lets users through to the login without a name. Let it ask "
     "every user to sign in at that path, or name its variable in login.remoteUserVariable."},
    {"remote_user_unusable",
     "The name that the web server passes on is too long or holds characters that cannot be shown. Let it pass on "
     "another attribute."},
    {"account_unknown",
     "The web server has signed the user in, but there is no such user here: `postern user add NAME`, or "
     "login.autoCreate makes users at their first login."},
    {"account_disabled",
     "The web server has signed the user in, but the user is disabled here; `postern user enable NAME`."},
    {"logout_malformed",
     "A parameter of the logout request is given twice, badly encoded or too long; the detail names it. Fix the "
     "client."},
    {"logout_hint_invalid",
     "The id_token_hint must be an ID token that this server issued, whole and unchanged; an expired one is fine. An "
     "application that has no ID token must leave the parameter out: undefined and null are no tokens. With client_id "
     "instead of it the user is asked, and then led back."},
    {"logout_client_mismatch",
     "The client sent its client_id with the ID token of another client. It must send its own token, or leave "
     "client_id "
     "out."},
    {"logout_redirect_unregistered",
     "URIs must be equal byte for byte, the query included; `state` is a parameter of its own. Register exactly what "
     "the client sends with `postern client set {client} --post-logout-redirect-uri ...`, naming every URI that stays "
     "registered, or correct the client.",
     "URIs must be equal byte for byte, the query included; `state` is a parameter of its own. The document at the "
     "URL of the client does not name this address in post_logout_redirect_uris; only the people who publish it "
     "can add it."},
    {"logout_hint_missing",
     "The user was signed out but not redirected: post_logout_redirect_uri is followed only together with an "
     "id_token_hint, or with a client_id if the user is asked and agrees. The client should keep the ID token and send "
     "it, or send its client_id."},
    {"logout_unconfirmed",
     "No user was signed in in this browser, so none was asked, and without an id_token_hint nothing shows that the "
     "client itself sent the browser. The page has a link to the client. With an id_token_hint the browser is sent on "
     "at once."},
    {"logout_resume_invalid",
     "The link was cut, changed, or made before seal.key was replaced. The user should sign out at the application "
     "again."},
    {"logout_resume_expired",
     "The question whether to sign out stayed open longer than authorizationRequestTTL. Signing out again helps."},
    {"logout_form_foreign",
     "The answer came from another browser, from another site, or after the user had signed in again. Signing out "
     "again "
     "at the application helps."},
    {"too_busy",
     "More passwords arrived at once than login.hashSlots allows. If that is usual, raise it; each hash takes 16 MiB."},
    {"login_failed",
     "The name or the password was wrong, or the user is disabled; `postern user show NAME`, then `postern user passwd "
     "NAME` or `postern user enable NAME`."},
    {"password_refused",
     "On the page of the account the present password was wrong, or it was changed meanwhile. Failures count as those "
     "of a login do; `postern user passwd NAME` sets another password."},
    {"app_refused",
     "No authenticator app was turned on, for the reason in the detail: a wrong code, a page that was open for too long or not "
     "of this browser, or a change of the account meanwhile. The page shows what to do; nothing was changed."},
    {"passkey_change_refused",
     "No passkey was added, named or removed on the page of the account, for the reason in the detail: an answer of the browser "
     "that does not belong to the page, a page that was open for too long, 20 passkeys already, or one that the user cannot do "
     "without. The page says what to do; nothing was changed."},
    {"profile_refused",
     "The profile was not changed, because what was typed is no value of the claim that the detail names. The page says what to "
     "do."},
    {"codes_refused",
     "No recovery codes were made, because keys/factor.key is missing. Restore the file from the backup that belongs to the "
     "database, or make one with `postern key repair`; then start login and account again."},
    {"second_factor_failed",
     "The password was right and the code was not. The line second_factor_failed of the audit log with this request id names the "
     "user. If the user did not try to sign in, the password is known to somebody else: `postern user passwd NAME`."},
    {"passkey_refused",
     "A passkey was not accepted; the user was told nothing but that. The detail is the rule of WebAuthn that was broken, or says that the "
     "passkey is suspended, of another host or user, or switched off. `postern user passkeys NAME` shows the passkeys of a user."},
    {"second_factor_throttled",
     "Ten codes in a row were wrong, after a right password; the next one is looked at when the time in the detail is over. If "
     "the user did not try to sign in, the password is known to somebody else: `postern user passwd NAME`. `postern user factors "
     "NAME --resume` ends the wait."},
    {"second_factor_missing",
     "A second factor is required of this login, the user has none, and login.enrolment \"link\" or paths.account null does not "
     "let the password alone set one up. `postern user reset-link NAME`, or `postern user invite NAME` for a user without a password, "
     "makes a link; in the 1800 seconds after it was used, the user sets one up at the login. \"enrolment\": \"login\" lets all "
     "users do so; `postern user set NAME "
     "--second-factor default` requires none of the user, if neither a group, the configuration nor the client does."},
    {"password_change_missing",
     "The user's password was set with --must-change, and paths.account is null: there is no page for another one. `postern user "
     "passwd NAME` sets one that stays, `postern user reset-link NAME` lets the user choose."},
    {"passkey_suspended",
     "The counter of the user's only second factor has not grown, so there may be a copy of it, and the password alone does not "
     "take its place. If the user knows of no copy: `postern user passkeys NAME --resume ID`. Otherwise `postern user reset-link "
     "NAME --factors`."},
    {"login_throttled",
     "Too many failures from this address or for this name; it ends by itself after login.window seconds."},
};

static_assert(std::ranges::all_of(kAdvice, [](const Advice& row) {
    return !is_refused_for_documents(row.for_described) &&
           (!row.for_described.empty() || !is_refused_for_documents(row.text));
}));

/// Where the error code says too little: RFC 9110 §15.5.6.
constexpr int kWrongMethod = 405;
constexpr std::string_view kPostToAuthorize =
    "The client sent its authorization request by POST, which OpenID Connect Core §3.1.2.1 allows; here that is "
    "off. "
    "Let the configuration say \"authorizeMethods\": [\"GET\", \"POST\"], or let the client use GET.";
constexpr std::string_view kOtherMethod =
    "The endpoint does not answer that method; the detail names those that it does. Fix the client, or what rewrites "
    "its requests.";

constexpr std::string_view kOther =
    "No advice for this error; the lines above, and the log lines with this request id, say what is known.";

/// A refused request may name any client, and the advice is there to be copied. "ID" for none, for one that was cut (it
/// ends with dots), and for one that would be an option or cannot be read.
std::string word_for(std::string_view id) {
    if (id.empty() || id.starts_with('-') || id.ends_with("...")) return "ID";
    const std::string word = util::shell_word(id);
    return word.starts_with('$') ? "ID" : word;
}

std::string with_client(std::string_view text, std::string_view client_id) {
    std::string filled(text);
    const std::string id = word_for(client_id);
    for (auto at = filled.find(kClient); at != std::string::npos; at = filled.find(kClient, at + id.size()))
        filled.replace(at, kClient.size(), id);
    return filled;
}

std::string_view text_for(const server::RefusalRecord& refusal, ClientKind kind) {
    if (refusal.status == kWrongMethod) {
        const bool posted = refusal.endpoint == "authorize" && refusal.detail.ends_with("got POST");
        return posted ? kPostToAuthorize : kOtherMethod;
    }
    if (const auto text = advice_for_reason(refusal, kind)) return *text;
    const auto* advice = std::ranges::find(kAdvice, refusal.error, &Advice::error);
    if (advice == std::end(kAdvice)) return kOther;
    return kind == ClientKind::described && !advice->for_described.empty() ? advice->for_described : advice->text;
}

}  // namespace

std::string advice_for(const server::RefusalRecord& refusal, ClientKind kind) {
    return with_client(text_for(refusal, kind), refusal.client_id);
}

}  // namespace postern::cli
