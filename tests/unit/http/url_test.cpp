// Tests of lib/http/url.cpp.
#include "http/url.h"

#include <doctest/doctest.h>

using namespace postern::http;
using namespace std::string_view_literals;

namespace {

/// All parts in one line; absent ones as "-".
std::string shown(std::string_view text) {
    const auto url = parse_url(text);
    if (!url) return "refused";
    std::string out = url->scheme + '|';
    out += (url->has_authority ? "//" : "-") + std::string("|");
    out += (url->has_user_info ? url->user_info + '@' : "-") + '|' + url->host + '|';
    out += (url->has_port ? ':' + url->port : "-") + '|' + url->path + '|';
    out += (url->query ? '?' + *url->query : "-") + '|' + (url->fragment ? '#' + *url->fragment : "-");
    return out;
}

bool loopback(std::string_view text) {
    const auto url = parse_url(text);
    REQUIRE(url);
    return is_loopback_http(*url);
}

}  // namespace

TEST_CASE("parse_url: every part is where RFC 3986 has it [RFC 3986 §3, §1.1.2]") {
    struct Row {
        const char* text;
        const char* parts;
    };
    const Row rows[] = {
        {"foo://example.com:8042/over/there?name=ferret#nose",
         "foo|//|-|example.com|:8042|/over/there|?name=ferret|#nose"},
        {"ftp://ftp.is.co.za/rfc/rfc1808.txt", "ftp|//|-|ftp.is.co.za|-|/rfc/rfc1808.txt|-|-"},
        {"ldap://[2001:db8::7]/c=GB?objectClass?one", "ldap|//|-|[2001:db8::7]|-|/c=GB|?objectClass?one|-"},
        {"mailto:John.Doe@example.com", "mailto|-|-||-|John.Doe@example.com|-|-"},
        {"tel:+1-816-555-1212", "tel|-|-||-|+1-816-555-1212|-|-"},
        {"urn:oasis:names:x", "urn|-|-||-|oasis:names:x|-|-"},
        {"HTTPS://App.Example", "https|//|-|App.Example|-||-|-"},
        {"https://app.example?", "https|//|-|app.example|-||?|-"},
        {"https://app.example#", "https|//|-|app.example|-||-|#"},
        {"https://app.example/?a#b?c", "https|//|-|app.example|-|/|?a|#b?c"},
        {"https://app.example:/cb", "https|//|-|app.example|:|/cb|-|-"},
        {"https://app.example:443", "https|//|-|app.example|:443||-|-"},
        {"https://user:pw@app.example:1/", "https|//|user:pw@|app.example|:1|/|-|-"},
        {"https://@app.example/", "https|//|@|app.example|-|/|-|-"},
        {"http://127.0.0.1@evil.example/", "http|//|127.0.0.1@|evil.example|-|/|-|-"},
        {"http://[::1]:8080/cb", "http|//|-|[::1]|:8080|/cb|-|-"},
        {"http://[::1]/", "http|//|-|[::1]|-|/|-|-"},
        {"http://[1:2:3:4:5:6:7::]", "http|//|-|[1:2:3:4:5:6:7::]|-||-|-"},
        {"http://[64:ff9b::192.0.2.1]/", "http|//|-|[64:ff9b::192.0.2.1]|-|/|-|-"},
        {"https://app%2Eexample/", "https|//|-|app%2Eexample|-|/|-|-"},
        {"https://app.example/-._~!$&'()*+,;=:@?-._~!$&'()*+,;=:@/?#-._~!$&'()*+,;=:@/?",
         "https|//|-|app.example|-|/-._~!$&'()*+,;=:@|?-._~!$&'()*+,;=:@/?|#-._~!$&'()*+,;=:@/?"},
        {"a+b-c.9:x", "a+b-c.9|-|-||-|x|-|-"},
        {"a:", "a|-|-||-||-|-"},
        {"com.example.app:/cb", "com.example.app|-|-||-|/cb|-|-"},
        {"com.example.app://cb", "com.example.app|//|-|cb|-||-|-"},
        {"file:///etc/passwd", "file|//|-||-|/etc/passwd|-|-"},
        {"javascript:alert(1)", "javascript|-|-||-|alert(1)|-|-"},
        {"https://app.example/%2e%2E/a", "https|//|-|app.example|-|/%2e%2E/a|-|-"},
        {"https://app.example//x//", "https|//|-|app.example|-|//x//|-|-"},
        {"https://app.example/a:b@c", "https|//|-|app.example|-|/a:b@c|-|-"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(shown(row.text) == row.parts);
    }
}

TEST_CASE("parse_url: what is not an absolute URI is refused [RFC 3986 §4.3, appendix A]") {
    constexpr std::string_view kBad[] = {
        ""sv,
        // clang-format off
                                         "app.example"sv, "/cb"sv, "//app.example/cb"sv, "cb?x=a:b"sv, "?a:b"sv,
                                         "#a:b"sv, "./a:b"sv, ":"sv, "://app.example"sv, "1a://app.example"sv,
                                         "ht tp://app.example"sv, " https://app.example"sv, "https://app.example "sv,
                                         "https://app.example/a b"sv, "https://app.example/\t"sv,
                                         "https://app.example/\n"sv, "https://app.example/\0"sv,
                                         "https://app.example/\x7F"sv, "https://app.example\\@evil.example"sv,
                                         "https:\\\\app.example"sv, "https://app.ex\xC3\xA4mple/"sv,
                                         "https://app.example/\xC3\xA9"sv, "https://app.example/%"sv,
                                         "https://app.example/%4"sv, "https://app.example/%zz"sv,
                                         "https://app.example/<x>"sv, "https://app.example/\"x\""sv,
                                         "https://app.example/{x}"sv, "https://app.example/^"sv,
                                         "https://app.example/`"sv, "https://app.example/a|b"sv,
                                         "https://app.example/#a#b"sv, "https://app.example:80x/"sv,
                                         "https://app.example:80:81/"sv, "https://a@b@c/"sv, "http://[::1/"sv,
                                         "http://::1/"sv, "http://[::g]/"sv, "http://[::1]x/"sv,
                                         "http://[127.0.0.1]/"sv, "http://[]/"sv, "http://["sv, "http://[::1\0]/"sv,
                                         "http://[::1%25lo]/"sv, "http://[1::2:3:4:5:6:7:8]/"sv,
                                         "http://[1:2:3:4:5:6:7]/"sv, "http://[::00001]/"sv, "http://[::1.2.3]/"sv,
                                         "http://[::1.2.3.04]/"sv, "http://[::1.2.3.256]/"sv, "http://[v1.x]/"sv,
                                         "http://us[er@app.example/"sv, "http://a]@[::1]/"sv, "a_b://app.example/"sv,
                                         "a%41://app.example/"sv, "https://app.example?%"sv,
                                         "https://app.example#%4g"sv, "https://%zz.example/"sv,
                                         "https://app[1].example/"sv,
        // clang-format on
        "https://app.example/[x]"sv};
    for (const std::string_view bad : kBad) {
        CAPTURE(bad);
        CHECK(shown(bad) == "refused");
    }
}

TEST_CASE("parse_url: at most 8192 bytes, and never a byte behind the view it was given") {
    const std::string start = "https://app.example/";
    CHECK(parse_url(start + std::string(8192 - start.size(), 'a')));
    CHECK_FALSE(parse_url(start + std::string(8193 - start.size(), 'a')));
    CHECK(shown(std::string_view("https://app.example/cb#x").substr(0, 22)) == "https|//|-|app.example|-|/cb|-|-");
}

TEST_CASE("is_loopback_http: http on this machine, by its three names [RFC 8252 §7.3]") {
    for (const auto yes : {"http://127.0.0.1"sv, "http://127.0.0.1:8080/cb"sv, "http://[::1]/"sv, "http://[::1]:1/cb"sv,
                           "http://localhost:3000"sv, "HTTP://LocalHost/"sv}) {
        CAPTURE(yes);
        CHECK(loopback(yes));
    }
    for (const auto no :
         {"https://127.0.0.1/"sv, "http://127.0.0.2/"sv, "http://127.0.0.1.evil.example/"sv,
          "http://localhost.evil.example/"sv, "http://127.0.0.1@evil.example/"sv, "http://localhost@evil.example/"sv,
          "http://[::2]/"sv, "http://[::ffff:127.0.0.1]/"sv, "http:///localhost"sv, "http:localhost"sv,
          "http://evil.example/localhost"sv, "http://0x7f.1/"sv, "ws://localhost/"sv}) {
        CAPTURE(no);
        CHECK_FALSE(loopback(no));
    }
}

TEST_CASE("with_query: keeps the query that is there and adds to it [RFC 6749 §3.1.2b, A04]") {
    struct Row {
        const char* url;
        const char* result;
    };
    const Row rows[] = {
        {"https://app.example/cb", "https://app.example/cb?code=c&state=s"},
        {"https://app.example", "https://app.example?code=c&state=s"},
        {"https://app.example/cb?", "https://app.example/cb?code=c&state=s"},
        {"https://app.example/cb?a=b", "https://app.example/cb?a=b&code=c&state=s"},
        {"https://app.example/cb?a=b&", "https://app.example/cb?a=b&code=c&state=s"},
        {"https://app.example/cb?a=%20+?", "https://app.example/cb?a=%20+?&code=c&state=s"},
        {"https://app.example/cb&", "https://app.example/cb&?code=c&state=s"},
        {"https://app.example/cb#top", "https://app.example/cb?code=c&state=s#top"},
        {"https://app.example/cb?a#b?c", "https://app.example/cb?a&code=c&state=s#b?c"},
        {"com.example.app:/cb", "com.example.app:/cb?code=c&state=s"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url);
        CHECK(with_query(row.url, {{"code", "c"}, {"state", "s"}}) == row.result);
    }
}

TEST_CASE("with_query: no value smuggles in a parameter, a fragment or a line [A03]") {
    CHECK(with_query("https://a.example/", {{"state", "a b+c&d=e#f%25\"<>\r\n\xC3\xA9"}}) ==
          "https://a.example/?state=a%20b%2Bc%26d%3De%23f%2525%22%3C%3E%0D%0A%C3%A9");
    CHECK(with_query("https://a.example/", {{"a&b", "1"}}) == "https://a.example/?a%26b=1");
}

TEST_CASE("with_query: pairs without a value are left out, empty values stay") {
    CHECK(with_query("https://a.example/", {{"x", std::nullopt}, {"y", ""}, {"z", std::nullopt}}) ==
          "https://a.example/?y=");
    CHECK(with_query("https://a.example/?q", {{"x", std::nullopt}}) == "https://a.example/?q");
    CHECK(with_query("https://a.example/", {}) == "https://a.example/");
}

TEST_CASE("with_fragment: the parameters are the fragment, and a query stays [RFC 6749 §4.2.2]") {
    struct Row {
        const char* url;
        const char* result;
    };
    const Row rows[] = {
        {"https://app.example/cb", "https://app.example/cb#code=c&state=s"},
        {"https://app.example", "https://app.example#code=c&state=s"},
        {"https://app.example/cb?a=b", "https://app.example/cb?a=b#code=c&state=s"},
        {"https://app.example/cb?", "https://app.example/cb?#code=c&state=s"},
        {"https://app.example/cb#", "https://app.example/cb#code=c&state=s"},
        {"https://app.example/cb#a=b?c", "https://app.example/cb#code=c&state=s"},
        {"com.example.app:/cb", "com.example.app:/cb#code=c&state=s"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url);
        CHECK(with_fragment(row.url, {{"code", "c"}, {"none", std::nullopt}, {"state", "s"}}) == row.result);
    }
    CHECK(with_fragment("https://a.example/", {{"state", "a b+c&d=e#f%25\"<>\r\n\xC3\xA9"}}) ==
          "https://a.example/#state=a%20b%2Bc%26d%3De%23f%2525%22%3C%3E%0D%0A%C3%A9");
}

TEST_CASE("normalize_url: what spellings of one resource have in common, and no more [RFC 3986 §6.2.2.1, §6.2.3]") {
    struct Row {
        const char* text;
        const char* normal;
    };
    const Row rows[] = {
        {"HTTPS://API.Example", "https://api.example/"},
        {"https://api.example:443/", "https://api.example/"},
        {"https://api.example:", "https://api.example/"},
        {"http://api.example:80?x", "http://api.example/?x"},
        {"https://api.example:80/", "https://api.example:80/"},
        {"http://[::1]:8080", "http://[::1]:8080/"},
        {"https://[2001:DB8::1]/", "https://[2001:db8::1]/"},
        {"https://api.example/MCP", "https://api.example/MCP"},
        {"https://api.example/mcp/", "https://api.example/mcp/"},
        {"https://api.example/%7e/../a", "https://api.example/%7e/../a"},
        {"https://api.example/?Q", "https://api.example/?Q"},
        {"https://U@api.example/", "https://U@api.example/"},
        {"URN:Example:API", "urn:Example:API"},
        {"api://App/x", "api://app/x"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(normalize_url(row.text) == row.normal);
        CHECK(normalize_url(row.normal) == row.normal);
    }
    for (const char* refused : {"", "api", "//api.example/", "https://api.example/ x"}) {
        CAPTURE(refused);
        CHECK_FALSE(normalize_url(refused));
    }
}

TEST_CASE("served_paths: below the base path, and without it") {
    CHECK(served_paths("https://h.example/auth", {"/token"}) == std::vector<std::string>{"/auth/token", "/token"});
    CHECK(served_paths("https://h.example", {"/token"}) == std::vector<std::string>{"/token"});
    CHECK(served_paths("https://h.example/auth", {}).empty());
}

TEST_CASE("canonical_host: one spelling of a name and of an IPv6 address [RFC 5952 §4]") {
    struct Row {
        const char* host;
        const char* canonical;
    };
    const Row rows[] = {
        {"Login.Example.ORG", "login.example.org"},
        {"127.0.0.1", "127.0.0.1"},
        {"[::1]", "[::1]"},
        {"[0:0:0:0:0:0:0:1]", "[::1]"},
        {"[2001:0DB8:0000::00A1]", "[2001:db8::a1]"},
        {"[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
        {"[2001:db8:0:1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"},
        {"[2001:db8::2]", "[2001:db8::2]"},
        {"2001:DB8::2", "2001:db8::2"},  // no host of a URL
        {"[Name]", "[name]"},
        {"[", "["},
        {"", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.host);
        CHECK(canonical_host(row.host) == row.canonical);
    }
}
