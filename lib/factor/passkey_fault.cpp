// What the log says about an answer of an authenticator that is refused.
#include "factor/passkey_fault.h"

namespace postern::factor {

std::string_view describe(PasskeyFault fault) {
    switch (fault) {
        case PasskeyFault::client_data_long:
            return "the client data has more than 4096 bytes";
        case PasskeyFault::client_data_json:
            return "the client data is not a JSON object";
        case PasskeyFault::client_data_type:
            return "the client data is of another ceremony";
        case PasskeyFault::challenge:
            return "the challenge is not the one that was given";
        case PasskeyFault::origin:
            return "the origin is not that of the issuer";
        case PasskeyFault::cross_origin:
            return "the page was inside a page of another origin";
        case PasskeyFault::attestation_object:
            return "the attestation object is not a CBOR map with fmt, attStmt and authData";
        case PasskeyFault::authenticator_data_short:
            return "the authenticator data ends too early";
        case PasskeyFault::authenticator_data_long:
            return "the authenticator data has bytes left over";
        case PasskeyFault::rp_id:
            return "the authenticator data is for another RP ID";
        case PasskeyFault::user_not_present:
            return "the authenticator did not see that the user was present";
        case PasskeyFault::user_not_verified:
            return "the authenticator did not verify the user, which a passkey alone needs";
        case PasskeyFault::backup_state:
            return "the passkey is said to be backed up and not to be eligible for it";
        case PasskeyFault::credential_missing:
            return "the authenticator data has no credential";
        case PasskeyFault::credential_unexpected:
            return "the authenticator data of a login has a credential";
        case PasskeyFault::credential_id_length:
            return "the credential id does not have 1 to 1023 bytes";
        case PasskeyFault::credential_id:
            return "the credential id is another one";
        case PasskeyFault::key_cbor:
            return "the public key is not a CBOR map with the members of its type";
        case PasskeyFault::key_algorithm:
            return "the public key is for an algorithm that was not offered";
        case PasskeyFault::key_unfit:
            return "the public key is weak, of another length or not on its curve";
        case PasskeyFault::extensions:
            return "the extensions are not a CBOR map";
        case PasskeyFault::user_handle_missing:
            return "the user handle is missing, which a passkey alone needs";
        case PasskeyFault::user_handle:
            return "the user handle is that of another user";
        case PasskeyFault::signature:
            return "the signature is wrong";
    }
    return "the passkey was refused";
}

}  // namespace postern::factor
