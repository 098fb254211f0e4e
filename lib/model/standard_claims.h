// The claims of OpenID Connect Core §5.1, their shapes, and the scopes that release them (§5.4) and others.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "model/group.h"
#include "model/scope.h"

namespace postern::model {

struct StandardClaim {
    std::string_view scope;
    std::string_view name;
    bool (*fits)(const json::Value&);
    const char* wanted;  ///< the words after "must be"
};

/// All nineteen that a scope can release, each once. `sub` is not among them: it is always there.
std::span<const StandardClaim> standard_claims();

/// The scope that releases the claim; nullopt for every other name, `sub` included.
std::optional<std::string_view> scope_of_claim(std::string_view name);

class ReleasedClaims {
public:
    /// Lets `scope` release `claim`, too, which is not the name of a protocol claim.
    void add(const std::string& scope, const std::string& claim);

    /// Returns whether some scope releases it. Never for `sub`, which is always there.
    bool contains(std::string_view claim) const;
    /// Returns whether one of `scopes` releases it.
    bool is_released_by(const Scope& scopes, std::string_view claim) const;

    /// Every claim that some scope releases, each once: the standard claims first.
    std::vector<std::string> names() const;
    /// The scopes beside those of OpenID Connect, in order.
    const std::map<std::string, std::set<std::string>, std::less<>>& added() const { return added_; }

private:
    std::map<std::string, std::set<std::string>, std::less<>> added_{{kGroups, {kGroups}}};  ///< scope → claims
};

/// The longest text of a claim, in bytes.
inline constexpr std::size_t kMaxClaimText = 4096;

/// Returns nullptr for a name that §5.1 does not define, and for `sub`.
const StandardClaim* find_standard_claim(std::string_view name);

/// Returns whether the value is text of 1 to 4096 bytes of UTF-8 that are not all blanks and hold no control
/// characters.
bool is_claim_text(const json::Value& value);

/// Returns the text as the claim's own type: true and false for the *_verified claims, digits for updated_at. Text that
/// does not fit stays text, for the shape to refuse.
json::Value typed_claim(std::string_view name, std::string_view text);

}  // namespace postern::model
