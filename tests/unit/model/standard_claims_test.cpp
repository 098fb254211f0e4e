// The scope-to-claim table (OpenID Connect Core §5.4).
#include "model/standard_claims.h"
#include "json/writer.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

using namespace postern;

namespace {

bool is_released(const model::ReleasedClaims& claims, const char* scopes, const char* claim) {
    return claims.is_released_by(*model::Scope::parse(scopes), claim);
}

}  // namespace

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

TEST_CASE("claim shapes: every claim that a scope releases has one, and no other name [OIDC Core §5.1]") {
    for (const model::StandardClaim& claim : model::standard_claims()) {
        CAPTURE(claim.name);
        REQUIRE(model::find_standard_claim(claim.name) != nullptr);
        CHECK(model::find_standard_claim(claim.name)->name == claim.name);
    }
    for (const char* name : {"sub", "", "Email", "groups", "acr"}) CHECK(model::find_standard_claim(name) == nullptr);
}

TEST_CASE("claim shapes: text becomes the claim's own type, and what does not fit is refused [OIDC Core §5.1]") {
    struct Row {
        const char* claim;
        std::string text;
        const char* json;  ///< nullptr: refused
    };
    const Row rows[] = {
        {"name", "Alice", "\"Alice\""},
        {"name", std::string(4097, 'a'), nullptr},
        {"name", " ", nullptr},
        {"name", "A\nB", nullptr},
        {"name", "\xff", nullptr},
        {"email", "alice@example.org", "\"alice@example.org\""},
        {"email", "alice", nullptr},
        {"email", "@example.org", nullptr},
        {"email_verified", "true", "true"},
        {"email_verified", "false", "false"},
        {"email_verified", "TRUE", nullptr},
        {"email_verified", "1", nullptr},
        {"phone_number_verified", "true", "true"},
        {"updated_at", "1700000000", "1700000000"},
        {"updated_at", "-1", nullptr},
        {"website", "https://example.org/~alice", "\"https://example.org/~alice\""},
        {"website", "javascript:alert(1)", nullptr},
        {"birthdate", "1852-05-04", "\"1852-05-04\""},
        {"birthdate", "1852-13-04", nullptr},
        {"address", "Springfield", nullptr},
    };
    for (const Row& row : rows) {
        CAPTURE(row.claim);
        CAPTURE(row.text);
        const json::Value value = model::typed_claim(row.claim, row.text);
        const bool fits = model::find_standard_claim(row.claim)->fits(value);
        CHECK(fits == (row.json != nullptr));
        if (row.json) CHECK(json::write(value) == row.json);
    }
    CHECK(model::is_claim_text(std::string(model::kMaxClaimText, 'a')));
}

TEST_CASE("ReleasedClaims: without additions, what OpenID Connect Core §5.4 says, and groups [CLAIM-1]") {
    const model::ReleasedClaims claims;
    CHECK(claims.names().size() == 20);
    CHECK(claims.contains("email"));
    CHECK_FALSE(claims.contains("sub"));
    CHECK(claims.contains("groups"));
    CHECK_FALSE(claims.contains("roles"));
    CHECK(is_released(claims, "openid email", "email"));
    CHECK_FALSE(is_released(claims, "openid profile", "email"));
    CHECK(is_released(claims, "openid groups", "groups"));
    CHECK_FALSE(is_released(claims, "openid profile", "groups"));
}

TEST_CASE("ReleasedClaims: a claim may be released by several scopes, and a scope may release several") {
    model::ReleasedClaims claims;
    claims.add("roles", "groups");
    claims.add("roles", "roles");
    claims.add("api", "email");
    CHECK(claims.names().size() == 21);
    for (const char* scope : {"groups", "openid roles"}) CHECK(is_released(claims, scope, "groups"));
    CHECK_FALSE(is_released(claims, "groups", "roles"));
    for (const char* scope : {"api", "email"}) CHECK(is_released(claims, scope, "email"));
    CHECK_FALSE(is_released(claims, "profile", "email"));
    CHECK(claims.contains("roles"));
}
