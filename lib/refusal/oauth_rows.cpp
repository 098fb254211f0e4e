// The errors of RFC 6749, RFC 6750, RFC 7009 and OpenID Connect: what an application is told.
#include "refusal/rows.h"

namespace postern::refusal {
namespace {

using enum Reason;

constexpr Row kRows[] = {
    {invalid_request, "invalid_request", invalid_request,
     "The client sent a request that breaks the protocol: a parameter is missing, given twice, or malformed. Fix the "
     "client; the detail names the parameter."},
    {invalid_request_pkce_required, "invalid_request_pkce_required", invalid_request,
     "The application sends no code_challenge: switch PKCE on there (with S256). For an application that cannot do "
     "PKCE, `postern client set {client} --pkce optional` accepts its requests.",
     "The application sends no code_challenge: switch PKCE on there (with S256). A client that a document "
     "describes has no secret, and cannot do without."},
    {invalid_request_pkce_of_public_client, "invalid_request_pkce_of_public_client", invalid_request,
     "The application sends no code_challenge: switch PKCE on there (with S256). A client without a secret cannot do "
     "without. If the application can keep a secret but cannot do PKCE, `postern client set {client} --confidential "
     "--pkce optional` makes one and accepts its requests.",
     "The application sends no code_challenge: switch PKCE on there (with S256). A client that a document "
     "describes has no secret, and cannot do without."},
    {invalid_request_challenge_not_s256, "invalid_request_challenge_not_s256", invalid_request,
     "The application sends a plain code_challenge, or no code_challenge_method, which means the same. Set S256 "
     "there, or switch PKCE off if `postern client show {client}` says that it is optional.",
     "The application sends a plain code_challenge, or no code_challenge_method, which means the same. Set S256 "
     "there."},
    {invalid_request_query_mode, "invalid_request_query_mode", invalid_request,
     "The client asks for tokens in the answer, and for that answer in the query of its address, where logs and the next "
     "site see them. Leave response_mode out there, which means the fragment, or select form_post."},
    {invalid_request_jarm_off, "invalid_request_jarm_off", invalid_request,
     "The client asks for a signed answer (response_mode jwt or one that ends with .jwt), and \"jarm\" is false in the "
     "configuration. Set it to true, or let the application use another response_mode."},
    {invalid_request_response_mode, "invalid_request_response_mode", invalid_request,
     "The client is registered for some response modes, and asks for another one, or for none, which means query or "
     "fragment: the detail lists those it has, and `postern client set {client} --response-mode ...` replaces them, naming "
     "every one that the client needs.",
     "The document of the client names response modes, and the application asks for another one, or for none, which means "
     "query: the detail lists those it has. Only the people who publish the document can add it."},
    {invalid_request_id_token_without_openid, "invalid_request_id_token_without_openid", invalid_request,
     "The client asks for an ID token in the answer, and not for the scope openid: add openid to the scopes in the "
     "application."},
    {invalid_request_nonce_required, "invalid_request_nonce_required", invalid_request,
     "The client asks for an ID token in the answer and sends no nonce, without which anybody could give it the ID token of "
     "another sign-in. Switch the nonce on in the application, or let it use response_type=code."},
    {invalid_request_method, "invalid_request_method", invalid_request,
     "The endpoint does not answer that method; the detail names those that it does. Fix the client, or what rewrites "
     "its requests."},
    {invalid_request_post_to_authorize, "invalid_request_post_to_authorize", invalid_request,
     "The client sent its authorization request by POST, which OpenID Connect Core §3.1.2.1 allows; here that is "
     "off. "
     "Let the configuration say \"authorizeMethods\": [\"GET\", \"POST\"], or let the client use GET."},
    {invalid_request_not_pushed, "invalid_request_not_pushed", invalid_request,
     "The client sent its request through the browser, and must push it to the pushed_authorization_request_endpoint of "
     "discovery first: switch pushed authorization requests (PAR) on in the application. Where it cannot, `postern client "
     "set {client} --no-require-pushed-authorization-requests` or --no-profile, or \"requirePar\": false in the configuration: "
     "the detail says which one holds.",
     "The document at the URL of the client, or \"requirePar\" in the configuration, demands pushed authorization requests "
     "(PAR), and the application sent this one through the browser: the detail says which one holds."},
    {invalid_request_pushed_redirect, "invalid_request_pushed_redirect", invalid_request,
     "The pushed request names an address that is not registered. URIs must be equal byte for byte, a slash at the end "
     "included. Register exactly what the client sends with `postern client set {client} --redirect-uri ...`, naming every "
     "URI that stays registered, or correct the client.",
     "The client is what its document says, and the document does not name this address. Only the people who publish it "
     "can add it; it is looked at again when the cached copy is no longer fresh."},
    {invalid_request_uri_in_push, "invalid_request_uri_in_push", invalid_request,
     "The client pushed the address of a request in place of a request (RFC 9126 section 2.1). It must push the parameters; "
     "request_uri is for the authorization endpoint."},
    {invalid_request_proof_missing, "invalid_request_proof_missing", invalid_request,
     "The client is registered for tokens that are bound to its key, and sent no DPoP proof with its token request: switch "
     "DPoP on in the application. Where it cannot, `postern client set {client} --no-dpop-bound-access-tokens`.",
     "The document of the client demands tokens that are bound to its key (dpop_bound_access_tokens), and the application "
     "sent no DPoP proof with its token request: switch DPoP on there."},
    {invalid_request_not_signed, "invalid_request_not_signed", invalid_request,
     "The client pushed its request as plain parameters, and must sign it: let the application send a signed request object "
     "(JAR, the parameter request). Where it cannot, `postern client set {client} --no-require-signed-request-object`, or "
     "\"requireSignedRequestObject\": false in the configuration: the detail says which one holds.",
     "\"requireSignedRequestObject\" in the configuration demands signed requests of every client, and a client that a "
     "document describes has no keys here to sign them with."},
    {invalid_request_certificate_missing, "invalid_request_certificate_missing", invalid_request,
     "The client is registered for tokens that are bound to its certificate, and connected without one: it must send its token "
     "requests to the addresses in mtls_endpoint_aliases of discovery, with its certificate, and the web server must pass that "
     "on there. Java sends a self-signed one only to a web server that names no authorities. Where no certificate can come, "
     "`postern client set {client} --no-tls-client-certificate-bound-access-tokens`.",
     "The document of the client demands tokens that are bound to its certificate "
     "(tls_client_certificate_bound_access_tokens), and the application connected without one."},
    {invalid_client, "invalid_client", invalid_client,
     "Compare client_id and secret with `postern client show {client}`; a new secret comes from `postern client secret "
     "{client}`. "
     "If the client sends credentials and none arrived, the web server removes the Authorization header: the detail "
     "names the directive that passes it.",
     "The client is what the document at its URL says, so it has no secret. Let the application authenticate by "
     "none: client_id in the body of the request, and no Authorization header."},
    {invalid_client_disabled, "invalid_client_disabled", invalid_client,
     "`postern client enable {client}` enables it again."},
    {invalid_client_documents_off, "invalid_client_documents_off", invalid_client,
     "A user approved the client when \"clientDocuments\" was on. Switch it on again to let such clients go on, or register "
     "this one with `postern client remove` and `postern client add URL --public`."},
    {invalid_client_registration_not_open, "invalid_client_registration_not_open", invalid_client,
     "The client registered itself without a token while \"registration\" had the mode \"open\". Set that again to let such "
     "clients go on, or register the application yourself with `postern client add NAME --public`."},
    {invalid_client_public_with_secret, "invalid_client_public_with_secret", invalid_client,
     "The client is registered without a secret. Remove the secret in the application, or register the client with "
     "one: `postern client set {client} --confidential` prints it.",
     "The client is what the document at its URL says, so it has no secret. Remove the secret in the application."},
    {invalid_client_other_method, "invalid_client_other_method", invalid_client,
     "Select the method that the detail names in the application, or accept both: `postern client set {client} "
     "--auth-method client_secret`.",
     "The client is what the document at its URL says, so it has no secret: select the method none in the "
     "application."},
    {invalid_client_assertion, "invalid_client_assertion", invalid_client,
     "The client authenticates by a JWT that it signs, and the detail names the first thing that is wrong with it. `postern "
     "client show {client}` lists the keys that are registered; `postern client set {client} --jwks FILE` replaces them.",
     "The client is what the document at its URL says, and has no keys here: select the method none in the application."},
    {invalid_client_assertion_audience, "invalid_client_assertion_audience", invalid_client,
     "The `aud` of a client assertion must be the issuer, as a string or as an array with that one member. Older libraries send "
     "the URL of the token endpoint: see whether the library has an option or a newer release. \"clientAssertionAudience\": "
     "\"issuer_or_endpoint\" accepts it, and an assertion that was made for another server's endpoint is then accepted as well "
     "if that server told the client a wrong one (CVE-2025-27370)."},
    {invalid_client_assertion_replayed, "invalid_client_assertion_replayed", invalid_client,
     "The client sent a JWT with the same jti before. It must make a new one for each request, also when it tries a request again; "
     "if it does, somebody else has read one and sent it."},
    {invalid_client_assertion_time, "invalid_client_assertion_time", invalid_client,
     "The times in the JWT by which the client authenticates do not fit the clock of this server; the detail has the seconds. "
     "Let NTP set the clock of the client and this one. Where both are right, the client makes the JWT long before it sends it, "
     "or lets it live longer than \"clientAssertionMaxLifetime\"."},
    {invalid_client_assertions_off, "invalid_client_assertions_off", invalid_client,
     "Set \"clientAssertions\": true in the configuration, or give the client a secret: `postern client set {client} "
     "--auth-method client_secret`.",
     "The client is what the document at its URL says, and has no keys here: select the method none in the application."},
    {invalid_client_certificate, "invalid_client_certificate", invalid_client,
     "The client connected with a certificate that is not the registered one; the detail has what was expected and what came. "
     "`postern client show {client}` lists the name or the keys, and `postern client set {client}` replaces them."},
    {invalid_client_certificate_chain, "invalid_client_certificate_chain", invalid_client,
     "The certificate must be issued by an authority of mtls.ca, for clients (extended key usage clientAuth or none), be within its "
     "dates, and the web server must have verified it as well (SUCCESS): compare `openssl verify -purpose sslclient -CAfile FILE "
     "CERTIFICATE`. Intermediate authorities have to be in the file. A client with a self-signed certificate registers its key: "
     "`postern client set {client} --auth-method self_signed_tls_client_auth --jwks FILE`.",
     "The client is what the document at its URL says, and has no certificate here: select the method none in the application."},
    {invalid_client_certificate_missing, "invalid_client_certificate_missing", invalid_client,
     "No certificate arrived. The client must connect to the addresses in mtls_endpoint_aliases of discovery and show its "
     "certificate there; the web server must ask for one (it refuses none that are missing) and pass the variables that \"mtls\" "
     "names, as the examples for Apache and nginx do. lighttpd passes on no self-signed certificate, and Java sends one only to a "
     "web server that names no authorities."},
    {invalid_client_mtls_off, "invalid_client_mtls_off", invalid_client,
     "Configure \"mtls\", with \"ca\" for tls_client_auth, or let the client authenticate in another way: `postern client set "
     "{client} --auth-method client_secret` gives it a secret.",
     "The client is what the document at its URL says, and has no certificate here: select the method none in the application."},
    {invalid_client_public_pushes, "invalid_client_public_pushes", invalid_client,
     "\"par.publicClients\" is false, and the client has no secret. Give it one with `postern client set {client} "
     "--confidential` where the application can keep it, or let the configuration say \"par\": {\"publicClients\": true}.",
     "\"par.publicClients\" is false, and a client that a document describes has no secret. Let the configuration say \"par\": "
     "{\"publicClients\": true}; unless \"requirePar\" is true, the application can send its requests through the browser."},
    {invalid_client_pushes, "invalid_client_pushes", invalid_client,
     "The client that pushed the request cannot be used now; the detail says why.",
     "The document at the URL of the client was not found, or this server does not accept what it says; the detail says "
     "why. `postern client show` does not know a client that no user has approved yet."},
    {invalid_client_profile, "invalid_client_profile", invalid_client,
     "The client must keep to the profile fapi2 and authenticates with a secret or not at all. Give it the method "
     "private_key_jwt and its keys with `postern client set {client}`. `postern doctor` names all clients that do not fit "
     "their profile."},
    {invalid_client_public_introspects, "invalid_client_public_introspects", invalid_client,
     "Let the API introspect with a client of its own that has a secret: `postern client add NAME --grant "
     "client_credentials --scope \"\"`. \"introspectionRequiresConfidentialClient\": false in the configuration admits "
     "public clients too."},
    {invalid_client_document_introspects, "invalid_client_document_introspects", invalid_client,
     "Tokens are for an API, and this client is an application that a document describes. Let the API introspect with a "
     "client of its own that has a secret: `postern client add NAME --grant client_credentials --scope \"\"`."},
    {invalid_client_dynamic_introspects, "invalid_client_dynamic_introspects", invalid_client,
     "Tokens are for an API, and this client is an application that registered itself. Let the API introspect with a "
     "client of its own that has a secret: `postern client add NAME --grant client_credentials --scope \"\"`."},
    {invalid_grant, "invalid_grant", invalid_grant,
     "The code or token was used before, has expired, was issued to another client, was ended when the user lost the "
     "right to use the client, or the redirect_uri or "
     "code_verifier differs from the first step. The client must start a new authorization; if it happens every time, "
     "compare what it sends in both steps."},
    {invalid_grant_other_key, "invalid_grant_other_key", invalid_grant,
     "The code or refresh token is bound to a key of the application, and the request showed another one or none. The "
     "application must keep one key for a sign-in, from the authorization request to the last refresh; one that has lost its "
     "key starts a new sign-in. With \"dpop\": \"off\" in the configuration nothing that is bound can be used."},
    {invalid_grant_other_certificate, "invalid_grant_other_certificate", invalid_grant,
     "The refresh token is bound to a certificate of the application, which has no secret, and the request came with another one "
     "or none. An application that has a new certificate starts a new sign-in. Without \"mtls\" in the configuration nothing that "
     "is bound can be used."},
    {unauthorized_client, "unauthorized_client", unauthorized_client,
     "The client is not registered for this grant; register it with `postern client set {client} --grant ...`, naming every "
     "grant that the client needs.",
     "The document at the URL of the client does not name this grant in grant_types; only the people who publish "
     "it can add it. Such a client can have authorization_code and refresh_token and no other grant."},
    {invalid_token_bound, "invalid_token_bound", invalid_token,
     "The access token is bound to a key of the application, and came without a DPoP proof: as a bearer token, or without the "
     "header DPoP. An application that has the token type DPoP sends `Authorization: DPoP TOKEN` and a new proof each time; "
     "one that never asked for such a token has somebody else's."},
    {invalid_token_certificate, "invalid_token_certificate", invalid_token,
     "The access token is bound to a certificate of the application, and came with another one or none: the application calls "
     "the UserInfo address in mtls_endpoint_aliases of discovery with the certificate that it got the token with. One whose "
     "certificate is new asks for a new token."},
    {invalid_dpop_proof, "invalid_dpop_proof", invalid_dpop_proof,
     "The application showed a DPoP proof that is not good for its request, and the detail names the first thing that is wrong "
     "with it. An `htu` of another address comes from an application that does not use the addresses of discovery."},
    {invalid_dpop_proof_replayed, "invalid_dpop_proof_replayed", invalid_dpop_proof,
     "The application sent a DPoP proof with the same jti before. It must make a new one for each request, also when it tries a "
     "request again; if it does, somebody else has read one and sent it."},
    {invalid_dpop_proof_time, "invalid_dpop_proof_time", invalid_dpop_proof,
     "The time in the DPoP proof does not fit the clock of this server; the detail has the seconds, and \"clockSkew\" and "
     "\"dpopMaxAge\" say how many may be. Let NTP set the clock of the application's machine and this one. Where both are "
     "right, the application makes the proof long before it sends it."},
    {unauthorized_client_response_type, "unauthorized_client_response_type", unauthorized_client,
     "The client is not registered for this response_type: `postern client show {client}` lists those it has, and `postern "
     "client set {client} --response-type ...` replaces them, naming every one that the client needs.",
     "A client that a document describes can have the response type code and no other: let the application use "
     "response_type=code."},
    {unauthorized_client_demand_off, "unauthorized_client_demand_off", unauthorized_client,
     "The client is registered with a demand that the configuration does not meet any more: it gets nothing, because it "
     "must not get less than it demands. Switch on what the detail names, or take the demand away with `postern client set "
     "{client}` and --no-require-pushed-authorization-requests, --no-require-signed-request-object, "
     "--no-dpop-bound-access-tokens, --no-tls-client-certificate-bound-access-tokens or --no-response-mode.",
     "The document of the client demands what the configuration does not offer any more. Switch on what the detail names; "
     "only the people who publish the document can take the demand away."},
    {unauthorized_client_profile, "unauthorized_client_profile", unauthorized_client,
     "The client must keep to the profile fapi2, its own or that of the configuration, and does not; the detail names the "
     "first rule that it breaks. Change the client with `postern client set {client}`, or the configuration. `postern doctor` "
     "names all clients that do not fit their profile."},
    {unsupported_grant_type, "unsupported_grant_type", unsupported_grant_type,
     "This server does not offer the grant_type; discovery lists those it does in grant_types_supported."},
    {unsupported_response_type, "unsupported_response_type", unsupported_response_type,
     "There is no such response_type. Its words are code, id_token and token, each once and in lower case; "
     "response_type=code is always best where the application can use it."},
    {unsupported_response_type_off, "unsupported_response_type_off", unsupported_response_type,
     "The configuration does not offer the response_type. Let the application use response_type=code. Where it cannot, add "
     "the response type to \"responseTypes\", and register the client for it with `postern client set {client} "
     "--response-type ...`.",
     "The configuration does not offer the response_type, and a client that a document describes can have code and no "
     "other: let the application use response_type=code."},
    {access_denied, "access_denied", access_denied,
     "The user denied the request. This is not a fault; the client should tell the user and offer to try again."},
    {access_denied_may_not_use, "access_denied_may_not_use", access_denied, kAdviceForOthers},
    {access_denied_on_device_page, "access_denied_on_device_page", access_denied,
     "The user denied the device. This is not a fault; the device should tell the user and offer to try again."},
    {access_denied_device_right_lost, "access_denied_device_right_lost", access_denied,
     "The user approved the device, and before it polled again the user was disabled, changed the password, withdrew the access or "
     "lost the right to use the client: the detail says which. The device asks for a new code."},
    {authorization_pending, "authorization_pending", authorization_pending,
     "The user has not answered yet. The device polls again after `interval` seconds; nothing is wrong."},
    {slow_down, "slow_down", slow_down,
     "The device polls more often than `interval` allows. It must wait 5 seconds longer after each slow_down (RFC 8628 section "
     "3.5); fix the client if it goes on."},
    {slow_down_device_requests, "slow_down_device_requests", slow_down,
     "The client asks for too many device codes: 20 a minute and 10 open ones of one address for clients without a secret, 60 a "
     "minute and a quarter of device.max for one with a secret. Machines behind one address share its limit: a client with a "
     "secret is not counted by address."},
    {expired_token, "expired_token", expired_token,
     "The user did not approve the device within deviceCodeTTL seconds. The device asks for a new code."},
    {server_error, "server_error", server_error,
     "The server failed. The log has a line with this request id; `postern doctor` finds most causes."},
    {invalid_token, "invalid_token", invalid_token,
     "The access token has expired, was revoked, or was not issued here. The client must get a new one; `detail` says "
     "which. If the client sends one and none arrived, the web server removes the Authorization header: the detail "
     "names the directive that passes it."},
    {insufficient_scope, "insufficient_scope", insufficient_scope,
     "The token was issued without the scope that is needed here; the client must request it when it asks for "
     "authorization."},
    {unsupported_token_type, "unsupported_token_type", unsupported_token_type,
     "This server does not know the token_type_hint; leave it out."},
    {login_required, "login_required", login_required,
     "The client sent prompt=none, but no user is logged in, or the login is older than max_age. The client should "
     "repeat the request without prompt=none."},
    {login_required_second_factor, "login_required_second_factor", login_required,
     "The client sent prompt=none, and it or the operator requires a second factor, which this login was without. The client "
     "should repeat the request without prompt=none."},
    {consent_required_each_time, "consent_required_each_time", consent_required,
     "The client sent prompt=none, and it registered itself without a token: users approve such a client each time, and "
     "nothing is remembered. The application should send the request without prompt=none; for an application that you know, "
     "`postern client add` registers one that users approve once."},
    {consent_required, "consent_required", consent_required,
     "The client sent prompt=none, but the user has not approved these scopes. The client should repeat the request "
     "without prompt=none; for an application of your own, use `postern client set {client} --first-party`.",
     "The client sent prompt=none, but the user has not approved these scopes. The application should repeat the "
     "request without prompt=none: users approve such a client themselves."},
    {unmet_authentication_requirements, "unmet_authentication_requirements", unmet_authentication_requirements,
     "The client requires a value of `acr` that no login here can have; the detail names those that can. Let it ask for one of "
     "these, or name its value in login.acrNames."},
    {unmet_requirements_not_offered, "unmet_requirements_not_offered", unmet_authentication_requirements,
     "A second factor is required, and the configuration offers none: it needs \"login\": {\"method\": \"password\"} and a "
     "\"secondFactor\" that is not \"off\". `postern client show {client}` says whether the operator requires it; `postern client "
     "set {client} --acr any` takes that back. Otherwise the client asks for it.",
     "The application asks for a second factor, and the configuration offers none: it needs \"login\": "
     "{\"method\": \"password\"} and a \"secondFactor\" that is not \"off\"."},
    {unmet_requirements_no_passkey, "unmet_requirements_no_passkey", unmet_authentication_requirements,
     "The login was in order, and not by a passkey. The user sets one up on the account page and tries again. `postern client show "
     "{client}` says whether the operator requires one; `postern client set {client} --acr mfa` is content with a code. "
     "Otherwise the client asks for it.",
     "The login was in order, and not by a passkey, for which the application asks. The user sets one up on the "
     "account page and tries again."},
    {request_not_supported, "request_not_supported", request_not_supported,
     "Request objects are not read at the authorization endpoint; the client must send plain parameters, or push its signed "
     "request to the pushed_authorization_request_endpoint of discovery (see \"requestObjects\" in the configuration)."},
    {request_not_supported_in_push, "request_not_supported_in_push", request_not_supported,
     "The client pushed a request object, and \"requestObjects\" is \"off\" in the configuration. Set it to \"allowed\", or let "
     "the application push plain parameters."},
    {invalid_request_object, "invalid_request_object", invalid_request_object,
     "The client signs its requests, and the detail names the first thing that is wrong with this one. `postern client show "
     "{client}` lists the keys that are registered, and the algorithm if there is one alone.",
     "The client is what the document at its URL says, and has no keys here: let the application push plain parameters."},
    {invalid_request_object_time, "invalid_request_object_time", invalid_request_object,
     "The times in the request that the client has signed do not fit the clock of this server; the detail has the seconds. Let "
     "NTP set the clock of the client and this one. Where both are right, the client signs the request long before it sends it, "
     "or lets it live longer than an hour."},
    {request_uri_not_supported, "request_uri_not_supported", request_uri_not_supported,
     "request_uri is not supported; the client must send plain parameters."},
    {registration_not_supported, "registration_not_supported", registration_not_supported,
     "The registration parameter is not supported; register the client with `postern client add`."},
};

}  // namespace

constinit const std::span<const Row> kOAuthRows = kRows;

}  // namespace postern::refusal
