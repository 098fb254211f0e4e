// Finds a user in the state in which a credential of it was checked.
#include "store/unchanged_user.h"

#include "store/users.h"

namespace postern::store {

namespace {

std::optional<std::string> find_name(db::Database& database, const model::Subject& subject, std::int64_t stamp) {
    auto row =
        database.query("SELECT username FROM users WHERE subject = $1 AND enabled = 1 AND stamp = $2", subject, stamp);
    if (!row.step()) return std::nullopt;
    return row.text(0);
}

}  // namespace

bool is_user_unchanged(db::Database& database, const model::Subject& subject, std::int64_t stamp) {
    return find_name(database, subject, stamp).has_value();
}

std::optional<std::string> find_unchanged_user(db::Transaction& transaction, const model::Subject& subject,
                                               std::int64_t stamp) {
    lock_user(transaction, subject);
    return find_name(transaction.database(), subject, stamp);
}

}  // namespace postern::store
