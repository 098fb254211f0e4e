// The keys that a token request shows that it has: that of a proof, and that of a certificate (RFC 9449 §5, RFC 8705
// §3).
#pragma once

#include <string>

#include "http/message.h"
#include "model/client.h"
#include "model/confirmation.h"
#include "oauth/context.h"
#include "oauth/dpop.h"
#include "oauth/error.h"

namespace postern::oauth {

struct ShownKeys {
    ShownKey proof;
    std::string x5t;  ///< `x5t#S256` of the certificate of the connection; "": none

    model::Confirmation all() const { return {jkt_of(proof), x5t}; }
    /// Returns the keys that the client's tokens are bound to: a certificate binds where the client asks for it, and a
    /// proof always.
    model::Confirmation binding(const model::Client& client) const {
        return {jkt_of(proof), client.tls_bound ? x5t : std::string()};
    }
};

/// Judges the proof of a token request, and reads its certificate. invalid_dpop_proof; invalid_request where the client
/// must show one and does not (RFC 9449 §5.2, RFC 8705 §3.4).
Outcome<ShownKeys> read_shown_keys(const Context& context, const http::Request& request, const model::Client& client);

}  // namespace postern::oauth
