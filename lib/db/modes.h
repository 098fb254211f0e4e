// How a connection, a commit and a value are meant.
#pragma once

namespace postern::db {

/// The durability of a commit: whether it survives a power cut before the caller is answered.
enum class Durability {
    full,  ///< synced before commit returns (group commit): for every revocation
    lazy,  ///< survives a crash of the process, a power cut may lose it: for what only grants rights
};

enum class Access { read_write, query_only };

/// The type in which a value is stored. A NULL has the type of the value in whose place it is, which an engine has to
/// know.
enum class Stored { text, integer };

}  // namespace postern::db
