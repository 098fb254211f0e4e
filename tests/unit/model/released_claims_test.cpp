// Which scopes release which claims: the standard ones, and those that were added.
#include "model/standard_claims.h"

#include <doctest/doctest.h>

using namespace postern;

namespace {

bool is_released(const model::ReleasedClaims& claims, const char* scopes, const char* claim) {
    return claims.is_released_by(*model::Scope::parse(scopes), claim);
}

}  // namespace

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
