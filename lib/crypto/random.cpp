// Makes unpredictable bytes and the identifiers that are made of them (RFC 6749 §10.10).
#include "crypto/random.h"

#include <unistd.h>

#include <algorithm>

#include "crypto/digest.h"
#include "crypto/error.h"
#include "util/base64.h"

namespace postern::crypto {
namespace {

constexpr std::size_t kMostAtOnce = 256;  // of getentropy(3)

}  // namespace

std::string SystemRandom::bytes(std::size_t count) {
    std::string out(count, '\0');
    for (std::size_t at = 0; at < count; at += kMostAtOnce) {
        if (::getentropy(out.data() + at, std::min(count - at, kMostAtOnce)) != 0)
            throw CryptoError("the system returned no random bytes");
    }
    return out;
}

std::string SeededRandom::bytes(std::size_t count) {
    std::string out;
    while (out.size() < count) out += sha256(seed_ + ":" + std::to_string(counter_++));
    out.resize(count);
    return out;
}

std::string random_token(Random& random) { return util::base64url_encode(random.bytes(32)); }

std::string random_id(Random& random) {
    for (;;) {
        std::string id = util::base64url_encode(random.bytes(16));
        if (!id.starts_with('-')) return id;
    }
}

}  // namespace postern::crypto
