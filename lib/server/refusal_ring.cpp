// Decides where the next refusal is noted, and finds those that were.
#include "server/refusal_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <utility>

#include "os/read_file.h"

namespace postern::server {
namespace {

constexpr mode_t kRingMode = 0660;
constexpr std::size_t kHeaderBytes = kRingSlotBytes;  // the first eight are the counter
constexpr off_t kReservedBytes = 65536;               // the counter's whole page, on machines with large pages too
constexpr off_t kRingBytes = static_cast<off_t>(kHeaderBytes) + off_t{kRingSlots} * kRingSlotBytes;

off_t offset_of(std::uint64_t number) {
    return static_cast<off_t>(kHeaderBytes) + static_cast<off_t>(number % kRingSlots) * kRingSlotBytes;
}

// The size alone is not enough: a full disk answers the first write through the mapping into a hole with SIGBUS.
bool reserve_counter(int descriptor) { return ::posix_fallocate(descriptor, 0, kReservedBytes) == 0; }

// A smaller file would answer the counter's first use with SIGBUS.
bool has_room(int descriptor) {
    const auto size = os::regular_size(descriptor);
    if (!size) return false;
    if (*size >= kRingBytes) return true;
    return ::ftruncate(descriptor, kRingBytes) == 0 && reserve_counter(descriptor);
}

/// nullopt for a slot that was never written, or is being written.
std::optional<NumberedRefusal> read_slot(int descriptor, std::uint64_t number) {
    char bytes[kRingSlotBytes];
    if (::pread(descriptor, bytes, sizeof bytes, offset_of(number)) != kRingSlotBytes) return std::nullopt;
    return parse_slot({bytes, sizeof bytes});
}

/// The number of the next record.
std::uint64_t read_counter(int descriptor) {
    std::uint64_t counter = 0;
    return ::pread(descriptor, &counter, sizeof counter, 0) == sizeof counter ? counter : 0;
}

/// The slots in their places, whatever their numbers.
std::vector<NumberedRefusal> read_all(const std::string& path) {
    std::vector<NumberedRefusal> all;
    const auto file = os::open_regular(path, os::Links::refused);
    if (!file) return all;
    for (std::uint64_t slot = 0; slot < kRingSlots; ++slot)
        if (auto read = read_slot(file->descriptor.get(), slot)) all.push_back(std::move(*read));
    return all;
}

}  // namespace

RefusalRing::RefusalRing(const std::string& path) {
    os::Descriptor file = os::open_or_make(path, kRingMode);
    if (!file || !has_room(file.get()) || !reserve_counter(file.get())) return;
    void* mapped = ::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (mapped == MAP_FAILED) return;
    counter_ = mapped;
    file_ = std::move(file);
}

RefusalRing::~RefusalRing() {
    if (counter_) ::munmap(counter_, kHeaderBytes);
}

bool RefusalRing::record(const RefusalRecord& refusal) noexcept {
    if (!counter_ || !has_room(file_.get())) return false;
    try {
        static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free, "the counter is shared between processes");
        const std::atomic_ref<std::uint64_t> counter(*static_cast<std::uint64_t*>(counter_));
        const auto number = counter.fetch_add(1, std::memory_order_relaxed);
        const auto slot = write_slot({number, refusal});
        return ::pwrite(file_.get(), slot.data(), slot.size(), offset_of(number)) == static_cast<ssize_t>(slot.size());
    } catch (const std::exception&) {
        return false;  // out of memory: the refusal itself is answered all the same
    }
}

std::optional<RefusalRecord> RefusalRing::find(const std::string& path, std::string_view request_id) {
    std::optional<NumberedRefusal> newest;
    for (NumberedRefusal& each : read_all(path))
        if (each.refusal.request_id == request_id && (!newest || each.number > newest->number))
            newest = std::move(each);
    if (!newest) return std::nullopt;
    return std::move(newest->refusal);
}

std::vector<RefusalRecord> RefusalRing::list(const std::string& path) {
    std::vector<NumberedRefusal> all = read_all(path);
    std::ranges::sort(all, std::greater(), &NumberedRefusal::number);
    std::vector<RefusalRecord> records;
    for (NumberedRefusal& each : all) records.push_back(std::move(each.refusal));
    return records;
}

RefusalTail::RefusalTail(std::string path) : path_(std::move(path)) {
    open();
    if (file_) next_ = read_counter(file_.get());
}

void RefusalTail::open() {
    auto file = os::open_regular(path_, os::Links::refused);
    file_ = file ? std::move(file->descriptor) : os::Descriptor();
    begin_again();
}

void RefusalTail::begin_again() {
    next_ = 0;
    awaited_.clear();
}

std::vector<RefusalRecord> RefusalTail::take_new() {
    std::vector<RefusalRecord> found;
    if (!file_ || !os::is_at(path_, file_)) open();
    if (!file_) return found;
    const int descriptor = file_.get();
    const std::uint64_t counter = read_counter(descriptor);
    if (counter < next_) begin_again();  // the file was cut
    add_taken(counter);
    std::erase_if(awaited_, [&](Awaited& each) {
        auto read = read_slot(descriptor, each.number);
        if (read && read->number == each.number) {
            found.push_back(std::move(read->refusal));
            return true;
        }
        if (read && read->number > each.number) {
            ++lost_;
            return true;
        }
        return ++each.looks == kMostLooks;  // its writer was killed, or the disk is full
    });
    return found;
}

void RefusalTail::add_taken(std::uint64_t counter) {
    if (counter - next_ > kRingSlots) {
        lost_ += counter - next_ - kRingSlots;
        next_ = counter - kRingSlots;
    }
    for (; next_ < counter; ++next_) awaited_.push_back({next_});
}

}  // namespace postern::server
