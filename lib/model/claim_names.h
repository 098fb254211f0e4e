// Claims that a client asks for one by one (OpenID Connect Core §5.5).
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace postern::model {

/// Names of claims that some scope of ours can release: lower-case words.
using ClaimNames = std::set<std::string>;

/// Separated by single spaces, in order; "" for none.
std::string to_string(const ClaimNames& names);
/// Reads the text of to_string.
ClaimNames parse_claim_names(std::string_view text);

/// Where they are to be delivered. A name may stand in both.
struct RequestedClaims {
    ClaimNames userinfo;
    ClaimNames id_token;

    ClaimNames all() const;
    bool empty() const { return userinfo.empty() && id_token.empty(); }
};

}  // namespace postern::model
