// The operator's name, colours, logo and links in the pages (`branding`). docs/decisions/0085-branding.md
#pragma once

#include <string>
#include <vector>

#include "pages/settings.h"
#include "pages/template.h"

namespace postern::pages {

/// Makes the texts that every page splices in the operator's: the accent of style.css, mark.svg, the icon of head.html
/// and foot.html; and every title ends with the name. Reads the logo, here and nowhere else. Throws std::runtime_error
/// naming the file when it is not an SVG or PNG that may be shown. Without any branding nothing changes, and foot.html
/// is "".
void apply_branding(const Branding& branding, const std::string& directory, Partials& partials);

/// Returns, for the doctor, a sentence for each template of this directory that does not show a part of it. Throws what
/// read_template_file throws.
std::vector<std::string> find_unbranded(const std::string& directory, const Branding& branding);

}  // namespace postern::pages
