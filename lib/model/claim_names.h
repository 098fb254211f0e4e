// The names of claims: those of users, of the protocol, and those that a client asks for (OpenID Connect Core §5.5).
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace postern::model {

/// Names of claims that some scope of ours can release: lower-case words.
using ClaimNames = std::set<std::string>;

/// Returns the names in order, separated by single spaces; "" for an empty set.
std::string to_string(const ClaimNames& names);
/// Reads the text of to_string.
ClaimNames parse_claim_names(std::string_view text);

/// The claims that a client asks for by name, divided by where they are to be delivered. A name may stand in both.
struct RequestedClaims {
    ClaimNames userinfo;
    ClaimNames id_token;

    ClaimNames all() const;
    bool empty() const { return userinfo.empty() && id_token.empty(); }
    bool operator==(const RequestedClaims&) const = default;
};

/// Returns whether the server itself sets the claim in tokens and answers (RFC 7519 §4.1, RFC 7662 §2.2, RFC 8693,
/// OpenID Connect Core §2): a user's attribute of that name could be mistaken for a statement of the server.
bool is_protocol_claim(std::string_view name);

/// Returns whether a user may have a claim of that name: 1 to 64 printable ASCII characters without space, quotation
/// mark and backslash.
bool is_claim_name(std::string_view name);

}  // namespace postern::model
