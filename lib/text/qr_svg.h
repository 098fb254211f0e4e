// How does a text look as a QR code (ISO/IEC 18004), drawn by one SVG path?
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace postern::text {

/// A QR code for <svg viewBox="0 0 size size">, filled black on a white rectangle of the whole view.
struct QrSvg {
    std::string path;      ///< the value of `d`: letters, digits, signs and blanks, nothing that HTML escapes
    std::size_t size = 0;  ///< width and height in modules, with the quiet zone of 4 modules on each side
};

/// Returns the QR code of a text, with error correction M. nullopt for a text that is empty, has a NUL or does not fit
/// (2331 bytes do), and for every text in a build without libqrencode: the page has to say the text in words as well.
std::optional<QrSvg> qr_svg(const std::string& text);

}  // namespace postern::text
