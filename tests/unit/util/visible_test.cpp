#include "util/visible.h"

#include <doctest/doctest.h>

#include <string>

#include "util/text.h"

using namespace postern;

namespace {

std::string times(int count, const std::string& text) {
    std::string repeated;
    for (int i = 0; i < count; ++i) repeated += text;
    return repeated;
}

std::string as_json(const std::string& text) {
    std::string literal;
    util::append_json_string(literal, text);
    return literal;
}

}  // namespace

TEST_CASE("can_be_seen: a text of gaps and of what is shown as nothing cannot [CIMD-12, A32]") {
    for (const char* unseen :
         {"", " ", "\t", "\u00a0", "\u00ad\u00ad", "\u034f", "\u115f", "\u3164", "\uffa0", "\u200b", "\u200c\u200d",
          "\u2060", "\ufeff", "\u2800", "\u3000", "\ufe0f", "\U000e0041", " \u200b\u3164\u2800\u00ad "}) {
        CAPTURE(unseen);
        CHECK_FALSE(util::can_be_seen(unseen));
    }
    // A letter among gaps, the neighbours of the Hangul filler, a braille pattern with a dot, a byte that is no
    // character.
    for (const char* seen : {"\u200b\u3164a\u2800", "\u3163", "\u3165", "\u2801", "No\u200btes", ".", "\xff"}) {
        CAPTURE(seen);
        CHECK(util::can_be_seen(seen));
    }
}

TEST_CASE("trim_invisible: nothing that cannot be seen stays at an end, what is inside stays") {
    for (const std::string text :
         {"alice", "alice ", " alice", "alice\t", "alice\r\n", "\u00a0alice\u00a0", "alice\u2003", "\u3000alice",
          "alice\u200b", "\ufeffalice", "\u200ealice\u200f\u202c", "alice\u200d", "alice\u0085",
          " \t\u200b\u00a0alice \u3000\r\n"}) {
        CAPTURE(text);
        CHECK(util::trim_invisible(text) == "alice");
    }
    // Inside; another script; bytes that are not UTF-8; a cut character.
    for (const std::string text :
         {"al ice\u200b b", "\u0622\u0646\u200c\u0647\u0627", ".alice.", "", "\xff", "alice\xe3\x80"}) {
        CAPTURE(text);
        CHECK(util::trim_invisible(text) == text);
        CHECK(util::trim_invisible(" " + text + " \u200b\t") == text);
    }
}

TEST_CASE("is_format: characters of category Cf, and not their neighbours [REG-12]") {
    for (const char32_t format : {U'\u00ad', U'\u0600', U'\u061c', U'\u200b', U'\u200d', U'\u202e', U'\u2060',
                                  U'\u2069', U'\ufeff', U'\ufffb', U'\U0001d173', U'\U000e0001', U'\U000e007f'})
        CHECK(util::is_format(format));
    for (const char32_t other :
         {U'a', U'\u00ac', U'\u0606', U'\u200a', U'\u2010', U'\u2028', U'\u2065', U'\u3164', U'\ufe0f', U'\U000e0100'})
        CHECK_FALSE(util::is_format(other));
}

TEST_CASE("is_combining_mark: what is drawn on the character before it, and not its neighbours") {
    for (const char32_t mark : {U'\u0300', U'\u036f', U'\u0489', U'\u0591', U'\u0651', U'\u0e47', U'\u20dd', U'\ufe0f',
                                U'\U0001d167', U'\U000e01ef'}) {
        CAPTURE(static_cast<unsigned>(mark));
        CHECK(util::is_combining_mark(mark));
    }
    for (const char32_t other : {U'\0', U'a', U'\u02ff', U'\u0370', U'\u05d0', U'\u0627', U'\u093e', U'\u0e01',
                                 U'\u200d', U'\u4e2d', U'\U000e01f0', U'\U0010ffff'}) {
        CAPTURE(static_cast<unsigned>(other));
        CHECK_FALSE(util::is_combining_mark(other));
    }
}

TEST_CASE("displayable: names in use keep their marks, and a stack of them is cut down to four [A32]") {
    struct Row {
        const char* whose;
        std::string name;
        std::string shown;
    };
    const std::string four = times(4, "\u0301");
    const Row kept[] = {
        {"Vietnamese, decomposed", "Nguye\u0302\u0303n Thi\u0323 Huye\u0302\u0300n", ""},
        {"Arabic with harakat", "\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f\u064c", ""},
        {"Hebrew with points and accents", "\u05e9\u05c1\u05b8\u05bc\u0591\u05dc\u05d5\u05b9\u05dd", ""},
        {"Thai", "\u0e19\u0e49\u0e33\u0e1c\u0e36\u0e49\u0e07 \u0e1b\u0e35\u0e48", ""},
        {"Devanagari", "\u0915\u094d\u0937\u093f\u0924\u093f\u091c \u0939\u0942\u0901", ""},
        {"Burmese", "\u101c\u103b\u103e\u102d\u102f\u1037", ""},
        {"Tibetan", "\u0f62\u0f92\u0fb1\u0f74\u0f0b", ""},
        {"a family and a key, as emoji", "\U0001f468\u200d\U0001f469\u200d\U0001f467 1\ufe0f\u20e3", ""},
        {"a letter with four", "a" + four, ""},
    };
    for (const Row& row : kept) {
        CAPTURE(row.whose);
        CHECK(util::displayable(row.name) == row.name);
    }
    const Row cut[] = {
        {"a letter with five", "a" + four + "\u0301", "a" + four},
        {"a letter with very many", "a" + times(200, "\u0301") + "b", "a" + four + "b"},
        {"each letter", times(3, "a" + four + "\u0316"), times(3, "a" + four)},
        {"nothing before them", times(9, "\u0301"), four},
        {"above and below", "a" + times(20, "\u0301\u0316"), "a" + times(2, "\u0301\u0316")},
        {"enclosing ones", "a" + times(9, "\u20dd"), "a" + times(4, "\u20dd")},
        {"of another script", "\u0e01" + times(9, "\u0e47"), "\u0e01" + times(4, "\u0e47")},
        {"with joiners between them", "a" + four + "\u200d" + four, "a" + four + "\u200d"},
        {"with blanks of no width between them", "a" + four + "\u200b" + four, "a" + four + "\u200b"},
        {"the paragraph separator", "a\u2029b\u2028c", "abc"},
    };
    for (const Row& row : cut) {
        CAPTURE(row.whose);
        CHECK(util::displayable(row.name) == row.shown);
        CHECK(util::displayable(row.shown) == row.shown);
    }
}

TEST_CASE("json_string: marks beyond the fourth are escaped, and the text is the same [RFC 8259 §7, A32]") {
    const std::string four = times(4, "\u0301");
    CHECK(as_json("a" + four) == "\"a" + four + "\"");
    CHECK(as_json("a" + four + "\u0301b\u0301") == "\"a" + four + "\\u0301b\u0301\"");
    CHECK(as_json("a" + four + "\U0001d167") == "\"a" + four + "\\ud834\\udd67\"");
}

TEST_CASE("reaches_out: letters from right to left, and marks") {
    for (const char* text : {"\u05d0", "Wiki \u0645", "Huye\u0302n", "\ufb1d", "\U0001e800"})
        CHECK(util::reaches_out(text));
    for (const char* text : {"", "Our wiki", "Zo\u00eb", "\u4e2d\u6587", "\u0416", "6744 6501", "\xff"})
        CHECK_FALSE(util::reaches_out(text));
}
