// The tokens whose signatures this process has verified, and what they say: the same bytes are verified and read once.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace postern::jose {

/// What a verified token says; shared with the cache, and so never changed.
using Claims = std::shared_ptr<const json::Object>;

/// A fixed number of slots, each for the SHA-256 of a whole token, signature included; a later token replaces an
/// earlier one in its slot. An entry says that the holder of the key has signed these bytes, and what they are; expiry,
/// revocation and the values of claims are checked on every use. It is valid for one set of keys, so a Verifier owns
/// one. Only valid tokens enter it; at worst they displace others, which are then verified again.
class VerifiedTokenCache {
public:
    using Digest = std::array<char, 32>;

    struct Entry {
        Digest digest{};  ///< all zeros, which is not a token's, in an unused slot
        Claims claims;    ///< nullptr until they are read
    };

    static Digest digest_of(std::string_view token);
    /// nullptr when the token is not there. The next `add` may move the entry.
    Entry* find(const Digest& digest);
    Entry& add(const Digest& digest);

private:
    static constexpr std::size_t kSlots = 2048;  // 96 KiB for each process, and about 1 KiB for each token in use
    static std::size_t slot_of(const Digest& digest);

    std::optional<Entry> first_;  ///< the only entry until there is a second one: a CGI process seldom sees two
    std::vector<Entry> slots_;    ///< not allocated before the second entry
};

}  // namespace postern::jose
