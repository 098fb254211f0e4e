// Turns the public members of a JWK into an OpenSSL key and back, refusing the ones that are unfit (RFC 7518 §6).
#include "crypto/key_members.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <array>

#include "crypto/openssl.h"

namespace postern::crypto {
namespace {

using openssl::Owned;
using Number = Owned<BIGNUM, BN_free>;

/// RFC 7518 §2: Base64urlUInt is the shortest form, so that one key has one thumbprint.
void check_shortest(std::string_view number, const char* what) {
    if (!is_shortest(number)) throw CryptoError(std::string(what) + " is empty or begins with zero");
}

/// RFC 7518 §3.3 asks for 2048 bits, RFC 8725 §3.5 for keys with enough entropy; FIPS 186-5 A.1.1 for e >= 65537.
Algorithm check(const RsaPublic& rsa) {
    check_shortest(rsa.n, "n");
    check_shortest(rsa.e, "e");
    if (bits_of(rsa.n) < kMinRsaBits) throw CryptoError("the RSA key has fewer than 2048 bits");
    if (!is_odd(rsa.n)) throw CryptoError("the RSA modulus is even");
    if (!is_odd(rsa.e) || bits_of(rsa.e) < 17) throw CryptoError("the RSA exponent is even or below 65537");
    return Algorithm::RS256;
}

/// OpenSSL checks that the point is on the curve as it reads it.
Algorithm check(const EcPublic& ec) {
    if (ec.x.size() != kCoordinateBytes || ec.y.size() != kCoordinateBytes) {
        throw CryptoError("a P-256 coordinate is not 32 bytes");
    }
    return Algorithm::ES256;
}

Algorithm check(const OkpPublic& okp) {
    if (okp.x.size() != kCoordinateBytes) throw CryptoError("the Ed25519 key is not 32 bytes");
    return Algorithm::EdDSA;
}

/// Collects what EVP_PKEY_fromdata reads. The builder only points to numbers and octets, so they are kept here.
class Parameters {
public:
    void number(const char* name, std::string_view bytes) {
        Number& kept = numbers_.at(count_++);
        kept.reset(BN_bin2bn(openssl::bytes(bytes), openssl::to_int(bytes.size()), nullptr));
        openssl::require(OSSL_PARAM_BLD_push_BN(builder_.get(), name, openssl::require(kept.get(), name)), name);
    }
    void text(const char* name, const char* value) {
        openssl::require(OSSL_PARAM_BLD_push_utf8_string(builder_.get(), name, value, 0), name);
    }
    void octets(const char* name, std::string bytes) {
        octets_ = std::move(bytes);
        openssl::require(OSSL_PARAM_BLD_push_octet_string(builder_.get(), name, octets_.data(), octets_.size()), name);
    }

    /// Null for what is not a key.
    Pkey make(const char* key_type) {
        const Owned<OSSL_PARAM, OSSL_PARAM_free> parameters(
            openssl::require(OSSL_PARAM_BLD_to_param(builder_.get()), "key parameters"));
        const Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free> context(
            openssl::require(EVP_PKEY_CTX_new_from_name(nullptr, key_type, nullptr), "key type"));
        openssl::require(EVP_PKEY_fromdata_init(context.get()), "key");
        EVP_PKEY* key = nullptr;
        const int made = EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get());
        Pkey owned(key);
        return made == 1 ? std::move(owned) : nullptr;
    }

private:
    Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> builder_{openssl::require(OSSL_PARAM_BLD_new(), "key parameters")};
    std::array<Number, 2> numbers_;
    std::string octets_;
    std::size_t count_ = 0;
};

void describe(Parameters& to, const RsaPublic& rsa) {
    to.number(OSSL_PKEY_PARAM_RSA_N, rsa.n);
    to.number(OSSL_PKEY_PARAM_RSA_E, rsa.e);
}

void describe(Parameters& to, const EcPublic& ec) {
    to.text(OSSL_PKEY_PARAM_GROUP_NAME, "P-256");
    to.octets(OSSL_PKEY_PARAM_PUB_KEY, "\x04" + ec.x + ec.y);  // uncompressed point, SEC 1 §2.3.3
}

void describe(Parameters& to, const OkpPublic& okp) { to.octets(OSSL_PKEY_PARAM_PUB_KEY, okp.x); }

std::string number_of(const EVP_PKEY* key, const char* name, std::size_t width = 0) {
    BIGNUM* read = nullptr;
    openssl::require(EVP_PKEY_get_bn_param(key, name, &read), name);
    const Number number(read);
    std::string out(width != 0 ? width : static_cast<std::size_t>(BN_num_bytes(read)), '\0');
    if (BN_bn2binpad(read, openssl::bytes(out.data()), openssl::to_int(out.size())) < 0) openssl::fail(name);
    return out;
}

}  // namespace

