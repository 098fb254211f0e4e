// Table `remembered_devices`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "model/ids.h"
#include "store/bounds.h"
#include "util/clock.h"

namespace postern::store {

/// A browser in which the user's password is enough until `expires_at`.
struct RememberedDevice {
    model::ValueHash token_hash;  ///< of the cookie's present value; a new one at each use
    std::string id;               ///< names it to its owner; no secret
    model::Subject subject;
    std::string agent;  ///< browser and system, as the account's pages name them; "": not known
    util::Time created_at{};
    util::Time last_used_at{};
    util::Time expires_at{};
};

/// Remembers the device, void as soon as the user's password or second factors change or the user is disabled
/// (`users.stamp`). The transaction holds the user's row. Beyond kMaxRememberedDevices the least recently used ones of
/// the user are forgotten. False, and nothing is written: there is no such user.
bool remember_device(db::Transaction& transaction, const RememberedDevice& device);

/// Gives the device of `value` the value `fresh`, if the device is the user's, has not expired and is not void: of two
/// requests with one value one gets it. The device expires `lifetime` after it was remembered, if that is earlier than
/// what was said then. Returns when it expires; nullopt: nothing is written.
std::optional<util::Time> use_device(db::Transaction& transaction, const model::Subject& subject,
                                     const model::ValueHash& value, const model::ValueHash& fresh, util::Time now,
                                     util::Seconds lifetime);

/// Returns the devices that use_device would find, with the expiry that it returns, the latest use first.
std::vector<RememberedDevice> devices_of(db::Database& database, const model::Subject& subject, util::Time now,
                                         util::Seconds lifetime);

/// Forgets the device; false: the user has none of that id.
bool forget_device(db::Transaction& transaction, const model::Subject& subject, std::string_view id);
/// Forgets the device of whichever user, for a browser whose cookie gets another value.
void forget_device(db::Transaction& transaction, const model::ValueHash& value);
/// Forgets all devices of the user; returns their number, void and expired ones too.
std::int64_t forget_devices(db::Transaction& transaction, const model::Subject& subject);

}  // namespace postern::store
