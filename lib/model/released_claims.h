// Which scopes release which claims: those of OpenID Connect Core §5.4, `groups`, and what the operator adds.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/group.h"
#include "model/scope.h"

namespace postern::model {

class ReleasedClaims {
public:
    /// From now on `scope` releases `claim`, too; it is not the name of a protocol claim.
    void add(const std::string& scope, const std::string& claim);

    /// Whether some scope releases it. Never for `sub`, which is always there.
    bool contains(std::string_view claim) const;
    /// Whether one of `scopes` releases it.
    bool is_released_by(const Scope& scopes, std::string_view claim) const;

    /// Every claim that some scope releases, each once: the standard claims first.
    std::vector<std::string> names() const;
    /// The scopes beside those of OpenID Connect, in order.
    const std::map<std::string, std::set<std::string>, std::less<>>& added() const { return added_; }

private:
    std::map<std::string, std::set<std::string>, std::less<>> added_{{kGroups, {kGroups}}};  ///< scope → claims
};

}  // namespace postern::model
