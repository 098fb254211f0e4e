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
    CHECK(config.settings.response_types == std::vector{model::ResponseType::code});
    CHECK_FALSE(config.settings.authorize_post);
    CHECK(config.settings.username_in_access_token);
    CHECK(config.settings.authorization_code_ttl == util::Seconds(60));
    CHECK(config.settings.id_token_ttl == util::Seconds(3600));
    CHECK(config.settings.refresh_token_ttl == util::Seconds(2592000));
    CHECK(config.settings.id_token_algorithms == std::vector{crypto::Algorithm::RS256});
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
    CHECK(config.settings.id_token_algorithms == std::vector{crypto::Algorithm::EdDSA});
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
        std::string key;
        std::vector<const char*> accepted;
        std::vector<const char*> refused;
        const char* item = "";  ///< of the value that is refused, behind the key
    };
    const Row rows[] = {
        {"accessTokenTTL", {"1"}, {"0", "-1", "300.0", R"("300")", "null", "true"}},
        {"refreshTokenTTL", {"315360000"}, {"315360001"}},
        {"authorizationCodeTTL", {"600"}, {"601"}},
        {"refreshReuseGrace", {"60"}, {"61", "-1"}},
        {"maxAgeLeeway", {"300"}, {"301"}},
        {"login.hashSlots", {"64"}, {"65", "0"}},
        {"login.passwordMinLength", {"15", "64"}, {"14", "65", R"("15")"}},
        {"login",
         {},
         {R"({"passwordMinLength": 8, "secondFactor": "offered"})",
          R"({"passwordMinLength": 7, "secondFactor": "required"})"},
         ".passwordMinLength"},
        {"login", {R"({"passwordMinLength": 8, "secondFactor": "required"})", "{}"}, {"[]", "null"}},
        {"login.rememberDevice", {"0", "2592000"}, {"2592001", "-1", "null"}},
        {"login.passwordMinStrength", {"0", "100"}, {"101", "-1", "39.5", "null"}},
        {"login.passwordBlocklist",
         {R"("/etc/postern/passwords.list")", "null"},
         {R"("passwords.list")", R"("")", "true"}},
        {"login.method", {R"("password")", R"("remote_user")"}, {R"("REMOTE_USER")", "null", R"("passwort")"}},
        {"login.remoteUserVariable", {R"("OIDC_CLAIM_sub")"}, {R"("HTTP_REMOTE_USER")", "null"}},
        {"login.autoCreate", {}, {R"("true")"}},
        {"login.authTimeFromEnvironment", {}, {R"("HTTP_AUTH_TIME")", R"("")"}},
        {"login.logoutRedirect", {}, {R"("/logout")"}},
        {"login.claimsFromEnvironment", {"{}", R"({"email": "AUTHENTICATE_MAIL"})"}, {"[]"}},
        {"login.claimsFromEnvironment", {}, {R"({"email": "HTTP_MAIL"})", R"({"email": true})"}, ".email"},
        {"login.claimsFromEnvironment", {}, {R"({"sub": "UID"})"}, ".sub"},
        {"login.secondFactor", {}, {R"("Required")", "true", "null"}},
        {"login", {}, {R"({"method": "remote_user", "secondFactor": "required"})"}, ".secondFactor"},
        {"login.enrolment", {}, {R"("links")"}},
        {"login.passkeys", {R"("off")"}, {R"("second-factor")", "false", "null"}},
        {"login.rpId",
         {},
         {R"("")", "true", R"("Example")", R"("example")", R"(".example")", R"("former.example.")",
          R"("https://former.example")", R"("former.example:443")", R"("192.0.2.1")", R"("[2001:db8::1]")"}},
        {"account.editableClaims", {}, {R"("name")", "null", R"(["name", "email"])"}},
        {"account.editableClaims",
         {},
         {"[1]", R"([""])", R"(["Name"])", R"(["team"])", R"(["sub"])", R"(["groups"])", R"(["email_verified"])",
          R"(["phone_number_verified"])", R"(["address"])", R"(["updated_at"])"},
         "[0]"},
        {"account.editableClaims", {}, {R"(["name", "name"])"}, "[1]"},
        {"mail",
         {"null",
          R"({"from": "Example <id@example.org>", "command": ["/usr/sbin/sendmail", "-t", "-i"], "perHour": 1})"},
         {"true"}},
        {"mail",
         {},
         {R"({"from": "a@b"})", R"({"from": "a@b", "command": "/x -t"})", R"({"from": "a@b", "command": []})",
          R"({"from": "a@b", "command": ["sendmail"]})", R"({"from": "a@b", "command": ["/x", 1]})"},
         ".command"},
        {"mail",
         {},
         {R"({"command": ["/x"]})", R"({"from": "a", "command": ["/x"]})", R"({"from": 1, "command": ["/x"]})"},
         ".from"},
        {"mail",
         {},
         {R"({"from": "a@b", "command": ["/x"], "perHour": 0})",
          R"({"from": "a@b", "command": ["/x"], "perHour": 100001})"},
         ".perHour"},
        {"mail", {}, {R"({"from": "a@b", "command": ["/x"], "to": "c@d"})"}, ".to"},
        {"login.acrNames", {}, {"[]", "null"}},
        {"login.acrNames", {}, {R"({"": 1})"}, "."},
        {"login.acrNames", {}, {R"({"a b": 1})"}, ".a b"},
        {"login.acrNames", {}, {R"({"gold": 0})", R"({"gold": 4})", R"({"gold": "2"})", R"({"gold": 1.5})"}, ".gold"},
        {"login.acrNames", {}, {R"({"phr": 3})"}, ".phr"},
        {"limits.body", {}, {"4095"}},
        {"limits.token", {}, {"8193"}},
        {"limits.parameters", {}, {"15"}},
        {"authenticateIntrospect", {"false"}, {R"("false")", "0"}},
        {"authenticateRevoke", {}, {"null"}},
        {"implicit", {"false", "true"}, {R"("true")", "1"}},
        {"responseTypes",
         {R"(["code"])", R"(["token"])", R"(["code", "token code"])", R"(["token code"])"},
         {"[]", R"("code")", "null"}},
        {"responseTypes",
         {},
         {R"(["none"])", R"(["code code"])", R"(["code  token"])", R"([""])", R"([" code"])", R"(["Code"])", "[1]"},
         "[0]"},
        {"responseTypes", {}, {R"(["code", "code"])", R"(["token code", "code token"])"}, "[1]"},
        {"idTokenAlgorithms",
         {R"(["RS256"])", R"(["ES256", "RS256", "EdDSA", "PS256"])"},
         {"[]", R"("RS256")", "null"}},
        {"idTokenAlgorithms", {}, {R"(["none"])", R"(["HS256"])", R"(["PS384"])", R"(["rs256"])", "[1]"}, "[0]"},
        {"idTokenAlgorithms", {}, {R"(["ES256", "ES256"])"}, "[1]"},
        {"useOpaqueRefreshTokens", {"false", "true"}, {R"("false")"}},
        {"idTokenAlgorithm", {}, {R"("none")", R"("es256")"}},
        {"accessTokenAlgorithm", {}, {R"("HS256")"}},
        {"authorizeMethods", {}, {R"(["POST"])", R"(["GET", "GET"])", R"(["GET", "PUT"])", R"("GET")"}},
        {"oidc.userClaims", {R"("database")"}, {R"("ldap")"}},
        {"oidc", {}, {"true", "null"}},
        {"database", {}, {R"("postern.db")"}},
        {"keys", {}, {"5"}},
        {"node", {R"("b")", R"("b7")"}, {R"("web")", R"("B")", R"("l")", R"("b ")"}},
        {"paths.token", {}, {R"("token")", "null", R"("/login")"}},
        {"paths.logout", {"null"}, {R"("")"}},
        {"paths.recover", {"null", R"("/help")"}, {R"("recover")", R"("/account")", R"("/account/recover")"}},
        {"paths.device", {"null"}, {R"("/device")"}},
        {"paths.deviceAuthorization", {"null"}, {R"("/device_authorization")"}},
        {"paths", {R"({"deviceAuthorization": "/d", "device": "/device"})"}, {}},
        {"paths.scopes", {R"("/recovery")"}, {R"("/recover/link")"}},
        {"paths", {R"({"scopes": "/recover/link", "recover": "/help"})"}, {}},
        {"trustedProxies", {}, {R"(["10.0.0.0/8"])"}, "[0]"},
        {"authorizationVariables", {}, {"[]", R"("HTTP_AUTHORIZATION")", "[1,2,3,4,5,6,7,8,9]"}},
        {"authorizationVariables", {}, {"[1]"}, "[0]"},
        {"authorizationVariables",
         {},
         {R"(["HTTP_AUTHORIZATION", "REMOTE_USER"])", R"(["HTTP_AUTHORIZATION", "HTTP_AUTHORIZATION"])"},
         "[1]"},
        {"trustedProxies", {}, {R"(["10.0.0.1", "proxy"])"}, "[1]"},
        {"trustedProxies", {}, {R"("10.0.0.1")"}},
        {"outbound", {"{}", R"({"ca": null, "proxy": null})"}, {"true"}},
        {"outbound.enabled", {}, {R"("yes")"}},
        {"outbound.ports",
         {"[1, 65535]", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"},
         {"[]", "443", "[0]", "[65536]", R"(["443"])", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"}},
        {"outbound.allow", {"[]", R"(["10.0.0.0/8", "fd00::/8", "192.0.2.1"])"}, {R"("10.0.0.0/8")"}},
        {"outbound.allow", {}, {R"(["10.0.0.0/8", "10.0.0.1/8"])"}, "[1]"},
        {"outbound.allow", {}, {R"(["intranet.example"])", "[10]"}, "[0]"},
        {"gate.proxies", {"[]"}, {R"("10.0.0.0/8")", R"(["10.0.0.0/8"])"}},  // a network needs paths.gate
        {"gate.proxies", {}, {R"(["10.0.0.1/8"])", R"(["proxy"])", "[1]"}, "[0]"},
        {"outbound.slots", {"1", "64"}, {"0", "65", R"("2")"}},
        {"parTTL", {"10", "599"}, {"9", "600", R"("90")"}},
        {"par.publicClients", {"true", "false"}, {"1", "null", R"("true")"}},
        {"jarm", {"false"}, {"1", "null", R"("true")"}},
        {"requirePar", {"false"}, {"1", "null", R"("true")"}},
        {"requestObjects", {R"("off")"}, {"true", "null", R"("required")"}},
        {"requireSignedRequestObject", {"false"}, {"1", "null", R"("true")"}},
        {"paths.par", {"null", R"("/par")"}, {R"("par")", R"("/token")"}},
        {"deviceCodeTTL", {"60", "1800"}, {"59", "1801", R"("600")"}},
        {"device.max", {"1", "100000"}, {"0", "100001", R"("10")"}},
        {"device.freshLogin", {"true", "false"}, {"1", R"("true")"}},
        {"backchannelLogout", {"false"}, {"1", "null", R"("true")"}},
        {"frontchannelLogout", {"false"}, {"1", "null", R"("true")"}},
        {"registration.mode", {R"("closed")", R"("token")", R"("open")"}, {R"("on")", "true", "null"}},
        {"registration.grants",
         {R"(["authorization_code"])", R"(["refresh_token","client_credentials"])"},
         {"[]", R"("authorization_code")", "null", R"(["implicit"])",
          R"(["urn:ietf:params:oauth:grant-type:device_code"])"}},
        {"registration.grants", {}, {R"(["password"])", "[1]"}, "[0]"},
        {"registration.scope", {R"("openid")"}, {R"("a  b")", R"(["openid"])", "1"}},
        {"registration.hosts", {"[]", R"(["app.example","*.apps.example"])"}, {R"("app.example")", "null"}},
        {"registration.hosts", {}, {R"(["App.example"])", R"(["https://app.example"])", R"(["*"])", "[1]"}, "[0]"},
        {"registration.ttl", {"86400", "315360000"}, {"86399", "315360001", R"("86400")"}},
        {"clientAssertions", {"true", "false"}, {"1", R"("true")", "null"}},
        {"clientAssertionAudience", {R"("issuer")", R"("issuer_or_endpoint")"}, {R"("endpoint")", "true"}},
        {"clientAssertionMaxLifetime", {"60", "3600"}, {"59", "3601", R"("600")"}},
        {"clockSkew", {"10", "50"}, {"9", "51", R"("30")"}},
        {"dpop", {R"("off")", R"("allowed")"}, {R"("required")", "true", "null"}},
        {"profile", {}, {R"("none")", R"("fapi1")", "true", "null"}},
        {"dpopMaxAge", {"20", "300"}, {"19", "301", R"("60")"}},
        {"mtls",
         {"null", R"({"baseUrl":"https://mtls.op.example"})",
          R"({"baseUrl":"https://login.example.org:8443/auth","ca":"/etc/ca.pem","certificate":"SSL_CLIENT_CERT","verify":"SSL_CLIENT_VERIFY"})",
          R"({"baseUrl":"https://mtls.op.example","certificate":"TLS_CERT","verify":"TLS_VERIFY"})"},
         {"true", "[]", R"("https://mtls.op.example")"}},
        {"mtls", {}, {"{}", R"({"baseUrl":1})", R"({"baseUrl":"http://127.0.0.1:81"})"}, ".baseUrl"},
        {"mtls",
         {},
         {R"({"baseUrl":"https://mtls.op.example/"})", R"({"baseUrl":"https://mtls.op.example?x=1"})",
          R"({"baseUrl":"https://mtls.op.example#x"})", R"({"baseUrl":"https://mtls.op.example/other"})",
          R"({"baseUrl":"https://login.example.org"})", R"({"baseUrl":"https://login.example.org/auth"})"},
         ".baseUrl"},
        {"mtls", {}, {R"({"baseUrl":"https://mtls.op.example","ca":"ca.pem"})"}, ".ca"},
        {"mtls",
         {},
         {R"({"baseUrl":"https://mtls.op.example","certificate":"HTTP_SSL_CLIENT_CERT"})",
          R"({"baseUrl":"https://mtls.op.example","certificate":"http-x"})",
          R"({"baseUrl":"https://mtls.op.example","certificate":"REDIRECT_HTTP_X"})",
          R"({"baseUrl":"https://mtls.op.example","certificate":"QUERY_STRING"})"},
         ".certificate"},
        {"mtls",
         {},
         {R"({"baseUrl":"https://mtls.op.example","verify":"HTTP_VERIFY"})",
          R"({"baseUrl":"https://mtls.op.example","verify":"SSL_CLIENT_CERT"})"},
         ".verify"},
        {"replays.maxSize", {"65536", "1099511627776"}, {"65535", "1099511627777", R"("33554432")"}},
        {"registration.max", {"1", "1000000"}, {"0", "1000001", R"("10")"}},
        {"paths.registration", {"null", R"("/clients")"}, {R"("clients")", R"("/token")"}},
        {"outbound.ca", {R"("/etc/ca.pem")"}, {R"("ca.pem")"}},
        {"outbound.proxy",
         {R"("http://proxy.example:3128")", R"("http://[::1]:3128/")"},
         {R"("http://proxy.example")", R"("https://proxy.example:3128")", R"("socks5://proxy.example:1080")",
          R"("http://me:pw@proxy.example:3128")", R"("http://proxy.example:3128/x")", R"("")"}},
        {"outbound.staleIfError", {"0", "604800"}, {"604801", "-1"}},
        {"outbound.program", {R"("/opt/fetch")"}, {R"("fetch")", "null"}},
        {"outbound.inRequests", {}, {"true"}},
        {"sandbox", {R"("require")", R"("auto")"}, {R"("on")", "true", "null"}},
        {"log.level", {}, {R"("notice")"}},
        {"log.target",
         {R"("syslog")", R"("/var/log/postern.log")", R"("/dev/stderr")", R"("/dev/null")"},
         {R"("postern.log")", R"("/dev/stdout")", R"("/dev/fd/1")"}},
        {"scopeDescriptions", {}, {R"({"a b": "x"})"}, ".a b"},
        {"scopeDescriptions", {}, {R"({"a": ""})", R"({"a": 1})"}, ".a"},
        {"scopeClaims",
         {R"({"groups": ["groups", "roles"], "staff": ["employee_number"], "x": ["email"]})", "{}"},
         {R"(["groups"])"}},
        {"scopeClaims", {}, {R"({"profile": ["employee_number"]})"}, ".profile"},
        {"scopeClaims", {}, {R"({"a b": ["groups"]})"}, ".a b"},
        {"scopeClaims", {}, {R"({"groups": "groups"})", R"({"groups": []})"}, ".groups"},
        {"scopeClaims",
         {},
         {R"({"groups": [1]})", R"({"groups": ["sub"]})", R"({"groups": ["iss"]})", R"({"groups": ["amr"]})"},
         ".groups[0]"},
        {"scopeClaims", {}, {R"({"groups": ["groups", "two words"]})"}, ".groups[1]"},
        {"scopeClaims", {}, {R"({"openid": ["groups"]})"}, ".openid"},
        {"scopeClaims", {}, {R"({"offline_access": ["groups"]})"}, ".offline_access"},
        {"metadata", {}, {R"({"issuer": "https://evil.example"})"}, ".issuer"},
        {"metadata", {}, {R"({"token_endpoint": "https://evil.example"})"}, ".token_endpoint"},
        {"metadata",
         {},
         {R"({"id_token_signing_alg_values_supported": ["none"]})"},
         ".id_token_signing_alg_values_supported"},
        {"metadata", {}, {R"({"response_types_supported": ["id_token"]})"}, ".response_types_supported"},
        {"metadata",
         {R"({"ui_locales_supported": ["de"]})", R"({"registration_endpoint": "https://register.example"})",
          R"({"display_values_supported": ["page"]})"},
         {}},
        {"ISSUER", {}, {R"("https://x.example")"}}};
    for (const Row& row : rows) {
        const std::size_t dot = row.key.find('.');
        const auto member = [&](const std::string& value) {
            if (dot == row.key.npos) return "\"" + row.key + "\": " + value;
            return "\"" + row.key.substr(0, dot) + "\": {\"" + row.key.substr(dot + 1) + "\": " + value + "}";
        };
        for (const char* value : row.accepted) {
            CAPTURE(member(value));
            CHECK(keys_of_problems(with_issuer(member(value))).empty());
        }
        for (const char* value : row.refused) {
            CAPTURE(member(value));
            CHECK(keys_of_problems(with_issuer(member(value))) == std::vector<std::string>{row.key + row.item});
        }
    }
    const std::pair<const char*, std::string> others[] = {
        // with the key of the one problem; "": accepted
        {R"("account": {"editableClaims": ["name", "email"]}, "mail": {"from": "a@b", "command": ["/x"]})", ""},
        {R"("account": {"editableClaims": ["email"]}, "mail": {"from": "a@b", "command": ["/x"]}, "paths": {"recover": null})",
         "account.editableClaims"},
        {R"("account": {"editableClaims": ["email"]}, "mail": {"from": "a@b", "command": ["/x"]}, "login": {"method": "saslauthd"})",
         "account.editableClaims"},
        {R"("account": {"editableClaims": ["name"]}, "login": {"method": "remote_user", "claimsFromEnvironment":{"name": "REMOTE_NAME"}})",
         "account.editableClaims"},
        {R"("paths": {"registration": null}, "registration": {"mode": "token"})", "registration.mode"},
        {R"("paths": {"registration": null}, "registration": {"mode": "closed"})", ""},
        {R"("metadata": {"registration_endpoint": "https://r.example"}, "registration": {"mode": "open"})",
         "metadata.registration_endpoint"},
        {R"("implicit": true, "registration": {"grants": ["implicit"]})", ""},
        {R"("paths": {"login": "/token"})", "paths.token"},
        {R"("login.window": 60)", "login.window"}};
    for (const auto& row : others) {
        CAPTURE(row.first);
        const auto expected = row.second.empty() ? std::vector<std::string>{} : std::vector<std::string>{row.second};
        CHECK(keys_of_problems(with_issuer(row.first)) == expected);
    }
}

TEST_CASE(
    "parse_config: response types and algorithms of ID tokens arrive in their order, in either form [HYB-1, ALG-1]") {
    using model::ResponseType;
    using Types = std::vector<ResponseType>;
    using Algorithms = std::vector<crypto::Algorithm>;
    CHECK(parsed(R"("implicit": true)").settings.response_types == Types{ResponseType::code, ResponseType::token});
    CHECK(parsed(R"("implicit": false)").settings.response_types == Types{ResponseType::code});
    const auto all = parsed(R"("oidc": {}, "responseTypes": ["code", "token", "id_token", "token id_token",
        "id_token code", "token code", "token code id_token"])");
    CHECK(all.settings.response_types == Types{ResponseType::code, ResponseType::token, ResponseType::id_token,
                                               ResponseType::id_token_token, ResponseType::code_id_token,
                                               ResponseType::code_token, ResponseType::code_id_token_token});
    const auto without_code = parsed(R"("oidc": {}, "responseTypes": ["id_token"])");
    CHECK(without_code.settings.response_types == Types{ResponseType::id_token});
    const auto several = parsed(R"("idTokenAlgorithms": ["ES256", "RS256"])");
    CHECK(several.settings.id_token_algorithms == Algorithms{crypto::Algorithm::ES256, crypto::Algorithm::RS256});
    CHECK(several.warnings.empty());
    CHECK(parsed(R"("idTokenAlgorithms": ["ES256", "EdDSA"])").warnings.size() == 1);
    using Keys = std::vector<std::string>;
    CHECK(keys_of_problems(with_issuer(R"("implicit": false, "responseTypes": ["code"])")) == Keys{"responseTypes"});
    CHECK(keys_of_problems(with_issuer(R"("idTokenAlgorithm": "ES256", "idTokenAlgorithms": ["ES256"])")) ==
          Keys{"idTokenAlgorithms"});
    CHECK(keys_of_problems(with_issuer(R"("responseTypes": ["code id_token"])")) == Keys{"responseTypes"});
}

TEST_CASE("parse_config: a profile of all clients, and what contradicts it [F2-S5, F2-50, HYB-8]") {
    const std::string good =
        R"("profile": "fapi2", "oidc": {}, "idTokenAlgorithms": ["ES256"], "clientAssertions": true, "dpop": "allowed")";
    const std::string whole = good + R"(, "paths": {"par": "/par"})";
    const auto config = parsed(whole);
    CHECK(config.settings.security_profile == model::SecurityProfile::fapi2);
    CHECK(config.warnings.empty());
    CHECK(parsed("").settings.security_profile == model::SecurityProfile::none);
    using Keys = std::vector<std::string>;
    struct Row {
        std::string members;
        Keys keys;
    };
    const std::vector<Row> rows = {
        {good, {"profile"}},
        {R"("profile": "fapi2", "oidc": {})", {"idTokenAlgorithms", "profile", "profile", "profile"}},
        {R"("profile": "fapi2")", {"profile", "profile", "profile"}},
        {whole + R"(, "accessTokenAlgorithm": "RS256")", {"accessTokenAlgorithm"}},
        {whole + R"(, "implicit": true)", {"responseTypes"}},
        {whole + R"(, "responseTypes": ["code", "code id_token"])", {"responseTypes"}},
        {whole + R"(, "registration": {"mode": "open"})", {"registration.mode"}},
        {whole + R"(, "registration": {"mode": "token"})", {}},
        {whole + R"(, "authenticateIntrospect": false, "authenticateRevoke": false)",
         {"authenticateIntrospect", "authenticateRevoke"}},
        {whole + R"(, "outbound": {"enabled": true}, "clientDocuments": {"enabled": true})",
         {"clientDocuments.enabled"}},
        {good + R"(, "paths": {"par": "/par", "gate": "/gate"})", {"paths.gate"}},
        {good + R"(, "paths": {"par": "/par", "device": "/device", "deviceAuthorization": "/da"})", {"paths.device"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.members);
        Keys found = keys_of_problems(with_issuer(row.members));
        std::ranges::sort(found);
        CHECK(found == row.keys);
    }
    const auto signing = parse_config(with_issuer(
        R"("profile": "fapi2-message-signing", "oidc": {}, "idTokenAlgorithms": ["ES256"], "clientAssertions": true, "dpop": "allowed", "paths": {"par": "/par"})"));
    REQUIRE_FALSE(signing);
    CHECK(signing.error().size() == 2);  // no signed answers, and no signed requests
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
    const login::Settings login = parse_config(with_issuer(R"("login": {
        "method": "remote_user", "remoteUserVariable": "UID", "autoCreate": true, "authTimeFromEnvironment": "LOGIN_TIME",
        "claimsFromEnvironment": {"email": "MAIL", "name": "CN"}, "logoutRedirect": "https://x.example/out?to={return}"})"))
                                      ->settings.login;
    CHECK(login.method == login::Method::remote_user);
    CHECK(login.remote_user_variable == "UID");
    CHECK(login.auto_create);
    CHECK(login.auth_time_variable == "LOGIN_TIME");
    CHECK(login.claims_from_environment == std::map<std::string, std::string>{{"email", "MAIL"}, {"name", "CN"}});
    CHECK(login.logout_redirect == "https://x.example/out?to={return}");

    const login::Settings defaults = parse_config(with_issuer(R"("login": {"method": "remote_user"})"))->settings.login;
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
        const char* key;  ///< of the problem, behind "login.saslauthd"; nullptr: none
        std::vector<std::string> values;
    };
    const std::string path(106, 'x');
    const std::string service(64, 's');
    const std::string realm(255, 'r');
    const Row rows[] = {
        {nullptr,
         {"{}", R"({"socket": "/srv/mux", "service": "wiki-2.0_a", "realm": "EXAMPLE.ORG"})",
          R"({"socket": "/)" + path + R"("})", R"({"service": ")" + service + R"("})", R"({"realm": ""})",
          R"({"realm": ")" + realm + R"("})"}},
        {".socket",
         {R"({"socket": "/)" + path + R"(x"})", R"({"socket": ""})", R"({"socket": "run/mux"})",
          R"({"socket": "@mux"})", R"({"socket": "\u0001mux"})", R"({"socket": "/run/\u0001mux"})",
          R"({"socket": null})"}},
        {".service",
         {R"({"service": ")" + service + R"(s"})", R"({"service": ""})", R"({"service": "../login"})",
          R"({"service": ".."})", R"({"service": "a b"})", R"({"service": "\u0001"})", R"({"service": 1})"}},
        {".realm",
         {R"({"realm": ")" + realm + R"(r"})", R"({"realm": "a b"})", R"({"realm": "\u0001"})",
          R"({"realm": "\u00e9"})", R"({"realm": false})"}},
        {".port", {R"({"port": 1})"}},
        {"", {"[]", "null", R"("/run/saslauthd/mux")"}}};
    for (const Row& row : rows)
        for (const std::string& value : row.values) {
            CAPTURE(value);
            std::vector<std::string> expected;
            if (row.key != nullptr) expected = {std::string("login.saslauthd") + row.key};
            CHECK(keys_of_problems(with(value)) == expected);
        }
    const auto read = config::parse_config(with(R"({"socket": "/srv/mux", "service": "wiki", "realm": "R"})"))
                          ->settings.login.saslauthd;
    REQUIRE(read);
    CHECK(read->socket == "/srv/mux");
    CHECK(read->service == "wiki");
    CHECK(read->realm == "R");
    const login::Settings usual = parsed(R"("login": {"method": "saslauthd"})").settings.login;
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
        const char* key;                  ///< of the one problem, behind login.groupsFromEnvironment; nullptr: none
        std::vector<std::string> values;  ///< of that key
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
        {nullptr,
         {"null", groups(R"({"cn=staff,ou=groups,dc=example": "staff", "cn=all": "staff"})"), groups(group_map(256)),
          groups(R"({")" + std::string(1024, 'x') + R"(": "staff"})"), separated(R"(";")"), separated(R"("; ")"),
          separated(R"("1234567890123456")"), named(R"("SSL_CLIENT_S_DN_OU")")}},
        {".groups",
         {groups(group_map(257)), groups("{}"), groups(R"(["staff"])"), R"({"variable": "M", "separator": ";"})"}},
        {".groups.a",
         {groups(R"({"a": "two words"})"), groups(R"({"a": ""})"),
          groups(R"({"a": ")" + std::string(65, 'x') + R"("})"), groups(R"({"a": ["staff"]})")}},
        {".groups.", {groups(R"({"": "staff"})")}},
        {".groups.a;b", {groups(R"({"a;b": "staff"})")}},
        {".groups.a\tb", {groups(R"({"a\tb": "staff"})")}},
        {".separator",
         {separated(R"("12345678901234567")"), separated(R"("")"), separated(R"("\n")"), separated("null"),
          R"({"variable": "M", "groups": {"a": "staff"}})"}},
        {".groups.cn=a,dc=b", {separated(R"(",")")}},
        {".variable",
         {named(R"("HTTP_GROUPS")"), named(R"("MEMBER OF")"), named(R"("")"), named("1"),
          R"({"separator": ";", "groups": {"a": "staff"}})"}},
        {".group", {R"({"variable": "M", "separator": ";", "groups": {"a": "staff"}, "group": 1})"}},
        {"", {"[]", R"("MEMBEROF")", "true"}}};
    for (const Row& row : rows)
        for (const std::string& value : row.values) {
            CAPTURE(value);
            std::vector<std::string> expected;
            if (row.key != nullptr) expected = {std::string("login.groupsFromEnvironment") + row.key};
            CHECK(keys_of_problems(with_issuer(R"("login": {"method": "remote_user", "groupsFromEnvironment": )" +
                                               value + "}")) == expected);
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
    using login::SecondFactor;
    const login::Settings usual = parsed("").settings.login;
    CHECK(usual.second_factor == SecondFactor::offered);
    CHECK(usual.enrolment == login::Enrolment::login);
    CHECK(usual.acr_names.empty());
    const std::string longest(255, 'x');
    const login::Settings login = parsed(R"("login": {"secondFactor": "required", "enrolment": "link", "acrNames":
        {"urn:example:low": 1, "urn:example:strong": 2, "hw": 3, ")" +
                                         longest + R"(": 3}})")
                                      .settings.login;
    CHECK(login.second_factor == SecondFactor::required);
    CHECK(login.enrolment == login::Enrolment::link);
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
    const login::Settings usual = parsed("").settings.login;
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
    using login::Passkeys;
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

/// "": it was loaded.
std::string refusal_of(const std::string& path) {
    try {
        load_config(path);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST_CASE("load_config: a file that cannot be used is named with every problem, a line each") {
    const std::string path = "/tmp/postern-config-test." + std::to_string(getpid());
    std::ofstream(path) << R"({"issuer":"https://x.example"})";
    CHECK(load_config(path).settings.issuer == "https://x.example");
    std::ofstream(path) << R"({"accessTokenTTL": 0})";
    const std::string message = refusal_of(path);
    CHECK(message.starts_with(path + ": "));
    CHECK(message.find("\n  accessTokenTTL must be a whole number from 1 to 315360000") != message.npos);
    CHECK(message.find("\n  issuer is required") != message.npos);
    std::remove(path.c_str());
    CHECK_THROWS_AS(load_config(path), ConfigError);
    CHECK_THROWS_AS(load_config("/tmp"), ConfigError);
}

TEST_CASE("load_config: a link is followed; what is not a regular file of at most 256 KiB is refused with its reason") {
    const std::string path = "/tmp/postern-config-file-test." + std::to_string(getpid());
    std::string text = R"({"issuer":"https://x.example"})";
    text.resize(262144, ' ');
    std::ofstream(path) << text;
    CHECK(refusal_of(path) == "");
    REQUIRE(symlink(path.c_str(), (path + ".link").c_str()) == 0);
    CHECK(load_config(path + ".link").settings.issuer == "https://x.example");
    std::ofstream(path) << text << ' ';
    const std::string advice = "; name another file in POSTERN_CONFIG or make this one readable";
    CHECK(refusal_of(path) == path + ": is larger than 256 KiB" + advice);
    std::remove((path + ".link").c_str());
    std::remove(path.c_str());
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK(refusal_of(path) == path + ": is not a regular file" + advice);
    std::remove(path.c_str());
    CHECK(refusal_of(path) == path + ": cannot be opened (No such file or directory)" + advice);
    CHECK(refusal_of("/dev/zero") == "/dev/zero: is not a regular file" + advice);
}

}  // namespace

TEST_CASE(
    "parse_config: telling applications of logouts needs OpenID Connect, over HTTPS outbound, too [BCL-1, FETCH-1]") {
    constexpr const char* kOidc = R"("oidc": {"userClaims": "database"},)";
    const auto keys = [](const std::string& members) {
        std::string all;
        const auto config = parse_config(with_issuer(members));
        if (!config)
            for (const auto& problem : config.error()) all += (all.empty() ? "" : " ") + problem.key;
        return all;
    };
    const std::string oidc = kOidc;
    CHECK(keys(oidc + R"("backchannelLogout": true, "outbound": {"enabled": true})") == "");
    CHECK(keys(oidc + R"("backchannelLogout": true)") == "backchannelLogout");
    CHECK(keys(oidc + R"("backchannelLogout": true, "outbound": {"enabled": false})") == "backchannelLogout");
    CHECK(keys(R"("backchannelLogout": true, "outbound": {"enabled": true})") == "backchannelLogout");
    CHECK(keys(oidc + R"("jarm": true)") == "");
    CHECK(keys(R"("jarm": true)") == "jarm");
    CHECK(keys(R"("requirePar": true)") == "requirePar");
    CHECK(keys(R"("requirePar": true, "paths": {"par": "/par"})") == "");
    CHECK(keys(R"("requestObjects": "allowed")") == "requestObjects");
    CHECK(keys(R"("requestObjects": "allowed", "paths": {"par": "/par"})") == "");
    CHECK(keys(R"("requireSignedRequestObject": true, "paths": {"par": "/par"})") == "requireSignedRequestObject");
    const std::string objects = R"("requestObjects": "allowed", "paths": {"par": "/par"}, )";
    CHECK(keys(objects + R"("requireSignedRequestObject": true)") == "");
    CHECK(parsed(objects + R"("limits": {"body": 40960})").warnings.empty());
    CHECK(parsed(objects + R"("limits": {"body": 40959})").warnings.size() == 1);
    CHECK(parsed(R"("limits": {"body": 40959})").warnings.empty());
    CHECK(keys(oidc + R"("frontchannelLogout": true)") == "");
    CHECK(keys(R"("frontchannelLogout": true)") == "frontchannelLogout");
    CHECK(keys(oidc + R"("frontchannelLogout": true, "paths": {"logout": null})") == "frontchannelLogout");
    const auto off = parsed("");
    CHECK_FALSE(off.settings.backchannel_logout);
    CHECK_FALSE(off.settings.frontchannel_logout);
}

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
