// Decides whether clientDataJSON is of this ceremony, page and challenge (WebAuthn §7.1, §7.2).
#include "factor/client_data.h"

#include "json/reader.h"
#include "util/base64.h"

namespace postern::factor {
namespace {

std::string_view type_of(Ceremony ceremony) {
    return ceremony == Ceremony::registration ? "webauthn.create" : "webauthn.get";
}

bool is_text(const json::Object& object, std::string_view name, std::string_view expected) {
    const json::Value* value = object.find(name);
    const std::string* text = value == nullptr ? nullptr : value->if_string();
    return text != nullptr && *text == expected;
}

bool is_inside_another_page(const json::Object& object) {
    if (object.find("topOrigin") != nullptr) return true;
    const json::Value* cross_origin = object.find("crossOrigin");
    if (cross_origin == nullptr) return false;
    const bool* is_cross = cross_origin->if_bool();
    return is_cross == nullptr || *is_cross;
}

}  // namespace

util::Result<void, PasskeyFault> check_client_data(std::string_view json, Ceremony ceremony, const Expected& expected) {
    if (json.size() > kMaxClientData) return PasskeyFault::client_data_long;
    const auto read = json::parse(json);
    const json::Object* object = read ? read->if_object() : nullptr;
    if (object == nullptr) return PasskeyFault::client_data_json;
    if (!is_text(*object, "type", type_of(ceremony))) return PasskeyFault::client_data_type;
    if (!is_text(*object, "challenge", util::base64url_encode(expected.challenge))) return PasskeyFault::challenge;
    if (!is_text(*object, "origin", expected.origin)) return PasskeyFault::origin;
    if (is_inside_another_page(*object)) return PasskeyFault::cross_origin;
    return {};
}

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
