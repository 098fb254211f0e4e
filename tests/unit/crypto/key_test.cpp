// Which keys are taken, and which signatures hold (RFC 7518 §3, RFC 8037 §3.1).
#include "crypto/key.h"

#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

#include "crypto/error.h"
#include "crypto/foreign_key.h"
#include "refused_keys.h"
#include "vectors.h"

using namespace postern;
using crypto::Algorithm;
using crypto::PrivateKey;
using crypto::PublicKey;
using vectors::raw;

namespace {

PrivateKey load(const std::string& pem) { return PrivateKey::from_pem(util::Secret(pem)); }

const Algorithm kAll[] = {Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA, Algorithm::PS256};

struct Vector {
    Algorithm algorithm;
    const char* pem;
    const char* input;
    const char* signature;
};
const Vector kVectors[] = {
    {Algorithm::RS256, vectors::kRsaPem, vectors::kRsaInput, vectors::kRsaSignature},
    {Algorithm::ES256, vectors::kEcPem, vectors::kEcInput, vectors::kEcSignature},
    {Algorithm::EdDSA, vectors::kEdPem, vectors::kEdInput, vectors::kEdSignature},
};

crypto::RsaPublic rsa_public() { return {raw(vectors::kRsaModulus), raw(vectors::kRsaExponent)}; }
crypto::EcPublic ec_public() { return {raw(vectors::kEcX), raw(vectors::kEcY)}; }
crypto::OkpPublic okp_public() { return {raw(vectors::kEdX)}; }

/// r||s of an ECDSA signature that is made with any digest.
std::string sign_with_digest(const std::string& pem, const EVP_MD* digest, const std::string& text) {
    const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
        PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    REQUIRE(EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key.get()) == 1);
    std::string der(80, '\0');
    std::size_t size = der.size();
    REQUIRE(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(der.data()), &size,
                           reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1);
    der.resize(size);
    return crypto::ecdsa_der_to_raw(der);
}

std::string with_last_byte_changed(std::string text) {
    text.back() = static_cast<char>(text.back() ^ 1);
    return text;
}

}  // namespace

TEST_CASE("an algorithm has exactly its registered name [RFC 7518 §3.1, RFC 8037 §3.1, OIDC Core §2m]") {
    for (const Algorithm algorithm : kAll) {
        CHECK(crypto::parse_algorithm(crypto::to_string(algorithm)) == algorithm);
    }
    CHECK(crypto::to_string(Algorithm::RS256) == "RS256");
    CHECK(crypto::to_string(Algorithm::ES256) == "ES256");
    CHECK(crypto::to_string(Algorithm::EdDSA) == "EdDSA");
    for (const char* name :
         {"", "none", "None", "HS256", "rs256", "RS512", "ps256", "PS384", "ES384", "Ed25519", "EdDSA "}) {
        CAPTURE(name);
        CHECK_FALSE(crypto::parse_algorithm(name));
    }
}

TEST_CASE("from_pem and from_members agree on the published keys [RFC 7515 A.2, A.3, RFC 8037 A.1, A.2]") {
    const auto rsa = std::get<crypto::RsaPublic>(load(vectors::kRsaPem).public_key().members());
    CHECK(rsa.n == rsa_public().n);
    CHECK(rsa.e == rsa_public().e);
    const auto ec = std::get<crypto::EcPublic>(load(vectors::kEcPem).public_key().members());
    CHECK(ec.x == ec_public().x);
    CHECK(ec.y == ec_public().y);
    CHECK(std::get<crypto::OkpPublic>(load(vectors::kEdPem).public_key().members()).x == okp_public().x);
}

TEST_CASE("verify accepts the published signatures [RFC 7515 A.2, A.3, RFC 8037 A.5]") {
    const crypto::PublicMembers members[] = {rsa_public(), ec_public(), okp_public()};
    for (std::size_t i = 0; i < std::size(kVectors); ++i) {
        CAPTURE(i);
        const auto key = PublicKey::from_members(members[i]);
        CHECK(key.algorithm() == kVectors[i].algorithm);
        CHECK(key.verify(kVectors[i].input, raw(kVectors[i].signature)));
    }
}

