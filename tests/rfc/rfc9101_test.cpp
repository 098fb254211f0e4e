// Signed request objects (RFC 9101) at the endpoint for pushed requests: which are taken, that nothing outside of one
// counts, and who must send one.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "json/writer.h"
#include "support/audit_log.h"
#include "support/pushed.h"
#include "support/registration.h"
#include "support/signer.h"
#include "support/user_agent.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

constexpr const char* kRobot = "robot";
constexpr const char* kRobotUri = "https://robot.example/cb";

/// A deployment with a client that signs what it pushes.
struct WithSignedRequests {
    Deployment op;
    Signer robot{kRobot, "k1"};

    explicit WithSignedRequests(json::Object config = {}) : op(on(std::move(config))) {
        const std::string file = (op.directory() / "jwks.json").string();
        std::ofstream(file) << json::write(robot.jwks());
        op.must({"client", "add", kRobot, "--auth-method", "private_key_jwt", "--jwks", file, "--grant",
                 "authorization_code", "--scope", "openid profile", "--redirect-uri", kRobotUri});
    }

    static Deployment::Options on(json::Object config) {
        config.set("clientAssertions", true);
        config.set("requestObjects", "allowed");
        return with_par(std::move(config));
    }

    json::Object header() const {
        json::Object header = robot.header();
        header.set("typ", "oauth-authz-req+jwt");
        return header;
    }
    json::Object claims() const {
        return {{"iss", kRobot},
                {"aud", op.issuer()},
                {"exp", op.now() + 60},
                {"nbf", op.now()},
                {"client_id", kRobot},
                {"response_type", "code"},
                {"redirect_uri", kRobotUri},
                {"scope", "openid"},
                {"state", kState},
                {"nonce", kNonce},
                {"code_challenge", kChallenge},
                {"code_challenge_method", "S256"}};
    }
    std::string object() const { return robot.sign(header(), claims()); }
    std::string with(const std::string& claim, json::Value value) const {
        json::Object changed = claims();
        changed.set(claim, std::move(value));
        return robot.sign(header(), changed);
    }
    std::string without(const std::string& claim) const {
        json::Object changed = claims();
        changed.erase(claim);
        return robot.sign(header(), changed);
    }
    std::string with_header(const std::string& name, json::Value value) const {
        json::Object changed = header();
        changed.set(name, std::move(value));
        return robot.sign(changed, claims());
    }

    /// Pushes a form under a new assertion.
    Answer push(const Query& form) const {
        return op.cgi("par", post_form(with_assertion(form, robot.assertion(op)).text()));
    }
    Answer push_object(const std::string& object) const { return push(Query{{"request", object}}); }

    std::string why(const Answer& answer) const { return op.must({"why", answer.header("X-Request-Id")}); }
};