Algorithm check_members(const PublicMembers& members) {
    return std::visit([](const auto& kind) { return check(kind); }, members);
}

Pkey find_public(const PublicMembers& members, const char* key_type) {
    Parameters parameters;
    std::visit([&parameters](const auto& kind) { describe(parameters, kind); }, members);
    return parameters.make(key_type);
}

Pkey make_public(const PublicMembers& members, const char* key_type) {
    Pkey key = find_public(members, key_type);
    openssl::require(key.get(), "the public key is not valid");
    return key;
}

PublicMembers members_of(const EVP_PKEY* key, Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::RS256:
        case Algorithm::PS256:
            return RsaPublic{number_of(key, OSSL_PKEY_PARAM_RSA_N), number_of(key, OSSL_PKEY_PARAM_RSA_E)};
        case Algorithm::ES256:
            return EcPublic{number_of(key, OSSL_PKEY_PARAM_EC_PUB_X, kCoordinateBytes),
                            number_of(key, OSSL_PKEY_PARAM_EC_PUB_Y, kCoordinateBytes)};
        case Algorithm::EdDSA:
            break;
    }
    std::string x(kCoordinateBytes, '\0');
    std::size_t size = 0;
    openssl::require(
        EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, openssl::bytes(x.data()), x.size(), &size),
        "Ed25519 key");
    return OkpPublic{x};
}

const KeyKind& kind_of(Algorithm algorithm) {
    for (const KeyKind& kind : kKeyKinds) {
        if (kind.algorithm == algorithm) return kind;
    }
    throw CryptoError("no such algorithm");
}

Algorithm chosen_algorithm(Algorithm first, std::optional<Algorithm> marked) {
    const bool is_possible = marked && std::string_view(kind_of(*marked).key_type) == kind_of(first).key_type;
    return is_possible ? *marked : first;
}

/// RFC 7518 §3.5: MGF1 with the same digest, and a salt as long as the digest. OpenSSL verifies any length, and signs
/// with the longest.
void set_padding(EVP_PKEY_CTX* context, Algorithm algorithm, const char* what) {
    constexpr int kSaltBytes = 32;
    if (algorithm != Algorithm::PS256) return;
    openssl::require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING), what);
    openssl::require(EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, "SHA256", nullptr), what);
    openssl::require(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, kSaltBytes), what);
}

bool is_signature_of(evp_pkey_st* key, Algorithm algorithm, std::string_view message, std::string_view signature) {
    const DigestContext context(openssl::require(EVP_MD_CTX_new(), "verification"));
    EVP_PKEY_CTX* settings = nullptr;
    openssl::require(
        EVP_DigestVerifyInit_ex(context.get(), &settings, kind_of(algorithm).digest, nullptr, nullptr, key, nullptr),
        "verification");
    set_padding(settings, algorithm, "verification");
    // 0 is a wrong signature and a negative number an unreadable one: neither is 1.
    return EVP_DigestVerify(context.get(), openssl::bytes(signature), signature.size(), openssl::bytes(message),
                            message.size()) == 1;
}

}  // namespace postern::crypto
