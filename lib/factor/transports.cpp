// Decides which names of transports are kept.
#include "factor/transports.h"

#include <algorithm>

#include "util/text.h"

namespace postern::factor {
namespace {

bool is_transport(std::string_view word) {
    return !word.empty() && word.size() <= kMaxTransportBytes &&
           std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || util::is_digit(c) || c == '-'; });
}

}  // namespace

std::vector<std::string> parse_transports(std::string_view words) {
    std::vector<std::string> kept;
    for (const std::string_view word : util::split(words, ' ')) {
        if (kept.size() == kMaxTransports) break;
        if (is_transport(word)) kept.emplace_back(word);
    }
    return kept;
}

}  // namespace postern::factor
