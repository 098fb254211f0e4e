// Decides where the next refusal is noted, and finds one again.
#include "server/refusal_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

#include "json/reader.h"
#include "json/writer.h"
#include "os/read_file.h"

namespace postern::server {
namespace {

constexpr mode_t kRingMode = 0660;
constexpr std::size_t kHeaderBytes = kRingSlotBytes;  // the first eight are the counter
constexpr off_t kReservedBytes = 65536;               // the counter's whole page, on machines with large pages too
constexpr off_t kRingBytes = static_cast<off_t>(kHeaderBytes) + off_t{kRingSlots} * kRingSlotBytes;
// Cut until the record fits its slot. It does at the least size even when each byte of every text is escaped as \u00XX.
constexpr std::size_t kFieldBytes = 256;
constexpr std::size_t kLeastFieldBytes = 16;
constexpr std::size_t kReasonBytes = 64;
constexpr std::size_t kRequestIdBytes = 64;  // never cut below this, or the record could not be found

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

struct Text {
    const char* name;
    std::string RefusalRecord::*member;
};
constexpr Text kTexts[] = {
    {"endpoint", &RefusalRecord::endpoint},   {"error", &RefusalRecord::error},
    {"client_id", &RefusalRecord::client_id}, {"description", &RefusalRecord::description},
    {"detail", &RefusalRecord::detail},       {"address_unknown", &RefusalRecord::address_unknown},
};

/// Cuts texts after `limit` bytes.
json::Object to_json(const RefusalRecord& refusal, std::uint64_t number, std::size_t limit) {
    json::Object object{{"n", static_cast<std::int64_t>(number)},
                        {"request_id", refusal.request_id.substr(0, kRequestIdBytes)},
                        {"time", util::to_epoch(refusal.time)},
                        {"status", refusal.status},
                        {"reason", refusal.reason == refusal.error ? "" : refusal.reason.substr(0, kReasonBytes)}};
    for (const Text& text : kTexts) object.set(text.name, (refusal.*text.member).substr(0, limit));
    return object;
}

std::string slot_of(const RefusalRecord& refusal, std::uint64_t number) {
    std::string text;
    for (auto limit = kFieldBytes; limit >= kLeastFieldBytes; limit /= 2) {
        text = json::write(to_json(refusal, number, limit));
        if (text.size() <= kRingSlotBytes) break;
    }
    text.resize(kRingSlotBytes, '\0');
    return text;
}

std::string text_of(const json::Object& object, std::string_view name) {
    const auto* value = object.find(name);
    const auto* text = value ? value->if_string() : nullptr;
    return text ? *text : "";
}

std::int64_t integer_of(const json::Object& object, std::string_view name) {
    const auto* value = object.find(name);
    const auto* integer = value ? value->if_integer() : nullptr;
    return integer ? *integer : 0;
}

RefusalRecord record_of(const json::Object& object) {
    RefusalRecord refusal;
    refusal.request_id = text_of(object, "request_id");
    refusal.time = util::from_epoch(integer_of(object, "time"));
    refusal.status = static_cast<int>(integer_of(object, "status"));
    for (const Text& text : kTexts) refusal.*text.member = text_of(object, text.name);
    refusal.reason = text_of(object, "reason");
    if (refusal.reason.empty()) refusal.reason = refusal.error;
    return refusal;
}

/// nullopt for a slot that was never written, or is being written.
std::optional<json::Object> read_slot(int descriptor, std::uint64_t number) {
    char bytes[kRingSlotBytes];
    if (::pread(descriptor, bytes, sizeof bytes, offset_of(number)) != kRingSlotBytes) return std::nullopt;
    const auto value = json::parse(std::string_view(bytes, ::strnlen(bytes, sizeof bytes)));
    const auto* object = value ? value->if_object() : nullptr;
    if (!object) return std::nullopt;
    return *object;
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
        const auto slot = slot_of(refusal, number);
        return ::pwrite(file_.get(), slot.data(), slot.size(), offset_of(number)) == static_cast<ssize_t>(slot.size());
    } catch (const std::exception&) {
        return false;  // out of memory: the refusal itself is answered all the same
    }
}

std::optional<RefusalRecord> RefusalRing::find(const std::string& path, std::string_view request_id) {
    const auto file = os::open_regular(path, os::Links::refused);
    if (!file) return std::nullopt;
    std::optional<json::Object> newest;
    for (std::uint64_t slot = 0; slot < kRingSlots; ++slot) {
        auto object = read_slot(file->descriptor.get(), slot);
        if (!object || text_of(*object, "request_id") != request_id) continue;
        if (!newest || integer_of(*object, "n") > integer_of(*newest, "n")) newest = std::move(object);
    }
    if (!newest) return std::nullopt;
    return record_of(*newest);
}

}  // namespace postern::server
