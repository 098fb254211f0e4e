// Which signatures were found good before: arithmetic of 60 microseconds need not be done again for the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace postern::jose {

/// Remembers whole tokens, header and signature included, by their SHA-256, as many as fit; where two want the same
/// place the later one has it. It says that somebody with the key has signed these bytes, here or elsewhere, and
/// nothing else: expiry, revocation and everything in the claims is looked at each time. Belongs to one set of keys and
/// goes with it. Only who has good tokens can fill it, and can make others be verified again at most.
class VerifiedTokenCache {
public:
    using Digest = std::array<char, 32>;

    static Digest digest_of(std::string_view token);
    bool holds(const Digest& digest) const;
    void add(const Digest& digest);

private:
    static constexpr std::size_t kPlaces = 2048;  // 64 KiB for each process
    static std::size_t place_of(const Digest& digest);

    std::optional<Digest> first_;  ///< the only one until there is another: a CGI process seldom sees two
    std::vector<Digest> places_;   ///< empty until the second; a place that nobody has is all zeros, no token's digest
};

}  // namespace postern::jose
