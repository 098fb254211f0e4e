// Prints results: JSON for programs, aligned text for people.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "util/clock.h"

namespace postern::cli {

/// Keeps the rows of a list until all have been read, because a paused terminal must not keep a snapshot of the
/// database open: SQLite could not reuse free pages meanwhile. Rows beyond a megabyte are in a temporary file without a
/// name, so that a long list is never in memory.
class Spool {
public:
    /// Adds a line, which has no line end in it. Throws Refused when no temporary file can be written.
    void add(std::string_view line);
    /// Calls `visit` for each line in the order in which they came.
    void each_line(const std::function<void(std::string_view)>& visit);

private:
    struct Close {
        void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
    };
    void spill();

    std::string latest_;
    std::unique_ptr<std::FILE, Close> earlier_;
};

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

/// Prints pretty JSON and a newline.
void print_json(const json::Value& value);

/// Prints a JSON array of the values that `to_json` makes of each row, one row a line.
template <class Rows, class ToJson>
void print_json_rows(Rows&& rows, ToJson to_json) {
    JsonRows array;
    for (const auto& row : rows) array.add(to_json(row));
    array.print();
}

/// Prints "name  value" lines with the values in one column. Pairs with an empty value are left out. Values are made
/// safe for a terminal.
void print_fields(const std::vector<std::pair<std::string, std::string>>& fields);

void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows);

/// Prints a table of the cells that `to_cells` makes of each row.
template <class Rows, class ToCells>
void print_table_rows(const std::vector<std::string>& heading, Rows&& rows, ToCells to_cells) {
    Table table(heading);
    for (const auto& row : rows) table.add(to_cells(row));
    table.print();
}

/// Returns the number with its noun: "1 grant", "2 grants"
std::string counted(std::int64_t number, const std::string& noun);
/// Returns the time as people read it: 2026-01-02 03:04:05 UTC
std::string to_text(util::Time time);
/// Returns the time as the log writes it: 2026-01-02T03:04:05Z
std::string log_time(util::Time time);
/// Returns the words with the separator between them: "a b c"
std::string join(const std::vector<std::string>& words, std::string_view separator = " ");
/// Returns the text in quotation marks, made safe for a terminal and a message of one line.
std::string in_quotes(std::string_view text);
inline std::string yes_no(bool value) { return value ? "yes" : "no"; }

struct Field {
    std::string member;  ///< in JSON; "": for people only
    std::string label;   ///< for people; "": in JSON only
    json::Value value = {};
    std::optional<std::string> text = {};  ///< in place of what the value says by itself; "" leaves the line out
};

using Listing = std::vector<Field>;

/// Returns a field with a time: seconds since 1970 for programs, null without one.
Field time_field(const char* member, const char* label, const std::optional<util::Time>& time);

json::Object members_of(const Listing& listing);

/// Prints "label  value" lines: yes and no, the words of a list with blanks between them, nothing for null.
void print_lines(const Listing& listing);

}  // namespace postern::cli
