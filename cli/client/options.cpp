// Applies the options of `client add` and `client set`; oauth/registration checks the result.
#include "cli/client/options.h"

#include <algorithm>

#include "cli/command.h"
#include "text/language_tag.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using model::AuthMethod;
using model::Client;
using model::ClientType;
using model::GrantType;

/// Undoes --access-token-profile.
constexpr const char* kAsConfigured = "default";

/// Removes duplicates. A space inside is refused later; those at the ends are gone.
std::vector<std::string> distinct(const std::vector<std::string>& uris) {
    std::vector<std::string> result;
    for (const std::string& uri : uris)
        if (std::ranges::find(result, uri) == result.end()) result.push_back(uri);
    return result;
}

void replace_uris(std::vector<std::string>& uris, const std::vector<std::string>& given, bool none,
                  const char* option) {
    if (none && !given.empty())
        throw UsageError(std::string("--no-") + option + " and --" + option + " contradict each other");
    if (none || !given.empty()) uris = distinct(given);
}

void apply_type(const ClientOptions& options, Client& client) {
    std::optional<AuthMethod> method;
    if (options.auth_method) method = model::parse_auth_method(*options.auth_method);
    if (method && options.is_public && *options.is_public != (*method == AuthMethod::none)) {
        throw UsageError(
            "a public client has no secret: --public goes with --auth-method none, --confidential with the others");
    }
    const bool was_public = client.type == ClientType::public_;
    const bool is_public = method ? *method == AuthMethod::none : options.is_public.value_or(was_public);
    client.type = is_public ? ClientType::public_ : ClientType::confidential;
    if (method)
        client.auth_method = *method;
    else if (is_public != was_public)
        client.auth_method = is_public ? AuthMethod::none : AuthMethod::client_secret;
    if (is_public && !was_public) client.pkce = model::Pkce::required;
}

/// As `client show` and RFC 8628 §3.4 name it; `device_code` is for people.
constexpr const char* kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

model::Level level_of(std::string_view acr) {
    if (acr == "any") return model::Level::unknown;
    return acr == "phr" ? model::Level::phishing_resistant : model::Level::second_factor;
}

model::Scope parse_scope(const std::string& text) {
    auto scope = model::Scope::parse(util::trim(text));
    if (!scope)
        throw Refused(
            "the scope must be words of printable ASCII characters separated by single spaces, like --scope \"openid "
            "email\"");
    return *scope;
}

model::ResponseType parse_response_type(const std::string& text) {
    const auto type = model::parse_response_type(util::trim(text));
    if (!type)
        throw UsageError("--response-type: \"" + text +
                         "\" is not made of the words code, id_token and token, each once, like \"code id_token\"");
    return *type;
}

void apply_response_types(const ClientOptions& options, Client& client) {
    if (options.no_response_type && !options.response_types.empty())
        throw UsageError("--no-response-type and --response-type contradict each other");
    if (options.no_response_type || !options.response_types.empty()) client.response_types.clear();
    for (const std::string& type : options.response_types) client.response_types.insert(parse_response_type(type));
}

void apply_algorithm(const std::optional<std::string>& given, bool none, const std::string& option,
                     std::optional<crypto::Algorithm>& algorithm) {
    if (none && given) throw UsageError("--no-" + option + " and --" + option + " contradict each other");
    if (none) algorithm.reset();
    if (given) algorithm = crypto::parse_algorithm(*given);
}

void apply_signed_requests(const ClientOptions& options, Client& client) {
    if (options.no_request_object_alg && options.request_object_alg)
        throw UsageError("--no-request-object-signing-alg and --request-object-signing-alg contradict each other");
    if (options.require_signed_request) client.require_signed_request = *options.require_signed_request;
    if (options.no_request_object_alg) client.request_object_alg.clear();
    if (options.request_object_alg) client.request_object_alg = *options.request_object_alg;
}

