// Which of a user's attributes does a scope release? One table, from OpenID Connect Core §5.4.
#include "oidc/claims.h"

#include <algorithm>
#include <string_view>

namespace postern::oidc {
namespace {

struct Row {
    std::string_view scope;
    std::string_view claim;
};
constexpr Row kRows[] = {
    {"profile", "name"},
    {"profile", "family_name"},
    {"profile", "given_name"},
    {"profile", "middle_name"},
    {"profile", "nickname"},
    {"profile", "preferred_username"},
    {"profile", "profile"},
    {"profile", "picture"},
    {"profile", "website"},
    {"profile", "gender"},
    {"profile", "birthdate"},
    {"profile", "zoneinfo"},
    {"profile", "locale"},
    {"profile", "updated_at"},
    {"email", "email"},
    {"email", "email_verified"},
    {"address", "address"},
    {"phone", "phone_number"},
    {"phone", "phone_number_verified"},
};

bool is_permitted(std::string_view claim, const model::Scope& scope) {
    return std::any_of(std::begin(kRows), std::end(kRows),
                       [&](const Row& row) { return row.claim == claim && scope.contains(row.scope); });
}

}  // namespace

json::Object userinfo_claims(const json::Object& all, const model::Scope& scope, const model::Subject& subject) {
    json::Object released;
    for (const auto& [name, value] : all.members())
        if (is_permitted(name, scope) && !value.is_null()) released.set(name, value);
    released.set("sub", subject.str());
    return released;
}

std::vector<std::string> supported_claims() {
    std::vector<std::string> names = {"sub"};
    for (const Row& row : kRows) names.emplace_back(row.claim);
    return names;
}

}  // namespace postern::oidc
