// Every page with sample values: what `postern pages` writes.
#pragma once

#include <string>
#include <vector>

#include "cli/pages/sample_page.h"
#include "config/config.h"

namespace postern::cli {

/// Of the configured templates and branding. No value is of a user, and no form leads anywhere. Throws
/// std::runtime_error naming a template that cannot be used.
std::vector<SamplePage> sample_pages(const config::Config& config, const std::string& language);

}  // namespace postern::cli
