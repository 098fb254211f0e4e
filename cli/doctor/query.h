// A question to a database server whose rows are findings.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cli/doctor/findings.h"
#include "util/shell_command.h"

namespace postern::cli {

/// Each row of `sql` is a finding: its columns stand in the place of $1 and $2 in `detail`, and in `fix` as names of
/// SQL, or as a text where single quotes are around them.
struct Query {
    const char* name;
    State state;
    const char* sql;
    const char* detail;
    const char* fix;
};

using Values = std::array<std::string, 2>;

/// `write` is told a value and whether a single quote stands before its place.
template <class Write>
std::string filled(std::string_view text, const Values& values, Write write) {
    std::string all;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_place = text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '1' || text[i + 1] == '2');
        const bool is_quoted = i > 0 && text[i - 1] == '\'';
        all += is_place ? write(values[static_cast<std::size_t>(text[++i] - '1')], is_quoted) : std::string(1, text[i]);
    }
    return all;
}

inline std::string filled_detail(std::string_view text, const Values& values) {
    return filled(text, values, [](const std::string& value, bool) { return value; });
}

/// The fix is there to be copied into psql, and a role or a database can have any name.
inline std::string filled_fix(std::string_view text, const Values& values) {
    return filled(text, values, [](const std::string& value, bool is_quoted) {
        return is_quoted ? util::sql_text(value) : util::sql_identifier(value);
    });
}

/// `parameters` are those of the statement.
template <class... Parameters>
void run(Findings& findings, db::Database& database, const Query& query, const Parameters&... parameters) {
    const bool has_two = std::string_view(query.detail).find("$2") != std::string_view::npos;
    for (auto row = database.query(query.sql, parameters...); row.step();) {
        Values values;
        row >> values[0];
        if (has_two) row >> values[1];
        findings.add({query.name, query.state, filled_detail(query.detail, values), filled_fix(query.fix, values)});
    }
}

/// The roles have the rights that their programs need, and no more.
void check_rights(Findings& findings, db::Database& database);

}  // namespace postern::cli
