// Decides whether a client may be registered: a table of rules about the client.
#include "oauth/registration.h"

#include <algorithm>
#include <string_view>

#include "http/url.h"
#include "oauth/client_id_url.h"
#include "oauth/client_profile.h"
#include "oauth/key_rules.h"
#include "oauth/logout_uris.h"
#include "oauth/redirect_rules.h"
#include "oauth/target.h"
#include "util/text.h"
#include "util/visible.h"

namespace postern::oauth {
namespace {

using model::AuthMethod;
using model::Client;
using model::ClientType;
using model::GrantType;

bool is_web(const http::UrlParts& url) { return url.scheme == "https" || url.scheme == "http"; }

std::string in_quotes(std::string_view text) { return "\"" + util::displayable(text) + "\""; }

bool needs_redirect_uri(const Client& client) {
    return client.has_grant(GrantType::authorization_code) || client.has_grant(GrantType::implicit);
}

bool is_public(const Client& client) { return client.type == ClientType::public_; }

bool may_get_front_token(const Client& client) {
    return std::ranges::any_of(model::response_types_of(client), model::yields_token);
}

bool any_program_may_answer(const Client& client) {
    return std::ranges::any_of(client.redirect_uris,
                               [](const std::string& uri) { return is_loopback_or_private(uri); });
}

struct ClientRule {
    bool (*broken)(const Client&, const Settings&);
    const char* reason;
};

const ClientRule kClientRules[] = {
    {[](const Client& c, const Settings&) {
         return c.id.empty() || (!is_client_id_url(c.id.str()) && c.id.str().size() > kMaxClientIdBytes);
     },
     "the client id must have 1 to 128 characters"},
    // A colon would end the id in HTTP Basic for clients that do not form-encode it first (RFC 6749 §2.3.1).
    {[](const Client& c, const Settings&) {
         const std::string& id = c.id.str();
         return !is_client_id_url(id) && (!util::is_vschar(id) || id.find_first_of(" \"\\:") != std::string::npos);
     },
     "the client id may have printable ASCII characters only, without space, quotation mark, backslash and colon"},
    // The application whose document is there uses it as its id.
    {[](const Client& c, const Settings& s) {
         return is_client_id_url(c.id.str()) && client_id_url_problem(c.id.str(), s.outbound.ports).has_value();
     },
     "a client id that begins with https:// must be the URL of a client's document: at most 512 characters, the host in "
     "lower case, a path without . and .. segments, no user name, no fragment, a port of outbound.ports"},
    {[](const Client& c, const Settings&) { return is_client_id_url(c.id.str()) && !is_public(c); },
     "a client whose id is a URL has no secret, since HTTP Basic ends the id at its colon; add --public"},
    {[](const Client& c, const Settings&) {
         const bool needs_name = c.origin != model::Origin::dynamic;  // pages have words for one without
         return (c.name.empty() && needs_name) || c.name.size() > kMaxClientNameBytes || !util::is_utf8(c.name) ||
                util::displayable(c.name) != c.name;
     },
     "the name must be 1 to 256 bytes of UTF-8 text without control and direction characters"},
    {[](const Client& c, const Settings&) {
         return std::ranges::any_of(c.names, [](const auto& named) {
             const std::string& name = named.second;
             return name.size() > kMaxClientNameBytes || !util::is_utf8(name) || util::displayable(name) != name ||
                    !util::can_be_seen(name);
         });
     },
     "a name in another language must be 1 to 256 bytes of UTF-8 without control and direction characters"},
    {[](const Client& c, const Settings&) { return !c.name.empty() && !util::can_be_seen(c.name); },
     "the name has no character that can be seen"},
    {[](const Client& c, const Settings&) { return c.scope.to_string().size() > kMaxScopeBytes; },
     "the scope has more than 2048 bytes, and access tokens repeat it"},
    {[](const Client& c, const Settings&) { return c.grants.empty(); }, "the client has no grant; add --grant"},
    {[](const Client& c, const Settings& s) { return c.has_grant(GrantType::implicit) && !s.has_front_tokens(); },
     "the implicit grant is switched off in the configuration, whose \"responseTypes\" has no type with token or id_token; "
     "use authorization_code"},
    // RFC 6749 §4.4: "MUST only be used by confidential clients".
    {[](const Client& c, const Settings&) { return is_public(c) && c.has_grant(GrantType::client_credentials); },
     "a public client cannot have the client_credentials grant, since it has no credentials; remove --public or the "
     "grant"},
    {[](const Client& c, const Settings&) {
         return c.has_grant(GrantType::refresh_token) && !c.has_grant(GrantType::authorization_code) &&
                !c.has_grant(GrantType::device_code);
     },
     "refresh tokens come with the grants authorization_code and device_code only (RFC 6749 sections 4.2.2 and 4.4.3); add one of "
     "them or remove refresh_token"},
    {[](const Client& c, const Settings& s) { return c.has_grant(GrantType::device_code) && !s.paths.device; },
     "the device grant is switched off: name paths.deviceAuthorization and paths.device in the configuration"},
    {[](const Client& c, const Settings& s) { return c.require_par && !s.paths.par; },
     "requests cannot be pushed: name paths.par in the configuration, or use --no-require-pushed-authorization-requests"},
    {[](const Client& c, const Settings& s) { return c.require_par && is_public(c) && !s.par_public_clients; },
     "a public client cannot push requests while par.publicClients is false in the configuration; use "
     "--no-require-pushed-authorization-requests"},
    {[](const Client& c, const Settings& s) { return c.dpop_bound && !s.dpop; },
     "tokens cannot be bound to keys: set \"dpop\": \"allowed\" in the configuration, or use --no-dpop-bound-access-tokens"},
    {[](const Client& c, const Settings& s) { return c.require_signed_request && !s.request_objects; },
     "requests cannot be signed: set \"requestObjects\": \"allowed\" in the configuration, or use "
     "--no-require-signed-request-object"},
    {[](const Client& c, const Settings&) {
         const bool signs = c.require_signed_request || !c.request_object_alg.empty();
         return signs && !model::has_keys(c);
     },
     "a client without keys cannot sign its requests: use --auth-method private_key_jwt, one with certificates, or "
     "--no-require-signed-request-object and --no-request-object-signing-alg"},
    {[](const Client& c, const Settings&) { return c.dpop_bound && may_get_front_token(c); },
     "a token of the authorization endpoint cannot be bound to a key: remove the grant implicit and the response types with "
     "token, or use --no-dpop-bound-access-tokens"},
    {[](const Client& c, const Settings& s) { return c.tls_bound && !s.mtls; },
     "tokens cannot be bound to certificates: configure \"mtls\", or use --no-tls-client-certificate-bound-access-tokens"},
    {[](const Client& c, const Settings&) { return c.tls_bound && may_get_front_token(c); },
     "a token of the authorization endpoint cannot be bound to a certificate: remove the grant implicit and the response types "
     "with token, or use --no-tls-client-certificate-bound-access-tokens"},
    {[](const Client& c, const Settings&) { return is_public(c) != (c.auth_method == AuthMethod::none); },
     "a public client must use the method none, and a confidential client another one"},
    {[](const Client& c, const Settings&) { return is_public(c) && !c.introspection_claims.empty(); },
     "a public client cannot have introspection claims, since anyone can call under its id; remove --introspection-claim or "
     "--public"},
    {[](const Client& c, const Settings&) { return is_public(c) && c.pkce != model::Pkce::required; },
     "PKCE is required for public clients (RFC 9700 section 2.1.1); use --pkce required"},
    {[](const Client& c, const Settings&) { return needs_redirect_uri(c) && c.redirect_uris.empty(); },
     "the authorization_code and implicit grants need a redirect URI; add --redirect-uri"},
    {[](const Client& c, const Settings&) {
         return !c.site && c.first_party && (is_public(c) || c.has_grant(GrantType::implicit)) &&
                any_program_may_answer(c);
     },
     "first-party would skip consent although any program on the user's machine could receive the code of this public "
     "client, or the token of its implicit grant, at a loopback or private-use redirect URI (RFC 8252 section 8.6); "
     "remove --first-party"},
    {[](const Client& c, const Settings&) { return !c.resource_server.empty() && is_public(c); },
     "an API proves who it is when it introspects tokens; use --confidential, or --no-resource-server"},
    {[](const Client& c, const Settings& s) { return c.site && !s.paths.gate; },
     "there is no gate to protect a site: name paths.gate in the configuration"},
    {[](const Client& c, const Settings&) {
         return c.site && (!is_public(c) || !c.first_party || c.grants != std::set{GrantType::authorization_code} ||
                           c.response_types != std::set{model::ResponseType::code});
     },
     "a site has the authorization_code grant and PKCE alone, and asks for no consent; register an application that speaks "
     "OpenID Connect itself with `postern client add`"},
    {[](const Client& c, const Settings&) {
         return c.site && c.site->user_header == model::UserHeader::email && !c.scope.contains("email");
     },
     "--user-header email needs the scope email; add it to --scope"},
    // RFC 9068 §2.2, §3.
    {[](const Client& c, const Settings& s) {
         return profile_of(s, c) == model::TokenProfile::rfc9068 && c.resources.empty() && !default_resource_of(s, c);
     },
     "access tokens of profile rfc9068 need an audience when the request names none (RFC 9068 section 3); add "
     "--default-resource, or \"defaultResource\" to the configuration"},
    {[](const Client& c, const Settings& s) {
         const auto uri = default_resource_of(s, c);
         return uri && !check_listed(c, {*uri});
     },
     "the default resource is none of the client's resources; add it with --resource, or name one of them with "
     "--default-resource"},
};

std::string add_grant(GrantType grant) {
    return "the grant " + std::string(to_string(grant)) + "; add --grant " + std::string(to_string(grant)) +
           ", or name other types with --response-type";
}

/// HYB-1. A client that names no response types has those of its grants.
void lint_response_types(const Client& client, const Settings& settings, std::vector<std::string>& problems) {
    for (const model::ResponseType type : client.response_types) {
        const auto grant = model::missing_grant(client, type);
        if (grant)
            problems.push_back("the response type " + in_quotes(to_string(type)) + " needs " + add_grant(*grant));
    }
    for (const model::ResponseType type : model::response_types_of(client)) {
        if (settings.offers(type)) continue;
        const bool is_told_already =
            client.response_types.empty() && type == model::ResponseType::token && !settings.has_front_tokens();
        if (!is_told_already)
            problems.push_back(
                "the response type " + in_quotes(to_string(type)) +
                " is switched off; add it to \"responseTypes\" in the configuration, or name others with "
                "--response-type");
    }
}

void lint_algorithm(const Client& client, const Settings& settings, std::vector<std::string>& problems) {
    if (!client.id_token_algorithm || settings.offers_id_tokens_by(*client.id_token_algorithm)) return;
    problems.push_back("ID tokens are not signed with " + std::string(crypto::to_string(*client.id_token_algorithm)) +
                       " here; add it to \"idTokenAlgorithms\" in the configuration, or use "
                       "--no-id-token-signed-response-alg");
}

void lint_response_modes(const Client& client, const Settings& settings, std::vector<std::string>& problems) {
    const bool has_signed = std::ranges::any_of(
        client.response_modes, [](const std::string& name) { return model::is_signed(model::find_mode(name)->mode); });
    if ((has_signed || client.response_algorithm) && !settings.jarm)
        problems.emplace_back(
            "answers are not signed here; set \"jarm\" in the configuration, or use --no-response-mode and "
            "--no-authorization-signed-response-alg");
    if (client.response_algorithm && !settings.offers_id_tokens_by(*client.response_algorithm))
        problems.push_back("answers are not signed with " + std::string(crypto::to_string(*client.response_algorithm)) +
                           " here; add it to \"idTokenAlgorithms\" in the configuration, or use "
                           "--no-authorization-signed-response-alg");
}

void lint_resource(const std::string& uri, const Settings& settings, std::vector<std::string>& problems) {
    if (const auto problem = resource_uri_problem(uri, settings.issuer))
        problems.push_back("the resource " + in_quotes(uri) + " " + *problem);
}

void lint_introspection_claim(const std::string& name, const Settings& settings, std::vector<std::string>& problems) {
    if (!settings.released_claims.contains(name))
        problems.push_back("introspection cannot tell the claim " + in_quotes(name) +
                           ", which no scope releases; name a scope for it in scopeClaims");
}

void lint_uris(const std::vector<std::string>& uris, const char* what, bool native,
               std::vector<std::string>& problems) {
    for (const std::string& uri : uris) {
        if (auto reason = redirect_uri_problem(uri, native)) {
            problems.push_back(std::string(what) + " " + in_quotes(uri) + " " + *reason);
        }
    }
}

void advise_uri(const std::string& uri, const Client& client, std::vector<std::string>& advice) {
    const auto url = http::parse_url(uri);
    if (!url) return;
    if (!is_web(*url) && url->scheme.find('.') == std::string::npos) {
        advice.push_back(
            "redirect URI " + in_quotes(uri) +
            ": another program may claim a scheme without a dot; a reversed domain name of yours is better (RFC 8252 "
            "section 7.1)");
    }
    if (is_public(client) && !client.native && http::is_loopback_http(*url) && !url->has_port) {
        advice.push_back("redirect URI " + in_quotes(uri) +
                         ": without --native the port must be the registered one, which is 80 here");
    }
}

/// RP-Initiated Logout §3 knows no exception for the port of a native client.
void advise_logout_uri(const std::string& uri, bool native, std::vector<std::string>& advice) {
    const auto url = http::parse_url(uri);
    if (!native || !url || !http::is_loopback_http(*url)) return;
    advice.push_back("post-logout redirect URI " + in_quotes(uri) +
                     ": the port must be the registered one, for native clients too");
}

}  // namespace

std::optional<std::string> client_secret_problem(std::string_view secret) {
    if (!util::is_vschar(secret)) return "the secret may have printable ASCII characters only (RFC 6749 appendix A.2)";
    if (secret.starts_with(' ') || secret.ends_with(' '))
        return "the secret begins or ends with a blank, which was hardly meant; remove it";
    if (secret.size() < kMinClientSecretBytes) {
        return "the secret must have at least 32 random characters; leave it out and one is generated";
    }
    if (secret.size() > kMaxClientSecretBytes) return "the secret must not have more than 512 characters";
    return std::nullopt;
}

std::vector<std::string> registration_problems(const Client& client, const Settings& settings) {
    std::vector<std::string> problems;
    for (const ClientRule& rule : kClientRules) {
        if (rule.broken(client, settings)) problems.emplace_back(rule.reason);
    }
    lint_response_types(client, settings, problems);
    lint_algorithm(client, settings, problems);
    lint_response_modes(client, settings, problems);
    lint_uris(client.redirect_uris, "redirect URI", client.native, problems);
    lint_uris(client.post_logout_redirect_uris, "post-logout redirect URI", client.native, problems);
    for (std::string& problem : logout_uri_problems(client, settings)) problems.push_back(std::move(problem));
    for (const auto& [fault, remedy] : key_problems(client, settings))
        problems.push_back(remedy.empty() ? fault : fault + "; " + remedy);
    for (std::string& problem : profile_problems(client, settings)) problems.push_back(std::move(problem));
    for (const std::string& uri : client.resources) lint_resource(uri, settings, problems);
    if (!client.default_resource.empty()) lint_resource(client.default_resource, settings, problems);
    for (const std::string& name : client.introspection_claims) lint_introspection_claim(name, settings, problems);
    return problems;
}

std::vector<std::string> registration_advice(const Client& client, const Settings& settings) {
    std::vector<std::string> advice = key_advice(client);
    for (std::string& sentence : profile_advice(client, settings)) advice.push_back(std::move(sentence));
    for (const std::string& uri : client.redirect_uris) advise_uri(uri, client, advice);
    for (const std::string& uri : client.post_logout_redirect_uris) advise_logout_uri(uri, client.native, advice);
    if (!settings.oidc && !client.post_logout_redirect_uris.empty()) {
        advice.emplace_back(
            "post-logout redirect URIs do nothing while OpenID Connect is off; set \"oidc\" in the configuration");
    }
    if (std::ranges::any_of(client.response_types, model::yields_id_token) && !client.scope.contains("openid")) {
        advice.emplace_back(
            "a response type with id_token needs the scope openid, for which the client is not registered; add it to "
            "--scope");
    }
    if (profile_of(settings, client) == model::TokenProfile::interface &&
        (!client.default_resource.empty() || client.groups_in_access_token)) {
        advice.emplace_back(
            "the default resource and groups in the access token do nothing in the profile interface; use "
            "--access-token-profile rfc9068");
    }
    if (!client.introspection_claims.empty() && (!settings.oidc || !settings.authenticate_introspect)) {
        advice.emplace_back(
            settings.oidc
                ? "introspection tells no claims while authenticateIntrospect is false, since the caller is not known"
                : "introspection tells no claims while OpenID Connect is off; set \"oidc\" in the configuration");
    }
    if (!settings.oidc && client.scope.contains("openid")) {
        advice.emplace_back(
            "the scope openid does nothing while OpenID Connect is off; set \"oidc\" in the configuration");
    }
    return advice;
}

}  // namespace postern::oauth
