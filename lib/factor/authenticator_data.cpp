// Reads authenticator data (WebAuthn §6.1) and decides what both ceremonies demand of it.
#include "factor/authenticator_data.h"

#include <optional>
#include <string>

#include "crypto/digest.h"
#include "crypto/error.h"
#include "factor/cbor.h"

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

using crypto::Algorithm;

// Labels: RFC 9052 §7.1 for all keys; RFC 9053 §7.1 and §7.2 for curves; RFC 8230 §4 for RSA.
constexpr std::int64_t kKeyType = 1;
constexpr std::int64_t kAlgorithm = 3;
constexpr std::int64_t kCurve = -1;
constexpr std::int64_t kX = -2;
constexpr std::int64_t kY = -3;
constexpr std::int64_t kModulus = -1;
constexpr std::int64_t kExponent = -2;

struct Row {
    Algorithm algorithm;
    std::int64_t number;    // of the algorithm
    std::int64_t key_type;  // OKP 1, EC2 2, RSA 3
    std::int64_t curve;     // P-256 1, Ed25519 6; RSA has a modulus at this label
};
constexpr Row kRows[] = {
    {Algorithm::ES256, -7, 2, 1},
    {Algorithm::EdDSA, -8, 1, 6},
    {Algorithm::RS256, -257, 3, 0},
};

const Row* find_row(const CborMap& map) {
    for (const Row& row : kRows) {
        if (map.find(kAlgorithm).integer() == row.number) return &row;
    }
    return nullptr;
}

std::optional<std::string> octets(const CborMap& map, std::int64_t label) {
    const auto bytes = map.find(label).bytes();
    return bytes ? std::optional(std::string(*bytes)) : std::nullopt;
}

/// nullopt: a coordinate is missing, or of another type; also a y that is only a sign (RFC 9053 §7.1.1), which WebAuthn
/// excludes.
std::optional<crypto::PublicMembers> members_of(const CborMap& map, const Row& row) {
    if (map.find(kKeyType).integer() != row.key_type) return std::nullopt;
    if (row.algorithm == Algorithm::RS256) {
        auto n = octets(map, kModulus);
        auto e = octets(map, kExponent);
        if (!n || !e) return std::nullopt;
        return crypto::RsaPublic{.n = *std::move(n), .e = *std::move(e)};
    }
    if (map.find(kCurve).integer() != row.curve) return std::nullopt;
    auto x = octets(map, kX);
    if (!x) return std::nullopt;
    if (row.algorithm == Algorithm::EdDSA) return crypto::OkpPublic{.x = *std::move(x)};
    auto y = octets(map, kY);
    if (!y) return std::nullopt;
    return crypto::EcPublic{.x = *std::move(x), .y = *std::move(y)};
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

std::int64_t cose_algorithm(Algorithm algorithm) {
    for (const Row& row : kRows) {
        if (row.algorithm == algorithm) return row.number;
    }
    throw crypto::CryptoError("no such algorithm");
}

util::Result<crypto::CredentialKey, PasskeyFault> parse_cose_key(std::string_view bytes) {
    const auto map = take_cbor_map(bytes, kCoseKeyMembers);
    if (!map || !bytes.empty()) return PasskeyFault::key_cbor;
    const Row* row = find_row(*map);
    if (row == nullptr) return PasskeyFault::key_algorithm;
    const auto members = members_of(*map, *row);
    if (!members) return PasskeyFault::key_cbor;
    auto key = crypto::CredentialKey::from_members(*members);
    if (!key) return PasskeyFault::key_unfit;
    return *std::move(key);
}

}  // namespace postern::factor