TEST_CASE(
    "request objects: which are taken [JAR-1, JAR-2, JAR-3, JAR-4, JAR-5, JAR-6, JAR-7, JAR-8, JAR-9, JAR-10, JAR-12, JAR-16, KEY-1, KEY-2, "
    "KEY-3, KEY-4, KEY-6, KEY-7, KEY-8, F2-64, F2-65, F2-66, RFC 9101 §4ab, §5, §6.2, §6.3a, §7, §10.8]") {
    const WithSignedRequests f;
    const Signer stranger(kRobot, "k1");
    const Signer rsa(kRobot, "k1", crypto::Algorithm::RS256);
    const std::string good = f.object();
    const std::size_t payload = good.find('.') + 1;
    std::string bent = good;
    bent[payload + 20] = bent[payload + 20] == 'A' ? 'B' : 'A';
    json::Object without_type = f.header();
    without_type.erase("typ");
    const auto hours = [&](double count) { return f.op.now() + static_cast<std::int64_t>(count * 3600); };
    constexpr const char* kObject = "400 invalid_request_object";
    struct Row {
        const char* rule;
        const char* when;
        std::string object;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"F2-60", "as it should be", good, "201"},
        {"JAR-9", "the same once more", good, "201"},
        {"KEY-1", "no JWT", "x", kObject},
        {"KEY-1", "longer than 8192 bytes", f.with("foo", std::string(20000, 'x')), "201"},
        {"KEY-1", "longer than 32768 bytes", f.with("foo", std::string(25000, 'x')), kObject},
        {"JAR-16", "five parts", "e30.e30.e30.e30.e30", kObject},
        {"KEY-2", "crit", f.with_header("crit", json::Array{"exp"}), kObject},
        {"KEY-2", "a key of its own", stranger.sign({{"alg", "ES256"}, {"jwk", json::Object{}}}, f.claims()), kObject},
        {"KEY-3", "none", f.with_header("alg", "none"), kObject},
        {"KEY-3", "none, without a signature",
         util::base64url_encode(R"({"alg":"none"})") + good.substr(payload - 1, good.rfind('.') - payload + 2),
         kObject},
        {"KEY-3", "HS256", f.with_header("alg", "HS256"), kObject},
        {"KEY-4", "another kid", f.with_header("kid", "k2"), kObject},
        {"KEY-4", "RS256 of a client without such a key", rsa.sign(rsa.header(), f.claims()), kObject},
        {"JAR-4", "another key", stranger.sign(stranger.header(), f.claims()), kObject},
        {"JAR-4", "changed", bent, kObject},
        {"KEY-6", "without a type", f.robot.sign(without_type, f.claims()), "201"},
        {"KEY-6", "JWT", f.with_header("typ", "JWT"), "201"},
        {"KEY-6", "in other letters", f.with_header("typ", "application/OAuth-AuthZ-Req+JWT"), "201"},
        {"KEY-6", "a type for another use", f.with_header("typ", "dpop+jwt"), kObject},
        {"KEY-6", "the type of an assertion", f.with_header("typ", "client-authentication+jwt"), kObject},
        {"KEY-6", "a client assertion", f.robot.assertion(f.op), kObject},
        {"JAR-5", "no client_id", f.without("client_id"), kObject},
        {"JAR-5", "of another client", f.with("client_id", kWeb), kObject},
        {"JAR-5", "no iss", f.without("iss"), "201"},
        {"JAR-5", "another iss", f.with("iss", kWeb), kObject},
        {"JAR-5", "sub", f.with("sub", kRobot), kObject},
        {"JAR-6", "no aud", f.without("aud"), "201"},
        {"JAR-6", "another aud", f.with("aud", "https://other.example"), kObject},
        {"JAR-6", "aud and another", f.with("aud", json::Array{"https://other.example", f.op.issuer()}), "201"},
        {"JAR-6", "the endpoint", f.with("aud", f.op.url("par")), kObject},
        {"JAR-7", "no times", f.without("exp"), "201"},
        {"JAR-7", "expired", f.with("exp", f.op.now() - 10), kObject},
        {"JAR-7", "nbf a minute ahead", f.with("nbf", f.op.now() + 62), kObject},
        {"JAR-7", "nbf eight seconds ahead", f.with("nbf", f.op.now() + 8), "201"},
        {"JAR-7", "iat a minute ahead", f.with("iat", f.op.now() + 62), kObject},
        {"JAR-7", "nbf long ago, which only a profile refuses", f.with("nbf", hours(-2)), "201"},
        {"JAR-8", "a request inside", f.with("request", "e.e.e"), kObject},
        {"JAR-8", "an address inside", f.with("request_uri", "https://robot.example/r"), kObject},
        {"JAR-9", "exp two hours ahead", f.with("exp", hours(2)), kObject},
        {"JAR-10", "max_age as a number", f.with("max_age", 3600), "201"},
        {"JAR-10", "claims as an object", f.with("claims", json::Object{{"id_token", json::Object{}}}), "201"},
        {"JAR-10", "resources", f.with("resource", json::Array{"https://a.example/", "https://b.example/"}), "201"},
        {"JAR-10", "null", f.with("state", nullptr), kObject},
        {"JAR-10", "scope as an array", f.with("scope", json::Array{"openid"}), kObject},
        {"JAR-12", "an address that is not registered", f.with("redirect_uri", "https://evil.example/"),
         "400 invalid_request"},
        {"JAR-12", "scope", f.with("scope", "admin"), "400 invalid_scope"},
        {"JAR-12", "response_type", f.with("response_type", "pigeon"), "400 unsupported_response_type"},
        {"JAR-12", "no response_type", f.without("response_type"), "400 invalid_request"},
        {"JAR-12", "registration", f.with("registration", "{}"), "400 registration_not_supported"},
        {"PAR-2", "the longest state", f.with("state", std::string(4000, 's')), "201"},
        {"PAR-2", "a longer one", f.with("state", std::string(4097, 's')), "400 invalid_request"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.rule));
        CAPTURE(std::string(row.when));
        const Answer answer = f.push_object(row.object);
        CHECK((answer.status == 201 ? "201" : answer.verdict()) == row.expected);
        CHECK(answer.header("Cache-Control") == "no-store");
        if (row.expected == kObject) CHECK(answer.member("error_description") == "the request object is not good");
    }
}