void apply_response_modes(const ClientOptions& options, Client& client) {
    if (options.no_response_mode && !options.response_modes.empty())
        throw UsageError("--no-response-mode and --response-mode contradict each other");
    if (options.no_response_mode || !options.response_modes.empty())
        client.response_modes = {options.response_modes.begin(), options.response_modes.end()};
}

void apply_profile(const ClientOptions& options, Client& client) {
    if (options.no_profile && options.profile) throw UsageError("--no-profile and --profile contradict each other");
    if (options.no_profile) client.security_profile = model::SecurityProfile::none;
    if (!options.profile) return;
    client.security_profile = *model::parse_security_profile(*options.profile);
    client.pkce = model::Pkce::required;  // unless --pkce says what oauth/registration refuses then
}

void apply_resource_server(const ClientOptions& options, Client& client) {
    if (options.no_resource_server && options.resource_server)
        throw UsageError("--no-resource-server and --resource-server contradict each other");
    if (options.no_resource_server) client.resource_server.clear();
    if (options.resource_server) client.resource_server = util::trim(*options.resource_server);
}

void set_name_in(Client& client, const std::string& given) {
    const auto equals = given.find('=');
    const std::string tag = given.substr(0, equals);
    if (equals == std::string::npos || !text::is_language_tag(tag))
        throw UsageError("--name-in: \"" + given + "\" is not a language tag, \"=\" and a name, such as de=Unser Wiki");
    const std::string name = given.substr(equals + 1);
    if (name.empty())
        client.names.erase(tag);
    else
        client.names[tag] = name;
}

}  // namespace

void add_token_options(const Command& command, TokenOptions& options) {
    command
        .option("--access-token-profile", "PROFILE", options.profile,
                "interface, rfc9068, or default, which is \"accessTokenProfile\" of the configuration; rfc9068 is for "
                "APIs that verify tokens themselves")
        .one_of({kAsConfigured, "interface", "rfc9068"});
    command.flag("--groups-in-access-token", options.groups, true,
                 "With profile rfc9068 and the scope groups, put the names of the user's groups into the access token");
    command.option(
        "--default-resource", "URI", options.default_resource,
        "With profile rfc9068, the audience of tokens whose request names none (default: \"defaultResource\")");
    command.option("--resource", "URI", options.resources,
                   "What its tokens may be for; repeatable (default: any API, but see `postern resource disable`)");
}

void add_token_set_options(const Command& command, TokenOptions& options) {
    command.flag("--no-groups-in-access-token", options.groups, false, "Undo --groups-in-access-token");
    command.flag("--no-default-resource", options.no_default_resource, "Undo --default-resource");
    command.flag("--no-resource", options.no_resource, "Undo --resource: its tokens may be for any API");
}

void apply(const TokenOptions& options, model::Client& client) {
    if (options.no_default_resource && options.default_resource)
        throw UsageError("--no-default-resource and --default-resource contradict each other");
    if (options.profile) client.access_token_profile = model::parse_token_profile(*options.profile);
    if (options.groups) client.groups_in_access_token = *options.groups;
    if (options.default_resource) client.default_resource = util::trim(*options.default_resource);
    if (options.no_default_resource) client.default_resource.clear();
    replace_uris(client.resources, options.resources, options.no_resource, "resource");
}

void add_logout_options(const Command& command, LogoutOptions& options) {
    command.option("--backchannel-logout-uri", "URI", options.backchannel_uri,
                   "Where this server tells it that a session has ended; needs \"backchannelLogout\" in the "
                   "configuration");
    command.flag("--backchannel-logout-session-required", options.backchannel_session_required, true,
                 "It needs sid there, which is always sent");
    command.option("--frontchannel-logout-uri", "URI", options.frontchannel_uri,
                   "What the user's browser loads at a logout, on the origin of a redirect URI; needs "
                   "\"frontchannelLogout\" in the configuration");
    command.flag("--frontchannel-logout-session-required", options.frontchannel_session_required, true,
                 "It needs iss and sid there, which are always sent");
}

