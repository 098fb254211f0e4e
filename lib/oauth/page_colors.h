// The colours of the shipped pages that the operator's colour stands on.
#pragma once

#include "text/color.h"

namespace postern::oauth {

/// What stands behind buttons and links in the shipped style.css: the page, a card on it, a message on the card.
struct Surfaces {
    text::Color page, card, soft;
};
inline constexpr Surfaces kLightSurfaces{{0xf1, 0xef, 0xe9}, {0xff, 0xff, 0xff}, {0xf6, 0xf5, 0xf1}};
inline constexpr Surfaces kDarkSurfaces{{0x10, 0x14, 0x13}, {0x1a, 0x20, 0x1e}, {0x22, 0x2a, 0x27}};

}  // namespace postern::oauth
