#include "config/config.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace postern::config {
namespace {

/// A file that is right but for what the row adds.
std::string with_issuer(const std::string& more) {
    return R"({"issuer":"https://login.example.org/auth")" + (more.empty() ? "" : "," + more) + "}";
}

/// "key: reason" of every problem; empty for a file that is accepted.
std::vector<std::string> keys_of_problems(const std::string& text) {
    const auto config = parse_config(text);
    std::vector<std::string> keys;
    if (config) return keys;
    for (const ConfigProblem& problem : config.error()) keys.push_back(problem.key);
    return keys;
}

Config parsed(const std::string& more) {
    auto config = parse_config(with_issuer(more));
    REQUIRE(config);
    return *config;
}

TEST_CASE(
    "parse_config: the database is a file or a URI, and what belongs to it lies where the file is or \"state\" says") {
    struct Row {
        const char* members;
        const char* state;  ///< "": refused
    };
    constexpr const char* kUri = R"("database":"postgresql://db1,db2/postern")";
    const Row rows[] = {
        {"", "/var/lib/postern"},
        {R"("database":"/srv/op/op.db")", "/srv/op"},
        {R"("database":"/srv/op/op.db","state":"/srv/op")", "/srv/op"},
        {R"("database":"/srv/op/op.db","state":"/run/op")", ""},
        {kUri, "/var/lib/postern"},
        {R"("database":"postgres:///postern?host=/run/postgresql","state":"/run/op")", "/run/op"},
        {R"("database":"postgresql:///postern","state":"run/op")", ""},
        {R"("database":"mysql://db1/postern")", ""},
        {R"("database":"postgresql://db1/post\nern")", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.members);
        const auto config = parse_config(with_issuer(row.members));
        CHECK(config.operator bool() == !std::string(row.state).empty());
        if (!config) continue;
        CHECK(config->state_directory() == row.state);
        CHECK(config->ring_path() == std::string(row.state) + "/refusals.ring");
    }
    CHECK(parsed(kUri).settings.login.hash_slot_files == "/var/lib/postern/postern.hash");
    CHECK(parsed(R"("database":"/srv/op/op.db")").settings.login.hash_slot_files == "/srv/op/op.db.hash");
    CHECK(parsed(kUri).settings.outbound.slot_files == "/var/lib/postern/postern.fetch");
    CHECK(parsed(R"("database":"/srv/op/op.db")").settings.outbound.slot_files == "/srv/op/op.db.fetch");
}

TEST_CASE(
    "parse_config: the issuer is enough, everything else has its documented default [IF9, IF11, IF13, OIDC Core "
    "§15.1a, §16.18a]") {
    const Config config = parsed("");
    CHECK(config.settings.issuer == "https://login.example.org/auth");
    CHECK(config.settings.cookie_tag == "8990ceac");  // of this issuer alone
    CHECK(config.database == "/var/lib/postern/postern.db");
    CHECK(config.keys == "/var/lib/postern/keys");
    CHECK(config.templates.ends_with("/share/postern/templates"));
    CHECK_FALSE(config.settings.oidc);
    CHECK(config.settings.authenticate_introspect);
    CHECK(config.settings.authenticate_revoke);
    CHECK(config.settings.introspection_requires_confidential_client);
    CHECK_FALSE(config.settings.use_opaque_refresh_tokens);
    CHECK_FALSE(config.settings.implicit);
    CHECK_FALSE(config.settings.authorize_post);
    CHECK(config.settings.username_in_access_token);
    CHECK(config.settings.authorization_code_ttl == util::Seconds(60));
    CHECK(config.settings.id_token_ttl == util::Seconds(3600));
    CHECK(config.settings.refresh_token_ttl == util::Seconds(2592000));
    CHECK(config.settings.id_token_algorithm == crypto::Algorithm::RS256);
    CHECK(config.settings.access_token_ttl == util::Seconds(900));
    CHECK(config.settings.token_algorithm(model::TokenProfile::interface) == crypto::Algorithm::ES256);
    CHECK(config.settings.token_algorithm(model::TokenProfile::rfc9068) == crypto::Algorithm::ES256);
    CHECK(config.settings.access_token_profile == model::TokenProfile::interface);
    CHECK(config.limits.body == 65536);
    CHECK(config.log_target == "stderr");
    CHECK(config.sandbox == SandboxMode::automatic);
    CHECK_FALSE(config.settings.outbound.enabled);
    CHECK(config.settings.outbound.ports == std::vector<std::uint16_t>{443});
    CHECK(config.settings.outbound.allow.empty());
    CHECK_FALSE(config.settings.outbound.ca);
    CHECK_FALSE(config.settings.outbound.proxy);
    CHECK(config.settings.outbound.stale_if_error == util::Seconds(3600));
    CHECK(config.settings.outbound.slots == 1);
    CHECK(config.settings.outbound.program.ends_with("/libexec/postern/fetch"));
    CHECK(config.warnings.empty());
}

TEST_CASE("parse_config: what \"outbound\" has arrives [FETCH-1]") {
    const auto outbound = parsed(R"("outbound": {"enabled": true, "ports": [443, 8443], "allow": ["10.0.0.0/8"],
        "ca": "/etc/ca.pem", "proxy": "http://proxy.example:3128", "staleIfError": 60, "program": "/opt/fetch"})")
                              .settings.outbound;
    CHECK(outbound.enabled);
    CHECK(outbound.ports == std::vector<std::uint16_t>{443, 8443});
    REQUIRE(outbound.allow.size() == 1);
    CHECK(fetch::format_network(outbound.allow[0]) == "10.0.0.0/8");
    CHECK(outbound.ca == "/etc/ca.pem");
    CHECK(outbound.proxy == "http://proxy.example:3128");
    CHECK(outbound.stale_if_error == util::Seconds(60));
    CHECK(outbound.program == "/opt/fetch");
}

TEST_CASE("parse_config: every kind of value arrives where it belongs; nested objects may be given in part") {
    const Config config = parsed(R"(
        // comments and trailing commas are allowed
        "database": "/srv/p.db", "oidc": {}, "accessTokenTTL": 60, "refreshReuseGrace": 0, "idTokenAlgorithm": "EdDSA",
        "usernameInAccessToken": false, "authorizeMethods": ["GET", "POST"], "scopeDescriptions": {"books": "Read your books"},
        "paths": {"token": "/oauth/token", "userinfo": null}, "login": {"window": 60}, "limits": {"body": 4096,},
        "trustedProxies": ["2001:DB8:0::1", "::ffff:192.0.2.1"], "log": {"level": "debug"}, "metadata": {"op_tos_uri": "https://x.example"},)");
    CHECK(config.database == "/srv/p.db");
    CHECK(config.settings.oidc);
    CHECK(config.settings.access_token_ttl == util::Seconds(60));
    CHECK(config.settings.refresh_reuse_grace == util::Seconds(0));
    CHECK(config.settings.id_token_algorithm == crypto::Algorithm::EdDSA);
    CHECK_FALSE(config.settings.username_in_access_token);
    CHECK(config.settings.authorize_post);
    CHECK(config.settings.scope_descriptions.at("books") == "Read your books");
    CHECK(config.settings.paths.token == "/oauth/token");
    CHECK(config.settings.paths.authorize == "/authorize");
    CHECK_FALSE(config.settings.paths.userinfo);
    CHECK(config.settings.paths.revoke == "/token/revoke");
    CHECK(config.settings.login.window == util::Seconds(60));
    CHECK(config.settings.login.max_failures == 10);
    CHECK(config.limits.body == 4096);
    CHECK(config.trusted_proxies == std::vector<std::string>{"2001:db8::1", "192.0.2.1"});
    CHECK(config.log_level == util::LogLevel::debug);
    CHECK(config.log_target == "stderr");
    CHECK(config.settings.metadata.find("op_tos_uri") != nullptr);
}

TEST_CASE(
    "parse_config: one step outside a range or type is refused under the key's name [CWE-15, RFC 6749 §4.1.2c, RFC "
    "8414 §6.2b, G03]") {
    struct Row {
        const char* member;
        const char* key;  ///< of the one problem, or "" when it is accepted
    };
    const Row rows[] = {
        {R"("accessTokenTTL": 1)", ""},
        {R"("accessTokenTTL": 0)", "accessTokenTTL"},
        {R"("accessTokenTTL": -1)", "accessTokenTTL"},
        {R"("accessTokenTTL": 300.0)", "accessTokenTTL"},
        {R"("accessTokenTTL": "300")", "accessTokenTTL"},
        {R"("accessTokenTTL": null)", "accessTokenTTL"},
        {R"("accessTokenTTL": true)", "accessTokenTTL"},
        {R"("refreshTokenTTL": 315360000)", ""},
        {R"("refreshTokenTTL": 315360001)", "refreshTokenTTL"},
        {R"("authorizationCodeTTL": 600)", ""},
        {R"("authorizationCodeTTL": 601)", "authorizationCodeTTL"},
        {R"("refreshReuseGrace": 60)", ""},
        {R"("refreshReuseGrace": 61)", "refreshReuseGrace"},
        {R"("refreshReuseGrace": -1)", "refreshReuseGrace"},
        {R"("maxAgeLeeway": 300)", ""},
        {R"("maxAgeLeeway": 301)", "maxAgeLeeway"},
        {R"("login": {"hashSlots": 64})", ""},
        {R"("login": {"hashSlots": 65})", "login.hashSlots"},
        {R"("login": {"hashSlots": 0})", "login.hashSlots"},
        {R"("login": {"passwordMinLength": 15})", ""},
        {R"("login": {"passwordMinLength": 14})", "login.passwordMinLength"},
        {R"("login": {"passwordMinLength": 8, "secondFactor": "offered"})", "login.passwordMinLength"},
        {R"("login": {"passwordMinLength": 8, "secondFactor": "required"})", ""},
        {R"("login": {"passwordMinLength": 7, "secondFactor": "required"})", "login.passwordMinLength"},
        {R"("login": {"passwordMinLength": 64})", ""},
        {R"("login": {"passwordMinLength": 65})", "login.passwordMinLength"},
        {R"("login": {"passwordMinLength": "15"})", "login.passwordMinLength"},
        {R"("login": {"rememberDevice": 0})", ""},
        {R"("login": {"rememberDevice": 2592000})", ""},
        {R"("login": {"rememberDevice": 2592001})", "login.rememberDevice"},
        {R"("login": {"rememberDevice": -1})", "login.rememberDevice"},
        {R"("login": {"rememberDevice": null})", "login.rememberDevice"},
        {R"("login": {"passwordMinStrength": 0})", ""},
        {R"("login": {"passwordMinStrength": 100})", ""},
        {R"("login": {"passwordMinStrength": 101})", "login.passwordMinStrength"},
        {R"("login": {"passwordMinStrength": -1})", "login.passwordMinStrength"},
        {R"("login": {"passwordMinStrength": 39.5})", "login.passwordMinStrength"},
        {R"("login": {"passwordMinStrength": null})", "login.passwordMinStrength"},
        {R"("login": {"passwordBlocklist": "/etc/postern/passwords.list"})", ""},
        {R"("login": {"passwordBlocklist": null})", ""},
        {R"("login": {"passwordBlocklist": "passwords.list"})", "login.passwordBlocklist"},
        {R"("login": {"passwordBlocklist": ""})", "login.passwordBlocklist"},
        {R"("login": {"passwordBlocklist": true})", "login.passwordBlocklist"},
        {R"("login": {"method": "password"})", ""},
        {R"("login": {"method": "remote_user"})", ""},
        {R"("login": {"method": "REMOTE_USER"})", "login.method"},
        {R"("login": {"method": null})", "login.method"},
        {R"("login": {"remoteUserVariable": "OIDC_CLAIM_sub"})", ""},
        {R"("login": {"remoteUserVariable": "HTTP_REMOTE_USER"})", "login.remoteUserVariable"},
        {R"("login": {"remoteUserVariable": null})", "login.remoteUserVariable"},
        {R"("login": {"autoCreate": "true"})", "login.autoCreate"},
        {R"("login": {"authTimeFromEnvironment": "HTTP_AUTH_TIME"})", "login.authTimeFromEnvironment"},
        {R"("login": {"authTimeFromEnvironment": ""})", "login.authTimeFromEnvironment"},
        {R"("login": {"logoutRedirect": "/logout"})", "login.logoutRedirect"},
        {R"("login": {"claimsFromEnvironment": []})", "login.claimsFromEnvironment"},
        {R"("login": {"claimsFromEnvironment": {}})", ""},
        {R"("login": {"claimsFromEnvironment": {"email": "AUTHENTICATE_MAIL"}})", ""},
        {R"("login": {"claimsFromEnvironment": {"email": "HTTP_MAIL"}})", "login.claimsFromEnvironment.email"},
        {R"("login": {"claimsFromEnvironment": {"email": true}})", "login.claimsFromEnvironment.email"},
        {R"("login": {"claimsFromEnvironment": {"sub": "UID"}})", "login.claimsFromEnvironment.sub"},
        {R"("login": {"method": "passwort"})", "login.method"},
        {R"("login": {"secondFactor": "Required"})", "login.secondFactor"},
        {R"("login": {"secondFactor": true})", "login.secondFactor"},
        {R"("login": {"secondFactor": null})", "login.secondFactor"},
        {R"("login": {"method": "remote_user", "secondFactor": "required"})", "login.secondFactor"},
        {R"("login": {"enrolment": "links"})", "login.enrolment"},
        {R"("login": {"passkeys": "second-factor"})", "login.passkeys"},
        {R"("login": {"passkeys": false})", "login.passkeys"},
        {R"("login": {"passkeys": null})", "login.passkeys"},
        {R"("login": {"passkeys": "off"})", ""},
        {R"("login": {"rpId": ""})", "login.rpId"},
        {R"("login": {"rpId": true})", "login.rpId"},
        {R"("login": {"rpId": "Example"})", "login.rpId"},
        {R"("login": {"rpId": "example"})", "login.rpId"},
        {R"("login": {"rpId": ".example"})", "login.rpId"},
        {R"("login": {"rpId": "former.example."})", "login.rpId"},
        {R"("login": {"rpId": "https://former.example"})", "login.rpId"},
        {R"("login": {"rpId": "former.example:443"})", "login.rpId"},
        {R"("login": {"rpId": "192.0.2.1"})", "login.rpId"},
        {R"("login": {"rpId": "[2001:db8::1]"})", "login.rpId"},
        {R"("account": {"editableClaims": "name"})", "account.editableClaims"},
        {R"("account": {"editableClaims": null})", "account.editableClaims"},
        {R"("account": {"editableClaims": [1]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": [""]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["Name"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["team"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["sub"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["groups"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["name", "name"]})", "account.editableClaims[1]"},
        {R"("account": {"editableClaims": ["name", "email"]})", "account.editableClaims"},
        {R"("account": {"editableClaims": ["name", "email"]}, "mail": {"from": "a@b", "command": ["/x"]})", ""},
        {R"("account": {"editableClaims": ["email"]}, "mail": {"from": "a@b", "command": ["/x"]}, "paths": {"recover": null})",
         "account.editableClaims"},
        {R"("account": {"editableClaims": ["email"]}, "mail": {"from": "a@b", "command": ["/x"]}, "login": {"method": "saslauthd"})",
         "account.editableClaims"},
        {R"("mail": null)", ""},
        {R"("mail": {"from": "Example <id@example.org>", "command": ["/usr/sbin/sendmail", "-t", "-i"], "perHour": 1})",
         ""},
        {R"("mail": true)", "mail"},
        {R"("mail": {"from": "a@b"})", "mail.command"},
        {R"("mail": {"command": ["/x"]})", "mail.from"},
        {R"("mail": {"from": "a", "command": ["/x"]})", "mail.from"},
        {R"("mail": {"from": 1, "command": ["/x"]})", "mail.from"},
        {R"("mail": {"from": "a@b", "command": "/x -t"})", "mail.command"},
        {R"("mail": {"from": "a@b", "command": []})", "mail.command"},
        {R"("mail": {"from": "a@b", "command": ["sendmail"]})", "mail.command"},
        {R"("mail": {"from": "a@b", "command": ["/x", 1]})", "mail.command"},
        {R"("mail": {"from": "a@b", "command": ["/x"], "perHour": 0})", "mail.perHour"},
        {R"("mail": {"from": "a@b", "command": ["/x"], "perHour": 100001})", "mail.perHour"},
        {R"("mail": {"from": "a@b", "command": ["/x"], "to": "c@d"})", "mail.to"},
        {R"("account": {"editableClaims": ["email_verified"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["phone_number_verified"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["address"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["updated_at"]})", "account.editableClaims[0]"},
        {R"("account": {"editableClaims": ["name"]}, "login": {"method": "remote_user", "claimsFromEnvironment":
            {"name": "REMOTE_NAME"}})",
         "account.editableClaims"},
        {R"("login": {"acrNames": []})", "login.acrNames"},
        {R"("login": {"acrNames": null})", "login.acrNames"},
        {R"("login": {"acrNames": {"": 1}})", "login.acrNames."},
        {R"("login": {"acrNames": {"a b": 1}})", "login.acrNames.a b"},
        {R"("login": {"acrNames": {"gold": 0}})", "login.acrNames.gold"},
        {R"("login": {"acrNames": {"gold": 4}})", "login.acrNames.gold"},
        {R"("login": {"acrNames": {"gold": "2"}})", "login.acrNames.gold"},
        {R"("login": {"acrNames": {"gold": 1.5}})", "login.acrNames.gold"},
        {R"("login": {"acrNames": {"phr": 3}})", "login.acrNames.phr"},
        {R"("login": {})", ""},
        {R"("login": [])", "login"},
        {R"("login": null)", "login"},
        {R"("limits": {"body": 4095})", "limits.body"},
        {R"("limits": {"token": 8193})", "limits.token"},
        {R"("limits": {"parameters": 15})", "limits.parameters"},
        {R"("authenticateIntrospect": false)", ""},
        {R"("authenticateIntrospect": "false")", "authenticateIntrospect"},
        {R"("authenticateIntrospect": 0)", "authenticateIntrospect"},
        {R"("authenticateRevoke": null)", "authenticateRevoke"},
        {R"("implicit": false)", ""},
        {R"("implicit": true)", ""},
        {R"("implicit": "true")", "implicit"},
        {R"("implicit": 1)", "implicit"},
        {R"("useOpaqueRefreshTokens": false)", ""},
        {R"("useOpaqueRefreshTokens": true)", ""},
        {R"("useOpaqueRefreshTokens": "false")", "useOpaqueRefreshTokens"},
        {R"("idTokenAlgorithm": "none")", "idTokenAlgorithm"},
        {R"("idTokenAlgorithm": "es256")", "idTokenAlgorithm"},
        {R"("accessTokenAlgorithm": "HS256")", "accessTokenAlgorithm"},
        {R"("authorizeMethods": ["POST"])", "authorizeMethods"},
        {R"("authorizeMethods": ["GET", "GET"])", "authorizeMethods"},
        {R"("authorizeMethods": ["GET", "PUT"])", "authorizeMethods"},
        {R"("authorizeMethods": "GET")", "authorizeMethods"},
        {R"("oidc": {"userClaims": "database"})", ""},
        {R"("oidc": {"userClaims": "ldap"})", "oidc.userClaims"},
        {R"("oidc": true)", "oidc"},
        {R"("oidc": null)", "oidc"},
        {R"("database": "postern.db")", "database"},
        {R"("keys": 5)", "keys"},
        {R"("node": "b")", ""},
        {R"("node": "b7")", ""},
        {R"("node": "web")", "node"},
        {R"("node": "B")", "node"},
        {R"("node": "l")", "node"},
        {R"("node": "b ")", "node"},
        {R"("paths": {"token": "token"})", "paths.token"},
        {R"("paths": {"token": null})", "paths.token"},
        {R"("paths": {"logout": null})", ""},
        {R"("paths": {"logout": ""})", "paths.logout"},
        {R"("paths": {"login": "/token"})", "paths.token"},
        {R"("paths": {"recover": null})", ""},
        {R"("paths": {"recover": "/help"})", ""},
        {R"("paths": {"recover": "recover"})", "paths.recover"},
        {R"("paths": {"recover": "/account"})", "paths.recover"},
        {R"("paths": {"recover": "/account/recover"})", "paths.recover"},
        {R"("paths": {"scopes": "/recover/link"})", "paths.scopes"},
        {R"("paths": {"scopes": "/recover/link", "recover": "/help"})", ""},
        {R"("paths": {"scopes": "/recovery"})", ""},
        {R"("paths": {"token": "/login"})", "paths.token"},
        {R"("trustedProxies": ["10.0.0.0/8"])", "trustedProxies[0]"},
        {R"("authorizationVariables": [])", "authorizationVariables"},
        {R"("authorizationVariables": "HTTP_AUTHORIZATION")", "authorizationVariables"},
        {R"("authorizationVariables": [1])", "authorizationVariables[0]"},
        {R"("authorizationVariables": ["HTTP_AUTHORIZATION", "REMOTE_USER"])", "authorizationVariables[1]"},
        {R"("authorizationVariables": ["HTTP_AUTHORIZATION", "HTTP_AUTHORIZATION"])", "authorizationVariables[1]"},
        {R"("authorizationVariables": ["A_AUTHORIZATION","B_AUTHORIZATION","C_AUTHORIZATION","D_AUTHORIZATION",
            "E_AUTHORIZATION","F_AUTHORIZATION","G_AUTHORIZATION","H_AUTHORIZATION","I_AUTHORIZATION"])",
         "authorizationVariables"},
        {R"("trustedProxies": ["10.0.0.1", "proxy"])", "trustedProxies[1]"},
        {R"("trustedProxies": "10.0.0.1")", "trustedProxies"},
        {R"("outbound": {})", ""},
        {R"("outbound": true)", "outbound"},
        {R"("outbound": {"enabled": "yes"})", "outbound.enabled"},
        {R"("outbound": {"ports": []})", "outbound.ports"},
        {R"("outbound": {"ports": 443})", "outbound.ports"},
        {R"("outbound": {"ports": [1, 65535]})", ""},
        {R"("outbound": {"ports": [0]})", "outbound.ports"},
        {R"("outbound": {"ports": [65536]})", "outbound.ports"},
        {R"("outbound": {"ports": ["443"]})", "outbound.ports"},
        {R"("outbound": {"ports": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]})", ""},
        {R"("outbound": {"ports": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]})", "outbound.ports"},
        {R"("outbound": {"allow": []})", ""},
        {R"("outbound": {"allow": ["10.0.0.0/8", "fd00::/8", "192.0.2.1"]})", ""},
        {R"("outbound": {"allow": ["10.0.0.0/8", "10.0.0.1/8"]})", "outbound.allow[1]"},
        {R"("outbound": {"allow": ["intranet.example"]})", "outbound.allow[0]"},
        {R"("outbound": {"allow": [10]})", "outbound.allow[0]"},
        {R"("outbound": {"allow": "10.0.0.0/8"})", "outbound.allow"},
        {R"("outbound": {"slots": 1})", ""},
        {R"("outbound": {"slots": 64})", ""},
        {R"("outbound": {"slots": 0})", "outbound.slots"},
        {R"("outbound": {"slots": 65})", "outbound.slots"},
        {R"("outbound": {"slots": "2"})", "outbound.slots"},
        {R"("outbound": {"ca": null, "proxy": null})", ""},
        {R"("outbound": {"ca": "/etc/ca.pem"})", ""},
        {R"("outbound": {"ca": "ca.pem"})", "outbound.ca"},
        {R"("outbound": {"proxy": "http://proxy.example:3128"})", ""},
        {R"("outbound": {"proxy": "http://[::1]:3128/"})", ""},
        {R"("outbound": {"proxy": "http://proxy.example"})", "outbound.proxy"},
        {R"("outbound": {"proxy": "https://proxy.example:3128"})", "outbound.proxy"},
        {R"("outbound": {"proxy": "socks5://proxy.example:1080"})", "outbound.proxy"},
        {R"("outbound": {"proxy": "http://me:pw@proxy.example:3128"})", "outbound.proxy"},
        {R"("outbound": {"proxy": "http://proxy.example:3128/x"})", "outbound.proxy"},
        {R"("outbound": {"proxy": ""})", "outbound.proxy"},
        {R"("outbound": {"staleIfError": 0})", ""},
        {R"("outbound": {"staleIfError": 604800})", ""},
        {R"("outbound": {"staleIfError": 604801})", "outbound.staleIfError"},
        {R"("outbound": {"staleIfError": -1})", "outbound.staleIfError"},
        {R"("outbound": {"program": "/opt/fetch"})", ""},
        {R"("outbound": {"program": "fetch"})", "outbound.program"},
        {R"("outbound": {"program": null})", "outbound.program"},
        {R"("outbound": {"inRequests": true})", "outbound.inRequests"},
        {R"("sandbox": "require")", ""},
        {R"("sandbox": "auto")", ""},
        {R"("sandbox": "on")", "sandbox"},
        {R"("sandbox": true)", "sandbox"},
        {R"("sandbox": null)", "sandbox"},
        {R"("log": {"level": "notice"})", "log.level"},
        {R"("log": {"target": "syslog"})", ""},
        {R"("log": {"target": "/var/log/postern.log"})", ""},
        {R"("log": {"target": "postern.log"})", "log.target"},
        {R"("log": {"target": "/dev/stderr"})", ""},
        {R"("log": {"target": "/dev/null"})", ""},
        {R"("log": {"target": "/dev/stdout"})", "log.target"},
        {R"("log": {"target": "/dev/fd/1"})", "log.target"},
        {R"("scopeDescriptions": {"a b": "x"})", "scopeDescriptions.a b"},
        {R"("scopeDescriptions": {"a": ""})", "scopeDescriptions.a"},
        {R"("scopeDescriptions": {"a": 1})", "scopeDescriptions.a"},
        {R"("scopeClaims": {"groups": ["groups", "roles"], "staff": ["employee_number"], "x": ["email"]})", ""},
        {R"("scopeClaims": {"profile": ["employee_number"]})", "scopeClaims.profile"},
        {R"("scopeClaims": {})", ""},
        {R"("scopeClaims": ["groups"])", "scopeClaims"},
        {R"("scopeClaims": {"a b": ["groups"]})", "scopeClaims.a b"},
        {R"("scopeClaims": {"groups": "groups"})", "scopeClaims.groups"},
        {R"("scopeClaims": {"groups": []})", "scopeClaims.groups"},
        {R"("scopeClaims": {"groups": [1]})", "scopeClaims.groups[0]"},
        {R"("scopeClaims": {"groups": ["groups", "two words"]})", "scopeClaims.groups[1]"},
        {R"("scopeClaims": {"groups": ["sub"]})", "scopeClaims.groups[0]"},
        {R"("scopeClaims": {"groups": ["iss"]})", "scopeClaims.groups[0]"},
        {R"("scopeClaims": {"groups": ["amr"]})", "scopeClaims.groups[0]"},
        {R"("scopeClaims": {"openid": ["groups"]})", "scopeClaims.openid"},
        {R"("scopeClaims": {"offline_access": ["groups"]})", "scopeClaims.offline_access"},
        {R"("metadata": {"issuer": "https://evil.example"})", "metadata.issuer"},
        {R"("metadata": {"token_endpoint": "https://evil.example"})", "metadata.token_endpoint"},
        {R"("metadata": {"id_token_signing_alg_values_supported": ["none"]})",
         "metadata.id_token_signing_alg_values_supported"},
        {R"("metadata": {"response_types_supported": ["id_token"]})", "metadata.response_types_supported"},
        {R"("metadata": {"ui_locales_supported": ["de"]})", ""},
        {R"("metadata": {"registration_endpoint": "https://register.example"})", ""},
        {R"("metadata": {"request_object_signing_alg_values_supported": ["none"]})", ""},
        {R"("login.window": 60)", "login.window"},
        {R"("ISSUER": "https://x.example")", "ISSUER"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.member);
        const std::vector<std::string> expected =
            *row.key == '\0' ? std::vector<std::string>{} : std::vector<std::string>{row.key};
        CHECK(keys_of_problems(with_issuer(row.member)) == expected);
    }
}

TEST_CASE("parse_config: all problems are reported at once, in the order of the file") {
    const std::vector<std::string> keys = keys_of_problems(
        R"({"implicit": "yes", "accessTokenTTL": 0, "colour": "red", "login": {"maxFailures": 0, "x": 1}, "metadata": {"jwks_uri": "", "issuer": ""}})");
    CHECK(keys == std::vector<std::string>{"implicit", "accessTokenTTL", "colour", "login.maxFailures", "login.x",
                                           "metadata.jwks_uri", "metadata.issuer", "issuer"});
}

TEST_CASE("parse_config: an unknown key names the known one it was probably meant to be") {
    struct Row {
        const char* member;
        const char* meant;  ///< "" when nothing is near
    };
    const Row rows[] = {
        {R"("accessTokenTtl": 5)", "accessTokenTTL"},
        {R"("authenticateIntrospection": true)", "authenticateIntrospect"},
        {R"("hashSlots": 2)", "login.hashSlots"},
        {R"("login": {"max_failures": 2})", "login.maxFailures"},
        {R"("limit": {})", "limits"},
        {R"("zzzzzzzz": 1)", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.member);
        const auto config = parse_config(with_issuer(row.member));
        REQUIRE_FALSE(config);
        REQUIRE(config.error().size() == 1);
        const std::string& reason = config.error()[0].reason;
        CAPTURE(reason);
        if (*row.meant == '\0') {
            CHECK(reason == "is not a known key");
        } else {
            CHECK(reason == "is not a known key (did you mean \"" + std::string(row.meant) + "\"?)");
        }
    }
}

TEST_CASE("parse_config: what is not one JSON object is refused with line and column") {
    const auto syntax = parse_config("{\"issuer\": \"https://x.example\",\n  \"accessTokenTTL\": 300x}");
    REQUIRE_FALSE(syntax);
    REQUIRE(syntax.error().size() == 1);
    CHECK(syntax.error()[0].key.empty());
    CHECK(syntax.error()[0].reason.starts_with("line 2, column "));
    const std::string good = with_issuer("");
    CHECK(keys_of_problems(good + "\r\n").empty());
    for (const std::string& text :
         {std::string(), std::string("[]"), std::string("null"), "\xef\xbb\xbf" + good, good + "{}",
          good + std::string(1, '\0'), with_issuer(R"("implicit": false, "implicit": false)"),
          with_issuer("\"keys\": \"/\xff\""), with_issuer("\"keys\": \"/" + std::string(300000, 'k') + "\"")}) {
        CAPTURE(text.substr(0, 80));
        CHECK(keys_of_problems(text) == std::vector<std::string>{""});
    }
    CHECK(keys_of_problems("{}") == std::vector<std::string>{"issuer"});
}

TEST_CASE("parse_config: legal but doubtful settings are warned about, each once [OIDC Core §15.1a, Discovery §3l]") {
    struct Row {
        const char* text;
        std::size_t warnings;
    };
    const Row rows[] = {
        {R"({"issuer":"https://x.example"})", 0},
        {R"({"issuer":"http://127.0.0.1:8080"})", 1},
        {R"({"issuer":"https://x.example","authenticateIntrospect":false,"authenticateRevoke":false})", 2},
        {R"({"issuer":"https://x.example","introspectionRequiresConfidentialClient":false})", 1},
        {R"({"issuer":"https://x.example","idTokenAlgorithm":"ES256"})", 1},
        {R"({"issuer":"https://x.example","sandbox":"off"})", 1},
        {R"({"issuer":"https://x.example","sandbox":"require"})", 0},
        {R"({"issuer":"https://x.example","login":{"method":"remote_user","autoCreate":true}})", 0},
        {R"({"issuer":"https://x.example","login":{"remoteUserVariable":"REMOTE_USER","autoCreate":false}})", 0},
        {R"({"issuer":"https://x.example","login":{"autoCreate":true,"logoutRedirect":"https://x.example/bye"}})", 1},
        {R"({"issuer":"https://x.example","login":{"authTimeFromEnvironment":"T"}})", 1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto config = parse_config(row.text);
        REQUIRE(config);
        CHECK(config->warnings.size() == row.warnings);
    }
}

TEST_CASE("parse_config: the keys of method remote_user arrive where the login reads them") {
    const oauth::LoginSettings login = parse_config(with_issuer(R"("login": {
        "method": "remote_user", "remoteUserVariable": "UID", "autoCreate": true, "authTimeFromEnvironment": "LOGIN_TIME",
        "claimsFromEnvironment": {"email": "MAIL", "name": "CN"}, "logoutRedirect": "https://x.example/out?to={return}"})"))
                                           ->settings.login;
    CHECK(login.method == oauth::LoginMethod::remote_user);
    CHECK(login.remote_user_variable == "UID");
    CHECK(login.auto_create);
    CHECK(login.auth_time_variable == "LOGIN_TIME");
    CHECK(login.claims_from_environment == std::map<std::string, std::string>{{"email", "MAIL"}, {"name", "CN"}});
    CHECK(login.logout_redirect == "https://x.example/out?to={return}");

    const oauth::LoginSettings defaults =
        parse_config(with_issuer(R"("login": {"method": "remote_user"})"))->settings.login;
    CHECK(defaults.remote_user_variable == "REMOTE_USER");
    CHECK_FALSE(defaults.auto_create);
    CHECK_FALSE(defaults.auth_time_variable);
    CHECK(defaults.claims_from_environment.empty());
    CHECK_FALSE(defaults.logout_redirect);
}

/// A map of that many values, all of one group.
std::string group_map(int size) {
    std::string members;
    for (int i = 0; i < size; ++i) members += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":"staff")";
    return "{" + members + "}";
}

TEST_CASE(
    "parse_config: saslauthd is asked with method saslauthd alone, at a socket of this machine [SOURCE-1, SOURCE-7]") {
    const auto with = [](const std::string& members) {
        return with_issuer(R"("login": {"method": "saslauthd", "saslauthd": )" + members + "}");
    };
    struct Row {
        std::string saslauthd;
        const char* key;  ///< of the problem, behind "login.saslauthd"; nullptr: none
    };
    const std::string path(106, 'x');
    const std::string service(64, 's');
    const std::string realm(255, 'r');
    const Row rows[] = {
        {"{}", nullptr},
        {R"({"socket": "/srv/mux", "service": "wiki-2.0_a", "realm": "EXAMPLE.ORG"})", nullptr},
        {R"({"socket": "/)" + path + R"("})", nullptr},
        {R"({"socket": "/)" + path + R"(x"})", ".socket"},
        {R"({"socket": ""})", ".socket"},
        {R"({"socket": "run/mux"})", ".socket"},
        {R"({"socket": "@mux"})", ".socket"},
        {R"({"socket": "\u0001mux"})", ".socket"},
        {R"({"socket": "/run/\u0001mux"})", ".socket"},
        {R"({"socket": null})", ".socket"},
        {R"({"service": ")" + service + R"("})", nullptr},
        {R"({"service": ")" + service + R"(s"})", ".service"},
        {R"({"service": ""})", ".service"},
        {R"({"service": "../login"})", ".service"},
        {R"({"service": ".."})", ".service"},
        {R"({"service": "a b"})", ".service"},
        {R"({"service": "\u0001"})", ".service"},
        {R"({"service": 1})", ".service"},
        {R"({"realm": ""})", nullptr},
        {R"({"realm": ")" + realm + R"("})", nullptr},
        {R"({"realm": ")" + realm + R"(r"})", ".realm"},
        {R"({"realm": "a b"})", ".realm"},
        {R"({"realm": "\u0001"})", ".realm"},
        {R"({"realm": "\u00e9"})", ".realm"},
        {R"({"realm": false})", ".realm"},
        {R"({"port": 1})", ".port"},
        {"[]", ""},
        {"null", ""},
        {R"("/run/saslauthd/mux")", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.saslauthd);
        std::vector<std::string> expected;
        if (row.key != nullptr) expected = {std::string("login.saslauthd") + row.key};
        CHECK(keys_of_problems(with(row.saslauthd)) == expected);
    }
    const auto read = config::parse_config(with(R"({"socket": "/srv/mux", "service": "wiki", "realm": "R"})"))
                          ->settings.login.saslauthd;
    REQUIRE(read);
    CHECK(read->socket == "/srv/mux");
    CHECK(read->service == "wiki");
    CHECK(read->realm == "R");
    const oauth::LoginSettings usual = parsed(R"("login": {"method": "saslauthd"})").settings.login;
    REQUIRE(usual.saslauthd);
    CHECK(usual.saslauthd->socket == "/run/saslauthd/mux");
    CHECK(usual.saslauthd->service == "postern");
    CHECK(usual.saslauthd->realm == "");

    // With another method nothing would ask it.
    CHECK_FALSE(parsed("").settings.login.saslauthd);
    for (const std::string method : {"", R"("method": "password", )", R"("method": "remote_user", )"}) {
        CHECK(keys_of_problems(with_issuer(R"("login": {)" + method + R"("saslauthd": {}})")) ==
              std::vector<std::string>{"login.saslauthd"});
    }
}

TEST_CASE("parse_config: saslauthd has our own page, and what belongs to it [SOURCE-4]") {
    const char* const both = R"("login": {"method": "saslauthd", "autoCreate": true, "secondFactor": "required",
        "enrolment": "link", "passkeys": "secondFactor", "acrNames": {"gold": 2}})";
    CHECK(keys_of_problems(with_issuer(both)).empty());
    CHECK(parsed(both).warnings.empty());
    CHECK(parsed(both).settings.login.auto_create);
    CHECK(parsed(R"("login": {"method": "saslauthd", "logoutRedirect": "https://x.example/bye"})").warnings.size() ==
          1);
    CHECK(parsed(R"("login": {"autoCreate": true})").warnings.size() == 1);
    CHECK(keys_of_problems(with_issuer(R"("login": {"method": "saslauthd", "groupsFromEnvironment": {"variable": "M",
        "separator": ";", "groups": {"a": "staff"}}})")) == std::vector<std::string>{"login.groupsFromEnvironment"});
}

TEST_CASE("parse_config: groups from a variable need a name, a separator and groups, and nothing else [GROUP-8]") {
    struct Row {
        std::string value;  ///< of login.groupsFromEnvironment
        const char* key;    ///< of the one problem, behind that name; nullptr when it is accepted
    };
    const auto groups = [](const std::string& map) {
        return R"({"variable": "MEMBEROF", "separator": ";", "groups": )" + map + "}";
    };
    const auto separated = [](const std::string& separator) {
        return R"({"variable": "MEMBEROF", "separator": )" + separator + R"(, "groups": {"cn=a,dc=b": "staff"}})";
    };
    const auto named = [](const std::string& variable) {
        return R"({"variable": )" + variable + R"(, "separator": ";", "groups": {"a": "staff"}})";
    };
    const Row rows[] = {
        {"null", nullptr},
        {groups(R"({"cn=staff,ou=groups,dc=example": "staff", "cn=all": "staff"})"), nullptr},
        {groups(group_map(256)), nullptr},
        {groups(group_map(257)), ".groups"},
        {groups("{}"), ".groups"},
        {groups(R"(["staff"])"), ".groups"},
        {groups(R"({"a": "two words"})"), ".groups.a"},
        {groups(R"({"a": ""})"), ".groups.a"},
        {groups(R"({"a": ")" + std::string(65, 'x') + R"("})"), ".groups.a"},
        {groups(R"({"a": ["staff"]})"), ".groups.a"},
        {groups(R"({"": "staff"})"), ".groups."},
        {groups(R"({"a;b": "staff"})"), ".groups.a;b"},
        {groups(R"({"a\tb": "staff"})"), ".groups.a\tb"},
        {groups(R"({")" + std::string(1024, 'x') + R"(": "staff"})"), nullptr},
        {separated(R"(";")"), nullptr},
        {separated(R"("; ")"), nullptr},
        {separated(R"("1234567890123456")"), nullptr},
        {separated(R"("12345678901234567")"), ".separator"},
        {separated(R"("")"), ".separator"},
        {separated(R"("\n")"), ".separator"},
        {separated("null"), ".separator"},
        {separated(R"(",")"), ".groups.cn=a,dc=b"},
        {named(R"("SSL_CLIENT_S_DN_OU")"), nullptr},
        {named(R"("HTTP_GROUPS")"), ".variable"},
        {named(R"("MEMBER OF")"), ".variable"},
        {named(R"("")"), ".variable"},
        {named("1"), ".variable"},
        {R"({"separator": ";", "groups": {"a": "staff"}})", ".variable"},
        {R"({"variable": "M", "groups": {"a": "staff"}})", ".separator"},
        {R"({"variable": "M", "separator": ";"})", ".groups"},
        {R"({"variable": "M", "separator": ";", "groups": {"a": "staff"}, "group": 1})", ".group"},
        {"[]", ""},
        {R"("MEMBEROF")", ""},
        {"true", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.value);
        const auto problems = keys_of_problems(
            with_issuer(R"("login": {"method": "remote_user", "groupsFromEnvironment": )" + row.value + "}"));
        std::vector<std::string> expected;
        if (row.key != nullptr) expected = {std::string("login.groupsFromEnvironment") + row.key};
        CHECK(problems == expected);
    }
    const auto read = parsed(R"("login": {"method": "remote_user", "groupsFromEnvironment": )" +
                             groups(R"({"cn=staff,dc=b": "staff"})") + "}")
                          .settings.login.groups_from_environment;
    REQUIRE(read);
    CHECK(read->variable == "MEMBEROF");
    CHECK(read->separator == ";");
    CHECK(read->groups.at("cn=staff,dc=b") == "staff");
    CHECK_FALSE(parsed("").settings.login.groups_from_environment);

    // Without the web server's word nothing would follow it.
    for (const std::string method : {"", R"("method": "password", )"}) {
        CHECK(keys_of_problems(with_issuer(R"("login": {)" + method + R"("groupsFromEnvironment": )" +
                                           groups(R"({"a": "staff"})") + "}")) ==
              std::vector<std::string>{"login.groupsFromEnvironment"});
        CHECK(keys_of_problems(with_issuer(R"("login": {)" + method + R"("groupsFromEnvironment": null})")).empty());
    }
}

TEST_CASE(
    "parse_config: no claim is changed by users unless it is named, and a name for a name is warned about [ACCOUNT-11]") {
    CHECK(parsed("").settings.account.editable_claims.empty());
    const Config config = parsed(R"("account": {"editableClaims": ["name", "phone_number"]})");
    CHECK(config.settings.account.editable_claims == std::vector<std::string>{"name", "phone_number"});
    CHECK(config.warnings.empty());
    CHECK(parsed(R"("account": {"editableClaims": []})").settings.account.editable_claims.empty());
    CHECK(parsed(R"("account": {"editableClaims": ["preferred_username"]})").warnings.size() == 1);
}

TEST_CASE("parse_config: second factors are offered, asked of all, or off; names of levels [POLICY-1] [LEVEL-8]") {
    using oauth::SecondFactor;
    const oauth::LoginSettings usual = parsed("").settings.login;
    CHECK(usual.second_factor == SecondFactor::offered);
    CHECK(usual.enrolment == oauth::Enrolment::login);
    CHECK(usual.acr_names.empty());
    const std::string longest(255, 'x');
    const oauth::LoginSettings login = parsed(R"("login": {"secondFactor": "required", "enrolment": "link", "acrNames":
        {"urn:example:low": 1, "urn:example:strong": 2, "hw": 3, ")" +
                                              longest + R"(": 3}})")
                                           .settings.login;
    CHECK(login.second_factor == SecondFactor::required);
    CHECK(login.enrolment == oauth::Enrolment::link);
    CHECK(login.acr_names ==
          std::map<std::string, int>{{"urn:example:low", 1}, {"urn:example:strong", 2}, {"hw", 3}, {longest, 3}});
    CHECK(keys_of_problems(with_issuer(R"("login": {"acrNames": {"x)" + longest + R"(": 3}})")).size() == 1);
    CHECK(parsed(R"("login": {"secondFactor": "off"})").settings.login.second_factor == SecondFactor::off);
    // Where the web server signs users in, these two say nothing.
    CHECK(parsed(R"("login": {"method": "remote_user", "secondFactor": "off"})").warnings.empty());
    CHECK(parsed(R"("login": {"method": "remote_user", "enrolment": "link"})").warnings.size() == 1);
    CHECK(parsed(R"("login": {"method": "remote_user", "acrNames": {"gold": 2}})").warnings.size() == 1);
    CHECK(parsed(R"("login": {"acrNames": {"gold": 2}})").warnings.empty());
    CHECK(parsed(R"("login": {"rememberDevice": 60})").warnings.empty());
    CHECK(parsed(R"("login": {"rememberDevice": 60, "method": "remote_user"})").warnings.size() == 1);
}

TEST_CASE("parse_config: what is demanded of new passwords [PASSWORD-1, PASSWORD-2, PASSWORD-3]") {
    const oauth::LoginSettings usual = parsed("").settings.login;
    CHECK(usual.password_min_length == 15);
    CHECK(usual.password_min_strength == 40);
    CHECK_FALSE(usual.password_blocklist);
    const Config config = parsed(R"("login": {"secondFactor": "required", "passwordMinLength": 8,
        "passwordMinStrength": 25, "passwordBlocklist": "/etc/postern/passwords.list"})");
    CHECK(config.settings.login.password_min_length == 8);
    CHECK(config.settings.login.password_min_strength == 25);
    CHECK(config.settings.login.password_blocklist == "/etc/postern/passwords.list");
    CHECK(config.warnings.empty());
    CHECK(parsed(R"("login": {"passwordMinStrength": 0})").warnings.size() == 1);
}

TEST_CASE("parse_config: passkeys, and the name for which they are made [WEBAUTHN-1] [WEBAUTHN-27]") {
    using oauth::Passkeys;
    struct Row {
        const char* issuer;
        const char* given;
        const char* rp_id;  ///< nullptr: refused
    };
    const Row rows[] = {
        {"https://id.example.org", "null", "id.example.org"},
        {"https://id.example.org:8443/auth", "null", "id.example.org"},
        {"https://id.example.org", R"("id.example.org")", "id.example.org"},
        {"https://id.example.org", R"("example.org")", "example.org"},
        {"https://id.example.org", R"("xample.org")", nullptr},
        {"https://id.example.org", R"("d.example.org")", nullptr},
        {"https://id.example.org", R"("org")", nullptr},
        {"https://id.example.org", R"("former.example")", "former.example"},
        {"https://id.example.org", R"("x.id.example.org")", "x.id.example.org"},
        {"http://localhost:8080", "null", "localhost"},
        {"http://localhost:8080", R"("localhost")", "localhost"},
        {"http://127.0.0.1:8080", "null", ""},
        {"http://[::1]:8080", "null", ""},
        {"https://192.0.2.1", R"("former.example")", nullptr},
    };
    for (const Row& row : rows) {
        CAPTURE(row.issuer);
        CAPTURE(row.given);
        const std::string text =
            std::string(R"({"issuer": ")") + row.issuer + R"(", "login": {"rpId": )" + row.given + "}}";
        if (row.rp_id == nullptr) {
            CHECK(keys_of_problems(text) == std::vector<std::string>{"login.rpId"});
        } else {
            REQUIRE(keys_of_problems(text).empty());
            CHECK(config::parse_config(text)->settings.login.rp_id == row.rp_id);
        }
    }
    CHECK(parsed("").settings.login.passkeys == Passkeys::login);
    CHECK(parsed(R"("login": {"passkeys": "secondFactor"})").settings.login.passkeys == Passkeys::second_factor);
    CHECK(parsed(R"("login": {"passkeys": "off"})").settings.login.passkeys == Passkeys::off);
    CHECK(parsed(R"("login": {"method": "remote_user", "passkeys": "off"})").warnings.empty());
    CHECK(parsed(R"("login": {"method": "remote_user", "passkeys": "secondFactor"})").warnings.size() == 1);
}

TEST_CASE("load_config: a file that cannot be used is named with every problem, a line each") {
    const std::string path = "/tmp/postern-config-test." + std::to_string(getpid());
    std::ofstream(path) << R"({"issuer":"https://x.example"})";
    CHECK(load_config(path).settings.issuer == "https://x.example");
    std::ofstream(path) << R"({"accessTokenTTL": 0})";
    std::string message;
    try {
        load_config(path);
    } catch (const ConfigError& error) {
        message = error.what();
    }
    CHECK(message.starts_with(path + ": "));
    CHECK(message.find("\n  accessTokenTTL must be a whole number from 1 to 315360000") != message.npos);
    CHECK(message.find("\n  issuer is required") != message.npos);
    std::remove(path.c_str());
    CHECK_THROWS_AS(load_config(path), ConfigError);
    CHECK_THROWS_AS(load_config("/tmp"), ConfigError);
}

TEST_CASE("load_config: a link is followed; what is not a regular file of at most 256 KiB is refused with its reason") {
    const std::string path = "/tmp/postern-config-file-test." + std::to_string(getpid());
    const auto refusal = [&](const std::string& name) -> std::string {
        try {
            load_config(name);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    std::string text = R"({"issuer":"https://x.example"})";
    text.resize(262144, ' ');
    std::ofstream(path) << text;
    CHECK(refusal(path) == "");
    REQUIRE(symlink(path.c_str(), (path + ".link").c_str()) == 0);
    CHECK(load_config(path + ".link").settings.issuer == "https://x.example");
    std::ofstream(path) << text << ' ';
    const std::string advice = "; name another file in POSTERN_CONFIG or make this one readable";
    CHECK(refusal(path) == path + ": is larger than 256 KiB" + advice);
    std::remove((path + ".link").c_str());
    std::remove(path.c_str());
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK(refusal(path) == path + ": is not a regular file" + advice);
    std::remove(path.c_str());
    CHECK(refusal(path) == path + ": cannot be opened (No such file or directory)" + advice);
    CHECK(refusal("/dev/zero") == "/dev/zero: is not a regular file" + advice);
}

}  // namespace

TEST_CASE("parse_config: clientDocuments needs outbound, and every host is a warning [CIMD-3, FETCH-1]") {
    const auto of = [](const std::string& members) { return R"("clientDocuments": {)" + members + "}"; };
    const std::string outbound = R"("outbound": {"enabled": true}, )";
    CHECK_FALSE(parsed("").settings.client_documents.enabled);
    CHECK(keys_of_problems(with_issuer(of(R"("enabled": true)"))) ==
          std::vector<std::string>{"clientDocuments.enabled"});
    const Config config = parsed(outbound + of(R"("enabled": true, "allow": ["app.example", "*.tools.example"],
        "deny": ["evil.example"], "scope": "notes:read", "ttl": 86400, "max": 1)"));
    const auto& documents = config.settings.client_documents;
    CHECK(documents.enabled);
    CHECK(documents.allow == std::vector<std::string>{"app.example", "*.tools.example"});
    CHECK(documents.deny == std::vector<std::string>{"evil.example"});
    CHECK(documents.scope.to_string() == "notes:read");
    CHECK(documents.ttl == util::Seconds(86400));
    CHECK(documents.max == 1);
    CHECK(config.warnings.empty());
    CHECK(parsed(outbound + of(R"("enabled": true)")).warnings.size() == 1);

    struct Row {
        const char* members;
        const char* key;  ///< of the one problem
    };
    const Row rows[] = {
        {R"("enabled": "true")", "clientDocuments.enabled"},
        {R"("allow": "app.example")", "clientDocuments.allow"},
        {R"("allow": ["App.example"])", "clientDocuments.allow[0]"},
        {R"("allow": ["app.example", 1])", "clientDocuments.allow[1]"},
        {R"("allow": ["https://app.example/"])", "clientDocuments.allow[0]"},
        {R"("deny": ["*"])", "clientDocuments.deny[0]"},
        {R"("deny": null)", "clientDocuments.deny"},
        {R"("scope": ["openid"])", "clientDocuments.scope"},
        {R"("scope": "a  b")", "clientDocuments.scope"},
        {R"("ttl": 86399)", "clientDocuments.ttl"},
        {R"("ttl": 315360001)", "clientDocuments.ttl"},
        {R"("max": 0)", "clientDocuments.max"},
        {R"("max": 1000001)", "clientDocuments.max"},
        {R"("logos": true)", "clientDocuments.logos"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.members);
        CHECK(keys_of_problems(with_issuer(of(row.members))) == std::vector<std::string>{row.key});
    }
}

}  // namespace postern::config
