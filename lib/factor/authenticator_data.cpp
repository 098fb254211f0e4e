// Reads authenticator data (WebAuthn §6.1) and decides what both ceremonies demand of it.
#include "factor/authenticator_data.h"

#include "crypto/digest.h"
#include "factor/cbor.h"
#include "factor/cose_key.h"

namespace postern::factor {
namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kCounterBytes = 4;
constexpr std::size_t kAaguidBytes = 16;
constexpr std::size_t kLengthBytes = 2;

// WebAuthn §6.1. The two other bits are reserved and ignored.
constexpr unsigned kUserPresent = 0x01;
constexpr unsigned kUserVerified = 0x04;
constexpr unsigned kBackupEligible = 0x08;
constexpr unsigned kBackedUp = 0x10;
constexpr unsigned kCredential = 0x40;
constexpr unsigned kExtensions = 0x80;

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t number = 0;
    for (const char c : bytes) number = number << 8U | static_cast<unsigned char>(c);
    return number;
}

/// Takes `count` bytes off the front; nullopt when there are fewer.
std::optional<std::string_view> take(std::string_view& bytes, std::size_t count) {
    if (bytes.size() < count) return std::nullopt;
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
}

/// Takes the attested credential data off the front (WebAuthn §6.5.1).
util::Result<AttestedCredential, PasskeyFault> take_credential(std::string_view& bytes) {
    const auto aaguid = take(bytes, kAaguidBytes);
    const auto length = take(bytes, kLengthBytes);
    if (!aaguid || !length) return PasskeyFault::authenticator_data_short;
    const std::size_t id_bytes = big_endian(*length);
    if (id_bytes == 0 || id_bytes > kMaxCredentialId) return PasskeyFault::credential_id_length;
    const auto id = take(bytes, id_bytes);
    if (!id) return PasskeyFault::authenticator_data_short;
    std::string_view after_key = bytes;
    if (!take_cbor_map(after_key, kCoseKeyMembers)) return PasskeyFault::key_cbor;
    const std::string_view key = bytes.substr(0, bytes.size() - after_key.size());
    bytes = after_key;
    return AttestedCredential{.aaguid = *aaguid, .id = *id, .key = key};
}

}  // namespace

util::Result<AuthenticatorData, PasskeyFault> parse_authenticator_data(std::string_view bytes) {
    const auto hash = take(bytes, kHashBytes);
    const auto flag_byte = take(bytes, 1);
    const auto counter = take(bytes, kCounterBytes);
    if (!hash || !flag_byte || !counter) return PasskeyFault::authenticator_data_short;
    const unsigned flags = big_endian(*flag_byte);
    AuthenticatorData data{.rp_id_hash = *hash,
                           .user_present = (flags & kUserPresent) != 0,
                           .user_verified = (flags & kUserVerified) != 0,
                           .backup_eligible = (flags & kBackupEligible) != 0,
                           .backed_up = (flags & kBackedUp) != 0,
                           .sign_count = big_endian(*counter),
                           .credential = {}};
    if ((flags & kCredential) != 0) {
        ASSIGN_OR_RETURN(data.credential, take_credential(bytes));
    }
    if ((flags & kExtensions) != 0 && !take_cbor_map(bytes)) return PasskeyFault::extensions;
    if (!bytes.empty()) return PasskeyFault::authenticator_data_long;
    return data;
}

util::Result<void, PasskeyFault> check_authenticator_data(const AuthenticatorData& data, Ceremony ceremony,
                                                          std::string_view rp_id) {
    if (data.rp_id_hash != crypto::sha256(rp_id)) return PasskeyFault::rp_id;
    if (!data.user_present) return PasskeyFault::user_not_present;
    if (data.backed_up && !data.backup_eligible) return PasskeyFault::backup_state;
    if (ceremony == Ceremony::registration && !data.credential) return PasskeyFault::credential_missing;
    if (ceremony == Ceremony::assertion && data.credential) return PasskeyFault::credential_unexpected;
    return {};
}

}  // namespace postern::factor
