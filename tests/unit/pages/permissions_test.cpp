// The lines of the consent page.
#include "pages/permissions.h"

#include <doctest/doctest.h>

#include <set>

#include "model/standard_claims.h"
#include "unit/text/said.h"

using namespace postern;

namespace {

model::AuthorizationRequest request(const char* scope, model::RequestedClaims claims = {}) {
    model::AuthorizationRequest asked;
    asked.scope = *model::Scope::parse(scope);
    asked.claims = std::move(claims);
    return asked;
}

/// "name: description" of every line.
std::string lines(const model::AuthorizationRequest& asked, const oauth::Settings& settings = {},
                  const std::vector<model::ClientClaim>& own_claims = {}) {
    std::string text;
    for (const pages::ConsentScope& line : pages::permissions(settings, asked, own_claims))
        text += line.name + ": " + text::said(line.description) + "\n";
    return text;
}

}  // namespace

TEST_CASE(
    "permissions: the operator's words for a scope, else the built-in ones, else its name [OIDC Core §3.1.2.4b]") {
    oauth::Settings settings;
    settings.scope_descriptions = {{"api", "Read your notes"}, {"email", "Write to you"}};
    CHECK(lines(request("openid api email other"), settings) ==
          "openid: Confirm who you are\napi: Read your notes\nemail: Write to you\n"
          "other: Use the permission other\n");
    CHECK(lines(request("")) == "");
}

TEST_CASE("permissions: each claim asked for by name has its own line, unless a requested scope covers it") {
    struct Row {
        const char* scope;
        model::RequestedClaims claims;
        const char* expected;
    };
    const Row rows[] = {
        {"openid", {{"email"}, {}}, "openid: Confirm who you are\nemail: See your e-mail address\n"},
        {"openid", {{}, {"email"}}, "openid: Confirm who you are\nemail: See your e-mail address\n"},
        {"openid", {{"email"}, {"email"}}, "openid: Confirm who you are\nemail: See your e-mail address\n"},
        {"openid",
         {{"birthdate"}, {"gender"}},
         "openid: Confirm who you are\nbirthdate: See your date of birth\ngender: See your gender\n"},
        {"email", {{}, {"email", "email_verified"}}, "email: See your e-mail address\n"},
        {"email", {{}, {"name"}}, "email: See your e-mail address\nname: See your full name\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.expected);
        CHECK(lines(request(row.scope, row.claims)) == row.expected);
    }
}

TEST_CASE("permissions: every standard claim has words of its own") {
    std::set<std::string> descriptions;
    for (const auto& claim : model::standard_claims()) {
        const auto shown = pages::permissions({}, request("", {{std::string(claim.name)}, {}}), {});
        REQUIRE(shown.size() == 1);
        CAPTURE(shown[0].description);
        CHECK(shown[0].name == claim.name);
        CHECK(text::said(shown[0].description).starts_with("See "));
        descriptions.insert(text::said(shown[0].description));
    }
    CHECK(descriptions.size() == 19);
}

TEST_CASE("permissions: what the client is told under names of its own, with its scope and once [CLAIM-4]") {
    using model::SourceKind;
    struct Row {
        const char* scope;
        model::ClientClaim own;
        const char* expected;
    };
    const Row rows[] = {
        {"email", {"roles", {}, "email"}, "email: See your e-mail address\ngroups: See which groups you are in\n"},
        {"email",
         {"a", {SourceKind::group, "x"}, "email"},
         "email: See your e-mail address\ngroups: See which groups you are in\n"},
        {"groups", {"roles", {}, "groups"}, "groups: See which groups you are in\n"},
        {"email", {"roles", {}, "groups"}, "email: See your e-mail address\n"},
        {"email", {"mail", {SourceKind::claim, "email"}, "email"}, "email: See your e-mail address\n"},
        {"email",
         {"tel", {SourceKind::claim, "phone_number"}, "email"},
         "email: See your e-mail address\nphone_number: See your phone number\n"},
        {"email", {"policy", {SourceKind::constant, "x"}, "email"}, "email: See your e-mail address\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.expected);
        CHECK(lines(request(row.scope), {}, {row.own, row.own}) == row.expected);
    }
}
