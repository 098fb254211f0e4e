// Decides which COSE keys are read: three algorithms, each with the one type and curve it has here (WebAuthn §5.8.5).
#include "factor/cose_key.h"

#include <optional>
#include <string>

#include "crypto/error.h"
#include "factor/cbor.h"

namespace postern::factor {
namespace {

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