void add_logout_set_options(const Command& command, LogoutOptions& options) {
    command.flag("--no-backchannel-logout-uri", options.no_backchannel_uri, "Undo --backchannel-logout-uri");
    command.flag("--no-backchannel-logout-session-required", options.backchannel_session_required, false,
                 "Undo --backchannel-logout-session-required");
    command.flag("--no-frontchannel-logout-uri", options.no_frontchannel_uri, "Undo --frontchannel-logout-uri");
    command.flag("--no-frontchannel-logout-session-required", options.frontchannel_session_required, false,
                 "Undo --frontchannel-logout-session-required");
}

void apply(const LogoutOptions& options, model::Client& client) {
    const auto replace = [](std::string& uri, const std::optional<std::string>& given, bool none, const char* option) {
        if (none && given)
            throw UsageError(std::string("--no-") + option + " and --" + option + " contradict each other");
        if (none) uri.clear();
        if (given) uri = util::trim(*given);
    };
    model::LogoutUris& uris = client.logout;
    replace(uris.backchannel, options.backchannel_uri, options.no_backchannel_uri, "backchannel-logout-uri");
    replace(uris.frontchannel, options.frontchannel_uri, options.no_frontchannel_uri, "frontchannel-logout-uri");
    if (options.backchannel_session_required) uris.backchannel_session_required = *options.backchannel_session_required;
    if (options.frontchannel_session_required)
        uris.frontchannel_session_required = *options.frontchannel_session_required;
}

