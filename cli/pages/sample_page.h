// A page with sample values.
#pragma once

#include <string>

namespace postern::cli {

struct SamplePage {
    std::string name;  ///< of the file: that of the template, and behind a hyphen the state, "login-problem.html"
    std::string html;  ///< as a browser gets it
};

}  // namespace postern::cli
