// Proofs of possession on the wire (RFC 9449): tokens that are bound to a key, where they are issued, shown and
// described.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "support/at_once.h"
#include "support/audit_log.h"
#include "support/device.h"
#include "support/marks.h"
#include "support/pushed.h"
#include "support/registration.h"
#include "support/signer.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

json::Object dpop_on(json::Object more = {}) {
    more.set("dpop", "allowed");
    return more;
}

Deployment::Options with_dpop(json::Object more = {}) { return {.config = dpop_on(std::move(more))}; }

Deployment::Options with_dpop_and_par() { return with_par(dpop_on()); }

/// What the client sends, with a proof if there is one.
Answer send(const Deployment& op, const std::string& endpoint, const Query& form, const std::string& proof,
            const std::string& client = kWeb) {
    CgiRequest request =
        client == kWeb ? with_basic(form.text(), client) : post_form(form.with("client_id", client).text());
    if (!proof.empty()) request.headers.emplace_back("DPoP", proof);
    return op.cgi(endpoint, request);
}

Answer ask_userinfo(const Deployment& op, const std::string& authorization, const std::string& proof = "") {
    CgiRequest request;
    request.headers = {{"Authorization", authorization}};
    if (!proof.empty()) request.headers.emplace_back("DPoP", proof);
    return op.cgi("userinfo", request);
}

Answer ask_to_authorize(const Deployment& op, const Query& query) {
    CgiRequest request;
    request.query = query.text();
    return op.cgi("authorize", request);
}

std::string why(const Deployment& op, const Answer& answer) { return op.must({"why", answer.header("X-Request-Id")}); }

json::Object introspected(const Deployment& op, const std::string& token) {
    return as_client(op, "introspect", Query{{"token", token}}).json();
}

std::string jkt_in(const json::Object& object) {
    const json::Value* cnf = object.find("cnf");
    return cnf && cnf->if_object() ? text_of(*cnf->if_object(), "jkt") : "";
}

Query refresh_with(const std::string& token) { return {{"grant_type", "refresh_token"}, {"refresh_token", token}}; }

/// Alice at a client, which has redeemed its code with a proof.
struct Bound {
    Deployment op;
    UserAgent alice{op};
    std::string client;
    Signer key{"", ""};
    Answer answer;

    explicit Bound(const Deployment::Options& options = with_dpop(), const std::string& of = kWeb)
        : op(options), client(of) {
        const std::string code = alice.obtain_code(authorization_request(of));
        answer = send(op, "token", token_request(code, of), key.proof(op, "token"), of);
        REQUIRE(answer.verdict() == "200");
    }
    std::string access() const { return answer.member("access_token"); }
    std::string refresh() const { return answer.member("refresh_token"); }
};

TEST_CASE(
    "dpop: a token that is bound, in the answer, in the token and in introspection [DPOP-12, DPOP-19, RFC 9449 §5, §6.1, §6.2, DPOP-32]") {
    const Bound f;
    CHECK(f.answer.member("token_type") == "DPoP");
    CHECK(jkt_in(jwt_claims(f.access())) == f.key.jkt());
    const json::Object told = introspected(f.op, f.access());
    CHECK(text_of(told, "token_type") == "DPoP");
    CHECK(jkt_in(told) == f.key.jkt());
    const Answer without = redeem(f.op, refresh_with(f.refresh()));  // DPOP-16: a confidential client
    CHECK(without.member("token_type") == "Bearer");
    CHECK(jkt_in(jwt_claims(without.member("access_token"))).empty());
    CHECK(text_of(introspected(f.op, without.member("access_token")), "token_type") == "Bearer");
}

