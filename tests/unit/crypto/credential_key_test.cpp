// Which keys of authenticators are taken, and which signatures hold (WebAuthn §6.5.5).

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

#include "crypto/key.h"
#include "refused_keys.h"
#include "vectors.h"

using namespace postern;
using crypto::Algorithm;
using crypto::CredentialKey;
using vectors::raw;
using namespace std::string_literals;

namespace {

/// An odd number of so many bits; nothing asks for its factors.
std::string odd_number(std::size_t bits) {
    std::string number((bits + 7) / 8, '\x5A');
    number.front() = static_cast<char>(1U << ((bits - 1) % 8));
    number.back() = '\x01';
    return number;
}

std::string plus_one(std::string number) {
    number.back() = static_cast<char>(number.back() + 1);
    return number;
}

bool is_taken(const crypto::PublicMembers& members) { return CredentialKey::from_members(members).has_value(); }

crypto::EcPublic ec_public() { return {raw(vectors::kEcX), raw(vectors::kEcY)}; }

/// PKCS#1 v1.5 with SHA-256 and the key whose exponent is 3, which keys of our own may not have.
struct SignedWithExponent3 {
    std::string n;
    std::string signature;
};
SignedWithExponent3 sign_with_exponent_3(const std::string& message) {
    const std::string pem = refused_keys::kRsaExponent3;
    const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
        PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
    REQUIRE(key);
    BIGNUM* n = nullptr;
    REQUIRE(EVP_PKEY_get_bn_param(key.get(), "n", &n) == 1);
    SignedWithExponent3 made{.n = std::string(256, '\0'), .signature = std::string(256, '\0')};
    CHECK(BN_bn2bin(n, reinterpret_cast<unsigned char*>(made.n.data())) == 256);
    BN_free(n);
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    REQUIRE(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
    std::size_t size = made.signature.size();
    REQUIRE(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(made.signature.data()), &size,
                           reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1);
    return made;
}

}  // namespace

TEST_CASE("CredentialKey: RSA of 2048 to 4096 bits with an odd exponent of 3 to 2^32-1 [WEBAUTHN-8]") {
    const std::string n = odd_number(2048);
    const std::string f4 = "\x01\x00\x01"s;
    for (const std::size_t bits : {2048U, 2049U, 3072U, 3482U, 4095U, 4096U})
        CHECK(is_taken(crypto::RsaPublic{odd_number(bits), f4}));
    for (const std::size_t bits : {8U, 1024U, 2040U, 2047U, 4097U, 4104U, 8192U, 16384U})
        CHECK_FALSE(is_taken(crypto::RsaPublic{odd_number(bits), f4}));
    CHECK_FALSE(is_taken(crypto::RsaPublic{plus_one(n), f4}));
    CHECK_FALSE(is_taken(crypto::RsaPublic{"\0"s + n, f4}));
    CHECK_FALSE(is_taken(crypto::RsaPublic{"", f4}));

    for (const std::string& e : {"\x03"s, "\x05"s, "\x11"s, f4, "\xFF\xFF\xFF\xFF"s})
        CHECK(is_taken(crypto::RsaPublic{n, e}));
    for (const std::string& e : {""s, "\0"s, "\x01"s, "\x02"s, "\x04"s, "\x01\x00"s, "\0\x03"s, "\0\x01\x00\x01"s,
                                 "\xFF\xFF\xFF\xFE"s, "\x01\x00\x00\x00\x01"s})
        CHECK_FALSE(is_taken(crypto::RsaPublic{n, e}));
}

TEST_CASE("CredentialKey: a point of 32-byte coordinates on P-256 [WEBAUTHN-8]") {
    const crypto::EcPublic good = ec_public();
    CHECK(is_taken(good));
    for (std::size_t bit = 0; bit < 256; ++bit) {
        crypto::EcPublic other = good;
        other.y[bit / 8] = static_cast<char>(other.y[bit / 8] ^ (1 << (bit % 8)));
        CHECK_FALSE(is_taken(other));
    }
    CHECK_FALSE(is_taken(crypto::EcPublic{good.y, good.x}));
    CHECK_FALSE(is_taken(crypto::EcPublic{std::string(32, '\0'), std::string(32, '\0')}));
    CHECK_FALSE(is_taken(crypto::EcPublic{std::string(32, '\xFF'), good.y}));  // beyond the field
    CHECK_FALSE(is_taken(crypto::EcPublic{good.x.substr(1), good.y}));
    CHECK_FALSE(is_taken(crypto::EcPublic{"\0"s + good.x, good.y}));
    CHECK_FALSE(is_taken(crypto::EcPublic{good.x + good.y.substr(0, 1), good.y.substr(1)}));
    CHECK_FALSE(is_taken(crypto::EcPublic{good.x, ""}));
}

TEST_CASE("CredentialKey: 32 bytes are a key of Ed25519 [WEBAUTHN-8]") {
    const std::string x = raw(vectors::kEdX);
    CHECK(is_taken(crypto::OkpPublic{x}));
    for (const std::string& other : {""s, x.substr(1), x + "\0"s, x + x})
        CHECK_FALSE(is_taken(crypto::OkpPublic{other}));
}

TEST_CASE("CredentialKey: the signatures of RFC 7515 and RFC 8037, ES256 in DER [WEBAUTHN-13]") {
    const struct {
        Algorithm algorithm;
        crypto::PublicMembers members;
        std::string message, signature;
    } rows[] = {
        {Algorithm::RS256, crypto::RsaPublic{raw(vectors::kRsaModulus), raw(vectors::kRsaExponent)}, vectors::kRsaInput,
         raw(vectors::kRsaSignature)},
        {Algorithm::ES256, ec_public(), vectors::kEcInput,
         crypto::ecdsa_raw_to_der(raw(vectors::kEcSignature)).value()},
        {Algorithm::EdDSA, crypto::OkpPublic{raw(vectors::kEdX)}, vectors::kEdInput, raw(vectors::kEdSignature)},
    };
    for (const auto& row : rows) {
        const auto key = CredentialKey::from_members(row.members);
        REQUIRE(key);
        CAPTURE(crypto::to_string(row.algorithm));
        CHECK(key->algorithm() == row.algorithm);
        CHECK(key->verify(row.message, row.signature));
        CHECK_FALSE(key->verify(row.message + " ", row.signature));
        CHECK_FALSE(key->verify("", row.signature));
        CHECK_FALSE(key->verify(row.message, ""));
        CHECK_FALSE(key->verify(row.message, {}));
        CHECK_FALSE(key->verify(row.message, row.signature + "\0"s));
        for (std::size_t length = 0; length < row.signature.size(); ++length)
            CHECK_FALSE(key->verify(row.message, row.signature.substr(0, length)));
        for (std::size_t bit = 0; bit < row.signature.size() * 8; ++bit) {
            std::string other = row.signature;
            other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
            CHECK_FALSE(key->verify(row.message, other));
        }
    }
}

TEST_CASE("CredentialKey: r||s is not a signature of ES256 here, nor is DER with a longer length [WEBAUTHN-13]") {
    const auto key = CredentialKey::from_members(ec_public());
    REQUIRE(key);
    const std::string der = crypto::ecdsa_raw_to_der(raw(vectors::kEcSignature)).value();
    CHECK(key->verify(vectors::kEcInput, der));
    CHECK_FALSE(key->verify(vectors::kEcInput, raw(vectors::kEcSignature)));
    CHECK_FALSE(key->verify(vectors::kEcInput, der.substr(0, 1) + "\x81"s + der.substr(1)));
}

TEST_CASE("CredentialKey: a signature with the exponent 3 [WEBAUTHN-8]") {
    const auto made = sign_with_exponent_3("message");
    const auto key = CredentialKey::from_members(crypto::RsaPublic{made.n, "\x03"});
    REQUIRE(key);
    CHECK(key->verify("message", made.signature));
    CHECK_FALSE(key->verify("massage", made.signature));
    CHECK_FALSE(key->verify("message", std::string(256, '\0')));
}
