// Keeps account of what is synced.
#include "faults/power.h"

#include <filesystem>

namespace postern::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSector = 512;
constexpr std::int64_t kLogHeader = 32;
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kFrame = kFrameHeader + 4096;

void write_at(std::string& file, std::size_t offset, std::string_view bytes) {
    if (file.size() < offset + bytes.size()) file.resize(offset + bytes.size(), '\0');
    file.replace(offset, bytes.size(), bytes);
}

void apply(std::string& file, const DiskEvent& event) {
    const auto offset = static_cast<std::size_t>(event.offset);
    if (event.what == DiskEvent::What::written) write_at(file, offset, event.bytes);
    if (event.what == DiskEvent::What::truncated) file.resize(offset, '\0');
}

bool toss(std::mt19937& random) { return (random() & 1U) != 0; }

void apply_some_sectors(std::string& file, const DiskEvent& event, std::mt19937& random) {
    if (event.what == DiskEvent::What::truncated) {
        if (toss(random)) apply(file, event);
        return;
    }
    auto offset = static_cast<std::size_t>(event.offset);
    std::string_view bytes = event.bytes;
    while (!bytes.empty()) {
        const std::size_t here = std::min(bytes.size(), kSector - offset % kSector);
        if (toss(random)) write_at(file, offset, bytes.substr(0, here));
        bytes.remove_prefix(here);
        offset += here;
    }
}

/// The header of a frame that ends a transaction says how large the database is then (SQLite, fileformat2.html §4.1).
bool has_end_mark(std::string_view frame) { return frame.substr(4, 4) != std::string_view("\0\0\0\0", 4); }

bool is_of_a_log(const DiskEvent& event) {
    return event.what == DiskEvent::What::written && event.file.ends_with("-wal") && event.offset >= kLogHeader;
}

/// A header alone: its page is what comes next.
bool begins_last_frame(const DiskEvent& event) {
    return is_of_a_log(event) && event.bytes.size() == kFrameHeader && has_end_mark(event.bytes);
}

/// Whole frames at once, the last of which ends a transaction.
bool brings_last_frame(const DiskEvent& event) {
    return is_of_a_log(event) && !event.bytes.empty() && event.bytes.size() % kFrame == 0 &&
           has_end_mark(std::string_view(event.bytes).substr(event.bytes.size() - kFrame));
}

}  // namespace

Platter::Platter(const Files& files) {
    for (const auto& [name, bytes] : files) files_[name] = {bytes, bytes, true};
}

void Platter::record(const DiskEvent& event) {
    File& file = files_[event.file];
    if (event.what == DiskEvent::What::synced) {
        for (const DiskEvent& earlier : file.unsynced) apply(file.synced, earlier);
        file.unsynced.clear();
        file.is_synced = true;
    } else if (event.what == DiskEvent::What::lost) {
        file.unsynced.clear();
    } else if (event.what == DiskEvent::What::removed) {
        file = {};
    } else {
        apply(file.shown, event);
        file.unsynced.push_back(event);
    }
}

Files Platter::after(Loss loss, std::mt19937& random) const {
    Files left;
    for (const auto& [name, file] : files_) {
        const bool is_made = file.is_synced || !file.unsynced.empty() || !file.shown.empty();
        const bool is_kept = file.is_synced || loss == Loss::nothing || (loss == Loss::random_sectors && toss(random));
        if (!is_made || !is_kept) continue;
        std::string& bytes = left[name] = loss == Loss::nothing ? file.shown : file.synced;
        if (loss != Loss::random_sectors) continue;
        for (const DiskEvent& event : file.unsynced) apply_some_sectors(bytes, event, random);
    }
    return left;
}

Recording::Recording(const std::string& database) : database_(database) {
    for (const char* suffix : {"", "-wal"})
        if (fs::exists(database + suffix)) before_[database + suffix] = read_file(database + suffix);
    Disk::instance().watch([this](const DiskEvent& event) {
        const bool is_ours = event.file == database_ || event.file == database_ + "-wal";
        if (is_ours) events_.push_back(event);
    });
}

Recording::~Recording() { Disk::instance().watch(nullptr); }

std::vector<Recording::Commit> Recording::commits() const {
    std::vector<Commit> commits = {{0, contents_of(before_, database_).rows}};
    std::mt19937 unused;
    Platter platter(before_);
    bool ends = false;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        platter.record(events_[i]);
        if (ends || brings_last_frame(events_[i])) {
            std::string contents = contents_of(platter.after(Loss::nothing, unused), database_).rows;
            if (contents != commits.back().contents) commits.push_back({i + 1, std::move(contents)});
        }
        ends = begins_last_frame(events_[i]);
    }
    return commits;
}

Contents contents_of(const Files& files, const std::string& database) {
    const std::string copy = database + ".copy";
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(copy + suffix);
    for (const auto& [name, bytes] : files) write_file(copy + name.substr(database.size()), bytes);
    return read_contents(copy);
}

}  // namespace postern::test