TEST_CASE(
    "dpop: what a proof at the token endpoint must be [DPOP-1, DPOP-2, DPOP-3, DPOP-4, DPOP-5, DPOP-6, DPOP-8, DPOP-11, RFC 9449 §4.3, §11.1, F2-10, F2-13, F2-44]") {
    const Deployment op(with_dpop());
    const Signer key("", "");
    const Signer other("", "");
    const auto with = [&](const char* name, json::Value value) {
        json::Object claims = key.proof_claims(op, "token");
        claims.set(name, std::move(value));
        return key.sign(key.proof_header(), claims);
    };
    const std::string used = key.proof(op, "token");
    struct Row {
        const char* when;
        std::string proof;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"as it should be", used, "200"},
        {"once more", used, "400 invalid_dpop_proof"},
        {"joined", key.proof(op, "token") + ", " + key.proof(op, "token"), "400 invalid_dpop_proof"},
        {"no JWT", "what-no-log-line-has", "400 invalid_dpop_proof"},
        {"for another endpoint", key.proof(op, "userinfo"), "400 invalid_dpop_proof"},
        {"of another method", key.proof(op, "token", "", "GET"), "400 invalid_dpop_proof"},
        {"by another key", other.sign(key.proof_header(), key.proof_claims(op, "token")), "400 invalid_dpop_proof"},
        {"old", with("iat", op.now() - 61), "400 invalid_dpop_proof"},
        {"10 s ahead", with("iat", op.now() + 10), "200"},
        {"an hour ahead", with("iat", op.now() + 3600), "400 invalid_dpop_proof"},
        {"with a query", with("htu", op.url("token") + "?x=y"), "200"},
        {"with a nonce", with("nonce", "x"), "200"},
    };
    op.must({"client", "add", "robot", "--grant", "client_credentials", "--scope", "api", "--secret-stdin"},
            secret_of("robot") + "\n");
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CgiRequest request = with_basic("grant_type=client_credentials&scope=api", "robot");
        request.headers.emplace_back("DPoP", row.proof);
        const Answer answer = op.cgi("token", request);
        CHECK(answer.verdict() == row.expected);
        if (answer.status == 200) CHECK(jkt_in(jwt_claims(answer.member("access_token"))) == key.jkt());
        CHECK(answer.log.find(row.proof) == std::string::npos);
    }
}

TEST_CASE("dpop: a proof that is refused costs nothing, and its refusal is explained [DPOP-11, COM-6, COM-9]") {
    const Deployment op(with_dpop());
    UserAgent alice(op);
    const Signer key("", "");
    const Query request = token_request(alice.obtain_code(authorization_request()));
    const std::string stored = op.stored();
    const Answer wrong = send(op, "token", request, key.proof(op, "par"));
    CHECK(wrong.verdict() == "400 invalid_dpop_proof");
    CHECK(op.stored() == stored);
    CHECK(has(why(op, wrong), "htu"));
    json::Object claims = key.proof_claims(op, "token");
    claims.set("iat", op.now() - 125);
    const Answer late = send(op, "token", request, key.sign(key.proof_header(), claims));
    CHECK(late.verdict() == "400 invalid_dpop_proof");
    CHECK(has(why(op, late), "its \"iat\" is 125 s ago, and dpopMaxAge is 60 s"));
    CHECK(has(why(op, late), "Let NTP set the clock"));
    CHECK(has(op.postern({"doctor"}).out, "its \"iat\" is 125 s ago"));
    const std::string proof = key.proof(op, "token");
    CHECK(send(op, "token", request, proof).verdict() == "200");
    const Query again = token_request(alice.obtain_code(authorization_request()));
    const Answer replayed = send(op, "token", again, proof);
    CHECK(replayed.verdict() == "400 invalid_dpop_proof");
    CHECK(audit_events(replayed.log) == "proof_replayed");
    CHECK(has(why(op, replayed), "jti"));
    CHECK(send(op, "token", again, key.proof(op, "token")).verdict() == "200");  // the code stayed good
}

TEST_CASE("dpop: an assertion beside a proof that is refused can be sent again [COM-9, CA-12]") {
    const Deployment op(with_dpop({{"clientAssertions", true}}));
    const Signer robot("robot", "k1");
    const Signer key("", "");
    const std::string path = (op.directory() / "jwks.json").string();
    write_file(path, json::write(robot.jwks()));
    op.must({"client", "add", "robot", "--auth-method", "private_key_jwt", "--jwks", path, "--grant",
             "client_credentials", "--scope", "api", "--dpop-bound-access-tokens"});
    const Query form = with_assertion({{"grant_type", "client_credentials"}, {"scope", "api"}}, robot.assertion(op));
    const auto ask = [&](const std::string& proof) {
        CgiRequest request = post_form(form.text());
        if (!proof.empty()) request.headers.emplace_back("DPoP", proof);
        return op.cgi("token", request).verdict();
    };
    CHECK(ask("") == "400 invalid_request");
    CHECK(ask(key.proof(op, "par")) == "400 invalid_dpop_proof");
    CHECK(ask(key.proof(op, "token")) == "200");
    CHECK(ask(key.proof(op, "token")) == "401 invalid_client");
}

