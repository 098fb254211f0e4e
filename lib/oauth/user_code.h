// The letters that a user carries from a device to the browser (RFC 8628 §6.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/random.h"
#include "model/ids.h"

namespace postern::oauth {

/// The letters of a user code: no vowel, so that none is a word, and no digit that looks like a letter.
inline constexpr std::string_view kUserCodeAlphabet = "BCDFGHJKLMNPQRSTVWXZ";
inline constexpr std::size_t kUserCodeLetters = 8;  ///< 34.5 bits

/// Returns random letters, all alike likely.
std::string make_user_code(crypto::Random& random);

/// Returns the letters as people read them: WDJB-MJHT.
std::string shown_user_code(std::string_view letters);

/// Returns the letters that were typed, in upper case: whatever is not a letter is left out. nullopt for more than 64
/// bytes, and for letters that are no code.
std::optional<std::string> parse_user_code(std::string_view typed);

/// Returns the digest by which a code is stored.
model::ValueHash user_code_hash(std::string_view letters);

}  // namespace postern::oauth
