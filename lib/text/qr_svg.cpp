// Draws a QR code as one SVG path: the only file that is compiled with libqrencode.
#include "text/qr_svg.h"

#ifdef POSTERN_QRENCODE

#include <qrencode.h>

#include <cerrno>
#include <memory>
#include <new>

namespace postern::text {
namespace {

constexpr std::size_t kQuietZone = 4;

struct Free {
    void operator()(QRcode* code) const { QRcode_free(code); }
};
using Code = std::unique_ptr<QRcode, Free>;

/// The lowest bit of a module is set when it is dark.
bool is_dark(const QRcode& code, std::size_t x, std::size_t y) {
    return (code.data[y * static_cast<std::size_t>(code.width) + x] & 1U) != 0;
}

/// A rectangle of one row. Neighbours of two rows touch without a gap: whole modules have whole coordinates.
std::string rectangle(std::size_t x, std::size_t y, std::size_t width) {
    const std::string w = std::to_string(width);
    return "M" + std::to_string(x + kQuietZone) + " " + std::to_string(y + kQuietZone) + "h" + w + "v1h-" + w + "z";
}

std::string path_of(const QRcode& code) {
    const auto width = static_cast<std::size_t>(code.width);
    std::string path;
    for (std::size_t y = 0; y < width; ++y) {
        for (std::size_t x = 0; x < width;) {
            std::size_t run = 0;
            while (x + run < width && is_dark(code, x + run, y)) ++run;
            if (run > 0) path += rectangle(x, y, run);
            x += run + 1;  // behind the dark modules is a light one
        }
    }
    return path;
}

}  // namespace

std::optional<QrSvg> qr_svg(const std::string& text) {
    if (text.empty() || text.find('\0') != std::string::npos) return std::nullopt;
    constexpr int kAnyVersion = 0, kCaseCounts = 1;
    const Code code(QRcode_encodeString(text.c_str(), kAnyVersion, QR_ECLEVEL_M, QR_MODE_8, kCaseCounts));
    if (!code && errno == ENOMEM) throw std::bad_alloc();
    if (!code) return std::nullopt;
    return QrSvg{path_of(*code), static_cast<std::size_t>(code->width) + 2 * kQuietZone};
}

}  // namespace postern::text

#else

namespace postern::text {

std::optional<QrSvg> qr_svg(const std::string&) { return std::nullopt; }

}  // namespace postern::text

#endif
