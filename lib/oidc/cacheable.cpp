// The public documents: how long they keep, and who may read them.
#include "oidc/cacheable.h"

namespace postern::oidc {

http::Response cacheable(const json::Object& body) {
    http::Response response = http::json(body);
    response.set("Cache-Control", "public, max-age=3600");
    response.set("Access-Control-Allow-Origin", "*");
    return response;
}

}  // namespace postern::oidc
