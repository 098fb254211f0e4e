// Claim names as stored text.
#include "model/claim_names.h"

#include <algorithm>
#include <array>

#include "util/text.h"

namespace postern::model {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

constexpr std::array<std::string_view, 27> kProtocol = {
    "sub",       "iss",   "aud",        "exp",    "nbf",      "iat",    "jti",     "typ",    "nonce",
    "auth_time", "acr",   "amr",        "azp",    "at_hash",  "c_hash", "s_hash",  "sid",    "cid",
    "client_id", "scope", "token_type", "active", "username", "act",    "may_act", "events", "cnf"};

}  // namespace

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

bool is_protocol_claim(std::string_view name) { return std::ranges::find(kProtocol, name) != kProtocol.end(); }

bool is_claim_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxNameBytes && util::is_vschar(name) &&
           name.find_first_of(" \"\\") == std::string_view::npos;
}

}  // namespace postern::model
