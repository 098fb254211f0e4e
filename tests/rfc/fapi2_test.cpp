// The FAPI 2.0 Security Profile on the wire: what a client with the profile must send, and what it gets (F2-3 to
// F2-46).
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "support/audit_log.h"
#include "support/pushed.h"
#include "support/registration.h"
#include "support/signer.h"

namespace {

using namespace postern;
using namespace postern::test;
using crypto::Algorithm;
using std::chrono::seconds;

constexpr const char* kBank = "bank";
constexpr const char* kBankRedirect = "https://bank.example/cb";
constexpr const char* kApi = "https://api.example/";

json::Object fapi_configuration(json::Object more = {}) {
    json::Object config{{"clientAssertions", true},
                        {"dpop", "allowed"},
                        {"idTokenAlgorithms", json::strings({"RS256", "ES256"})},
                        {"paths", json::Object{{"par", "/par"}}}};
    for (const auto& [name, value] : more.members()) config.set(name, value);
    return config;
}

Query banks_request() {
    return authorization_request().with("client_id", kBank).with("redirect_uri", kBankRedirect).with("scope", "openid");
}

/// A deployment with a client of profile fapi2, and alice.
struct WithBank {
    Deployment op;
    UserAgent alice{op};
    Signer signer;
    Signer key{"", ""};

    explicit WithBank(json::Object more = {}, Algorithm algorithm = Algorithm::ES256,
                      const std::vector<std::string>& options = {"--profile", "fapi2"})
        : op({.config = fapi_configuration(std::move(more))}), signer(kBank, "k1", algorithm) {
        add(kBank, signer, options);
    }

    void add(const std::string& id, const Signer& by, const std::vector<std::string>& options) const {
        const std::string file = (op.directory() / (id + ".jwks.json")).string();
        std::ofstream(file) << json::write(by.jwks());
        std::vector<std::string> command = {"client",
                                            "add",
                                            id,
                                            "--auth-method",
                                            "private_key_jwt",
                                            "--jwks",
                                            file,
                                            "--dpop-bound-access-tokens",
                                            "--grant",
                                            "authorization_code",
                                            "--grant",
                                            "refresh_token",
                                            "--grant",
                                            "client_credentials",
                                            "--scope",
                                            "openid email api",
                                            "--redirect-uri",
                                            kBankRedirect};
        command.insert(command.end(), options.begin(), options.end());
        op.must(command);
    }

    Answer send(const std::string& endpoint, const Query& form, const std::string& proof, const Signer& by) const {
        CgiRequest request = post_form(with_assertion(form, by.assertion(op)).text());
        if (!proof.empty()) request.headers.emplace_back("DPoP", proof);
        return op.cgi(endpoint, request);
    }
    Answer send(const std::string& endpoint, const Query& form, const std::string& proof = "") const {
        return send(endpoint, form, proof, signer);
    }
    Answer token(const Query& form) const { return send("token", form, key.proof(op, "token")); }
    Answer refresh(const std::string& value) const {
        return token({{"grant_type", "refresh_token"}, {"refresh_token", value}});
    }

