// Claims that one client is told under names of its own, as it meets them, and `postern token preview` beside the
// truth.
#include <doctest/doctest.h>

#include <string>

#include "json/reader.h"
#include "json/writer.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace json = postern::json;

constexpr const char* kAll = "openid profile email groups api";

/// alice is in staff and wiki-admins.
struct Site {
    Deployment op;
    UserAgent alice{op};

    Site() {
        for (const char* group : {"staff", "wiki-admins", "guests"}) op.must({"group", "add", group});
        for (const char* group : {"staff", "wiki-admins"}) op.must({"group", "member", "add", group, kAlice});
        for (const char* client : {kWeb, kOther}) op.must({"client", "set", client, "--scope", kAll});
    }

    void claim(const std::string& assignment, const std::string& scope) const {
        op.must({"client", "claim", "add", kWeb, assignment, "--scope", scope});
    }
    json::Object tokens(const std::string& scope = kAll, const std::string& client = kWeb) {
        return obtain_tokens(op, alice, authorization_request(client).with("scope", scope).with("prompt", "consent"),
                             client);
    }
    json::Object told(const std::string& scope = kAll, const std::string& client = kWeb) {
        return userinfo(op, text_of(tokens(scope, client), "access_token")).json();
    }
};

/// "" when there is none.
std::string member(const json::Object& claims, const std::string& name) {
    const json::Value* value = claims.find(name);
    return value ? json::write(*value) : "";
}

json::Object without_own(json::Object claims) {
    for (const char* name : {"iat", "exp", "jti", "auth_time", "at_hash", "nonce", "sid"}) claims.erase(name);
    return claims;
}

TEST_CASE("client claim: what each source tells, with its scope and not without it [CLAIM-4, CLAIM-5]") {
    struct Row {
        const char* claim;
        const char* scope;  ///< its own
        const char* told;   ///< "": left out
    };
    const Row rows[] = {
        {"roles=groups", "groups", R"(["staff","wiki-admins"])"},
        {"roles=groups", "profile", R"(["staff","wiki-admins"])"},
        {"admin=group:wiki-admins", "groups", "true"},
        {"admin=group:guests", "groups", "false"},
        {"policy=const:readwrite", "openid", "\"readwrite\""},
        {"policy=const:readwrite", "api", "\"readwrite\""},
        {"login=claim:preferred_username", "profile", "\"alice\""},
        {"login=claim:department", "profile", ""},  // alice has none
    };
    Site site;
    for (const Row& row : rows) {
        CAPTURE(row.claim);
        CAPTURE(row.scope);
        site.claim(row.claim, row.scope);
        const std::string name = std::string(row.claim).substr(0, std::string(row.claim).find('='));
        CHECK(member(site.told(), name) == row.told);
        CHECK(member(site.told(kAll, kOther), name).empty());
        const bool is_always = row.scope == std::string("openid");
        CHECK(member(site.told("openid"), name) == (is_always ? row.told : ""));
        site.op.must({"client", "claim", "remove", kWeb, name});
        CHECK(member(site.told(), name).empty());
    }
}

TEST_CASE(
    "client claim: it takes the place of the user's claim of that name, also when a request names that [CLAIM-4]") {
    Site site;
    CHECK(member(site.told(), "name").find("policy") == std::string::npos);
    const std::string email = member(site.told(), "email");
    site.claim("name=claim:email", "email");
    CHECK(member(site.told(), "name") == email);
    CHECK(member(site.told("openid profile"), "name").empty());  // its scope is email now
    site.op.must({"client", "claim", "remove", kWeb, "name"});
    site.claim("name=claim:department", "email");
    CHECK(member(site.told(), "name").empty());

    const auto named = [&](const char* scope) {
        const auto request =
            authorization_request().with("scope", scope).with("claims", R"({"id_token":{"name":null}})");
        return member(jwt_claims(text_of(obtain_tokens(site.op, site.alice, request), "id_token")), "name");
    };
    site.op.must({"client", "claim", "add", kWeb, "name=const:N", "--scope", "email"});
    CHECK(named("openid") == "");
    CHECK(named("openid email") == "\"N\"");
}

