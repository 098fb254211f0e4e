// The client that calls the token endpoint, and its proof (RFC 6749 §2.3, §3.2.1)
#pragma once

#include <optional>
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

/// The client that the credentials prove and that nothing bars (find_client_bar). invalid_client for everything else,
/// in the same words and with the same work done, whether the client is unknown, barred, or the secret is wrong; the
/// log tells them apart.
Outcome<model::Client> authenticate_client(Context& context, const Credentials& credentials);

/// The origin of the id when it is the URL of a document and no client is stored under it: an application in a browser,
/// which no user has approved yet or any more, can read what it is told. nullopt for every other.
std::optional<std::string> reader_of_refusal(Context& context, const Credentials& credentials);

/// Adds invalid_client errors to the audit trail and returns `error`. `known`: the client that the request named, if it
/// is registered; an unregistered client_id may be a secret in the wrong field and is not logged.
OAuthError refused_client(Context& context, const OAuthError& error, const model::ClientId& known = {});

}  // namespace postern::oauth
