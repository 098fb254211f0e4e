#include "factor/cbor.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/cbor_writer.h"

using namespace postern;
using namespace postern::test;
using namespace std::string_literals;
using factor::CborType;
using factor::take_cbor_map;

namespace {

/// No row here has bytes after a map: what is taken is taken whole, what is refused stays.
bool is_map(const std::string& bytes, std::size_t most = factor::kCborMembers) {
    std::string_view rest = bytes;
    const bool is_taken = take_cbor_map(rest, most).has_value();
    CHECK(rest == (is_taken ? "" : bytes));
    return is_taken;
}

/// A map with this item as the value of its one member.
std::string with(const std::string& value) { return "\xA1\x01"s + value; }

std::string members(std::size_t count) {
    std::vector<std::pair<std::string, std::string>> list;
    for (std::size_t i = 0; i < count; ++i) list.emplace_back(cbor_integer(static_cast<int>(i)), "\xF6"s);
    return cbor_map(list);
}

std::string elements(std::size_t count) { return cbor_head(4, count) + std::string(count, '\x00'); }

/// So many arrays in each other.
std::string nested(std::size_t depth) { return std::string(depth, '\x81') + "\x00"s; }

/// So many maps in each other.
std::string nested_maps(std::size_t depth) {
    std::string bytes;
    for (std::size_t i = 0; i < depth; ++i) bytes += "\xA1\x01";
    return bytes + "\x00"s;
}

}  // namespace

TEST_CASE("take_cbor_map: members are found by label and type [WEBAUTHN-7]") {
    const std::string bytes = cbor_map({{cbor_integer(1), cbor_integer(23)},
                                        {cbor_integer(-1), cbor_integer(-257)},
                                        {cbor_integer(1000000), cbor_bytes("raw")},
                                        {cbor_text("text"), cbor_text("\xC3\xA9")},
                                        {cbor_text(""), cbor_map({})},
                                        {cbor_integer(0), elements(0)},
                                        {cbor_text("true"), "\xF5"}});
    std::string_view rest = bytes;
    const auto map = take_cbor_map(rest);
    REQUIRE(map);
    CHECK(rest.empty());
    CHECK(map->size() == 7);
    CHECK(map->find(1).integer() == 23);
    CHECK(map->find(-1).integer() == -257);
    CHECK(map->find(1000000).bytes() == "raw");
    CHECK(map->find("text").text() == "\xC3\xA9");
    CHECK(map->find("").type() == CborType::map);
    CHECK(map->find(0).type() == CborType::array);
    CHECK(map->find("true").type() == CborType::simple);

    CHECK(map->find(2).type() == CborType::none);
    CHECK(map->find("1").type() == CborType::none);
    CHECK_FALSE(map->find(2).integer());
    CHECK_FALSE(map->find(1).bytes());
    CHECK_FALSE(map->find(1).text());
    CHECK_FALSE(map->find(1000000).text());
    CHECK_FALSE(map->find("text").bytes());
    CHECK_FALSE(map->find("text").integer());
}

