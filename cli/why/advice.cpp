// What `postern why` advises for each error code and each page.
#include "cli/why/advice.h"

#include <algorithm>
#include <iterator>

#include "util/percent.h"

namespace postern::cli {
namespace {

/// Stands for the id of the client.
constexpr std::string_view kClient = "{client}";

struct Advice {
    std::string_view error;
    std::string_view text;
};

/// Advice for one of the reasons that share an error code.
struct ReasonAdvice {
    std::string_view error;
    std::string_view reason;  ///< how the description or the detail begins
    std::string_view text;
};

constexpr std::string_view kForOthers =
    "The client is for certain users and groups, as `postern client show {client}` says, and the user is not one of "
    "them. `postern group member add GROUP USER` or `postern client set {client} --allow-user USER` lets the user in. A "
    "group of login.groupsFromEnvironment follows the web server's variable at the user's next login.";

constexpr ReasonAdvice kReasonAdvice[] = {
    // RFC 7636, RFC 9700 §2.1.1
    {"invalid_request", "the client is registered with --pkce required",
     "The application sends no code_challenge: switch PKCE on there (with S256). For an application that cannot do "
     "PKCE, `postern client set {client} --pkce optional` accepts its requests."},
    {"invalid_request", "a public client",
     "The application sends no code_challenge: switch PKCE on there (with S256). A client without a secret cannot do "
     "without. If the application can keep a secret but cannot do PKCE, `postern client set {client} --confidential "
     "--pkce optional` makes one and accepts its requests."},
    {"invalid_request", "code_challenge_method must be S256",
     "The application sends a plain code_challenge, or no code_challenge_method, which means the same. Set S256 "
     "there, or switch PKCE off if `postern client show {client}` says that it is optional."},
    // RFC 6749 §2.3
    {"invalid_client", "the client is disabled", "`postern client enable {client}` enables it again."},
    {"invalid_client", "a document describes the client, and clientDocuments is off",
     "A user approved the client when \"clientDocuments\" was on. Switch it on again to let such clients go on, or register "
     "this one with `postern client remove` and `postern client add URL --public`."},
    {"invalid_client", "a public client has no secret",
     "The client is registered without a secret. Remove the secret in the application, or register the client with "
     "one: `postern client set {client} --confidential` prints it."},
    {"invalid_client", "the client is registered for",
     "Select the method that the detail names in the application, or accept both: `postern client set {client} "
     "--auth-method client_secret`."},
    {"invalid_client", "only a confidential client may introspect",
     "Let the API introspect with a client of its own that has a secret: `postern client add NAME --grant "
     "client_credentials --scope \"\"`. \"introspectionRequiresConfidentialClient\": false in the configuration admits "
     "public clients too."},
    // RFC 6749 §3.3
    {"invalid_scope", "OpenID scope",
     "OpenID Connect is off: set \"oidc\" in the configuration, or let the client leave the scope out."},
    {"invalid_scope", "unknown scope",
     "This server does not know the scope that the detail names, and the client is not registered for it. Register it "
     "with `postern client set {client} --scope \"...\"`, naming every scope that the client needs, and describe it in "
     "\"scopeDescriptions\" of the configuration, which the consent page shows; or let the client leave it out. Only an "
     "authorization request with openid ignores such a scope; the log then has a line scope_ignored."},
    {"invalid_scope", "scope must be words",
     "The client sends a scope with a character that no scope has, or with more than one space between words. Correct "
     "it there."},
    {"invalid_scope", "the scope exceeds what was granted",
     "The refresh request names a scope that was not granted at the authorization. Let the client leave out scope, or "
     "send the user to authorize again. If the client did ask for it, a line scope_ignored of the log names it: "
     "register it with `postern client set {client} --scope \"...\"`, naming every scope that the client needs."},
    {"invalid_scope", "the client_credentials grant has no OpenID scopes",
     "No user takes part in this grant, so it has no openid, profile, email, address, phone or offline_access. Let the "
     "client leave these out, or name its own scopes."},
    {"invalid_scope", "the client is not registered for the scope of a requested claim",
     "The client asks for the claim that the detail names, by the claims parameter. Register the scope of that claim "
     "with `postern client set {client} --scope \"...\"`, naming every scope that the client needs, or let the client "
     "ask for less."},
    // RFC 6749 §4.1.2.1
    {"access_denied", "the user may not use this client", kForOthers},
    // RFC 8707 §2
    {"invalid_target", "the audience must not be this server",
     "The token request names this server as its audience. UserInfo needs none: leave `audience` (or `aud`) out there, "
     "or name the API that is to accept the token."},
    {"invalid_target", "the audience must not be a client",
     "The audience that the detail names is a client that signs users in, which could take the access token for an ID "
     "token. Name the API by its URL, or give it a client of its own: `postern client add NAME --grant "
     "client_credentials --scope \"\"`."},
    {"invalid_target", "aud and audience name different targets",
     "The token request has both `aud` and `audience`, which mean the same here. Let the client send one of them."},
    {"invalid_target", "aud or audience and resource name different targets",
     "`aud`, `audience` and `resource` mean the same here. Let the client send `resource` alone."},
    {"invalid_target", "resource must be an absolute URI without fragment",
     "The client sends a name, a path or a URI with #. Let it send the API's URI in full, such as "
     "https://api.example.org/; what is no URI can be sent as `audience`."},
    {"invalid_target", "a token is for one resource: name one",
     "The token request has `resource` more than once. Let the client ask for a token for each API."},
    {"invalid_target", "there are more than 8 resources", "Let the client name at most eight at one authorization."},
    {"invalid_target", "the resource is disabled",
     "The operator has disabled the API that the detail names: `postern resource enable URI` lets clients ask for tokens "
     "for it again."},
    {"invalid_target", "the client may not ask for this resource",
     "The client has a list of APIs, `resources` of `postern client show {client}`, and the one that the detail names is "
     "not among them. Add it with `postern client set {client} --resource`, naming all of them. A path is compared byte "
     "for byte: a slash at its end counts."},
    {"invalid_target", "the resource was not granted",
     "The authorization request named other APIs, which the detail lists, and the user approved these. Let the client send "
     "the same `resource` in both requests. A path is compared byte for byte: a slash at its end counts; `postern "
     "resource set --alias` makes two spellings one API."},
    {"invalid_target", "several resources were granted: name one",
     "The authorization request named several APIs. Let the client send `resource` with one of them in the token "
     "request."},
    {"invalid_target", "resource is required",
     "Tokens of profile rfc9068 have an audience, the request names none, and there is no default. Let the client send "
     "`resource`, or use `postern client set {client} --default-resource`."},
    {"invalid_scope", "the resource does not have this scope",
     "The client asks for a scope that none of the APIs has which it names; the detail lists those that they have. Add it "
     "with `postern resource set URI --scope`, or let the client ask for less."},
    {"invalid_scope", "the resource has none of the scopes",
     "Nothing of what the client asks for is a scope of the API that it names; the detail lists its scopes. Let the client ask "
     "for one of these, or change them with `postern resource set URI --scope`."},
    {"invalid_target", "the resource is not registered",
     "A client that a document describes may name only APIs of yours. Register the one that the detail names with `postern "
     "resource add URI`, or give the one that is registered another spelling with `postern resource set URI --alias`."},
    // draft-ietf-oauth-client-id-metadata-document
    {"redirect_unregistered", "received: ",
     "The client is what its document says, and the document does not name this address. URIs must be equal byte for byte, "
     "but for the port on 127.0.0.1, [::1] and localhost. Only the people who publish the document can add it; it is looked "
     "at again when the cached copy is no longer fresh."},
    {"client_unknown", "no such client, and clientDocuments is off",
     "The client_id is the URL of a document that describes the application. \"clientDocuments\": {\"enabled\": true} lets "
     "such applications in, or register this one with `postern client add URL --public`."},
    {"client_document_refused", "the client_id is on a host that clientDocuments.allow",
     "Add the host to clientDocuments.allow if you trust who publishes there, or register the application with `postern client "
     "add`."},
    {"client_document_refused", "the client_id is on a host that clientDocuments.deny",
     "The operator does not want applications of this host; clientDocuments.deny names it."},
    {"client_document_refused", "the client_id is the URI of a resource",
     "An API and an application have the same URL, and a token for one would be good for the other. Let the application "
     "publish its document elsewhere; an MCP server and its client are two things."},
    {"client_document_refused", "the client_id",
     "The URL cannot name a document, for the reason in the detail. The application must use the URL in the spelling that "
     "its document has."},
    {"client_document_refused", "the document has the token_endpoint_auth_method",
     "The application wants to authenticate by a key, which this server cannot verify yet. Register it with `postern client "
     "add`, as a client of its own with a secret, if it can have one."},
    {"client_document_no_room", "the user has brought",
     "One user brings ten clients of documents at most, or a tenth of clientDocuments.max if that is more: those that the "
     "user was the first to approve. The event client_registered of the audit log names user and client. `postern client "
     "remove` makes room, and so does any change with `postern client set`: what the operator decides about does not count. "
     "A consent that is taken back makes none."},
    {"client_document_refused", "the document",
     "The document at the URL of the client_id cannot be accepted, for the reason in the detail. The people who publish it "
     "can correct it; register the application with `postern client add` otherwise."},
};

constexpr Advice kAdvice[] = {
    // RFC 6749 §5.2, §4.1.2.1
    {"invalid_request",
     "The client sent a request that breaks the protocol: a parameter is missing, given twice, or malformed. Fix the "
     "client; the detail names the parameter."},
    {"invalid_client",
     "Compare client_id and secret with `postern client show {client}`; a new secret comes from `postern client secret "
     "{client}`. "
     "If the client sends credentials and none arrived, the web server removes the Authorization header: the detail "
     "names the directive that passes it."},
    {"invalid_grant",
     "The code or token was used before, has expired, was issued to another client, was ended when the user lost the "
     "right to use the client, or the redirect_uri or "
     "code_verifier differs from the first step. The client must start a new authorization; if it happens every time, "
     "compare what it sends in both steps."},
    {"unauthorized_client",
     "The client is not registered for this grant; register it with `postern client set {client} --grant ...`, naming every "
     "grant that the client needs."},
    {"unsupported_grant_type",
     "This server does not offer the grant_type; discovery lists those it does in grant_types_supported."},
    {"unsupported_response_type", "This server does not offer the response_type; use response_type=code."},
    {"invalid_scope",
     "The client is not registered for the scope that the detail names. Register it with `postern client set {client} "
     "--scope \"...\"`, naming every scope that the client needs, or let the client ask for less."},
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
     "without prompt=none; for an application of your own, use `postern client set {client} --first-party`."},
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
    {"client_disabled", "The client is disabled; `postern client enable {client}` enables it again."},
    {"redirect_missing",
     "The client must send redirect_uri, unless exactly one is registered; `postern client show {client}` lists them."},
    {"redirect_unregistered",
     "URIs must be equal byte for byte, a slash at the end included. Register exactly what the client sends with "
     "`postern client set {client} --redirect-uri ...`, naming every URI that stays registered, or correct the client."},
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
    {"account_form_foreign",
     "The form was not made for this browser, session and page of the account, or another site sent it. Opening the "
     "page again helps."},
    {"account_form_malformed",
     "A form field was missing or unreadable. Browsers do not send such forms; a program or an extension may."},
    {"access_refused", kForOthers},
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
     "the client sends with `postern client set {client} --post-logout-redirect-uri ...`, naming every URI that stays "
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
    {"password_refused",
     "On the page of the account the present password was wrong, or it was changed meanwhile. Failures count as those "
     "of a login do; `postern user passwd NAME` sets another password."},
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

/// Every character is one that no shell treats specially: a refused request may name any client, and the advice is
/// there to be copied. An id that was cut ends with dots.
bool is_plain(std::string_view id) {
    return !id.empty() && !id.starts_with('-') && !id.ends_with("...") && std::ranges::all_of(id, util::is_unreserved);
}

std::string with_client(std::string_view text, std::string_view client_id) {
    std::string filled(text);
    const std::string_view id = is_plain(client_id) ? client_id : "ID";
    for (auto at = filled.find(kClient); at != std::string::npos; at = filled.find(kClient, at + id.size()))
        filled.replace(at, kClient.size(), id);
    return filled;
}

std::string_view text_for(const server::RefusalRecord& refusal) {
    if (refusal.status == kWrongMethod) {
        const bool posted = refusal.endpoint == "authorize" && refusal.detail.ends_with("got POST");
        return posted ? kPostToAuthorize : kOtherMethod;
    }
    const auto* for_reason = std::ranges::find_if(kReasonAdvice, [&](const ReasonAdvice& row) {
        return row.error == refusal.error &&
               (refusal.description.starts_with(row.reason) || refusal.detail.starts_with(row.reason));
    });
    if (for_reason != std::end(kReasonAdvice)) return for_reason->text;
    const auto* advice = std::ranges::find(kAdvice, refusal.error, &Advice::error);
    return advice == std::end(kAdvice) ? kOther : advice->text;
}

}  // namespace

std::string advice_for(const server::RefusalRecord& refusal) {
    return with_client(text_for(refusal), refusal.client_id);
}

}  // namespace postern::cli
