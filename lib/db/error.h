// What is thrown when storage cannot do what it must: answered with 503, never with a guess.
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

/// The commit is visible to every process, but its sync failed: until a later sync succeeds, a power cut may lose it.
/// Do not report success to the client.
struct StoreUnsynced : StoreError {
    using StoreError::StoreError;
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
