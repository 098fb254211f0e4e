// Tests of lib/http/headers.cpp.
#include "http/headers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern::http;
using namespace std::string_view_literals;

TEST_CASE("find_cookie: the value of the one cookie of that name [RFC 6265 §4.2.1]") {
    for (const auto header :
         {"sid=Ab0-_"sv, "a=1; sid=Ab0-_"sv, "sid=Ab0-_; b=2"sv, "a=\"x y\";sid=Ab0-_;"sv, " sid = Ab0-_ "sv,
          "xsid=1; sidx=2; SID=3; sid=Ab0-_"sv, ";;; sid=Ab0-_"sv, "=x; y; sid=Ab0-_"sv}) {
        CAPTURE(header);
        CHECK(find_cookie(header, "sid") == "Ab0-_");
    }
}

TEST_CASE("find_cookie: any other value is anonymous [L19]") {
    for (const auto header :
         {""sv,          "a=1"sv,          "sid"sv,          "sid="sv,         "Sid=a"sv,       "xsid=a"sv,
          "sidx=a"sv,    "a=sid=b"sv,      "sid=a; sid=b"sv, "sid=a; sid=a"sv, "sid=a; sid="sv, "sid=%00; sid=a"sv,
          "sid=\"a\""sv, "sid=a=b"sv,      "sid=a b"sv,      "sid=a%62"sv,     "sid=a, b=c"sv,  "sid=a\0"sv,
          "sid=a\n"sv,   "sid=\xC3\xA9"sv, "sid=a+b"sv,      "sid=a/b"sv,      "sid=a."sv,      ";"sv,
          "="sv}) {
        CAPTURE(header);
        CHECK_FALSE(find_cookie(header, "sid"));
    }
}

TEST_CASE("find_cookie: a value has at most 128 bytes, a header any number of other cookies") {
    const std::string longest(128, 'v');
    CHECK(find_cookie("sid=" + longest, "sid") == longest);
    CHECK_FALSE(find_cookie("sid=" + longest + "v", "sid"));
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "c" + std::to_string(i) + "=x; ";
    CHECK(find_cookie(many + "sid=a", "sid") == "a");
    CHECK_FALSE(find_cookie(many, "sid"));
}

TEST_CASE("find_cookies: those whose names begin so, sorted, each as find_cookie has it [L19]") {
    struct Row {
        std::string_view header;
        std::vector<std::string> found;
    };
    const std::string many(129, 'v');
    const Row rows[] = {
        {"", {}},
        {"a=1; xsid=2", {}},
        {"sid=a", {"sid=a"}},
        {"sid-2=b; a=1; sid=a; sid-1=c", {"sid=a", "sid-1=c", "sid-2=b"}},
        {" sid-1 = b ;sid=a;", {"sid=a", "sid-1=b"}},
        {"sid-1=a; sid-1=b; sid-2=c", {"sid-2=c"}},
        {"sid-1=a; sid-1=a", {}},
        {"sid-1=a; sid-2=c; sid-1=", {"sid-2=c"}},
        {"sid-1; sid-2=; sid-3=a b; sid-4=a", {"sid-4=a"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.header);
        std::vector<std::string> found;
        for (const NamedCookie& cookie : find_cookies(row.header, "sid"))
            found.push_back(cookie.name + "=" + cookie.value);
        CHECK(found == row.found);
    }
    CHECK(find_cookies("sid=" + many, "sid").empty());
}

TEST_CASE("set_cookie: host-only, out of reach of scripts, not sent with cross-site posts [RFC 6265bis §4.1.2, L01]") {
    CHECK(set_cookie("__Host-sid", "abc", CookieSecurity::https) ==
          "__Host-sid=abc; Path=/; HttpOnly; SameSite=Lax; Secure");
    CHECK(set_cookie("sid", "abc", CookieSecurity::loopback_http) == "sid=abc; Path=/; HttpOnly; SameSite=Lax");
}

TEST_CASE("find_cookie_values: every usable value of the name in the order of the header, so many at most [GATE-20]") {
    using Values = std::vector<std::string>;
    CHECK(find_cookie_values("a=1; b=2; a=3", "a", 10, 4) == Values{"1", "3"});
    CHECK(find_cookie_values("a=1; a=2; a=3", "a", 10, 2) == Values{"1", "2"});
    CHECK(find_cookie_values("a=; a=x y; a=\"1\"; a=12345; a=1", "a", 4, 4) == Values{"1"});
    CHECK(find_cookie_values("aa=1; A=2; a.=3", "a", 10, 4).empty());
    CHECK(find_cookie_values("", "a", 10, 4).empty());
}

TEST_CASE("set_path_cookie: a path of its own, and a domain never [GATE-20, GATE-21]") {
    CHECK(set_path_cookie({"__Secure-a", "1", "/admin", CookieSecurity::https, std::chrono::seconds(60)}) ==
          "__Secure-a=1; Path=/admin; HttpOnly; SameSite=Lax; Secure; Max-Age=60");
    CHECK(set_path_cookie({"a", "1", "/", CookieSecurity::loopback_http}) == "a=1; Path=/; HttpOnly; SameSite=Lax");
}

TEST_CASE("clear_cookie: the same attributes, ended at once [RFC 6265bis §5.6.2]") {
    CHECK(clear_cookie("__Host-sid", CookieSecurity::https) ==
          "__Host-sid=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
    CHECK(clear_cookie("sid", CookieSecurity::loopback_http) == "sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
}
