// Browsers in which a right password takes the place of the second factor (DEVICE-1 to DEVICE-4).
// docs/decisions/0081-remembered-devices.md
#pragma once

#include <optional>
#include <string>

#include "db/database.h"
#include "web/interaction.h"

namespace postern::web {

/// Whether there is such a thing here. If not, no cookie is read and no query made.
bool remembers_devices(const oauth::Settings& settings);

/// The cookie that a remembered device is to have from now on.
struct DeviceCookie {
    std::string value;
    util::Seconds age{};  ///< until the device is forgotten
};

/// Behind a right password of `subject`, in the transaction of the login, which holds the user's row: the browser's
/// device gets a new value. nullopt: the second factor is asked for, because the browser is not remembered for this
/// user, or because this request is not satisfied by that: its client or its `acr` wants a second factor, or it asks
/// for a new login (POLICY-7).
std::optional<DeviceCookie> use_remembered_device(const Interaction& interaction, db::Transaction& transaction,
                                                  const LoginVisit& visit, const model::Subject& subject);

/// Behind a second factor of `subject`, in the transaction of the login, which holds the user's row. What the browser
/// was remembered as before is forgotten.
DeviceCookie remember_this_device(const Interaction& interaction, db::Transaction& transaction,
                                  const model::Subject& subject);

/// The response sets the cookie.
void send_device(const Interaction& interaction, const DeviceCookie& device, http::Response& response);

}  // namespace postern::web
