#include "config/checks.h"

#include <doctest/doctest.h>

#include <array>

namespace postern::config {
namespace {

TEST_CASE(
    "issuer_fault: only the one canonical spelling of an https URL, http on loopback [IF111, RFC 8414 §2a, §4, §6.1, "
    "RFC 6749 §2.3.1e, §3.1d, §3.2b, §10.8, RFC 7636 §7.5, RFC 6750 §5.2b, RFC 9207 §2b, RFC 7009 §2b, RFC 7662 §2, "
    "OIDC Core §2a, §3.1.2, §3.1.3, §5.3a, §16.17, Discovery §3a, §7.1]") {
    const char* good[] = {"https://login.example.org",  "https://login.example.org/auth",
                          "https://h.example:8443/a/b", "https://[2001:db8::1]/auth",
                          "http://127.0.0.1:8080",      "http://localhost",
                          "http://[::1]:8080/demo",     "https://xn--bcher-kva.example/a~b.c_d-e"};
    for (const char* issuer : good) {
        CAPTURE(issuer);
        CHECK_FALSE(issuer_fault(issuer));
    }
    const char* bad[] = {
        "",
        // clang-format off
                         "login.example.org", "/auth", "https:login.example.org", "https://", "https:///auth",
                         "http://login.example.org", "http://127.0.0.1.example.org", "ftp://127.0.0.1",
                         "HTTPS://login.example.org", "https://Login.example.org", "https://login.example.org/",
                         "https://login.example.org/auth/", "https://login.example.org?",
                         "https://login.example.org/auth?x=1", "https://login.example.org#f",
                         "https://me@login.example.org", "https://login.example.org:443", "http://127.0.0.1:80",
                         "https://login.example.org:", "https://login.example.org:0", "https://login.example.org:08443",
                         "https://login.example.org:65536", "https://login.example.org//auth",
                         "https://login.example.org/a/../b", "https://login.example.org/./b",
                         "https://login.example.org/%61uth", "https://login.ex%61mple.org",
                         "https://login.example.org/a;b", "https://login.example.org/a b", " https://login.example.org",
                         "https://login.example.org\n",
        // clang-format on
        "https://m\xc3\xbcnchen.example"};
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

TEST_CASE("variable_fault: a variable that a client can fill is refused, however it is spelled [RFC 3875 §4.1.18]") {
    const std::string good[] = {"REMOTE_USER",
                                "AUTHENTICATE_MAIL",
                                "OIDC_CLAIM_email",
                                "SSL_CLIENT_S_DN_CN",
                                "SSL_CLIENT_SAN_Email_0",
                                "Shib-Authentication-Instant",
                                "_x1",
                                "HTTPX_USER",
                                std::string(128, 'A')};
    for (const std::string& name : good) {
        CAPTURE(name);
        CHECK_FALSE(variable_fault(name));
    }
    // REDIRECT_REMOTE_USER may be of a login that failed, and REDIRECT_SSL_CLIENT_... would count without
    // SSL_CLIENT_VERIFY.
    const std::string bad[] = {"REDIRECT_REMOTE_USER", "remote_user", "SSL_CLIENT_VERIFY", "SSL_TLS_SNI",
                               "SSL_SESSION_ID", "REDIRECT_SSL_CLIENT_S_DN_CN", "ssl_client_s_dn_cn",
                               "SSL-CLIENT-S-DN-CN", std::string(129, 'A'),
                               // clang-format off
                               "", "1USER", "REMOTE USER", "REMOTE_USER=x", "REMOTE_USER\n", "%{REMOTE_USER}e",
                               "HTTP_REMOTE_USER", "HTTP_X_REMOTE_USER", "http_remote_user", "HTTP-REMOTE-USER",
                               "HTTP_", "REDIRECT_HTTP_REMOTE_USER", "REDIRECT_REDIRECT_HTTP_X", "redirect_http_x",
                               "REDIRECT_", "CONTENT_TYPE", "QUERY_STRING", "REDIRECT_QUERY_STRING", "REDIRECT_URL",
                               "REQUEST_URI", "PATH_INFO", "SERVER_NAME", "REMOTE_ADDR", "REMOTE_IDENT",
                               // clang-format on
                               "AUTH_TYPE"};
    for (const std::string& name : bad) {
        CAPTURE(name);
        CHECK(variable_fault(name));
    }
}

TEST_CASE("environment_claim_fault: claims from variables are the text and truth claims of OpenID Connect Core §5.1") {
    for (const char* claim : {"name", "given_name", "preferred_username", "email", "email_verified", "phone_number",
                              "phone_number_verified", "picture", "birthdate", "locale"})
        CHECK_FALSE(environment_claim_fault(claim));
    for (const char* claim : {"sub", "address", "updated_at", "groups", "acr", "iss", "", "Email"})
        CHECK(environment_claim_fault(claim));
}

TEST_CASE(
    "logout_redirect_fault: the web server's logout is one https address, with the way back in its query at most") {
    for (const char* url : {"https://op.example/web-logout", "https://op.example/oidc/callback?logout={return}",
                            "https://upstream.example/logout?a=1&return={return}&b=2", "http://127.0.0.1:8080/out"}) {
        CAPTURE(url);
        CHECK_FALSE(logout_redirect_fault(url));
    }
    for (const char* url :
         {"http://op.example/out", "/web-logout", "//op.example/out", "", "javascript:alert(1)", "https:out",
          "https://user@op.example/out", "https://op.example/out#x", "https://op.example/out#{return}",
          "https://op.example/{return}", "https://{return}/?x", "{return}", "https://op.example/?a={return}&b={return}",
          "https://op.example/?a={other}", "https://op.example/\r\nSet-Cookie: a=b"}) {
        CAPTURE(url);
        CHECK(logout_redirect_fault(url));
    }
    CHECK(logout_redirect_fault("https://op.example/" + std::string(2048, 'a')));
}

}  // namespace
}  // namespace postern::config
