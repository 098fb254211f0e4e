// Decides which public keys of authenticators are strong enough.
#include "crypto/credential_key.h"

#include "crypto/key_members.h"
#include "crypto/openssl.h"

namespace postern::crypto {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMaxExponentBytes = 4;

bool is_fit(const RsaPublic& rsa) {
    if (!is_shortest(rsa.n) || !is_odd(rsa.n)) return false;
    const std::size_t bits = bits_of(rsa.n);
    if (bits < kMinRsaBits || bits > kMaxCredentialRsaBits) return false;
    // With 1 as its exponent a signature is the padded digest, which anybody can write.
    return is_shortest(rsa.e) && is_odd(rsa.e) && rsa.e != "\x01"sv && rsa.e.size() <= kMaxExponentBytes;
}

/// OpenSSL checks that the point is on the curve as it reads it.
bool is_fit(const EcPublic& ec) { return ec.x.size() == kCoordinateBytes && ec.y.size() == kCoordinateBytes; }

bool is_fit(const OkpPublic& okp) { return okp.x.size() == kCoordinateBytes; }

Algorithm algorithm_for(const RsaPublic&) { return Algorithm::RS256; }
Algorithm algorithm_for(const EcPublic&) { return Algorithm::ES256; }
Algorithm algorithm_for(const OkpPublic&) { return Algorithm::EdDSA; }

}  // namespace

CredentialKey::CredentialKey(Algorithm algorithm, Pkey key) : algorithm_(algorithm), key_(std::move(key)) {}

std::optional<CredentialKey> CredentialKey::from_members(const PublicMembers& members) {
    const openssl::Use use;
    if (!std::visit([](const auto& kind) { return is_fit(kind); }, members)) return std::nullopt;
    const Algorithm algorithm = std::visit([](const auto& kind) { return algorithm_for(kind); }, members);
    Pkey key = find_public(members, kind_of(algorithm).key_type);
    if (!key) return std::nullopt;
    return CredentialKey(algorithm, std::move(key));
}

bool CredentialKey::verify(std::string_view message, std::string_view signature) const {
    const openssl::Use use;
    return is_signature_of(key_.get(), algorithm_, message, signature);
}

}  // namespace postern::crypto
