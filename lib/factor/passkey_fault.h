// Why an answer of an authenticator is refused.
#pragma once

#include <string_view>

namespace postern::factor {

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

/// One sentence for the log, without full stop. It repeats nothing of what was sent.
std::string_view describe(PasskeyFault fault);

}  // namespace postern::factor
