// Finds a user in the state in which a credential of it was checked.
#include "store/unchanged_user.h"

#include "store/users.h"

namespace postern::store {

std::optional<std::string> find_unchanged_user(db::Transaction& transaction, const model::Subject& subject,
                                               std::int64_t stamp) {
    lock_user(transaction, subject);
    auto row = transaction.database().query(
        "SELECT username FROM users WHERE subject = $1 AND enabled = 1 AND stamp = $2", subject, stamp);
    if (!row.step()) return std::nullopt;
    return row.text(0);
}

}  // namespace postern::store
