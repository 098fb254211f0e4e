// Decides how response types are spelled.
#include "model/response_type.h"

#include <utility>

#include "util/text.h"

namespace postern::model {
namespace {

constexpr std::pair<std::string_view, ResponseType> kWords[] = {
    {"code", ResponseType::code},
    {"token", ResponseType::token},
    {"id_token", ResponseType::id_token},
};

/// Returns the bit of a word; 0 for one that is unknown.
unsigned bit_of(std::string_view word) {
    for (const auto& [name, type] : kWords)
        if (name == word) return static_cast<unsigned>(type);
    return 0;
}

}  // namespace

std::string_view to_string(ResponseType type) {
    constexpr std::string_view kNames[] = {
        "", "code", "token", "code token", "id_token", "code id_token", "id_token token", "code id_token token",
    };
    return kNames[static_cast<unsigned>(type)];
}

std::optional<ResponseType> parse_response_type(std::string_view text) {
    unsigned bits = 0;
    for (const std::string_view word : util::split(text, ' ')) {
        const unsigned bit = bit_of(word);
        if (bit == 0 || (bits & bit) != 0) return std::nullopt;
        bits |= bit;
    }
    return static_cast<ResponseType>(bits);
}

}  // namespace postern::model