    std::string pushed(const Query& request = banks_request()) const {
        const Answer answer = send("par", request);
        REQUIRE(answer.status == 201);
        return answer.member("request_uri");
    }
    std::string code(const Query& request = banks_request()) {
        return alice.obtain_code(opening(pushed(request), kBank));
    }
    Query redemption(const std::string& code) const {
        return {{"grant_type", "authorization_code"},
                {"code", code},
                {"redirect_uri", kBankRedirect},
                {"code_verifier", kVerifier}};
    }
    Answer tokens() {
        const Answer answer = token(redemption(code()));
        REQUIRE(answer.verdict() == "200");
        return answer;
    }
    std::string why(const Answer& answer) const { return op.must({"why", answer.header("X-Request-Id")}); }
};

TEST_CASE("fapi2: from the push to UserInfo, with keys of each algorithm [F2-8, F2-20, F2-24, F2-50, KEY-3, ALG-1]") {
    for (const Algorithm algorithm : {Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA}) {
        CAPTURE(crypto::to_string(algorithm));
        WithBank f({{"idTokenAlgorithms", json::strings({"RS256", std::string(crypto::to_string(algorithm))})}},
                   algorithm);
        const Landing landing = f.alice.sign_in(opening(f.pushed(), kBank));
        REQUIRE(landing.verdict() == "code");
        CHECK(landing.parameter("iss") == f.op.issuer());
        const Answer answer = f.token(f.redemption(landing.parameter("code")));
        REQUIRE(answer.verdict() == "200");
        CHECK(answer.member("token_type") == "DPoP");
        CHECK(text_of(jwt_header(answer.member("id_token")), "alg") == crypto::to_string(algorithm));
        CHECK(text_of(jwt_claims(answer.member("id_token")), "nonce") == kNonce);
        CHECK(text_of(jwt_header(answer.member("access_token")), "alg") == "ES256");
        const std::string access = answer.member("access_token");
        CgiRequest userinfo;
        userinfo.headers = {{"Authorization", "DPoP " + access},
                            {"DPoP", f.key.proof(f.op, "userinfo", access, "GET")}};
        CHECK(f.op.cgi("userinfo", userinfo).verdict() == "200");
    }
}

TEST_CASE("fapi2: PS256 as the algorithm of access tokens, which this server verifies [ALG-1, F2-50]") {
    WithBank f({{"accessTokenAlgorithm", "PS256"}});
    const Answer answer = f.tokens();
    CHECK(text_of(jwt_header(answer.member("access_token")), "alg") == "PS256");
    CHECK(text_of(jwt_header(answer.member("refresh_token")), "alg") == "PS256");
    CHECK(f.refresh(answer.member("refresh_token")).verdict() == "200");
    const std::string access = answer.member("access_token");
    CgiRequest userinfo;
    userinfo.headers = {{"Authorization", "DPoP " + access}, {"DPoP", f.key.proof(f.op, "userinfo", access, "GET")}};
    CHECK(f.op.cgi("userinfo", userinfo).verdict() == "200");
}

TEST_CASE("fapi2: how such a client authenticates [F2-5, F2-7, F2-8, CA-6, CA-9]") {
    const WithBank f({{"clientAssertionAudience", "issuer_or_endpoint"}});
    const Signer rsa("rsa-bank", "r", Algorithm::RS256);
    f.add("rsa-bank", rsa, {"--profile", "fapi2"});  // an RSA key that is for PS256, too
    const Query form = {{"grant_type", "client_credentials"}, {"scope", "api"}};
    const auto ask = [&](const std::string& assertion) {
        CgiRequest request = post_form(with_assertion(form, assertion).text());
        request.headers.emplace_back("DPoP", f.key.proof(f.op, "token"));
        return f.op.cgi("token", request);
    };
    struct Row {
        const char* rule;
        std::string assertion;
        std::string expected;
    };
    const Row rows[] = {
        {"F2-7, the issuer", f.signer.assertion(f.op), "200"},
        {"F2-7, in an array", f.signer.with_claim(f.op, "aud", json::Array{f.op.issuer()}), "401 invalid_client"},
        {"F2-7, the token endpoint", f.signer.with_claim(f.op, "aud", f.op.url("token")), "401 invalid_client"},
        {"F2-13, nbf 10 s ahead", f.signer.with_claim(f.op, "nbf", f.op.now() + 10), "200"},
        {"F2-13, nbf 62 s ahead", f.signer.with_claim(f.op, "nbf", f.op.now() + 62), "401 invalid_client"},
        {"F2-8, RS256", rsa.assertion(f.op), "401 invalid_client"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.rule);
        CHECK(ask(row.assertion).verdict() == row.expected);
    }
    CHECK(has(f.why(ask(rsa.assertion(f.op))), "RS256, and the client's profile takes ES256, PS256 and EdDSA"));
    CHECK(has(f.why(ask(f.signer.with_claim(f.op, "aud", json::Array{f.op.issuer()}))), "alone, as a string"));
    // Without the profile both would do.
    f.op.must({"client", "set", "rsa-bank", "--no-profile"});
    CHECK(ask(rsa.assertion(f.op)).verdict() == "200");
    f.op.must({"client", "set", kBank, "--no-profile"});
    CHECK(ask(f.signer.with_claim(f.op, "aud", json::Array{f.op.issuer()})).verdict() == "200");
    CHECK(ask(f.signer.with_claim(f.op, "aud", f.op.url("token"))).verdict() == "200");
}

TEST_CASE("fapi2: what must be pushed, and how [F2-15, F2-16, F2-17, F2-19, F2-6, F2-S3, CVE-2026-16093]") {
    WithBank f;
    struct Row {
        const char* rule;
        Query form;
        std::string expected;
    };
    const Query good = banks_request();
    const Row rows[] = {
        {"good", good, "201"},
        {"F2-15, a token", good.with("response_type", "token"), "400 unsupported_response_type"},
        {"F2-15, with an ID token", good.with("response_type", "code id_token"), "400 unsupported_response_type"},
        {"F2-17, no challenge", good.without("code_challenge").without("code_challenge_method"), "400 invalid_request"},
        {"F2-17, plain", good.with("code_challenge_method", "plain"), "400 invalid_request"},
        {"F2-19, no redirect_uri", good.without("redirect_uri"), "400 invalid_request"},
        {"F2-6, an unregistered one", good.with("redirect_uri", "https://bank.example/cb2"), "400 invalid_request"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.rule);
        const Answer answer = f.send("par", row.form);
        CHECK((answer.status == 201 ? "201" : answer.verdict()) == row.expected);
    }
    CHECK(has(f.why(f.send("par", good.without("redirect_uri"))), "profile fapi2 wants it"));
    const Landing direct = f.alice.authorize(good);
    CHECK(direct.verdict() == "invalid_request");
    CHECK(direct.parameter("state") == kState);
    CHECK(has(f.why(direct.answer), "the client has the profile fapi2"));
    // F2-S3: nothing in a request switches it off.
    CHECK(f.alice.authorize(good.with("profile", "none")).verdict() == "invalid_request");
    const Query without = good.without("redirect_uri");
    CHECK(f.send("par", without.with("profile", "none").with("security_profile", "none")).verdict() ==
          "400 invalid_request");
    const Query machine = {{"grant_type", "client_credentials"}, {"scope", "api"}, {"profile", "none"}};
    CHECK(f.send("token", machine.with("security_profile", "none")).verdict() == "400 invalid_request");
    const Landing bad = f.alice.authorize(good.with("redirect_uri", "https://evil.example/"));
    CHECK(bad.verdict() == "page 400");
}

TEST_CASE("fapi2: what was pushed before the client got the profile is looked at when it is opened [F2-19, F2-S2]") {
    WithBank f({}, Algorithm::ES256, {"--pkce", "required", "--require-pushed-authorization-requests"});
    const std::string without = f.pushed(banks_request().without("redirect_uri"));
    const std::string with = f.pushed();
    f.op.must({"client", "set", kBank, "--profile", "fapi2"});
    const Landing refused = f.alice.authorize(opening(without, kBank));
    CHECK(refused.verdict() == "invalid_request");
    CHECK(has(f.why(refused.answer), "profile fapi2 wants it"));
    CHECK(f.alice.sign_in(opening(with, kBank)).verdict() == "code");
}

TEST_CASE(
    "fapi2: a token request lacks its proof, which costs nothing; the verifier counts [F2-4, F2-18, F2-22, COM-9]") {
    WithBank f;
    const std::string code = f.code();
    const std::string assertion = f.signer.assertion(f.op);
    const Query form = with_assertion(f.redemption(code), assertion);
    CHECK(f.op.cgi("token", post_form(form.text())).verdict() == "400 invalid_request");
    CgiRequest again = post_form(form.text());  // with the same assertion
    again.headers.emplace_back("DPoP", f.key.proof(f.op, "token"));
    CHECK(f.op.cgi("token", again).verdict() == "200");
    CHECK(f.token(f.redemption(code)).verdict() == "400 invalid_grant");
    CHECK(f.token(f.redemption(f.code()).without("code_verifier")).verdict() == "400 invalid_grant");
    CHECK(f.token(f.redemption(f.code()).with("code_verifier", std::string(43, 'x'))).verdict() == "400 invalid_grant");
}

TEST_CASE("fapi2: a code is good for 60 seconds, whatever the configuration says [F2-11]") {
    WithBank f({{"authorizationCodeTTL", 300}});
    const std::string good = f.code();
    const std::string late = f.code(banks_request().with("state", "other"));
    f.op.advance(seconds(59));
    CHECK(f.token(f.redemption(good)).verdict() == "200");
    f.op.advance(seconds(1));
    const Answer answer = f.token(f.redemption(late));
    CHECK(answer.verdict() == "400 invalid_grant");
    CHECK(has(f.why(answer), "expired"));
    UserAgent other(f.op);
    const std::string usual = other.obtain_code(authorization_request());
    f.op.advance(seconds(299));
    CHECK(redeem(f.op, token_request(usual)).verdict() == "200");
}

TEST_CASE("fapi2: a refresh token stays, is repeated, and its use writes nothing of it [F2-9, DPOP-16]") {
    for (const bool is_opaque : {false, true}) {
        CAPTURE(is_opaque);
        WithBank f({{"useOpaqueRefreshTokens", is_opaque}});
        const std::string refresh = f.tokens().member("refresh_token");
        const std::string unused =
            "refresh_tokens WHERE state = 'current' AND rotated_at IS NULL AND successor_hash IS NULL";
        CHECK(f.op.count_rows(unused) == 1);
        std::string last;
        for (int i = 0; i < 3; ++i) {
            f.op.advance(seconds(30));  // far beyond a grace
            const Answer answer = f.refresh(refresh);
            REQUIRE(answer.verdict() == "200");
            CHECK(answer.member("refresh_token") == refresh);
            CHECK(answer.member("token_type") == "DPoP");
            CHECK(answer.member("access_token") != last);
            last = answer.member("access_token");
        }
        CHECK(f.op.count_rows(unused) == 1);
        CHECK(f.op.count_rows("refresh_tokens") == 1);
        const Answer narrowed = f.token({{"grant_type", "refresh_token"}, {"refresh_token", refresh}, {"scope", "x"}});
        CHECK(narrowed.verdict() == "400 invalid_scope");
        CHECK(f.refresh(refresh).verdict() == "200");  // no reuse

        // Another client has it: refused, told to the audit log, and no harm done.
        const Signer thief("thief", "t");
        f.add("thief", thief, {"--profile", "fapi2"});
        const Answer foreign = f.send("token", {{"grant_type", "refresh_token"}, {"refresh_token", refresh}},
                                      f.key.proof(f.op, "token"), thief);
        CHECK(foreign.verdict() == "400 invalid_grant");
        CHECK(text_of(audit_line(foreign.log, "presented_by_another"), "kind") == "refresh_token");
        CHECK(f.refresh(refresh).verdict() == "200");

        // Expiry and the end of the grant hold.
        CHECK(f.send("revoke", {{"token", refresh}}).verdict() == "200");
        CHECK(f.refresh(refresh).verdict() == "400 invalid_grant");
        const std::string old = f.tokens().member("refresh_token");
        f.op.advance(seconds(2592000));
        CHECK(f.refresh(old).verdict() == "400 invalid_grant");
    }
}

TEST_CASE("fapi2: tokens that were rotated before the client got the profile finish under the old rule [F2-9]") {
    WithBank f({}, Algorithm::ES256, {"--pkce", "required", "--require-pushed-authorization-requests"});
    const std::string first = f.tokens().member("refresh_token");
    const std::string second = f.refresh(first).member("refresh_token");
    CHECK(second != first);
    f.op.must({"client", "set", kBank, "--profile", "fapi2"});
    // The answer was lost: of the two successors the first to be used survives, as without the profile.
    const std::string sibling = f.refresh(first).member("refresh_token");
    CHECK(f.op.count_rows("refresh_tokens WHERE state = 'current'") == 2);
    const std::string third = f.refresh(sibling).member("refresh_token");
    CHECK(third != sibling);
    CHECK(f.op.count_rows("refresh_tokens WHERE state = 'current'") == 1);
    f.op.advance(seconds(11));
    CHECK(f.refresh(second).verdict() == "400 invalid_grant");  // reuse
    CHECK(f.refresh(third).verdict() == "400 invalid_grant");   // which ends the grant
}

TEST_CASE("fapi2: no sid in ID tokens; a hint without it logs its user out all the same [F2-31, F2-35]") {
    WithBank f({{"frontchannelLogout", true}});
    const Answer answer = f.tokens();
    const json::Object claims = jwt_claims(answer.member("id_token"));
    CHECK(claims.find("sid") == nullptr);
    CHECK(jwt_claims(f.refresh(answer.member("refresh_token")).member("id_token")).find("sid") == nullptr);
    f.op.must({"client", "set", kBank, "--post-logout-redirect-uri", "https://bank.example/bye"});
    const Landing bye = f.alice.open(
        f.op.url("logout") + "?" +
        Query{{"id_token_hint", answer.member("id_token")}, {"post_logout_redirect_uri", "https://bank.example/bye"}}
            .text());
    CHECK(without_query(bye.url) == "https://bank.example/bye");
    CHECK(f.op.count_rows("sessions") == 0);
    // The hint names alice, and somebody else is logged in here.
    UserAgent bob(f.op);
    bob.approve(bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword));
    const Query hinted{{"id_token_hint", answer.member("id_token")}};
    CHECK(has(bob.open(f.op.url("logout") + "?" + hinted.text()).answer.body, "Sign out?"));
    CHECK(f.op.count_rows("sessions") == 1);

