#include "oidc/logout_frames.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern;

namespace {

oidc::LogoutFrames frames(const std::vector<std::string>& uris) {
    return oidc::logout_frames(uris, "https://op.example/a&b", model::Sid("s/1"));
}

}  // namespace

TEST_CASE("logout_frames: iss and sid are added to the registered query [FCL-1, Front-Channel Logout §2c, §3b]") {
    struct Row {
        const char* registered;
        const char* loaded;
    };
    constexpr const char* kAdded = "iss=https%3A%2F%2Fop.example%2Fa%26b&sid=s%2F1";
    const Row rows[] = {
        {"https://app.example/out", "https://app.example/out?"},
        {"https://app.example", "https://app.example?"},
        {"https://app.example/out?", "https://app.example/out?"},
        {"https://app.example/out?a=1&b=%20+", "https://app.example/out?a=1&b=%20+&"},
        {"https://app.example/out?a=1&", "https://app.example/out?a=1&"},
        {"https://app.example/out?sid=mine", "https://app.example/out?sid=mine&"},
        {"https://app.example/a'b;c", "https://app.example/a'b;c?"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.registered);
        CHECK(frames({row.registered}).urls == std::vector<std::string>{std::string(row.loaded) + kAdded});
    }
}

TEST_CASE("logout_frames: each origin is named once, in the order of the frames [FCL-1]") {
    CHECK(frames({}) == oidc::LogoutFrames{});
    const auto found = frames({"https://b.example/1", "https://a.example:8443/", "https://B.example/2"});
    CHECK(found.urls.size() == 3);
    CHECK(found.sources == std::vector<std::string>{"https://b.example", "https://a.example:8443"});
}

TEST_CASE("logout_frames: an address that the policy cannot name has no frame, whatever the store holds [FCL-1]") {
    const auto found =
        frames({"http://a.example/", "https://x;script-src/", "javascript:alert(1)", "https://b.example/"});
    CHECK(found.urls.size() == 1);
    CHECK(found.sources == std::vector<std::string>{"https://b.example"});
}

TEST_CASE("logout_frames: twenty at most, those that come first [FCL-2]") {
    std::vector<std::string> uris;
    for (int i = 0; i < 25; ++i) uris.push_back("https://app" + std::to_string(i) + ".example/");
    const auto found = frames(uris);
    REQUIRE(found.urls.size() == oidc::kMaxLogoutFrames);
    CHECK(oidc::kMaxLogoutFrames == 20);
    CHECK(found.urls.back().starts_with("https://app19.example/"));
    CHECK(found.sources.size() == 20);
}

TEST_CASE("logout_frames: long origins fit into the header that web servers read by default [FCL-2]") {
    const std::string label(60, 'a');
    const std::string domain = "." + label + "." + label + "." + label + ".example";
    std::vector<std::string> uris;
    for (int i = 10; i < 30; ++i) uris.push_back("https://a" + std::to_string(i) + domain + "/");
    uris.emplace_back("https://short.example/");        // still fits
    uris.push_back("https://a10" + domain + "/again");  // is named already
    const auto found = frames(uris);
    std::size_t bytes = 0;
    for (const std::string& source : found.sources) bytes += source.size();
    CHECK(bytes <= oidc::kMaxFrameSources);
    CHECK(found.sources.size() == 11);
    CHECK(found.sources.back() == "https://short.example");
    CHECK(found.urls.size() == 12);
    CHECK(found.urls.back().starts_with("https://a10" + domain + "/again?"));
}
