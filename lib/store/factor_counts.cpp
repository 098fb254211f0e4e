// Decides which users count as having a second factor, by the rule by which a login asks for one (second_factor.cpp).
#include "store/factor_counts.h"

namespace postern::store {
namespace {

std::int64_t first(db::Statement row) { return row.step() ? row.integer(0) : 0; }

// Follows a condition on the user `u`.
#define POSTERN_WITHOUT_FACTOR                                                                     \
    " AND u.enabled = 1 AND NOT EXISTS (SELECT 1 FROM totp_secrets t WHERE t.subject = u.subject)" \
    " AND NOT EXISTS (SELECT 1 FROM recovery_codes c WHERE c.subject = u.subject AND c.used_at IS NULL)"

constexpr const char* kMissingOfAll = "SELECT count(*) FROM users u WHERE TRUE" POSTERN_WITHOUT_FACTOR;
constexpr const char* kMissingOfMarked =
    "SELECT count(*) FROM users u WHERE (u.second_factor = 1 OR u.subject IN (SELECT m.subject"
    " FROM group_members m JOIN groups g ON g.name = m.group_name WHERE g.second_factor = 1))" POSTERN_WITHOUT_FACTOR;

}  // namespace

FactorCounts count_factors(db::Database& database, Demand demand) {
    FactorCounts counts;
    counts.app = first(database.query(
        "SELECT count(*) FROM totp_secrets t JOIN users u ON u.subject = t.subject WHERE u.enabled = 1"));
    counts.codes =
        first(database.query("SELECT count(DISTINCT c.subject) FROM recovery_codes c JOIN users u"
                             " ON u.subject = c.subject WHERE u.enabled = 1 AND c.used_at IS NULL"));
    if (demand == Demand::all) counts.missing = first(database.query(kMissingOfAll));
    if (demand == Demand::marked) counts.missing = first(database.query(kMissingOfMarked));
    return counts;
}

MarkedCounts count_marked(db::Database& database) {
    return {.users = first(database.query("SELECT count(*) FROM users WHERE second_factor = 1")),
            .groups = first(database.query("SELECT count(*) FROM groups WHERE second_factor = 1"))};
}

}  // namespace postern::store
