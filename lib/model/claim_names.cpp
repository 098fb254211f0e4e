// Claim names as stored text.
#include "model/claim_names.h"

#include "util/text.h"

namespace postern::model {

std::string to_string(const ClaimNames& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
}

ClaimNames parse_claim_names(std::string_view text) {
    ClaimNames names;
    if (text.empty()) return names;
    for (const std::string_view name : util::split(text, ' '))
        if (!name.empty()) names.emplace(name);
    return names;
}

ClaimNames RequestedClaims::all() const {
    ClaimNames names = userinfo;
    names.insert(id_token.begin(), id_token.end());
    return names;
}

}  // namespace postern::model
