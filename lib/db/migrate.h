// Brings the database of an earlier release to the schema of this one.
#pragma once

#include <chrono>
#include <string>

#include "db/database.h"

namespace postern::db {

struct Migration {
    int from = 0;
    int to = 0;        ///< kSchemaVersion
    std::string copy;  ///< the database as it was; "" when there was nothing to do
};

/// How users have logged in until now: earlier schemas do not say.
enum class FormerLogins { by_password, by_web_server };

/// All steps or none: one transaction, with the write lock held from before the copy is made until it is committed. The
/// copy lies next to the database, named after the version it has: `postern.db.v1`. Throws StoreUnusable for a schema
/// that is newer or that no release had, and when there is such a copy already. Sessions and grants of before version 4
/// are logins by password from then on, or of a kind that is not known (STORE-5).
Migration migrate(const std::string& path, std::chrono::milliseconds lock_wait = std::chrono::seconds(5),
                  FormerLogins former = FormerLogins::by_password);

}  // namespace postern::db
