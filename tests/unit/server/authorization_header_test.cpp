#include "server/authorization_header.h"

#include "gateway/variable_names.h"

#include <doctest/doctest.h>

namespace postern::server {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kStandard = "HTTP_AUTHORIZATION";
constexpr const char* kOnce = "REDIRECT_HTTP_AUTHORIZATION";

gateway::Variables variables(std::vector<std::pair<std::string_view, std::string_view>> values) {
    gateway::Variables made;
    made.values = std::move(values);
    return made;
}

TEST_CASE("authorizationVariables: only names under which a web server passes the header are accepted [X20]") {
    for (const char* name : {kStandard, kOnce, "REDIRECT_REDIRECT_HTTP_AUTHORIZATION", "Authorization", "AUTHORIZATION",
                             "MY_AUTHORIZATION", "REDIRECT_X-AUTHORIZATION"}) {
        CAPTURE(name);
        CHECK_FALSE(gateway::authorization_variable_fault(name));
    }
    for (const char* name :
         {"", "REMOTE_USER", "AUTH_TYPE", "PATH", "QUERY_STRING", "HTTP_COOKIE", "REDIRECT_", "REDIRECT_QUERY_STRING",
          "HTTP_PROXY_AUTHORIZATION", "HTTP_X_AUTHORIZATION", "REDIRECT_HTTP_X_AUTHORIZATION", "http_x-authorization",
          "HTTP_REDIRECT_HTTP_AUTHORIZATION", "HTTP_AUTHORIZATION2", "AUTHORIZATION_", "1_AUTHORIZATION",
          "MY AUTHORIZATION", "AUTHORIZATION=AUTHORIZATION"}) {
        CAPTURE(name);
        CHECK(gateway::authorization_variable_fault(name));
    }
    CHECK(gateway::authorization_variable_fault(std::string(200, 'A') + "_AUTHORIZATION"));
}

TEST_CASE("find_authorization: one credential in whichever listed variable, in none that is not listed [X20]") {
    struct Row {
        const char* when;
        gateway::Variables given;
        Names listed;
        std::string found;  ///< "" for none, "400" for a refusal
    };
    const Row rows[] = {
        {"standard", variables({{kStandard, "Bearer a"}}), {kStandard}, "Bearer a"},
        {"redirected, listed", variables({{kOnce, "Bearer a"}}), {kStandard, kOnce}, "Bearer a"},
        {"redirected, not listed", variables({{kOnce, "Bearer a"}}), {kStandard}, ""},
        {"standard, no more listed", variables({{kStandard, "Bearer a"}}), {kOnce}, ""},
        {"empty and full", variables({{kStandard, ""}, {kOnce, "Bearer a"}}), {kStandard, kOnce}, "Bearer a"},
        {"equal", variables({{kStandard, "Bearer a"}, {kOnce, "Bearer a"}}), {kStandard, kOnce}, "Bearer a"},
        {"equal but for white space around",
         variables({{kStandard, "Bearer a "}, {kOnce, "\tBearer a"}}),
         {kStandard, kOnce},
         "Bearer a"},
        {"a tab behind", variables({{kStandard, "Bearer a\t"}}), {kStandard}, "Bearer a"},
        {"a tab inside", variables({{kStandard, "Bearer\ta"}}), {kStandard}, "400"},
        {"two blanks inside", variables({{kStandard, "Bearer  a"}}), {kStandard}, "Bearer  a"},
        {"blanks alone", variables({{kStandard, " \t "}}), {kStandard}, ""},
        {"different", variables({{kStandard, "Bearer a"}, {kOnce, "Bearer b"}}), {kStandard, kOnce}, "400"},
        {"different, one not listed",
         variables({{kStandard, "Bearer a"}, {kOnce, "Bearer b"}}),
         {kStandard},
         "Bearer a"},
        {"joined", variables({{kStandard, "Basic a, Bearer b"}}), {kStandard}, "400"},
        {"joined in the second", variables({{kOnce, "Basic a,Bearer b"}}), {kStandard, kOnce}, "400"},
        {"control byte in the second", variables({{kOnce, "Basic a\x01"}}), {kStandard, kOnce}, "400"},
        {"joined, nothing listed", variables({{kStandard, "Basic a, Bearer b"}}), {}, ""},
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

TEST_CASE("missing credentials: the log names the directive of the web server in use [X20]") {
    struct Row {
        const char* when;
        gateway::Clues clues;
        Names told;
    };
    const Row rows[] = {
        {"Apache", {{}, false, "Apache/2.4.71 (Debian)"}, {"`CGIPassAuth On`", "`FcgidPassHeader Authorization`"}},
        {"nginx", {{}, false, "nginx/1.22.1"}, {"`fastcgi_param HTTP_AUTHORIZATION $http_authorization;`"}},
        {"lighttpd", {{}, false, "lighttpd/1.4.69"}, {"lighttpd always passes it", "a proxy"}},
        {"nobody says", {{}, false, ""}, {"`CGIPassAuth On`", "$http_authorization", "lighttpd"}},
        {"another server", {{}, false, "Caddy"}, {"`CGIPassAuth On`", "$http_authorization", "lighttpd"}},
        {"the web server has read it itself",
         {{}, true, "Apache"},
         {"AUTH_TYPE or REMOTE_USER did", "from its own authentication", "`CGIPassAuth On`"}},
        {"redirected",
         {{kOnce}, true, "Apache"},
         {kOnce, R"("authorizationVariables": ["HTTP_AUTHORIZATION", "REDIRECT_HTTP_AUTHORIZATION"])",
          "`CGIPassAuth On`"}},
        {"under a name of a rewrite rule",
         {{"MY_AUTHORIZATION"}, false, "nginx"},
         {R"("authorizationVariables": ["HTTP_AUTHORIZATION", "MY_AUTHORIZATION"])", "$http_authorization"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        gateway::Variables given;
        given.clues = row.clues;
        const std::string text = explain_missing_authorization(given, {kStandard});
        for (const std::string& told : row.told) {
            CAPTURE(told);
            CHECK(text.find(told) != std::string::npos);
        }
        CHECK(text.size() < 512);  // a value of the log is cut there
    }
}

}  // namespace
}  // namespace postern::server
