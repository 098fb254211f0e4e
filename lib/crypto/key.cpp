// Decides which keys are fit to sign and verify, and does both (RFC 7518 §3.3 to §3.5; RFC 8037 §3.1).
#include "crypto/key.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>

#include "crypto/key_members.h"
#include "crypto/openssl.h"

namespace postern::crypto {

namespace {

// Before it, a copy of a context that is prepared to sign with Ed25519 could not sign.
static_assert(OPENSSL_VERSION_NUMBER >= 0x30000010L, "OpenSSL 3.0.1 or later is needed");

using openssl::Owned;
using Bio = Owned<BIO, BIO_free_all>;

/// The only algorithm that a key that is not marked may be used with (RFC 8725 §3.1: the key decides, never a header).
Algorithm algorithm_of(const EVP_PKEY* key) {
    for (const KeyKind& kind : kKeyKinds) {
        if (EVP_PKEY_is_a(key, kind.key_type) != 1) continue;
        std::array<char, 64> group{};
        std::size_t size = 0;
        if (kind.algorithm == Algorithm::ES256 &&
            (EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) != 1 ||
             std::string_view(group.data(), size) != "prime256v1")) {
            throw CryptoError("the EC key is not on P-256");
        }
        return kind.algorithm;
    }
    throw CryptoError("the key is not RSA, EC P-256 or Ed25519");
}

DigestContext new_context(std::string_view what) { return DigestContext(openssl::require(EVP_MD_CTX_new(), what)); }

/// Looking up the algorithms takes a fifth of what an ES256 signature does.
DigestContext prepare_to_sign(Algorithm algorithm, EVP_PKEY* key) {
    DigestContext context = new_context("signing");
    EVP_PKEY_CTX* settings = nullptr;
    openssl::require(
        EVP_DigestSignInit_ex(context.get(), &settings, kind_of(algorithm).digest, nullptr, nullptr, key, nullptr),
        "signing");
    set_padding(settings, algorithm, "signing");
    return context;
}

/// Without this OpenSSL would ask for a passphrase on the terminal.
int refuse_passphrase(char*, int, int, void*) { return -1; }

using namespace std::string_view_literals;

constexpr std::size_t kHalf = 32;

/// The order n of P-256 (FIPS 186-4 D.1.2.3), big-endian like r and s, so that bytes compare as numbers do.
constexpr std::string_view kOrder =
    "\xFF\xFF\xFF\xFF\x00\x00\x00\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
    "\xBC\xE6\xFA\xAD\xA7\x17\x9E\x84\xF3\xB9\xCA\xC2\xFC\x63\x25\x51"sv;

using Signature = openssl::Owned<ECDSA_SIG, ECDSA_SIG_free>;
using Number = openssl::Owned<BIGNUM, BN_free>;

bool in_range(std::string_view number) {
    return number.find_first_not_of('\0') != std::string_view::npos && number < kOrder;
}

Number number_of(std::string_view bytes) {
    return Number(openssl::require(BN_bin2bn(openssl::bytes(bytes), openssl::to_int(bytes.size()), nullptr), "number"));
}

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

void PkeyDeleter::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }
void DigestContextDeleter::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

std::string_view to_string(Algorithm algorithm) { return kind_of(algorithm).name; }

std::optional<Algorithm> parse_algorithm(std::string_view name) {
    for (const KeyKind& kind : kKeyKinds) {
        if (name == kind.name) return kind.algorithm;
    }
    return std::nullopt;
}

PublicKey::PublicKey(Algorithm algorithm, PublicMembers members, Pkey key)
    : algorithm_(algorithm), members_(std::move(members)), key_(std::move(key)) {}

PublicKey PublicKey::from_members(const PublicMembers& members, std::optional<Algorithm> marked) {
    const openssl::Use use;
    const Algorithm algorithm = chosen_algorithm(check_members(members), marked);
    return PublicKey(algorithm, members, make_public(members, kind_of(algorithm).key_type));
}

bool PublicKey::verify(std::string_view message, std::string_view signature) const {
    const openssl::Use use;
    std::optional<std::string> der;
    if (algorithm_ == Algorithm::ES256) {
        der = ecdsa_raw_to_der(signature);
        if (!der) return false;
        signature = *der;
    }
    return is_signature_of(key_.get(), algorithm_, message, signature);
}

