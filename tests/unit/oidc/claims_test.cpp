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
    return json::write(
        oidc::userinfo_claims({}, everything(), *model::Scope::parse(scope), asked_for, model::Subject("7")));
}

json::Object object_of(const std::string& text) {
    const auto value = json::parse(text);
    REQUIRE(value);
    REQUIRE(value->if_object() != nullptr);
    return *value->if_object();
}

}  // namespace

TEST_CASE("userinfo_claims: only what a granted scope permits, sub last and from the token [IF53, OIDC Core §5.4a]") {
    struct Row {
        const char* scope;
        const char* body;
    };
    const Row rows[] = {
        {"openid", R"({"sub":"7"})"},
        {"openid email", R"({"email":"a@example","email_verified":true,"sub":"7"})"},
        {"openid profile", R"({"name":"Alice","sub":"7"})"},
        {"openid address", R"({"address":{"country":"NL"},"sub":"7"})"},
        {"openid phone", R"({"phone_number":"+31","sub":"7"})"},
        {"openid emails", R"({"sub":"7"})"},
        {"openid department", R"({"sub":"7"})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        CHECK(released(row.scope) == row.body);
    }
}

TEST_CASE("userinfo_claims: a claim granted by name comes alone, next to what the scope permits [OIDC Core §5.5]") {
    struct Row {
        const char* scope;
        model::ClaimNames asked_for;
        const char* body;
    };
    const Row rows[] = {
        {"openid", {"email"}, R"({"email":"a@example","sub":"7"})"},
        {"openid", {"name", "phone_number"}, R"({"name":"Alice","phone_number":"+31","sub":"7"})"},
        {"openid phone", {"email_verified"}, R"({"email_verified":true,"phone_number":"+31","sub":"7"})"},
        {"openid email", {"email"}, R"({"email":"a@example","email_verified":true,"sub":"7"})"},
        {"openid", {"nickname"}, R"({"sub":"7"})"},
        {"openid", {"picture"}, R"({"sub":"7"})"},
        {"openid", {"department"}, R"({"sub":"7"})"},
        {"openid", {"sub", "acr"}, R"({"sub":"7"})"},
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
        json::Object with_sub = object_of(row.told);
        with_sub.set("sub", "7");
        const auto scope = *model::Scope::parse("openid profile email address");
        CHECK(json::write(oidc::userinfo_claims({}, object_of(row.stored), scope, {}, model::Subject("7"))) ==
              json::write(with_sub));
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
        {"openid", {}, R"({"sub":"7"})"},
        {"openid groups", {}, R"({"groups":["a","b"],"department":"x","sub":"7"})"},
        {"openid email", {}, R"({"department":"x","email":"a@example","sub":"7"})"},
        {"openid profile", {}, R"({"sub":"7"})"},
        {"openid", {"groups"}, R"({"groups":["a","b"],"sub":"7"})"},
        {"openid", {"secret", "acr"}, R"({"sub":"7"})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        CHECK(json::write(oidc::userinfo_claims(claims, all, *model::Scope::parse(row.scope), row.asked_for,
                                                model::Subject("7"))) == row.told);
    }
    CHECK(json::write(oidc::told_claims(claims, all, {}, {"groups", "secret", "acr", "sub"})) ==
          R"({"groups":["a","b"]})");
}
