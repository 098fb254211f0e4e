// Decides whether a signature is that of a key (RFC 7518 §3.3, §3.4; RFC 8037 §3.1).
#include "crypto/key_kind.h"

#include <openssl/evp.h>

#include "crypto/openssl.h"

namespace postern::crypto {

const KeyKind& kind_of(Algorithm algorithm) {
    for (const KeyKind& kind : kKeyKinds) {
        if (kind.algorithm == algorithm) return kind;
    }
    throw CryptoError("no such algorithm");
}

bool is_signature_of(evp_pkey_st* key, Algorithm algorithm, std::string_view message, std::string_view signature) {
    const DigestContext context(openssl::require(EVP_MD_CTX_new(), "verification"));
    openssl::require(
        EVP_DigestVerifyInit_ex(context.get(), nullptr, kind_of(algorithm).digest, nullptr, nullptr, key, nullptr),
        "verification");
    // 0 is a wrong signature and a negative number an unreadable one: neither is 1.
    return EVP_DigestVerify(context.get(), openssl::bytes(signature), signature.size(), openssl::bytes(message),
                            message.size()) == 1;
}

}  // namespace postern::crypto
