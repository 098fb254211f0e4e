// The two ceremonies of a passkey (WebAuthn §7), why an answer to one is refused, and the browser's data about it:
// clientDataJSON (§5.8.1).
#pragma once

#include <cstddef>
#include <string_view>

#include "util/result.h"

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

enum class PasskeyFault {
    client_data_long,
    client_data_json,
    client_data_type,
    challenge,
    origin,
    cross_origin,
    attestation_object,
    authenticator_data_short,
    authenticator_data_long,
    rp_id,
    user_not_present,
    user_not_verified,
    backup_state,
    credential_missing,
    credential_unexpected,
    credential_id_length,
    credential_id,
    key_cbor,
    key_algorithm,
    key_unfit,
    extensions,
    user_handle_missing,
    user_handle,
    signature,
};

/// Returns one sentence for the log, without full stop. It repeats nothing of what was sent.
std::string_view describe(PasskeyFault fault);

inline constexpr std::size_t kMaxClientData = 4096;  ///< bytes

/// Checks that type, challenge and origin are the expected ones, and that the page was not inside one of another
/// origin. Members
/// that are not known are ignored, since browsers add some (§5.8.1).
util::Result<void, PasskeyFault> check_client_data(std::string_view json, Ceremony ceremony, const Expected& expected);

}  // namespace postern::factor