TEST_CASE(
    "client claim: in the ID token with --id-token-claims alone, never in access token and introspection [CLAIM-4, "
    "CLAIM-5]") {
    Site site;
    site.claim("roles=groups", "profile");
    site.claim("policy=const:readwrite", "openid");
    const auto plain = site.tokens();
    CHECK(member(jwt_claims(text_of(plain, "id_token")), "roles").empty());
    site.op.must({"client", "set", kWeb, "--id-token-claims", "--access-token-profile", "rfc9068", "--default-resource",
                  "https://api.example/", "--groups-in-access-token"});
    const auto tokens = site.tokens();
    const auto id_token = jwt_claims(text_of(tokens, "id_token"));
    CHECK(member(id_token, "roles") == R"(["staff","wiki-admins"])");
    CHECK(member(id_token, "policy") == "\"readwrite\"");
    const auto narrow = jwt_claims(text_of(site.tokens("openid"), "id_token"));
    CHECK(member(narrow, "roles").empty());
    CHECK(member(narrow, "policy") == "\"readwrite\"");
    const std::string access = text_of(tokens, "access_token");
    const auto introspected = as_client(site.op, "introspect", Query{{"token", access}}).json();
    for (const auto& claims : {jwt_claims(access), introspected}) {
        CHECK(member(claims, "roles").empty());
        CHECK(member(claims, "policy").empty());
    }
    CHECK(member(jwt_claims(access), "groups") == R"(["staff","wiki-admins"])");
}

TEST_CASE("client claim: other names for groups, wherever the client is told groups [CLAIM-2, CLAIM-4, CLAIM-6]") {
    Site site;
    site.claim("roles=groups", "profile");
    site.claim("admin=group:wiki-admins", "profile");
    site.op.must({"client", "set", kWeb, "--rename", "wiki-admins=Admin", "--access-token-profile", "rfc9068",
                  "--default-resource", "https://api.example/", "--groups-in-access-token"});
    const auto tokens = site.tokens();
    const auto told = userinfo(site.op, text_of(tokens, "access_token")).json();
    for (const char* name : {"groups", "roles"}) CHECK(member(told, name) == R"(["Admin","staff"])");
    CHECK(member(told, "admin") == "true");
    CHECK(member(jwt_claims(text_of(tokens, "access_token")), "groups") == R"(["Admin","staff"])");
    CHECK(member(site.told(kAll, kOther), "groups") == R"(["staff","wiki-admins"])");

    site.op.must({"client", "set", kWeb, "--groups", "own", "--allow-group", "staff"});
    CHECK(member(site.told(), "roles") == R"(["staff"])");
    CHECK(member(site.told(), "admin") == "true");  // the operator has named that group for it
    site.op.must({"client", "set", kWeb, "--groups", "all", "--no-rename", "wiki-admins"});
    CHECK(member(site.told(), "roles") == R"(["staff","wiki-admins"])");
}

TEST_CASE("client claim: the consent page says what of it is about the user, once [CLAIM-4]") {
    Site site;
    const auto page = [&](const char* scope) {
        const auto request = authorization_request().with("scope", scope).with("prompt", "consent");
        UserAgent browser(site.op);
        return visible_text(browser.log_in(browser.authorize(request)).answer.body);
    };
    const std::string words = "See which groups you are in";
    CHECK(page("openid profile").find(words) == std::string::npos);
    site.claim("roles=groups", "profile");
    site.claim("admin=group:staff", "profile");
    site.claim("policy=const:readwrite", "profile");
    const std::string shown = page("openid profile");
    CHECK(shown.find(words) != std::string::npos);
    CHECK(shown.find(words) == shown.rfind(words));
    CHECK(shown.find("policy") == std::string::npos);
    CHECK(page("openid email").find(words) == std::string::npos);
}

/// Everything that a client is told, without what each token has of its own.
json::Object truth(const Site& site, const json::Object& tokens) {
    const std::string access = text_of(tokens, "access_token");
    json::Object object;
    object.set("id_token", without_own(jwt_claims(text_of(tokens, "id_token"))));
    object.set("access_token", without_own(jwt_claims(access)));
    object.set("userinfo", without_own(userinfo(site.op, access).json()));
    object.set("introspection", without_own(as_client(site.op, "introspect", Query{{"token", access}}).json()));
    return object;
}

