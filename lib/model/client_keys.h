// The keys of a client that authenticates by a JWT (RFC 7591 §2; RFC 7523 §2.2).
#pragma once

#include <string>

namespace postern::model {

struct ClientKeys {
    std::string jwks = {};      ///< as jose::write_client_keys writes them; "": at `jwks_uri`
    std::string jwks_uri = {};  ///< "": in `jwks`
    std::string alg = {};       ///< token_endpoint_auth_signing_alg; "": any that fits a key

    bool operator==(const ClientKeys&) const = default;
};

}  // namespace postern::model