    f.op.must({"client", "set", kBank, "--frontchannel-logout-uri", "https://bank.example/out"});
    CHECK(jwt_claims(f.tokens().member("id_token")).find("sid") != nullptr);
    UserAgent other(f.op);
    const json::Object usual = obtain_tokens(f.op, other, authorization_request());
    CHECK(jwt_claims(text_of(usual, "id_token")).find("sid") != nullptr);
}

TEST_CASE("fapi2: at introspection a token is active for the API that it is for [F2-46, RFC 7662 §4g]") {
    WithBank f;
    f.op.must({"resource", "add", kApi});
    f.op.must({"resource", "add", "https://other.example/"});
    const auto add_api = [&](const std::string& id, const std::vector<std::string>& options) {
        std::vector<std::string> command = {"client", "add",           id, "--grant", "client_credentials", "--scope",
                                            "",       "--secret-stdin"};
        command.insert(command.end(), options.begin(), options.end());
        f.op.must(command, secret_of(id) + "\n");
    };
    add_api("api", {"--resource-server", kApi});
    add_api("elsewhere", {"--resource-server", "https://other.example/"});
    add_api("nobody", {});
    const auto is_told = [&](const std::string& caller, const std::string& token) {
        const Answer answer = caller == kBank
                                  ? f.send("introspect", {{"token", token}})
                                  : f.op.cgi("introspect", with_basic(Query{{"token", token}}.text(), caller));
        REQUIRE(answer.verdict() == "200");
        const bool is_active = has(answer.body, "\"active\":true");
        if (!is_active) CHECK(answer.body == R"({"active":false})");
        return is_active;
    };
    const Query machine = {{"grant_type", "client_credentials"}, {"scope", "api"}};
    const std::string for_api = f.token(machine.with("resource", kApi)).member("access_token");
    CHECK(is_told("api", for_api));
    CHECK_FALSE(is_told("elsewhere", for_api));
    CHECK_FALSE(is_told("nobody", for_api));
    CHECK_FALSE(is_told(kBank, for_api));  // its own client, too
    const std::string for_any = f.token(machine).member("access_token");
    CHECK(is_told("api", for_any));
    CHECK(is_told("elsewhere", for_any));
    CHECK_FALSE(is_told("nobody", for_any));
    const std::string refresh = f.tokens().member("refresh_token");
    CHECK(is_told(kBank, refresh));
    CHECK_FALSE(is_told("api", refresh));
    // Tokens of other clients stay as they are, bound or not.
    f.op.must({"client", "set", kBank, "--no-profile"});
    CHECK(is_told("nobody", for_api));
    CHECK(is_told("nobody", refresh));
}

