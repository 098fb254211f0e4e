#include "gateway/variables.h"

#include <doctest/doctest.h>

namespace postern::gateway {
namespace {

TEST_CASE("authorizationVariables: only names under which a web server passes the header are accepted [X20]") {
    for (const char* name :
         {"HTTP_AUTHORIZATION", "REDIRECT_HTTP_AUTHORIZATION", "REDIRECT_REDIRECT_HTTP_AUTHORIZATION", "Authorization",
          "AUTHORIZATION", "MY_AUTHORIZATION", "REDIRECT_X-AUTHORIZATION"}) {
        CAPTURE(name);
        CHECK_FALSE(authorization_variable_fault(name));
    }
    for (const char* name :
         {"", "REMOTE_USER", "AUTH_TYPE", "PATH", "QUERY_STRING", "HTTP_COOKIE", "REDIRECT_", "REDIRECT_QUERY_STRING",
          "HTTP_PROXY_AUTHORIZATION", "HTTP_X_AUTHORIZATION", "REDIRECT_HTTP_X_AUTHORIZATION", "http_x-authorization",
          "HTTP_REDIRECT_HTTP_AUTHORIZATION", "HTTP_AUTHORIZATION2", "AUTHORIZATION_", "1_AUTHORIZATION",
          "MY AUTHORIZATION", "AUTHORIZATION=AUTHORIZATION"}) {
        CAPTURE(name);
        CHECK(authorization_variable_fault(name));
    }
    CHECK(authorization_variable_fault(std::string(200, 'A') + "_AUTHORIZATION"));
}

TEST_CASE("collect_variables: known names are read, all others have no way in [RFC 3875 §4.1]") {
    const char* const environment[] = {"REQUEST_METHOD=GET",
                                       "QUERY_STRING=a=b=c",
                                       "CONTENT_LENGTH=",
                                       "HTTP_PROXY=http://evil:1",
                                       "HTTP_POSTERN_CONFIG=/tmp/x",
                                       "REDIRECT_HTTP_AUTHORIZATION=Basic eA==",
                                       "=REQUEST_URI=/x",
                                       "REQUEST_URI",
                                       "request_uri=/x",
                                       nullptr};
    const Variables variables = collect_variables(environment);
    CHECK(variables.values.size() == 3);
    CHECK(variables.get("REQUEST_METHOD") == "GET");
    CHECK(variables.get("QUERY_STRING") == "a=b=c");
    CHECK(variables.has("CONTENT_LENGTH"));
    CHECK_FALSE(variables.has("REQUEST_URI"));
    CHECK(variables.get("REQUEST_URI").empty());
    CHECK(variables.duplicate.empty());
    CHECK(variables.clues.authorization == std::vector<std::string_view>{"REDIRECT_HTTP_AUTHORIZATION"});
    CHECK(collect_variables(nullptr).values.empty());
}

TEST_CASE("collect_variables: a name of the operator's choice is read byte for byte, and its duplicate reported") {
    const char* const environment[] = {"REMOTE_USER=alice",
                                       "remote_user=bob",
                                       "HTTP_REMOTE_USER=eve",
                                       "REMOTE_USERS=carol",
                                       "REMOTE_USER=mary",
                                       "AUTH_TYPE=Basic",
                                       nullptr};
    const Variables variables = collect_variables(environment, {"REMOTE_USER", "OTHER"});
    CHECK(variables.values.size() == 1);
    CHECK(variables.get("REMOTE_USER") == "alice");
    CHECK(variables.duplicate == "REMOTE_USER");
    CHECK(collect_variables(environment).values.empty());
}

TEST_CASE(
    "collect_variables: a known name given twice is reported, equal values included; unknown ones are not our "
    "business") {
    const char* const twice[] = {"HTTP_COOKIE=a", "HTTP_AUTHORIZATION=a", "HTTP_AUTHORIZATION=a", "HTTP_COOKIE=a",
                                 nullptr};
    CHECK(collect_variables(twice).duplicate == "HTTP_COOKIE");
    CHECK(collect_variables(twice, {"HTTP_AUTHORIZATION"}).duplicate == "HTTP_AUTHORIZATION");
    const char* const proofs[] = {"HTTP_DPOP=a", "HTTP_DPOP=a", "HTTP_COOKIE=a", nullptr};  // DPOP-1
    CHECK(collect_variables(proofs, {"HTTP_DPOP"}).duplicate.empty());
    CHECK(collect_variables(proofs, {"HTTP_DPOP"}).get("HTTP_DPOP") == ", ");
    CHECK_FALSE(collect_variables(proofs).has("HTTP_DPOP"));
    const char* const unknown[] = {"HTTP_ACCEPT=a", "HTTP_ACCEPT=b", nullptr};
    CHECK(collect_variables(unknown).duplicate.empty());
}

TEST_CASE("collect_variables: notes what tells of a lost Authorization header, and copies no credential") {
    const char* const environment[] = {"SERVER_SOFTWARE=Apache/2.4",
                                       "REMOTE_USER=alice",
                                       "HTTP_AUTHORIZATION=",
                                       "REDIRECT_HTTP_AUTHORIZATION=Basic eA==",
                                       "Authorization=Basic eA==",
                                       "HTTP_PROXY_AUTHORIZATION=Basic eA==",
                                       "HTTP_X_AUTHORIZATION=Basic eA==",
                                       "MY AUTHORIZATION=x",
                                       nullptr};
    const Variables variables = collect_variables(environment);
    CHECK(variables.values.empty());
    CHECK(variables.clues.software == "Apache/2.4");
    CHECK(variables.clues.user);
    CHECK(variables.clues.authorization ==
          std::vector<std::string_view>{"REDIRECT_HTTP_AUTHORIZATION", "Authorization"});
    const char* const nothing[] = {"AUTH_TYPE=", "REMOTE_USER=", "HTTP_AUTHORIZATION=", nullptr};
    CHECK_FALSE(collect_variables(nothing).clues.user);
    CHECK(collect_variables(nothing).clues.authorization.empty());
}

}  // namespace
}  // namespace postern::gateway
