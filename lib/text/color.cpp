// Colours of a page.
#include "text/color.h"

#include <algorithm>
#include <cmath>

namespace postern::text {
namespace {

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::uint8_t> byte_of(char high, char low) {
    const int a = digit_of(high);
    const int b = digit_of(low);
    if (a < 0 || b < 0) return std::nullopt;
    return static_cast<std::uint8_t>(16 * a + b);
}

/// WCAG 2.2, "relative luminance", of one channel.
double linear(std::uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(const Color& color) {
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

std::uint8_t between(std::uint8_t a, std::uint8_t b, double share) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

}  // namespace

std::optional<Color> parse_color(std::string_view text) {
    if (text.size() != 7 || text[0] != '#') return std::nullopt;
    const auto red = byte_of(text[1], text[2]);
    const auto green = byte_of(text[3], text[4]);
    const auto blue = byte_of(text[5], text[6]);
    if (!red || !green || !blue) return std::nullopt;
    return Color{*red, *green, *blue};
}

std::string to_text(const Color& color) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "#";
    for (const std::uint8_t channel : {color.red, color.green, color.blue})
        (text += kDigits[channel / 16]) += kDigits[channel % 16];
    return text;
}

double contrast(const Color& a, const Color& b) {
    const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
    return (light + 0.05) / (dark + 0.05);
}

Color best_on(const Color& background) {
    return contrast(background, kBlack) > contrast(background, kWhite) ? kBlack : kWhite;
}

Color mix(const Color& a, const Color& b, double share) {
    return {between(a.red, b.red, share), between(a.green, b.green, share), between(a.blue, b.blue, share)};
}

}  // namespace postern::text
