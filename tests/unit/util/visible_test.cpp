#include "util/visible.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

TEST_CASE("can_be_seen: a text of gaps and of what is shown as nothing cannot [CIMD-12, A32]") {
    struct Row {
        const char* when;
        const char* text;
        bool seen;
    };
    const Row rows[] = {
        {"nothing", "", false},
        {"a space", " ", false},
        {"a tab", "\t", false},
        {"no-break space", "\u00a0", false},
        {"soft hyphens", "\u00ad\u00ad", false},
        {"combining grapheme joiner", "\u034f", false},
        {"Hangul choseong filler", "\u115f", false},
        {"Hangul filler", "\u3164", false},
        {"halfwidth Hangul filler", "\uffa0", false},
        {"zero width space", "\u200b", false},
        {"joiners", "\u200c\u200d", false},
        {"word joiner", "\u2060", false},
        {"byte order mark", "\ufeff", false},
        {"braille blank", "\u2800", false},
        {"ideographic space", "\u3000", false},
        {"variation selector", "\ufe0f", false},
        {"a tag", "\U000e0041", false},
        {"several of them", " \u200b\u3164\u2800\u00ad ", false},
        {"a letter among them", "\u200b\u3164a\u2800", true},
        {"the neighbours of the Hangul filler", "\u3163", true},
        {"the neighbour behind it", "\u3165", true},
        {"a braille pattern with a dot", "\u2801", true},
        {"a zero width space inside a word", "No\u200btes", true},
        {"a full stop", ".", true},
        {"a byte that is no character", "\xff", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(util::can_be_seen(row.text) == row.seen);
    }
}

TEST_CASE("trim_invisible: nothing that cannot be seen stays at an end, what is inside stays") {
    struct Row {
        const char* when;
        std::string text;
        std::string trimmed;
    };
    const Row rows[] = {
        {"nothing to do", "alice", "alice"},
        {"a blank behind", "alice ", "alice"},
        {"a blank before", " alice", "alice"},
        {"a tab", "alice\t", "alice"},
        {"CR LF", "alice\r\n", "alice"},
        {"no-break space", "\u00a0alice\u00a0", "alice"},
        {"em space", "alice\u2003", "alice"},
        {"ideographic space", "\u3000alice", "alice"},
        {"zero width space", "alice\u200b", "alice"},
        {"byte order mark", "\ufeffalice", "alice"},
        {"direction marks", "\u200ealice\u200f\u202c", "alice"},
        {"a joiner at the end", "alice\u200d", "alice"},
        {"next line, C1", "alice\u0085", "alice"},
        {"several", " \t\u200b\u00a0alice \u3000\r\n", "alice"},
        {"inside", " al ice\u200b b ", "al ice\u200b b"},
        {"other scripts", " \u0622\u0646\u200c\u0647\u0627 ", "\u0622\u0646\u200c\u0647\u0627"},
        {"punctuation", ".alice.", ".alice."},
        {"nothing else", " \u200b\t", ""},
        {"nothing", "", ""},
        {"bytes that are not UTF-8", " \xff ", "\xff"},
        {"a cut character", "alice\xe3\x80", "alice\xe3\x80"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(util::trim_invisible(row.text) == row.trimmed);
    }
}
