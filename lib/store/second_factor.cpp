// Must this user log in with a second factor, and is there one?
#include "store/second_factor.h"

#include "store/columns.h"

namespace postern::store {
namespace {

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

SecondFactorState find_second_factor(db::Database& database, const model::Subject& subject, std::string_view rp_id) {
    auto row = database.query(
        "SELECT CASE WHEN u.second_factor = 1 OR EXISTS (SELECT 1 FROM group_members m JOIN groups g"
        " ON g.name = m.group_name WHERE m.subject = u.subject AND g.second_factor = 1) THEN 1 ELSE 0 END,"
        " CASE WHEN EXISTS (SELECT 1 FROM totp_secrets t WHERE t.subject = u.subject) OR EXISTS (SELECT 1"
        " FROM recovery_codes c WHERE c.subject = u.subject AND c.used_at IS NULL) THEN 1 ELSE 0 END,"
        " CASE WHEN EXISTS (SELECT 1 FROM passkeys p WHERE p.subject = u.subject AND p.rp_id = $2"
        " AND p.suspended_at IS NULL) THEN 1 ELSE 0 END,"
        " CASE WHEN EXISTS (SELECT 1 FROM passkeys p WHERE p.subject = u.subject AND p.rp_id = $2"
        " AND p.suspended_at IS NOT NULL) THEN 1 ELSE 0 END, u.stamp, u.enrol_until FROM users u WHERE u.subject = $1",
        subject, rp_id);
    SecondFactorState state;
    if (row.step())
        row >> state.demanded >> state.code >> state.passkey >> state.suspended >> state.stamp >> state.enrol_until;
    state.available = state.code || state.passkey;
    return state;
}

void let_enrol(db::Transaction& transaction, const model::Subject& subject, util::Time until) {
    transaction.run("UPDATE users SET enrol_until = $2 WHERE subject = $1", subject, until);
}

bool demand_second_factor(db::Transaction& transaction, const model::Subject& subject, bool demanded) {
    return transaction.run("UPDATE users SET second_factor = $2 WHERE subject = $1", subject, demanded) == 1;
}

bool demand_second_factor_of_group(db::Transaction& transaction, std::string_view group, bool demanded) {
    return transaction.run("UPDATE groups SET second_factor = $2 WHERE name = $1", group, demanded) == 1;
}

bool must_have_second_factor(db::Database& database, const model::Subject& subject) {
    return database.query("SELECT 1 FROM users WHERE subject = $1 AND second_factor = 1", subject).step();
}

bool is_demanded_of_group(db::Database& database, std::string_view group) {
    return database.query("SELECT 1 FROM groups WHERE name = $1 AND second_factor = 1", group).step();
}

FactorCounts count_factors(db::Database& database, Demand demand, std::string_view rp_id) {
    FactorCounts counts;
    counts.app = number_of(database.query(
        "SELECT count(*) FROM totp_secrets t JOIN users u ON u.subject = t.subject WHERE u.enabled = 1"));
    counts.codes =
        number_of(database.query("SELECT count(DISTINCT c.subject) FROM recovery_codes c JOIN users u"
                                 " ON u.subject = c.subject WHERE u.enabled = 1 AND c.used_at IS NULL"));
    counts.passkeys = number_of(
        database.query("SELECT count(DISTINCT p.subject) FROM passkeys p JOIN users u ON u.subject = p.subject"
                       " WHERE u.enabled = 1 AND p.rp_id = $1 AND p.suspended_at IS NULL",
                       rp_id));
    if (demand == Demand::all) counts.missing = number_of(database.query(kMissingOfAll, rp_id));
    if (demand == Demand::marked) counts.missing = number_of(database.query(kMissingOfMarked, rp_id));
    return counts;
}

std::int64_t count_former_passkeys(db::Database& database, std::string_view rp_id) {
    return number_of(database.query("SELECT count(*) FROM passkeys WHERE rp_id <> $1", rp_id));
}

MarkedCounts count_marked(db::Database& database) {
    return {.users = number_of(database.query("SELECT count(*) FROM users WHERE second_factor = 1")),
            .groups = number_of(database.query("SELECT count(*) FROM groups WHERE second_factor = 1"))};
}

}  // namespace postern::store
