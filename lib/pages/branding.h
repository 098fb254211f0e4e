// The operator's name, colours, logo and links in the pages (`branding`). docs/decisions/0085-branding.md
#pragma once

#include <string>
#include <vector>

#include "pages/settings.h"
#include "pages/template.h"

namespace postern::pages {

/// Puts the operator's branding in place of what every page splices in: the accent of style.css, mark.svg, the icon of
/// head.html and foot.html. Adds the name to every title. Reads the file of the logo; throws std::runtime_error naming
/// it when it is no PNG or SVG of at most 64 KiB. Without branding, foot.html is "" and the rest stays as it is.
void apply_branding(const Branding& branding, const std::string& directory, Partials& partials);

/// Returns a sentence for each part of the branding that a template of this directory does not show, for the doctor.
/// Throws as read_template_file.
std::vector<std::string> find_unbranded(const std::string& directory, const Branding& branding);

}  // namespace postern::pages
