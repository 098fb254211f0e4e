// Which of a user's attributes is a client told? Those of a granted scope and those it was granted by name.
#include "oidc/claims.h"

#include <optional>

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

template <class Permits>
json::Object filtered(const model::ReleasedClaims& released_claims, const json::Object& all, const Permits& permits) {
    json::Object released;
    for (const auto& [name, value] : all.members()) {
        if (!released_claims.contains(name) || !permits(name)) continue;
        if (auto told = telling(value)) released.set(name, std::move(*told));
    }
    return released;
}

}  // namespace

json::Object userinfo_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                             const model::Scope& scope, const model::ClaimNames& asked_for,
                             const model::Subject& subject) {
    json::Object released = filtered(released_claims, all, [&](const std::string& name) {
        return released_claims.is_released_by(scope, name) || asked_for.contains(name);
    });
    released.set("sub", subject.str());
    return released;
}

json::Object asked_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                          const model::ClaimNames& asked_for) {
    return filtered(released_claims, all, [&](const std::string& name) { return asked_for.contains(name); });
}

}  // namespace postern::oidc
