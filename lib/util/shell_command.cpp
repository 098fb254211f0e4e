// Quotes words for shells and names for SQL, so that an operator who copies a command runs that command and no other.
#include "util/shell_command.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "util/text.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace postern::util {
namespace {

constexpr std::string_view kPlainMarks = "_./:@%+,-";

/// Nothing of it means something to a shell, wherever in a word it stands.
bool is_plain(std::string_view value) {
    return !value.empty() && std::ranges::all_of(value, [](char c) {
        return is_letter(c) || is_digit(c) || kPlainMarks.find(c) != std::string_view::npos;
    });
}

bool is_shown_as_it_is(const Utf8Step& step) {
    if (!step.code_point) return false;
    const char32_t c = *step.code_point;
    return c == ' ' || (!is_control(c) && !is_bidi_control(c) && !is_ignorable(c) && !is_blank(c));
}

/// Also not where a terminal would get fewer marks on a character than there are.
bool is_shown_as_it_is(std::string_view value) {
    if (displayable(value) != value) return false;
    while (!value.empty()) {
        const Utf8Step step = next_utf8(value);
        if (!is_shown_as_it_is(step)) return false;
        value.remove_prefix(step.length);
    }
    return true;
}

std::string in_single_quotes(std::string_view value) {
    std::string word = "'";
    for (const char c : value) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// A quotation mark is an escape, too: to a shell that does not know the form, the word ends at the next one.
std::string in_dollar_quotes(std::string_view value) {
    std::string word = "$'";
    for (const char c : value) {
        const bool is_itself = is_letter(c) || is_digit(c) || kPlainMarks.find(c) != std::string_view::npos;
        std::array<char, 5> escape{};
        std::snprintf(escape.data(), escape.size(), "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
        word += is_itself ? std::string(1, c) : escape.data();
    }
    return word + "'";
}

std::string doubled(std::string_view text, char mark) {
    std::string all;
    for (const char c : text) all.append(c == mark ? 2 : 1, c);
    return all;
}

std::string in_unicode_quotes(std::string_view name) {
    std::string all = "U&\"";
    while (!name.empty()) {
        const Utf8Step step = next_utf8(name);
        std::array<char, 9> escape{};
        std::snprintf(escape.data(), escape.size(), "\\+%06x", static_cast<unsigned>(step.code_point.value_or(0xFFFD)));
        const bool is_mark = step.code_point && is_combining_mark(*step.code_point);
        const bool is_itself = is_shown_as_it_is(step) && !is_mark && name.front() != '"' && name.front() != '\\';
        all += is_itself ? std::string(name.substr(0, step.length)) : escape.data();
        name.remove_prefix(step.length);
    }
    return all + "\"";
}

}  // namespace

std::string shell_word(std::string_view value) {
    if (is_plain(value)) return std::string(value);
    return is_shown_as_it_is(value) ? in_single_quotes(value) : in_dollar_quotes(value);
}

ShellCommand& ShellCommand::value(std::string_view value) {
    if (value.starts_with('-') && !has_ended_options_) {
        add("--");
        has_ended_options_ = true;
    }
    return add(shell_word(value));
}

ShellCommand& ShellCommand::path(std::string_view path) {
    return add(shell_word((path.starts_with('-') ? "./" : "") + std::string(path)));
}

std::string sql_identifier(std::string_view name) {
    const bool is_plain = !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
    });
    if (is_plain) return std::string(name);
    return is_shown_as_it_is(name) ? '"' + doubled(name, '"') + '"' : in_unicode_quotes(name);
}

}  // namespace postern::util
