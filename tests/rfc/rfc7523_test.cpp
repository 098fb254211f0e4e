// Client authentication by a JWT on the wire (RFC 7523 §2.2, §3; OpenID Connect Core §9), at every endpoint that
// authenticates clients.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "support/at_once.h"
#include "support/audit_log.h"
#include "support/client_endpoints.h"
#include "support/device.h"
#include "support/marks.h"
#include "support/registration.h"
#include "support/signer.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

constexpr const char* kRobot = "robot";

using Strings = std::vector<std::string>;

Strings list_of(const json::Object& object, const std::string& name) {
    Strings list;
    const json::Value* value = object.find(name);
    if (value && value->if_array())
        for (const json::Value& item : *value->if_array()) list.push_back(item.if_string() ? *item.if_string() : "?");
    return list;
}

json::Object assertions_on(json::Object more = {}) {
    more.set("clientAssertions", true);
    return more;
}

/// A deployment with a client that signs, which has every grant.
struct WithSigner {
    WithDevices devices;
    Deployment& op = devices.op;
    Signer robot{kRobot, "k1"};

    explicit WithSigner(json::Object config = assertions_on()) : devices(std::move(config)) {
        turn_on_client_endpoints(op);
        const bool is_on = op.config().find("clientAssertions") != nullptr;
        if (!is_on) op.configure("clientAssertions", true);
        add_robot(op, kRobot, {"--auth-method", "private_key_jwt", "--jwks", file(robot.jwks())});
        if (!is_on) op.configure("clientAssertions", false);
    }

    std::string file(const json::Object& jwks) const {
        const std::string path = (op.directory() / "jwks.json").string();
        std::ofstream(path) << json::write(jwks);
        return path;
    }
};