TEST_CASE("fapi2: a client that no longer fits gets nothing, and is told so to the operator [F2-S2, F2-R1, F2-R7]") {
    WithBank f;
    const std::string address = f.pushed();
    const std::string refresh = f.tokens().member("refresh_token");
    f.op.configure("accessTokenAlgorithm", "RS256");
    const Answer at_token = f.refresh(refresh);
    CHECK(at_token.verdict() == "400 unauthorized_client");
    CHECK(has(f.why(at_token), "accessTokenAlgorithm"));
    CHECK(f.send("par", banks_request()).verdict() == "400 unauthorized_client");
    const Landing page = UserAgent(f.op).authorize(opening(address, kBank));
    CHECK(page.verdict() == "page 400");
    CHECK(has(f.why(page.answer), "accessTokenAlgorithm"));
    CHECK(has(f.op.postern({"doctor"}).out, "does not fit its profile"));
    f.op.configure("accessTokenAlgorithm", "ES256");
    CHECK(f.refresh(refresh).verdict() == "200");  // nothing was lost
    CHECK_FALSE(has(f.op.postern({"doctor"}).out, "does not fit its profile"));
}

TEST_CASE("fapi2: a profile of the configuration holds every client to it [F2-3, F2-5, F2-S1, F2-S4, F2-S5]") {
    WithBank f({{"requestObjects", "allowed"}, {"jarm", true}}, Algorithm::ES256, {"--pkce", "required"});
    UserAgent bob(f.op);
    const json::Object before = obtain_tokens(f.op, bob, authorization_request());
    f.op.configure("idTokenAlgorithms", json::strings({"ES256"}));
    f.op.configure("profile", "fapi2");
    CHECK(f.send("par", banks_request()).status == 201);
    const std::string findings = f.op.postern({"doctor"}).out;
    CHECK(has(findings, "the client \"many\" does not fit its profile"));
    CHECK(has(findings, "more clients that do not fit their profile"));
    CHECK_FALSE(has(findings, "the client \"bank\""));
    const Query refresh = {{"grant_type", "refresh_token"}, {"refresh_token", text_of(before, "refresh_token")}};
    CHECK(redeem(f.op, refresh).verdict() == "400 unauthorized_client");
    CHECK(redeem(f.op, {{"grant_type", "refresh_token"}, {"refresh_token", "x"}}, kSpa).verdict() ==
          "400 unauthorized_client");
    CHECK(f.alice.authorize(authorization_request()).verdict() == "page 400");
    const Query token = {{"token", text_of(before, "access_token")}};
    for (const char* endpoint : {"introspect", "revoke"}) {
        CAPTURE(std::string(endpoint));
        const Answer answer = as_client(f.op, endpoint, token);
        CHECK(answer.verdict() == "401 invalid_client");
        CHECK(has(f.why(answer), "keep to the profile fapi2"));
    }
    const json::Object document = f.op.cgi("discovery").json();
    CHECK(json::write(*document.find("require_pushed_authorization_requests")) == "true");
    CHECK(json::write(*document.find("token_endpoint_auth_methods_supported")) == R"(["private_key_jwt"])");
    CHECK_FALSE(has(json::write(document), "RS256"));
}

