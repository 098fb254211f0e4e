// Decides what the tables of a database are, by asking its engine.
#include "db/tables.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "db/database.h"
#include "db/error.h"

namespace postern::db {
namespace {

constexpr std::string_view kVersionTable = "schema_version";

// Of each column: its table, its name, whether it is a number, and its place in the primary key, from 1; 0: none.
constexpr Text kColumns = {
    "SELECT m.name, p.name, p.type = 'INTEGER', p.pk FROM sqlite_master m, pragma_table_info(m.name) p"
    " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, p.cid",
    "SELECT t.relname, a.attname, a.atttypid = CAST('bigint' AS regtype),"
    " COALESCE(array_position(CAST(k.indkey AS smallint[]), a.attnum) + 1, 0)"
    " FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped"
    " LEFT JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary"
    " WHERE t.relkind = 'r' AND t.relnamespace = CAST(current_schema() AS regnamespace)"
    " ORDER BY t.relname, a.attnum"};

// Table, column, the table that it refers to, and the column there.
constexpr Text kReferences = {
    "SELECT m.name, f.\"from\", f.\"table\", f.\"to\" FROM sqlite_master m, pragma_foreign_key_list(m.name) f"
    " WHERE m.type = 'table' ORDER BY m.name, f.id",
    "SELECT t.relname, a.attname, r.relname, b.attname FROM pg_constraint c"
    " JOIN pg_class t ON t.oid = c.conrelid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.conkey[1]"
    " JOIN pg_class r ON r.oid = c.confrelid JOIN pg_attribute b ON b.attrelid = r.oid AND b.attnum = c.confkey[1]"
    " WHERE c.contype = 'f' AND t.relnamespace = CAST(current_schema() AS regnamespace)"
    " ORDER BY t.relname, c.conname"};

template <class Action>
void for_each_row(Connection& connection, const Text& text, Action action) {
    const char* sql = connection.has_row_locks() ? text.postgres : text.sqlite;
    for (InUse row(connection.prepare(sql)); row->step();) action(*row);
}

using Tables = std::map<std::string, Table>;

std::string word(const PreparedStatement& row, int column) { return std::string(row.text(column)); }

void add_column(Tables& tables, const PreparedStatement& row) {
    Table& table = tables[word(row, 0)];
    table.name = word(row, 0);
    const std::string column = word(row, 1);
    table.columns.push_back({column, row.integer(2) != 0 ? Stored::integer : Stored::text});
    const auto place = static_cast<std::size_t>(row.integer(3));
    if (place == 0) return;
    table.key.resize(std::max(table.key.size(), place));
    table.key[place - 1] = column;
}

/// Adds a table behind those that it refers to.
void add_in_order(std::vector<Table>& ordered, const Tables& tables, const std::string& name) {
    if (std::ranges::find(ordered, name, &Table::name) != ordered.end()) return;
    const Table& table = tables.at(name);
    for (const Reference& reference : table.references) {
        if (reference.table != name) add_in_order(ordered, tables, reference.table);
    }
    ordered.push_back(table);
}

}  // namespace

bool Table::has(std::string_view column) const {
    return std::ranges::find(columns, column, &Column::name) != columns.end();
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

const char* kept_text(std::string sql) {
    static std::set<std::string> texts;
    return texts.insert(std::move(sql)).first->c_str();
}

void execute(Connection& connection, const std::string& text) {
    const char* sql = kept_text(text);
    InUse(connection.prepare(sql))->step();
}

std::vector<Table> read_tables(Connection& connection) {
    Tables tables;
    for_each_row(connection, kColumns, [&](const PreparedStatement& row) { add_column(tables, row); });
    for_each_row(connection, kReferences, [&](const PreparedStatement& row) {
        tables.at(word(row, 0)).references.push_back({word(row, 1), word(row, 2), word(row, 3)});
    });
    std::vector<Table> ordered;
    for (const auto& [name, table] : tables) {
        if (name != kVersionTable) add_in_order(ordered, tables, name);
    }
    return ordered;
}

std::vector<Table> common_tables(Connection& source, Connection& target) {
    const std::vector<Table> there = read_tables(target);
    std::vector<Table> common;
    for (Table& table : read_tables(source)) {
        const auto same = std::ranges::find(there, table.name, &Table::name);
        if (same == there.end()) continue;
        std::erase_if(table.columns, [&](const Column& column) { return !same->has(column.name); });
        common.push_back(std::move(table));
    }
    return common;
}

}  // namespace postern::db
