// Keys and codes in groups of four, as they are shown.
#pragma once

#include <string>
#include <string_view>

namespace postern::web {

/// "JBSWY3DP" is "JBSW Y3DP".
inline std::string in_fours(std::string_view text) {
    std::string grouped;
    for (std::size_t at = 0; at < text.size(); at += 4) {
        if (at > 0) grouped += ' ';
        grouped += text.substr(at, 4);
    }
    return grouped;
}

}  // namespace postern::web
