// How many guesses does a password take?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::factor {

/// The binary logarithm of the guesses, as libzxcvbn estimates them from words, names, dates, rows of keys and
/// repetitions; `words` are guessed before any other. nullopt in a build without libzxcvbn. The library gives memory
/// back that has parts of the password in it. A password of 511 bytes takes some 15 ms.
std::optional<double> password_strength(std::string_view password, const std::vector<std::string>& words);

/// False in a build without libzxcvbn.
bool estimates_password_strength();

}  // namespace postern::factor
