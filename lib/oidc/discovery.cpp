// Makes the discovery document.
#include "oidc/discovery.h"

#include "http/url.h"
#include "oauth/acr.h"
#include "oauth/client_demands.h"
#include "oauth/client_profile.h"
#include "oauth/scope_policy.h"

namespace postern::oidc {
namespace {

using Names = std::vector<std::string>;

Names response_types(const oauth::Settings& settings) {
    Names names;
    for (const model::ResponseType type : settings.response_types) names.emplace_back(to_string(type));
    return names;
}

Names grant_types(const oauth::Settings& settings) {
    Names names;
    const bool has_codes = std::ranges::any_of(settings.response_types, model::yields_code);
    if (has_codes) names.emplace_back("authorization_code");
    if (has_codes || settings.paths.device) names.emplace_back("refresh_token");
    names.emplace_back("client_credentials");
    if (settings.has_front_tokens()) names.emplace_back("implicit");
    if (settings.paths.device) names.emplace_back(model::to_string(model::GrantType::device_code));
    return names;
}

Names response_modes(const oauth::Settings& settings) {
    Names names;
    const auto allowed = oauth::response_modes_of(settings, {});
    for (const model::NamedMode& row : model::kNamedModes)
        if ((settings.jarm || !model::is_signed(row.mode)) &&
            (allowed.empty() || allowed.contains(std::string(row.name))))
            names.emplace_back(row.name);
    return names;
}

Names id_token_algorithms(const oauth::Settings& settings) {
    Names names;
    for (const crypto::Algorithm algorithm : settings.id_token_algorithms) names.emplace_back(to_string(algorithm));
    return names;
}

/// Returns the claims of the ID token about itself, then those about the user.
Names all_claims(const oauth::Settings& settings) {
    Names claims = {"iss", "aud", "exp", "iat", "nonce", "sid"};
    if (settings.login.has_page() || settings.login.auth_time_variable) claims.emplace_back("auth_time");
    if (oauth::knows_how_users_log_in(settings)) claims.insert(claims.end(), {"acr", "amr"});
    claims.emplace_back("sub");
    for (std::string& claim : settings.released_claims.names()) claims.push_back(std::move(claim));
    return claims;
}

/// KEY-3. EdDSA stands here by both of its names.
const Names kAssertionAlgorithms = {"ES256", "PS256", "EdDSA", "Ed25519", "RS256"};
const Names kRequestObjectAlgorithms = {"RS256", "ES256", "PS256", "EdDSA", "Ed25519"};
const Names kProofAlgorithms = {"ES256", "PS256", "EdDSA", "Ed25519"};

/// The clients that an endpoint knows.
enum class Callers {
    any,           ///< public ones, too
    confidential,  ///< those that prove who they are
    unknown        ///< nobody authenticates, and credentials are ignored
};

Names assertion_algorithms(const oauth::Settings& settings) {
    return is_held_to_profile(settings) ? kProofAlgorithms : kAssertionAlgorithms;
}

Names request_object_algorithms(const oauth::Settings& settings) {
    return is_held_to_profile(settings) ? kProofAlgorithms : kRequestObjectAlgorithms;
}

Names auth_methods(const oauth::Settings& settings, Callers callers) {
    if (callers == Callers::unknown) return {"none"};
    Names names;
    const bool has_profile = is_held_to_profile(settings);
    if (!has_profile) names = {"client_secret_basic", "client_secret_post"};
    if (settings.assertions.enabled) names.emplace_back("private_key_jwt");
    if (settings.offers_tls_client_auth()) names.emplace_back("tls_client_auth");
    if (settings.mtls) names.emplace_back("self_signed_tls_client_auth");
    if (callers == Callers::any && !has_profile) names.emplace_back("none");
    return names;
}

Callers callers_of_introspection(const oauth::Settings& settings) {
    if (!settings.authenticate_introspect) return Callers::unknown;
    return settings.introspection_requires_confidential_client ? Callers::confidential : Callers::any;
}

/// An endpoint that may be switched off, and RFC 8414's members about it.
void add_endpoint(json::Object& document, const oauth::Settings& settings, const std::optional<std::string>& path,
                  const std::string& name, Callers callers) {
    if (!path) return;
    document.set(name + "_endpoint", settings.url(*path));
    document.set(name + "_endpoint_auth_methods_supported", json::strings(auth_methods(settings, callers)));
    if (settings.assertions.enabled && callers != Callers::unknown)
        document.set(name + "_endpoint_auth_signing_alg_values_supported",
                     json::strings(assertion_algorithms(settings)));
}

void add_logout_members(json::Object& document, const oauth::Settings& settings, const std::string& path) {
    document.set("end_session_endpoint", settings.url(path));
    if (!settings.frontchannel_logout) return;
    document.set("frontchannel_logout_supported", true);  // Front-Channel Logout 1.0 §3
    document.set("frontchannel_logout_session_supported", true);
}

void add_openid_members(json::Object& document, const oauth::Settings& settings) {
    if (settings.paths.userinfo) document.set("userinfo_endpoint", settings.url(*settings.paths.userinfo));
    if (settings.paths.logout) add_logout_members(document, settings, *settings.paths.logout);
    if (settings.backchannel_logout) {
        document.set("backchannel_logout_supported", true);  // Back-Channel Logout 1.0 §2.1
        document.set("backchannel_logout_session_supported", true);
    }
    document.set("subject_types_supported", json::strings({"public"}));
    document.set("id_token_signing_alg_values_supported", json::strings(id_token_algorithms(settings)));
    if (oauth::knows_how_users_log_in(settings))
        document.set("acr_values_supported", json::strings(oauth::supported_acr_values(settings)));
    document.set("prompt_values_supported", json::strings({"none", "login", "consent", "select_account"}));
    document.set("claims_supported", json::strings(all_claims(settings)));
    document.set("claim_types_supported", json::strings({"normal"}));
    document.set("claims_parameter_supported", true);
    document.set("request_parameter_supported", false);
    document.set("request_uri_parameter_supported", false);  // its default is true: Discovery §3
}

/// RFC 8705 §5: the endpoints that programs call, those of them that are offered.
constexpr const char* kAliased[] = {"token_endpoint",
                                    "revocation_endpoint",
                                    "introspection_endpoint",
                                    "userinfo_endpoint",
                                    "pushed_authorization_request_endpoint",
                                    "device_authorization_endpoint"};

void add_certificate_members(json::Object& document, const oauth::Settings& settings) {
    document.set("tls_client_certificate_bound_access_tokens", true);  // §3.3
    json::Object aliases;
    for (const char* name : kAliased)
        if (const std::string* url = document.find_string(name))
            aliases.set(name, settings.mtls->base_url + url->substr(settings.issuer.size()));
    document.set("mtls_endpoint_aliases", std::move(aliases));
}

json::Object computed_members(const oauth::Settings& settings) {
    json::Object document{
        {"issuer", settings.issuer},
        {"authorization_endpoint", settings.url(settings.paths.authorize)},
        {"jwks_uri", settings.url(settings.paths.jwks)},
        {"response_types_supported", json::strings(response_types(settings))},
        {"response_modes_supported", json::strings(response_modes(settings))},
        {"grant_types_supported", json::strings(grant_types(settings))},
        {"code_challenge_methods_supported", json::strings({"S256"})},
        {"authorization_response_iss_parameter_supported", true},  // RFC 9207 §3
    };
    // Applications use such an id only if `none` is among the methods of the token endpoint, too, and it always is.
    if (settings.client_documents.enabled) document.set("client_id_metadata_document_supported", true);
    const Names scopes = oauth::known_scopes(settings).tokens();
    if (!scopes.empty()) document.set("scopes_supported", json::strings(scopes));  // no empty lists: RFC 8414 §3.2
    add_endpoint(document, settings, settings.paths.token, "token", Callers::any);
    if (settings.jarm)  // JARM §4
        document.set("authorization_signing_alg_values_supported", json::strings(id_token_algorithms(settings)));
    // RFC 9126 §5. Clients authenticate as at the token endpoint, whose members say how (§2).
    if (settings.paths.par) {
        document.set("pushed_authorization_request_endpoint", settings.url(*settings.paths.par));
        document.set("require_pushed_authorization_requests", oauth::pushes_all(settings));
    }
    if (settings.request_objects) {  // RFC 9101 §10.5, RFC 8414 §2; never encrypted, and never without a signature
        document.set("request_object_signing_alg_values_supported", json::strings(request_object_algorithms(settings)));
        document.set("require_signed_request_object", oauth::signs_all(settings));
    }
    if (settings.dpop)  // RFC 9449 §5.1
        document.set("dpop_signing_alg_values_supported", json::strings(kProofAlgorithms));
    // RFC 8628 §4 has no member about authentication: it is as at the token endpoint.
    if (settings.paths.device_authorization)
        document.set("device_authorization_endpoint", settings.url(*settings.paths.device_authorization));
    if (settings.offers_registration())
        document.set("registration_endpoint", settings.url(*settings.paths.registration));
    add_endpoint(document, settings, settings.paths.introspect, "introspection", callers_of_introspection(settings));
    add_endpoint(document, settings, settings.paths.revoke, "revocation",
                 settings.authenticate_revoke ? Callers::any : Callers::unknown);
    if (settings.oidc) add_openid_members(document, settings);
    if (settings.mtls) add_certificate_members(document, settings);
    return document;
}

}  // namespace

json::Object discovery(const oauth::Settings& settings, const std::vector<std::string>& ui_locales) {
    json::Object document = computed_members(settings);
    // An operator may have named them before the pages had more than one.
    if (settings.oidc && ui_locales.size() > 1 && settings.metadata.find("ui_locales_supported") == nullptr)
        document.set("ui_locales_supported", json::strings(ui_locales));
    // One that another service of the operator registers clients at may be named while this server does not, and so may
    // algorithms of assertions.
    for (const auto& [name, value] : settings.metadata.members())
        if (!is_computed_member(name) && document.find(name) == nullptr) document.set(name, value);
    return document;
}

bool is_computed_member(std::string_view name) {
    static const json::Object everything = [] {
        oauth::Settings settings;
        settings.oidc = true;
        settings.client_documents.enabled = true;
        settings.backchannel_logout = true;
        settings.frontchannel_logout = true;
        settings.jarm = true;
        settings.request_objects = true;
        settings.dpop = true;
        settings.mtls.emplace();
        settings.paths.par = "/par";
        settings.paths.device_authorization = "/device_authorization";
        settings.paths.device = "/device";
        return computed_members(settings);
    }();
    return everything.find(name) != nullptr;
}

std::vector<std::string> inserted_paths(const oauth::Settings& settings) {
    const auto issuer = http::parse_url(settings.issuer);
    const std::string base = issuer ? issuer->path : std::string();
    std::vector<std::string> paths = {"/.well-known/oauth-authorization-server" + base};
    if (!base.empty()) paths.push_back("/.well-known/openid-configuration" + base);
    return paths;
}

}  // namespace postern::oidc