void add_client_options(const Command& command, ClientOptions& options) {
    command.option("--name", "TEXT", options.name, "The name that users see");
    command.option(
        "--name-in", "LANGUAGE=TEXT", options.names,
        "The name in another language, such as de=Unser Wiki; repeat for each; without a text it is removed");
    command.flag("--public", options.is_public, true,
                 "A client without a secret (browser, mobile, desktop); PKCE is then required");
    command.flag("--native", options.native, true,
                 "Any port on registered http://127.0.0.1, http://[::1] and http://localhost redirect URIs; allows "
                 "private-use schemes");
    command.option("--redirect-uri", "URI", options.redirect_uris,
                   "Where responses may be sent, compared exactly; repeatable");
    command.option("--post-logout-redirect-uri", "URI", options.post_logout_redirect_uris,
                   "Where the browser may be sent after logout; repeatable");
    add_logout_options(command, options.logout);
    command
        .option(
            "--grant", "GRANT", options.grants,
            "authorization_code, refresh_token, client_credentials, device_code or implicit; repeatable (default: the first two)")
        .one_of({"authorization_code", "refresh_token", "client_credentials", "device_code", kDeviceGrant, "implicit"});
    command.option(
        "--response-type", "\"A B\"", options.response_types,
        "What the authorization endpoint may answer with: words of code, id_token and token, in one argument; "
        "repeatable (default: code with the grant authorization_code, token with implicit). Types with "
        "id_token or token need the grant implicit, and \"responseTypes\" in the configuration");
    command.option("--scope", "\"A B\"", options.scope,
                   "Scopes it may request, in one argument (default: \"openid profile email\")");
    command
        .option(
            "--auth-method", "METHOD", options.auth_method,
            "client_secret_basic, client_secret_post, client_secret (default: either of them), private_key_jwt (with "
            "--jwks), tls_client_auth (with --tls-client-auth-...), self_signed_tls_client_auth (with --jwks) or none (same "
            "as --public)")
        .one_of({"client_secret", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth",
                 "self_signed_tls_client_auth", "none"});
    add_key_options(command, options.keys);
    add_certificate_options(command, options.certificates);
    command.option("--pkce", "WHEN", options.pkce, "required or optional (default: optional for clients with a secret)")
        .one_of({"required", "optional"});
    command.flag(
        "--require-pushed-authorization-requests", options.require_par, true,
        "Refuse its authorization requests unless it has pushed them; needs \"paths.par\" in the configuration");
    command.flag("--dpop-bound-access-tokens", options.dpop_bound, true,
                 "Refuse its token requests without a DPoP proof, so that each token is bound to a key of it; needs "
                 "\"dpop\" in the configuration");
    command
        .option("--profile", "PROFILE", options.profile,
                "fapi2 or fapi2-message-signing: hold the client to FAPI 2.0, whose Security Profile wants "
                "--auth-method private_key_jwt, --dpop-bound-access-tokens, pushed requests and PKCE")
        .one_of({"fapi2", "fapi2-message-signing"});
    command.option("--resource-server", "URI", options.resource_server,
                   "It is the API of this registered resource, and learns at introspection of tokens for it that "
                   "clients with a profile have");
    command.flag("--require-signed-request-object", options.require_signed_request, true,
                 "Refuse its authorization requests unless it has signed and pushed them; needs \"requestObjects\" in "
                 "the configuration and keys of the client");
    command
        .option("--request-object-signing-alg", "ALG", options.request_object_alg,
                "The only algorithm that it may sign requests with (default: any that fits one of its keys)")
        .one_of({"ES256", "PS256", "EdDSA", "Ed25519", "RS256"});
    command.flag("--first-party", options.first_party, true, "Your own application: users are not asked for consent");
    add_access_options(command, options.access);
    command
        .option(
            "--groups", "WHICH", options.groups,
            "Of a user's groups, tell it all (default) or its own, which are those of --allow-group; needs the scope "
            "groups")
        .one_of({"all", "own"});
    command.flag(
        "--id-token-claims", options.id_token_claims, true,
        "Put the claims of its scopes into the ID token, too (default), as many applications do not ask UserInfo");
    command.flag("--no-id-token-claims", options.id_token_claims, false,
                 "Leave the claims of its scopes to UserInfo: for smaller ID tokens, and for the certification suite");
    command.option("--introspection-claim", "CLAIM", options.introspection_claims,
                   "For an API: a claim of users that introspection tells it, such as email, about tokens whose scope "
                   "releases it; repeatable (default: none)");
    command
        .option(
            "--id-token-signed-response-alg", "ALG", options.id_token_algorithm,
            "The algorithm of its ID tokens, one of \"idTokenAlgorithms\" in the configuration (default: the first)")
        .one_of({"RS256", "ES256", "PS256", "EdDSA"});
    command
        .option("--response-mode", "MODE", options.response_modes,
                "The ways in which it may ask for answers, those with jwt signed, for which the configuration needs "
                "\"jarm\"; repeatable (default: all)")
        .one_of({"query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"});
    command
        .option(
            "--authorization-signed-response-alg", "ALG", options.response_algorithm,
            "The algorithm of signed answers, one of \"idTokenAlgorithms\" in the configuration (default: RS256 if it "
            "is one of them, else the first)")
        .one_of({"RS256", "ES256", "PS256", "EdDSA"});
    command
        .option("--acr", "LEVEL", options.acr,
                "The weakest sign-in that the client accepts: any (default), mfa (with a second factor) or phr (with "
                "a passkey)")
        .one_of({"any", "mfa", "phr"});
    add_token_options(command, options.tokens);
}

