// Pushed authorization requests (RFC 9126): a client sends its request to this server, and the browser only an address
// that stands for it. Nothing is stored: the address contains the request, sealed.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "http/params.h"
#include "json/value.h"
#include "model/authorization.h"
#include "model/client.h"
#include "oauth/client_auth.h"
#include "oauth/context.h"
#include "oauth/dpop.h"
#include "oauth/error.h"
#include "oauth/redirect_uri.h"
#include "oauth/settings.h"
#include "util/result.h"

namespace postern::oauth {

/// RFC 9126 §2.2, §9.3.
inline constexpr std::string_view kRequestUriPrefix = "urn:ietf:params:oauth:request_uri:";

/// The longest address, in bytes: the line of the request that opens it fits into the 8 KiB of web servers.
inline constexpr std::size_t kMaxPushedAddress = 7680;

/// Reads the credentials of the push. invalid_request for another body than a form, and for a parameter twice.
Outcome<Credentials> parse_push(const http::Request& request);

/// The client that pushes, and the key that it shows (RFC 9449 §10.1).
struct PushingClient {
    model::ClientId id;
    bool is_public = false;  ///< anybody could have sent it
    ShownKey key = std::nullopt;
};

/// Returns the client that pushes, authenticated as at the token endpoint. The id of a client that a document
/// describes is its only proof, and needs no client that is stored: push_request reads the document. invalid_client,
/// also for a public client unless `par.publicClients`; invalid_dpop_proof.
Outcome<PushingClient> authenticate_pushing_client(Context& context, const Credentials& credentials,
                                                   const http::Request& request);

/// The answer (RFC 9126 §2.2).
struct PushedRequest {
    std::string request_uri;
    util::Seconds expires_in{};

    json::Object to_json() const;
};

/// Returns the address of the request in the form, or in the signed object there (RFC 9101), which is judged as the
/// authorization endpoint judges one. Its errors are those that the authorization endpoint would send to the client,
/// invalid_request for a redirect_uri that is not registered, and those of open_request_object. Refuses `request_uri`
/// (§2.1).
Outcome<PushedRequest> push_request(Context& context, const PushingClient& client, const http::Request& request);

/// Returns true if the parameters of an authorization request name a pushed one. Everything else in them but client_id
/// is then ignored (§4; RFC 9101 §6.3).
bool names_pushed_request(const Settings& settings, const http::Params& params);

/// Returns the pushed request that the parameters name: a request of its own each time, with a new id, so that a login
/// or an approval in one browser never counts in another. Refuses with a page an address that is forged, expired, of
/// another client or was answered: what stands in it is not known, or not the sender's.
util::Result<model::AuthorizationRequest, RedirectRefusal> open_pushed_request(Context& context,
                                                                               const http::Params& params);

}  // namespace postern::oauth
