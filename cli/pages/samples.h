// Every page with sample values: what `postern pages` writes.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace postern::cli {

struct SamplePage {
    std::string name;  ///< of the file: that of the template, and behind a hyphen the state, "login-problem.html"
    std::string html;  ///< as a browser gets it
};

/// Of the configured templates and branding. No value is of a user, and no form leads anywhere. Throws
/// std::runtime_error naming a template that cannot be used.
std::vector<SamplePage> sample_pages(const config::Config& config, const std::string& language);

}  // namespace postern::cli
