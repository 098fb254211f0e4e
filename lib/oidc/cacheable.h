// The public documents (discovery, key set): every client and cache may keep them for a while.
#pragma once

#include "http/message.h"
#include "util/clock.h"

namespace postern::oidc {

/// How long a public document may be cached; a new key is published for that long before it signs.
inline constexpr util::Seconds kPublicMaxAge{3600};

/// 200 with `body`, cacheable for kPublicMaxAge, and an ETag of its content.
http::Response cacheable(const json::Object& body);
/// The same, or 304 for a client that has this very content (RFC 9110 §13.1.2).
http::Response cacheable(const http::Request& request, const json::Object& body);

}  // namespace postern::oidc
