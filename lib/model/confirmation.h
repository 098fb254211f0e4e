// The keys that a token is bound to: whoever shows it must show that it has them (RFC 7800 §3).
#pragma once

#include <string>

namespace postern::model {

struct Confirmation {
    std::string jkt = {};  ///< thumbprint of the key of proofs (RFC 9449 §6); "": none
    std::string x5t = {};  ///< SHA-256 of the certificate, base64url (RFC 8705 §3.1); "": none

    bool empty() const { return jkt.empty() && x5t.empty(); }
    bool operator==(const Confirmation&) const = default;
};

}  // namespace postern::model
