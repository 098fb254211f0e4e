// A question to a database server whose rows are findings.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cli/doctor/findings.h"

namespace postern::cli {

/// Each row of `sql` is a finding: its columns stand in the place of $1 and $2 in `detail` and `fix`.
struct Query {
    const char* name;
    State state;
    const char* sql;
    const char* detail;
    const char* fix;
};

inline std::string filled(std::string_view text, const std::array<std::string, 2>& values) {
    std::string all;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_place = text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '1' || text[i + 1] == '2');
        all += is_place ? values[static_cast<std::size_t>(text[++i] - '1')] : std::string(1, text[i]);
    }
    return all;
}

/// `parameters` are those of the statement.
template <class... Parameters>
void run(Findings& findings, db::Database& database, const Query& query, const Parameters&... parameters) {
    const bool has_two = std::string_view(query.detail).find("$2") != std::string_view::npos;
    for (auto row = database.query(query.sql, parameters...); row.step();) {
        std::array<std::string, 2> values;
        row >> values[0];
        if (has_two) row >> values[1];
        findings.add({query.name, query.state, filled(query.detail, values), filled(query.fix, values)});
    }
}

/// The roles have the rights that their programs need, and no more.
void check_rights(Findings& findings, db::Database& database);

}  // namespace postern::cli
