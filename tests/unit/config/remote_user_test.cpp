#include "config/remote_user.h"

#include <doctest/doctest.h>

namespace postern::config {
namespace {

TEST_CASE("remote_user: a variable that a client can fill is refused, however it is spelled [RFC 3875 §4.1.18]") {
    const std::pair<std::string, bool> rows[] = {
        {"REMOTE_USER", true},
        {"REDIRECT_REMOTE_USER", false},  // of a login that failed, perhaps
        {"remote_user", false},
        {"SSL_CLIENT_VERIFY", false},
        {"SSL_TLS_SNI", false},
        {"SSL_SESSION_ID", false},
        {"AUTHENTICATE_MAIL", true},
        {"OIDC_CLAIM_email", true},
        {"SSL_CLIENT_S_DN_CN", true},
        {"SSL_CLIENT_SAN_Email_0", true},
        {"REDIRECT_SSL_CLIENT_S_DN_CN", false},  // would count without SSL_CLIENT_VERIFY
        {"ssl_client_s_dn_cn", false},
        {"SSL-CLIENT-S-DN-CN", false},
        {"Shib-Authentication-Instant", true},
        {"_x1", true},
        {"HTTPX_USER", true},
        {std::string(128, 'A'), true},
        {std::string(129, 'A'), false},
        {"", false},
        {"1USER", false},
        {"REMOTE USER", false},
        {"REMOTE_USER=x", false},
        {"REMOTE_USER\n", false},
        {"%{REMOTE_USER}e", false},
        {"HTTP_REMOTE_USER", false},
        {"HTTP_X_REMOTE_USER", false},
        {"http_remote_user", false},
        {"HTTP-REMOTE-USER", false},
        {"HTTP_", false},
        {"REDIRECT_HTTP_REMOTE_USER", false},
        {"REDIRECT_REDIRECT_HTTP_X", false},
        {"redirect_http_x", false},
        {"REDIRECT_", false},
        {"CONTENT_TYPE", false},
        {"QUERY_STRING", false},
        {"REDIRECT_QUERY_STRING", false},
        {"REDIRECT_URL", false},
        {"REQUEST_URI", false},
        {"PATH_INFO", false},
        {"SERVER_NAME", false},
        {"REMOTE_ADDR", false},
        {"REMOTE_IDENT", false},
        {"AUTH_TYPE", false},
    };
    for (const auto& row : rows) {
        const std::string& name = row.first;
        const bool fits = row.second;
        CAPTURE(name);
        CHECK(variable_fault(name).has_value() == !fits);
    }
}

TEST_CASE("remote_user: claims from variables are the text and truth claims of OpenID Connect Core §5.1") {
    for (const char* claim : {"name", "given_name", "preferred_username", "email", "email_verified", "phone_number",
                              "phone_number_verified", "picture", "birthdate", "locale"})
        CHECK_FALSE(environment_claim_fault(claim));
    for (const char* claim : {"sub", "address", "updated_at", "groups", "acr", "iss", "", "Email"})
        CHECK(environment_claim_fault(claim));
}

TEST_CASE("remote_user: the web server's logout is one https address, with the way back in its query at most") {
    const std::pair<const char*, bool> rows[] = {
        {"https://op.example/web-logout", true},
        {"https://op.example/oidc/callback?logout={return}", true},
        {"https://upstream.example/logout?a=1&return={return}&b=2", true},
        {"http://127.0.0.1:8080/out", true},
        {"http://op.example/out", false},
        {"/web-logout", false},
        {"//op.example/out", false},
        {"", false},
        {"javascript:alert(1)", false},
        {"https:out", false},
        {"https://user@op.example/out", false},
        {"https://op.example/out#x", false},
        {"https://op.example/out#{return}", false},
        {"https://op.example/{return}", false},
        {"https://{return}/?x", false},
        {"{return}", false},
        {"https://op.example/?a={return}&b={return}", false},
        {"https://op.example/?a={other}", false},
        {"https://op.example/\r\nSet-Cookie: a=b", false},
    };
    for (const auto& row : rows) {
        const std::string url = row.first;
        const bool fits = row.second;
        CAPTURE(url);
        CHECK(logout_redirect_fault(url).has_value() == !fits);
    }
    CHECK(logout_redirect_fault("https://op.example/" + std::string(2048, 'a')));
}

}  // namespace
}  // namespace postern::config
