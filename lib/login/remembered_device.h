// Browsers in which a right password takes the place of the second factor (DEVICE-1 to DEVICE-4).
// docs/decisions/0081-remembered-devices.md
#pragma once

#include <optional>
#include <string>

#include "db/database.h"
#include "http/message.h"
#include "login/browser.h"
#include "login/proof.h"
#include "model/authorization.h"
#include "oauth/context.h"

namespace postern::login {

/// The cookie that a remembered device is to have from now on.
struct DeviceCookie {
    std::string value;
    util::Seconds age{};  ///< until the device is forgotten
};

/// Takes the word of a browser that is remembered for the user of `half`, in place of the second factor. Its spend
/// gives the device a new value, which it puts into `fresh`, or finds that the browser is not remembered for this user.
/// nullopt: the browser has sent no such cookie.
std::optional<Proof> attempt_device(const oauth::Context& context, const Browser& browser, const model::HalfLogin& half,
                                    DeviceCookie& fresh);

/// Remembers the browser's device, behind a second factor of `subject`, and forgets what it was remembered as before.
/// The transaction is that of the login, and holds the user's row.
DeviceCookie remember_device(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                             const model::Subject& subject);

/// Sets the cookie.
void send_device(const Browser& browser, const DeviceCookie& device, http::Response& response);

}  // namespace postern::login
