// The public documents: how long they keep, and who has them already.
#include "oidc/cacheable.h"

#include <algorithm>

#include "crypto/digest.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::oidc {
namespace {

/// Whether If-None-Match names the tag: "*" or a list, whose marks of weakness do not count here (RFC 9110 §13.1.2,
/// §8.8.3.2). The tags of this server have no comma.
bool names_tag(std::string_view if_none_match, std::string_view tag) {
    const auto tags = util::split(if_none_match, ',');
    return std::any_of(tags.begin(), tags.end(), [&](std::string_view listed) {
        listed = util::trim(listed);
        if (listed.starts_with("W/")) listed.remove_prefix(2);
        return listed == tag || listed == "*";
    });
}

}  // namespace

CacheableDocument::CacheableDocument(const json::Object& content) : whole_(http::json(content)) {
    whole_.set("Cache-Control", "public, max-age=" + std::to_string(kPublicMaxAge.count()));
    whole_.set("ETag", '"' + util::base64url_encode(crypto::sha256(whole_.body)) + '"');
}

http::Response CacheableDocument::answer(const http::Request& request) const {
    http::Response response = whole_;
    if (!request.if_none_match || !names_tag(*request.if_none_match, *response.find("ETag"))) return response;
    response.status = 304;
    response.body.clear();
    return response;
}

}  // namespace postern::oidc
