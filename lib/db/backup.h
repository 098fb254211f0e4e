// A copy of the database in one file, taken while others go on writing.
#pragma once

#include <string>

#include "db/database.h"

namespace postern::db {

/// Copies what is committed at one moment to `target`, a new file that only its owner can read, checks the copy and
/// makes it survive a power cut; it has its name when all that is done. Throws StoreUnusable when `target` exists or
/// cannot be made, StoreError when copy or check fail; then, and when a
/// signal ends the program, nothing is left behind. Holds up no writer: readers and
/// writers of a WAL database do not wait for each other.
void back_up(Database& source, const std::string& target);

}  // namespace postern::db
