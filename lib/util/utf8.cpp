// Which byte sequences are a character: the table of RFC 3629 §4.
#include "util/utf8.h"

namespace postern::util {
namespace {

/// One line of the grammar: lead bytes, and the range of the byte that follows; later bytes are 80-BF.
struct SequenceRow {
    unsigned char first_lead;
    unsigned char last_lead;
    std::size_t length;
    unsigned char lowest_second;
    unsigned char highest_second;
};

constexpr SequenceRow kRows[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},  // below A0: overlong
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F},                               // above 9F: surrogates
    {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF},                               // below 90: overlong
    {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},                               // above 8F: beyond U+10FFFF
};

const SequenceRow* find_row(unsigned char lead) {
    for (const SequenceRow& row : kRows) {
        if (lead >= row.first_lead && lead <= row.last_lead) return &row;
    }
    return nullptr;
}

/// The bits of a lead byte that belong to the code point.
char32_t lead_bits(unsigned char lead, std::size_t length) { return length == 1 ? lead : lead & (0x7FU >> length); }

}  // namespace

Utf8Step next_utf8(std::string_view bytes) {
    const auto lead = static_cast<unsigned char>(bytes.front());
    const SequenceRow* row = find_row(lead);
    if (row == nullptr) return {std::nullopt, 1};
    char32_t code_point = lead_bits(lead, row->length);
    for (std::size_t i = 1; i < row->length; ++i) {
        // Bytes before the offending one are skipped together, so that a truncated character counts once.
        if (i == bytes.size()) return {std::nullopt, i};
        const auto byte = static_cast<unsigned char>(bytes[i]);
        const unsigned char lowest = i == 1 ? row->lowest_second : 0x80;
        const unsigned char highest = i == 1 ? row->highest_second : 0xBF;
        if (byte < lowest || byte > highest) return {std::nullopt, i};
        code_point = (code_point << 6U) | (byte & 0x3FU);
    }
    return {code_point, row->length};
}

std::size_t valid_utf8_prefix(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        if (static_cast<unsigned char>(bytes[at]) < 0x80) {
            ++at;
            continue;
        }
        const Utf8Step step = next_utf8(bytes.substr(at));
        if (!step.code_point) break;
        at += step.length;
    }
    return at;
}

bool is_bidi_control(char32_t code_point) {
    return code_point == 0x061C || code_point == 0x200E || code_point == 0x200F ||
           (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
}

bool is_control(char32_t code_point) { return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F); }

}  // namespace postern::util
