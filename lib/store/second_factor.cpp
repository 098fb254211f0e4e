// Must this user log in with a second factor, and is there one?
#include "store/second_factor.h"

namespace postern::store {

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

}  // namespace postern::store