TEST_CASE(
    "request objects: what may stand beside one, and never counts [JAR-1, JAR-5, JAR-11, PAR-6, RFC 9101 §5, §6.3b, §10.7]") {
    const WithSignedRequests f;
    const Query alone{{"request", f.object()}};
    struct Row {
        const char* when;
        Query form;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"nothing", alone, "201"},
        {"its client_id", alone.with("client_id", kRobot), "201"},
        {"another client_id", alone.with("client_id", kWeb), "401 invalid_client"},
        {"an address", alone.with("request_uri", "https://robot.example/r"), "400 invalid_request"},
        {"an address of a pushed request", alone.with("request_uri", std::string(kRequestUriPrefix) + "x"),
         "400 invalid_request"},
        {"twice", alone.and_also("request", f.object()), "400 invalid_request"},
        {"parameters that are bad", alone.with("scope", "admin").with("response_type", "pigeon"), "201"},
        {"parameters twice", alone.and_also("state", "a").and_also("state", "b"), "201"},
        {"registration", alone.with("registration", "{}"), "201"},
        {"an address to answer at", alone.with("redirect_uri", "https://evil.example/"), "201"},
        {"what is missing inside", Query{{"request", f.without("response_type")}}.with("response_type", "code"),
         "400 invalid_request"},
        {"PKCE that is missing inside",
         Query{{"request", f.without("code_challenge")}}.with("code_challenge", kChallenge), "400 invalid_request"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        const Answer answer = f.push(row.form);
        CHECK((answer.status == 201 ? "201" : answer.verdict()) == row.expected);
    }
    // The request that opens is the one inside.
    const Answer pushed =
        f.push(alone.with("state", "outside").with("nonce", "outside").with("scope", "openid profile"));
    REQUIRE(pushed.status == 201);
    UserAgent alice(f.op);
    const Landing landing = alice.sign_in(opening(pushed.member("request_uri"), kRobot));
    CHECK(landing.parameter("state") == kState);
    const Answer tokens = f.op.cgi("token", post_form(with_assertion(Query{{"grant_type", "authorization_code"},
                                                                           {"code", landing.parameter("code")},
                                                                           {"redirect_uri", kRobotUri},
                                                                           {"code_verifier", kVerifier}},
                                                                     f.robot.assertion(f.op))
                                                          .text()));
    REQUIRE(tokens.status == 200);
    CHECK(tokens.member("scope") == "openid");
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "nonce") == kNonce);
}

TEST_CASE("request objects: the body of the certification suite, which has nothing else [JAR-1, F2-60, RFC 9126 §3]") {
    const WithSignedRequests f;
    const std::string body = "request=" + f.object() + "&client_assertion=" + f.robot.assertion(f.op) +
                             "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer";
    CHECK(f.op.cgi("par", post_form(body)).status == 201);
}

TEST_CASE("request objects: one is no client assertion, and an assertion is none [KEY-6, RFC 9101 §10.8]") {
    const WithSignedRequests f;
    const auto as_assertion = [&](const std::string& jwt) {
        return f.op.cgi("par", post_form(with_assertion(Query{{"request", f.object()}}, jwt).text())).verdict();
    };
    CHECK(as_assertion(f.object()) == "401 invalid_client");
    json::Object both = f.robot.claims(f.op);
    const json::Object asked = f.claims();
    for (const auto& [name, value] : asked.members()) both.set(name, value);
    CHECK(as_assertion(f.robot.sign(f.robot.header(), both)) == "401 invalid_client");
    CHECK(f.push_object(f.robot.sign(f.robot.header(), both)).verdict() == "400 invalid_request_object");
    const Answer refused = f.push_object(f.robot.assertion(f.op));
    CHECK(has(f.why(refused), "client_id"));
}

