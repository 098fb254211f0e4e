// What is thrown when storage cannot do what it must: answered with 503, never with a guess.
#pragma once

#include <stdexcept>

namespace postern::db {

/// Something is broken (disk, corrupt page, constraint of ours). The text is for the log alone.
struct StoreError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The write lock or the database stayed busy for the whole bounded wait.
struct StoreBusy : StoreError {
    using StoreError::StoreError;
};

/// What was written is committed and seen by everybody, but its sync has failed: it may be gone after a power cut, until a
/// later sync succeeds. Nothing may be promised for it.
struct StoreUnsynced : StoreError {
    using StoreError::StoreError;
};

/// The file cannot be used at all (missing, not ours, another schema version, network file system): the process does
/// not start.
struct StoreUnusable : StoreError {
    using StoreError::StoreError;
};

/// What is in the file cannot be read: only a backup helps.
struct StoreDamaged : StoreUnusable {
    using StoreUnusable::StoreUnusable;
};

}  // namespace postern::db
