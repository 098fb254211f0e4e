// The rights of each program's role on a server.
#pragma once

namespace postern::db {

/// grants-postgresql.sql as it was when the program was built: `postern init` runs it, `postern doctor` compares with
/// it.
extern const char* const kPostgresGrantsSql;

}  // namespace postern::db
