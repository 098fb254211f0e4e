// `branding`: what its keys accept (BRAND-1 to BRAND-3).
#pragma once

#include <string_view>

#include "config/checks.h"
#include "config/problems.h"
#include "json/value.h"

namespace postern::config {

/// One line of 1 to 64 characters, as it would be shown.
Fault brand_name_fault(std::string_view name);
/// "#rrggbb".
Fault color_fault(std::string_view color);
/// An https URL, or mailto with one address.
Fault help_fault(std::string_view help);

/// `branding.links`: [{"text": {"": "Imprint", "de": "Impressum"}, "url": "https://example.org/imprint"}], up to 5.
Problems read_brand_links(Config& config, const json::Value& value);

/// Adds a problem for each key that needs another one, and for a colour that cannot be told from the page: below 3 : 1
/// (WCAG 2.2, 1.4.11).
void check_branding(const pages::Branding& branding, Problems& problems);

}  // namespace postern::config