TEST_CASE("sign makes the published signatures where they are determined [RFC 7515 A.2, RFC 8037 A.4]") {
    CHECK(load(vectors::kRsaPem).sign(vectors::kRsaInput) == raw(vectors::kRsaSignature));
    CHECK(load(vectors::kRsaTraditionalPem).sign(vectors::kRsaInput) == raw(vectors::kRsaSignature));
    CHECK(load(vectors::kEdPem).sign(vectors::kEdInput) == raw(vectors::kEdSignature));
    // ECDSA is randomized: the signature is new and must hold.
    for (const char* pem : {vectors::kEcPem, vectors::kEcTraditionalPem}) {
        const std::string made = load(pem).sign(vectors::kEcInput);
        CHECK(made.size() == 64);
        CHECK(made != raw(vectors::kEcSignature));
        CHECK(PublicKey::from_members(ec_public()).verify(vectors::kEcInput, made));
    }
}

TEST_CASE("verify refuses every neighbour of a good signature") {
    for (const Vector& vector : kVectors) {
        CAPTURE(crypto::to_string(vector.algorithm));
        const auto key = load(vector.pem).public_key();
        const std::string input = vector.input;
        const std::string good = raw(vector.signature);
        REQUIRE(key.verify(input, good));
        CHECK_FALSE(key.verify(with_last_byte_changed(input), good));
        CHECK_FALSE(key.verify(input + " ", good));
        CHECK_FALSE(key.verify("", good));
        CHECK_FALSE(key.verify(input, with_last_byte_changed(good)));
        CHECK_FALSE(key.verify(input, ""));
        CHECK_FALSE(key.verify(input, std::string_view()));
        CHECK_FALSE(key.verify(input, good.substr(1)));
        CHECK_FALSE(key.verify(input, good.substr(0, good.size() - 1)));
        CHECK_FALSE(key.verify(input, good + std::string(1, '\0')));
        CHECK_FALSE(key.verify(input, std::string(1, '\0') + good));
        CHECK_FALSE(key.verify(input, std::string(good.size(), '\0')));
        CHECK_FALSE(key.verify(input, std::string(good.size(), '\xFF')));
        CHECK_FALSE(key.verify(input, std::string(100000, 'x')));
    }
}

TEST_CASE("verify: ES256 is r||s; the same numbers in DER are refused [RFC 7518 §3.4]") {
    const auto key = PublicKey::from_members(ec_public());
    const std::string good = raw(vectors::kEcSignature);
    CHECK_FALSE(key.verify(vectors::kEcInput, *crypto::ecdsa_raw_to_der(good)));
    CHECK_FALSE(key.verify(vectors::kEcInput, good.substr(32) + good.substr(0, 32)));
}

TEST_CASE("verify: another algorithm of the same RSA key is refused [IF36, RFC 8725 §3.1, J03]") {
    const auto key = PublicKey::from_members(rsa_public());
    CHECK(key.verify(vectors::kRsaInput, raw(vectors::kRsaSignature)));
    CHECK_FALSE(key.verify(vectors::kRsaInput, raw(vectors::kRsaSha512Signature)));
    CHECK_FALSE(key.verify(vectors::kRsaInput, raw(vectors::kRsaPssSignature)));
}

TEST_CASE(
    "verify: ES256 is with SHA-256; the same key's signature over a SHA-384 digest is refused [RFC 7518 §3.4, J03]") {
    const auto key = PublicKey::from_members(ec_public());
    CHECK(key.verify("message", sign_with_digest(vectors::kEcPem, EVP_sha256(), "message")));
    CHECK_FALSE(key.verify("message", sign_with_digest(vectors::kEcPem, EVP_sha384(), "message")));
}

TEST_CASE("verify: a signature holds for its own key alone") {
    for (const Vector& signer : kVectors) {
        const std::string signature = load(signer.pem).sign("message");
        for (const Vector& other : kVectors) {
            CAPTURE(crypto::to_string(signer.algorithm));
            CAPTURE(crypto::to_string(other.algorithm));
            CHECK(load(other.pem).public_key().verify("message", signature) == (signer.pem == other.pem));
        }
        CHECK_FALSE(PrivateKey::generate(signer.algorithm).public_key().verify("message", signature));
    }
}

TEST_CASE("verify: what a bad signature leaves behind does not spoil the next [CWE-488, X26]") {
    const auto rsa = PublicKey::from_members(rsa_public());
    const auto ec = PublicKey::from_members(ec_public());
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(rsa.verify(vectors::kRsaInput, "short"));
        CHECK_THROWS_AS(load("no key"), crypto::CryptoError);
        CHECK(ERR_peek_error() == 0);
        CHECK(rsa.verify(vectors::kRsaInput, raw(vectors::kRsaSignature)));
        CHECK_FALSE(ec.verify(vectors::kEcInput, std::string(64, '\1')));
        CHECK(ec.verify(vectors::kEcInput, raw(vectors::kEcSignature)));
    }
}