PrivateKey::PrivateKey(Algorithm algorithm, Pkey key)
    : algorithm_(algorithm), key_(std::move(key)), prepared_(prepare_to_sign(algorithm, key_.get())) {}

PrivateKey PrivateKey::generate(Algorithm algorithm) {
    const openssl::Use use;
    const char* type = kind_of(algorithm).key_type;
    EVP_PKEY* key = nullptr;
    switch (algorithm) {
        case Algorithm::RS256:
        case Algorithm::PS256:
            key = EVP_PKEY_Q_keygen(nullptr, nullptr, type, kMinRsaBits);
            break;
        case Algorithm::ES256:
            key = EVP_PKEY_Q_keygen(nullptr, nullptr, type, "P-256");
            break;
        case Algorithm::EdDSA:
            key = EVP_PKEY_Q_keygen(nullptr, nullptr, type);
            break;
    }
    return PrivateKey(algorithm, Pkey(openssl::require(key, "key generation")));
}

PrivateKey PrivateKey::from_pem(const util::Secret& pem, std::optional<Algorithm> marked) {
    const openssl::Use use;
    const Bio bio(
        openssl::require(BIO_new_mem_buf(pem.reveal().data(), openssl::to_int(pem.reveal().size())), "reading a key"));
    Pkey key(openssl::require(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_passphrase, nullptr),
                              "not an unencrypted private key in PEM"));
    const Algorithm algorithm = chosen_algorithm(algorithm_of(key.get()), marked);
    PrivateKey made(algorithm, std::move(key));
    static_cast<void>(made.public_key());  // throws for a weak one
    return made;
}

util::Secret PrivateKey::to_pem() const {
    const openssl::Use use;
    const Bio bio(openssl::require(BIO_new(BIO_s_mem()), "writing a key"));  // wiped when freed
    openssl::require(PEM_write_bio_PKCS8PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr),
                     "writing a key");
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    if (size <= 0) openssl::fail("writing a key");
    return util::Secret(std::string(text, static_cast<std::size_t>(size)));
}

PublicKey PrivateKey::public_key() const {
    const openssl::Use use;
    return PublicKey::from_members(members_of(key_.get(), algorithm_), algorithm_);
}

std::string PrivateKey::sign(std::string_view message) const {
    const openssl::Use use;
    const DigestContext context = new_context("signing");
    openssl::require(EVP_MD_CTX_copy_ex(context.get(), prepared_.get()), "signing");
    std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()));
    std::string signature(size, '\0');
    openssl::require(
        EVP_DigestSign(context.get(), openssl::bytes(signature.data()), &size, openssl::bytes(message), message.size()),
        "signing");
    signature.resize(size);
    return algorithm_ == Algorithm::ES256 ? ecdsa_der_to_raw(signature) : signature;
}

std::optional<std::string> ecdsa_raw_to_der(std::string_view raw) {
    if (raw.size() != 2 * kHalf) return std::nullopt;
    if (!in_range(raw.substr(0, kHalf)) || !in_range(raw.substr(kHalf))) return std::nullopt;

    Number r = number_of(raw.substr(0, kHalf));
    Number s = number_of(raw.substr(kHalf));
    const Signature signature(openssl::require(ECDSA_SIG_new(), "signature"));
    openssl::require(ECDSA_SIG_set0(signature.get(), r.get(), s.get()), "signature");
    static_cast<void>(r.release());  // set0 has taken both
    static_cast<void>(s.release());

    unsigned char* encoded = nullptr;
    const int size = i2d_ECDSA_SIG(signature.get(), &encoded);
    if (size <= 0) openssl::fail("signature");
    std::string der(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
    OPENSSL_free(encoded);
    return der;
}

std::string ecdsa_der_to_raw(std::string_view der) {
    const unsigned char* at = openssl::bytes(der);
    const Signature signature(
        openssl::require(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())), "not an ECDSA signature"));
    std::string raw(2 * kHalf, '\0');
    unsigned char* out = openssl::bytes(raw.data());
    constexpr int kWidth = static_cast<int>(kHalf);
    if (BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kWidth) != kWidth ||
        BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kHalf, kWidth) != kWidth) {
        openssl::fail("not a P-256 signature");
    }
    return raw;
}

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
