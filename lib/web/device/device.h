// The page on which a user connects a device (RFC 8628 §3.3): login, code, consent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "web/device/page.h"
#include "web/interaction.h"

namespace postern::web {

/// Returns the path of the page for a login that leads to it, with the letters of the complete address. `text` is what
/// the address has; what is no code is left out.
std::string device_page(const oauth::Settings& settings, std::optional<std::string_view> text);

/// Answers GET and POST. A visit begins with the login page, in a seal that has no client and perhaps the code. Behind
/// it comes the form with the code, which a button sends, and then the question. GET approves nothing.
http::Response device(Interaction& interaction, const DevicePages& own);

}  // namespace postern::web