TEST_CASE("copies of a PublicKey verify after the first is gone") {
    auto first = std::make_unique<PublicKey>(PublicKey::from_members(ec_public()));
    const PublicKey copy = *first;
    first.reset();
    CHECK(copy.verify(vectors::kEcInput, raw(vectors::kEcSignature)));
}

TEST_CASE("generate makes fresh keys that survive to_pem and from_pem") {
    for (const Algorithm algorithm : kAll) {
        CAPTURE(crypto::to_string(algorithm));
        const auto key = PrivateKey::generate(algorithm);
        CHECK(key.algorithm() == algorithm);
        const auto pem = key.to_pem();
        CHECK(pem.reveal().substr(0, 28) == "-----BEGIN PRIVATE KEY-----\n");
        const auto again = PrivateKey::from_pem(pem, algorithm);
        CHECK(again.algorithm() == algorithm);
        CHECK(key.public_key().verify("message", again.sign("message")));
        CHECK(again.to_pem().reveal() == pem.reveal());
        CHECK(PrivateKey::generate(algorithm).to_pem().reveal() != pem.reveal());
    }
}

TEST_CASE(
    "an RSA key that is marked PS256 signs and verifies by PSS alone, with a salt of 32 bytes [KEY-3, RFC 7518 §3.5]") {
    const auto marked = PrivateKey::from_pem(util::Secret(std::string(vectors::kRsaPem)), Algorithm::PS256);
    const auto plain = load(vectors::kRsaPem);
    CHECK(marked.algorithm() == Algorithm::PS256);
    CHECK(marked.public_key().algorithm() == Algorithm::PS256);
    const std::string signature = marked.sign("message");
    CHECK(marked.sign("message") != signature);  // a fresh salt, also in the copy of a prepared context
    CHECK(marked.public_key().verify("message", signature));
    // ForeignKey holds other people's vectors (Wycheproof), which have no other length.
    CHECK(crypto::ForeignKey::from_members(rsa_public())->verify(Algorithm::PS256, "message", signature));
    CHECK_FALSE(plain.public_key().verify("message", signature));
    CHECK_FALSE(marked.public_key().verify("message", plain.sign("message")));
    CHECK_FALSE(marked.public_key().verify("Message", signature));
    CHECK_FALSE(marked.public_key().verify("message", with_last_byte_changed(signature)));
    // A mark that is for keys of another type says nothing: the caller compares.
    CHECK(PrivateKey::from_pem(util::Secret(std::string(vectors::kEcPem)), Algorithm::PS256).algorithm() ==
          Algorithm::ES256);
    CHECK(PublicKey::from_members(rsa_public(), Algorithm::EdDSA).algorithm() == Algorithm::RS256);
}

TEST_CASE("generate: an RSA key has 2048 bits and the exponent 65537 [RFC 7518 §3.3, F2-51]") {
    const auto rsa = std::get<crypto::RsaPublic>(PrivateKey::generate(Algorithm::RS256).public_key().members());
    CHECK(rsa.n.size() == 256);
    CHECK(static_cast<unsigned char>(rsa.n.front()) >= 0x80);
    CHECK(rsa.e == raw("AQAB"));
}

TEST_CASE("members: coordinates that begin with zero keep their 32 bytes [RFC 7518 §6.2.1.2]") {
    // One key in 128 has such a coordinate.
    bool seen = false;
    for (int i = 0; i < 5000 && !seen; ++i) {
        const auto key = PrivateKey::generate(Algorithm::ES256).public_key();
        const auto& ec = std::get<crypto::EcPublic>(key.members());
        REQUIRE(ec.x.size() == 32);
        REQUIRE(ec.y.size() == 32);
        seen = ec.x.front() == '\0' || ec.y.front() == '\0';
    }
    CHECK(seen);
}

