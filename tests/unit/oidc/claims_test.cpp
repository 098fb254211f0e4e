// Which attributes are released: the scope-to-claim map and names asked for one by one (OpenID Connect Core §5.4,
// §5.5).
#include "oidc/claims.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "json/reader.h"
#include "json/writer.h"

using namespace postern;

namespace {

json::Object everything() {
    json::Object all{
        {"sub", "planted"}, {"email", "a@example"}, {"email_verified", true}, {"name", "Alice"}, {"department", "x"}};
    all.set("address", json::Object{{"country", "NL"}});
    all.set("phone_number", "+31");
    all.set("nickname", nullptr);
    all.set("acr", "planted");
    return all;
}

std::string released(const char* scope, const model::ClaimNames& asked_for = {}) {
    return json::write(oidc::told_claims({}, everything(), *model::Scope::parse(scope), asked_for));
}

json::Object object_of(const std::string& text) {
    const auto value = json::parse(text);
    REQUIRE(value);
    REQUIRE(value->if_object() != nullptr);
    return *value->if_object();
}

}  // namespace

TEST_CASE("told_claims: only what a granted scope permits, and never sub [IF53, OIDC Core §5.4a]") {
    struct Row {
        const char* scope;
        const char* body;
    };
    const Row rows[] = {
        {"openid", R"({})"},
        {"openid email", R"({"email":"a@example","email_verified":true})"},
        {"openid profile", R"({"name":"Alice"})"},
        {"openid address", R"({"address":{"country":"NL"}})"},
        {"openid phone", R"({"phone_number":"+31"})"},
        {"openid emails", R"({})"},
        {"openid department", R"({})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        CHECK(released(row.scope) == row.body);
    }
}

TEST_CASE("told_claims: a claim granted by name comes alone, next to what the scope permits [OIDC Core §5.5]") {
    struct Row {
        const char* scope;
        model::ClaimNames asked_for;
        const char* body;
    };
    const Row rows[] = {
        {"openid", {"email"}, R"({"email":"a@example"})"},
        {"openid", {"name", "phone_number"}, R"({"name":"Alice","phone_number":"+31"})"},
        {"openid phone", {"email_verified"}, R"({"email_verified":true,"phone_number":"+31"})"},
        {"openid email", {"email"}, R"({"email":"a@example","email_verified":true})"},
        {"openid", {"nickname"}, R"({})"},
        {"openid", {"picture"}, R"({})"},
        {"openid", {"department"}, R"({})"},
        {"openid", {"sub", "acr"}, R"({})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        CAPTURE(row.body);
        CHECK(released(row.scope, row.asked_for) == row.body);
    }
}

TEST_CASE("told_claims: standard claims by name, and nothing that could pass for a protocol claim [OIDC Core §5.5]") {
    struct Row {
        model::ClaimNames asked_for;
        const char* body;
    };
    const Row rows[] = {
        {{}, "{}"},
        {{"email"}, R"({"email":"a@example"})"},
        {{"email", "name"}, R"({"email":"a@example","name":"Alice"})"},
        {{"nickname"}, "{}"},
        {{"sub", "acr", "department"}, "{}"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.body);
        CHECK(json::write(oidc::told_claims({}, everything(), {}, row.asked_for)) == row.body);
    }
}

TEST_CASE("released claims: a value that says nothing is left out, anything else keeps its type [OIDC Core §5.3.2c]") {
    struct Row {
        const char* stored;
        const char* told;
    };
    const Row rows[] = {
        {R"({"name":null})", "{}"},
        {R"({"name":""})", "{}"},
        {R"({"name":" \t"})", "{}"},
        {R"({"address":{}})", "{}"},
        {R"({"name":[]})", "{}"},
        {R"({"address":{"formatted":"","country":null}})", "{}"},
        {R"({"address":{"formatted":"","country":"NL"}})", R"({"address":{"country":"NL"}})"},
        {R"({"email_verified":false})", R"({"email_verified":false})"},
        {R"({"updated_at":0})", R"({"updated_at":0})"},
        {R"({"name":" A "})", R"({"name":" A "})"},
        {R"({"name":["A"]})", R"({"name":["A"]})"},
    };
    const model::ClaimNames names = {"name", "address", "email_verified", "updated_at"};
    for (const Row& row : rows) {
        CAPTURE(row.stored);
        CHECK(json::write(oidc::told_claims({}, object_of(row.stored), {}, names)) == row.told);
        const auto scope = *model::Scope::parse("openid profile email address");
        CHECK(json::write(oidc::told_claims({}, object_of(row.stored), scope, {})) == row.told);
    }
}

TEST_CASE("released claims: a scope of scopeClaims releases what it names, and the standard ones as before") {
    struct Row {
        const char* scope;
        model::ClaimNames asked_for;
        const char* told;
    };
    model::ReleasedClaims claims;
    claims.add("groups", "groups");
    claims.add("groups", "department");
    claims.add("email", "department");
    const auto all = object_of(
        R"({"groups":["a","b"],"department":"x","email":"a@example","secret":"s","acr":"planted","sub":"planted"})");
    const Row rows[] = {
        {"openid", {}, R"({})"},
        {"openid groups", {}, R"({"groups":["a","b"],"department":"x"})"},
        {"openid email", {}, R"({"department":"x","email":"a@example"})"},
        {"openid profile", {}, R"({})"},
        {"openid", {"groups"}, R"({"groups":["a","b"]})"},
        {"openid", {"secret", "acr"}, R"({})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        CHECK(json::write(oidc::told_claims(claims, all, *model::Scope::parse(row.scope), row.asked_for)) == row.told);
    }
    CHECK(json::write(oidc::told_claims(claims, all, {}, {"groups", "secret", "acr", "sub"})) ==
          R"({"groups":["a","b"]})");
}
