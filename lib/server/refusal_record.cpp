// Decides how a refusal fits into a slot of the ring, and whether a slot has been read whole.
#include "server/refusal_record.h"

#include "json/reader.h"
#include "json/writer.h"

namespace postern::server {
namespace {

// Version 1 had no member "v" and no "end".
constexpr std::int64_t kVersion = 2;
// Cut until the record fits its slot. It does at the least size even when each byte of every text is escaped as \u00XX.
constexpr std::size_t kFieldBytes = 256;
constexpr std::size_t kLeastFieldBytes = 16;
constexpr std::size_t kReasonBytes = 64;
constexpr std::size_t kSubjectBytes = 64;    // those that we make have 22; one that was cut would be another's
constexpr std::size_t kRequestIdBytes = 64;  // never cut below this, or the record could not be found
constexpr std::size_t kBeginning = 12;       // of an unknown client's id; secrets that we make have 43 characters
constexpr std::size_t kCutClientId = 128;    // rules cut an id that was sent, but not to less

struct Text {
    const char* name;
    std::string RefusalRecord::*member;
};
constexpr Text kTexts[] = {
    {"endpoint", &RefusalRecord::endpoint},   {"error", &RefusalRecord::error},
    {"client_id", &RefusalRecord::client_id}, {"description", &RefusalRecord::description},
    {"detail", &RefusalRecord::detail},       {"address_unknown", &RefusalRecord::address_unknown},
};

/// Cuts texts after `limit` bytes. The number stands at both ends: a reader that sees the beginning of one record and
/// the end of another sees two numbers.
json::Object to_json(const NumberedRefusal& numbered, std::size_t limit) {
    const RefusalRecord& refusal = numbered.refusal;
    const auto number = static_cast<std::int64_t>(numbered.number);
    json::Object object{{"n", number},
                        {"v", kVersion},
                        {"request_id", refusal.request_id.substr(0, kRequestIdBytes)},
                        {"time", util::to_epoch(refusal.time)},
                        {"status", refusal.status},
                        {"reason", refusal.reason == refusal.error ? "" : refusal.reason.substr(0, kReasonBytes)},
                        {"subject", refusal.subject.size() <= kSubjectBytes ? refusal.subject : ""}};
    for (const Text& text : kTexts) object.set(text.name, (refusal.*text.member).substr(0, limit));
    object.set("end", number);
    return object;
}

std::string text_of(const json::Object& object, std::string_view name) {
    const auto* value = object.find(name);
    const auto* text = value ? value->if_string() : nullptr;
    return text ? *text : "";
}

std::int64_t integer_of(const json::Object& object, std::string_view name, std::int64_t otherwise = 0) {
    const auto* value = object.find(name);
    const auto* integer = value ? value->if_integer() : nullptr;
    return integer ? *integer : otherwise;
}

/// A slot without a second number is of version 1, unless its beginning is of a later one.
bool is_whole(const json::Object& object) {
    if (!object.find("end")) return integer_of(object, "v", 1) == 1;
    return integer_of(object, "end") == integer_of(object, "n");
}

RefusalRecord record_of(const json::Object& object) {
    RefusalRecord refusal;
    refusal.request_id = text_of(object, "request_id");
    refusal.time = util::from_epoch(integer_of(object, "time"));
    refusal.status = static_cast<int>(integer_of(object, "status"));
    for (const Text& text : kTexts) refusal.*text.member = text_of(object, text.name);
    refusal.subject = text_of(object, "subject");
    refusal.reason = text_of(object, "reason");
    if (refusal.reason.empty()) refusal.reason = refusal.error;
    return refusal;
}

}  // namespace

std::string beginning_of_client_id(const std::string& id) {
    return id.size() <= kBeginning ? id : id.substr(0, kBeginning) + "...";
}

bool is_of_client(const RefusalRecord& refusal, std::string_view client_id) {
    const std::string& kept = refusal.client_id;
    if (kept == client_id || kept == beginning_of_client_id(std::string(client_id))) return true;
    return kept.size() >= kCutClientId && client_id.starts_with(kept);
}

std::string write_slot(const NumberedRefusal& refusal) {
    std::string text;
    for (auto limit = kFieldBytes; limit >= kLeastFieldBytes; limit /= 2) {
        text = json::write(to_json(refusal, limit));
        if (text.size() <= kRingSlotBytes) break;
    }
    text.resize(kRingSlotBytes, '\0');
    return text;
}

std::optional<NumberedRefusal> parse_slot(std::string_view bytes) {
    const auto value = json::parse(bytes.substr(0, bytes.find('\0')));
    const auto* object = value ? value->if_object() : nullptr;
    if (!object || !is_whole(*object)) return std::nullopt;
    return NumberedRefusal{static_cast<std::uint64_t>(integer_of(*object, "n")), record_of(*object)};
}

}  // namespace postern::server
