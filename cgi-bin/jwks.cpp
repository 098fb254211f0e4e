// The public key set (RFC 7517 §5); needs neither database nor private keys.
#include "jose/jwk.h"

#include <optional>

#include "oidc/cacheable.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

/// The key set as it is sent. The keys say when they have been read again.
class KeySetDocument {
public:
    http::Response answer(const keys::Keys& keys, const http::Request& request) {
        if (!document_ || version_ != keys.version()) {
            document_.emplace(jose::to_json(keys.published()));
            version_ = keys.version();
        }
        return document_->answer(request);
    }

private:
    std::optional<oidc::CacheableDocument> document_;
    keys::FileVersion version_;
};

}  // namespace

int main() {
    KeySetDocument document;
    server::Endpoint endpoint;
    endpoint.name = "jwks";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.jwks}; };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::head}; };
    endpoint.cors = oauth::CorsPolicy::any_origin;
    return server::serve(
        endpoint, [&](server::App& app, const http::Request& request) { return document.answer(app.keys(), request); });
}