TEST_CASE(
    "private_key_jwt: a row per rule at each endpoint [RFC 7523 §2.2, §3abcde, RFC 7521 §4.2ab, OIDC Core §9b, CA-1, CA-2, CA-3, CA-4, CA-5, "
    "CA-6, CA-7, CA-8, CA-9, CA-10, CA-11, CA-12, CA-13, KEY-1, KEY-2, KEY-3, KEY-4, KEY-6, KEY-7, KEY-8, F2-13]") {
    const WithSigner f;
    const Deployment& op = f.op;
    const Signer& robot = f.robot;
    const Signer stranger("robot", "k1");
    const Signer nobody("nobody", "k1");
    const Signer of_web("web", "k1");
    for (const ClientEndpoint& endpoint : kClientEndpoints) {
        CAPTURE(std::string(endpoint.name));
        const auto ask = [&](const Query& more, const std::string& authorization = "") {
            std::string form = endpoint.parameters.text() + "&" + more.text();
            CgiRequest request = post_form(form);
            if (!authorization.empty()) request.headers = {{"Authorization", authorization}};
            return op.cgi(endpoint.name, request);
        };
        const auto by = [](const std::string& assertion) { return with_assertion({}, assertion); };
        const std::string used = robot.assertion(op);
        struct Row {
            const char* clause;
            const char* when;
            Query form;
            std::string expected;
        };
        const std::vector<Row> rows = {
            {"RFC 7523 §2.2", "as it should be", by(used), "200"},
            {"CA-12", "the same once more", by(used), "401 invalid_client"},
            {"RFC 7521 §4.2", "with its client_id", by(robot.assertion(op)).with("client_id", kRobot), "200"},
            {"CA-4", "with another client_id", by(robot.assertion(op)).with("client_id", kWeb), "401 invalid_client"},
            {"CA-1", "with a secret", by(robot.assertion(op)).with("client_id", kRobot).with("client_secret", "x"),
             "400 invalid_request"},
            {"CA-2", "twice", by(robot.assertion(op)).and_also("client_assertion", "x"), "400 invalid_request"},
            {"CA-2", "no type", Query{{"client_assertion", robot.assertion(op)}}, "400 invalid_request"},
            {"CA-2", "a type alone", Query{{"client_assertion_type", kAssertionType}}, "400 invalid_request"},
            {"CA-2", "another type",
             Query{{"client_assertion", robot.assertion(op)},
                   {"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"}},
             "401 invalid_client"},
            {"KEY-1", "no JWT", by("x"), "401 invalid_client"},
            {"KEY-1", "too long", by(robot.with_claim(op, "x", std::string(7000, 'x'))), "401 invalid_client"},
            {"KEY-2", "crit", by(robot.with_header(op, "crit", json::Array{"b64"})), "401 invalid_client"},
            {"KEY-3", "none", by(robot.with_header(op, "alg", "none")), "401 invalid_client"},
            {"KEY-3", "HS256", by(robot.with_header(op, "alg", "HS256")), "401 invalid_client"},
            {"KEY-4", "another kid", by(robot.with_header(op, "kid", "k2")), "401 invalid_client"},
            {"KEY-6", "a type for another use", by(robot.with_header(op, "typ", "dpop+jwt")), "401 invalid_client"},
            {"KEY-6", "the type of the draft", by(robot.with_header(op, "typ", "client-authentication+jwt")), "200"},
            {"CA-5", "nobody", by(nobody.assertion(op)), "401 invalid_client"},
            {"CA-5", "a client with a secret", by(of_web.assertion(op)), "401 invalid_client"},
            {"CA-5", "no assertion", Query{{"client_id", kRobot}}, "401 invalid_client"},
            {"CA-7", "another key", by(stranger.assertion(op)), "401 invalid_client"},
            {"CA-8", "another iss", by(robot.with_claim(op, "iss", kWeb)), "401 invalid_client"},
            {"CA-9", "another aud", by(robot.with_claim(op, "aud", "https://other.example")), "401 invalid_client"},
            {"CA-9, CVE-2025-27370", "the token endpoint", by(robot.with_claim(op, "aud", op.url("token"))),
             "401 invalid_client"},
            {"CA-9", "the issuer in an array", by(robot.with_claim(op, "aud", json::Array{op.issuer()})), "200"},
            {"CA-9", "the issuer and another",
             by(robot.with_claim(op, "aud", json::Array{op.issuer(), "https://other.example"})), "401 invalid_client"},
            {"CA-10", "no exp", by(robot.with_claim(op, "exp", nullptr)), "401 invalid_client"},
            {"CA-10", "expired", by(robot.with_claim(op, "exp", op.now() - 10)), "401 invalid_client"},
            {"KEY-7", "expired a moment ago", by(robot.with_claim(op, "exp", op.now() - 9)), "200"},
            {"CA-10", "too far ahead", by(robot.with_claim(op, "exp", op.now() + 631)), "401 invalid_client"},
            {"KEY-7", "iat ten seconds ahead", by(robot.with_claim(op, "iat", op.now() + 10)), "200"},
            {"KEY-7", "iat a minute ahead", by(robot.with_claim(op, "iat", op.now() + 62)), "401 invalid_client"},
            {"KEY-7", "nbf a minute ahead", by(robot.with_claim(op, "nbf", op.now() + 62)), "401 invalid_client"},
            {"CA-11", "no jti", by(robot.with_claim(op, "jti", nullptr)), "401 invalid_client"},
        };
        for (const Row& row : rows) {
            CAPTURE(row.clause);
            CAPTURE(row.when);
            const Answer answer = ask(row.form);
            CHECK(answer.verdict() == (row.expected == "200" ? endpoint.success : row.expected));
            CHECK(answer.header("Cache-Control") == "no-store");
            CHECK(answer.header("WWW-Authenticate").empty());
            if (row.expected == "401 invalid_client")
                CHECK(answer.member("error_description") == "client authentication failed");
        }
        // CA-1: the header and an assertion.
        CHECK(ask(by(robot.assertion(op)), basic(kWeb, secret_of(kWeb))).verdict() == "400 invalid_request");
    }
}

TEST_CASE(
    "private_key_jwt: a client signs in, refreshes, introspects and revokes, and CA-18 holds [CA-18, RFC 7523 §2.2]") {
    const WithSigner f;
    UserAgent alice(f.op);
    const std::string code = alice.obtain_code(robots_request(kRobot));
    REQUIRE_FALSE(code.empty());
    const auto by_assertion = [&](const std::string& endpoint, const Query& form) {
        return f.op.cgi(endpoint, post_form(with_assertion(form, f.robot.assertion(f.op)).text()));
    };
    const Query redeem = Query{{"grant_type", "authorization_code"},
                               {"code", code},
                               {"redirect_uri", kRobotCallback},
                               {"code_verifier", kVerifier}};
    const Answer tokens = by_assertion("token", redeem);
    REQUIRE(tokens.verdict() == "200");
    const Query refresh = Query{{"grant_type", "refresh_token"}, {"refresh_token", tokens.member("refresh_token")}};
    CHECK(f.op.cgi("token", post_form(refresh.text())).verdict() == "401 invalid_client");
    CHECK(f.op.cgi("token", post_form(refresh.with("client_id", kRobot).text())).verdict() == "401 invalid_client");
    const Answer refreshed = by_assertion("token", refresh);
    REQUIRE(refreshed.verdict() == "200");
    const Query token = Query{{"token", refreshed.member("access_token")}};
    CHECK(by_assertion("introspect", token).body.find("\"active\":true") != std::string::npos);
    CHECK(by_assertion("revoke", token).verdict() == "200");
    CHECK(by_assertion("introspect", token).body == R"({"active":false})");
}