TEST_CASE(
    "request objects: the operator is told the first check that failed, and the log has a digest [COM-6, JAR-14]") {
    const WithSignedRequests f;
    const std::string foreign = f.with("aud", "https://other.example");
    const Answer refused = f.push_object(foreign);
    const std::string told = f.why(refused);
    CHECK(has(told, "https://other.example, and must be or have " + f.op.issuer()));
    CHECK_FALSE(has(told, foreign));
    CHECK_FALSE(has(refused.log, foreign));
    CHECK(has(f.why(f.push_object(f.with_header("kid", "k2"))), "\"kid\" k2"));
    CHECK(has(f.why(f.push_object(f.with_header("alg", "none"))), "\"alg\" is none"));
    const std::string late = f.why(f.push_object(f.with("exp", f.op.now() - 90)));
    CHECK(has(late, "it expired 90 s ago by the clock of this server"));
    CHECK(has(late, "Let NTP set the clock"));
    CHECK(has(f.op.postern({"doctor"}).out, "it expired 90 s ago"));

    const std::string object = f.object();
    const Answer pushed = f.push_object(object);
    REQUIRE(pushed.status == 201);
    UserAgent alice(f.op);
    const Landing landing = alice.sign_in(opening(pushed.member("request_uri"), kRobot));
    REQUIRE(landing.verdict() == "code");
    CHECK(text_of(audit_line(landing.answer.log, "code_issued"), "request_object") ==
          crypto::sha256_hex(object).substr(0, 16));
    const Answer plain = push(f.op, authorization_request());
    UserAgent other(f.op);
    const Landing unsigned_one = other.sign_in(opening(plain.member("request_uri")));
    CHECK(audit_line(unsigned_one.answer.log, "code_issued").find("request_object") == nullptr);
}

TEST_CASE("request objects: who has no keys here cannot sign [JAR-2, COM-8]") {
    const WithSignedRequests f;
    const Answer refused = push(f.op, authorization_request().with("request", f.with("client_id", kWeb)));
    CHECK(refused.verdict() == "400 invalid_request_object");
    CHECK(has(f.why(refused), "has no keys"));
    CHECK(f.op.cgi("par", post_form(Query{{"client_id", kSpa}, {"request", f.with("client_id", kSpa)}}.text()))
              .verdict() == "400 invalid_request_object");
    CHECK(f.op.cgi("par", post_form(Query{{"request", f.object()}}.text())).verdict() == "401 invalid_client");
}

TEST_CASE("request objects: the one algorithm of a client [JAR-2, COM-7]") {
    const WithSignedRequests f;
    f.op.must({"client", "set", kRobot, "--request-object-signing-alg", "ES256"});
    CHECK(f.push_object(f.object()).status == 201);
    const CommandResult set = f.op.postern({"client", "set", kRobot, "--request-object-signing-alg", "PS256"});
    CHECK(set.exit_code == 1);
    CHECK(has(set.err, "no key of the client is for PS256"));
    const auto shown = json::parse(f.op.must({"client", "show", kRobot, "--json"}));
    REQUIRE(shown);
    CHECK(text_of(*shown->if_object(), "request_object_signing_alg") == "ES256");
    f.op.must({"client", "set", kRobot, "--no-request-object-signing-alg"});
    CHECK(f.op.postern({"client", "set", kWeb, "--request-object-signing-alg", "ES256"}).exit_code == 1);
    CHECK(f.op.postern({"client", "set", kRobot, "--request-object-signing-alg", "HS256"}).exit_code == 2);
}

