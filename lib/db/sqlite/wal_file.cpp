// Decides how the WAL is synced, and written again after a failed sync.
#include "db/sqlite/wal_file.h"

#include <algorithm>
#include <vector>

namespace postern::db {
namespace {

constexpr int kChunk = 65536;

/// SQLite's own file object of the WAL; nullptr if there is none.
sqlite3_file* wal_of(sqlite3* connection) {
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return nullptr;
    return file && file->pMethods ? file : nullptr;
}

bool copy_onto_itself(sqlite3_file* file) {
    sqlite3_int64 size = 0;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return false;
    std::vector<char> bytes(kChunk);
    for (sqlite3_int64 at = 0; at < size; at += kChunk) {
        const int count = static_cast<int>(std::min<sqlite3_int64>(kChunk, size - at));
        if (file->pMethods->xRead(file, bytes.data(), count, at) != SQLITE_OK) return false;
        if (file->pMethods->xWrite(file, bytes.data(), count, at) != SQLITE_OK) return false;
    }
    return true;
}

}  // namespace

bool WalFile::sync() {
    sqlite3_file* file = wal_of(connection_.handle());
    return file && file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

// In a write transaction, so that no other program writes to the WAL, not even one that ignores the write lock.
bool WalFile::write_again() {
    try {
        connection_.begin(Durability::lazy, connection_.wait);
    } catch (const StoreError&) {
        return false;
    }
    sqlite3_file* file = wal_of(connection_.handle());
    const bool is_written = file && copy_onto_itself(file);
    connection_.roll_back();
    return is_written;
}

}  // namespace postern::db
