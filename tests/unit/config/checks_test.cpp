#include "config/checks.h"

#include <doctest/doctest.h>

#include <array>

namespace postern::config {
namespace {

TEST_CASE(
    "issuer_fault: only the one canonical spelling of an https URL, http on loopback [IF111, RFC 8414 §2a, §4, §6.1, "
    "RFC 6749 §2.3.1e, §3.1d, §3.2b, §10.8, RFC 7636 §7.5, RFC 6750 §5.2b, RFC 9207 §2b, RFC 7009 §2b, RFC 7662 §2, "
    "OIDC Core §2a, §3.1.2, §3.1.3, §5.3a, §16.17, Discovery §3a, §7.1]") {
    const char* good[] = {
        "https://login.example.org",  "https://login.example.org/auth",
        "https://h.example:8443/a/b", "https://[2001:db8::1]/auth",
        "http://127.0.0.1:8080",      "http://localhost",
        "http://[::1]:8080/demo",     "https://xn--bcher-kva.example/a~b.c_d-e",
    };
    for (const char* issuer : good) {
        CAPTURE(issuer);
        CHECK_FALSE(issuer_fault(issuer));
    }
    const char* bad[] = {
        "",
        "login.example.org",
        "/auth",
        "https:login.example.org",
        "https://",
        "https:///auth",
        "http://login.example.org",
        "http://127.0.0.1.example.org",
        "ftp://127.0.0.1",
        "HTTPS://login.example.org",
        "https://Login.example.org",
        "https://login.example.org/",
        "https://login.example.org/auth/",
        "https://login.example.org?",
        "https://login.example.org/auth?x=1",
        "https://login.example.org#f",
        "https://me@login.example.org",
        "https://login.example.org:443",
        "http://127.0.0.1:80",
        "https://login.example.org:",
        "https://login.example.org:0",
        "https://login.example.org:08443",
        "https://login.example.org:65536",
        "https://login.example.org//auth",
        "https://login.example.org/a/../b",
        "https://login.example.org/./b",
        "https://login.example.org/%61uth",
        "https://login.ex%61mple.org",
        "https://login.example.org/a;b",
        "https://login.example.org/a b",
        " https://login.example.org",
        "https://login.example.org\n",
        "https://m\xc3\xbcnchen.example",
    };
    for (const char* issuer : bad) {
        CAPTURE(issuer);
        CHECK(issuer_fault(issuer));
    }
}

TEST_CASE("path_fault: a path has one spelling in REQUEST_URI, or it is refused [RFC 6749 §3.1b]") {
    for (const char* path : {"/token", "/oauth/v1/authorize", "/.well-known/openid-configuration", "/a-b_c~d.e"}) {
        CAPTURE(path);
        CHECK_FALSE(path_fault(path));
    }
    for (const char* path :
         {"", "/", "token", "/token/", "//token", "/a//b", "/a/./b", "/a/..", "/tok en", "/tok%65n", "/token;a",
          "/token?x", "/token#x", "/t\xc3\xb6ken", "/token\n", "/.well-known/oauth-authorization-server",
          "/.well-known/oauth-authorization-server/auth", "/.well-known/oauth-authorization-server2"}) {
        CAPTURE(path);
        CHECK(path_fault(path));
    }
    CHECK_FALSE(path_fault("/" + std::string(254, 'a')));
    CHECK(path_fault("/" + std::string(255, 'a')));
}

TEST_CASE("file_fault: a file name is absolute and printable") {
    CHECK_FALSE(file_fault("/var/lib/postern/postern.db"));
    for (const char* name : {"", "postern.db", "./x", "~/x", "/a\nb"}) {
        CAPTURE(name);
        CHECK(file_fault(name));
    }
}

TEST_CASE("nearest: a slip of the pen finds its word, another word finds nothing") {
    const std::array<std::string_view, 3> known{"accessTokenTTL", "idTokenTTL", "keys"};
    CHECK(nearest("accessTokenTtl", known) == "accessTokenTTL");
    CHECK(nearest("acessTokenTLT", known) == "accessTokenTTL");
    CHECK(nearest("key", known) == "keys");
    CHECK_FALSE(nearest("colour", known));
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("", "abc") == 3);
}

}  // namespace
}  // namespace postern::config
