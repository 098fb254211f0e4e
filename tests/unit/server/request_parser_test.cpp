#include "server/request_parser.h"

#include <doctest/doctest.h>

#include "support/variables.h"

namespace postern::server {
namespace {

using http::BodyKind;
using http::Method;

RequestRules rules() {
    return {http::served_paths("https://login.example.org/auth", {"/token"}),
            {Method::get, Method::post},
            config::Limits{4096, 8192, 16},
            {"HTTP_AUTHORIZATION"}};
}

gateway::Variables variables(std::initializer_list<std::pair<std::string_view, std::string_view>> changes = {}) {
    gateway::Variables made;
    made.values = {{"REQUEST_METHOD", "POST"},
                   {"REQUEST_URI", "/auth/token"},
                   {"QUERY_STRING", ""},
                   {"CONTENT_TYPE", "application/x-www-form-urlencoded"},
                   {"REMOTE_ADDR", "192.0.2.1"}};
    for (const auto& [name, value] : changes) test::set(made, name, value);
    return made;
}

gateway::Body body(std::string bytes) { return {gateway::BodyState::whole, std::move(bytes)}; }

int status_of(const gateway::Variables& given, const gateway::Body& sent = body("a=b")) {
    const auto request = parse_request(given, sent, rules());
    return request ? 200 : request.error().status;
}

TEST_CASE("parse_request: everything a handler reads arrives decoded and in its place") {
    const auto request = parse_request(variables({{"REQUEST_URI", "/auth/token?aud=x%20y"},
                                                  {"QUERY_STRING", "aud=x%20y"},
                                                  {"HTTP_AUTHORIZATION", "Basic YTpi"},
                                                  {"HTTP_COOKIE", "a=b"},
                                                  {"HTTP_ORIGIN", "https://app.example"},
                                                  {"HTTP_SEC_FETCH_SITE", "same-origin"},
                                                  {"HTTP_IF_NONE_MATCH", "\"tag\""}}),
                                       body("code=1%2B2&scope=a+b"), rules());
    REQUIRE(request);
    CHECK(request->method == Method::post);
    CHECK(request->query.find("aud") == "x y");
    CHECK(request->body == BodyKind::form);
    CHECK(request->form.find("code") == "1+2");
    CHECK(request->form.find("scope") == "a b");
    CHECK_FALSE(request->form.find("aud"));
    CHECK(request->authorization == "Basic YTpi");
    CHECK(request->cookie == "a=b");
    CHECK(request->origin == "https://app.example");
    CHECK(request->sec_fetch_site == "same-origin");
    CHECK(request->if_none_match == "\"tag\"");
    const auto bare = parse_request(variables({{"HTTP_AUTHORIZATION", ""}}), body(""), rules());
    REQUIRE(bare);
    CHECK_FALSE(bare->authorization);
    CHECK_FALSE(bare->origin);
}

TEST_CASE("parse_question: every path and method, whatever its query and body are [GATE-18]") {
    RequestRules gate = rules();
    gate.takes_questions = true;
    gate.server_variables = {"REQUEST_URI", "REQUEST_METHOD", "ABSENT"};
    for (const char* method : {"GET", "POST", "OPTIONS", "PROPFIND"}) {
        CAPTURE(method);
        const auto question = parse_question(variables({{"REQUEST_URI", "/any?%zz=1&%zz"},
                                                        {"REQUEST_METHOD", method},
                                                        {"HTTP_AUTHORIZATION", "Digest a=\"b\", c=\"d\""},
                                                        {"HTTP_COOKIE", std::string(20000, 'c')}}),
                                             {gateway::BodyState::no_length, ""}, gate);
        REQUIRE(question);
        CHECK(question->server_variables.at("REQUEST_URI") == "/any?%zz=1&%zz");
        CHECK(question->server_variables.at("REQUEST_METHOD") == method);
        CHECK_FALSE(question->server_variables.contains("ABSENT"));
        CHECK(question->authorization == "Digest a=\"b\", c=\"d\"");
        CHECK(question->cookie.size() == 20000);
        CHECK_FALSE(question->is_question);
    }
    auto of_authorizer = variables();
    of_authorizer.is_question = true;
    CHECK(parse_question(of_authorizer, body(""), gate)->is_question);
    CHECK(parse_question(variables(), body("decision=cancel"), gate)->form.find("decision") == "cancel");
    CHECK_FALSE(parse_question(variables(), body("%zz"), gate)->form.find("decision"));
    const auto too_long = parse_question(variables({{"HTTP_COOKIE", std::string(32769, 'c')}}), body(""), gate);
    REQUIRE_FALSE(too_long);
    CHECK(too_long.error().status == 431);
}

TEST_CASE("parse_request: a handler sees the server's variables that its endpoint names, and no others") {
    const gateway::Variables given = variables({{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "Basic"}, {"MAIL", ""}});
    RequestRules named = rules();
    named.server_variables = {"REMOTE_USER", "MAIL", "ABSENT"};
    const auto request = parse_request(given, body("a=b"), named);
    REQUIRE(request);
    CHECK(request->server_variables ==
          std::map<std::string, std::string, std::less<>>{{"MAIL", ""}, {"REMOTE_USER", "alice"}});
    const auto unnamed = parse_request(given, body("a=b"), rules());
    REQUIRE(unnamed);
    CHECK(unnamed->server_variables.empty());
}

TEST_CASE("parse_request: only the exact raw path is served, everything else is 404 [CVE-2019-11043 class]") {
    // The absolute form names a host that does not matter (RFC 9112 §3.2.2).
    for (const char* target : {"/auth/token", "/token", "/auth/token?a=b", "https://login.example.org/auth/token",
                               "HTTP://elsewhere.example/token?a=b"}) {
        CAPTURE(target);
        CHECK(status_of(variables({{"REQUEST_URI", target}})) == 200);
    }
    for (const char* target :
         {"/auth/token/",
          // clang-format off
                               "/auth/token/x", "/auth//token", "//token", "/TOKEN", "/auth/tok%65n", "/auth/token;a=b",
                               "/auth/token/..;/jwks", "/auth/x/../token", "/auth/token%2fintrospect",
                               "/auth/token/%0a", "/auth", "/", "", "/auth/auth/token",
                               "https://login.example.org/auth/token/", "https://login.example.org//token",
                               "https://login.example.org?/token", "https://login.example.org", "https:///token/",
                               "ftp://login.example.org/token",
          // clang-format on
          "/auth/token\n"}) {
        CAPTURE(target);
        CHECK(status_of(variables({{"REQUEST_URI", target}})) == 404);
    }
}

TEST_CASE("parse_request: without REQUEST_URI the path is SCRIPT_NAME and PATH_INFO; with it they change nothing") {
    gateway::Variables given = variables({{"SCRIPT_NAME", "/auth"}, {"PATH_INFO", "/token"}});
    test::remove(given, "REQUEST_URI");
    CHECK(status_of(given) == 200);
    test::set(given, "PATH_INFO", "/token/x");
    CHECK(status_of(given) == 404);
    test::set(given, "REQUEST_URI", "/auth/token");
    CHECK(status_of(given) == 200);
}

TEST_CASE("parse_request: an endpoint that is switched off is 404") {
    RequestRules off = rules();
    off.paths.clear();
    const auto request = parse_request(variables(), body(""), off);
    REQUIRE_FALSE(request);
    CHECK(request.error().status == 404);
}

TEST_CASE("parse_request: another method is 405 and the answer says which are allowed [RFC 9110 §15.5.6]") {
    for (const char* method : {"PUT", "DELETE", "TRACE", "HEAD", "OPTIONS", "get", "", "POST "}) {
        CAPTURE(method);
        const auto request = parse_request(variables({{"REQUEST_METHOD", method}}), body(""), rules());
        REQUIRE_FALSE(request);
        CHECK(request.error().status == 405);
        REQUIRE(request.error().headers.size() == 1);
        CHECK(request.error().headers[0].first == "Allow");
        CHECK(request.error().headers[0].second == "GET, POST");
    }
}

TEST_CASE("parse_request: the path is judged before the method, and both before the body") {
    CHECK(status_of(variables({{"REQUEST_URI", "/x"}, {"REQUEST_METHOD", "PUT"}}),
                    {gateway::BodyState::too_large, ""}) == 404);
    CHECK(status_of(variables({{"REQUEST_METHOD", "PUT"}}), {gateway::BodyState::too_large, ""}) == 405);
}

TEST_CASE("parse_request: a body that did not come as announced has its own status [RFC 9110 §15.5]") {
    CHECK(status_of(variables(), {gateway::BodyState::bad_length, ""}) == 400);
    CHECK(status_of(variables(), {gateway::BodyState::incomplete, ""}) == 400);
    CHECK(status_of(variables(), {gateway::BodyState::no_length, ""}) == 411);
    CHECK(status_of(variables(), {gateway::BodyState::too_large, ""}) == 413);
}

TEST_CASE("parse_request: only a form in UTF-8 is parsed, other types never are [RFC 6749 §4.1.3, appendix B]") {
    struct Row {
        const char* type;
        int status;
        BodyKind kind;
    };
    const Row rows[] = {
        {"application/x-www-form-urlencoded", 200, BodyKind::form},
        {"application/x-www-form-urlencoded;charset=UTF-8", 200, BodyKind::form},
        {"application/x-www-form-urlencoded; charset=utf-16", 400, BodyKind::none},
        {"application/json", 200, BodyKind::other},
        {"text/plain", 200, BodyKind::other},
        {"", 200, BodyKind::other},
    };
    for (const Row& row : rows) {
        CAPTURE(row.type);
        const auto request = parse_request(variables({{"CONTENT_TYPE", row.type}}), body("a=b"), rules());
        CHECK((request ? 200 : request.error().status) == row.status);
        if (!request) continue;
        CHECK(request->body == row.kind);
        CHECK(request->form.find("a").has_value() == (row.kind == BodyKind::form));
    }
}

TEST_CASE("parse_request: JSON arrives as it came, at an endpoint that takes it alone [REG-1]") {
    RequestRules takes = rules();
    takes.takes_json = true;
    const struct {
        const char* type;
        http::BodyKind body;
    } rows[] = {
        {"application/json", http::BodyKind::json},
        {"Application/JSON; charset=utf-8", http::BodyKind::json},
        {"application/json ;x=\"a;b\"", http::BodyKind::json},
        {"application/jsonp", http::BodyKind::other},
        {"application/x+json", http::BodyKind::other},
        {"text/plain", http::BodyKind::other},
        {"", http::BodyKind::other},
        {"application/x-www-form-urlencoded", http::BodyKind::form},
    };
    for (const auto& row : rows) {
        CAPTURE(row.type);
        const auto request = parse_request(variables({{"CONTENT_TYPE", row.type}}), body("{\"a\":1}"), takes);
        REQUIRE(request);
        CHECK(request->body == row.body);
        CHECK(request->content == (row.body == http::BodyKind::json ? "{\"a\":1}" : ""));
    }
    const auto elsewhere = parse_request(variables({{"CONTENT_TYPE", "application/json"}}), body("{}"), rules());
    REQUIRE(elsewhere);
    CHECK(elsewhere->body == http::BodyKind::other);
    CHECK(elsewhere->content.empty());
}

TEST_CASE("parse_request: a POST without any body is not a form; a GET's body means nothing [RFC 9110 §9.3.1]") {
    const auto empty = parse_request(variables({{"CONTENT_TYPE", ""}}), body(""), rules());
    REQUIRE(empty);
    CHECK(empty->body == BodyKind::none);
    const auto get = parse_request(variables({{"REQUEST_METHOD", "GET"}}), body("a=b"), rules());
    REQUIRE(get);
    CHECK(get->body == BodyKind::none);
    CHECK_FALSE(get->form.find("a"));
}

TEST_CASE("parse_request: a variable that came twice, or credentials that did, are 400 [RFC 9110 §5.3]") {
    gateway::Variables twice = variables();
    twice.duplicate = "HTTP_AUTHORIZATION";
    CHECK(status_of(twice) == 400);
    CHECK(status_of(variables({{"HTTP_AUTHORIZATION", "Basic YTpi, Bearer abc"}})) == 400);
    CHECK(status_of(variables({{"HTTP_AUTHORIZATION", "Bearer a\tb"}})) == 400);
    CHECK(status_of(variables({{"HTTP_AUTHORIZATION", "Bearer abc"}})) == 200);
}

TEST_CASE("parse_request: sizes and numbers are bounded where the configuration says so") {
    CHECK(status_of(variables({{"QUERY_STRING", std::string(4096, 'a')}})) == 200);
    CHECK(status_of(variables({{"QUERY_STRING", std::string(4097, 'a')}})) == 414);
    CHECK(status_of(variables({{"HTTP_COOKIE", std::string(16384, 'a')}})) == 200);
    CHECK(status_of(variables({{"HTTP_COOKIE", std::string(16385, 'a')}})) == 431);
    std::string sixteen;
    for (char name = 'a'; name < 'a' + 16; ++name) sixteen += std::string(1, name) + "=1&";
    CHECK(status_of(variables({{"QUERY_STRING", sixteen}})) == 200);
    CHECK(status_of(variables({{"QUERY_STRING", sixteen + "q=1"}})) == 400);
    CHECK(status_of(variables(), body(sixteen)) == 200);
    CHECK(status_of(variables(), body(sixteen + "q=1")) == 400);
}

TEST_CASE("parse_request: malformed parameter names are 400, malformed values are the endpoint's to judge") {
    CHECK(status_of(variables(), body("%zz=1")) == 400);
    CHECK(status_of(variables({{"QUERY_STRING", "a%00=1"}})) == 400);
    const auto request = parse_request(variables(), body("code=%zz&x=1"), rules());
    REQUIRE(request);
    CHECK(request->form.fault_of("code") == http::ParamFault::malformed);
    CHECK(request->form.find("x") == "1");
    CHECK(status_of(variables({{"QUERY_STRING", "&&&"}}), body("&")) == 200);
}

TEST_CASE("parse_request: the query is REQUEST_URI's, as raw as it came; without one there, QUERY_STRING") {
    gateway::Variables given = variables({{"REQUEST_URI", "/token?a=1?b"}});
    test::remove(given, "QUERY_STRING");
    const auto request = parse_request(given, body(""), rules());
    REQUIRE(request);
    CHECK(request->query.find("a") == "1?b");
}

TEST_CASE("parse_request: percent-encoding that a web server mended is still malformed [CWE-174, X13]") {
    const auto request =
        parse_request(variables({{"REQUEST_URI", "/auth/token?state=%zz&a=1"}, {"QUERY_STRING", "state=%25zz&a=1"}}),
                      body(""), rules());
    REQUIRE(request);
    CHECK(request->query.fault_of("state") == http::ParamFault::malformed);
    CHECK(request->query.find("a") == "1");
}

TEST_CASE("parse_request: a page does not look at the Authorization header of the rest of the site") {
    RequestRules page = rules();
    page.authorization_variables.clear();
    const auto request =
        parse_request(variables({{"HTTP_AUTHORIZATION", "Digest a=\"b\", c=\"d\""}}), body("a=b"), page);
    REQUIRE(request);
    CHECK_FALSE(request->authorization);
    CHECK(request->why_no_authorization.empty());
}

constexpr const char* kStandard = "HTTP_AUTHORIZATION";
constexpr const char* kOnce = "REDIRECT_HTTP_AUTHORIZATION";

gateway::Variables given(std::vector<std::pair<std::string_view, std::string_view>> values) {
    gateway::Variables made;
    made.values = std::move(values);
    return made;
}

TEST_CASE("find_authorization: one credential in whichever listed variable, in none that is not listed [X20]") {
    struct Row {
        const char* when;
        gateway::Variables given;
        std::vector<std::string> listed;
        std::string found;  ///< "" for none, "400" for a refusal
    };
    const Row rows[] = {
        {"standard", given({{kStandard, "Bearer a"}}), {kStandard}, "Bearer a"},
        {"redirected, listed", given({{kOnce, "Bearer a"}}), {kStandard, kOnce}, "Bearer a"},
        {"redirected, not listed", given({{kOnce, "Bearer a"}}), {kStandard}, ""},
        {"standard, no more listed", given({{kStandard, "Bearer a"}}), {kOnce}, ""},
        {"empty and full", given({{kStandard, ""}, {kOnce, "Bearer a"}}), {kStandard, kOnce}, "Bearer a"},
        {"equal", given({{kStandard, "Bearer a"}, {kOnce, "Bearer a"}}), {kStandard, kOnce}, "Bearer a"},
        {"equal but for white space around",
         given({{kStandard, "Bearer a "}, {kOnce, "\tBearer a"}}),
         {kStandard, kOnce},
         "Bearer a"},
        {"a tab behind", given({{kStandard, "Bearer a\t"}}), {kStandard}, "Bearer a"},
        {"a tab inside", given({{kStandard, "Bearer\ta"}}), {kStandard}, "400"},
        {"two blanks inside", given({{kStandard, "Bearer  a"}}), {kStandard}, "Bearer  a"},
        {"blanks alone", given({{kStandard, " \t "}}), {kStandard}, ""},
        {"different", given({{kStandard, "Bearer a"}, {kOnce, "Bearer b"}}), {kStandard, kOnce}, "400"},
        {"different, one not listed", given({{kStandard, "Bearer a"}, {kOnce, "Bearer b"}}), {kStandard}, "Bearer a"},
        {"joined", given({{kStandard, "Basic a, Bearer b"}}), {kStandard}, "400"},
        {"joined in the second", given({{kOnce, "Basic a,Bearer b"}}), {kStandard, kOnce}, "400"},
        {"control byte in the second", given({{kOnce, "Basic a\x01"}}), {kStandard, kOnce}, "400"},
        {"joined, nothing listed", given({{kStandard, "Basic a, Bearer b"}}), {}, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto found = find_authorization(row.given, row.listed);
        if (row.found == "400") {
            REQUIRE_FALSE(found);
            CHECK(found.error().status == 400);
            for (const auto& [name, value] : row.given.values)
                CHECK((value.empty() || found.error().detail.find(value) == std::string::npos));
        } else {
            REQUIRE(found);
            CHECK(found->value_or("") == row.found);
        }
    }
}

TEST_CASE("parse_request: without credentials the log says why they may be missing, with them nothing") {
    const auto without = parse_request(variables(), body("a=b"), rules());
    REQUIRE(without);
    CHECK(without->why_no_authorization.find("CGIPassAuth On") != std::string::npos);
    const auto with = parse_request(variables({{"HTTP_AUTHORIZATION", "Bearer abc"}}), body("a=b"), rules());
    REQUIRE(with);
    CHECK(with->why_no_authorization.empty());
}

TEST_CASE("parse_request: a credential is as long as a header at most, in any variable") {
    RequestRules other = rules();
    other.authorization_variables = {"REDIRECT_HTTP_AUTHORIZATION"};
    for (const std::size_t size : {std::size_t{16384}, std::size_t{16385}}) {
        CAPTURE(size);
        const auto request =
            parse_request(variables({{"REDIRECT_HTTP_AUTHORIZATION", std::string(size, 'a')}}), body("a=b"), other);
        CHECK(static_cast<bool>(request) == (size == 16384));
        if (!request) CHECK(request.error().status == 431);
    }
}

}  // namespace
}  // namespace postern::server