TEST_CASE(
    "request objects: whoever must sign pushes nothing unsigned, and sends nothing through the browser [JAR-13, F2-60, PAR-16, PAR-17, RFC 9101 "
    "§10.5a]") {
    WithSignedRequests f;
    const Query plain =
        authorization_request().with("client_id", kRobot).with("redirect_uri", kRobotUri).with("scope", "openid");
    const Answer before = f.push(plain);
    REQUIRE(before.status == 201);
    f.op.must({"client", "set", kRobot, "--require-signed-request-object"});
    const Answer refused = f.push(plain);
    CHECK(refused.verdict() == "400 invalid_request");
    CHECK(has(f.why(refused), "--no-require-signed-request-object"));
    CHECK(f.push_object(f.object()).status == 201);
    CHECK(UserAgent(f.op).authorize(plain).verdict() == "invalid_request");
    CHECK(UserAgent(f.op).authorize(opening(before.member("request_uri"), kRobot)).verdict() == "invalid_request");
    CHECK(push(f.op, authorization_request()).status == 201);  // of another client
    f.op.must({"client", "set", kRobot, "--no-require-signed-request-object"});
    CHECK(f.push(plain).status == 201);
    CHECK(UserAgent(f.op).authorize(plain).verdict() == "login");

    f.op.configure("requireSignedRequestObject", true);
    CHECK(f.push(plain).verdict() == "400 invalid_request");
    CHECK(has(f.why(f.push(plain)), "requireSignedRequestObject"));
    CHECK(push(f.op, authorization_request()).verdict() == "400 invalid_request");
    CHECK(UserAgent(f.op).authorize(authorization_request()).verdict() == "invalid_request");
    CHECK(f.push_object(f.object()).status == 201);
}

TEST_CASE(
    "request objects: while they are off nothing of them is there, and no demand is loosened [COM-1, COM-10, JAR-15]") {
    WithSignedRequests f;
    const auto pushed = f.push_object(f.object());
    REQUIRE(pushed.status == 201);
    f.op.must({"client", "set", kRobot, "--require-signed-request-object"});
    f.op.configure("requestObjects", "off");
    CHECK(f.push_object(f.object()).verdict() == "400 request_not_supported");
    CHECK(has(f.why(f.push_object(f.object())), "\"requestObjects\""));
    const Query plain = authorization_request().with("client_id", kRobot).with("redirect_uri", kRobotUri);
    CHECK(f.push(plain.with("scope", "openid")).verdict() == "400 unauthorized_client");
    CHECK(UserAgent(f.op).authorize(plain.with("scope", "openid")).verdict() == "unauthorized_client");
    CHECK(UserAgent(f.op).authorize(opening(pushed.member("request_uri"), kRobot)).verdict() == "unauthorized_client");
    const Answer token = f.op.cgi(
        "token",
        post_form(with_assertion(Query{{"grant_type", "authorization_code"}, {"code", "x"}}, f.robot.assertion(f.op))
                      .text()));
    CHECK(token.verdict() == "400 unauthorized_client");
    CHECK(has(f.op.postern({"doctor"}).out, "--no-require-signed-request-object"));
    const CommandResult set = f.op.postern({"client", "set", kRobot, "--name", "Robot"});
    CHECK(set.exit_code == 1);
    CHECK(has(set.err, "\"requestObjects\""));
    CHECK(f.op.cgi("discovery").json().find("request_object_signing_alg_values_supported") == nullptr);
    CHECK(f.op.cgi("discovery").json().find("require_signed_request_object") == nullptr);
}

TEST_CASE("request objects: discovery and the authorization endpoint [JAR-15, COM-3, RFC 9101 §10.5b]") {
    WithSignedRequests f;
    const auto member = [&](const char* name) {
        const json::Object document = f.op.cgi("discovery").json();
        const json::Value* value = document.find(name);
        return value == nullptr ? std::string("absent") : json::write(*value);
    };
    CHECK(member("request_object_signing_alg_values_supported") == R"(["RS256","ES256","PS256","EdDSA","Ed25519"])");
    CHECK(member("require_signed_request_object") == "false");
    CHECK(member("request_parameter_supported") == "false");
    CHECK(member("request_uri_parameter_supported") == "false");
    f.op.configure("requireSignedRequestObject", true);
    CHECK(member("require_signed_request_object") == "true");
    CHECK(member("require_pushed_authorization_requests") == "true");
    f.op.configure("requireSignedRequestObject", false);
    const Query direct = authorization_request().with("client_id", kRobot).with("redirect_uri", kRobotUri);
    CHECK(UserAgent(f.op).authorize(direct.with("scope", "openid").with("request", f.object())).verdict() ==
          "request_not_supported");
}

