// Parameters on the wire, wherever they are used: none becomes a header, none counts when it is given twice, and bytes
// that are malformed, NUL or not UTF-8 are refused. Their decoding alone is in tests/unit/http/params_test.cpp.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "has.h"
#include "support/flow.h"
#include "util/base64.h"

namespace {

using namespace postern::test;

/// The headers of any answer that these requests get.
const std::set<std::string> kKnownHeaders = {"Status",
                                             // clang-format off
                                             "Cache-Control", "Pragma", "Content-Type", "Content-Length", "Location",
                                             "Set-Cookie", "Vary", "X-Request-Id", "X-Frame-Options",
                                             "WWW-Authenticate", "X-Content-Type-Options", "Referrer-Policy", "Allow",
                                             "Retry-After", "Strict-Transport-Security",
                                             // clang-format on
                                             "Content-Security-Policy"};

TEST_CASE("no byte of a parameter becomes a header of the answer, at any endpoint [X04, X05, RFC 6749 §10.14]") {
    const Deployment op;
    struct Row {
        std::string endpoint;
        CgiRequest (*request)(const std::string& text);
        Query usual;
        std::vector<std::string> names;
    };
    const auto get = [](const std::string& text) { return get_request(text); };
    const auto post = [](const std::string& text) { return with_basic(text); };
    const std::vector<Row> rows = {
        {"authorize",
         get,
         authorization_request(),
         {"state", "redirect_uri", "scope", "client_id", "nonce", "prompt", "response_type", "response_mode",
          "login_hint", "id_token_hint", "code_challenge", "max_age", "claims", "aud", "resume", "ui_locales"}},
        {"login", get, {}, {"resume"}},
        {"logout", get, {}, {"id_token_hint", "post_logout_redirect_uri", "state", "client_id"}},
        {"token",
         post,
         {{"grant_type", "refresh_token"}, {"refresh_token", "x"}},
         {"grant_type", "code", "redirect_uri", "scope", "code_verifier", "refresh_token", "client_id", "audience"}},
        {"introspect", post, {{"token", "x"}}, {"token", "token_type_hint"}},
        {"revoke", post, {{"token", "x"}}, {"token", "token_type_hint"}},
        {"userinfo", [](const std::string& text) { return post_form(text); }, {}, {"access_token"}},
    };
    for (const Row& row : rows) {
        for (const std::string& name : row.names) {
            for (const std::string value :
                 {"a%0d%0aSet-Cookie:%20evil=1", "a%0aSet-Cookie:%20evil=1", "a%0dSet-Cookie:%20evil=1", "a%00b",
                  "%E5%98%8A%E5%98%8DSet-Cookie:%20evil=1", "a%0d%0aX-Sendfile:%20/etc/passwd",
                  "a%0d%0aX-LIGHTTPD-send-file:%20/etc/passwd", "a%0d%0aX-Accel-Redirect:%20/jwks", "a%0d%0a%0d%0a<b>",
                  "a%7f", "a%1b[2J", "a%c2%85b"}) {
                CAPTURE(row.endpoint);
                CAPTURE(name);
                CAPTURE(value);
                const std::string text = row.usual.without(name).raw(std::string(name) + "=" + value).text();
                const Answer answer = op.cgi(row.endpoint, row.request(text));
                CHECK(answer.exit_code == 0);
                CHECK((answer.status == 200 || answer.status == 303 || answer.status == 400 || answer.status == 401));
                for (const auto& [header, content] : answer.headers) {
                    CAPTURE(header);
                    CHECK(kKnownHeaders.contains(header));
                    CHECK_FALSE(has(content, "evil=1"));
                    for (const char c : content) CHECK((c >= 0x20 && c < 0x7f));
                }
                for (const std::string encoded : {"%0a", "%0d", "%0A", "%0D", "%00"})
                    CHECK_FALSE(has(answer.location(), encoded));
            }
        }
    }
}

TEST_CASE("a parameter that is given twice is refused by introspection, revocation and the token endpoint [X10]") {
    const Deployment op;
    const std::vector<std::pair<std::string, std::string>> pairs = {{"x", "x"}, {"x", "y"}, {"", "x"}};
    const auto check = [&](const std::string& endpoint, const Query& usual, const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            for (const auto& pair : pairs) {
                CAPTURE(endpoint);
                CAPTURE(name);
                CAPTURE(pair.first + "," + pair.second);
                const Query form = usual.without(name).and_also(name, pair.first).and_also(name, pair.second);
                CHECK(op.cgi(endpoint, with_basic(form.text())).verdict() == "400 invalid_request");
            }
        }
    };
    check("token", {{"grant_type", "authorization_code"}},
          {"grant_type", "code", "redirect_uri", "scope", "code_verifier", "client_id"});
    check("token", {{"grant_type", "refresh_token"}}, {"refresh_token", "scope"});
    for (const std::string endpoint : {"introspect", "revoke"})
        check(endpoint, {{"token", "x"}}, {"token", "token_type_hint", "client_id", "client_secret"});
}