TEST_CASE("private_key_jwt: audience, lifetime and clocks are as configured [CA-9, CA-10, KEY-7]") {
    const WithSigner f(assertions_on(
        {{"clientAssertionAudience", "issuer_or_endpoint"}, {"clientAssertionMaxLifetime", 120}, {"clockSkew", 10}}));
    const auto ask = [&](const char* claim, json::Value value, const std::string& name = "token") {
        const auto endpoint = std::ranges::find(kClientEndpoints, name, &ClientEndpoint::name);
        const auto form = with_assertion(endpoint->parameters, f.robot.with_claim(f.op, claim, std::move(value)));
        return f.op.cgi(endpoint->name, post_form(form.text())).status;
    };
    CHECK(ask("aud", f.op.url("token")) == 200);
    CHECK(ask("aud", f.op.url("token"), "introspect") == 200);
    CHECK(ask("aud", f.op.url("introspect"), "introspect") == 200);
    CHECK(ask("aud", f.op.url("introspect")) == 401);
    CHECK(ask("aud", f.op.url("token"), "par") == 201);  // RFC 9126 §2
    CHECK(ask("aud", f.op.url("par"), "par") == 201);
    CHECK(ask("aud", json::Array{f.op.issuer(), f.op.url("token")}) == 401);
    CHECK(ask("exp", f.op.now() + 130) == 200);
    CHECK(ask("exp", f.op.now() + 131) == 401);
    CHECK(ask("iat", f.op.now() + 10) == 200);
    CHECK(ask("iat", f.op.now() + 11) == 401);
}

TEST_CASE(
    "private_key_jwt: the operator is told the first check that failed, and no more than that [COM-6, COM-5, CA-12]") {
    const WithSigner f;
    const auto ask = [&](const std::string& assertion) {
        return f.op.cgi("token", post_form(with_assertion(kClientEndpoints[0].parameters, assertion).text()));
    };
    const std::string assertion = f.robot.with_claim(f.op, "aud", "https://op.example/token");
    const Answer refused = ask(assertion);
    CHECK(refused.status == 401);
    const std::string why = f.op.must({"why", refused.header("X-Request-Id")});
    CHECK(why.find("https://op.example/token, and must be https://op.example alone") != std::string::npos);
    CHECK(why.find("clientAssertionAudience") != std::string::npos);
    CHECK(why.find(kRobot) != std::string::npos);
    CHECK(why.find(assertion) == std::string::npos);
    CHECK(text_of(audit_line(refused.log, "client_authentication_failed"), "client_id") == kRobot);

    const Answer late = ask(f.robot.with_claim(f.op, "exp", f.op.now() - 310));
    CHECK(late.member("error_description") == "client authentication failed");
    const std::string why_late = f.op.must({"why", late.header("X-Request-Id")});
    CHECK(has(why_late, "it expired 310 s ago by the clock of this server"));
    CHECK(has(why_late, "Let NTP set the clock"));
    const std::string findings = f.op.postern({"doctor"}).out;
    CHECK(has(findings, "warning  client clocks: the client \"robot\" signs with times that do not fit"));
    CHECK(has(findings, "it expired 310 s ago by the clock of this server"));

    const std::string good = f.robot.with_claim(f.op, "jti", "a-name-that-no-log-has");
    CHECK(ask(good).status == 200);
    const Answer again = ask(good);
    CHECK(again.status == 401);
    CHECK(again.log.find("a-name-that-no-log-has") == std::string::npos);
    CHECK(audit_events(again.log) == "assertion_replayed client_authentication_failed");
    CHECK(f.op.stored().find("a-name-that-no-log-has") == std::string::npos);
}

