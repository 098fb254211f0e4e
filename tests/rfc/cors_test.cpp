// Which pages of other sites may read the answers of which endpoint (the Fetch standard, §3.3; H07-H09).
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "has.h"
#include "json/writer.h"
#include "support/flow.h"
#include "support/occupant.h"

namespace {

using namespace postern::test;

const std::string kWebPage = "https://app.example";
const std::string kSpaPage = "https://spa.example";

/// What applications in a browser call.
const std::vector<std::string> kForClientPages = {"token", "revoke", "userinfo"};
const std::vector<std::string> kForEverybody = {"discovery", "jwks"};

CgiRequest from_page(CgiRequest request, const std::string& origin) {
    request.headers.emplace_back("Origin", origin);
    return request;
}

/// The headers of tracing, of older libraries and of a page that is reloaded without the cache.
const std::string kMoreHeaders =
    "traceparent, tracestate, baggage, sentry-trace, x-requested-with, cache-control, pragma";

CgiRequest preflight(const std::string& origin, const std::string& method = "POST",
                     const std::string& headers = "authorization") {
    CgiRequest request;
    request.method = "OPTIONS";
    request.headers = {{"Access-Control-Request-Method", method}, {"Access-Control-Request-Headers", headers}};
    return origin.empty() ? request : from_page(request, origin);
}

/// The origin that may read, also with `credentials: "include"`, for which it must be named; "" for no page. Caches
/// always know.
std::string reader_of(const Answer& answer) {
    const std::string reader = answer.header("Access-Control-Allow-Origin");
    CHECK(answer.header("Access-Control-Allow-Credentials") == (reader.empty() || reader == "*" ? "" : "true"));
    CHECK(has(answer.header("Vary"), "Origin"));
    return reader;
}

/// The wrong origins beside the right one.
const std::vector<std::string> kStrangers = {
    "null",
    // clang-format off
                                             "*", "https://evil.example", "https://app.example.evil",
                                             "https://app.example.evil.example", "https://app.exampl",
                                             "http://app.example", "https://app.example:8443",
                                             "https://app.example:443", "https://APP.example", "https://app.example/",
                                             "https://app.example, https://spa.example", "https://sub.app.example",
                                             "file://", "http://127.0.0.1", "http://127.0.0.1:50123",
    // clang-format on
    "com.example.app:"};

/// The page of another registered client, and every stranger.
std::vector<std::string> others_of(const std::string& page) {
    std::vector<std::string> others = kStrangers;
    others.push_back(page);
    return others;
}

TEST_CASE(
    "preflight: the pages of every registered client may ask, other pages may not [Fetch §3.3.3, H09, RFC 7009 §2.3a, OIDC Core §5.3d]") {
    const Deployment op;
    for (const std::string& endpoint : kForClientPages) {
        CAPTURE(endpoint);
        for (const std::string& origin : {kWebPage, kSpaPage, std::string("https://many.example")}) {
            const Answer answer = op.cgi(endpoint, preflight(origin));
            CHECK(answer.status == 204);
            CHECK(answer.body.empty());
            CHECK(reader_of(answer) == origin);
            CHECK(answer.header("Access-Control-Allow-Methods") == answer.header("Allow"));
            CHECK(has(answer.header("Access-Control-Allow-Methods"), "POST"));
            CHECK(answer.header("Access-Control-Allow-Headers") == "Authorization, Content-Type");
            CHECK(answer.header("Access-Control-Max-Age") == "600");
            const Answer more = op.cgi(endpoint, preflight(origin, "POST", "content-type, " + kMoreHeaders));
            CHECK(reader_of(more) == origin);
            CHECK(more.header("Access-Control-Allow-Headers") == "Authorization, Content-Type, " + kMoreHeaders);
        }
        for (const std::string& origin : kStrangers) {
            CAPTURE(origin);
            const Answer answer = op.cgi(endpoint, preflight(origin));
            CHECK(answer.status == 204);
            CHECK(reader_of(answer).empty());
            for (const auto& header : answer.headers) CHECK_FALSE(header.first.starts_with("Access-Control-"));
        }
    }
    CHECK(op.cgi("token", preflight(kSpaPage)).header("Access-Control-Allow-Methods") == "POST, OPTIONS");
    CHECK(op.cgi("userinfo", preflight(kSpaPage)).header("Access-Control-Allow-Methods") == "GET, POST, OPTIONS");
}

TEST_CASE("OPTIONS that is not a preflight says what may be asked, and does nothing [RFC 9110 §9.3.7]") {
    const Deployment op;
    for (const std::string& endpoint : kForClientPages) {
        CAPTURE(endpoint);
        CgiRequest question;
        question.method = "OPTIONS";
        for (const CgiRequest& request : {question, from_page(question, kSpaPage), preflight("")}) {
            const Answer answer = op.cgi(endpoint, request);
            CHECK(answer.status == 204);
            CHECK(answer.header("Allow").ends_with("POST, OPTIONS"));
            CHECK_FALSE(answer.has("Access-Control-Allow-Methods"));
            CHECK_FALSE(answer.has("Content-Length"));
        }
    }
}

TEST_CASE(
    "token: the answer to an authenticated client may be read by its own pages, and by no other client's [H09, MCP-7]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string code = alice.obtain_code(authorization_request(kSpa));
    const auto ask = [&](const Query& form, const std::string& origin) {
        return op.cgi("token", from_page(post_form(form.with("client_id", kSpa).text()), origin));
    };
    for (const std::string& origin : others_of(kWebPage)) {
        CAPTURE(origin);
        const Answer refused = ask({{"grant_type", "authorization_code"}, {"code", "x"}}, origin);
        CHECK(refused.verdict() == "400 invalid_grant");
        CHECK(reader_of(refused).empty());
    }
    const Answer malformed = ask({{"grant_type", "carrier_pigeon"}}, kSpaPage);
    CHECK(malformed.verdict() == "400 unsupported_grant_type");
    CHECK(reader_of(malformed) == kSpaPage);
    const Answer tokens = ask(token_request(code, kSpa), kSpaPage);
    CHECK(tokens.status == 200);
    CHECK(reader_of(tokens) == kSpaPage);
    CHECK(has(tokens.header("Access-Control-Expose-Headers"), "WWW-Authenticate"));

    const auto ask_as_web = [&](const std::string& origin) {
        const Answer web = op.cgi("token", from_page(with_basic(token_request("x").text()), origin));
        CHECK(web.verdict() == "400 invalid_grant");
        return reader_of(web);
    };
    CHECK(ask_as_web(kWebPage) == kWebPage);
    for (const std::string& origin : others_of(kSpaPage)) {
        CAPTURE(origin);
        CHECK(ask_as_web(origin).empty());
    }
}

TEST_CASE(
    "revoke: an answer is for the authenticated client, or for all when no authentication is required [H09, RFC 7009 §2.3a]") {
    Deployment op;
    const auto ask = [&](const std::string& client, const std::string& origin) {
        const Query form = {{"token", "x"}, {"client_id", client}};
        return op.cgi("revoke", from_page(post_form(form.text()), origin));
    };
    CHECK(ask(kSpa, kSpaPage).status == 200);
    CHECK(reader_of(ask(kSpa, kSpaPage)) == kSpaPage);
    for (const std::string& origin : others_of(kWebPage)) {
        CAPTURE(origin);
        CHECK(reader_of(ask(kSpa, origin)).empty());
    }
    const Answer no_token = op.cgi("revoke", from_page(post_form(Query{{"client_id", kSpa}}.text()), kSpaPage));
    CHECK(no_token.verdict() == "400 invalid_request");
    CHECK(reader_of(no_token) == kSpaPage);
    CHECK(ask("nobody", kWebPage).verdict() == "401 invalid_client");
    CHECK(reader_of(ask("nobody", kWebPage)) == kWebPage);
    op.configure("authenticateRevoke", false);
    CHECK(ask(kSpa, kWebPage).status == 200);
    CHECK(reader_of(ask(kSpa, kWebPage)) == kWebPage);
    CHECK(reader_of(ask(kSpa, "https://evil.example")).empty());
}

TEST_CASE("token: a busy server tells a page so, and when to come again [Fetch §3.3.4]") {
    const Deployment op;
    UserAgent alice(op);
    const Query form = token_request(alice.obtain_code(authorization_request(kSpa)), kSpa).with("client_id", kSpa);
    std::optional<Occupant> occupant(op);
    const Answer busy = op.cgi("token", from_page(post_form(form.text()), kSpaPage));
    occupant.reset();
    CHECK(busy.verdict() == "503 temporarily_unavailable");
    CHECK(reader_of(busy) == kSpaPage);
    CHECK(busy.has("Retry-After"));
    CHECK(has(busy.header("Access-Control-Expose-Headers"), "Retry-After"));
    CHECK(op.cgi("token", from_page(post_form(form.text()), kSpaPage)).status == 200);
}

TEST_CASE("introspection is not for pages: no header, and OPTIONS is a wrong method [H09, RFC 7662 §5a]") {
    const Deployment op;
    for (const CgiRequest& request : {preflight(kWebPage), from_page(with_basic("token=x"), kWebPage),
                                      from_page(post_form("token=x"), kSpaPage), from_page({}, kWebPage)}) {
        CAPTURE(request.method);
        const Answer answer = op.cgi("introspect", request);
        for (const auto& header : answer.headers) CHECK_FALSE(header.first.starts_with("Access-Control-"));
        if (request.method == "OPTIONS") {
            CHECK(answer.status == 405);
            CHECK(answer.header("Allow") == "POST");
        }
    }
}

TEST_CASE("pages and their forms are for no other site, with credentials or without [H09, Fetch §3.3.5]") {
    const Deployment op;
    for (const char* page : {"authorize", "login", "logout", "account"}) {
        CAPTURE(std::string(page));
        for (const CgiRequest& request :
             {preflight(kWebPage), from_page({}, kWebPage), from_page(post_form("a=b"), kSpaPage)}) {
            const Answer answer = op.cgi(page, request);
            for (const auto& header : answer.headers) CHECK_FALSE(header.first.starts_with("Access-Control-"));
        }
    }
}

TEST_CASE("token: a page's cookies are sent and mean nothing [Fetch §3.3.5]") {
    const Deployment op;
    UserAgent alice(op);
    const Query form = token_request(alice.obtain_code(authorization_request(kSpa)), kSpa).with("client_id", kSpa);
    CgiRequest request = from_page(post_form(form.text()), kSpaPage);
    request.headers.emplace_back("Cookie", "__Host-postern-session=x; __Host-postern-browser=y");
    const Answer answer = op.cgi("token", request);
    CHECK(answer.status == 200);
    CHECK(reader_of(answer) == kSpaPage);
    CHECK_FALSE(answer.has("Set-Cookie"));
}

TEST_CASE("token and userinfo: a request refused before its client is known is readable on any client's page [H09]") {
    const Deployment op;
    struct Row {
        std::string when;
        std::string endpoint;
        CgiRequest request;
        int status;
    };
    CgiRequest wrong_secret = post_form(token_request("x").text());
    wrong_secret.headers = {{"Authorization", basic(kWeb, "wrong")}};
    CgiRequest two_headers = bearer("x, Bearer y");
    const std::vector<Row> rows = {
        {"unknown client", "token", post_form(token_request("x").with("client_id", "nobody").text()), 401},
        {"wrong secret", "token", wrong_secret, 401},
        {"given twice", "token", post_form("grant_type=a&grant_type=a"), 400},
        {"no token", "userinfo", {}, 401},
        {"bad token", "userinfo", bearer("x"), 401},
        // Refused by the server before the endpoint saw it.
        {"wrong method", "token", get_request(""), 405},
        {"large body", "token", post_form(std::string(70000, 'a')), 413},
        {"two headers", "userinfo", two_headers, 400},
        {"long header", "userinfo", bearer(std::string(32000, 'a')), 431},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        for (const std::string& origin : {kWebPage, kSpaPage}) {
            const Answer answer = op.cgi(row.endpoint, from_page(row.request, origin));
            CHECK(answer.status == row.status);
            CHECK(reader_of(answer) == origin);
            CHECK(answer.header("Access-Control-Expose-Headers") == "WWW-Authenticate, Retry-After, X-Request-Id");
        }
        for (const std::string& origin : kStrangers) {
            CAPTURE(origin);
            CHECK(reader_of(op.cgi(row.endpoint, from_page(row.request, origin))).empty());
        }
        CHECK(reader_of(op.cgi(row.endpoint, row.request)).empty());
    }
}

TEST_CASE("userinfo: claims and the lack of scope are for the pages of the token's client [H09, OIDC Core §5.3d]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string with = text_of(obtain_tokens(op, alice, authorization_request()), "access_token");
    const std::string without =
        text_of(obtain_tokens(op, alice, authorization_request().with("scope", "email")), "access_token");
    for (const auto& row : std::vector<std::pair<std::string, int>>{{with, 200}, {without, 403}}) {
        CAPTURE(row.second);
        const Answer own = op.cgi("userinfo", from_page(bearer(row.first), kWebPage));
        CHECK(own.status == row.second);
        CHECK(reader_of(own) == kWebPage);
        CHECK(own.header("Vary") == "Authorization, Origin");
        for (const std::string& origin : others_of(kSpaPage)) {
            CAPTURE(origin);
            const Answer other = op.cgi("userinfo", from_page(bearer(row.first), origin));
            CHECK(other.status == row.second);  // CORS protects readers, it is no access control
            CHECK(reader_of(other).empty());
        }
    }
}

TEST_CASE("a disabled or removed client's pages may no longer ask, those of an enabled one may again") {
    const Deployment op;
    struct Row {
        std::vector<std::string> command;
        std::string reader;
    };
    const Row rows[] = {{{"client", "disable", kSpa}, ""},
                        {{"client", "enable", kSpa}, kSpaPage},
                        {{"client", "set", kSpa, "--redirect-uri", "https://new.example/cb"}, ""},
                        {{"client", "set", kSpa, "--redirect-uri", "HTTPS://SPA.example:443/cb"}, kSpaPage},
                        {{"client", "remove", kSpa}, ""}};
    CHECK(reader_of(op.cgi("token", preflight(kSpaPage))) == kSpaPage);
    for (const Row& row : rows) {
        op.must(row.command);
        CAPTURE(row.command[1]);
        CHECK(reader_of(op.cgi("token", preflight(kSpaPage))) == row.reader);
        CHECK(reader_of(op.cgi("userinfo", from_page({}, kSpaPage))) == row.reader);
    }
}

TEST_CASE("discovery and jwks: any page may read them, failures too, and ask first if it likes [H08, MCP-7]") {
    const Deployment op;
    for (const std::string& endpoint : kForEverybody) {
        CAPTURE(endpoint);
        for (const std::string method : {"GET", "HEAD", "POST"}) {
            CAPTURE(method);
            for (const std::string& origin : {kSpaPage, std::string("null"), std::string("https://evil.example")}) {
                CgiRequest request;
                request.method = method;
                const Answer answer = op.cgi(endpoint, from_page(request, origin));
                CHECK(answer.status == (std::string(method) == "POST" ? 405 : 200));
                CHECK(reader_of(answer) == (origin == "null" ? "*" : origin));
            }
        }
        for (const std::string origin : {"https://app.example", "null", "https://evil.example"}) {
            const Answer asked = op.cgi(endpoint, preflight(origin, "GET", kMoreHeaders));
            CHECK(asked.status == 204);
            CHECK(reader_of(asked) == (origin == "null" ? "*" : origin));
            CHECK(asked.header("Access-Control-Allow-Headers") == "Authorization, Content-Type, " + kMoreHeaders);
            CHECK(asked.header("Access-Control-Allow-Methods") == "GET, HEAD, OPTIONS");
        }
        CHECK(reader_of(op.cgi(endpoint)) == "*");
    }
}

}  // namespace
