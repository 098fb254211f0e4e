#include "jose/verified_token_cache.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using postern::jose::VerifiedTokenCache;

TEST_CASE("GoodSignatures: holds what was added, and nothing else, least of all nothing") {
    VerifiedTokenCache good;
    const auto token = VerifiedTokenCache::digest_of("a.b.c");
    CHECK_FALSE(good.holds(token));
    CHECK_FALSE(good.holds(VerifiedTokenCache::Digest{}));
    good.add(token);
    CHECK(good.holds(token));
    for (const char* other : {"a.b.C", "a.b.", "a.b.c ", ""}) CHECK_FALSE(good.holds(VerifiedTokenCache::digest_of(other)));
    for (std::size_t at = 0; at < token.size(); ++at) {
        auto near = token;
        near[at] = static_cast<char>(near[at] ^ 1);
        CHECK_FALSE(good.holds(near));
    }
}

TEST_CASE("GoodSignatures: has an end, and whoever comes later has the place") {
    VerifiedTokenCache good;
    std::vector<VerifiedTokenCache::Digest> all;
    for (int i = 0; i < 20'000; ++i) {
        all.push_back(VerifiedTokenCache::digest_of(std::to_string(i)));
        good.add(all.back());
        CHECK(good.holds(all.back()));
    }
    std::size_t held = 0;
    for (const auto& digest : all) held += good.holds(digest) ? 1 : 0;
    CHECK(held <= 2048);
    CHECK(held > 1800);
}

TEST_CASE("GoodSignatures: a copy remembers, and goes its own way") {
    VerifiedTokenCache good;
    const auto before = VerifiedTokenCache::digest_of("before");
    const auto after = VerifiedTokenCache::digest_of("after");
    good.add(before);
    VerifiedTokenCache copy = good;
    copy.add(after);
    CHECK(copy.holds(before));
    CHECK_FALSE(good.holds(after));
}
