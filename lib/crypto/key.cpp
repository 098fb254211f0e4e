// Decides which keys are fit to sign and verify, and does both (RFC 7518 §3.3, §3.4; RFC 8037 §3.1).
#include "crypto/key.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>

#include "crypto/ecdsa_signature.h"
#include "crypto/key_members.h"
#include "crypto/openssl.h"

namespace postern::crypto {

namespace {

// Before it, a copy of a context that is prepared to sign with Ed25519 could not sign.
static_assert(OPENSSL_VERSION_NUMBER >= 0x30000010L, "OpenSSL 3.0.1 or later is needed");

using openssl::Owned;
using Bio = Owned<BIO, BIO_free_all>;

/// The only algorithm that a key may be used with (RFC 8725 §3.1: the key decides, never a header).
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
    openssl::require(
        EVP_DigestSignInit_ex(context.get(), nullptr, kind_of(algorithm).digest, nullptr, nullptr, key, nullptr),
        "signing");
    return context;
}

/// Without this OpenSSL would ask for a passphrase on the terminal.
int refuse_passphrase(char*, int, int, void*) { return -1; }

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

PublicKey PublicKey::from_members(const PublicMembers& members) {
    const openssl::Use use;
    const Algorithm algorithm = check_members(members);
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

PrivateKey PrivateKey::from_pem(const util::Secret& pem) {
    const openssl::Use use;
    const Bio bio(
        openssl::require(BIO_new_mem_buf(pem.reveal().data(), openssl::to_int(pem.reveal().size())), "reading a key"));
    Pkey key(openssl::require(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_passphrase, nullptr),
                              "not an unencrypted private key in PEM"));
    const Algorithm algorithm = algorithm_of(key.get());
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
    return PublicKey::from_members(members_of(key_.get(), algorithm_));
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

}  // namespace postern::crypto
