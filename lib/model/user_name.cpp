// What may be the name of a user?
#include "model/user_name.h"

#include <algorithm>
#include <cstddef>

#include "util/text.h"
#include "util/utf8.h"

namespace postern::model {
namespace {

constexpr std::size_t kMaxUserNameBytes = 128;

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

/// RFC 5892 appendix A.1 and A.2.
bool is_joiner(char32_t code_point) { return code_point == 0x200C || code_point == 0x200D; }

}  // namespace

bool is_user_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxUserNameBytes && util::is_utf8(name) &&
           util::displayable(name) == name && util::trim(name) == name;
}

bool is_new_user_name(std::string_view name) {
    if (!is_user_name(name)) return false;
    bool at_the_start = true;
    bool seen = false;  // the character before the place that is looked at can be seen
    while (!name.empty()) {
        const auto step = util::next_utf8(name);
        const char32_t code_point = step.code_point.value_or(0);
        if (is_among(kDefaultIgnorable, code_point) && !is_joiner(code_point)) return false;
        seen = !is_joiner(code_point) && !is_among(kBlank, code_point);
        if (at_the_start && !seen) return false;
        at_the_start = false;
        name.remove_prefix(step.length);
    }
    return seen;
}

}  // namespace postern::model
