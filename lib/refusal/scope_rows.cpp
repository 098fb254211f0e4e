// Scopes and resources: RFC 6749 §3.3, RFC 8707 §2.
#include "refusal/rows.h"

namespace postern::refusal {
namespace {

using enum Reason;

constexpr Row kRows[] = {
    {invalid_scope, "invalid_scope", invalid_scope,
     "The client is not registered for the scope that the detail names. Register it with `postern client set {client} "
     "--scope \"...\"`, naming every scope that the client needs, or let the client ask for less.",
     "The client may ask for what clientDocuments.scope of the configuration and the scope of its document both "
     "name. Add the scope that the detail names to that key if such clients are to have it, or let the application "
     "ask for less."},
    {invalid_scope_openid_off, "invalid_scope_openid_off", invalid_scope,
     "OpenID Connect is off: set \"oidc\" in the configuration, or let the client leave the scope out."},
    {invalid_scope_unknown, "invalid_scope_unknown", invalid_scope,
     "This server does not know the scope that the detail names, and the client is not registered for it. Register it "
     "with `postern client set {client} --scope \"...\"`, naming every scope that the client needs, and describe it in "
     "\"scopeDescriptions\" of the configuration, which the consent page shows; or let the client leave it out. Only "
     "where openid is asked for, too, is such a scope ignored; the log then has a line scope_ignored.",
     "The client may ask for what clientDocuments.scope of the configuration and the scope of its document both "
     "name. Add the scope that the detail names to that key if such clients are to have it, and describe it in "
     "\"scopeDescriptions\", which the consent page shows; or let the application leave it out. Only where openid "
     "is asked for, too, is an unknown scope ignored; the log then has a line scope_ignored."},
    {invalid_scope_malformed, "invalid_scope_malformed", invalid_scope,
     "The client sends a scope with a character that no scope has, such as a quote or a letter that is not ASCII, or "
     "more than 64 words. Correct it there."},
    {invalid_scope_beyond_grant, "invalid_scope_beyond_grant", invalid_scope,
     "The refresh request names a scope that the client did not ask for at the authorization, or nothing else than "
     "scopes that it has lost since; the detail says which was granted. Let the client leave out scope, or send the "
     "user to authorize again."},
    {invalid_scope_openid_without_user, "invalid_scope_openid_without_user", invalid_scope,
     "No user takes part in this grant, so it has no openid, profile, email, address, phone or offline_access. Let the "
     "client leave these out, or name its own scopes."},
    {invalid_scope_of_claim, "invalid_scope_of_claim", invalid_scope,
     "The client asks for the claim that the detail names, by the claims parameter. Register the scope of that claim "
     "with `postern client set {client} --scope \"...\"`, naming every scope that the client needs, or let the client "
     "ask for less.",
     "The application asks for the claim that the detail names, by the claims parameter. Add the scope of that "
     "claim to clientDocuments.scope of the configuration if such clients are to have it, or let the application "
     "ask for less."},
    {invalid_scope_not_of_resources, "invalid_scope_not_of_resources", invalid_scope,
     "The client asks for a scope that none of the APIs has which it names; the detail lists those that they have. Add it "
     "with `postern resource set URI --scope`, or let the client ask for less."},
    {invalid_scope_none_of_resource, "invalid_scope_none_of_resource", invalid_scope,
     "Nothing of what the client asks for is a scope of the API that it names; the detail lists its scopes. Let the client ask "
     "for one of these, or change them with `postern resource set URI --scope`."},
    {invalid_target, "invalid_target", invalid_target,
     "The audience asked for may not be used for a token: it is this server, one of its endpoints or another client. "
     "Leave it out or name the API. `audience` of an authorization request is recorded and gives no token its `aud`: "
     "`resource` does, or `audience` of the token request."},
    {invalid_target_this_server, "invalid_target_this_server", invalid_target,
     "The token request names this server as its audience. UserInfo needs none: leave `audience` (or `aud`) out there, "
     "or name the API that is to accept the token."},
    {invalid_target_client, "invalid_target_client", invalid_target,
     "The audience that the detail names is a client that signs users in, which could take the access token for an ID "
     "token. Name the API by its URL, or give it a client of its own: `postern client add NAME --grant "
     "client_credentials --scope \"\"`."},
    {invalid_target_two_audiences, "invalid_target_two_audiences", invalid_target,
     "The token request has both `aud` and `audience`, which mean the same here. Let the client send one of them."},
    {invalid_target_audience_and_resource, "invalid_target_audience_and_resource", invalid_target,
     "`aud`, `audience` and `resource` mean the same here. Let the client send `resource` alone."},
    {invalid_target_malformed, "invalid_target_malformed", invalid_target,
     "The client sends a name, a path or a URI with #. Let it send the API's URI in full, such as "
     "https://api.example.org/; what is no URI can be sent as `audience`."},
    {invalid_target_several, "invalid_target_several", invalid_target,
     "The token request has `resource` more than once. Let the client ask for a token for each API."},
    {invalid_target_too_many, "invalid_target_too_many", invalid_target,
     "Let the client name at most eight at one authorization."},
    {invalid_target_disabled, "invalid_target_disabled", invalid_target,
     "The operator has disabled the API that the detail names: `postern resource enable URI` lets clients ask for tokens "
     "for it again."},
    {invalid_target_not_listed, "invalid_target_not_listed", invalid_target,
     "The client has a list of APIs, `resources` of `postern client show {client}`, and the one that the detail names is "
     "not among them. Add it with `postern client set {client} --resource`, naming all of them. A path is compared byte "
     "for byte: a slash at its end counts."},
    {invalid_target_not_granted, "invalid_target_not_granted", invalid_target,
     "The authorization request named other APIs, which the detail lists, and the user approved these. Let the client send "
     "the same `resource` in both requests. A path is compared byte for byte: a slash at its end counts; `postern "
     "resource set --alias` makes two spellings one API."},
    {invalid_target_ambiguous, "invalid_target_ambiguous", invalid_target,
     "The authorization request named several APIs. Let the client send `resource` with one of them in the token "
     "request."},
    {invalid_target_required, "invalid_target_required", invalid_target,
     "Tokens of profile rfc9068 have an audience, the request names none, and there is no default. Let the client send "
     "`resource`, or use `postern client set {client} --default-resource`."},
    {invalid_target_unregistered, "invalid_target_unregistered", invalid_target,
     "A client that a document describes, or that registered itself, may name only APIs of yours. Register the one that "
     "the detail names with `postern resource add URI`, or give the one that is registered another spelling with `postern "
     "resource set URI --alias`."},
};

}  // namespace

constinit const std::span<const Row> kScopeRows = kRows;

}  // namespace postern::refusal
