// The tokens whose signatures this process has verified: for the same bytes the 60 microseconds are spent once.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace postern::jose {

/// A fixed number of slots, each with the SHA-256 of a whole token, signature included; a later token replaces an
/// earlier one in its slot. An entry says that the holder of the key has signed these bytes, and nothing else: expiry,
/// revocation and claims are checked on every use. It is valid for one set of keys, so a Verifier owns one. Only valid
/// tokens enter it; at worst they displace others, which are then verified again.
class VerifiedTokenCache {
public:
    using Digest = std::array<char, 32>;

    static Digest digest_of(std::string_view token);
    bool contains(const Digest& digest) const;
    void add(const Digest& digest);

private:
    static constexpr std::size_t kSlots = 2048;  // 64 KiB for each process
    static std::size_t slot_of(const Digest& digest);

    std::optional<Digest> first_;  ///< the only entry until there is a second one: a CGI process seldom sees two
    std::vector<Digest>
        slots_;  ///< not allocated before the second entry; an unused slot is all zeros, which is not a token's digest
};

}  // namespace postern::jose