TEST_CASE("take_cbor_map: integers of 64 bits with a sign; greater ones are items without a value [WEBAUTHN-7]") {
    const struct {
        std::string encoded;
        std::optional<std::int64_t> value;
    } rows[] = {
        // RFC 8949 appendix A
        {"\x00"s, 0},
        {"\x17"s, 23},
        {"\x18\x18"s, 24},
        {"\x18\x64"s, 100},
        {"\x19\x03\xE8"s, 1000},
        {"\x1A\x00\x0F\x42\x40"s, 1000000},
        {"\x1B\x00\x00\x00\xE8\xD4\xA5\x10\x00"s, 1000000000000},
        {"\x1B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, std::nullopt},
        {"\x3B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, std::nullopt},
        {"\x20"s, -1},
        {"\x29"s, -10},
        {"\x38\x63"s, -100},
        {"\x39\x03\xE7"s, -1000},
        // the last ones
        {"\x1B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, std::numeric_limits<std::int64_t>::max()},
        {"\x3B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, std::numeric_limits<std::int64_t>::min()},
        {"\x1B\x80\x00\x00\x00\x00\x00\x00\x00"s, std::nullopt},
        {"\x3B\x80\x00\x00\x00\x00\x00\x00\x00"s, std::nullopt},
    };
    for (const auto& row : rows) {
        const std::string bytes = with(row.encoded);
        std::string_view rest = bytes;
        const auto map = take_cbor_map(rest);
        REQUIRE(map);
        CHECK(map->find(1).integer() == row.value);
    }
}

TEST_CASE("take_cbor_map: only a map, and what follows it stays [WEBAUTHN-7]") {
    for (const std::string& item :
         {""s, "\x00"s, "\x20"s, "\x40"s, "\x60"s, "\x80"s, "\xF5"s, "\xF6"s, "\xFF"s, "\xC0\xA0"s, "{}"s})
        CHECK_FALSE(is_map(item));
    CHECK(is_map("\xA0"));
    const std::string bytes = members(3) + "after";
    std::string_view rest = bytes;
    CHECK(take_cbor_map(rest));
    CHECK(rest == "after");
}

TEST_CASE("take_cbor_map: lengths and integers have their shortest form [WEBAUTHN-7]") {
    const std::pair<std::string, std::string> rows[] = {
        // shortest, one step longer
        {"\x17"s, "\x18\x17"s},
        {"\x18\xFF"s, "\x19\x00\xFF"s},
        {"\x19\xFF\xFF"s, "\x1A\x00\x00\xFF\xFF"s},
        {"\x1A\xFF\xFF\xFF\xFF"s, "\x1B\x00\x00\x00\x00\xFF\xFF\xFF\xFF"s},
        {"\x37"s, "\x38\x17"s},
        {"\x41g"s, "\x58\x01g"s},
        {"\x61g"s, "\x78\x01g"s},
        {"\x81\x00"s, "\x98\x01\x00"s},
        {"\xA1\x00\x00"s, "\xB8\x01\x00\x00"s},
    };
    for (const auto& [shortest, longer] : rows) {
        CHECK(is_map(with(shortest)));
        CHECK_FALSE(is_map(with(longer)));
    }
    CHECK_FALSE(is_map("\xB8\x01\x00\x00"s));
    CHECK_FALSE(is_map("\xA1\x18\x01\x00"s));  // the label
}

TEST_CASE("take_cbor_map: no indefinite length, tag, float or other simple value [WEBAUTHN-7]") {
    const std::vector<std::string> rows[] = {
        {"\x5F\x41g\xFF"s, "\x7F\x61g\xFF"s, "\x9F\x00\xFF"s, "\xBF\x00\x00\xFF"s},           // of indefinite length
        {"\xC0\x60"s, "\xC2\x41\x01"s, "\xD8\x18\x40"s},                                      // tags
        {"\xF9\x3C\x00"s, "\xFA\x47\xC3\x50\x00"s, "\xFB\x3F\xF1\x99\x99\x99\x99\x99\x9A"s},  // floats
        {"\xF7"s, "\xE0"s, "\xF0"s, "\xF3"s, "\xF8\x18"s, "\xF8\xFF"s, "\xFF"s},  // undefined, simple values, break
        {"\x1C"s, "\x1D"s, "\x1E"s, "\x1F"s, "\x3F"s, "\x5C"s, "\xFC"s},          // reserved heads
    };
    for (const auto& row : rows)
        for (const std::string& item : row) {
            CAPTURE(static_cast<int>(static_cast<unsigned char>(item.front())));
            CHECK_FALSE(is_map(with(item)));
        }
    CHECK_FALSE(is_map("\xBF\xFF"s));
    for (const std::string& item : {"\xF4"s, "\xF5"s, "\xF6"s}) CHECK(is_map(with(item)));
}

TEST_CASE("take_cbor_map: a label is an integer or text, and once in its map [WEBAUTHN-7]") {
    for (const std::string& label : {"\x00"s, "\x20"s, "\x60"s, "\x61g"s}) CHECK(is_map("\xA1"s + label + "\x00"s));
    for (const std::string& label : {"\x40"s, "\x80"s, "\xA0"s, "\xF4"s, "\xF6"s})
        CHECK_FALSE(is_map("\xA1"s + label + "\x00"s));
    const std::string one = cbor_integer(1) + cbor_integer(0);
    const std::string text = cbor_text("1") + cbor_integer(0);
    CHECK(is_map("\xA3"s + one + text + cbor_integer(-2) + cbor_integer(0)));
    CHECK_FALSE(is_map("\xA2"s + one + one));
    CHECK_FALSE(is_map("\xA2"s + text + text));
    CHECK_FALSE(is_map("\xA3"s + one + text + one));
    CHECK_FALSE(is_map("\xA3"s + text + one + cbor_text("1") + cbor_bytes("another value")));
    CHECK_FALSE(is_map(with("\xA2"s + one + one)));                                // in a map inside
    CHECK_FALSE(is_map(with("\x81\xA2"s + text + text)));                          // and in an array
    CHECK_FALSE(is_map("\xA2\x1B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00\x00\x00"s));  // too great for a label
}

TEST_CASE("take_cbor_map: text is UTF-8, bytes are any [WEBAUTHN-7]") {
    CHECK(is_map(with("\x62\xC3\xA9"s)));
    CHECK(is_map(with("\x42\xC3\xC3"s)));
    for (const std::string& text : {"\x62\xC3\xC3"s, "\x61\xC3"s, "\x61\x80"s, "\x62\xC0\x80"s, "\x63\xED\xA0\x80"s})
        CHECK_FALSE(is_map(with(text)));
}

TEST_CASE("take_cbor_map: 4 levels, and as many members as the caller allows, 32 inside [WEBAUTHN-7]") {
    CHECK(is_map(nested_maps(4)));
    CHECK_FALSE(is_map(nested_maps(5)));
    CHECK(is_map(with(nested(3))));
    CHECK_FALSE(is_map(with(nested(4))));
    CHECK_FALSE(is_map(nested_maps(100000)));
    CHECK_FALSE(is_map(with(nested(100000))));

    CHECK(is_map(members(32)));
    CHECK_FALSE(is_map(members(33)));
    CHECK_FALSE(is_map(members(33), 1000));
    CHECK(is_map(members(8), 8));
    CHECK_FALSE(is_map(members(9), 8));
    CHECK(is_map(members(0), 0));
    CHECK_FALSE(is_map(members(1), 0));
    CHECK(is_map(with(elements(32)), 1));
    CHECK_FALSE(is_map(with(elements(33))));
    CHECK(is_map(with(members(32)), 1));
    CHECK_FALSE(is_map(with(members(33))));
}

TEST_CASE("take_cbor_map: a length is believed when its bytes are there [WEBAUTHN-7]") {
    for (const int major : {0x40, 0x60, 0x80, 0xA0}) {
        for (const std::string& length :
             {"\x1A\x10\x00\x00\x00"s, "\x1A\xFF\xFF\xFF\xFF"s, "\x1B\x00\x00\x00\x01\x00\x00\x00\x00"s,
              "\x1B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, "\x1B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s}) {
            std::string head = length;
            head.front() = static_cast<char>(head.front() | major);
            CHECK_FALSE(is_map(with(head + "some bytes")));
            CHECK_FALSE(is_map(head));
        }
    }
    CHECK(is_map(with(cbor_bytes(std::string(70000, 'x')))));
    CHECK_FALSE(is_map(with(cbor_head(2, 70001) + std::string(70000, 'x'))));
}

TEST_CASE("take_cbor_map: a map that ends too early is refused, wherever it ends [WEBAUTHN-7]") {
    const std::string whole = cbor_map({{cbor_integer(1), cbor_integer(1000000)},
                                        {cbor_text("a label"), cbor_bytes("and bytes")},
                                        {cbor_text("b"), cbor_map({{cbor_integer(-7), elements(3)}})},
                                        {cbor_text("c"), cbor_text("last")}});
    CHECK(is_map(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) CHECK_FALSE(is_map(whole.substr(0, length)));
}
