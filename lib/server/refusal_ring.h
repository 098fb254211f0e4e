// The ring of refusals that `postern why` reads: fixed size, one write each, no write lock, no secrets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"
#include "server/refusal_record.h"

namespace postern::server {

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

    /// Returns all records, the newest first. A slot that is being overwritten is left out.
    static std::vector<RefusalRecord> list(const std::string& path);

private:
    os::Descriptor file_;
    void* counter_ = nullptr;
};

/// Follows a ring while other processes write to it.
class RefusalTail {
public:
    /// Begins behind the newest record of the ring at `path`.
    explicit RefusalTail(std::string path);

    /// Returns the records that were made since the last call, the oldest first. One whose number is taken and whose
    /// slot is not written yet comes with a later call. When the file was made anew, its records are new.
    std::vector<RefusalRecord> take_new();

    /// The number of records that were overwritten before they could be read.
    std::uint64_t lost() const { return lost_; }

private:
    static constexpr int kMostLooks = 40;
    struct Awaited {
        std::uint64_t number = 0;
        int looks = 0;
    };
    void open();
    void begin_again();
    void add_taken(std::uint64_t counter);

    std::string path_;
    os::Descriptor file_;  ///< kept open, so that no other file can get its inode
    std::uint64_t next_ = 0;
    std::uint64_t lost_ = 0;
    std::vector<Awaited> awaited_;  ///< in their order
};

}  // namespace postern::server
