// Registration on the wire (RFC 7591, RFC 7592): methods, challenges, answers, and what stays when it is closed.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json/reader.h"
#include "json/writer.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/registration.h"

namespace {

using namespace postern;
using namespace postern::test;

Deployment::Options with_mode(const std::string& mode) {
    return {.config = {{"oidc", json::Object{}}, {"registration", json::Object{{"mode", mode}}}}};
}

constexpr const char* kPublic =
    R"({"redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none","client_name":"Tool"})";
constexpr const char* kConfidential = R"({"redirect_uris":["https://client.example/cb"],"client_name":"Wiki"})";

CgiRequest managing(const std::string& method, const Answer& registered) {
    CgiRequest request;
    request.method = method;
    request.query = "client_id=" + registered.member("client_id");
    request.headers = {{"Authorization", "Bearer " + registered.member("registration_access_token")}};
    return request;
}

TEST_CASE("registration: closed, nothing is there, for no method [REG-1, REG-23]") {
    const Deployment op;
    for (const char* method : {"POST", "GET", "DELETE", "PUT", "OPTIONS"}) {
        CAPTURE(method);
        CgiRequest request = registering(kPublic, "x");
        request.method = method;
        CHECK(op.cgi("registration", request).status == 404);
    }
    CHECK(op.cgi("discovery").member("registration_endpoint").empty());
}

TEST_CASE("registration: what is asked for before anything is read [REG-1, REG-2, RFC 6750 §3, RFC 7591 §3]") {
    const Deployment op(with_mode("token"));
    CHECK(op.cgi("discovery").member("registration_endpoint") == op.issuer() + "/register");
    for (const char* method : {"PUT", "PATCH", "HEAD"}) {
        CAPTURE(method);
        CgiRequest request = registering(kPublic, "x");
        request.method = method;
        const Answer answer = op.cgi("registration", request);
        CHECK(answer.status == 405);
        CHECK(answer.header("Allow") == "GET, POST, DELETE, OPTIONS");
    }
    const Answer none = op.cgi("registration", registering("{"));
    CHECK(none.verdict() == "401 invalid_token");
    CHECK(none.header("WWW-Authenticate") == "Bearer realm=\"postern\"");
    CHECK(none.header("Cache-Control") == "no-store");
    const Answer bad = op.cgi("registration", registering("{", "x"));
    CHECK(bad.verdict() == "401 invalid_token");
    CHECK(bad.header("WWW-Authenticate").starts_with("Bearer error=\"invalid_token\""));
    CgiRequest basic = registering(kPublic);
    basic.headers = {{"Authorization", "Basic YTpi"}};
    CHECK(op.cgi("registration", basic).header("WWW-Authenticate") == "Bearer realm=\"postern\"");
    CgiRequest twice = registering(kPublic);
    twice.headers = {{"Authorization", "Bearer a, Bearer b"}};
    CHECK(op.cgi("registration", twice).verdict() == "400 invalid_request");
    const std::string why = op.must({"why", bad.header("X-Request-Id")});
    CHECK(why.find("postern registration token") != std::string::npos);

    const std::string token = new_token(op);
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", ""}) {
        CAPTURE(type);
        CgiRequest request = registering("{}", token);
        request.content_type = type;
        CHECK(op.cgi("registration", request).verdict() == "400 invalid_client_metadata");
    }
    CgiRequest large = registering(R"({"x":")" + std::string(32768, 'a') + "\"}", token);
    CHECK(op.cgi("registration", large).status == 413);
    CHECK(op.cgi("registration", registering("[]", token)).verdict() == "400 invalid_client_metadata");
    CHECK(op.cgi("registration", registering(R"({"redirect_uris":["https://client.example/#x"]})", token)).verdict() ==
          "400 invalid_redirect_uri");
    CgiRequest in_query = registering(kPublic);
    in_query.query = "access_token=" + token;  // RFC 6750 §2.3 is not offered
    CHECK(op.cgi("registration", in_query).status == 401);
    CgiRequest with_charset = registering(kPublic, token);
    with_charset.content_type = "application/json; charset=utf-8";
    CHECK(op.cgi("registration", with_charset).status == 201);
}

TEST_CASE(
    "registration: a client registers, gets tokens, reads what it registered, and goes with all that it had [REG-14, REG-15, "
    "REG-16, REG-18, REG-19, RFC 7591 §3.2.1, RFC 7592 §2, §2.1, §2.3, §3]") {
    const Deployment op(with_mode("token"));
    const std::string token = new_token(op);
    const Answer made = op.cgi("registration", registering(kConfidential, token));
    REQUIRE(made.status == 201);
    CHECK(made.header("Cache-Control") == "no-store");
    CHECK(made.header("Content-Type").starts_with("application/json"));
    const std::string id = made.member("client_id"), secret = made.member("client_secret");
    CHECK(number_of(made.json(), "client_secret_expires_at") == 0);
    CHECK(made.member("registration_client_uri") == op.issuer() + "/register?client_id=" + id);
    const auto line = audit_line(made.log, "client_registered");
    CHECK(text_of(line, "client_id") == id);
    CHECK(text_of(line, "origin") == "dynamic");
    CHECK(op.cgi("registration", registering(kConfidential, token)).status == 401);  // used up

    // The secret in header and body alike (REG-9).
    CgiRequest post = post_form(
        "grant_type=authorization_code&code=x&redirect_uri=https%3A%2F%2Fclient.example%2Fcb&client_id=" + id +
        "&client_secret=" + secret);
    CHECK(op.cgi("token", post).verdict() == "400 invalid_grant");

    const Answer read = op.cgi("registration", managing("GET", made));
    CHECK(read.status == 200);
    CHECK(read.member("client_name") == "Wiki");
    CHECK(read.member("client_secret").empty());
    CHECK(read.member("registration_access_token") == made.member("registration_access_token"));
    CgiRequest nobody = managing("GET", made);
    nobody.query = "client_id=web";
    const Answer foreign = op.cgi("registration", nobody);
    CHECK(foreign.verdict() == "401 invalid_token");
    CHECK(foreign.header("WWW-Authenticate").starts_with("Bearer error="));

    op.must({"client", "disable", id});
    CHECK(op.cgi("registration", managing("GET", made)).verdict() == "403 access_denied");
    CHECK(op.cgi("registration", managing("DELETE", made)).verdict() == "403 access_denied");
    op.must({"client", "enable", id});
    const Answer gone = op.cgi("registration", managing("DELETE", made));
    CHECK(gone.status == 204);
    CHECK(gone.body.empty());
    CHECK(text_of(audit_line(gone.log, "client_deleted"), "client_id") == id);
    CHECK(op.cgi("registration", managing("DELETE", made)).verdict() == "401 invalid_token");
    CHECK(op.cgi("token", post).verdict() == "401 invalid_client");
}

TEST_CASE("registration: in mode open anybody registers a public client, ten an hour [REG-3, REG-26, RFC 7591 §5]") {
    const Deployment op(with_mode("open"));
    const Answer first = op.cgi("registration", registering(R"({"redirect_uris":["http://127.0.0.1/cb"]})"));
    REQUIRE(first.status == 201);
    CHECK(first.member("token_endpoint_auth_method") == "none");
    CHECK(first.member("client_secret").empty());
    CHECK(op.cgi("registration", registering(kPublic, "x")).status == 401);
    CHECK(op.cgi("registration", registering(kConfidential)).verdict() == "400 invalid_redirect_uri");
    for (int i = 0; i < 9; ++i) CHECK(op.cgi("registration", registering(kPublic)).status == 201);
    const Answer refused = op.cgi("registration", registering(kPublic));
    CHECK(refused.verdict() == "429 temporarily_unavailable");
    CHECK(refused.header("Retry-After") == "3600");
    CHECK(op.must({"why", refused.header("X-Request-Id")}).find("10 clients an hour") != std::string::npos);
    const std::string listed = op.must({"client", "list", "--origin", "dynamic", "--json"});
    const auto clients = json::parse(listed);
    REQUIRE(clients);
    CHECK(clients->if_array()->size() == 10);
    CHECK(op.must({"client", "remove", "--unused-for", "86400"}).starts_with("0 clients"));
}

TEST_CASE("registration: which pages may register, and read the answer [REG-24]") {
    const auto preflight = [](const Deployment& op, const std::string& origin) {
        CgiRequest request;
        request.method = "OPTIONS";
        request.headers = {{"Origin", origin},
                           {"Access-Control-Request-Method", "DELETE"},
                           {"Access-Control-Request-Headers", "authorization, content-type"}};
        return op.cgi("registration", request);
    };
    const Deployment by_token(with_mode("token"));
    const Answer asked = preflight(by_token, "https://anywhere.example");
    CHECK(asked.status == 204);
    CHECK(asked.header("Access-Control-Allow-Origin") == "https://anywhere.example");
    CHECK(asked.header("Access-Control-Allow-Methods") == "GET, POST, DELETE, OPTIONS");
    CHECK(asked.header("Access-Control-Allow-Headers") == "Authorization, Content-Type");

    auto options = with_mode("open");
    options.config.set("registration",
                       json::Object{{"mode", "open"}, {"hosts", json::strings({"app.example", "*.apps.example"})}});
    const Deployment open(options);
    const std::pair<const char*, bool> rows[] = {
        {"http://localhost:6274", true},
        {"http://127.0.0.1", true},
        {"http://[::1]:3000", true},
        {"https://app.example", true},
        {"https://app.example:8443", true},
        {"https://one.apps.example", true},
        {"https://apps.example", false},
        {"https://evil.example", false},
        {"http://app.example", false},
        {"https://localhost", false},
        {"https://APP.example", false},
        {"null", false},
        {"https://app.example/", false},
        {"http://localhost.evil.example", false},
        {"http://127.0.0.1.evil.example", false},
        {"https://user@app.example", false},
        {"chrome-extension://abc", false},
    };
    for (const auto& [origin, is_allowed] : rows) {
        CAPTURE(origin);
        const Answer answer = preflight(open, origin);
        CHECK(answer.header("Access-Control-Allow-Origin") == (is_allowed ? origin : ""));
        CHECK(answer.header("Vary").find("Origin") != std::string::npos);
        CgiRequest request = registering(kPublic);
        request.headers = {{"Origin", origin}};
        CHECK(open.cgi("registration", request).header("Access-Control-Allow-Origin") == (is_allowed ? origin : ""));
    }
}

}  // namespace
