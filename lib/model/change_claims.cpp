// Changes claims of a user, and takes away what another claim says about the value of before.
#include "model/change_claims.h"

#include <algorithm>

#include "json/writer.h"

namespace postern::model {
namespace {

struct Proof {
    const char* about;
    const char* claim;
};
/// OpenID Connect Core §5.1: the claims that say whether the value of another was verified.
constexpr Proof kProofs[] = {{"email", "email_verified"}, {"phone_number", "phone_number_verified"}};

bool is_named(const ClaimChanges& changes, const std::string& name) {
    return std::ranges::any_of(changes, [&](const auto& change) { return change.first == name; });
}

bool is_same(const json::Value* before, const std::optional<json::Value>& after) {
    if (before == nullptr || !after) return before == nullptr && !after;
    return json::write(*before) == json::write(*after);
}

/// Whether the claim was there and is not named by the changes.
bool drop(json::Object& claims, const ClaimChanges& changes, const std::string& name) {
    if (!claims.find(name) || is_named(changes, name)) return false;
    claims.erase(name);
    return true;
}

}  // namespace

ChangedClaims change_claims(json::Object& claims, const ClaimChanges& changes) {
    ChangedClaims result;
    for (const auto& [name, value] : changes) {
        if (is_same(claims.find(name), value)) continue;
        if (value)
            claims.set(name, *value);
        else
            claims.erase(name);
        result.changed.push_back(name);
    }
    for (const Proof& proof : kProofs) {
        const bool is_other = std::ranges::find(result.changed, proof.about) != result.changed.end();
        if (is_other && drop(claims, changes, proof.claim)) result.dropped.emplace_back(proof.claim);
    }
    if (!result.changed.empty()) drop(claims, changes, "updated_at");  // the time of the row is told instead
    return result;
}

}  // namespace postern::model
