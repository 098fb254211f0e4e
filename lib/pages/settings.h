// The name of the service and the look of the pages, beyond the templates (`branding`).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/color.h"

namespace postern::pages {

/// A link at the foot of each page.
struct BrandLink {
    std::map<std::string, std::string> text;  ///< language tag → one line; "" is there, and is for all other languages
    std::string url;                          ///< https
};

/// The keys of `branding`; with all of them "" or empty, the pages are as the templates have them.
struct Branding {
    std::string name;              ///< of the service or the organisation
    std::string color;             ///< "#rrggbb" for buttons and links
    std::string color_dark;        ///< the same where the browser is dark; there with `color`
    std::string logo;              ///< an SVG or PNG file; there with `name`, which is its alternative text
    std::string help;              ///< an https or mailto URL, where users get help
    std::vector<BrandLink> links;  ///< up to 5
};

/// The backgrounds of buttons and links in the shipped style.css: the page, a card on it, a message on the card.
struct Surfaces {
    text::Color page, card, soft;
};
inline constexpr Surfaces kLightSurfaces{{0xf1, 0xef, 0xe9}, {0xff, 0xff, 0xff}, {0xf6, 0xf5, 0xf1}};
inline constexpr Surfaces kDarkSurfaces{{0x10, 0x14, 0x13}, {0x1a, 0x20, 0x1e}, {0x22, 0x2a, 0x27}};

}  // namespace postern::pages
