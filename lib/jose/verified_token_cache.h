// The tokens whose signatures this process has verified, and what they say: the same bytes are verified and read once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "json/value.h"

namespace postern::jose {

/// The claims of a verified token; shared with the cache, and so never changed.
using Claims = std::shared_ptr<const json::Object>;

/// A fixed number of slots, each for the SHA-256 of a whole token, signature included; a later token replaces an
/// earlier one in its slot. An entry says that the holder of the key has signed these bytes, and what they are; expiry,
/// revocation and the values of claims are checked on every use. It is valid for one set of keys, so a Verifier owns
/// one. Only valid tokens enter it; at worst they displace others, which are then verified again.
class VerifiedTokenCache {
public:
    /// Returns the claims of the token with that SHA-256, 32 bytes; nullptr when it is not there. Valid until the next
    /// `add`.
    const Claims* find(const std::string& digest) const;
    const Claims& add(const std::string& digest, Claims claims);

private:
    struct Entry {
        std::string digest;  ///< empty in an unused slot
        Claims claims;
    };
    static constexpr std::size_t kSlots = 2048;  // 96 KiB for each process, and about 1 KiB for each token in use
    std::vector<Entry> slots_;                   ///< not allocated before the first entry
};

}  // namespace postern::jose
