// An API for which access tokens are made (RFC 8707 §2), which RFC 9728 calls a protected resource.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/scope.h"
#include "util/clock.h"

namespace postern::model {

/// The `aud` of tokens, byte for byte, in the order in which they were named.
using ResourceUris = std::vector<std::string>;

/// Returns the URIs as the database and seals hold them: separated by single blanks, which no URI contains.
std::string to_string(const ResourceUris& uris);
ResourceUris parse_resource_uris(std::string_view text);

/// The scopes that were approved for tokens of each API, by its URI in one spelling (http::one_spelling).
using ResourceScopes = std::map<std::string, Scope>;
/// Returns a line for each API: its URI, then the scope's words.
std::string to_string(const ResourceScopes& scopes);
ResourceScopes parse_resource_scopes(std::string_view text);

struct Resource {
    std::string uri;                                ///< `aud` of its tokens
    std::string name;                               ///< shown to users; the URI when none was given
    Scope scope;                                    ///< of a token for it, no more; empty: no limit
    std::optional<util::Seconds> access_token_ttl;  ///< shorter than `accessTokenTTL`
    bool enabled = true;                            ///< false: no new tokens
    std::vector<std::string> aliases;  ///< other URIs that clients call it, as http::normalize_url has them
    util::Time created_at{};
};

}  // namespace postern::model
