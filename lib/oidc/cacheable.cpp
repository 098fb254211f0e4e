// The public documents: how long they keep.
#include "oidc/cacheable.h"

namespace postern::oidc {

http::Response cacheable(const json::Object& body) {
    http::Response response = http::json(body);
    response.set("Cache-Control", "public, max-age=" + std::to_string(kPublicMaxAge.count()));
    return response;
}

}  // namespace postern::oidc
