// The exceptions for when storage fails: answered with 503, never with a guess.
#pragma once

#include <stdexcept>

namespace postern::db {

/// Something is broken (disk, corrupt page, one of our constraints). The text is for the log alone.
struct StoreError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The write lock or the database stayed busy for the whole bounded wait.
struct StoreBusy : StoreError {
    using StoreError::StoreError;
};

/// Another transaction or a lost connection was in the way: nothing was written, and the same transaction may succeed
/// when it is run again, which db::write does.
struct StoreConflict : StoreBusy {
    enum class Kind {
        transient,   ///< serialization, deadlock, a server that went away
        constraint,  ///< a row that this one refers to is gone, or another transaction inserted the same key first
    };
    StoreConflict(const std::string& text, Kind why) : StoreBusy(text), kind(why) {}
    Kind kind;
};

/// The commit is visible to every process, but its sync failed: until a later sync succeeds, a power cut may lose it.
/// Do not report success to the client.
struct StoreUnsynced : StoreError {
    using StoreError::StoreError;
};

/// The answer to a COMMIT was lost: it happened, it did not, or it still may. Do not report success to the client.
struct CommitUnknown : StoreUnsynced {
    using StoreUnsynced::StoreUnsynced;
};

/// The file cannot be used at all (missing, not ours, another schema version, network file system): the process does
/// not start.
struct StoreUnusable : StoreError {
    using StoreError::StoreError;
};

/// The content of the file is damaged: restore a backup.
struct StoreDamaged : StoreUnusable {
    using StoreUnusable::StoreUnusable;
};

}  // namespace postern::db
