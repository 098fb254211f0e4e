// Which characters can be seen: two tables of Unicode.
#include "util/visible.h"

#include <algorithm>
#include <cstddef>

#include "util/utf8.h"

namespace postern::util {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Unicode 15.0, DerivedCoreProperties.txt, Default_Ignorable_Code_Point: shown as nothing at all.
constexpr Range kDefaultIgnorable[] = {
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian variation selectors and vowel separator
    {0x200B, 0x200F},    // zero width space, joiners, direction marks
    {0x202A, 0x202E},    // direction
    {0x2060, 0x206F},    // word joiner, invisible operators, direction
    {0x3164, 0x3164},    // Hangul filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // zero width no-break space, the byte order mark
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFF8},    // unassigned
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical symbols
    {0xE0000, 0xE0FFF},  // tags and variation selectors
};

// Unicode 15.0, PropList.txt, White_Space, without control characters; and the braille pattern without a dot.
constexpr Range kBlank[] = {{0x0020, 0x0020}, {0x00A0, 0x00A0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
                            {0x202F, 0x202F}, {0x205F, 0x205F}, {0x2800, 0x2800}, {0x3000, 0x3000}};

template <std::size_t size>
bool is_among(const Range (&ranges)[size], char32_t code_point) {
    return std::ranges::any_of(
        ranges, [&](const Range& range) { return range.first <= code_point && code_point <= range.last; });
}

/// Bytes that are not UTF-8 are shown as U+FFFD.
bool is_visible(const Utf8Step& step) {
    return !step.code_point ||
           !(is_control(*step.code_point) || is_ignorable(*step.code_point) || is_blank(*step.code_point));
}

}  // namespace

bool is_ignorable(char32_t code_point) { return is_among(kDefaultIgnorable, code_point); }

bool is_blank(char32_t code_point) { return is_among(kBlank, code_point); }

std::string_view trim_invisible(std::string_view text) {
    std::size_t begin = text.size();
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto step = next_utf8(text.substr(at));
        const std::size_t next = at + step.length;
        if (is_visible(step)) {
            begin = std::min(begin, at);
            end = next;
        }
        at = next;
    }
    return text.substr(begin, end - std::min(begin, end));
}

bool can_be_seen(std::string_view text) { return !trim_invisible(text).empty(); }

}  // namespace postern::util
