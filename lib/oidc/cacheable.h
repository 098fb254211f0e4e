// The public documents (discovery, key set): every client and cache may keep them for a while.
#pragma once

#include <string>

#include "http/message.h"
#include "util/clock.h"

namespace postern::oidc {

/// The time for which a public document may be cached; a new key is published for that long before it signs.
inline constexpr util::Seconds kPublicMaxAge{3600};

/// A public document as it is sent: written and hashed once, however often it is asked for.
class CacheableDocument {
public:
    explicit CacheableDocument(const json::Object& content);

    const std::string& text() const { return whole_.body; }
    /// 200, cacheable for kPublicMaxAge, with an ETag of the text; 304 for a client that has this very text (RFC 9110
    /// §13.1.2).
    http::Response answer(const http::Request& request) const;

private:
    http::Response whole_;
};

}  // namespace postern::oidc
