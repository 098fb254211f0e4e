// Certificates with which clients connect: what the web server tells of one, and which client it proves (RFC 8705 §2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/certificate.h"
#include "http/message.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/credentials.h"
#include "oauth/error.h"

namespace postern::oauth {

/// The web server's word about the certificate of a connection (MTLS-3).
enum class ChainWord {
    none,       ///< no certificate, whatever another variable has
    possessed,  ///< the handshake has proved the key; the chain is not known to be good
    verified,   ///< the chain is good, too
};
/// Reads `SSL_CLIENT_VERIFY`: "SUCCESS" is verified, "GENEROUS" and "FAILED:..." are possessed, all else is none.
ChainWord read_chain_word(std::string_view value);

/// Returns the certificate with which the client connected. nullopt: none, `mtls` is not configured, or the text is no
/// certificate, which is logged.
std::optional<crypto::Certificate> read_certificate(const Context& context, const http::Request& request);

/// Returns `x5t#S256` of the certificate with which the client connected (RFC 8705 §3.1); "": none, as in
/// read_certificate.
std::string shown_thumbprint(const Context& context, const http::Request& request);

/// Returns true for tls_client_auth and self_signed_tls_client_auth.
bool authenticates_by_certificate(const model::Client& client);

/// Checks that the certificate of the connection is that of the client, which is registered for one of the two methods,
/// and that no other proof came beside it (MTLS-4 to MTLS-6, MTLS-15). invalid_client.
Outcome<void> check_certificate_of(Context& context, const http::Request& request, const Credentials& credentials,
                                   const model::Client& client);

}  // namespace postern::oauth
