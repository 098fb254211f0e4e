#include "server/web_server_advice.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace postern::server {
namespace {

using gateway::StreamEnd;
using Texts = std::vector<std::string>;

TEST_CASE("missing credentials: the log names the directive of the web server in use [X20]") {
    struct Row {
        const char* when;
        gateway::Clues clues;
        Texts told;
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
         {{"REDIRECT_HTTP_AUTHORIZATION"}, true, "Apache"},
         {"REDIRECT_HTTP_AUTHORIZATION",
          R"("authorizationVariables": ["HTTP_AUTHORIZATION", "REDIRECT_HTTP_AUTHORIZATION"])", "`CGIPassAuth On`"}},
        {"under a name of a rewrite rule",
         {{"MY_AUTHORIZATION"}, false, "nginx"},
         {R"("authorizationVariables": ["HTTP_AUTHORIZATION", "MY_AUTHORIZATION"])", "$http_authorization"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        gateway::Variables given;
        given.clues = row.clues;
        const std::string text = explain_missing_authorization(given, {"HTTP_AUTHORIZATION"});
        for (const std::string& told : row.told) {
            CAPTURE(told);
            CHECK(text.find(told) != std::string::npos);
        }
        CHECK(text.size() < 512);  // a value of the log is cut there
    }
}

TEST_CASE("a body without a length: the advice names what the web server in use can do, and what it cannot [X07]") {
    struct Row {
        const char* software;
        StreamEnd end;
        Texts told;
        Texts not_told;
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
