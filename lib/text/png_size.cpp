// How large is a PNG picture?
#include "text/png_size.h"

namespace postern::text {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::string_view kHeader = "\0\0\0\x0dIHDR"sv;
constexpr std::string_view kEnd = "\0\0\0\0IEND\xae\x42\x60\x82"sv;
constexpr std::size_t kShortest = 8 + 25 + 12;
constexpr std::uint32_t kLongestSide = 8192;

std::uint32_t number_at(std::string_view file, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = (number << 8U) | static_cast<unsigned char>(file[i]);
    return number;
}

bool is_side(std::uint32_t side) { return side >= 1 && side <= kLongestSide; }

}  // namespace

std::optional<PngSize> png_size(std::string_view file) {
    if (file.size() < kShortest || !file.starts_with(kSignature) || !file.ends_with(kEnd)) return std::nullopt;
    if (file.substr(kSignature.size(), kHeader.size()) != kHeader) return std::nullopt;
    const std::size_t sides = kSignature.size() + kHeader.size();
    const PngSize size{number_at(file, sides), number_at(file, sides + 4)};
    if (!is_side(size.width) || !is_side(size.height)) return std::nullopt;
    return size;
}

}  // namespace postern::text
