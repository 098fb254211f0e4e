// The limits of the parameters of an authorization request, and of the URL of its answer.
#pragma once

#include <cstddef>

namespace postern::oauth {

/// The most bytes of all known values together, with the name that a client's document gives it; unknown parameters and
/// id_token_hint do not count. They travel through the browser, sealed: Apache takes no header line of more than 8190
/// bytes from a program, and the URL of the next page has to fit.
inline constexpr std::size_t kMaxRequestBytes = 4864;

inline constexpr std::size_t kMaxStateBytes = 4096;
/// The limit of a URL that the browser is sent to. Apache takes no header line of more than 8190 bytes from a program.
inline constexpr std::size_t kMaxAnswerBytes = 8000;

}  // namespace postern::oauth
