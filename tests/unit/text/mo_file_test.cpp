// Which bytes are a catalogue, and what is found in it.
#include "text/catalogue.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "unit/text/compiled.h"

using namespace postern;
using test::compiled;
using text::MoFile;

TEST_CASE("MoFile: each message is found by its key, in both byte orders, and others are not [I18N-2]") {
    for (const bool big_endian : {false, true}) {
        CAPTURE(big_endian);
        const std::string bytes =
            compiled({{"", "header"}, {"b", "2"}, {"a", "1"}, {"c\4a", "3"}, {"z", ""}}, big_endian);
        const MoFile file(bytes);
        CHECK(file.size() == 5);
        CHECK(file.find("") == "header");
        CHECK(file.find("a") == "1");
        CHECK(file.find("b") == "2");
        CHECK(file.find("c\4a") == "3");
        CHECK(file.find("z") == "");
        for (const char* key : {"c", "aa", "A", "zz", "4"}) CHECK_FALSE(file.find(key));
        CHECK(file.key(1) == "a");
    }
}

TEST_CASE("MoFile: bytes that are no catalogue are refused, and none outside of them is read [I18N-3, L40]") {
    const std::string good = compiled({{"a", "1"}, {"b", "2"}});
    CHECK_NOTHROW(MoFile{good});
    for (std::size_t size = 0; size < 28; ++size) CHECK_THROWS_AS(MoFile{good.substr(0, size)}, std::runtime_error);
    std::string other = good;
    other[0] = 'x';
    CHECK_THROWS_AS(MoFile{other}, std::runtime_error);
    other = good;
    other[4] = 1;  // the revision
    CHECK_THROWS_AS(MoFile{other}, std::runtime_error);
    for (const std::size_t number : {8, 12, 16}) {  // how many, and where the tables are
        other = good;
        other[number + 3] = '\x7f';
        CHECK_THROWS_AS(MoFile{other}, std::runtime_error);
    }
    // Each byte of the tables turned into each other: a string lies within the file or is not there.
    for (std::size_t at = 28; at < 60; ++at)
        for (int value = 0; value < 256; ++value) {
            other = good;
            other[at] = static_cast<char>(value);
            const MoFile file(other);
            for (const char* key : {"a", "b", "c"})
                if (const auto found = file.find(key)) CHECK(found->size() <= other.size());
        }
}
