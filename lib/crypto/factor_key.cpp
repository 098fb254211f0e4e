// Decides how the keys of factor.key follow one another.
#include "crypto/factor_key.h"

#include <string>

#include "crypto/error.h"
#include "crypto/seal.h"

namespace postern::crypto {
namespace {

constexpr std::size_t kMostKeys = 3;

util::Secret part(const util::Secret& bytes, std::size_t index) {
    return util::Secret(std::string(bytes.reveal().substr(index * kSealKeyBytes, kSealKeyBytes)));
}

}  // namespace

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