TEST_CASE(
    "fapi2: whoever registers itself is told what the profile implies [F2-R10, F2-R11, F2-S5, RFC 7591 §3.2.1, F2-58]") {
    WithBank f({{"requestObjects", "allowed"}, {"jarm", true}, {"registration", json::Object{{"mode", "token"}}}});
    f.op.configure("idTokenAlgorithms", json::strings({"ES256"}));
    const std::string token = new_token(f.op, "2");
    const auto registered = [&](const char* profile) {
        f.op.configure("profile", profile);
        const json::Object metadata{{"redirect_uris", json::Array{kBankRedirect}},
                                    {"token_endpoint_auth_method", "private_key_jwt"},
                                    {"jwks", f.signer.jwks()},
                                    {"dpop_bound_access_tokens", true},
                                    {"use_mtls_endpoint_aliases", true}};
        const Answer answer = f.op.cgi("registration", registering(json::write(metadata), token));
        REQUIRE(answer.status == 201);
        return answer.json();
    };
    const json::Object signing = registered("fapi2-message-signing");
    CHECK(json::write(*signing.find("response_modes")) == R"(["jwt"])");
    CHECK(*signing.find("require_signed_request_object")->if_bool());
    CHECK(*signing.find("require_pushed_authorization_requests")->if_bool());
    CHECK(signing.find("use_mtls_endpoint_aliases") == nullptr);  // F2-58: it binds the client, not this server
    const json::Object plain = registered("fapi2");
    CHECK(plain.find("response_modes") == nullptr);
    CHECK(plain.find("require_signed_request_object") == nullptr);
    CHECK(*plain.find("require_pushed_authorization_requests")->if_bool());
}

}  // namespace