TEST_CASE("parameters that are empty, unknown or without a name count as absent [X12, RFC 6749 §3.1fg, §3.2de]") {
    const Deployment op;
    const std::string usual = authorization_request().without("state").without("scope").without("nonce").text();
    for (const std::string& text : {usual + "&scope=&state=&foo=bar&=x&&&", "&&&" + usual + "&",
                                    usual + "&nonce=&prompt=&max_age=&claims=&id_token_hint=&foo&bar="}) {
        CAPTURE(text);
        CHECK(verdict_of(op, op.cgi("authorize", get_request(text))) == "login");
    }
    for (const std::string text : {"&", "&&&&", "=", "=&=", "=x", ""})
        CHECK(verdict_of(op, op.cgi("authorize", get_request(text))) == "page 400");
    for (const std::string& text :
         {std::string("&"), std::string("="), std::string("=x&&"), std::string(1000, '&'), std::string("grant_type=")})
        CHECK(op.cgi("token", with_basic(text)).verdict() == "400 invalid_request");
    const std::string machine = "&&grant_type=client_credentials&scope=&redirect_uri=&=y&unknown=1";
    CHECK(op.cgi("token", with_basic(machine, kMachine)).verdict() == "200");
}

TEST_CASE("percent-encoding is decoded once, and malformed values are refused [X13, RFC 6749 §B]") {
    const Deployment op;
    op.must({"client", "add", "a+b%2f", "--redirect-uri", "https://odd.example/cb"});
    const Query request = authorization_request().with("redirect_uri", "https://odd.example/cb").without("scope");
    const auto verdict = [&](const std::string& id) {
        const Answer answer =
            op.cgi("authorize", get_request(request.without("client_id").raw("client_id=" + id).text()));
        return verdict_of(op, answer, "a+b%2f");
    };
    for (const std::string id : {"a%2Bb%252f", "a%2bb%252f", "%61%2b%62%25%32%66"}) {
        CAPTURE(id);
        CHECK(verdict(id) == "login");
    }
    for (const std::string id : {"a+b%252f", "a%2Bb%2f", "a%252Bb%252f", "a%2Bb%25252f", "%", "%4", "%zz", "%2500",
                                 "%252f", "+", "%2B", "%u0041", "a%2Bb%252f%", "a%2Bb%252f%4"}) {
        CAPTURE(id);
        CHECK(verdict(id) == "page 400");
    }
    const std::string scope = "grant_type=client_credentials&scope=";
    CHECK(op.cgi("token", with_basic(scope + "api+%61pi%20api", kMachine)).member("scope") == "api");
    for (const std::string value : {"%", "%4", "%zz", "api%", "%u0041", "%-1"}) {
        CAPTURE(value);
        CHECK(op.cgi("token", with_basic("grant_type=" + value)).verdict() == "400 invalid_request");
        CHECK(op.cgi("token", with_basic(scope + value, kMachine)).verdict() == "400 invalid_request");
    }
}

TEST_CASE("a NUL byte terminates no token, name, address or secret [X14]") {
    const SignedIn r;
    const auto inactive = [&](const std::string& tail) {
        const Answer answer = r.op.cgi("introspect", with_basic("token=" + r.access_token() + tail));
        return answer.status == 200 && answer.body == R"({"active":false})";
    };
    CHECK(inactive("%00"));
    CHECK(inactive("%00.x"));
    CHECK(r.op.cgi("revoke", with_basic("token=" + r.access_token() + "%00")).status == 200);
    CHECK(r.op.cgi("userinfo", post_form("access_token=" + r.access_token() + "%00")).status == 401);
    CHECK(is_active(r.op, r.access_token()));
    UserAgent visitor(r.op);
    const Landing login = visitor.authorize(authorization_request());
    CHECK(visitor.log_in(login, std::string(kAlice) + std::string("\0x", 2)).verdict() == "page 400");
    CHECK(visitor.log_in(login, kAlice, std::string(kAlicePassword) + std::string("\0", 1)).verdict() == "page 400");
    CHECK(visitor.session_cookie().empty());
}

TEST_CASE("bytes that are not UTF-8 are refused in parameters, and inside tokens [X15]") {
    const SignedIn r;
    for (const std::string bad : {"%ff", "%c0%af", "%ed%a0%80", "%f5%80%80%80", "a%80", "%e2%82"}) {
        CAPTURE(bad);
        const Query request = authorization_request().without("scope").raw(std::string("scope=") + bad);
        CHECK(verdict_of(r.op, r.op.cgi("authorize", get_request(request.text()))) == "invalid_request");
        const std::string machine = std::string("grant_type=client_credentials&scope=") + bad;
        CHECK(r.op.cgi("token", with_basic(machine, kMachine)).verdict() == "400 invalid_request");
        CHECK(r.op.cgi("introspect", with_basic(std::string("token=") + bad)).body == R"({"active":false})");
    }
    const std::string token = r.access_token();
    const std::string head = token.substr(0, token.find('.') + 1);
    for (const std::string payload : {"{\"sub\":\"\\ud800\"}", "{\"sub\":\"\xff\"}", "{\"sub\":\"\\udc00\\ud800\"}"}) {
        const std::string forged = head + postern::util::base64url_encode(payload) + token.substr(token.rfind('.'));
        CHECK(r.op.cgi("introspect", with_basic(Query{{"token", forged}}.text())).body == R"({"active":false})");
    }
}

}  // namespace
