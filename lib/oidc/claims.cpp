// Which of a user's attributes is a client told? Those of a granted scope and those it was granted by name.
#include "oidc/claims.h"

#include <optional>

#include "model/group.h"
#include "store/groups.h"
#include "util/text.h"

namespace postern::oidc {
namespace {

std::optional<json::Value> telling(const json::Value& value);

/// §5.1.1: a member of an address that is not known is left out like any other claim.
std::optional<json::Value> telling(const json::Object& object) {
    json::Object kept;
    for (const auto& [name, value] : object.members())
        if (auto told = telling(value)) kept.set(name, std::move(*told));
    if (kept.empty()) return std::nullopt;
    return kept;
}

/// The value without what says nothing in it; nullopt when nothing is left. §5.3.2: a claim that is not returned is
/// omitted, not sent as null or as an empty string.
std::optional<json::Value> telling(const json::Value& value) {
    if (const auto* object = value.if_object()) return telling(*object);
    if (const auto* array = value.if_array(); array && array->empty()) return std::nullopt;
    if (const auto* text = value.if_string(); text && util::trim(*text).empty()) return std::nullopt;
    if (value.is_null()) return std::nullopt;
    return value;
}

}  // namespace

bool is_told(const model::ReleasedClaims& released_claims, std::string_view claim, const model::Scope& scope,
             const model::ClaimNames& asked_for) {
    return released_claims.is_released_by(scope, claim) ||
           (asked_for.contains(std::string(claim)) && released_claims.contains(claim));
}

json::Object told_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                         const model::Scope& scope, const model::ClaimNames& asked_for) {
    json::Object told;
    for (const auto& [name, value] : all.members()) {
        if (!is_told(released_claims, name, scope, asked_for)) continue;
        if (auto said = telling(value)) told.set(name, std::move(*said));
    }
    return told;
}

json::Object userinfo_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                             const model::Scope& scope, const model::ClaimNames& asked_for,
                             const model::Subject& subject) {
    json::Object told = told_claims(released_claims, all, scope, asked_for);
    told.set("sub", subject.str());
    return told;
}

void add_groups(db::Database& database, json::Object& claims, const model::Subject& subject,
                const model::ClientId& client) {
    if (claims.find(model::kGroups)) return;
    claims.set(model::kGroups, json::strings(store::told_groups(database, subject, client)));
}

}  // namespace postern::oidc
