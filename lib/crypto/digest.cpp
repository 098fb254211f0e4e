// Computes SHA-2 digests, HMAC with SHA-256 and SHA-1 (RFC 6234, RFC 2104) and comparisons that do not tell where they
// end.
#include "crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "crypto/openssl.h"

namespace postern::crypto {

namespace {

using Digest = openssl::Owned<EVP_MD, EVP_MD_free>;

Digest fetch(const char* name) {
    return Digest(openssl::require(EVP_MD_fetch(nullptr, name, nullptr), "no such digest"));
}

std::string digest(const EVP_MD* method, std::string_view bytes) {
    std::string out(static_cast<std::size_t>(EVP_MD_get_size(method)), '\0');
    openssl::require(EVP_Digest(bytes.data(), bytes.size(), openssl::bytes(out.data()), nullptr, method, nullptr),
                     "digest");
    return out;
}

std::string hmac(const char* method, std::size_t bytes, std::string_view key, std::string_view message) {
    const openssl::Use use;
    // A null pointer would mean "the key set before" to OpenSSL rather than an empty key.
    if (key.data() == nullptr) key = "";
    std::string out(bytes, '\0');
    std::size_t size = 0;
    openssl::require(EVP_Q_mac(nullptr, "HMAC", nullptr, method, nullptr, key.data(), key.size(),
                               openssl::bytes(message), message.size(), openssl::bytes(out.data()), out.size(), &size),
                     "HMAC");
    if (size != out.size()) throw CryptoError("HMAC of an unexpected length");
    return out;
}

}  // namespace

std::string sha256(std::string_view bytes) {
    const openssl::Use use;
    static const Digest method = fetch("SHA256");
    return digest(method.get(), bytes);
}

std::string sha1(std::string_view bytes) {
    const openssl::Use use;
    static const Digest method = fetch("SHA1");
    return digest(method.get(), bytes);
}

std::string sha512(std::string_view bytes) {
    const openssl::Use use;
    static const Digest method = fetch("SHA512");
    return digest(method.get(), bytes);
}

std::string hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out(bytes.size() * 2, '\0');
    char* next = out.data();
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        *next++ = kDigits[byte >> 4];
        *next++ = kDigits[byte & 0x0F];
    }
    return out;
}

std::string sha256_hex(std::string_view bytes) { return hex(sha256(bytes)); }

std::string hmac_sha256(std::string_view key, std::string_view message) { return hmac("SHA256", 32, key, message); }

std::string hmac_sha1(std::string_view key, std::string_view message) { return hmac("SHA1", 20, key, message); }

bool equal_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace postern::crypto
