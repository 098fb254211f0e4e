// What users see as the name of a client.
#pragma once

#include "model/client.h"
#include "text/message.h"

namespace postern::pages {

/// In the operator's words of the page's language, if there are any (RFC 7591 §2.2).
text::Message client_name(const model::Client& client);

}  // namespace postern::pages
