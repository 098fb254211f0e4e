// The party that registers a client, and the bounds on its addresses.
#pragma once

#include <cstddef>

namespace postern::oauth {

inline constexpr std::size_t kMaxRegisteredUris = 20;  ///< in each list of a request
inline constexpr std::size_t kMaxRegisteredUriBytes = 2048;
/// Each request of a page of another site reads through all addresses (cors.h), and strangers' rows are many.
inline constexpr std::size_t kMaxUrisOfStranger = 8;
inline constexpr std::size_t kMaxUriBytesOfStranger = 512;

/// The party that sends a registration request.
enum class Registrant {
    token_holder,  ///< it has an initial access token, which the operator gave it
    stranger,      ///< anybody, in mode `open`: a public client with addresses that nobody else has, and with no links
};

}  // namespace postern::oauth
