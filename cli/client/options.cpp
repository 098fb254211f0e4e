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
    refuse_undone(!given.empty(), none, option);
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
    refuse_undone(!options.response_types.empty(), options.no_response_type, "response-type");
    if (options.no_response_type || !options.response_types.empty()) client.response_types.clear();
    for (const std::string& type : options.response_types) client.response_types.insert(parse_response_type(type));
}

void apply_algorithm(const std::optional<std::string>& given, bool none, const std::string& option,
                     std::optional<crypto::Algorithm>& algorithm) {
    refuse_undone(given.has_value(), none, option);
    if (none) algorithm.reset();
    if (given) algorithm = crypto::parse_algorithm(*given);
}

void apply_response_modes(const ClientOptions& options, Client& client) {
    refuse_undone(!options.response_modes.empty(), options.no_response_mode, "response-mode");
    if (options.no_response_mode || !options.response_modes.empty())
        client.response_modes = {options.response_modes.begin(), options.response_modes.end()};
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
    refuse_undone(options.default_resource.has_value(), options.no_default_resource, "default-resource");
    if (options.profile) client.access_token_profile = model::parse_token_profile(*options.profile);
    if (options.groups) client.groups_in_access_token = *options.groups;
    if (options.default_resource) client.default_resource = util::trim(*options.default_resource);
    if (options.no_default_resource) client.default_resource.clear();
    replace_uris(client.resources, options.resources, options.no_resource, "resource");
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
    add_protection_options(command, options.protection);
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
    add_protection_set_options(command, options.protection);
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
    apply(options.protection, client);
    if (options.groups) client.groups = *model::parse_told_groups(*options.groups);
    if (options.acr) client.level = level_of(*options.acr);
    if (options.id_token_claims) client.id_token_claims = *options.id_token_claims;
    refuse_undone(!options.introspection_claims.empty(), options.no_introspection_claim, "introspection-claim");
    if (options.no_introspection_claim || !options.introspection_claims.empty())
        client.introspection_claims = {options.introspection_claims.begin(), options.introspection_claims.end()};
    apply(options.access, client);
    apply(options.tokens, client);
    apply(options.keys, client);
    apply(options.certificates, client);
}

}  // namespace postern::cli
