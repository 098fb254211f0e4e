// Passes the care of a database to its engine.
#include "db/maintenance.h"

#include "db/engine.h"

namespace postern::db {

std::chrono::milliseconds clock_offset(Database& database) { return database.connection().clock_offset(); }

std::string take_warning(Database& database) { return database.connection().take_warning(); }

std::chrono::milliseconds away_for(Database& database) { return database.connection().away_for(); }

bool has_moved(const Database& database) { return database.connection().has_moved(); }

void checkpoint_if_due(Database& database) noexcept { database.connection().checkpoint_if_due(); }

void checkpoint(Database& database) { database.connection().checkpoint(); }

int schema_version(Database& database) { return database.connection().schema_version(); }

}  // namespace postern::db
