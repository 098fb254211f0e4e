// A direct-mapped cache of token digests.
#include "jose/verified_token_cache.h"

namespace postern::jose {
namespace {

/// A digest is uniformly distributed, so its first two bytes are enough.
std::size_t beginning_of(const std::string& digest) {
    return static_cast<unsigned char>(digest[0]) * 256U + static_cast<unsigned char>(digest[1]);
}

}  // namespace

VerifiedTokenCache::Entry* VerifiedTokenCache::find(const std::string& digest) {
    if (slots_.empty()) return nullptr;
    Entry& entry = slots_[beginning_of(digest) % kSlots];
    return entry.digest == digest ? &entry : nullptr;
}

VerifiedTokenCache::Entry& VerifiedTokenCache::add(const std::string& digest) {
    slots_.resize(kSlots);
    return slots_[beginning_of(digest) % kSlots] = {digest, nullptr};
}

}  // namespace postern::jose