TEST_CASE("private_key_jwt: a client that has used its share is told to come back, at each endpoint [JTI-6, COM-5]") {
    const WithSigner f(with_least_replays(assertions_on()));
    const Signer other("second", "k2");
    f.op.must({"client", "add", "second", "--auth-method", "private_key_jwt", "--jwks", f.file(other.jwks()), "--grant",
               "client_credentials", "--scope", "api"});
    Marks(f.op, store::ReplayKind::assertion).crowd(kRobot);
    for (const ClientEndpoint& endpoint : kClientEndpoints) {
        CAPTURE(std::string(endpoint.name));
        const Query form = with_assertion(endpoint.parameters, f.robot.assertion(f.op));
        const Answer refused = f.op.cgi(endpoint.name, post_form(form.text()));
        CHECK(refused.verdict() == "429 temporarily_unavailable");
        CHECK(refused.header("Retry-After") == "60");
        CHECK(has(f.op.must({"why", refused.header("X-Request-Id")}), "raise replays.maxSize"));
    }
    const Query others = with_assertion({{"grant_type", "client_credentials"}}, other.assertion(f.op));
    CHECK(f.op.cgi("token", post_form(others.text())).status == 200);
}

TEST_CASE("private_key_jwt: what cannot be remembered is not accepted, at each endpoint [JTI-6, COM-5]") {
    if (is_on_postgresql()) return;  // where the shares are the bound
    const WithSigner f(with_least_replays(assertions_on()));
    Marks(f.op, store::ReplayKind::assertion).fill();
    for (const ClientEndpoint& endpoint : kClientEndpoints) {
        CAPTURE(std::string(endpoint.name));
        const Query form = with_assertion(endpoint.parameters, f.robot.assertion(f.op));
        const Answer refused = f.op.cgi(endpoint.name, post_form(form.text()));
        CHECK(refused.verdict() == "503 temporarily_unavailable");
        CHECK_FALSE(refused.header("Retry-After").empty());
        const std::string why = f.op.must({"why", refused.header("X-Request-Id")});
        CHECK(has(why, "INSERT INTO replays"));
        CHECK(has(why, "raise replays.maxSize"));
        CHECK(has(text_of(audit_line(refused.log, "replay_store_full"), "reason"), "database or disk is full"));
    }
}

TEST_CASE(
    "race: of many processes with one assertion exactly one takes it [CA-12, JTI-3, RFC 7523 §3 item 7, CVE-2020-15222]") {
    const WithSigner f;
    for (int round = 0; round < 5; ++round) {
        const Query form =
            with_assertion({{"grant_type", "client_credentials"}, {"scope", "api"}}, f.robot.assertion(f.op));
        CHECK(verdicts_at_once(f.op, "token", post_form(form.text()), 6) == "1 x 200, 5 x 401 invalid_client");
    }
}

TEST_CASE("private_key_jwt: while clientAssertions is off nothing of it is there [CA-19, COM-10]") {
    const WithSigner f(json::Object{});
    const Answer refused =
        f.op.cgi("token", post_form(with_assertion(kClientEndpoints[0].parameters, f.robot.assertion(f.op)).text()));
    CHECK(refused.verdict() == "401 invalid_client");
    CHECK_FALSE(has(f.op.must({"why", refused.header("X-Request-Id")}), kRobot));  // nobody has looked at it
    const Query with_id =
        with_assertion(kClientEndpoints[0].parameters, f.robot.assertion(f.op)).with("client_id", kRobot);
    const Answer off = f.op.cgi("token", post_form(with_id.text()));
    CHECK(off.verdict() == "401 invalid_client");
    CHECK(f.op.must({"why", off.header("X-Request-Id")}).find("\"clientAssertions\": true") != std::string::npos);
    // An assertion beside a secret is not looked at, as before.
    const Query both = Query{{"token", "x"}}
                           .with("client_id", kWeb)
                           .with("client_secret", secret_of(kWeb))
                           .with("client_assertion", "x");
    CHECK(f.op.cgi("introspect", post_form(both.text())).status == 200);
    CHECK(f.op.cgi("discovery").body.find("private_key_jwt") == std::string::npos);
    CHECK_FALSE(std::filesystem::exists(f.op.directory() / "data" / "replays"));
    CHECK(f.op.postern({"client", "add", "another", "--auth-method", "private_key_jwt", "--jwks",
                        f.file(f.robot.jwks()), "--grant", "client_credentials"})
              .err.find("clientAssertions") != std::string::npos);
}

