// Redirect URIs that a client may have, and those that any program may receive.
#include "oauth/redirect_rules.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

TEST_CASE(
    "redirect_uri_problem: redirect URIs that may be registered [RFC 6749 §3.1.2, RFC 8252 §7, OIDC Core §3.1.2.1g]") {
    struct Row {
        const char* uri;
        bool native;
    };
    const Row rows[] = {
        {"https://app.example.org/callback", false},
        {"https://app.example.org", false},
        {"https://app.example.org:8443/cb?tenant=1&x=%2F", false},
        {"https://app.example.org:65535/", false},
        {"https://[2001:db8::1]/cb", false},
        {"https://192.0.2.1/cb", false},
        {"https://7.app.example.org/%2e", false},
        {"https://xn--bcher-kva.example/cb", false},
        {"http://localhost:3000/cb", false},
        {"http://127.0.0.1/cb", false},
        {"http://[::1]:8080/cb", false},
        {"com.example.app:/cb", true},
        {"com.example.app://host/cb", true},
        {"https://claimed.example.org/cb", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        const auto problem = oauth::redirect_uri_problem(row.uri, row.native);
        CAPTURE(problem.value_or(""));
        CHECK_FALSE(problem);
    }
}

TEST_CASE(
    "redirect_uri_problem: redirect URIs that are refused, and the reason given [RFC 6749 §3.1.2a, §3.1.2.1, RFC 9700 §2.1, "
    "OIDC Core §3.1.2.1g, R16]") {
    struct Row {
        std::string uri;
        bool native;
        const char* reason;
    };
    const std::string base = "https://app.example.org/";
    const Row rows[] = {
        {"", false, "empty"},
        {base + std::string(oauth::kMaxRedirectUriBytes - base.size() + 1, 'a'), false, "2048"},
        {"https://app.example.org/cb#x", false, "fragment"},
        {"https://app.example.org/cb#", false, "fragment"},
        {"com.example.app:/cb#x", true, "fragment"},
        {"https://*.example.org/cb", false, "wildcard"},
        {"https://app.example.org/*", false, "wildcard"},
        {"https://user@app.example.org/cb", false, "user name"},
        {"https://user:pw@app.example.org/cb", false, "user name"},
        {"https://@app.example.org/cb", false, "user name"},
        {"/callback", false, "absolute"},
        {"//app.example.org/cb", false, "absolute"},
        {"app.example.org/cb", false, "absolute"},
        {"https:", false, "host"},
        {"https:///cb", false, "host"},
        {"https:/app.example.org/cb", false, "host"},
        {"https:/cb", false, "host"},
        {"https://:8443/cb", false, "host"},
        {"https://app.example.org:/cb", false, "port"},
        {"https://app.example.org:0/cb", false, "port"},
        {"https://app.example.org:65536/cb", false, "port"},
        {"https://app.example.org:0443/cb", false, "port"},
        {"javascript:alert(1)", true, "scheme"},
        {"JavaScript:alert(1)", true, "scheme"},
        {"javascript://app.example.org/%0aalert(1)", true, "scheme"},
        {"data:text/html,x", true, "scheme"},
        {"file:///etc/passwd", true, "scheme"},
        {"vbscript:x", true, "scheme"},
        {"about:blank", true, "scheme"},
        {"blob:https://app.example.org/1", true, "scheme"},
        {"ftp://app.example.org/cb", true, "scheme"},
        {"https://%65vil.example.org/cb", false, "percent-encoded host"},
        {"https://app.example.org%2f.evil.example/cb", false, "percent-encoded host"},
        {"https://app%2Eexample.org/cb", true, "percent-encoded host"},
        {"https://2130706433/cb", false, "another IP address"},
        {"https://127.1/cb", false, "another IP address"},
        {"https://0x7f000001/cb", false, "another IP address"},
        {"https://0177.0.0.1/cb", false, "another IP address"},
        {"https://127.0.0.1.7/cb", false, "another IP address"},
        {"http://app.example.org/cb", false, "plain http"},
        {"http://127.0.0.1.example.org/cb", false, "plain http"},
        {"http://127.1/cb", false, "write http://127.0.0.1"},
        {"http://127.0.0.2/cb", true, "names this machine"},
        {"http://127.0.0.2:8080/cb", false, "names this machine"},
        {"http://0.0.0.0:3000/cb", false, "names this machine"},
        {"http://2130706433/cb", false, "names this machine"},
        {"http://0x7f.0.0.1/cb", false, "names this machine"},
        {"http://[::ffff:127.0.0.1]/cb", false, "names this machine"},
        {"http://[::]/cb", false, "names this machine"},
        {"http://[0:0:0:0:0:0:0:1]/cb", false, "names this machine"},
        {"http://localhost./cb", false, "names this machine"},
        {"http://app.localhost:5173/cb", false, "names this machine"},
        {"http://192.168.1.5/cb", false, "another machine"},
        {"http://128.0.0.1/cb", false, "another machine"},
        {"http://[2001:db8::1]/cb", false, "another machine"},
        {"http://notlocalhost/cb", false, "another machine"},
        {"https://app.example.org/{tenant}/cb", false, "contains {, which must not be in a URI"},
        {"https://{tenant}.example.org/cb", false, "write %7B"},
        {"https://app.example.org/cb?x=<y>", false, "contains <"},
        {"https://app.example.org/a|b", false, "contains |"},
        {"https://app.example.org/a^b", false, "write %5E"},
        {"https://app.example.org/`x`", false, "contains `"},
        {"\"https://app.example.org/cb\"", false, "contains \""},
        {"{https://app.example.org/cb}", false, "contains {"},
        {"https://app.example.org/100%", false, "contains a % without two"},
        {"https://app.example.org/%2", false, "write %25"},
        {"https://app.example.org/cb#a#b", false, "contains # twice"},
        {"https://a@b@app.example.org/cb", false, "contains @ twice"},
        {"https://[app.example.org]/cb", false, "brackets around a host"},
        {"https://app.example.org/cb[0]", false, "write %5B and %5D"},
        {"https://2001:db8::1/cb", false, "without brackets"},
        {"https://app.example.org:http/cb", false, "a port that is not a number"},
        {"1https://app.example.org/cb", false, "absolute"},
        {"app.example.org", false, "absolute"},
        {"http://localhost.example.org/cb", false, "plain http"},
        {"http://app.example.org/cb", true, "plain http"},
        {"com.example.app:/cb", false, "native"},
        {"com.example.app://", true, "only a scheme"},
        {" https://app.example.org/cb", false, "contains a space"},
        {"https://app.example.org/c b", false, "contains a space"},
        {"https://app.example.org/cb\n", false, "control"},
        {std::string("https://app.example.org/cb\0", 27), false, "control"},
        {"https://b\xc3\xbc"
         "cher.example/cb",
         false, "non-ASCII"},
        {"https://app.example/\xc3\xa4", false, "non-ASCII"},
        {"https://app.example.org\\@evil.example/cb", false, "contains \\"},
        {"https://app.example.org/%zz", false, "contains a % without two"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        const auto problem = oauth::redirect_uri_problem(row.uri, row.native);
        REQUIRE(problem);
        CAPTURE(*problem);
        CHECK(problem->find(row.reason) != std::string::npos);
    }
}

TEST_CASE("redirect_uri_problem: a URI of exactly 2048 bytes is the longest") {
    const std::string base = "https://app.example.org/";
    CHECK_FALSE(oauth::redirect_uri_problem(base + std::string(oauth::kMaxRedirectUriBytes - base.size(), 'a'), false));
}

TEST_CASE("is_loopback_or_private: what any program on the user's machine may receive") {
    for (const char* uri :
         {"http://127.0.0.1/cb", "http://[::1]:1/cb", "http://localhost:3000/", "com.example.app:/cb", "not a uri"}) {
        CAPTURE(uri);
        CHECK(oauth::is_loopback_or_private(uri));
    }
    for (const char* uri : {"https://app.example/cb", "https://localhost/cb", "https://127.0.0.1/cb"}) {
        CAPTURE(uri);
        CHECK_FALSE(oauth::is_loopback_or_private(uri));
    }
}
