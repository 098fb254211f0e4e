// Decides what the key of an endpoint's path is called.
#include "oauth/endpoints.h"

namespace postern::oauth::endpoint {

std::string key_of_path(std::string_view name) {
    std::string key = "paths.";
    bool is_first = false;
    for (const char c : name) {
        if (c != '_') key += is_first ? static_cast<char>(c - 'a' + 'A') : c;
        is_first = c == '_';
    }
    return key;
}

}  // namespace postern::oauth::endpoint
