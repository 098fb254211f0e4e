// The two ceremonies of a passkey (WebAuthn §7), and what both are compared with.
#pragma once

#include <string_view>

namespace postern::factor {

enum class Ceremony {
    registration,  ///< §7.1: a passkey is made
    assertion,     ///< §7.2: a passkey is used
};

/// The values that the answer of an authenticator must repeat.
struct Expected {
    std::string_view challenge;  ///< the bytes themselves, not base64url; never empty
    std::string_view origin;     ///< of the issuer, such as `https://id.example.org`
    std::string_view rp_id;
};

}  // namespace postern::factor
