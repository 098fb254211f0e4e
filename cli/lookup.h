// Users, clients and groups by the names that were typed.
#pragma once

#include <string>

#include "db/database.h"
#include "model/client.h"
#include "model/group.h"
#include "model/user.h"

namespace postern::cli {

/// By user name, else by subject, which is what tokens and logs show. Throws Refused.
model::User require_user(db::Database& database, const std::string& name);
/// The same for a transaction that writes it back: no other one changes the user meanwhile.
model::User require_user(db::Transaction& transaction, const std::string& name);

/// Throws Refused.
model::Client require_client(db::Database& database, const std::string& id);
/// The same for a transaction that writes it back: no other one changes the client meanwhile.
model::Client require_client(db::Transaction& transaction, const std::string& id);

/// Throws Refused.
model::Group require_group(db::Database& database, const std::string& name);

}  // namespace postern::cli