TEST_CASE(
    "discovery: the ways to authenticate and the algorithms of assertions [CA-16, COM-2, RFC 8414 §2l, Discovery §3o]") {
    const WithSigner f;
    const json::Object document = f.op.cgi("discovery").json();
    for (const char* endpoint : {"token", "introspection", "revocation"}) {
        CAPTURE(endpoint);
        const Strings listed = list_of(document, std::string(endpoint) + "_endpoint_auth_methods_supported");
        CHECK(std::ranges::find(listed, "private_key_jwt") != listed.end());
        CHECK(list_of(document, std::string(endpoint) + "_endpoint_auth_signing_alg_values_supported") ==
              Strings{"ES256", "PS256", "EdDSA", "Ed25519", "RS256"});
    }
}

TEST_CASE("private_key_jwt: a client registers its keys, and gets no secret [REG-9, REG-10, REG-14, CA-14]") {
    const Deployment op({.config = assertions_on({{"registration", json::Object{{"mode", "token"}}}})});
    const std::string token = new_token(op, "20");
    const auto send = [&](json::Object metadata) {
        metadata.set("redirect_uris", json::Array{"https://robot.example/cb"});
        return op.cgi("registration", registering(json::write(metadata), token));
    };
    const Signer robot("x", "k1");
    const Answer made = send({{"token_endpoint_auth_method", "private_key_jwt"},
                              {"jwks", robot.jwks()},
                              {"token_endpoint_auth_signing_alg", "ES256"}});
    REQUIRE(made.status == 201);
    CHECK(made.json().find("client_secret") == nullptr);
    CHECK(made.member("token_endpoint_auth_method") == "private_key_jwt");
    CHECK(made.member("token_endpoint_auth_signing_alg") == "ES256");
    CHECK(made.json().find("jwks") != nullptr);
    struct Row {
        const char* when;
        json::Object metadata;
    };
    const std::vector<Row> rows = {
        {"no keys", {{"token_endpoint_auth_method", "private_key_jwt"}}},
        {"both",
         {{"token_endpoint_auth_method", "private_key_jwt"},
          {"jwks", robot.jwks()},
          {"jwks_uri", "https://a.example/k"}}},
        {"an address, and outbound is off",
         {{"token_endpoint_auth_method", "private_key_jwt"}, {"jwks_uri", "https://a.example/k"}}},
        {"a symmetric key",
         {{"token_endpoint_auth_method", "private_key_jwt"},
          {"jwks", json::Object{{"keys", json::Array{json::Object{{"kty", "oct"}, {"k", "AA"}}}}}}}},
        {"an algorithm that none of its keys is for",
         {{"token_endpoint_auth_method", "private_key_jwt"},
          {"jwks", robot.jwks()},
          {"token_endpoint_auth_signing_alg", "RS256"}}},
        {"an algorithm that is not offered",
         {{"token_endpoint_auth_method", "private_key_jwt"},
          {"jwks", robot.jwks()},
          {"token_endpoint_auth_signing_alg", "HS256"}}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Answer refused = send(row.metadata);
        CHECK(refused.verdict() == "400 invalid_client_metadata");
        // Options are for operators who register a client.
        CHECK_FALSE(has(op.must({"why", refused.header("X-Request-Id")}), "--jwks"));
    }
    // What was registered is told again, and its assertion proves the client, whose code is another question.
    CgiRequest read;
    read.query = "client_id=" + made.member("client_id");
    read.headers = {{"Authorization", "Bearer " + made.member("registration_access_token")}};
    const Answer told = op.cgi("registration", read);
    CHECK(told.member("token_endpoint_auth_method") == "private_key_jwt");
    CHECK(json::write(*told.json().find("jwks")) == json::write(*made.json().find("jwks")));
    json::Object claims = robot.claims(op);
    for (const char* name : {"iss", "sub"}) claims.set(name, made.member("client_id"));
    const Query form =
        with_assertion({{"grant_type", "authorization_code"}, {"code", "x"}}, robot.sign(robot.header(), claims));
    CHECK(op.cgi("token", post_form(form.text())).verdict() == "400 invalid_grant");
}

}  // namespace
