// Which browser on which system is it? The header itself is not kept.
#pragma once

#include <string>
#include <string_view>

#include "text/message.h"

namespace postern::login {

/// "Firefox on Linux", from a User-Agent header as browsers send it (RFC 9110 §10.1.5). What is not known is left out:
/// "Firefox", "A browser on Linux", or "" when neither is known. Never a part of the header.
std::string agent_label(std::string_view user_agent);

/// A label as a page shows it: "A browser" for "".
text::Message shown_agent(const std::string& label);

}  // namespace postern::login
