// The scope-to-claim table (OpenID Connect Core §5.4).
#include "model/standard_claims.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

using namespace postern;

TEST_CASE("standard claims: nineteen of them, each once, in four scopes [OIDC Core §5.1, §5.4]") {
    std::set<std::string_view> names;
    std::map<std::string_view, int> by_scope;
    for (const auto& claim : model::standard_claims()) {
        names.insert(claim.name);
        ++by_scope[claim.scope];
    }
    CHECK(names.size() == 19);
    CHECK(model::standard_claims().size() == 19);
    const std::map<std::string_view, int> expected = {{"profile", 14}, {"email", 2}, {"address", 1}, {"phone", 2}};
    CHECK(by_scope == expected);
}

TEST_CASE("scope_of_claim: whole names only, and none for what no scope releases [OpenID Connect Core §5.4]") {
    struct Row {
        std::string name;
        std::string scope;  ///< "": none
    };
    const Row rows[] = {{"name", "profile"},
                        {"updated_at", "profile"},
                        {"profile", "profile"},
                        {"email", "email"},
                        {"email_verified", "email"},
                        {"address", "address"},
                        {"phone_number_verified", "phone"},
                        {"sub", ""},
                        {"acr", ""},
                        {"iss", ""},
                        {"phone", ""},
                        {"openid", ""},
                        {"Email", ""},
                        {"email#de", ""},
                        {"emails", ""},
                        {"", ""}};
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CHECK(model::scope_of_claim(row.name).value_or("") == row.scope);
    }
}
