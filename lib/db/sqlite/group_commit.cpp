// Decides when a commit is on the disk, and which process syncs it.
#include "db/sqlite/group_commit.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

#include "db/error.h"
#include "os/read_file.h"

namespace postern::db {
namespace {

constexpr mode_t kMode = 0660;
constexpr off_t kBytes = 512;  // one sector: a machine that stops leaves all of it or nothing

/// A number and its checksum, the seal. Torn writes, zeros and foreign bytes do not match theirs, and count as none.
struct Record {
    std::uint64_t value;
    std::uint64_t seal;
};
constexpr std::size_t kCommitted = 0;
constexpr std::size_t kSynced = 1;
constexpr std::size_t kFailed = 2;
constexpr std::size_t kSlots = 3;

/// The finalizer of splitmix64; any function would do that does not give torn numbers torn seals.
std::uint64_t seal_of(std::uint64_t value, std::size_t slot) {
    std::uint64_t seal = value + 0x9e3779b97f4a7c15U * (slot + 1);
    seal = (seal ^ (seal >> 30)) * 0xbf58476d1ce4e5b9U;
    seal = (seal ^ (seal >> 27)) * 0x94d049bb133111ebU;
    return seal ^ (seal >> 31);
}

/// Holds the lock of the process that syncs. Not held when the deadline has passed or the lock cannot be taken.
class SyncLeader {
public:
    SyncLeader(const os::Descriptor& file, os::Deadline deadline)
        : file_(file), is_held_(file && take(file.get(), deadline)) {}
    SyncLeader(const SyncLeader&) = delete;
    SyncLeader& operator=(const SyncLeader&) = delete;
    ~SyncLeader() {
        if (is_held_) os::unlock(file_.get());
    }
    bool is_held() const { return is_held_; }

private:
    static bool take(int descriptor, os::Deadline deadline) {
        try {
            return os::lock_until(descriptor, deadline);
        } catch (const std::system_error&) {
            return false;
        }
    }
    const os::Descriptor& file_;
    bool is_held_;
};

/// Allocates its blocks, so that sharing goes on when the disk fills up later. File systems that cannot allocate ahead
/// (ZFS) do without.
bool has_room(int descriptor) {
    const auto size = os::regular_size(descriptor);
    if (!size) return false;
    if (*size >= kBytes) return true;
    return ::posix_fallocate(descriptor, 0, kBytes) != ENOSPC && ::ftruncate(descriptor, kBytes) == 0;
}

}  // namespace

GroupCommit::GroupCommit(const std::string& path) : file_(os::open_or_make(path, kMode)) {
    if (file_ && !has_room(file_.get())) file_ = os::Descriptor();
}

// By pread and pwrite instead of a mapping, so that a truncated file or a full disk is an error and not a SIGBUS.
GroupCommit::Counters GroupCommit::read() const noexcept {
    std::array<Record, kSlots> records{};  // bytes beyond the end of a short file have no seal
    if (!file_ || ::pread(file_.get(), records.data(), sizeof records, 0) < 0) return {};
    const auto value = [&](std::size_t slot) {
        const Record& record = records[slot];
        return record.seal == seal_of(record.value, slot) ? record.value : kNoNumber;
    };
    return {value(kCommitted), value(kSynced), value(kFailed)};
}

bool GroupCommit::write(std::size_t slot, Number value) noexcept {
    const Record record{value, seal_of(value, slot)};
    return file_ && ::pwrite(file_.get(), &record, sizeof record, static_cast<off_t>(slot * sizeof record)) ==
                        static_cast<ssize_t>(sizeof record);
}

// Above every number in the file, so that no earlier sync counts for this commit.
GroupCommit::Number GroupCommit::next_commit_number() noexcept {
    const Counters now = read();
    const Number last = std::max({now.committed, now.synced, now.failed});
    if (last == std::numeric_limits<Number>::max() || !write(kCommitted, last + 1)) return kNoNumber;
    return last + 1;
}

void GroupCommit::wait(Number number, os::Deadline deadline, Wal& wal) {
    const SyncLeader leader(file_, deadline);
    const Counters before = read();  // what is committed later may miss the sync that begins now
    if (number != kNoNumber) {
        if (number <= before.failed) throw StoreError("the process that syncs for all of them could not sync the WAL");
        if (number <= before.synced && before.synced <= before.committed) return;
    }
    sync_now(before, wal);
    if (leader.is_held()) write(kSynced, before.committed);
}

// The kernel reports a page that it could not write once and marks it clean: the next sync would succeed over a hole in
// the WAL, and a power cut would lose every frame after the hole.
void GroupCommit::sync_now(const Counters& before, Wal& wal) {
    const bool is_whole = !is_suspect(before) || wal.write_again();
    if (!is_whole || !wal.sync()) {
        note_failure(before);
        throw StoreError("the WAL cannot be synced");
    }
    has_unwritten_failure_ = false;
}

bool GroupCommit::is_suspect(const Counters& now) const noexcept {
    return has_unwritten_failure_ || now.failed > now.synced;
}

// Above every number that a sync already under way can still write as `synced`. If the file does not show the failure
// afterwards, this process remembers it.
void GroupCommit::note_failure(const Counters& now) noexcept {
    const Number last = std::max({now.committed, now.synced, now.failed});
    const bool is_written = last < std::numeric_limits<Number>::max() && write(kFailed, last + 1);
    const Counters after = read();
    if (!is_written || after.failed <= after.synced) has_unwritten_failure_ = true;
}

bool GroupCommit::is_suspect() const noexcept { return is_suspect(read()); }

void GroupCommit::note_failure() noexcept { note_failure(read()); }

}  // namespace postern::db
