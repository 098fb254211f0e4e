// The other sites whose pages may read what an endpoint answers (CORS: the Fetch standard, §3.3)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "model/ids.h"
#include "oauth/context.h"

namespace postern::oauth {

/// The origins that may read the answers of an endpoint. A page may send its user's credentials along and any header,
/// as these endpoints read neither cookies nor headers of a page's choice (docs/decisions/0096).
enum class CorsPolicy {
    none,            ///< no other site's: pages, and introspection
    client_origins,  ///< the origins of registered redirect URIs: what applications in a browser call
    any_origin,      ///< public documents
    registering,     ///< origins that may register clients, as `registration.mode` says
};

/// The headers that a browser sends on behalf of the page that asks.
struct PageRequest {
    std::string origin;                  ///< the Origin header, or ""
    bool preflight = false;              ///< OPTIONS that asks whether the request may be made at all
    std::string requested_headers = {};  ///< Access-Control-Request-Headers of a preflight
};

/// Returns the origin of an http or https URI as browsers spell it: lower case, no default port. nullopt for every
/// other URI.
std::optional<std::string> origin_of(std::string_view uri);

/// Returns true if `origin` is the origin of a redirect URI of `client`, or, where no client is known, of any client,
/// unless find_client_bar bars it. An http loopback address of a native client is a program's, not a page's, and gives
/// no origin, but for the port that a client without a token registered: tools in a browser run there
/// (docs/decisions/0135). Never true for "null".
bool is_client_page(Context& context, std::string_view origin, const std::optional<model::ClientId>& client);

/// Lets the asking page read `response` when it belongs to the client that `response` is for (Response::client_id) or
/// is its Response::reader, and answers its preflight. In any case the answer varies with the origin. `methods` as in
/// Allow.
void allow_client_origins(http::Response& response, const PageRequest& page, const std::string& methods,
                          Context& context);

/// Lets every page read `response`, which varies with the origin, since a page that sends credentials must be named.
void allow_any_origin(http::Response& response, const PageRequest& page, const std::string& methods);

/// Lets a page read `response` whose origin may register clients: in mode `token` every one, since the token decides;
/// in mode `open` http on a loopback host, and https on a host of `registration.hosts`, because any other page could
/// let its visitors' browsers fill the table.
void allow_registering_origins(http::Response& response, const PageRequest& page, const std::string& methods,
                               const Settings& settings);

}  // namespace postern::oauth
