// How results are printed: JSON for programs, aligned text for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "util/clock.h"

namespace postern::cli {

/// Pretty JSON and a newline on standard output.
void print_json(const json::Value& value);

/// "name  value" lines with the values in one column. Pairs with an empty value are left out. Values are made safe for
/// a terminal.
void print_fields(const std::vector<std::pair<std::string, std::string>>& fields);

/// A heading line and rows, each column as wide as its widest cell.
void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows);

/// 2026-01-02 03:04:05 UTC
std::string to_text(util::Time time);
/// "a b c"
std::string join(const std::vector<std::string>& words, std::string_view separator = " ");
/// "text", made safe for a terminal and a message of one line.
std::string in_quotes(std::string_view text);
inline std::string yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace postern::cli
