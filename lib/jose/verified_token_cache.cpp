// A direct-mapped cache of token digests.
#include "jose/verified_token_cache.h"

#include <algorithm>

#include "crypto/digest.h"

namespace postern::jose {

VerifiedTokenCache::Digest VerifiedTokenCache::digest_of(std::string_view token) {
    Digest digest;
    std::ranges::copy(crypto::sha256(token), digest.begin());
    return digest;
}

/// A digest is uniformly distributed, so its first two bytes are enough.
std::size_t VerifiedTokenCache::slot_of(const Digest& digest) {
    return (static_cast<unsigned char>(digest[0]) * 256U + static_cast<unsigned char>(digest[1])) % kSlots;
}

VerifiedTokenCache::Entry* VerifiedTokenCache::find(const Digest& digest) {
    if (slots_.empty()) return first_ && first_->digest == digest ? &*first_ : nullptr;
    Entry& entry = slots_[slot_of(digest)];
    return entry.digest == digest ? &entry : nullptr;
}

VerifiedTokenCache::Entry& VerifiedTokenCache::add(const Digest& digest) {
    if (slots_.empty() && !first_) {
        first_ = Entry{digest, nullptr};
        return *first_;
    }
    if (slots_.empty()) {
        slots_.resize(kSlots);
        slots_[slot_of(first_->digest)] = *first_;
    }
    return slots_[slot_of(digest)] = {digest, nullptr};
}

}  // namespace postern::jose
