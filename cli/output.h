// How results are printed: JSON for programs, aligned text for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/spool.h"
#include "json/value.h"
#include "util/clock.h"

namespace postern::cli {

/// An array with a row on each line, for lists of any length: the rows are in a Spool until all have been read.
class JsonRows {
public:
    void add(const json::Value& row);
    void print();

private:
    Spool rows_;
};

/// A heading line and rows, each column as wide as its widest cell. Cells are made safe for a terminal.
class Table {
public:
    explicit Table(const std::vector<std::string>& heading) { add(heading); }
    void add(const std::vector<std::string>& cells);
    void print();

private:
    std::vector<std::size_t> columns_;
    Spool rows_;
};

/// Pretty JSON and a newline on standard output.
void print_json(const json::Value& value);

/// A JSON array of what `to_json` makes of each row, one row a line.
template <class Rows, class ToJson>
void print_json_rows(Rows&& rows, ToJson to_json) {
    JsonRows array;
    for (const auto& row : rows) array.add(to_json(row));
    array.print();
}

/// "name  value" lines with the values in one column. Pairs with an empty value are left out. Values are made safe for
/// a terminal.
void print_fields(const std::vector<std::pair<std::string, std::string>>& fields);

void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows);

/// The same with what `to_cells` makes of each row.
template <class Rows, class ToCells>
void print_table_rows(const std::vector<std::string>& heading, Rows&& rows, ToCells to_cells) {
    Table table(heading);
    for (const auto& row : rows) table.add(to_cells(row));
    table.print();
}

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