TEST_CASE(
    "from_pem refuses keys that are weak, of another kind or encrypted, and tells the operator why [RFC 8725 §3.5, J16]") {
    struct Row {
        const char* what;
        std::string pem;
        const char* message = "";  ///< a part of it
    };
    const std::string good = vectors::kEcPem;
    constexpr const char* kOther = "the key is not RSA, EC P-256 or Ed25519";
    const Row rows[] = {
        {"RSA of 1024 bits", refused_keys::kRsa1024, "the RSA key has fewer than 2048 bits"},
        {"RSA with e = 3", refused_keys::kRsaExponent3, "the RSA exponent is even or below 65537"},
        {"RSA-PSS", refused_keys::kRsaPss, kOther},
        {"P-384", refused_keys::kP384, "the EC key is not on P-256"},
        {"secp256k1", refused_keys::kSecp256k1, "the EC key is not on P-256"},
        {"X25519", refused_keys::kX25519},
        {"Ed448", refused_keys::kEd448, kOther},
        {"a public key", refused_keys::kPublic},
        {"encrypted PKCS#8", refused_keys::kEncrypted},
        {"encrypted, traditional", refused_keys::kEncryptedTraditional},
        {"empty", ""},
        {"text", "-----BEGIN PRIVATE KEY-----\n"},
        {"cut", good.substr(0, good.size() / 2)},
        {"DER", raw("MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v_VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g")},
        {"another label", "-----BEGIN CERTIFICATE-----\n" + good.substr(28)},
    };
    for (const auto& row : rows) {
        CAPTURE(row.what);
        CHECK_THROWS_WITH_AS(load(row.pem), doctest::Contains(row.message), crypto::CryptoError);
    }
}

TEST_CASE("from_members refuses RSA keys that are weak or not in their shortest form [RFC 7518 §2, §3.3, J16]") {
    const auto good = rsa_public();
    const std::string zero(1, '\0');
    std::string bits_2047 = good.n;
    bits_2047.front() = '\x7F';
    std::string even = good.n;
    even.back() = static_cast<char>(even.back() & ~1);
    struct Row {
        const char* what;
        crypto::RsaPublic key;
    };
    const Row rows[] = {
        {"no n", {"", good.e}},
        {"no e", {good.n, ""}},
        {"zero n", {std::string(256, '\0'), good.e}},
        {"zero e", {good.n, zero}},
        {"2047 bits", {bits_2047, good.e}},
        {"1024 bits", {good.n.substr(0, 127) + good.n.back(), good.e}},
        {"1024 bits in 256 bytes", {std::string(128, '\0') + good.n.substr(128), good.e}},
        {"n with a leading zero", {zero + good.n, good.e}},
        {"e with a leading zero", {good.n, zero + good.e}},
        {"even n", {even, good.e}},
        {"e = 1", {good.n, "\x01"}},
        {"e = 3", {good.n, "\x03"}},
        {"e = 65535", {good.n, "\xFF\xFF"}},
        {"e = 65536", {good.n, std::string("\x01\x00\x00", 3)}},
        {"e = 65538", {good.n, std::string("\x01\x00\x02", 3)}},
    };
    REQUIRE_NOTHROW(PublicKey::from_members(good));
    CHECK_NOTHROW(PublicKey::from_members(crypto::RsaPublic{good.n, std::string("\x01\x00\x03", 3)}));
    for (const auto& row : rows) {
        CAPTURE(row.what);
        CHECK_THROWS_AS(PublicKey::from_members(row.key), crypto::CryptoError);
    }
}

TEST_CASE("from_members refuses what is not a point of P-256 [RFC 7518 §6.2.1, J16]") {
    const auto good = ec_public();
    struct Row {
        const char* what;
        crypto::EcPublic key;
    };
    const Row rows[] = {
        {"no x", {"", good.y}},
        {"no y", {good.x, ""}},
        {"x of 31 bytes", {good.x.substr(1), good.y}},
        {"y of 33 bytes", {good.x, good.y + "x"}},
        {"bytes moved from y to x", {good.x + good.y.substr(0, 1), good.y.substr(1)}},
        {"exchanged", {good.y, good.x}},
        {"one bit off", {good.x, with_last_byte_changed(good.y)}},
        {"infinity", {std::string(32, '\0'), std::string(32, '\0')}},
        {"above the field", {std::string(32, '\xFF'), good.y}},
        {"P-384", {std::string(48, '\1'), std::string(48, '\1')}},
    };
    REQUIRE_NOTHROW(PublicKey::from_members(good));
    for (const auto& row : rows) {
        CAPTURE(row.what);
        CHECK_THROWS_AS(PublicKey::from_members(row.key), crypto::CryptoError);
    }
}

TEST_CASE("from_members refuses an Ed25519 key of another length [RFC 8032 §5.1.5]") {
    const std::string good = okp_public().x;
    REQUIRE_NOTHROW(PublicKey::from_members(crypto::OkpPublic{good}));
    for (const std::string& x : {std::string(), good.substr(1), good + "x", good + good}) {
        CAPTURE(x.size());
        CHECK_THROWS_AS(PublicKey::from_members(crypto::OkpPublic{x}), crypto::CryptoError);
    }
}
