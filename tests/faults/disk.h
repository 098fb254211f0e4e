// The disk that this test program gives SQLite: the machine's own, until it is told to fail, to fill up or to be
// watched.
//
// A VFS of SQLite's (sqlite3_vfs_register) in front of the default one, and another in front of "unix-none". Nothing is
// synced for real: what a sync is worth is for the recording to say (power.h).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace postern::test {

/// The requests of SQLite to its disk that can be refused.
enum class Step { open, remove, access, read, write, truncate, sync, size, lock, shm_map, shm_lock };

enum class Fault {
    io_error,     ///< any step fails with its own kind of SQLITE_IOERR
    short_read,   ///< a read brings half of what was asked for
    short_write,  ///< half is written, then SQLITE_IOERR_WRITE
    full,        ///< half is written, then SQLITE_FULL; a truncation to more, new shared memory and a new file fail too
    sync_fails,  ///< SQLITE_IOERR_FSYNC
    locked,      ///< a lock is SQLITE_BUSY
    not_opened,  ///< a file is SQLITE_CANTOPEN
};

enum class Lasting { once, from_then_on };

/// The fault, and the step at which it strikes: the `at`-th of the steps that the fault is about, from 1.
struct Plan {
    Fault fault = Fault::io_error;
    int at = 0;
    Lasting lasting = Lasting::once;
};

/// An event of a file, as far as a loss of power matters.
struct DiskEvent {
    /// lost: a sync has failed, and with it everything since the last one, though whoever reads still finds it.
    enum class What { made, written, truncated, synced, lost, removed } what;
    std::string file;
    std::int64_t offset = 0;  ///< of a write; the new size of a truncation
    std::string bytes = {};
};
using Watcher = std::function<void(const DiskEvent&)>;

class Disk {
public:
    /// Keeps the disk working and the steps uncounted while it lives.
    class Pause {
    public:
        Pause() : was_armed_(instance().armed_) { instance().armed_ = false; }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
        ~Pause() { instance().armed_ = was_armed_; }

    private:
        bool was_armed_;
    };

    /// Registers itself as SQLite's default when it is called first.
    static Disk& instance();

    /// Counts the steps anew; from now on the plan holds.
    void arm(const Plan& plan);
    void disarm();
    /// Returns the number of steps that the plan was about; `struck` returns whether the fault was carried out.
    int steps() const { return counted_; }
    bool struck() const { return struck_; }

    void watch(Watcher watcher) { watcher_ = std::move(watcher); }
    /// Sets a function that is called in the middle of each sync: its writes are too late for that sync.
    void during_syncs(std::function<void(const std::string& file)> meanwhile) { meanwhile_ = std::move(meanwhile); }
    /// Sets whether syncs are swallowed: SQLite believes in them, and the watcher does not hear of them.
    void ignore_syncs(bool ignore) { ignores_syncs_ = ignore; }

    /// Returns the time that SQLite believes it has slept while it waited for locks. No time passes.
    std::int64_t slept_milliseconds() const { return slept_ / 1000; }

    /// Sets a function that is called before each step of whatever kind.
    void before_steps(std::function<void()> passing) { passing_ = std::move(passing); }

    // For the VFS.
    int ask(Step step);   ///< SQLITE_OK or what the step shall end with
    bool halves() const;  ///< whether half of what failed is to be done
    void tell(const DiskEvent& event);
    void be_slow(const std::string& file) const {
        if (meanwhile_) meanwhile_(file);
    }
    void sleep(std::int64_t microseconds) { slept_ += microseconds; }

private:
    Disk();
    bool concerns(Step step) const;
    Plan plan_;
    bool armed_ = false;
    int counted_ = 0;
    bool struck_ = false;
    bool ignores_syncs_ = false;
    std::int64_t slept_ = 0;
    Watcher watcher_;
    std::function<void(const std::string&)> meanwhile_;
    std::function<void()> passing_;
    std::mutex mutex_;  ///< several threads stand for several processes
};

}  // namespace postern::test
