// The URLs that can be protected, a row each.
#include "gate/site_url.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

namespace {

const char* const kIssuer = "https://login.example.org/auth";
const char* const kLoopbackIssuer = "http://localhost:8080";

/// The URL in its one spelling, or "refused: " and the beginning of the reason.
std::string site(const std::string& text, const char* issuer = kIssuer) {
    const auto url = gate::parse_site_url(text, issuer);
    return url ? url->str() : "refused: " + url.error();
}

}  // namespace

TEST_CASE("parse_site_url: a site has one spelling, with / at its end [GATE-2]") {
    struct Row {
        const char* text;
        const char* url;
    };
    const Row rows[] = {
        {"https://wiki.example.org/", "https://wiki.example.org/"},
        {"https://wiki.example.org", "https://wiki.example.org/"},
        {"HTTPS://Wiki.Example.ORG/", "https://wiki.example.org/"},
        {"https://wiki.example.org:443/", "https://wiki.example.org/"},
        {"https://wiki.example.org:8443/", "https://wiki.example.org:8443/"},
        {"https://x.example/Admin", "https://x.example/Admin/"},
        {"https://x.example/a/b/", "https://x.example/a/b/"},
        {"https://x.example/a.b/~c-d_e/", "https://x.example/a.b/~c-d_e/"},
        {"https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"},
        {"https://[2001:db8::1]/", "https://[2001:db8::1]/"},
        {"https://[2001:0DB8:0:0::1]:443/", "https://[2001:db8::1]/"},
        {"https://[2001:db8:0:0:1:0:0:1]:8443/a", "https://[2001:db8::1:0:0:1]:8443/a/"},
        {"https://[2001:db8:0:1:1:1:1:1]/", "https://[2001:db8:0:1:1:1:1:1]/"},
        {"https://[::FFFF:c000:201]/", "https://[::ffff:192.0.2.1]/"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(site(row.text) == row.url);
    }
}

TEST_CASE("parse_site_url: a URL that is read in several ways, or that everybody can listen to, is refused [GATE-2]") {
    struct Row {
        const char* text;
        const char* reason;  ///< a part of it
    };
    const Row rows[] = {
        {"", "empty"},
        {"wiki.example.org", "https://"},
        {"/wiki/", "https://"},
        {"ftp://wiki.example.org/", "https"},
        {"com.example.app:/", "https"},
        {"https:///wiki/", "host"},
        {"http://wiki.example.org/", "http"},
        {"http://127.0.0.1:8081/", "http"},
        {"https://wiki.example.org/?a=b", "query"},
        {"https://wiki.example.org/?", "query"},
        {"https://wiki.example.org/#top", "fragment"},
        {"https://alice@wiki.example.org/", "user name"},
        {"https://wiki.example.org/a/../b/", "segment"},
        {"https://wiki.example.org/./", "segment"},
        {"https://wiki.example.org/a/%2e%2E/b/", "other characters"},
        {"https://wiki.example.org/a/.%2e/b/", "other characters"},
        {"https://wiki.example.org//a/", "//"},
        {"https://wiki.example.org/a%2fb/", "characters"},
        {"https://wiki.example.org/a%20b/", "characters"},
        {"https://wiki.example.org/a;b/", "characters"},
        {"https://wiki.example.org/a\\b/", "\\"},
        {"https://wiki.example.org/.postern/", ".postern"},
        {"https://wiki.example.org/a/.postern/b/", ".postern"},
        {"https://wiki.example.org./", "dot"},
        {"https://wiki.example.org:0/", "port"},
        {"https://wiki.example.org:99999/", "port"},
        {"https://b\xc3\xbc"
         "cher.example/",
         "xn--"},
        {"https://*.example.org/", "wildcard"},
        {"https://127.1/", "IP address"},
        {"https://wiki.example.org/a b/", "space"},
        {"https://wiki.example.org/\r\nX: y", "control"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const std::string refused = site(row.text);
        CAPTURE(refused);
        CHECK(refused.starts_with("refused: "));
        CHECK(refused.find(row.reason) != std::string::npos);
    }
}

TEST_CASE("parse_site_url: http is for a loopback host whose issuer is http on a loopback host, too [GATE-2]") {
    CHECK(site("http://127.0.0.1:8081/", kLoopbackIssuer) == "http://127.0.0.1:8081/");
    CHECK(site("http://[::1]:8081/", kLoopbackIssuer) == "http://[::1]:8081/");
    CHECK(site("https://wiki.example.org/", kLoopbackIssuer) == "https://wiki.example.org/");
    CHECK(site("http://wiki.example.org/", kLoopbackIssuer).starts_with("refused: "));
    CHECK(site("http://127.0.0.2/", kLoopbackIssuer).starts_with("refused: "));
}

TEST_CASE("is_on_issuer_host: cookies do not know ports, and hosts have no case [GATE-3]") {
    const auto on_host = [](const char* text, const char* issuer) {
        return gate::is_on_issuer_host(*gate::parse_site_url(text, issuer), issuer);
    };
    CHECK(on_host("https://login.example.org/wiki/", kIssuer));
    CHECK(on_host("https://login.example.org:8443/", kIssuer));
    CHECK(on_host("https://login.example.org/", "https://LOGIN.example.org"));
    CHECK_FALSE(on_host("https://wiki.example.org/", kIssuer));
    CHECK_FALSE(on_host("https://a.login.example.org/", kIssuer));
    CHECK_FALSE(on_host("http://127.0.0.1:8080/", kLoopbackIssuer));
    CHECK(on_host("https://[2001:db8:0::1]/", "https://[2001:db8::1]"));
    CHECK(on_host("https://[2001:0db8::0001]:8443/", "https://[2001:db8::1]"));
    CHECK(on_host("https://[2001:db8::1]/", "https://[2001:DB8:0::1]"));
    CHECK_FALSE(on_host("https://[2001:db8::2]/", "https://[2001:db8::1]"));
}

TEST_CASE("SiteUrl: the callback, and the path of cookies [GATE-1, GATE-20]") {
    const auto root = gate::parse_site_url("https://x.example/", kIssuer);
    const auto inner = gate::parse_site_url("https://x.example/admin", kIssuer);
    CHECK(root->own("callback") == "https://x.example/.postern/callback");
    CHECK(inner->own("callback") == "https://x.example/admin/.postern/callback");
    CHECK(root->cookie_path() == "/");
    CHECK(inner->cookie_path() == "/admin");
}

TEST_CASE("parse_origin: scheme, host and port alone, in one spelling [GATE-10]") {
    struct Row {
        const char* text;
        const char* origin;  ///< nullptr: refused
    };
    const Row rows[] = {
        {"https://wiki.example.org", "https://wiki.example.org"},
        {"HTTPS://WIKI.example.org:443", "https://wiki.example.org"},
        {"http://127.0.0.1:8081", "http://127.0.0.1:8081"},
        {"https://[2001:0DB8::0:1]:443", "https://[2001:db8::1]"},
        {"https://[2001:db8:0:0:0:0:0:1]:8443", "https://[2001:db8::1]:8443"},
        {"https://[2001:db8::1", nullptr},
        {"https://[2001:db8::1%25eth0]", nullptr},
        {"https://wiki.example.org/", nullptr},
        {"https://wiki.example.org/a", nullptr},
        {"https://wiki.example.org?a", nullptr},
        {"https://wiki.example.org#a", nullptr},
        {"https://a@wiki.example.org", nullptr},
        {"https://wiki.example.org:0", nullptr},
        {"https://wiki.example.org:070", nullptr},
        {"https://", nullptr},
        {"wiki.example.org", nullptr},
        {"ftp://wiki.example.org", nullptr},
        {"https://wiki.example.org, https://evil.test", nullptr},
        {"https://wiki.example.org\\@evil.test", nullptr},
        {"", nullptr},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto origin = gate::parse_origin(row.text);
        CHECK(origin == (row.origin ? std::optional<std::string>(row.origin) : std::nullopt));
    }
}
