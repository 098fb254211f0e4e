#include "oauth/frontchannel_uri.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace postern;

namespace {

const std::vector<std::string> kRedirectUris = {"https://app.example/cb", "https://App.example:8443/cb",
                                                "com.example.app:/cb", "http://localhost:4000/cb", "https://[::1]/cb"};

/// The problem, or "" when there is none.
std::string problem(const std::string& uri, const std::vector<std::string>& redirect_uris = kRedirectUris) {
    return oauth::frontchannel_uri_problem(uri, redirect_uris).value_or("");
}

}  // namespace

TEST_CASE(
    "frontchannel_uri_problem: scheme, host and port are those of a redirect URI [FCL-1, Front-Channel Logout §2a]") {
    for (const char* uri : {"https://app.example/logout", "https://APP.example:443/logout?a=b", "https://app.example",
                            "https://app.example:8443/", "HTTPS://app.example/logout?next=https://evil.example/"}) {
        CAPTURE(uri);
        CHECK(problem(uri) == "");
    }
    for (const char* uri : {"https://evil.example/logout", "https://app.example:444/",
                            "https://app.example.evil.example/", "https://sub.app.example/", "https://example/",
                            "https://app.example./", "https://evil.example/?app.example"}) {
        CAPTURE(uri);
        CHECK(problem(uri).starts_with("is on another site"));
    }
    CHECK(problem("https://app.example/logout", {}).starts_with("is on another site"));
}

TEST_CASE("frontchannel_uri_problem: what cannot be an address of a frame at all [FCL-1, Front-Channel Logout §2b]") {
    struct Row {
        const char* uri;
        const char* words;
    };
    const Row rows[] = {
        {"", "is empty"},
        {"app.example/logout", "is not an absolute URI"},
        {"//app.example/logout", "is not an absolute URI"},
        {"http://app.example/logout", "does not begin with https://"},
        {"http://localhost:4000/logout", "does not begin with https://"},
        {"com.example.app:/logout", "does not begin with https://"},
        {"javascript:alert(1)", "does not begin with https://"},
        {"data:text/html,x", "does not begin with https://"},
        {"https://app.example/logout#x", "has a fragment"},
        {"https://app.example/logout#", "has a fragment"},
        {"https://alice@app.example/", "has a user name"},
        {"https://*.example/", "contains a wildcard"},
        {"https://app.example/a b", "contains a space"},
        {"https://app.example/\"onload=", "contains \""},
        {"https://app.example/\n", "contains a control character"},
        {"https://app.example:0/", "has a port"},
        {"https://app.example:/", "has a port"},
        {"https:///logout", "has no host"},
        {"https://[::1]/logout", "has a host that Content-Security-Policy cannot name"},
        {"https://a;script-src/", "has a host that Content-Security-Policy cannot name"},
        {"https://my_app.example/", "has a host that Content-Security-Policy cannot name"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        CHECK(problem(row.uri).substr(0, std::string(row.words).size()) == row.words);
        CHECK(problem(row.uri).empty() == std::string(row.words).empty());
    }
    CHECK(problem("https://app.example/" + std::string(2048, 'x')) == "is longer than 2048 bytes");
}

TEST_CASE("frame_source: an origin, and no other text of a header [FCL-1]") {
    struct Row {
        const char* uri;
        std::optional<std::string> source;
    };
    const Row rows[] = {
        {"https://App.example/logout?a=b", "https://app.example"},
        {"https://app.example:8443/", "https://app.example:8443"},
        {"https://192.0.2.1/", "https://192.0.2.1"},
        {"http://app.example/", std::nullopt},
        {"https://a;script-src/", std::nullopt},
        {"https://a,b/", std::nullopt},
        {"https://'self'/", std::nullopt},
        {"https://*.example/", std::nullopt},
        {"https://*/", std::nullopt},
        {"https://a%20b/", std::nullopt},
        {"https://[2001:db8::1]/", std::nullopt},
        {"https:///", std::nullopt},
        {"app.example", std::nullopt},
        {"", std::nullopt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        CHECK(oauth::frame_source(row.uri) == row.source);
    }
    const std::string label(63, 'a');
    const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'a');
    CHECK(oauth::frame_source("https://" + longest) == "https://" + longest);
    CHECK_FALSE(oauth::frame_source("https://a" + longest));
}
