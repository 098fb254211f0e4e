#include "jose/jws.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "crypto/digest.h"

using postern::crypto::sha256;
using postern::jose::VerifiedTokenCache;

TEST_CASE("VerifiedTokenCache: contains what was added and nothing else, not the all-zero digest either") {
    VerifiedTokenCache cache;
    const auto token = sha256("a.b.c");
    CHECK(cache.find(token) == nullptr);
    CHECK(cache.find(std::string(32, '\0')) == nullptr);
    cache.add(token, nullptr);
    REQUIRE(cache.find(token) != nullptr);
    CHECK(*cache.find(token) == nullptr);
    for (const char* other : {"a.b.C", "a.b.", "a.b.c ", ""}) CHECK(cache.find(sha256(other)) == nullptr);
    for (std::size_t at = 0; at < token.size(); ++at) {
        auto near = token;
        near[at] = static_cast<char>(near[at] ^ 1);
        CHECK(cache.find(near) == nullptr);
    }
}

TEST_CASE("VerifiedTokenCache: the size is fixed, and a later token replaces an earlier one in its slot") {
    VerifiedTokenCache cache;
    std::vector<std::string> all;
    for (int i = 0; i < 20'000; ++i) {
        all.push_back(sha256(std::to_string(i)));
        cache.add(all.back(), nullptr);
        CHECK(cache.find(all.back()) != nullptr);
    }
    std::size_t held = 0;
    for (const auto& digest : all) held += cache.find(digest) != nullptr ? 1 : 0;
    CHECK(held <= 2048);
    CHECK(held > 1800);
}

TEST_CASE("VerifiedTokenCache: a copy has the entries and is independent") {
    VerifiedTokenCache cache;
    const auto before = sha256("before");
    const auto after = sha256("after");
    const auto claims = std::make_shared<const postern::json::Object>();
    CHECK(cache.add(before, claims) == claims);
    VerifiedTokenCache copy = cache;
    copy.add(after, nullptr);
    REQUIRE(copy.find(before) != nullptr);
    CHECK(*copy.find(before) == claims);
    CHECK(cache.find(after) == nullptr);
}
