// What the discovery document says, with OpenID Connect on and off (Discovery §3, RFC 8414 §2).
#include "oidc/discovery.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "json/writer.h"

using namespace postern;

namespace {

std::string member(const json::Object& document, const char* name) {
    const json::Value* value = document.find(name);
    return value ? json::write(*value) : "absent";
}

}  // namespace

TEST_CASE(
    "discovery: registration is there unless it is closed, or the operator names another one [REG-23, RFC 7591 §3, RFC 8414 §2d, Discovery §3e]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example/auth";
    const auto endpoint = [&] { return member(oidc::discovery(settings), "registration_endpoint"); };
    CHECK(endpoint() == "absent");
    settings.metadata.set("registration_endpoint", "https://register.example");
    CHECK(endpoint() == R"("https://register.example")");
    settings.registration.mode = oauth::RegistrationMode::token;
    CHECK(endpoint() == R"("https://op.example/auth/register")");
    settings.registration.mode = oauth::RegistrationMode::open;
    CHECK(endpoint() == R"("https://op.example/auth/register")");
    settings.metadata.erase("registration_endpoint");
    settings.paths.registration.reset();
    CHECK(endpoint() == "absent");
}

TEST_CASE("discovery: with a profile of all clients it lists what they may use [F2-S5, COM-3]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example/auth";
    settings.oidc = true;
    settings.assertions.enabled = true;
    settings.dpop = true;
    settings.jarm = true;
    settings.paths.par = "/par";
    settings.id_token_algorithms = {crypto::Algorithm::PS256, crypto::Algorithm::ES256};
    settings.security_profile = model::SecurityProfile::fapi2;
    const auto document = oidc::discovery(settings);
    CHECK(member(document, "require_pushed_authorization_requests") == "true");
    for (const char* endpoint : {"token", "introspection", "revocation"}) {
        const std::string name = std::string(endpoint) + "_endpoint_auth_";
        CHECK(member(document, (name + "methods_supported").c_str()) == R"(["private_key_jwt"])");
        CHECK(member(document, (name + "signing_alg_values_supported").c_str()) ==
              R"(["ES256","PS256","EdDSA","Ed25519"])");
    }
    CHECK(member(document, "id_token_signing_alg_values_supported") == R"(["PS256","ES256"])");
    CHECK(member(document, "authorization_signing_alg_values_supported") == R"(["PS256","ES256"])");
    CHECK(json::write(document).find("RS256") == std::string::npos);
    CHECK(member(document, "response_modes_supported") ==
          R"(["query","fragment","form_post","jwt","query.jwt","fragment.jwt","form_post.jwt"])");
    settings.security_profile = model::SecurityProfile::fapi2_message_signing;
    CHECK(member(oidc::discovery(settings), "response_modes_supported") == R"(["jwt"])");
}

TEST_CASE(
    "discovery: a row per member, with OpenID Connect and without [IF85, RFC 9207 §3, RFC 8414 §2behj, Discovery "
    "§3eft]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example/auth";
    settings.scope_descriptions = {{"read", "Read your notes"}};
    struct Row {
        const char* name;
        const char* on;
        const char* off;
    };
    const Row rows[] = {
        {"issuer", R"("https://op.example/auth")", R"("https://op.example/auth")"},
        {"authorization_endpoint", R"("https://op.example/auth/authorize")", R"("https://op.example/auth/authorize")"},
        {"token_endpoint", R"("https://op.example/auth/token")", R"("https://op.example/auth/token")"},
        {"jwks_uri", R"("https://op.example/auth/jwks")", R"("https://op.example/auth/jwks")"},
        {"userinfo_endpoint", R"("https://op.example/auth/userinfo")", "absent"},
        {"scopes_supported", R"(["openid","profile","email","address","phone","offline_access","read","groups"])",
         R"(["read"])"},
        {"response_types_supported", R"(["code"])", R"(["code"])"},
        {"response_modes_supported", R"(["query","fragment","form_post"])", R"(["query","fragment","form_post"])"},
        {"grant_types_supported", R"(["authorization_code","refresh_token","client_credentials"])",
         R"(["authorization_code","refresh_token","client_credentials"])"},
        {"subject_types_supported", R"(["public"])", "absent"},
        {"id_token_signing_alg_values_supported", R"(["RS256"])", "absent"},
        {"token_endpoint_auth_methods_supported", R"(["client_secret_basic","client_secret_post","none"])",
         R"(["client_secret_basic","client_secret_post","none"])"},
        {"code_challenge_methods_supported", R"(["S256"])", R"(["S256"])"},
        {"authorization_response_iss_parameter_supported", "true", "true"},
        {"request_parameter_supported", "false", "absent"},
        {"request_uri_parameter_supported", "false", "absent"},
        {"claims_parameter_supported", "true", "absent"},
        {"claim_types_supported", R"(["normal"])", "absent"},
        {"acr_values_supported",
         R"(["urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport","https://refeds.org/profile/mfa"])",
         "absent"},
        {"prompt_values_supported", R"(["none","login","consent","select_account"])", "absent"},
        {"introspection_endpoint", R"("https://op.example/auth/token/introspect")",
         R"("https://op.example/auth/token/introspect")"},
        {"introspection_endpoint_auth_methods_supported", R"(["client_secret_basic","client_secret_post"])",
         R"(["client_secret_basic","client_secret_post"])"},
        {"revocation_endpoint", R"("https://op.example/auth/token/revoke")",
         R"("https://op.example/auth/token/revoke")"},
        {"revocation_endpoint_auth_methods_supported", R"(["client_secret_basic","client_secret_post","none"])",
         R"(["client_secret_basic","client_secret_post","none"])"},
        {"end_session_endpoint", R"("https://op.example/auth/logout")", "absent"},
        {"registration_endpoint", "absent", "absent"},
        {"pushed_authorization_request_endpoint", "absent", "absent"},
        {"require_pushed_authorization_requests", "absent", "absent"},
        {"request_object_signing_alg_values_supported", "absent", "absent"},
        {"require_signed_request_object", "absent", "absent"},
        {"authorization_signing_alg_values_supported", "absent", "absent"},
        {"backchannel_logout_supported", "absent", "absent"},
        {"backchannel_logout_session_supported", "absent", "absent"},
    };
    settings.oidc = true;
    const json::Object on = oidc::discovery(settings);
    settings.oidc = false;
    const json::Object off = oidc::discovery(settings);
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CHECK(member(on, row.name) == row.on);
        CHECK(member(off, row.name) == row.off);
    }
}

TEST_CASE(
    "discovery: front-channel logout is named while it is offered, and so is sid there [FCL-2, Front-Channel Logout §3c]") {
    for (const bool is_offered : {true, false}) {
        oauth::Settings settings;
        settings.oidc = true;
        settings.frontchannel_logout = is_offered;
        const char* expected = is_offered ? "true" : "absent";
        CHECK(member(oidc::discovery(settings), "frontchannel_logout_supported") == expected);
        CHECK(member(oidc::discovery(settings), "frontchannel_logout_session_supported") == expected);
        settings.paths.logout.reset();
        CHECK(member(oidc::discovery(settings), "frontchannel_logout_supported") == "absent");
    }
    // The operator's own metadata do not say otherwise.
    CHECK(oidc::is_computed_member("frontchannel_logout_supported"));
    CHECK(oidc::is_computed_member("frontchannel_logout_session_supported"));
}

TEST_CASE(
    "discovery: every option that changes what the server does changes what it says [RFC 8414 §2fgi, §3.2b, Discovery "
    "§3gl, HYB-7, ALG-1]") {
    struct Row {
        const char* when;
        void (*change)(oauth::Settings&);
        const char* name;
        const char* value;
    };
    using oauth::Settings;
    const Row rows[] = {
        {"implicit", [](Settings& s) { s.response_types.push_back(model::ResponseType::token); },
         "response_types_supported", R"(["code","token"])"},
        {"implicit", [](Settings& s) { s.response_types.push_back(model::ResponseType::token); },
         "grant_types_supported", R"(["authorization_code","refresh_token","client_credentials","implicit"])"},
        {"a hybrid type", [](Settings& s) { s.response_types = {model::ResponseType::code_id_token_token}; },
         "response_types_supported", R"(["code id_token token"])"},
        {"an ID token alone", [](Settings& s) { s.response_types = {model::ResponseType::id_token}; },
         "grant_types_supported", R"(["client_credentials","implicit"])"},
        {"public clients may introspect", [](Settings& s) { s.introspection_requires_confidential_client = false; },
         "introspection_endpoint_auth_methods_supported", R"(["client_secret_basic","client_secret_post","none"])"},
        {"nobody authenticates to introspect", [](Settings& s) { s.authenticate_introspect = false; },
         "introspection_endpoint_auth_methods_supported", R"(["none"])"},
        {"nobody authenticates to revoke", [](Settings& s) { s.authenticate_revoke = false; },
         "revocation_endpoint_auth_methods_supported", R"(["none"])"},
        {"no introspection", [](Settings& s) { s.paths.introspect.reset(); }, "introspection_endpoint", "absent"},
        {"no introspection", [](Settings& s) { s.paths.introspect.reset(); },
         "introspection_endpoint_auth_methods_supported", "absent"},
        {"no revocation", [](Settings& s) { s.paths.revoke.reset(); }, "revocation_endpoint", "absent"},
        {"no revocation", [](Settings& s) { s.paths.revoke.reset(); }, "revocation_endpoint_auth_methods_supported",
         "absent"},
        {"no logout", [](Settings& s) { s.paths.logout.reset(); }, "end_session_endpoint", "absent"},
        {"no UserInfo", [](Settings& s) { s.paths.userinfo.reset(); }, "userinfo_endpoint", "absent"},
        {"renamed", [](Settings& s) { s.paths.introspect = "/i"; }, "introspection_endpoint",
         R"("https://op.example/i")"},
        {"renamed", [](Settings& s) { s.paths.revoke = "/r"; }, "revocation_endpoint", R"("https://op.example/r")"},
        {"renamed", [](Settings& s) { s.paths.logout = "/bye"; }, "end_session_endpoint",
         R"("https://op.example/bye")"},
        {"another algorithm", [](Settings& s) { s.id_token_algorithms = {crypto::Algorithm::EdDSA}; },
         "id_token_signing_alg_values_supported", R"(["EdDSA"])"},
        {"several algorithms",
         [](Settings& s) {
             s.id_token_algorithms = {crypto::Algorithm::ES256, crypto::Algorithm::RS256};
         },
         "id_token_signing_alg_values_supported", R"(["ES256","RS256"])"},
        {"words of the operator's own for a scope of OpenID Connect",
         [](Settings& s) {
             s.scope_descriptions = {{"email", "Your e-mail"}, {"read", "Read"}};
         },
         "scopes_supported", R"(["openid","profile","email","address","phone","offline_access","read","groups"])"},
        {"the same without OpenID Connect: it is invalid_scope there",
         [](Settings& s) {
             s.oidc = false;
             s.scope_descriptions = {{"email", "Your e-mail"}, {"read", "Read"}};
         },
         "scopes_supported", R"(["read"])"},
        {"no scope at all: an empty list is left out [RFC 8414 §3.2]", [](Settings& s) { s.oidc = false; },
         "scopes_supported", "absent"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CAPTURE(row.name);
        oauth::Settings settings;
        settings.issuer = "https://op.example";
        settings.oidc = true;
        CHECK(member(oidc::discovery(settings), row.name) != row.value);
        row.change(settings);
        CHECK(member(oidc::discovery(settings), row.name) == row.value);
    }
}

TEST_CASE("discovery: members of the configuration are added and replace nothing [RFC 8414 §2k, §6.2b]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.metadata = json::Object{{"op_policy_uri", "https://op.example/policy"},
                                     {"issuer", "https://evil.example"},
                                     {"response_types_supported", json::strings({"id_token"})},
                                     {"claims_parameter_supported", false},
                                     {"registration_endpoint", "https://register.example"}};
    const json::Object document = oidc::discovery(settings);
    CHECK(member(document, "op_policy_uri") == R"("https://op.example/policy")");
    CHECK(member(document, "issuer") == R"("https://op.example")");
    CHECK(member(document, "response_types_supported") == R"(["code"])");
    CHECK(member(document, "claims_parameter_supported") == "absent");                    // OpenID Connect is off
    CHECK(member(document, "registration_endpoint") == R"("https://register.example")");  // another program's
}

TEST_CASE(
    "is_computed_member: what the document says under some settings is never configured, and nothing else is refused "
    "[RFC 8414 §6.2b, Discovery §3w]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.oidc = true;
    settings.response_types.push_back(model::ResponseType::token);
    settings.scope_descriptions = {{"read", "Read"}};
    const json::Object document = oidc::discovery(settings);
    for (const auto& member : document.members()) {
        CAPTURE(member.first);
        CHECK(oidc::is_computed_member(member.first));
    }
    settings.login.method = login::Method::remote_user;
    settings.login.auth_time_variable = "OIDC_CLAIM_auth_time";
    const json::Object with_remote_users = oidc::discovery(settings);
    for (const auto& member : with_remote_users.members()) {
        CAPTURE(member.first);
        CHECK(oidc::is_computed_member(member.first));
    }
    for (const char* name : {"service_documentation", "op_policy_uri", "op_tos_uri", "ui_locales_supported", "issuers",
                             "endpoint", "display_values_supported", "", "registration_endpoint",
                             "token_endpoint_auth_signing_alg_values_supported", "signed_metadata"}) {
        CAPTURE(name);
        CHECK_FALSE(oidc::is_computed_member(name));
    }
}

TEST_CASE(
    "inserted_paths: in front of the issuer's path, the second one only if there is one [RFC 8414 §3.1, META-1]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    CHECK(oidc::inserted_paths(settings) == std::vector<std::string>{"/.well-known/oauth-authorization-server"});
    settings.issuer = "https://op.example/auth/a";
    CHECK(oidc::inserted_paths(settings) == std::vector<std::string>{"/.well-known/oauth-authorization-server/auth/a",
                                                                     "/.well-known/openid-configuration/auth/a"});
}

TEST_CASE(
    "discovery: where the web server authenticates users, acr and amr are not promised, auth_time if it is known [Discovery §3j]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.oidc = true;
    const auto promised = [&](const char* claim) {
        const json::Object document = oidc::discovery(settings);
        const json::Array& claims = *document.find("claims_supported")->if_array();
        return std::any_of(claims.begin(), claims.end(), [&](const json::Value& c) { return *c.if_string() == claim; });
    };
    CHECK(oidc::discovery(settings).find("acr_values_supported") != nullptr);
    for (const char* claim : {"acr", "amr", "auth_time", "sub", "sid"}) CHECK(promised(claim));
    settings.login.method = login::Method::saslauthd;  // on our own page
    CHECK(oidc::discovery(settings).find("acr_values_supported") != nullptr);
    for (const char* claim : {"acr", "amr", "auth_time"}) CHECK(promised(claim));
    settings.login.method = login::Method::remote_user;
    CHECK(oidc::discovery(settings).find("acr_values_supported") == nullptr);
    for (const char* claim : {"acr", "amr", "auth_time"}) CHECK_FALSE(promised(claim));
    CHECK(promised("sub"));
    settings.login.auth_time_variable = "T";
    CHECK(promised("auth_time"));
    CHECK_FALSE(promised("acr"));
}

TEST_CASE(
    "discovery: clients with a document find both members that they look for, and none while it is off [CIMD-16]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    CHECK(member(oidc::discovery(settings), "client_id_metadata_document_supported") == "absent");
    settings.client_documents.enabled = true;
    const json::Object on = oidc::discovery(settings);
    CHECK(member(on, "client_id_metadata_document_supported") == "true");
    CHECK(member(on, "token_endpoint_auth_methods_supported").find("\"none\"") != std::string::npos);
    CHECK(oidc::is_computed_member("client_id_metadata_document_supported"));
}
