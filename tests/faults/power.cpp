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

void apply(std::string& file, const Happening& happening) {
    const auto offset = static_cast<std::size_t>(happening.offset);
    if (happening.what == Happening::What::written) write_at(file, offset, happening.bytes);
    if (happening.what == Happening::What::truncated) file.resize(offset, '\0');
}

bool toss(std::mt19937& random) { return (random() & 1U) != 0; }

void apply_some_sectors(std::string& file, const Happening& happening, std::mt19937& random) {
    if (happening.what == Happening::What::truncated) {
        if (toss(random)) apply(file, happening);
        return;
    }
    auto offset = static_cast<std::size_t>(happening.offset);
    std::string_view bytes = happening.bytes;
    while (!bytes.empty()) {
        const std::size_t here = std::min(bytes.size(), kSector - offset % kSector);
        if (toss(random)) write_at(file, offset, bytes.substr(0, here));
        bytes.remove_prefix(here);
        offset += here;
    }
}

/// The header of a frame that ends a transaction says how large the database is then (SQLite, fileformat2.html §4.1).
bool has_end_mark(std::string_view frame) { return frame.substr(4, 4) != std::string_view("\0\0\0\0", 4); }

bool is_of_a_log(const Happening& happening) {
    return happening.what == Happening::What::written && happening.file.ends_with("-wal") &&
           happening.offset >= kLogHeader;
}

/// A header alone: its page is what comes next.
bool begins_last_frame(const Happening& happening) {
    return is_of_a_log(happening) && happening.bytes.size() == kFrameHeader && has_end_mark(happening.bytes);
}

/// Whole frames at once, the last of which ends a transaction.
bool brings_last_frame(const Happening& happening) {
    return is_of_a_log(happening) && !happening.bytes.empty() && happening.bytes.size() % kFrame == 0 &&
           has_end_mark(std::string_view(happening.bytes).substr(happening.bytes.size() - kFrame));
}

}  // namespace

Platter::Platter(const Files& files) {
    for (const auto& [name, bytes] : files) files_[name] = {bytes, bytes, true};
}

void Platter::happen(const Happening& happening) {
    File& file = files_[happening.file];
    if (happening.what == Happening::What::synced) {
        for (const Happening& earlier : file.unsynced) apply(file.synced, earlier);
        file.unsynced.clear();
        file.is_synced = true;
    } else if (happening.what == Happening::What::lost) {
        file.unsynced.clear();
    } else if (happening.what == Happening::What::removed) {
        file = {};
    } else {
        apply(file.shown, happening);
        file.unsynced.push_back(happening);
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
        for (const Happening& happening : file.unsynced) apply_some_sectors(bytes, happening, random);
    }
    return left;
}

Recording::Recording(const std::string& database) : database_(database) {
    for (const char* suffix : {"", "-wal"})
        if (fs::exists(database + suffix)) before_[database + suffix] = read_file(database + suffix);
    Disk::instance().watch([this](const Happening& happening) {
        const bool is_ours = happening.file == database_ || happening.file == database_ + "-wal";
        if (is_ours) happenings_.push_back(happening);
    });
}

Recording::~Recording() { Disk::instance().watch(nullptr); }

std::vector<Recording::Commit> Recording::commits() const {
    std::vector<Commit> commits = {{0, contents_of(before_, database_).rows}};
    std::mt19937 unused;
    Platter platter(before_);
    bool ends = false;
    for (std::size_t i = 0; i < happenings_.size(); ++i) {
        platter.happen(happenings_[i]);
        if (ends || brings_last_frame(happenings_[i])) {
            std::string contents = contents_of(platter.after(Loss::nothing, unused), database_).rows;
            if (contents != commits.back().contents) commits.push_back({i + 1, std::move(contents)});
        }
        ends = begins_last_frame(happenings_[i]);
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
