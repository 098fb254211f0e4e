// Which scopes release which claims?
#include "model/released_claims.h"

#include <algorithm>

#include "model/standard_claims.h"

namespace postern::model {

void ReleasedClaims::add(const std::string& scope, const std::string& claim) { added_[scope].insert(claim); }

bool ReleasedClaims::contains(std::string_view claim) const {
    return scope_of_claim(claim) ||
           std::ranges::any_of(added_, [&](const auto& row) { return row.second.contains(std::string(claim)); });
}

bool ReleasedClaims::is_released_by(const Scope& scopes, std::string_view claim) const {
    const auto standard = scope_of_claim(claim);
    return (standard && scopes.contains(*standard)) || std::ranges::any_of(added_, [&](const auto& row) {
               return scopes.contains(row.first) && row.second.contains(std::string(claim));
           });
}

std::vector<std::string> ReleasedClaims::names() const {
    std::vector<std::string> names;
    for (const StandardClaim& claim : standard_claims()) names.emplace_back(claim.name);
    for (const auto& [scope, claims] : added_)
        for (const std::string& claim : claims)
            if (std::ranges::find(names, claim) == names.end()) names.push_back(claim);
    return names;
}

}  // namespace postern::model
