// The random sources and the identifiers made of them.
#include "crypto/random.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "crypto/digest.h"
#include "util/base64.h"

using namespace postern;

namespace {

/// Hands out what it was given: shows what an identifier is made of.
class Recorded final : public crypto::Random {
public:
    std::string bytes(std::size_t count) override {
        asked += count;
        return std::string(count, '\xFF');
    }
    std::size_t asked = 0;
};

}  // namespace

TEST_CASE("SystemRandom gives as many bytes as asked, different ones each time") {
    crypto::SystemRandom random;
    CHECK(random.bytes(0).empty());
    CHECK(random.bytes(1).size() == 1);
    CHECK(random.bytes(1000).size() == 1000);
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) seen.insert(random.bytes(16));
    CHECK(seen.size() == 100);
}

TEST_CASE("SeededRandom repeats itself for one seed and differs for another") {
    crypto::SeededRandom one("seed");
    crypto::SeededRandom same("seed");
    crypto::SeededRandom other("seeds");
    const std::string first = one.bytes(80);
    CHECK(first.size() == 80);
    CHECK(first == same.bytes(80));
    CHECK(first != other.bytes(80));
    CHECK(first != one.bytes(80));
    CHECK(first.substr(0, 32) != first.substr(32, 32));
    CHECK(first.substr(0, 32) == crypto::sha256("seed:0"));
}

TEST_CASE("random_token carries 256 bits and random_id 128, as base64url [RFC 6749 §2.3.1f, §10.10, A05, F2-52]") {
    Recorded recorded;
    CHECK(crypto::random_token(recorded) == util::base64url_encode(std::string(32, '\xFF')));
    CHECK(recorded.asked == 32);
    CHECK(crypto::random_id(recorded) == util::base64url_encode(std::string(16, '\xFF')));
    CHECK(recorded.asked == 48);

    crypto::SystemRandom random;
    CHECK(crypto::random_token(random).size() == 43);
    CHECK(crypto::random_id(random).size() == 22);
    CHECK(crypto::random_token(random) != crypto::random_token(random));
}

TEST_CASE("random_id: never begins as an option would") {
    /// 0xF8 becomes "-" in front.
    struct DashFirst final : crypto::Random {
        int asked = 0;
        std::string bytes(std::size_t count) override { return std::string(count, ++asked < 3 ? '\xF8' : '\x01'); }
    };
    DashFirst random;
    CHECK(crypto::random_id(random) == util::base64url_encode(std::string(16, '\x01')));
    CHECK(random.asked == 3);
}
