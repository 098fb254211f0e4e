// Percent-encoding of form and URL text (RFC 3986 §2.1, WHATWG form-urlencoded).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace postern::util {

/// Decodes one name or value of application/x-www-form-urlencoded, once: `+` is a space, `%XX` a byte.
/// nullopt for a `%` that is not followed by two hex digits. The bytes are not judged further here.
std::optional<std::string> form_decode(std::string_view text);

/// Returns the byte that the percent sign at `at`, a place in the text, stands for; nullopt: it lacks two hex digits.
std::optional<char> percent_byte(std::string_view text, std::size_t at);

/// Decodes `%XX` alone, once. nullopt for a `%` that is not followed by two hex digits.
std::optional<std::string> percent_decode(std::string_view text);

/// Accepts ALPHA / DIGIT / "-" / "." / "_" / "~" (RFC 3986 §2.3), whatever the locale.
bool is_unreserved(char c);

/// Writes everything but RFC 3986 unreserved characters as %XX (a space is %20): safe in a query, a fragment and a
/// form.
std::string percent_encode(std::string_view bytes);

}  // namespace postern::util
