#include "factor/typed_code.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <set>

using namespace postern;

namespace {

/// Gives what it was given.
class ListedRandom final : public crypto::Random {
public:
    explicit ListedRandom(std::deque<std::string> list) : list_(std::move(list)) {}
    std::string bytes(std::size_t count) override {
        if (list_.empty()) return std::string(count, '\0');
        const std::string next = list_.front();
        list_.pop_front();
        CHECK(next.size() == count);
        return next;
    }

private:
    std::deque<std::string> list_;
};

}  // namespace

TEST_CASE("make_recovery_codes: ten of sixteen digits, all different [CODE-1]") {
    crypto::SystemRandom random;
    std::set<std::string> all;
    for (int i = 0; i < 20; ++i) {
        const auto codes = factor::make_recovery_codes(random);
        CHECK(codes.size() == 10);
        all.insert(codes.begin(), codes.end());
    }
    CHECK(all.size() == 200);
    std::set<char> first;
    for (const std::string& code : all) {
        CHECK(code.size() == 16);
        CHECK(code.find_first_not_of("0123456789") == code.npos);
        first.insert(code.front());
    }
    CHECK(first.size() == 10);
}

TEST_CASE("make_recovery_codes: numbers beyond the last multiple of ten to the sixteenth are drawn again [CODE-1]") {
    // 2^64 is 1844.67 times 10^16, so from 1844 * 10^16 = 0xFFE80A4CFA340000 on.
    ListedRandom random({std::string(8, '\xFF'), std::string("\xFF\xE8\x0A\x4C\xFA\x34\x00\x00", 8),
                         std::string("\xFF\xE8\x0A\x4C\xFA\x33\xFF\xFF", 8), std::string("\0\0\0\0\0\0\0\x07", 8)});
    const auto codes = factor::make_recovery_codes(random);
    CHECK(codes[0] == "9999999999999999");
    CHECK(codes[1] == "0000000000000007");
}

TEST_CASE("recovery_code_hash: another one for another key, user or code [CODE-3]") {
    const util::Secret key(std::string(32, 'k'));
    const model::Subject ada("ada");
    const auto hash = factor::recovery_code_hash(key, ada, "1234567890123456");
    CHECK(hash.size() == factor::kCodeKeyNameSize + 64);
    CHECK(hash == factor::recovery_code_hash(key, ada, "1234567890123456"));
    CHECK(hash != factor::recovery_code_hash(key, ada, "1234567890123457"));
    CHECK(hash != factor::recovery_code_hash(key, model::Subject("bob"), "1234567890123456"));
    CHECK(hash != factor::recovery_code_hash(util::Secret(std::string(32, 'l')), ada, "1234567890123456"));
    // python3: hmac("k" * 32, "postern name of the key of recovery codes v1")[:16], and
    // hmac(hmac("k" * 32, "postern recovery code v1"), "ada 1234567890123456"), SHA-256: rows stay valid
    CHECK(hash == "cc12025f247c16ea.9bc79ca6a5f8e4308ba6cc48b47181c80242808fde57559bf7a4af2930746a41");
    CHECK(hash.starts_with(factor::code_key_name(key)));
    CHECK(factor::code_key_name(key).size() == factor::kCodeKeyNameSize);
}

TEST_CASE("recovery_code_hash: the key of codes decides, whatever seals the secrets [FKEY-2] [CODE-3]") {
    const model::Subject ada("ada");
    const auto hash = [&](const char* letters) {
        std::string bytes;
        for (; *letters; ++letters) bytes += std::string(32, *letters);
        return factor::recovery_code_hash(util::Secret(std::move(bytes)), ada, "1234567890123456");
    };
    for (const char* file : {"ba", "baa", "cab"}) CHECK(hash(file) == hash("a"));
    for (const char* file : {"b", "bba", "ab", "aba"}) CHECK(hash(file) != hash("a"));
    CHECK(hash("bba") == hash("b"));
    CHECK(factor::code_key_name(util::Secret(std::string(32, 'b') + std::string(32, 'a'))) ==
          factor::code_key_name(util::Secret(std::string(32, 'a'))));
}
