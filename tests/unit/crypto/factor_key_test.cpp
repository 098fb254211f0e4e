#include "crypto/seal.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/error.h"

using namespace postern;
using crypto::parse_factor_keys;

namespace {

std::string letters(const char* keys) {
    std::string bytes;
    for (; *keys; ++keys) bytes += std::string(32, *keys);
    return bytes;
}

}  // namespace

TEST_CASE("parse_factor_keys: one, two or three keys, and the same bytes come of them [FKEY-2]") {
    struct Row {
        const char* file;
        const char* sealing;
        const char* codes;
        const char* previous;
        const char* written;  ///< again
    };
    const Row rows[] = {
        {"a", "a", "a", "", "a"},      {"ba", "b", "a", "", "ba"},    {"baa", "b", "a", "a", "baa"},
        {"cab", "c", "a", "b", "cab"}, {"bba", "b", "b", "a", "bba"}, {"bb", "b", "b", "", "b"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file);
        const auto keys = parse_factor_keys(util::Secret(letters(row.file)));
        CHECK(keys.sealing.reveal() == letters(row.sealing));
        CHECK(keys.codes.reveal() == letters(row.codes));
        CHECK(keys.previous.reveal() == letters(row.previous));
        CHECK(crypto::to_bytes(keys).reveal() == letters(row.written));
    }
}

TEST_CASE("parse_factor_keys: another number of bytes is refused [FKEY-2]") {
    for (const std::size_t size : {0, 1, 31, 33, 63, 65, 95, 97, 128}) {
        CAPTURE(size);
        CHECK_FALSE(crypto::is_factor_key_size(size));
        CHECK_THROWS_AS(parse_factor_keys(util::Secret(std::string(size, 'k'))), crypto::CryptoError);
    }
    for (const std::size_t size : {32, 64, 96}) CHECK(crypto::is_factor_key_size(size));
}
