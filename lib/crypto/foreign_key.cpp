// Decides which keys of others are fit to verify with (KEY-3, KEY-5).
#include "crypto/foreign_key.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <algorithm>
#include <utility>

#include "crypto/key.h"
#include "crypto/key_members.h"
#include "crypto/openssl.h"

namespace postern::crypto {
namespace {

constexpr std::size_t kMaxRsaBits = 4096;
constexpr std::size_t kMinExponentBits = 17;
constexpr std::size_t kMaxExponentBits = 32;

bool is_fit(const RsaPublic& rsa) {
    if (!is_shortest(rsa.n) || !is_odd(rsa.n) || !is_shortest(rsa.e) || !is_odd(rsa.e)) return false;
    const std::size_t bits = bits_of(rsa.n);
    const std::size_t exponent = bits_of(rsa.e);
    return bits >= kMinRsaBits && bits <= kMaxRsaBits && exponent >= kMinExponentBits && exponent <= kMaxExponentBits;
}
/// OpenSSL checks that the point is on the curve as it reads it.
bool is_fit(const EcPublic& ec) { return ec.x.size() == kCoordinateBytes && ec.y.size() == kCoordinateBytes; }
bool is_fit(const OkpPublic& okp) { return okp.x.size() == kCoordinateBytes; }

Algorithm first_algorithm(const PublicMembers& members) {
    if (std::holds_alternative<RsaPublic>(members)) return Algorithm::RS256;
    return std::holds_alternative<EcPublic>(members) ? Algorithm::ES256 : Algorithm::EdDSA;
}

Pkey find_fit(const PublicMembers& members) {
    if (!std::visit([](const auto& kind) { return is_fit(kind); }, members)) return nullptr;
    return find_public(members, kind_of(first_algorithm(members)).key_type);
}

}  // namespace

bool fits(Algorithm algorithm, const PublicMembers& members) {
    return std::string_view(kind_of(algorithm).key_type) == kind_of(first_algorithm(members)).key_type;
}

ForeignKey::ForeignKey(PublicMembers members, Pkey key) : members_(std::move(members)), key_(std::move(key)) {}

std::optional<ForeignKey> ForeignKey::from_members(const PublicMembers& members) {
    const openssl::Use use;
    Pkey key = find_fit(members);
    if (!key) return std::nullopt;
    return ForeignKey(members, std::move(key));
}

bool ForeignKey::verify(Algorithm algorithm, std::string_view message, std::string_view signature) const {
    if (!fits(algorithm, members_)) return false;
    const openssl::Use use;
    std::optional<std::string> der;
    if (algorithm == Algorithm::ES256) {
        der = ecdsa_raw_to_der(signature);
        if (!der) return false;
        signature = *der;
    }
    return is_signature_of(key_.get(), algorithm, message, signature);
}

bool is_certificate_of(std::string_view der, const PublicMembers& members) {
    const openssl::Use use;
    const unsigned char* at = openssl::bytes(der);
    const openssl::Owned<X509, X509_free> certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
    if (!certificate || at != openssl::bytes(der) + der.size()) return false;
    const Pkey key = find_fit(members);
    const EVP_PKEY* certified = X509_get0_pubkey(certificate.get());
    return key && certified != nullptr && EVP_PKEY_eq(key.get(), certified) == 1;
}

}  // namespace postern::crypto
