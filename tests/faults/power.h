// The files that are left when the power goes: synced bytes, and as much of the rest as chance wants.
#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "faults/disk.h"
#include "faults/sample_installation.h"

namespace postern::test {

enum class Loss {
    nothing,         ///< the process was killed, the machine goes on
    everything,      ///< of what was not synced
    random_sectors,  ///< each unsynced sector of 512 bytes, each truncation and each new name by the toss of a coin
};

/// Files as the machine shows them and as they are on the platter.
class Platter {
public:
    explicit Platter(const Files& files);
    void record(const DiskEvent& event);
    Files after(Loss loss, std::mt19937& random) const;

private:
    struct File {
        std::string shown;  ///< to whoever reads it
        std::string synced;
        bool is_synced = false;  ///< its name is in the directory for good
        std::vector<DiskEvent> unsynced = {};
    };
    std::map<std::string, File> files_;
};

/// Everything that happens to a database and its log while it lives, so that the power can be cut at every moment
/// later.
class Recording {
public:
    explicit Recording(const std::string& database);
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording();

    const std::vector<DiskEvent>& events() const { return events_; }
    const Files& before() const { return before_; }

    struct Commit {
        std::size_t after;     ///< that many events
        std::string contents;  ///< what is then in the database
    };
    /// The first is how it was before everything; one that changed nothing is left out.
    std::vector<Commit> commits() const;

private:
    std::string database_;
    Files before_;
    std::vector<DiskEvent> events_;
};

/// Reads a database with these files and without shared memory, by opening a copy.
Contents contents_of(const Files& files, const std::string& database);

}  // namespace postern::test
