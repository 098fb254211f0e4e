// The scope-to-claim map (OpenID Connect Core §5.4).
#include "oidc/claims.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "json/writer.h"

using namespace postern;

namespace {

json::Object everything() {
    json::Object all{
        {"sub", "planted"}, {"email", "a@example"}, {"email_verified", true}, {"name", "Alice"}, {"department", "x"}};
    all.set("address", json::Object{{"country", "NL"}});
    all.set("phone_number", "+31");
    all.set("nickname", nullptr);
    return all;
}

std::string released(const char* scope) {
    return json::write(oidc::userinfo_claims(everything(), *model::Scope::parse(scope), model::Subject("7")));
}

}  // namespace

TEST_CASE("userinfo_claims: only what a granted scope permits, sub last and from the token") {
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

TEST_CASE("supported_claims: each once, sub among them") {
    const auto names = oidc::supported_claims();
    CHECK(std::count(names.begin(), names.end(), "sub") == 1);
    CHECK(names.size() == 20);
}
