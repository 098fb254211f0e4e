// How the pages name the service and what they look like, beyond what the templates say (`branding`).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace postern::oauth {

/// A link at the foot of each page.
struct BrandLink {
    std::map<std::string, std::string> text;  ///< language tag → one line; "" is there, and is for all other languages
    std::string url;                          ///< https
};

/// All of it "" or empty: the pages are as the templates have them.
struct Branding {
    std::string name;              ///< of the service or the organisation
    std::string color;             ///< "#rrggbb" for buttons and links
    std::string color_dark;        ///< the same where the browser is dark; there with `color`
    std::string logo;              ///< an SVG or PNG file; there with `name`, which is its alternative text
    std::string help;              ///< an https or mailto URL, where users get help
    std::vector<BrandLink> links;  ///< up to 5
};

}  // namespace postern::oauth
