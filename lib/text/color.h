// Colours of a page: their notation, and how well one can be told from another (WCAG 2.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postern::text {

struct Color {
    std::uint8_t red = 0, green = 0, blue = 0;  ///< sRGB
    bool operator==(const Color&) const = default;
};
inline constexpr Color kBlack{0, 0, 0};
inline constexpr Color kWhite{255, 255, 255};

/// Reads "#rrggbb", in letters of either case.
std::optional<Color> parse_color(std::string_view text);
/// "#rrggbb" in small letters.
std::string to_text(const Color& color);

/// WCAG 2.2, "contrast ratio": 1 to 21, whichever of the two is the lighter one.
double contrast(const Color& a, const Color& b);
/// Black or white, whichever has more contrast with it: 4.58 at least.
Color best_on(const Color& background);
/// Between the two: `share` of `b`, 0 to 1.
Color mix(const Color& a, const Color& b, double share);

}  // namespace postern::text
