// Table `device_codes` (RFC 8628).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "model/device_code.h"

namespace postern::store {

/// The time for which a code that has expired is kept, so that a late poll hears `expired_token`.
inline constexpr util::Seconds kDeviceCodeRetention{600};

/// The codes that a user may still approve or a device redeem: pending or approved, and not expired.
struct OpenDeviceCodes {
    std::int64_t all = 0;
    std::int64_t of_public_clients = 0;
    std::int64_t of_client = 0;
    std::int64_t of_network = 0;  ///< 0 for the network ""
};
OpenDeviceCodes count_open_device_codes(db::Database& database, const model::ClientId& client, std::string_view network,
                                        util::Time now);
/// Returns the number of all of them.
std::int64_t count_open_device_codes(db::Database& database, util::Time now);

/// Returns false, and writes nothing, when a stored code has the same letters for the user.
bool insert_device_code(db::Transaction& transaction, const model::DeviceCode& code);

struct StoredDeviceCode {
    model::DeviceCode code;
    bool user_enabled = false;  ///< the user who answered
    std::string username;
};
std::optional<StoredDeviceCode> find_device_code(db::Database& database, const model::ValueHash& device_hash);
/// Finds the code by the letters that a user has typed, whatever its state.
std::optional<model::DeviceCode> find_typed_device_code(db::Database& database, const model::ValueHash& user_code_hash);

/// Records a poll that was not too soon.
void record_poll(db::Transaction& transaction, const model::ValueHash& device_hash, util::Time now);
/// Records the first poll that was too soon: from now on `interval` counts.
void slow_polls(db::Transaction& transaction, const model::ValueHash& device_hash, util::Seconds interval);

/// Approves a pending code: true for exactly one caller, false when it was answered or has expired.
bool approve_device_code(db::Transaction& transaction, const model::ValueHash& device_hash,
                         const model::Subject& subject, const model::GrantId& grant, util::Time now);
/// Denies a pending code, likewise.
bool deny_device_code(db::Transaction& transaction, const model::ValueHash& device_hash, const model::Subject& subject,
                      util::Time now);
/// Uses an approved code: true for exactly one caller, false when it was used or has expired, or its grant has ended.
bool redeem_device_code(db::Transaction& transaction, const model::ValueHash& device_hash, util::Time now);

}  // namespace postern::store
