// The claims of OpenID Connect Core §5.1 and the scopes that release them (§5.4).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace postern::model {

struct StandardClaim {
    std::string_view scope;
    std::string_view name;
};

/// All nineteen that a scope can release, each once. `sub` is not among them: it is always there.
std::span<const StandardClaim> standard_claims();

/// The scope that releases the claim; nullopt for every other name, `sub` included.
std::optional<std::string_view> scope_of_claim(std::string_view name);

}  // namespace postern::model
