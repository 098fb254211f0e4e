// A direct-mapped cache of token digests.
#include "jose/verified_token_cache.h"

namespace postern::jose {
namespace {

/// A digest is uniformly distributed, so its first two bytes are enough.
std::size_t beginning_of(const std::string& digest) {
    return static_cast<unsigned char>(digest[0]) * 256U + static_cast<unsigned char>(digest[1]);
}

}  // namespace

const Claims* VerifiedTokenCache::find(const std::string& digest) const {
    if (slots_.empty()) return nullptr;
    const Entry& entry = slots_[beginning_of(digest) % kSlots];
    return entry.digest == digest ? &entry.claims : nullptr;
}

const Claims& VerifiedTokenCache::add(const std::string& digest, Claims claims) {
    slots_.resize(kSlots);
    return (slots_[beginning_of(digest) % kSlots] = {digest, std::move(claims)}).claims;
}

}  // namespace postern::jose
