// How CGI variables are named, and which names of them are one and the same.
#include "server/variable_names.h"

#include <algorithm>

namespace postern::server {
namespace {

constexpr std::size_t kLongestVariable = 128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_variable_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
}

}  // namespace

bool is_variable_name(std::string_view name) {
    return !name.empty() && name.size() <= kLongestVariable && !is_digit(name.front()) &&
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

}  // namespace postern::server
