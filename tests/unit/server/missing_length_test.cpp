#include "server/missing_length.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace postern::server {
namespace {

using gateway::StreamEnd;

TEST_CASE("a body without a length: the advice names what the web server in use can do, and what it cannot [X07]") {
    struct Row {
        const char* software;
        StreamEnd end;
        std::vector<std::string> told;
        std::vector<std::string> not_told;
    };
    const Row rows[] = {
        {"Apache/2.4.71 (Debian)",
         StreamEnd::at_length_only,
         {"mod_cgid and mod_cgi cannot", "`SetEnv proxy-sendcl 1`", "mod_fcgid", "HTTP/2"},
         {"nginx"}},
        {"Apache", StreamEnd::by_itself, {"mod_proxy_fcgi", "`SetEnv proxy-sendcl 1`"}, {"mod_cgid"}},
        {"nginx/1.22.1", StreamEnd::by_itself, {"`fastcgi_request_buffering on;`"}, {"SetEnv"}},
        {"nginx/1.22.1", StreamEnd::at_length_only, {"use FastCGI"}, {"SetEnv"}},  // behind fcgiwrap
        {"lighttpd/1.4.69", StreamEnd::by_itself, {"`server.stream-request-body = 0`"}, {"SetEnv"}},
        {"lighttpd/1.4.69", StreamEnd::at_length_only, {"`server.stream-request-body = 0`"}, {"SetEnv"}},
        {"Caddy", StreamEnd::by_itself, {"collect the body first"}, {"SetEnv", "nginx"}},
        {"", StreamEnd::at_length_only, {"use FastCGI"}, {"SetEnv"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.software);
        const std::string advice(explain_missing_length(row.software, row.end));
        CHECK(advice.find("Content-Length") != std::string::npos);
        for (const std::string& told : row.told) CHECK(advice.find(told) != std::string::npos);
        for (const std::string& other : row.not_told) CHECK(advice.find(other) == std::string::npos);
        CHECK(advice.size() < 256);  // a field of the ring of refusals is cut there
    }
}

}  // namespace
}  // namespace postern::server
