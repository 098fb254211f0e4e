// Seals and opens text that a browser carries for us: AES-256-GCM with a random nonce (NIST SP 800-38D).
#include "crypto/seal.h"

#include <openssl/evp.h>

#include <string>

#include "crypto/error.h"
#include "crypto/openssl.h"
#include "util/base64.h"

namespace postern::crypto {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

using CipherContext = openssl::Owned<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free>;
enum class Direction { open = 0, seal = 1 };

/// A context that has the key, the nonce and the purpose (as additional authenticated data).
CipherContext begin(Direction direction, const util::Secret& key, std::string_view nonce, std::string_view purpose) {
    static const openssl::Owned<EVP_CIPHER, EVP_CIPHER_free> method(
        openssl::require(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr), "AES-256-GCM"));
    if (key.reveal().size() != kSealKeyBytes) throw CryptoError("the seal key is not 32 bytes");
    CipherContext context(openssl::require(EVP_CIPHER_CTX_new(), "cipher context"));
    openssl::require(EVP_CipherInit_ex2(context.get(), method.get(), openssl::bytes(key.reveal()),
                                        openssl::bytes(nonce), static_cast<int>(direction), nullptr),
                     "cipher start");
    int length = 0;
    if (!purpose.empty()) {
        openssl::require(
            EVP_CipherUpdate(context.get(), nullptr, &length, openssl::bytes(purpose), openssl::to_int(purpose.size())),
            "cipher purpose");
    }
    return context;
}

/// GCM is a stream: as many bytes come out as go in.
std::string transform(EVP_CIPHER_CTX* context, std::string_view in) {
    std::string out(in.size(), '\0');
    int length = 0;
    if (!in.empty()) {
        openssl::require(EVP_CipherUpdate(context, openssl::bytes(out.data()), &length, openssl::bytes(in),
                                          openssl::to_int(in.size())),
                         "cipher text");
    }
    return out;
}

constexpr std::size_t kMostKeys = 3;

util::Secret part(const util::Secret& bytes, std::size_t index) {
    return util::Secret(std::string(bytes.reveal().substr(index * kSealKeyBytes, kSealKeyBytes)));
}

}  // namespace

std::string seal(const util::Secret& key, std::string_view purpose, std::string_view plain, Random& random) {
    const std::string nonce = random.bytes(kNonceBytes);
    const openssl::Use use;
    const CipherContext context = begin(Direction::seal, key, nonce, purpose);
    const std::string cipher = transform(context.get(), plain);

    unsigned char nothing[EVP_MAX_BLOCK_LENGTH];
    int length = 0;
    openssl::require(EVP_CipherFinal_ex(context.get(), nothing, &length), "cipher end");
    std::string tag(kTagBytes, '\0');
    openssl::require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag.data()), "cipher tag");
    return util::base64url_encode(nonce + cipher + tag);
}

std::optional<std::string> open_seal(const util::Secret& key, std::string_view purpose, std::string_view sealed) {
    auto decoded = util::base64url_decode(sealed);
    if (!decoded || decoded->size() < kNonceBytes + kTagBytes) return std::nullopt;
    const std::string_view all(*decoded);
    std::string tag(all.substr(all.size() - kTagBytes));

    const openssl::Use use;
    const CipherContext context = begin(Direction::open, key, all.substr(0, kNonceBytes), purpose);
    std::string plain = transform(context.get(), all.substr(kNonceBytes, all.size() - kNonceBytes - kTagBytes));
    openssl::require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()), "cipher tag");
    unsigned char nothing[EVP_MAX_BLOCK_LENGTH];
    int length = 0;
    // The text is used only after its tag was verified.
    if (EVP_CipherFinal_ex(context.get(), nothing, &length) != 1) return std::nullopt;
    return plain;
}

bool is_factor_key_size(std::size_t bytes) {
    return bytes > 0 && bytes % kSealKeyBytes == 0 && bytes / kSealKeyBytes <= kMostKeys;
}

FactorKeys parse_factor_keys(const util::Secret& bytes) {
    if (!is_factor_key_size(bytes.reveal().size())) throw CryptoError("a factor key of another length");
    const std::size_t keys = bytes.reveal().size() / kSealKeyBytes;
    FactorKeys parsed{.sealing = part(bytes, 0), .codes = part(bytes, keys > 1 ? 1 : 0), .previous = {}};
    if (keys > 2) parsed.previous = part(bytes, 2);
    return parsed;
}

util::Secret to_bytes(const FactorKeys& keys) {
    std::string bytes(keys.sealing.reveal());
    if (!keys.previous.empty() || keys.codes.reveal() != keys.sealing.reveal()) bytes += keys.codes.reveal();
    bytes += keys.previous.reveal();
    return util::Secret(std::move(bytes));
}

}  // namespace postern::crypto
