// A database file that is filled row by row, from another engine. Private to this module.
#pragma once

#include <memory>
#include <string>

#include "db/engine.h"
#include "db/sqlite/temporary_copy.h"

namespace postern::db {

/// Under a temporary name until `keep`; without it nothing is left.
class NewFile {
public:
    enum class For {
        backup,   ///< only its owner can read it
        service,  ///< as `postern init` makes one; refused on a network file system
    };
    /// With the tables of schema.sql, and in a transaction. Throws StoreUnusable.
    NewFile(const std::string& path, For use, const os::HeldSignals& signals);

    Connection& connection() { return *connection_; }
    /// After the last row: commits, checks the pages, syncs. Throws StoreError.
    void complete();
    /// Gives it its name. Throws StoreUnusable when that is taken, StoreError.
    void keep() const { copy_.finish(signals_); }

private:
    const std::string path_;
    const For use_;
    const os::HeldSignals& signals_;
    TemporaryCopy copy_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace postern::db