TEST_CASE("dpop: a client that demands bound tokens [DPOP-13, DPOP-14, COM-10, RFC 9449 §5.2]") {
    Deployment op(with_dpop());
    op.must({"client", "set", kWeb, "--dpop-bound-access-tokens"});
    const auto shown = json::parse(op.must({"client", "show", kWeb, "--json"}));
    REQUIRE((shown && shown->if_object() != nullptr));
    const json::Value* demand = shown->if_object()->find("dpop_bound_access_tokens");
    CHECK((demand != nullptr && demand->if_bool() != nullptr && *demand->if_bool()));
    UserAgent alice(op);
    const Signer key("", "");
    const Query request = token_request(alice.obtain_code(authorization_request()));
    const Answer refused = send(op, "token", request, "");
    CHECK(refused.verdict() == "400 invalid_request");
    CHECK(has(why(op, refused), "--no-dpop-bound-access-tokens"));
    const Answer tokens = send(op, "token", request, key.proof(op, "token"));  // the code stayed good
    REQUIRE(tokens.verdict() == "200");
    CHECK(send(op, "token", refresh_with(tokens.member("refresh_token")), "").verdict() == "400 invalid_request");

    op.configure("dpop", "off");
    CHECK(send(op, "token", refresh_with(tokens.member("refresh_token")), "").verdict() == "400 unauthorized_client");
    CHECK(has(op.postern({"doctor"}).out, "--no-dpop-bound-access-tokens"));
    CHECK(op.postern({"client", "add", "x", "--public", "--redirect-uri", "https://x.example/cb",
                      "--dpop-bound-access-tokens"})
              .exit_code != 0);
}

TEST_CASE("dpop: no token of the authorization endpoint can be bound [DPOP-14]") {
    const Deployment op(with_dpop({{"responseTypes", json::Array{"code", "token"}}}));
    CHECK(op.postern({"client", "add", "x", "--public", "--grant", "implicit", "--redirect-uri", "https://x.example/cb",
                      "--dpop-bound-access-tokens"})
              .exit_code != 0);
}

TEST_CASE("dpop: the refresh tokens of a public client are bound to the key of its code [DPOP-15, RFC 9449 §5]") {
    Bound f(with_dpop(), kSpa);
    Deployment& op = f.op;
    const Signer other("", "");
    const std::string stored = op.stored();
    for (const std::string& proof : {std::string(), other.proof(op, "token")}) {
        const Answer refused = send(op, "token", refresh_with(f.refresh()), proof, kSpa);
        CHECK(refused.verdict() == "400 invalid_grant");
        CHECK(has(why(op, refused), "bound to a key"));
    }
    CHECK(op.stored() == stored);
    const Answer next = send(op, "token", refresh_with(f.refresh()), f.key.proof(op, "token"), kSpa);
    CHECK(next.verdict() == "200");
    CHECK(next.member("token_type") == "DPoP");
    const Answer third = send(op, "token", refresh_with(next.member("refresh_token")), other.proof(op, "token"), kSpa);
    CHECK(third.verdict() == "400 invalid_grant");
    op.configure("dpop", "off");  // COM-10
    CHECK(send(op, "token", refresh_with(next.member("refresh_token")), f.key.proof(op, "token"), kSpa).verdict() ==
          "400 invalid_grant");
}

TEST_CASE("dpop: a public client without a proof keeps refresh tokens that are not bound [DPOP-15]") {
    const Deployment op(with_dpop());
    UserAgent alice(op);
    const Signer key("", "");
    const auto tokens = obtain_tokens(op, alice, authorization_request(kSpa), kSpa);
    const Answer next = send(op, "token", refresh_with(text_of(tokens, "refresh_token")), key.proof(op, "token"), kSpa);
    CHECK(next.member("token_type") == "DPoP");
    CHECK(send(op, "token", refresh_with(next.member("refresh_token")), "", kSpa).member("token_type") == "Bearer");
}

