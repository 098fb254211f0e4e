// Which signatures were found good before.
#include "jose/verified_token_cache.h"

#include <algorithm>

#include "crypto/digest.h"

namespace postern::jose {

VerifiedTokenCache::Digest VerifiedTokenCache::digest_of(std::string_view token) {
    Digest digest;
    std::ranges::copy(crypto::sha256(token), digest.begin());
    return digest;
}

/// Any two bytes of a digest are as good as any others.
std::size_t VerifiedTokenCache::place_of(const Digest& digest) {
    return (static_cast<unsigned char>(digest[0]) * 256U + static_cast<unsigned char>(digest[1])) % kPlaces;
}

bool VerifiedTokenCache::holds(const Digest& digest) const {
    return places_.empty() ? digest == first_ : places_[place_of(digest)] == digest;
}

void VerifiedTokenCache::add(const Digest& digest) {
    if (places_.empty() && (!first_ || first_ == digest)) {
        first_ = digest;
        return;
    }
    if (places_.empty()) {
        places_.resize(kPlaces);
        places_[place_of(*first_)] = *first_;
    }
    places_[place_of(digest)] = digest;
}

}  // namespace postern::jose