TEST_CASE("request objects: clients register with the demand and the algorithm [REG-10, JAR-13, COM-10]") {
    WithSignedRequests f({{"registration", json::Object{{"mode", "token"}}}});
    const std::string token = new_token(f.op, "20");
    const auto send = [&](json::Object metadata) {
        metadata.set("redirect_uris", json::Array{kRobotUri});
        metadata.set("require_signed_request_object", true);
        return f.op.cgi("registration", registering(json::write(metadata), token));
    };
    const json::Object good = {{"token_endpoint_auth_method", "private_key_jwt"},
                               {"jwks", f.robot.jwks()},
                               {"request_object_signing_alg", "ES256"}};
    const auto changed = [&](const char* name, json::Value value) {
        json::Object metadata = good;
        metadata.set(name, std::move(value));
        return metadata;
    };
    const Answer registered = send(good);
    REQUIRE(registered.status == 201);
    CHECK(has(registered.body, "\"require_signed_request_object\":true"));
    CHECK(registered.member("request_object_signing_alg") == "ES256");
    CHECK(send(changed("request_object_signing_alg", "none")).verdict() == "400 invalid_client_metadata");
    CHECK(send(changed("request_object_signing_alg", "PS256")).verdict() == "400 invalid_client_metadata");
    CHECK(send(changed("request_object_signing_alg", 1)).verdict() == "400 invalid_client_metadata");
    CHECK(send({{"token_endpoint_auth_method", "client_secret_basic"}}).verdict() == "400 invalid_client_metadata");
    CHECK(send({{"token_endpoint_auth_method", "none"}}).verdict() == "400 invalid_client_metadata");
    f.op.configure("requestObjects", "off");
    CHECK(send(good).verdict() == "400 invalid_client_metadata");
}

TEST_CASE("request objects: a profile wants more of them [F2-60, F2-61, F2-62, F2-63, F2-67, JAR-6, JAR-7, JAR-13]") {
    const WithSignedRequests f(
        {{"dpop", "allowed"}, {"jarm", true}, {"idTokenAlgorithms", json::strings({"RS256", "ES256"})}});
    f.op.must({"client", "set", kRobot, "--profile", "fapi2-message-signing", "--dpop-bound-access-tokens"});
    const auto now = f.op.now();
    struct Row {
        const char* rule;
        std::string object;
        const char* expected;
        const char* without_profile;
    };
    const Row rows[] = {
        {"F2-60", f.with("response_mode", "jwt"), "201", "201"},
        {"F2-67, no mode", f.object(), "400 invalid_request", "201"},
        {"F2-61, aud", f.without("aud"), "400 invalid_request_object", "201"},
        {"F2-62, nbf", f.without("nbf"), "400 invalid_request_object", "201"},
        {"F2-62, an old nbf", f.with("nbf", now - 3660), "400 invalid_request_object", "201"},
        {"F2-63, exp", f.without("exp"), "400 invalid_request_object", "201"},
        {"F2-63, long life", f.with("exp", now + 3610), "400 invalid_request_object", "201"},
        {"F2-67", f.with("response_mode", "query"), "400 invalid_request", "201"},
    };
    const Query plain =
        authorization_request().with("client_id", kRobot).with("redirect_uri", kRobotUri).with("scope", "openid");
    for (const Row& row : rows) {
        CAPTURE(row.rule);
        CHECK(f.push_object(row.object).verdict() == row.expected);
    }
    CHECK(f.push(plain).verdict() == "400 invalid_request");
    UserAgent alice(f.op);
    const std::string address = f.push_object(rows[0].object).member("request_uri");
    const Landing answered = alice.approve(alice.log_in(alice.authorize(opening(address, kRobot))));
    CHECK(answered.parameter("code").empty());
    CHECK(answered.parameter("response").find('.') != std::string::npos);

    f.op.must({"client", "set", kRobot, "--no-profile"});
    for (const Row& row : rows) {
        CAPTURE(row.rule);
        CHECK(f.push_object(row.object).verdict() == row.without_profile);
    }
    CHECK(f.push(plain).verdict() == "201");
}

}  // namespace
