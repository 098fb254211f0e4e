// A claim that one client is told, under a name and from a source that the operator has chosen for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::model {

enum class SourceKind {
    groups,    ///< the names of the user's groups that the client is told: an array
    group,     ///< whether the user is in the group `text`: true or false
    claim,     ///< the user's claim `text`
    constant,  ///< `text`, the same for every user
};

/// The source of the value of a claim.
struct ClaimSource {
    SourceKind kind = SourceKind::groups;
    std::string text = {};

    bool operator==(const ClaimSource&) const = default;
};

/// Returns the source as it is typed and stored: "groups", "group:NAME", "claim:NAME" or "const:TEXT".
std::string to_string(const ClaimSource& source);
/// Reads the text of to_string; nullopt for any other text. The text behind the colon is not judged.
std::optional<ClaimSource> parse_claim_source(std::string_view text);

struct ClientClaim {
    std::string name;
    ClaimSource source;
    std::string scope;  ///< a token without it says nothing of the claim

    bool operator==(const ClientClaim&) const = default;
};

/// Returns the claim of a user that the source tells something of; nullopt for a constant.
std::optional<std::string> claim_behind(const ClaimSource& source);

/// Returns why no client may have the claim, in words for the operator, or nullopt: a name of the protocol, a claim
/// `groups` of something else than groups, a source that no user can have, a value that a claim of OpenID Connect Core
/// §5.1 cannot have.
std::optional<std::string> client_claim_problem(const ClientClaim& claim);

/// Returns whether a client may be told a group under that name: 1 to 256 bytes of UTF-8 that a terminal can show, not
/// blank.
bool is_told_name(std::string_view name);

}  // namespace postern::model
