// Names that clients give themselves: what people can read, and what only looks like it.
#include "oauth/registered_name.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern;

TEST_CASE("registered_name_problem: hostile names are refused, names of all scripts are not [REG-12]") {
    struct Row {
        const char* when;
        std::string name;
        bool good;
    };
    const std::string e_acute = "e\xCC\x81", grave = "\xCC\x80", zwj = "\xE2\x80\x8D", zwnj = "\xE2\x80\x8C";
    const std::vector<Row> rows = {
        {"plain", "Wiki of Ada", true},
        {"256 bytes", std::string(256, 'a'), true},
        {"257 bytes", std::string(257, 'a'), false},
        {"nothing", "", false},
        {"a blank", " ", false},
        {"a no-break space", "\xC2\xA0", false},
        {"an empty braille pattern", "\xE2\xA0\x80", false},
        {"not UTF-8", "\xFF", false},
        {"overlong", "\xC0\xAF", false},
        {"a line end", "a\nb", false},
        {"NUL", std::string("a\0b", 3), false},
        {"DEL", "a\x7F", false},
        {"C1", "a\xC2\x85", false},
        {"a line separator",
         "a\xE2\x80\xA8"
         "b",
         false},
        {"a paragraph separator",
         "a\xE2\x80\xA9"
         "b",
         false},
        {"right-to-left override",
         "gepj.\xE2\x80\xAE"
         "exe",
         false},
        {"an isolate",
         "\xE2\x81\xA6"
         "a\xE2\x81\xA9",
         false},
        {"a right-to-left mark", "a\xE2\x80\x8F", false},
        {"an Arabic letter mark",
         "a\xD8\x9C"
         "b",
         false},
        {"a zero width space", "Goo\xE2\x80\x8Bgle", false},
        {"a word joiner", "Goo\xE2\x81\xA0gle", false},
        {"a soft hyphen", "Goo\xC2\xADgle", false},
        {"a byte order mark", "\xEF\xBB\xBFGoogle", false},
        {"a Hangul filler", "Google\xE3\x85\xA4", false},
        {"a tag character", "Google\xF3\xA0\x81\x81", false},
        {"an annotation",
         "a\xEF\xBF\xB9"
         "b",
         false},
        {"a joiner between ASCII letters", "Goo" + zwj + "gle", false},
        {"a joiner at the end", "Google" + zwj, false},
        {"a joiner before a blank", "\xD9\x85" + zwnj + " ", false},
        {"two joiners", "\xD9\x85" + zwnj + zwnj + "\xD9\x85", false},
        {"Persian with a non-joiner", "\xD9\x85\xDB\x8C" + zwnj + "\xD8\xAE\xD9\x88\xD8\xA7\xD9\x87\xD9\x85", true},
        {"a Persian ending behind ASCII letters", "Android" + zwnj + "\xD9\x87\xD8\xA7", true},
        {"Sinhala with a joiner", "\xE0\xB6\x9A\xE0\xB7\x8A" + zwj + "\xE0\xB6\xBB", true},
        {"Vietnamese, decomposed", "a\xCC\x82\xCC\x81", true},
        {"two marks", e_acute + grave, true},
        {"three marks", e_acute + grave + grave, false},
        {"a stack with joiners in it", "\xD9\x85" + grave + grave + zwj + grave + grave, false},
        {"many marks, one on each", e_acute + e_acute + e_acute, true},
        {"Japanese", "\xE6\x97\xA5\xE6\x9C\xAC", true},
        {"Arabic", "\xD9\x88\xD9\x8A\xD9\x83\xD9\x8A", true},
        {"an emoji", "\xF0\x9F\x98\x80", true},
        {"an emoji with a variation selector", "App \xE2\x9D\xA4\xEF\xB8\x8F", true},
        {"markup", "<b>Bank</b>", true},  // shown as it is
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(oauth::registered_name_problem(row.name).has_value() != row.good);
    }
}
