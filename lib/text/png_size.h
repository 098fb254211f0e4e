// How large is a PNG picture?
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace postern::text {

struct PngSize {
    std::uint32_t width = 0, height = 0;  ///< pixels, 1 to 8192
};

/// Returns the size of a file that begins as PNG files do and ends with their last chunk (PNG §5.2, §11.2.1); nullopt
/// for any other. The browser reads the rest.
std::optional<PngSize> png_size(std::string_view file);

}  // namespace postern::text
