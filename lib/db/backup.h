// An online backup of the database in one file.
#pragma once

#include <string>

#include "db/database.h"

namespace postern::db {

/// Copies a snapshot to `target`, a new file that only its owner can read. The copy is written under a temporary name,
/// checked and synced, and gets its name last. Throws StoreUnusable when `target` exists or cannot be made, StoreError
/// when the copy or its check fails. Then no file is left. SIGINT, SIGTERM, SIGHUP and SIGQUIT take effect when the
/// copy has been removed; the next backup into the directory removes what a killed one left. Writers do not wait.
void back_up(Database& source, const std::string& target);

}  // namespace postern::db
