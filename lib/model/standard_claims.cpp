// Which scope releases which claim? One table, from OpenID Connect Core §5.4.
#include "model/standard_claims.h"

namespace postern::model {
namespace {

constexpr StandardClaim kRows[] = {
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

}  // namespace

std::span<const StandardClaim> standard_claims() { return kRows; }

std::optional<std::string_view> scope_of_claim(std::string_view name) {
    for (const StandardClaim& row : kRows)
        if (row.name == name) return row.scope;
    return std::nullopt;
}

}  // namespace postern::model
