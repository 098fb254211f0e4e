// Which other sites' pages may read what an endpoint answers? (CORS: the Fetch standard, §3.3)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "model/ids.h"
#include "store/database.h"

namespace postern::oauth {

/// Whose pages may read the answers of an endpoint. Nobody's cookies travel with such a request: there is no
/// Access-Control-Allow-Credentials anywhere.
enum class Readers {
    nobody,        ///< no other site's: what people see, and introspection
    client_pages,  ///< those of registered redirect URIs: what applications in a browser call
    everybody,     ///< public documents
};

/// What a browser says on behalf of the page that asks.
struct PageRequest {
    std::string origin;      ///< the Origin header, or ""
    bool preflight = false;  ///< OPTIONS that asks whether the request may be made at all
};

/// The origin of an http or https URI as browsers spell it: lower case, no default port. nullopt for every other URI.
std::optional<std::string> origin_of(std::string_view uri);

/// Whether `origin` is that of a redirect URI of `client`, or, where no client is known, of any enabled one. An http
/// loopback address of a native client is a program's, not a page's, and gives no origin. Never true for "null".
bool is_client_page(store::Database& database, std::string_view origin, const std::optional<model::ClientId>& client);

/// Lets the asking page read `response` when it belongs to the client that `response` is for (Response::client_id), and
/// answers its preflight. In any case the answer varies with the origin. `methods` as in Allow.
void share_with_client_pages(http::Response& response, const PageRequest& page, const std::string& methods,
                             store::Database& database);

/// Lets every page read `response`.
void share_with_everybody(http::Response& response, const PageRequest& page, const std::string& methods);

}  // namespace postern::oauth
