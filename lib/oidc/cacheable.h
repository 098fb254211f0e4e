// The public documents (discovery, key set): anybody may read and keep them for a while.
#pragma once

#include "http/message.h"

namespace postern::oidc {

/// 200 with `body`, cacheable for an hour (never longer than the lead of a key rotation), readable by pages of any
/// origin.
http::Response cacheable(const json::Object& body);

}  // namespace postern::oidc