TEST_CASE("dpop: a device's tokens are bound alike [DPOP-17]") {
    const WithDevices with(dpop_on());
    const Deployment& op = with.op;
    const Device device(with);
    UserAgent alice(op);
    alice.approve(alice.submit(alice.log_in(alice.open(device.url())), "continue"));
    const Signer key("", "");
    const Answer tokens =
        send(op, "token", {{"grant_type", kDeviceGrant}, {"device_code", device.member("device_code")}},
             key.proof(op, "token"), kCli);
    REQUIRE(tokens.verdict() == "200");
    CHECK(jkt_in(jwt_claims(tokens.member("access_token"))) == key.jkt());
    CHECK(send(op, "token", refresh_with(tokens.member("refresh_token")), "", kCli).verdict() == "400 invalid_grant");
    CHECK(send(op, "token", refresh_with(tokens.member("refresh_token")), key.proof(op, "token"), kCli).verdict() ==
          "200");
}

TEST_CASE(
    "userinfo: what a bound token needs there [DPOP-9, DPOP-10, DPOP-11, DPOP-18, RFC 9449 §7.1, §7.2, F2-43, F2-44]") {
    const Bound f;
    const Deployment& op = f.op;
    const Signer other("", "");
    const std::string token = f.access();
    const auto proof = [&](const std::string& of, const std::string& method = "GET") {
        return f.key.proof(op, "userinfo", of, method);
    };
    const std::string used = proof(token);
    const std::string unbound = redeem(op, refresh_with(f.refresh())).member("access_token");
    struct Row {
        const char* when;
        std::string authorization;
        std::string proof;
        std::string expected;
        const char* scheme = "";  ///< of the challenge
    };
    const std::vector<Row> rows = {
        {"as it should be", "DPoP " + token, used, "200"},
        {"once more", "DPoP " + token, used, "401 invalid_dpop_proof", "DPoP"},
        {"in capitals", "DPOP " + token, proof(token), "200"},
        {"without a proof", "DPoP " + token, "", "401 invalid_token", "DPoP"},
        {"as a bearer", "Bearer " + token, "", "401 invalid_token", "DPoP"},
        {"as a bearer with a proof", "Bearer " + token, proof(token), "401 invalid_token", "DPoP"},
        {"no ath", "DPoP " + token, proof(""), "401 invalid_dpop_proof", "DPoP"},
        {"ath of another token", "DPoP " + token, proof(unbound), "401 invalid_dpop_proof", "DPoP"},
        {"of another key", "DPoP " + token, other.proof(op, "userinfo", token, "GET"), "401 invalid_dpop_proof",
         "DPoP"},
        {"of another method", "DPoP " + token, proof(token, "POST"), "401 invalid_dpop_proof", "DPoP"},
        {"for another endpoint", "DPoP " + token, f.key.proof(op, "token", token, "GET"), "401 invalid_dpop_proof",
         "DPoP"},
        {"a bearer token with the scheme DPoP", "DPoP " + unbound, proof(unbound), "401 invalid_token", "DPoP"},
        {"a bearer token beside a proof", "Bearer " + unbound, "x", "200"},
        {"no token of ours, before its proof", "DPoP x", "x", "401 invalid_token", "DPoP"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Answer answer = ask_userinfo(op, row.authorization, row.proof);
        CHECK(answer.verdict() == row.expected);
        if (answer.status != 401) continue;
        CHECK(answer.header("WWW-Authenticate").starts_with(std::string(row.scheme) + " "));
        CHECK(has(answer.header("WWW-Authenticate"), "algs=\"ES256 PS256 EdDSA Ed25519\""));
    }
    const Answer in_body = op.cgi("userinfo", post_form("access_token=" + token));
    CHECK(in_body.verdict() == "401 invalid_token");
    const Answer none = op.cgi("userinfo", {});
    std::vector<std::string> challenges;
    for (const auto& [name, value] : none.headers)
        if (name == "WWW-Authenticate") challenges.push_back(value);
    REQUIRE(challenges.size() == 2);
    CHECK(challenges[0].starts_with("Bearer error=\"invalid_token\""));
    CHECK(challenges[1] == "DPoP algs=\"ES256 PS256 EdDSA Ed25519\"");
    CHECK(has(why(op, ask_userinfo(op, "Bearer " + token)), "bound to a key"));
}

TEST_CASE(
    "dpop: while it is off nothing of it is there, and a bound token is no bearer token [COM-10, DPOP-18, DPOP-20]") {
    Bound f;
    const Deployment& op = f.op;
    f.op.configure("dpop", "off");
    CHECK(ask_userinfo(op, "Bearer " + f.access()).verdict() == "401 invalid_token");
    CHECK(ask_userinfo(op, "DPoP " + f.access(), f.key.proof(op, "userinfo", f.access(), "GET")).verdict() ==
          "401 invalid_token");
    CHECK(jkt_in(introspected(op, f.access())) == f.key.jkt());
    const Answer tokens = send(op, "token", refresh_with(f.refresh()), "x");
    CHECK(tokens.member("token_type") == "Bearer");
    CHECK(ask_userinfo(op, "Bearer " + tokens.member("access_token")).verdict() == "200");
    CHECK(op.cgi("discovery", {}).json().find("dpop_signing_alg_values_supported") == nullptr);
    CHECK(verdict_of(op, ask_to_authorize(op, authorization_request().with("dpop_jkt", "x"))) == "login");
    CHECK(op.postern({"client", "set", kWeb, "--dpop-bound-access-tokens"}).exit_code != 0);
}

TEST_CASE("dpop_jkt: a code that is bound to a key [DPOP-20, DPOP-22, RFC 9449 §10, F2-12]") {
    const Deployment op(with_dpop());
    UserAgent alice(op);
    const Signer key("", "");
    const Signer other("", "");
    const Query asked = authorization_request().with("dpop_jkt", key.jkt());
    const auto code = [&] { return token_request(alice.obtain_code(asked)); };
    CHECK(send(op, "token", code(), key.proof(op, "token")).verdict() == "200");
    for (const std::string& proof : {std::string(), other.proof(op, "token")}) {
        const Query request = code();
        const Answer refused = send(op, "token", request, proof);
        CHECK(refused.verdict() == "400 invalid_grant");
        CHECK(audit_events(refused.log) == "code_burned");
        CHECK(send(op, "token", request, key.proof(op, "token")).verdict() == "400 invalid_grant");
    }
    for (const char* bad :
         {"x", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4=", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4II"}) {
        CAPTURE(bad);
        CHECK(verdict_of(op, ask_to_authorize(op, authorization_request().with("dpop_jkt", bad))) == "invalid_request");
    }
    const Query twice = asked.and_also("dpop_jkt", key.jkt());
    CHECK(verdict_of(op, ask_to_authorize(op, twice)) == "invalid_request");
}

TEST_CASE("par: a proof there binds the code [DPOP-21, DPOP-22, JTI-4, RFC 9449 §10.1, PAR-8, F2-12]") {
    const Deployment op(with_dpop_and_par());
    UserAgent alice(op);
    const Signer key("", "");
    const Signer other("", "");
    const std::string proof = key.proof(op, "par");
    const Answer pushed = send(op, "par", authorization_request(), proof);
    REQUIRE(pushed.verdict() == "201");
    CHECK(send(op, "par", authorization_request(), proof).verdict() == "400 invalid_dpop_proof");
    const Query differing = authorization_request().with("dpop_jkt", other.jkt());
    CHECK(send(op, "par", differing, key.proof(op, "par")).verdict() == "400 invalid_dpop_proof");
    CHECK(send(op, "par", differing, key.proof(op, "token")).verdict() == "400 invalid_dpop_proof");
    CHECK(send(op, "par", differing, other.proof(op, "par")).verdict() == "201");
    // Anybody could have sent it: it is checked, and leaves no mark.
    const std::string of_public = key.proof(op, "par");
    for (int i = 0; i < 2; ++i) CHECK(send(op, "par", authorization_request(kSpa), of_public, kSpa).verdict() == "201");

    const auto code = [&] { return token_request(alice.obtain_code(opening(pushed.member("request_uri")))); };
    CHECK(send(op, "token", code(), other.proof(op, "token")).verdict() == "400 invalid_grant");
}

TEST_CASE("dpop: revocation and introspection do not look at the header [DPOP-23]") {
    const Bound f;
    CHECK(send(f.op, "introspect", {{"token", f.access()}}, "x").verdict() == "200");
    CHECK(send(f.op, "revoke", {{"token", f.access()}}, "x").verdict() == "200");
    CHECK_FALSE(is_active(f.op, f.access()));
}

TEST_CASE("dpop: an application in a browser may send the header [DPOP-24]") {
    const Deployment op(with_dpop_and_par());
    for (const char* endpoint : {"token", "par", "userinfo"}) {
        CAPTURE(endpoint);
        CgiRequest preflight;
        preflight.method = "OPTIONS";
        preflight.headers = {{"Origin", "https://spa.example"},
                             {"Access-Control-Request-Method", "POST"},
                             {"Access-Control-Request-Headers", "dpop"}};
        const Answer answer = op.cgi(endpoint, preflight);
        CHECK(has(answer.header("Access-Control-Allow-Headers"), "dpop"));
        CHECK(has(answer.header("Vary"), "Origin"));
    }
}

TEST_CASE("dpop: metadata and registration [DPOP-25, RFC 9449 §5.1, §5.2]") {
    const Deployment op(with_dpop({{"registration", json::Object{{"mode", "open"}}}}));
    const json::Object metadata = op.cgi("discovery", {}).json();
    CHECK(json::write(*metadata.find("dpop_signing_alg_values_supported")) == R"(["ES256","PS256","EdDSA","Ed25519"])");
    const Answer registered = op.cgi(
        "registration", registering(R"({"redirect_uris":["http://127.0.0.1/cb"],"dpop_bound_access_tokens":true})"));
    CHECK(registered.status == 201);
    const json::Object client = registered.json();
    const json::Value* bound = client.find("dpop_bound_access_tokens");
    REQUIRE(bound != nullptr);
    CHECK((bound->if_bool() != nullptr && *bound->if_bool()));
}

TEST_CASE("gate: a token that is bound to a key is no bearer token there [DPOP-10, GATE-19, RFC 9449 §7.2]") {
    const std::string site = "https://wiki.example/";
    const Deployment op({.config = dpop_on({{"paths", json::Object{{"gate", "/gate"}}},
                                            {"gate", json::Object{{"proxies", json::Array{"192.0.2.1"}}}}})});
    op.must({"site", "add", "wiki", "--url", site, "--bearer"});
    UserAgent alice(op);
    const Signer key("", "");
    const auto token_for_site = [&](const std::string& proof) {
        const std::string code = alice.obtain_code(authorization_request().with("resource", site));
        const Answer answer = send(op, "token", token_request(code).with("resource", site), proof);
        REQUIRE(answer.verdict() == "200");
        return answer.member("access_token");
    };
    const auto ask = [&](const std::string& authorization, const std::string& proof) {
        CgiRequest request;
        request.headers = {{"X-Forwarded-Proto", "https"},
                           {"X-Forwarded-Host", "wiki.example"},
                           {"X-Forwarded-Method", "GET"},
                           {"X-Forwarded-Uri", "/page"},
                           {"Authorization", authorization}};
        if (!proof.empty()) request.headers.emplace_back("DPoP", proof);
        return op.cgi("gate", request);
    };
    const std::string bearer = token_for_site("");
    const std::string bound = token_for_site(key.proof(op, "token"));
    json::Object claims = key.proof_claims(op, "token", bound, "GET");
    claims.set("htu", site + "page");
    const std::string proof = key.sign(key.proof_header(), claims);
    CHECK(ask("Bearer " + bearer, "").status == 200);  // the measure is one
    for (const char* scheme : {"Bearer ", "bearer "})
        for (const std::string& shown : {std::string(), proof}) {
            const Answer refused = ask(scheme + bound, shown);
            CHECK(refused.status == 401);
            CHECK(has(refused.header("WWW-Authenticate"), "error=\"invalid_token\""));
            CHECK(refused.header("Remote-User").empty());
        }
    // The gate takes no proofs: another scheme is the application's, and nobody is signed in by it.
    const Answer other = ask("DPoP " + bound, proof);
    CHECK(other.status != 200);
    CHECK(other.header("Remote-User").empty());
}

/// A deployment with the least room for marks, and what each endpoint that takes proofs is asked with a new one.
struct Crowded {
    Bound f{with_par(dpop_on(with_least_replays()))};

    Answer answer_of(const std::string& endpoint) const {
        const Deployment& op = f.op;
        if (endpoint == "userinfo")
            return ask_userinfo(op, "DPoP " + f.access(), f.key.proof(op, "userinfo", f.access(), "GET"));
        const bool is_push = endpoint == "par";
        const Query form = is_push ? authorization_request().without("client_id") : refresh_with(f.refresh());
        return send(op, endpoint, form, f.key.proof(op, endpoint));
    }
};

TEST_CASE("dpop: whoever has used his share is told to come back, and loses nothing by it [JTI-6, COM-5]") {
    const Crowded c;
    Marks(c.f.op, store::ReplayKind::proof).crowd(kWeb);
    Marks(c.f.op, store::ReplayKind::proof_at_userinfo).crowd(c.f.key.jkt());
    for (const char* endpoint : {"token", "par", "userinfo"}) {
        CAPTURE(std::string(endpoint));
        const Answer refused = c.answer_of(endpoint);
        CHECK(refused.verdict() == "429 temporarily_unavailable");
        CHECK(refused.header("Retry-After") == "60");
        CHECK(has(why(c.f.op, refused), "replays.maxSize"));
    }
    // The refresh token was not spent, and proofs of others find room.
    CHECK(send(c.f.op, "token", refresh_with(c.f.refresh()), "").status == 200);
}

TEST_CASE("dpop: a proof that cannot be remembered is not accepted [JTI-6, COM-5]") {
    if (is_on_postgresql()) return;  // where the shares are the bound
    const Crowded c;
    for (const auto kind : {store::ReplayKind::proof, store::ReplayKind::proof_at_userinfo}) Marks(c.f.op, kind).fill();
    for (const char* endpoint : {"token", "par", "userinfo"}) {
        CAPTURE(std::string(endpoint));
        const Answer refused = c.answer_of(endpoint);
        CHECK(refused.status == 503);
        CHECK_FALSE(refused.header("Retry-After").empty());
        CHECK(has(why(c.f.op, refused), "INSERT INTO replays"));
        CHECK(has(text_of(audit_line(refused.log, "replay_store_full"), "reason"), "database or disk is full"));
    }
    CHECK(send(c.f.op, "token", refresh_with(c.f.refresh()), "").status == 200);
}

TEST_CASE(
    "registration: tokens of the authorization endpoint cannot be bound, so the pair is refused [DPOP-14, HYB-8]") {
    const json::Object registration{{"mode", "token"}, {"grants", json::Array{"authorization_code", "implicit"}}};
    const Deployment op(with_dpop(
        {{"responseTypes", json::Array{"code", "token", "code token", "id_token"}}, {"registration", registration}}));
    const std::string initial = new_token(op, "10");
    const auto verdict = [&](const std::string& more) {
        const std::string metadata = R"({"redirect_uris":["https://a.example/cb"],"dpop_bound_access_tokens":true)";
        return op.cgi("registration", registering(metadata + more + "}", initial)).verdict();
    };
    CHECK(verdict(R"(,"response_types":["token"],"grant_types":["implicit"])") == "400 invalid_client_metadata");
    CHECK(verdict(R"(,"response_types":["code token"],"grant_types":["authorization_code","implicit"])") ==
          "400 invalid_client_metadata");
    CHECK(verdict(R"(,"response_types":["id_token"],"grant_types":["implicit"])") == "201");
    CHECK(verdict("") == "201");
}

TEST_CASE("race: of many processes with one proof exactly one takes it [DPOP-11, JTI-3, RFC 9449 §11.1]") {
    const Deployment op(with_dpop());
    const Signer key("", "");
    op.must({"client", "add", "robot", "--grant", "client_credentials", "--scope", "api", "--secret-stdin"},
            secret_of("robot") + "\n");
    for (int round = 0; round < 5; ++round) {
        CgiRequest request = with_basic("grant_type=client_credentials&scope=api", "robot");
        request.headers.emplace_back("DPoP", key.proof(op, "token"));
        CHECK(verdicts_at_once(op, "token", request, 6) == "1 x 200, 5 x 400 invalid_dpop_proof");
    }
}

}  // namespace
