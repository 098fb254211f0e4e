// The ring of refusals that `postern why` reads: fixed size, one write each, no write lock, no secrets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "os/file.h"
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
};

inline constexpr int kRingSlots = 4096;
inline constexpr int kRingSlotBytes = 1024;

class RefusalRing {
public:
    /// Opens `path`, `refusals.ring` next to the database, and makes it when it is missing (mode 0660). When it cannot
    /// be opened, `record` does nothing and returns false.
    explicit RefusalRing(const std::string& path);
    RefusalRing(const RefusalRing&) = delete;
    RefusalRing& operator=(const RefusalRing&) = delete;
    ~RefusalRing();

    /// Takes the next slot (a counter shared by all processes) and writes it at once; long texts are cut. Never throws.
    bool record(const RefusalRecord& refusal) noexcept;

    /// Returns the newest record with that request id.
    static std::optional<RefusalRecord> find(const std::string& path, std::string_view request_id);

private:
    os::Descriptor file_;
    void* counter_ = nullptr;
};

}  // namespace postern::server
