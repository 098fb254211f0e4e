#include "server/variables.h"

#include <doctest/doctest.h>

namespace postern::server {
namespace {

TEST_CASE("collect_variables: known names are copied, all others have no way in [RFC 3875 §4.1]") {
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
    const char* const twice[] = {"HTTP_AUTHORIZATION=a", "HTTP_AUTHORIZATION=a", nullptr};
    CHECK(collect_variables(twice).duplicate == "HTTP_AUTHORIZATION");
    const char* const unknown[] = {"HTTP_ACCEPT=a", "HTTP_ACCEPT=b", nullptr};
    CHECK(collect_variables(unknown).duplicate.empty());
}

}  // namespace
}  // namespace postern::server
