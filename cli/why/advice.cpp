// What `postern why` advises for each error code and each page.
#include "cli/why/advice.h"

#include <algorithm>
#include <iterator>

namespace postern::cli {
namespace {

struct Advice {
    std::string_view error;
    std::string_view text;
};

constexpr Advice kAdvice[] = {
    // RFC 6749 §5.2, §4.1.2.1
    {"invalid_request",
     "The client sent a request that breaks the protocol: a parameter is missing, given twice, or malformed. Fix the "
     "client; the detail names the parameter."},
    {"invalid_client",
     "Compare client_id and secret with `postern client show ID`; a new secret comes from `postern client secret ID`. "
     "If the client sends credentials and none arrived, the web server removes the Authorization header: the detail "
     "names the directive that passes it."},
    {"invalid_grant",
     "The code or token was used before, has expired, was issued to another client, or the redirect_uri or "
     "code_verifier differs from the first step. The client must start a new authorization; if it happens every time, "
     "compare what it sends in both steps."},
    {"unauthorized_client",
     "The client is not registered for this grant; register it with `postern client set ID --grant ...`, naming every "
     "grant that the client needs."},
    {"unsupported_grant_type",
     "This server does not offer the grant_type; discovery lists those it does in grant_types_supported."},
    {"unsupported_response_type", "This server does not offer the response_type; use response_type=code."},
    {"invalid_scope",
     "Register the scope with `postern client set ID --scope \"...\"`, naming every scope that the client needs, or ask "
     "for less. OpenID scopes need \"oidc\" in the configuration."},
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
     "Leave it out or name the API."},
    {"unsupported_token_type", "This server does not know the token_type_hint; leave it out."},
    // OpenID Connect Core §3.1.2.6
    {"login_required",
     "The client sent prompt=none, but no user is logged in, or the login is older than max_age. The client should "
     "repeat the request without prompt=none."},
    {"consent_required",
     "The client sent prompt=none, but the user has not approved these scopes. The client should repeat the request "
     "without prompt=none; for an application of your own, use `postern client set ID --first-party`."},
    {"request_not_supported", "Request objects are not supported; the client must send plain parameters."},
    {"request_uri_not_supported", "request_uri is not supported; the client must send plain parameters."},
    {"registration_not_supported",
     "The registration parameter is not supported; register the client with `postern client add`."},
    // pages
    {"request_malformed",
     "The authorization URL of the client is damaged: a parameter is given twice or is badly encoded."},
    {"client_missing", "The client sent no client_id. Check its configuration."},
    {"client_unknown",
     "No client with that id is registered; compare with `postern client list`, or add it with `postern client add`."},
    {"client_disabled", "The client is disabled; `postern client enable ID` enables it again."},
    {"redirect_missing",
     "The client must send redirect_uri, unless exactly one is registered; `postern client show ID` lists them."},
    {"redirect_unregistered",
     "URIs must be equal byte for byte, a slash at the end included. Register exactly what the client sends with "
     "`postern client set ID --redirect-uri ...`, naming every URI that stays registered, or correct the client."},
    {"resume_missing",
     "The login or consent page was opened without an authorization request. Users start at the application."},
    {"resume_invalid",
     "The link was cut, changed, or made before seal.key was replaced. The user should start again at the "
     "application."},
    {"resume_expired",
     "The user took longer than authorizationRequestTTL. Starting again at the application helps; the time can be "
     "raised."},
    {"cookie_missing",
     "The browser sent no cookie: it blocks them, or the site was opened under another host name or scheme than the "
     "issuer has in the configuration."},
    {"other_browser",
     "The link was opened in another browser than it was made for. The user should start again at the application."},
    {"already_used",
     "The request was finished before, usually with the browser's back button. The user should start again at the "
     "application."},
    {"form_foreign",
     "The form was not made for this browser and login. Reloading the page helps; if it happens every time, compare "
     "the issuer's host name with the address bar."},
    {"form_malformed",
     "A form field was missing or unreadable. Browsers do not send such forms; a program or an extension may."},
    {"logout_malformed",
     "A parameter of the logout request is given twice, badly encoded or too long; the detail names it. Fix the "
     "client."},
    {"logout_hint_invalid",
     "The id_token_hint must be an ID token that this server issued, whole and unchanged; an expired one is fine. If "
     "its "
     "key was retired, the user has to sign out without it: the client can leave it out."},
    {"logout_client_mismatch",
     "The client sent its client_id with the ID token of another client. It must send its own token, or leave "
     "client_id "
     "out."},
    {"logout_redirect_unregistered",
     "URIs must be equal byte for byte, the query included; `state` is a parameter of its own. Register exactly what "
     "the client sends with `postern client set ID --post-logout-redirect-uri ...`, naming every URI that stays "
     "registered, or correct the client."},
    {"logout_hint_missing",
     "The user was signed out but not redirected: post_logout_redirect_uri is followed only together with an "
     "id_token_hint. The client should keep the ID token and send it."},
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
    {"login_throttled",
     "Too many failures from this address or for this name; it ends by itself after login.window seconds."},
};

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

}  // namespace

std::string_view advice_for(const server::RefusalRecord& refusal) {
    if (refusal.status == kWrongMethod) {
        const bool posted = refusal.endpoint == "authorize" && refusal.detail.ends_with("got POST");
        return posted ? kPostToAuthorize : kOtherMethod;
    }
    const auto* advice = std::ranges::find(kAdvice, refusal.error, &Advice::error);
    return advice == std::end(kAdvice) ? kOther : advice->text;
}

}  // namespace postern::cli
