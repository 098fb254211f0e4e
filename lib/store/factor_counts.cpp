// Decides which users count as having a second factor, by the rule by which a login asks for one (second_factor.cpp).
#include "store/factor_counts.h"

namespace postern::store {
namespace {

std::int64_t first(db::Statement row) { return row.step() ? row.integer(0) : 0; }

// Follows a condition on the user `u`.
#define POSTERN_WITHOUT_FACTOR                                                                           \
    " AND u.enabled = 1 AND NOT EXISTS (SELECT 1 FROM totp_secrets t WHERE t.subject = u.subject)"       \
    " AND NOT EXISTS (SELECT 1 FROM recovery_codes c WHERE c.subject = u.subject AND c.used_at IS NULL)" \
    " AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.subject = u.subject AND p.rp_id = $1 AND p.suspended_at IS NULL)"

constexpr const char* kMissingOfAll = "SELECT count(*) FROM users u WHERE TRUE" POSTERN_WITHOUT_FACTOR;
constexpr const char* kMissingOfMarked =
    "SELECT count(*) FROM users u WHERE (u.second_factor = 1 OR u.subject IN (SELECT m.subject"
    " FROM group_members m JOIN groups g ON g.name = m.group_name WHERE g.second_factor = 1))" POSTERN_WITHOUT_FACTOR;

}  // namespace

FactorCounts count_factors(db::Database& database, Demand demand, std::string_view rp_id) {
    FactorCounts counts;
    counts.app = first(database.query(
        "SELECT count(*) FROM totp_secrets t JOIN users u ON u.subject = t.subject WHERE u.enabled = 1"));
    counts.codes =
        first(database.query("SELECT count(DISTINCT c.subject) FROM recovery_codes c JOIN users u"
                             " ON u.subject = c.subject WHERE u.enabled = 1 AND c.used_at IS NULL"));
    counts.passkeys =
        first(database.query("SELECT count(DISTINCT p.subject) FROM passkeys p JOIN users u ON u.subject = p.subject"
                             " WHERE u.enabled = 1 AND p.rp_id = $1 AND p.suspended_at IS NULL",
                             rp_id));
    if (demand == Demand::all) counts.missing = first(database.query(kMissingOfAll, rp_id));
    if (demand == Demand::marked) counts.missing = first(database.query(kMissingOfMarked, rp_id));
    return counts;
}

std::int64_t count_former_passkeys(db::Database& database, std::string_view rp_id) {
    return first(database.query("SELECT count(*) FROM passkeys WHERE rp_id <> $1", rp_id));
}

MarkedCounts count_marked(db::Database& database) {
    return {.users = first(database.query("SELECT count(*) FROM users WHERE second_factor = 1")),
            .groups = first(database.query("SELECT count(*) FROM groups WHERE second_factor = 1"))};
}

}  // namespace postern::store
