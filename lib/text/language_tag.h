// Which language does a person want? Language tags (RFC 5646) and the lists in which browsers and clients send them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::text {

/// 1 to 8 letters, then subtags of 1 to 8 letters and digits, at most 35 characters: "de", "pt-BR", "zh-Hans".
bool is_language_tag(std::string_view text);

/// Returns whether the language is written from right to left, by its first subtag.
bool is_right_to_left(std::string_view tag);

/// The ranges of an Accept-Language header (RFC 9110 §12.5.4), the most wanted first, without "*", those of weight 0
/// and what is malformed. At most 20 are read.
std::vector<std::string> accepted_languages(std::string_view header);

/// The tags of `ui_locales` (OpenID Connect Core §3.1.2.1), the most wanted first. At most 20 are read.
std::vector<std::string> wanted_languages(std::string_view ui_locales);

/// The place in `offered` of what fits `ranges` best: RFC 4647 §3.4 lookup for each range in its turn, and where that
/// finds nothing, an offered language that begins with the same subtag, so that "pt" finds "pt-BR".
std::optional<std::size_t> find_language(const std::vector<std::string>& ranges,
                                         const std::vector<std::string>& offered);

}  // namespace postern::text
