#include "jose/good_signatures.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using postern::jose::GoodSignatures;

TEST_CASE("GoodSignatures: holds what was added, and nothing else, least of all nothing") {
    GoodSignatures good;
    const auto token = GoodSignatures::digest_of("a.b.c");
    CHECK_FALSE(good.holds(token));
    CHECK_FALSE(good.holds(GoodSignatures::Digest{}));
    good.add(token);
    CHECK(good.holds(token));
    for (const char* other : {"a.b.C", "a.b.", "a.b.c ", ""}) CHECK_FALSE(good.holds(GoodSignatures::digest_of(other)));
    for (std::size_t at = 0; at < token.size(); ++at) {
        auto near = token;
        near[at] = static_cast<char>(near[at] ^ 1);
        CHECK_FALSE(good.holds(near));
    }
}

TEST_CASE("GoodSignatures: has an end, and whoever comes later has the place") {
    GoodSignatures good;
    std::vector<GoodSignatures::Digest> all;
    for (int i = 0; i < 20'000; ++i) {
        all.push_back(GoodSignatures::digest_of(std::to_string(i)));
        good.add(all.back());
        CHECK(good.holds(all.back()));
    }
    std::size_t held = 0;
    for (const auto& digest : all) held += good.holds(digest) ? 1 : 0;
    CHECK(held <= 2048);
    CHECK(held > 1800);
}

TEST_CASE("GoodSignatures: a copy remembers, and goes its own way") {
    GoodSignatures good;
    const auto before = GoodSignatures::digest_of("before");
    const auto after = GoodSignatures::digest_of("after");
    good.add(before);
    GoodSignatures copy = good;
    copy.add(after);
    CHECK(copy.holds(before));
    CHECK_FALSE(good.holds(after));
}
