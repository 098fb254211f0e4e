// Makes unpredictable bytes and the identifiers that are made of them (RFC 6749 §10.10).
#include "crypto/random.h"

#include <openssl/rand.h>

#include "crypto/digest.h"
#include "crypto/openssl.h"
#include "util/base64.h"

namespace postern::crypto {

std::string SystemRandom::bytes(std::size_t count) {
    const openssl::Use use;
    std::string out(count, '\0');
    openssl::require(RAND_bytes(openssl::bytes(out.data()), openssl::to_int(count)), "random source");
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
