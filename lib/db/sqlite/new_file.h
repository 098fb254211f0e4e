// A database file that is filled row by row, from another engine. Private to this module.
#pragma once

#include <memory>
#include <string>

#include "db/engine.h"
#include "db/sqlite/temporary_copy.h"

namespace postern::db {

/// A file under a temporary name until `keep`; without `keep` no file is left.
class NewFile {
public:
    enum class For {
        backup,   ///< only its owner can read it
        service,  ///< as `postern init` makes one; refused on a network file system
    };
    /// Makes the file with the tables of schema.sql, and begins a transaction in it. Throws StoreUnusable.
    NewFile(const std::string& path, For use, const os::HeldSignals& signals);

    Connection& connection() { return *connection_; }
    /// Completes the file after the last row: commits, checks the pages, syncs. Throws StoreError.
    void complete();
    /// Gives the file its name. Throws StoreUnusable when the name is taken, StoreError for other failures.
    void keep() const { copy_.finish(signals_); }

private:
    const std::string path_;
    const For use_;
    const os::HeldSignals& signals_;
    TemporaryCopy copy_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace postern::db
