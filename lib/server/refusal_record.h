// A refusal as its slot of the ring keeps it, and the bytes of that slot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/clock.h"

namespace postern::server {

struct RefusalRecord {
    std::string request_id;
    util::Time time{};
    std::string endpoint;
    int status = 0;
    std::string error;   ///< word of an error code or a page
    std::string reason;  ///< word of refusal::Reason; that of the error in a record of a version that had no other
    std::string description;
    std::string detail;
    std::string client_id;
    std::string address_unknown = {};  ///< why it is not known whose request it was; "" if it is known
    std::string subject = {};  ///< of the user; "" if none was known. Never a typed name, which may be a password
};

/// Returns `id` as a record keeps one that is no client's: it may be a secret in the wrong field, so that its beginning
/// must do. A short id stays whole.
std::string beginning_of_client_id(const std::string& id);

/// Returns whether the record is of the client, whose id it may have kept in part.
bool is_of_client(const RefusalRecord& refusal, std::string_view client_id);

inline constexpr int kRingSlots = 4096;
inline constexpr int kRingSlotBytes = 1024;

/// A record with its place in the order of all.
struct NumberedRefusal {
    std::uint64_t number = 0;
    RefusalRecord refusal;
};

/// Returns the bytes of a slot; long texts are cut.
std::string write_slot(const NumberedRefusal& refusal);

/// Returns the record of a slot; nullopt for one that was never written or is being overwritten. Slots of earlier
/// versions have no reason, no subject or no second number; what they lack is empty.
std::optional<NumberedRefusal> parse_slot(std::string_view bytes);

}  // namespace postern::server
