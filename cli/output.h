// How results are printed: JSON for programs, aligned text for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "util/clock.h"

namespace postern::cli {

/// An array on standard output while its rows are being printed.
class JsonRows {
public:
    JsonRows();
    JsonRows(const JsonRows&) = delete;
    JsonRows& operator=(const JsonRows&) = delete;
    ~JsonRows();
    void print(const json::Value& row);

private:
    bool empty_ = true;
};

/// Pretty JSON and a newline on standard output.
void print_json(const json::Value& value);

/// A JSON array of what `to_json` makes of each row, one row a line: neither the text nor the values of a long list are
/// ever in memory as a whole.
template <class Rows, class ToJson>
void print_json_rows(const Rows& rows, ToJson to_json) {
    JsonRows array;
    for (const auto& row : rows) array.print(to_json(row));
}

/// "name  value" lines with the values in one column. Pairs with an empty value are left out. Values are made safe for
/// a terminal.
void print_fields(const std::vector<std::pair<std::string, std::string>>& fields);

/// A heading line and rows, each column as wide as its widest cell.
void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows);

/// "1 grant", "2 grants"
std::string counted(std::int64_t number, const std::string& noun);
/// 2026-01-02 03:04:05 UTC
std::string to_text(util::Time time);
/// As in the log: 2026-01-02T03:04:05Z
std::string log_time(util::Time time);
/// "a b c"
std::string join(const std::vector<std::string>& words, std::string_view separator = " ");
/// "text", made safe for a terminal and a message of one line.
std::string in_quotes(std::string_view text);
inline std::string yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace postern::cli
