// The credentials of a client as a request has them, before anything is proved (RFC 6749 §2.3)
#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "util/secret.h"

namespace postern::oauth {

/// The client id and secret of a request. HTTP Basic yields two readings of one header when they differ: form-decoded
/// as RFC 6749 §2.3.1 wants it, and raw as many clients send it.
struct Credentials {
    enum class Method { basic, post, id_only };
    struct Reading {
        model::ClientId client_id;
        util::Secret secret;  ///< empty: none was sent
    };
    Method method = Method::id_only;
    std::vector<Reading> readings;  ///< empty: nothing was sent
    std::string why_no_header;      ///< http::Request::why_no_authorization
};

/// The description for a caller without credentials. It knows what it sent, so that it may be told; the operator learns
/// more.
inline constexpr const char* kNoCredentials =
    "no client credentials arrived; if they were sent, the web server removes the Authorization header (Apache passes "
    "it with CGIPassAuth On)";

/// Returns invalid_request for two methods at once or two different client ids (RFC 6749 §2.3), invalid_client for an
/// Authorization header that is not well-formed Basic.
Outcome<Credentials> parse_credentials(const http::Request& request);

/// Adds invalid_client errors to the audit trail and returns `error`. `known`: the client that the request named, if it
/// is registered; an unregistered client_id may be a secret in the wrong field and is not logged.
OAuthError refused_client(Context& context, const OAuthError& error, const model::ClientId& known = {});

}  // namespace postern::oauth
