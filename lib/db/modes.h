// How a connection, a commit and a value are meant.
#pragma once

namespace postern::db {

/// Whether the commit survives a power cut before the caller is answered.
enum class Durability {
    full,  ///< synced before commit returns (group commit): for every revocation
    lazy,  ///< survives a crash of the process, a power cut may lose it: for what only grants rights
};

enum class Access { read_write, query_only };

/// How a value is stored: what a NULL would be, which an engine has to know.
enum class Stored { text, integer };

}  // namespace postern::db
