// Decides which texts may be the name of a user, and what a change of claims drops.
#include "model/user.h"

#include <algorithm>
#include <cstddef>

#include "json/writer.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace postern::model {
namespace {

constexpr std::size_t kMaxUserNameBytes = 128;

/// RFC 5892 appendix A.1 and A.2.
bool is_joiner(char32_t code_point) { return code_point == 0x200C || code_point == 0x200D; }

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

bool is_user_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxUserNameBytes && util::is_utf8(name) &&
           util::displayable(name) == name && util::trim(name) == name;
}

bool is_new_user_name(std::string_view name) {
    if (!is_user_name(name)) return false;
    bool at_the_start = true;
    bool seen = false;  // the character before the place that is looked at can be seen
    while (!name.empty()) {
        const auto step = util::next_utf8(name);
        const char32_t code_point = step.code_point.value_or(0);
        if (util::is_ignorable(code_point) && !is_joiner(code_point)) return false;
        seen = !is_joiner(code_point) && !util::is_blank(code_point);
        if (at_the_start && !seen) return false;
        at_the_start = false;
        name.remove_prefix(step.length);
    }
    return seen;
}

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
