// The name of a client on a page without room for the warning that nobody has checked that name.
#pragma once

#include <string>

#include "model/client.h"
#include "text/message.h"

namespace postern::web {

/// Returns the name that the operator gave the client, or under which it registered with a token of the operator's.
/// Anyone can publish a document or register under any name without one: such a client is called by the host of its
/// document, or by the destination() of `address`, which it has registered; "" stands for the first of those that it
/// has.
text::Message shown_name(const model::Client& client, const std::string& address);

}  // namespace postern::web