TEST_CASE("token preview: says what the tokens, UserInfo and introspection say, and stores nothing [CLAIM-5]") {
    struct Row {
        const char* when;
        std::vector<std::vector<std::string>> commands;
        const char* scope;
    };
    const std::vector<std::string> rfc9068 = {"client",
                                              "set",
                                              kWeb,
                                              "--access-token-profile",
                                              "rfc9068",
                                              "--default-resource",
                                              "https://api.example/",
                                              "--groups-in-access-token"};
    const Row rows[] = {
        {"as registered", {}, kAll},
        {"openid alone", {}, "openid"},
        {"an ignored scope", {}, "openid email unheard-of"},
        {"own claims",
         {{"client", "claim", "add", kWeb, "roles=groups", "admin=group:staff", "--scope", "profile"},
          {"client", "claim", "add", kWeb, "email=const:a@b.example"}},
         kAll},
        {"without their scope",
         {{"client", "claim", "add", kWeb, "roles=groups", "admin=group:staff", "--scope", "profile"}},
         "openid email"},
        {"in the ID token",
         {{"client", "set", kWeb, "--id-token-claims", "--rename", "staff=Staff"},
          {"client", "claim", "add", kWeb, "roles=groups"}},
         kAll},
        {"profile rfc9068", {rfc9068, {"client", "set", kWeb, "--rename", "staff=Staff"}}, kAll},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Site site;
        for (const auto& command : row.commands) site.op.must(command);
        const auto tokens = site.tokens(row.scope);
        const auto before = site.op.stored();
        const auto result =
            site.op.postern({"token", "preview", "--client", kWeb, "--user", kAlice, "--scope", row.scope, "--json"});
        REQUIRE_MESSAGE(result.exit_code == 0, result.err);
        CHECK(site.op.stored() == before);
        const auto preview = json::parse(result.out);
        REQUIRE(preview);
        const json::Object told = truth(site, tokens);
        for (const auto& [place, claims] : told.members()) {
            CAPTURE(place);
            CHECK(member(*preview->if_object(), place) == json::write(claims));
        }
        CHECK(member(*preview->if_object(), "scope") == json::write(json::Value(text_of(tokens, "scope"))));
    }
}

TEST_CASE("token preview: it says why a user would be refused, and which scopes the client may not have [CLAIM-5]") {
    struct Row {
        const char* when;
        std::vector<std::vector<std::string>> commands;
        std::string scope;
        std::vector<std::string> said;
    };
    const Row rows[] = {
        {"may not use it", {{"client", "set", kOther, "--allow-group", "guests"}}, "openid", {"may not use client"}},
        {"user disabled", {{"user", "disable", kAlice}}, "openid", {"user \"alice\" is disabled"}},
        {"client disabled", {{"client", "disable", kOther}}, "openid", {"client \"other\" is disabled"}},
        {"scopes", {}, "openid phone api admin", {"refused scope: phone", "registered: openid"}},
        {"several things",
         {{"user", "disable", kAlice}, {"client", "disable", kOther}},
         "phone address",
         {"user \"alice\"", "client \"other\"", "refused scope: phone, refused scope: address"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Site site;
        for (const auto& command : row.commands) site.op.must(command);
        const auto result =
            site.op.postern({"token", "preview", "--client", kOther, "--user", kAlice, "--scope", row.scope});
        CHECK(result.exit_code == 1);
        CHECK(result.out.empty());
        for (const std::string& words : row.said)
            CHECK_MESSAGE(result.err.find(words) != std::string::npos, result.err);
    }
}

TEST_CASE("token preview: the private keys may be unreadable, and as text it has a line for each place [CLAIM-5]") {
    Site site;
    for (const auto& entry : std::filesystem::directory_iterator(site.op.keys_directory()))
        if (entry.path().extension() == ".pem" || entry.path().filename() == "seal.key")
            std::filesystem::remove(entry.path());
    const std::string out =
        site.op.must({"token", "preview", "--client", kWeb, "--user", kAlice, "--scope", "openid groups"});
    for (const char* title : {"ID token", "access token", "UserInfo", "introspection"})
        CHECK_MESSAGE(out.find(title) != std::string::npos, out);
    CHECK(out.find(R"("groups":["staff","wiki-admins"])") != std::string::npos);
    CHECK(out.find("at_hash") == std::string::npos);
    const std::string other = site.op.must({"token", "preview", "--client", kWeb, "--user", kAlice, "--scope", "api"});
    CHECK(other.find("refused: openid scope required") != std::string::npos);
}

}  // namespace
