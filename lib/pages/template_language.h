// What stands between {{_}} and {{/_}} in a template, in the language of a page.
#pragma once

#include <string>
#include <string_view>

#include "text/catalogue.h"

namespace postern::pages {

/// The text of the template in that language, without the marks. Words of a catalogue are looked at as the template's
/// own are: a catalogue brings in no other tag. Throws std::runtime_error naming `file` where a text to be translated
/// has more in it than values, <strong>, <bdi> and <code>.
std::string in_language(const std::string& file, std::string_view text, const text::Catalogue& language);

}  // namespace postern::pages
