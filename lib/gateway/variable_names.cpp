// How CGI variables are named, and which names of them are one and the same.
#include "gateway/variable_names.h"

#include <algorithm>

#include "util/text.h"

namespace postern::gateway {
namespace {

constexpr std::size_t kLongestVariable = 128;

bool is_variable_character(char c) { return util::is_letter(c) || util::is_digit(c) || c == '_' || c == '-'; }

}  // namespace

bool is_variable_name(std::string_view name) {
    return !name.empty() && name.size() <= kLongestVariable && !util::is_digit(name.front()) &&
           std::ranges::all_of(name, is_variable_character);
}

std::string plain_name(std::string_view name) {
    std::string plain(name);
    std::ranges::transform(plain, plain.begin(), [](char c) {
        if (c == '-') return '_';
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    constexpr std::string_view kRedirect = "REDIRECT_";
    while (plain.starts_with(kRedirect)) plain.erase(0, kRedirect.size());
    return plain;
}

std::optional<std::string> authorization_variable_fault(std::string_view name) {
    const std::string plain = plain_name(name);
    const bool is_header = plain.starts_with("HTTP_");
    if (is_variable_name(name) && (is_header ? plain == "HTTP_AUTHORIZATION" : plain.ends_with("AUTHORIZATION")))
        return std::nullopt;
    return "must be HTTP_AUTHORIZATION or the name of a variable that a rewrite rule copies the header into, which "
           "ends in AUTHORIZATION and is not another header (HTTP_...); the prefix REDIRECT_ is allowed";
}

}  // namespace postern::gateway
