// Whether schema.sql and schema-postgresql.sql are the same tables, as each engine reports what it made of them.
#include <algorithm>
#include <regex>
#include <set>

#include "unit/store/fixture.h"

namespace postern {
namespace {

using namespace test;
using Lines = std::set<std::string>;

constexpr const char* kOfSqlite[] = {
    "SELECT m.name || '.' || p.name || ' ' || (p.cid + 1) || ' ' || replace(lower(p.type), 'integer', 'bigint')"
    " || CASE p.\"notnull\" WHEN 1 THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || p.dflt_value, '')"
    " FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'",
    "SELECT m.name || CASE l.origin WHEN 'pk' THEN ' PRIMARY KEY ' ELSE ' UNIQUE ' END"
    " || (SELECT group_concat(i.name, ', ') FROM pragma_index_info(l.name) i)"
    " FROM sqlite_master m, pragma_index_list(m.name) l WHERE m.type = 'table' AND l.origin <> 'c'",
    "SELECT m.name || ' FOREIGN KEY ' || f.\"from\" || ' REFERENCES ' || f.\"table\" || ' ' || f.\"to\""
    " || ' ON DELETE ' || f.on_delete"
    " FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
    "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
};

constexpr const char* kOfPostgresql[] = {
    "SELECT table_name || '.' || column_name || ' ' || ordinal_position || ' ' || data_type"
    " || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || column_default, '')"
    " FROM information_schema.columns WHERE table_schema = current_schema()",
    "SELECT CAST(CAST(conrelid AS regclass) AS text) || ' ' || pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = CAST(current_schema() AS regnamespace) AND contype IN ('p', 'u', 'f', 'c')",
    "SELECT replace(indexdef, schemaname || '.', '') FROM pg_indexes WHERE schemaname = current_schema()"
    " AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname AND contype IN ('p', 'u'))",
};

/// In the words that both have, without parentheses.
std::string plain(std::string text) {
    constexpr const char* kWords[][2] = {
        {"--[^\n]*", ""},    {"::(text|bigint)", ""},
        {"USING btree", ""}, {"[()\"]", " "},
        {"\\s+", " "},       {"= ANY ARRAY\\[ ?", "IN "},
        {"\\]", ""},         {" ,", ","},
        {"strpos", "instr"}, {" +$", ""},
    };
    for (const auto& [from, to] : kWords) text = std::regex_replace(text, std::regex(from), to);
    return text;
}

/// From the text of a table, because SQLite has no other form of them.
void add_checks_of_sqlite(Lines& lines, const std::string& table, const std::string& definition) {
    for (auto at = definition.find("CHECK ("); at != std::string::npos; at = definition.find("CHECK (", at + 1)) {
        std::size_t end = definition.find('(', at) + 1;
        for (int depth = 1; depth > 0; ++end)
            depth += definition.at(end) == '(' ? 1 : definition.at(end) == ')' ? -1 : 0;
        lines.insert(plain(table + " " + definition.substr(at, end - at)));
    }
}

template <std::size_t N>
Lines described(db::Database& database, const char* const (&queries)[N]) {
    Lines lines;
    for (const char* query : queries) {
        for (auto row = database.prepare(query); row.step();) lines.insert(plain(row.text(0)));
    }
    return lines;
}

Lines described_sqlite() {
    auto database = db::Database::in_memory();
    Lines lines = described(database, kOfSqlite);
    for (auto table = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'"); table.step();)
        add_checks_of_sqlite(lines, table.text(0), std::regex_replace(table.text(1), std::regex("--[^\n]*"), ""));
    // An index of SQLite ends with the key by itself; PostgreSQL is told where the order needs it.
    auto by_kept_until = lines.extract("CREATE INDEX grants_by_kept_until ON grants kept_until");
    REQUIRE_FALSE(by_kept_until.empty());
    lines.insert(by_kept_until.value() + ", id");
    return lines;
}

/// What PostgreSQL alone has: the version, which is a pragma of SQLite; the column whose privilege is to lock a row;
/// how keys reach other nodes, because a database file has none; and the marks of what was used once, which are in
/// files of their own there.
bool is_its_own(const std::string& line) {
    constexpr const char* kTables[] = {"schema_version", "key_files", "key_nodes", "replays"};
    return mentions(line, ".gate ") || mentions(line, " ON replays ") ||
           std::ranges::any_of(kTables, [&](const char* table) { return line.starts_with(table); });
}

TEST_CASE("both schemas: the same tables, columns, keys, indexes and conditions") {
    const Lines sqlite = described_sqlite();
    auto database = empty_database();
    const Lines postgresql = described(database, kOfPostgresql);
    for (const auto& line : sqlite) CHECK_MESSAGE(postgresql.contains(line), "SQLite alone: " << line);
    for (const auto& line : postgresql) {
        if (!is_its_own(line)) CHECK_MESSAGE(sqlite.contains(line), "PostgreSQL alone: " << line);
    }
}

TEST_CASE("both schemas: keys are compared byte by byte") {
    auto database = empty_database();
    auto column = database.prepare(
        "SELECT DISTINCT CAST(i.indrelid AS regclass) || '.' || a.attname, c.collname FROM pg_index i"
        " JOIN pg_class t ON t.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)"
        " JOIN pg_collation c ON c.oid = a.attcollation"
        " WHERE t.relnamespace = CAST(current_schema() AS regnamespace)");
    int seen = 0;
    for (; column.step(); ++seen) CHECK_MESSAGE(column.text(1) == "C", column.text(0));
    CHECK(seen > 20);
}

}  // namespace
}  // namespace postern
