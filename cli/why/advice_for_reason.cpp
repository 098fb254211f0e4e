// The reasons that share an error code.
#include "cli/why/advice_for_reason.h"

#include <algorithm>
#include <iterator>

namespace postern::cli {
namespace {

struct ReasonAdvice {
    std::string_view error;
    std::string_view reason;  ///< how the description or the detail begins
    std::string_view text;
    std::string_view for_described = {};  ///< in place of `text`, where a document describes the client
};

constexpr std::string_view kFactorKeyAdvice =
    "Without keys/factor.key no code can be checked and no app can be set up. Restore the file from the backup that belongs to the "
    "database; where no user has a second factor yet, `postern key repair` makes one. Then start login and account again.";

constexpr ReasonAdvice kReasonAdvice[] = {
    // RFC 7636, RFC 9700 §2.1.1
    {"invalid_request", "the client is registered with --pkce required",
     "The application sends no code_challenge: switch PKCE on there (with S256). For an application that cannot do "
     "PKCE, `postern client set {client} --pkce optional` accepts its requests.",
     "The application sends no code_challenge: switch PKCE on there (with S256). A client that a document "
     "describes has no secret, and cannot do without."},
    {"invalid_request", "a public client",
     "The application sends no code_challenge: switch PKCE on there (with S256). A client without a secret cannot do "
     "without. If the application can keep a secret but cannot do PKCE, `postern client set {client} --confidential "
     "--pkce optional` makes one and accepts its requests.",
     "The application sends no code_challenge: switch PKCE on there (with S256). A client that a document "
     "describes has no secret, and cannot do without."},
    {"invalid_request", "code_challenge_method must be S256",
     "The application sends a plain code_challenge, or no code_challenge_method, which means the same. Set S256 "
     "there, or switch PKCE off if `postern client show {client}` says that it is optional.",
     "The application sends a plain code_challenge, or no code_challenge_method, which means the same. Set S256 "
     "there."},
    // RFC 6749 §2.3
    {"invalid_client", "the client is disabled", "`postern client enable {client}` enables it again."},
    {"invalid_client", "a document describes the client, and clientDocuments is off",
     "A user approved the client when \"clientDocuments\" was on. Switch it on again to let such clients go on, or register "
     "this one with `postern client remove` and `postern client add URL --public`."},
    {"invalid_client", "a public client has no secret",
     "The client is registered without a secret. Remove the secret in the application, or register the client with "
     "one: `postern client set {client} --confidential` prints it.",
     "The client is what the document at its URL says, so it has no secret. Remove the secret in the application."},
    {"invalid_client", "the client is registered for",
     "Select the method that the detail names in the application, or accept both: `postern client set {client} "
     "--auth-method client_secret`.",
     "The client is what the document at its URL says, so it has no secret: select the method none in the "
     "application."},
    {"invalid_client", "only a confidential client may introspect",
     "Let the API introspect with a client of its own that has a secret: `postern client add NAME --grant "
     "client_credentials --scope \"\"`. \"introspectionRequiresConfidentialClient\": false in the configuration admits "
     "public clients too."},
    {"invalid_client", "this client may not introspect",
     "Tokens are for an API, and this client is an application that a document describes. Let the API introspect with a "
     "client of its own that has a secret: `postern client add NAME --grant client_credentials --scope \"\"`."},
    // RFC 6749 §3.3
    {"invalid_scope", "OpenID scope",
     "OpenID Connect is off: set \"oidc\" in the configuration, or let the client leave the scope out."},
    {"invalid_scope", "unknown scope",
     "This server does not know the scope that the detail names, and the client is not registered for it. Register it "
     "with `postern client set {client} --scope \"...\"`, naming every scope that the client needs, and describe it in "
     "\"scopeDescriptions\" of the configuration, which the consent page shows; or let the client leave it out. Only "
     "where openid is asked for, too, is such a scope ignored; the log then has a line scope_ignored.",
     "The client may ask for what clientDocuments.scope of the configuration and the scope of its document both "
     "name. Add the scope that the detail names to that key if such clients are to have it, and describe it in "
     "\"scopeDescriptions\", which the consent page shows; or let the application leave it out. Only where openid "
     "is asked for, too, is an unknown scope ignored; the log then has a line scope_ignored."},
    {"invalid_scope", "scope must be words",
     "The client sends a scope with a character that no scope has, such as a quote or a letter that is not ASCII, or "
     "more than 64 words. Correct it there."},
    {"invalid_scope", "the scope exceeds what was granted",
     "The refresh request names a scope that the client did not ask for at the authorization, or nothing else than "
     "scopes that it has lost since; the detail says which was granted. Let the client leave out scope, or send the "
     "user to authorize again."},
    {"invalid_scope", "the client_credentials grant has no OpenID scopes",
     "No user takes part in this grant, so it has no openid, profile, email, address, phone or offline_access. Let the "
     "client leave these out, or name its own scopes."},
    {"invalid_scope", "the client is not registered for the scope of a requested claim",
     "The client asks for the claim that the detail names, by the claims parameter. Register the scope of that claim "
     "with `postern client set {client} --scope \"...\"`, naming every scope that the client needs, or let the client "
     "ask for less.",
     "The application asks for the claim that the detail names, by the claims parameter. Add the scope of that "
     "claim to clientDocuments.scope of the configuration if such clients are to have it, or let the application "
     "ask for less."},
    // what lib/web says of a request that is not of the browser
    {"other_browser", "the request is not bound to a browser",
     "A link that is for the authorization endpoint was opened at another page, which no browser does by itself. The page "
     "starts the sign-in over."},
    // what lib/web says of saslauthd
    {"login_failed", "saslauthd refused the name and password",
     "saslauthd knows no such name, or another password for it. Ask it with testsaslauthd, with the service and realm of "
     "login.saslauthd; what it says itself is in the log of the machine (`journalctl -u saslauthd`)."},
    {"login_failed", "saslauthd accepted the name and password",
     "The password is right, and no user here has that name, byte by byte: `postern user add NAME`, or \"autoCreate\" in \"login\" "
     "makes a user of each name that saslauthd accepts, unless something in the name cannot be seen."},
    {"temporarily_unavailable", "saslauthd at",
     "saslauthd did not answer as it should: it does not run, this process may not connect to its socket, or it waits for a "
     "directory that is slow or away. `postern doctor` asks it; `journalctl -u saslauthd` has what it says itself."},
    {"temporarily_unavailable", "what listens at",
     "Another program than saslauthd listens at the socket: name saslauthd's in \"login\": {\"saslauthd\": {\"socket\": ...}}."},
    // RFC 6749 §4.1.2.1
    {"access_denied", "the user may not use this client", kAdviceForOthers},
    // second factors: what lib/web says of a code
    {"second_factor_failed", "the app's clock is off by",
     "The clock of the user's device differs from this machine's by what the detail says, and codes count for 30 seconds. Let "
     "the device set its time by the network. If many users have this, the clock here is wrong: `postern doctor` looks at it."},
    {"second_factor_failed", "the code of the app was used before",
     "Each code counts once, also one that was typed in another tab. The user should wait for the next one."},
    {"second_factor_failed", "a code of an app, and the user has none",
     "The user has recovery codes only, of sixteen digits, and typed six. `postern user factors NAME` shows what there is."},
    {"second_factor_failed", "a recovery code that",
     "A recovery code counts once, and new codes end all earlier ones. `postern user factors NAME` says how many are unused; the "
     "user makes new ones in the account, with a code of the app."},
    {"second_factor_throttled", "too many wrong codes from places not known",
     "A hundred codes in a row were wrong, after a right password: it may be known to somebody else. Ask the user. `postern user "
     "passwd NAME` sets another password and lets codes count again; `postern user factors NAME --resume` does so without one."},
    {"second_factor_missing", "there is no factor.key", kFactorKeyAdvice},
    {"app_refused", "there is no factor.key", kFactorKeyAdvice},
    {"app_refused", "the app's clock is off by",
     "The clock of the user's device differs from this machine's by what the detail says, so the app was not turned on. Let the "
     "device set its time by the network."},
    {"passkey_change_refused", "the origin is not that of the issuer",
     "The browser had the page at another address than the issuer's. Users must open the account at the issuer, and a proxy must "
     "not serve it under a second name."},
    {"temporarily_unavailable", "factor.key is missing", kFactorKeyAdvice},
    {"temporarily_unavailable", "factor.key does not open",
     "The secret of this user's app was sealed with another factor.key. Restore the file from the backup that belongs to the "
     "database and start login and account again. If it is lost, `postern user factors SUB --remove all`, with the `sub` of the "
     "detail, lets the user set up a new app."},
    // OpenID Connect Core §3.1.2.6, §5.5.1.1
    {"login_required", "the user must log in with a second factor",
     "The client sent prompt=none, and it or the operator requires a second factor, which this login was without. The client "
     "should repeat the request without prompt=none."},
    {"unmet_authentication_requirements", "the client (client set --acr) or an essential acr",
     "A second factor is required, and the configuration offers none: it needs \"login\": {\"method\": \"password\"} and a "
     "\"secondFactor\" that is not \"off\". `postern client show {client}` says whether the operator requires it; `postern client "
     "set {client} --acr any` takes that back. Otherwise the client asks for it.",
     "The application asks for a second factor, and the configuration offers none: it needs \"login\": "
     "{\"method\": \"password\"} and a \"secondFactor\" that is not \"off\"."},
    {"unmet_authentication_requirements", "the user has no passkey, which client set --acr phr or an essential acr",
     "The login was in order, and not by a passkey. The user sets one up on the account page and tries again. `postern client show "
     "{client}` says whether the operator requires one; `postern client set {client} --acr mfa` is content with a code. "
     "Otherwise the client asks for it.",
     "The login was in order, and not by a passkey, for which the application asks. The user sets one up on the "
     "account page and tries again."},
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
    {"client_document_busy", "as many fetches are under way",
     "Other processes of this machine waited for hosts, and no more may than outbound.slots says. The user can try again. If it "
     "happens often, raise that, and start more processes of authorize than it says."},
    {"client_document_busy", "the fetches that this address has asked for",
     "One address has asked for more documents than their share. It ends within a minute, and fetches for others go on."},
    {"client_document_busy", "the fetches for the user who brought this client",
     "The documents of clients that one user has brought are slow, fail, or are many. It ends within a minute, and fetches for "
     "others go on."},
    {"client_document_busy", "fetches have taken half of this minute",
     "Hosts answer slowly. Name the hosts that you trust in clientDocuments.allow, or raise outbound.slots, with more processes of "
     "authorize than it says."},
    {"client_document_refused", "its host has not answered",
     "The host kept this server waiting. It is asked again after 30 seconds, then after twice as long each time, up to 8 "
     "minutes."},
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

static_assert(std::ranges::all_of(kReasonAdvice, [](const ReasonAdvice& row) {
    return !is_refused_for_documents(row.for_described) &&
           (!row.for_described.empty() || !is_refused_for_documents(row.text));
}));

}  // namespace

std::optional<std::string_view> advice_for_reason(const server::RefusalRecord& refusal, ClientKind kind) {
    const auto* row = std::ranges::find_if(kReasonAdvice, [&](const ReasonAdvice& each) {
        return each.error == refusal.error &&
               (refusal.description.starts_with(each.reason) || refusal.detail.starts_with(each.reason));
    });
    if (row == std::end(kReasonAdvice)) return std::nullopt;
    return kind == ClientKind::described && !row->for_described.empty() ? row->for_described : row->text;
}

}  // namespace postern::cli
