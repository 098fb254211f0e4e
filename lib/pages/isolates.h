// Values with a direction of their own, as HTML has them.
#pragma once

#include <string>

namespace postern::pages {

/// Writes what stands between isolates (text/isolate.h) in the text of a page as <bdi>, or <bdi dir="ltr">: what a
/// reader copies from the page has no invisible characters in it, and the style sheet knows where a value ends. In
/// attributes and titles, which have no elements, isolates stay.
std::string isolates_as_elements(std::string html);

}  // namespace postern::pages