void add_client_set_options(const Command& command, ClientOptions& options) {
    command.flag("--confidential", options.is_public, false,
                 "A client with a secret; a new one is generated and printed once");
    command.flag("--no-native", options.native, false, "Undo --native");
    command.flag("--no-require-pushed-authorization-requests", options.require_par, false,
                 "Undo --require-pushed-authorization-requests");
    command.flag("--no-dpop-bound-access-tokens", options.dpop_bound, false, "Undo --dpop-bound-access-tokens");
    command.flag("--no-profile", options.no_profile, "Undo --profile; PKCE stays required");
    command.flag("--no-resource-server", options.no_resource_server, "Undo --resource-server");
    command.flag("--no-require-signed-request-object", options.require_signed_request, false,
                 "Undo --require-signed-request-object");
    command.flag("--no-request-object-signing-alg", options.no_request_object_alg, "Undo --request-object-signing-alg");
    command.flag("--no-first-party", options.first_party, false, "Undo --first-party");
    command.flag("--no-introspection-claim", options.no_introspection_claim, "Undo --introspection-claim");
    command.flag("--no-response-type", options.no_response_type, "Undo --response-type: those of its grants");
    command.flag("--no-id-token-signed-response-alg", options.no_id_token_algorithm,
                 "Undo --id-token-signed-response-alg");
    command.flag("--no-response-mode", options.no_response_mode, "Undo --response-mode: it may ask for all");
    command.flag("--no-authorization-signed-response-alg", options.no_response_algorithm,
                 "Undo --authorization-signed-response-alg");
    command.flag("--no-redirect-uri", options.no_redirect_uri, "Remove all redirect URIs");
    command.flag("--no-post-logout-redirect-uri", options.no_post_logout_redirect_uri,
                 "Remove all post-logout redirect URIs");
    add_logout_set_options(command, options.logout);
    add_access_set_options(command, options.access);
    add_token_set_options(command, options.tokens);
    add_group_name_options(command, options.group_names);
    add_key_set_options(command, options.keys);
    add_certificate_set_options(command, options.certificates);
}

Client default_client(const std::string& id, const oauth::Settings& settings) {
    Client client;
    client.id = model::ClientId(id);
    client.name = id;
    client.grants = {GrantType::authorization_code, GrantType::refresh_token};
    client.id_token_claims = true;  // docs/decisions/0122
    // Without OpenID Connect its scopes have no meaning, so none is a default.
    if (settings.oidc) client.scope = parse_scope("openid profile email");
    if (settings.security_profile != model::SecurityProfile::none) client.pkce = model::Pkce::required;
    return client;
}

void apply(const ClientOptions& options, Client& client) {
    if (options.name) client.name = *options.name;
    for (const std::string& name : options.names) set_name_in(client, name);
    apply_type(options, client);
    if (options.native) client.native = *options.native;
    if (options.first_party) client.first_party = *options.first_party;
    replace_uris(client.redirect_uris, options.redirect_uris, options.no_redirect_uri, "redirect-uri");
    replace_uris(client.post_logout_redirect_uris, options.post_logout_redirect_uris,
                 options.no_post_logout_redirect_uri, "post-logout-redirect-uri");
    apply(options.logout, client);
    if (!options.grants.empty()) client.grants.clear();
    for (const std::string& grant : options.grants)
        client.grants.insert(grant == "device_code" ? GrantType::device_code : *model::parse_grant_type(grant));
    apply_response_types(options, client);
    apply_algorithm(options.id_token_algorithm, options.no_id_token_algorithm, "id-token-signed-response-alg",
                    client.id_token_algorithm);
    apply_response_modes(options, client);
    apply_algorithm(options.response_algorithm, options.no_response_algorithm, "authorization-signed-response-alg",
                    client.response_algorithm);
    if (options.scope) client.scope = parse_scope(*options.scope);
    apply_profile(options, client);
    apply_resource_server(options, client);
    if (options.pkce) client.pkce = *model::parse_pkce(*options.pkce);
    if (options.require_par) client.require_par = *options.require_par;
    if (options.dpop_bound) client.dpop_bound = *options.dpop_bound;
    apply_signed_requests(options, client);
    if (options.groups) client.groups = *model::parse_told_groups(*options.groups);
    if (options.acr) client.level = level_of(*options.acr);
    if (options.id_token_claims) client.id_token_claims = *options.id_token_claims;
    if (options.no_introspection_claim && !options.introspection_claims.empty())
        throw UsageError("--no-introspection-claim and --introspection-claim contradict each other");
    if (options.no_introspection_claim || !options.introspection_claims.empty())
        client.introspection_claims = {options.introspection_claims.begin(), options.introspection_claims.end()};
    apply(options.access, client);
    apply(options.tokens, client);
    apply(options.keys, client);
    apply(options.certificates, client);
}

}  // namespace postern::cli
