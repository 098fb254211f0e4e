// What this server says about itself.
#include "oidc/discovery.h"

#include "http/url.h"
#include "oauth/scope_policy.h"
#include "oidc/claims.h"

namespace postern::oidc {
namespace {

json::Value supported_scopes(const oauth::Settings& settings) {
    std::vector<std::string> scopes;
    if (settings.oidc) scopes = oauth::openid_scopes().tokens();
    for (const auto& [scope, description] : settings.scope_descriptions) scopes.push_back(scope);
    return json::strings(scopes);
}

void add_openid_members(json::Object& document, const oauth::Settings& settings) {
    if (settings.paths.userinfo) document.set("userinfo_endpoint", settings.url(*settings.paths.userinfo));
    document.set("subject_types_supported", json::strings({"public"}));
    document.set("id_token_signing_alg_values_supported",
                 json::strings({std::string(crypto::to_string(settings.id_token_algorithm))}));
    document.set("claims_supported", json::strings(supported_claims()));
    document.set("claim_types_supported", json::strings({"normal"}));
    document.set("claims_parameter_supported", false);
    document.set("request_parameter_supported", false);
    document.set("request_uri_parameter_supported", false);  // its default is true: Discovery §3
}

}  // namespace

json::Object discovery(const oauth::Settings& settings) {
    json::Object document{
        {"issuer", settings.issuer},
        {"authorization_endpoint", settings.url(settings.paths.authorize)},
        {"token_endpoint", settings.url(settings.paths.token)},
        {"jwks_uri", settings.url(settings.paths.jwks)},
        {"scopes_supported", supported_scopes(settings)},
        {"response_types_supported", json::strings({"code"})},
        {"response_modes_supported", json::strings({"query"})},
        {"grant_types_supported", json::strings({"authorization_code"})},
        {"token_endpoint_auth_methods_supported", json::strings({"client_secret_basic", "client_secret_post", "none"})},
        {"code_challenge_methods_supported", json::strings({"S256"})},
        {"authorization_response_iss_parameter_supported", true},
    };
    if (settings.oidc) add_openid_members(document, settings);
    for (const auto& [name, value] : settings.metadata.members()) document.set(name, value);
    return document;
}

std::string oauth_metadata_path(const oauth::Settings& settings) {
    const auto issuer = http::parse_url(settings.issuer);
    return "/.well-known/oauth-authorization-server" + (issuer ? issuer->path : "");
}

}  // namespace postern::oidc
