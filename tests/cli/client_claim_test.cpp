// `postern client claim`, and the names of groups as a client is told them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "installation.h"

using namespace postern;
using namespace postern::test;

namespace {

struct Fixture : Installation {
    Fixture() {
        for (const char* group : {"staff", "admins"}) must({"group", "add", group});
        must({"client", "add", "wiki", "--redirect-uri", "https://app.example.org/callback", "--scope",
              "openid profile groups roles"});
    }

    json::Value shown() const { return must_json({"client", "show", "wiki"}); }
    /// "CLAIM=SOURCE SCOPE\n" of each.
    std::string claims() const {
        std::string text;
        const auto listed = must_json({"client", "claim", "list", "wiki"});
        for (const json::Value& each : *listed.if_array())
            text += text_of(each, "claim") + "=" + text_of(each, "source") + " " + text_of(each, "scope") + "\n";
        return text;
    }
};

}  // namespace

TEST_CASE("client claim: added, replaced, listed, shown and removed [CLAIM-4]") {
    const Fixture f;
    const auto added =
        f.must_json({"client", "claim", "add", "wiki", "roles=groups", "admin=group:admins", "--scope", "profile"});
    CHECK(added.if_array()->size() == 2);
    CHECK(f.claims() == "admin=group:admins profile\nroles=groups profile\n");
    CHECK(has(f.must({"client", "claim", "list", "wiki"}), "group:admins"));
    CHECK(has(f.must({"client", "show", "wiki"}), "admin=group:admins with profile, roles=groups with profile"));
    const auto claims = member_of(f.shown(), "claims");
    REQUIRE(claims.if_array()->size() == 2);
    CHECK(text_of((*claims.if_array())[0], "source") == "group:admins");
    CHECK(has(f.must({"client", "claim", "add", "wiki", "roles=const:a=b"}), "\"const:a=b\""));
    CHECK(f.claims() == "admin=group:admins profile\nroles=const:a=b openid\n");

    f.must({"client", "claim", "remove", "wiki", "roles", "admin"});
    CHECK(f.claims().empty());
    CHECK(member_of(f.shown(), "claims").if_array()->empty());
    f.must({"client", "claim", "add", "wiki", "roles=groups"});
    f.must({"client", "set", "wiki", "--name", "Wiki"});
    CHECK(f.claims() == "roles=groups groups\n");
    f.must({"client", "remove", "wiki"});
}

TEST_CASE("client claim: without --scope it is the one that releases the source, else openid [CLAIM-4]") {
    const struct {
        const char* claim;
        const char* scope;
    } rows[] = {
        {"r=groups", "groups"},           {"r=group:staff", "groups"},     {"r=claim:preferred_username", "profile"},
        {"r=claim:department", "openid"}, {"r=const:readwrite", "openid"}, {"r=claim:team", "roles"},
    };
    Fixture f;
    f.reconfigure("scopeClaims", json::Object{{"roles", json::strings({"team"})}});
    for (const auto& row : rows) {
        CAPTURE(row.claim);
        f.must({"client", "claim", "add", "wiki", row.claim});
        CHECK(f.claims() == std::string(row.claim) + " " + row.scope + "\n");
    }
}

TEST_CASE("client claim: what is refused, and nothing of it is stored [CLAIM-4]") {
    const Fixture f;
    const struct {
        Words arguments;
        int exit_code;
        const char* said;
    } rows[] = {
        {{"wiki", "sub=claim:email"}, 1, "set by the server"},
        {{"wiki", "roles=groups", "aud=const:x"}, 1, "set by the server"},
        {{"wiki", "groups=const:admins"}, 1, "--rename"},
        {{"wiki", "roles=claim:groups"}, 1, "write groups"},
        {{"wiki", "roles=group:nobody-there"}, 1, "there is no group"},
        {{"wiki", "roles=groups", "--scope", "email"}, 1, "is not registered for the scope \"email\""},
        {{"wiki", "tel=claim:phone_number"}, 1, "is not registered for the scope \"phone\""},
        {{"wiki", "email_verified=const:true"}, 1, "true or false"},
        {{"none", "roles=groups"}, 1, "there is no client"},
        {{"wiki", "roles"}, 2, "CLAIM=SOURCE"},
        {{"wiki", "=groups"}, 2, "CLAIM=SOURCE"},
        {{"wiki", "roles=everything"}, 2, "group:NAME"},
        {{"wiki"}, 2, "CLAIM"},
    };
    for (const auto& row : rows) {
        const auto result = f.postern(joined({"client", "claim", "add"}, row.arguments));
        CAPTURE(result.err);
        CHECK(result.exit_code == row.exit_code);
        CHECK(has(result.err, row.said));
        CHECK(f.claims().empty());
    }
    f.must({"client", "claim", "add", "wiki", "roles=groups"});
    CHECK(has(f.refused({"client", "claim", "remove", "wiki", "roles", "admin"}), "has no claim \"admin\""));
    CHECK(f.claims() == "roles=groups groups\n");
}

TEST_CASE("client claim: a scope that the client has lost is said [CLAIM-5]") {
    const Fixture f;
    f.must({"client", "claim", "add", "wiki", "roles=groups"});
    for (const Words& command : std::vector<Words>{{"client", "set", "wiki", "--scope", "openid"},
                                                   {"client", "show", "wiki"},
                                                   {"client", "claim", "list", "wiki"}}) {
        const std::string result = f.noted(command);
        CHECK(
            has(result, "the claim \"roles\" is not told: client \"wiki\" is not registered for the scope \"groups\""));
    }
}

TEST_CASE("client set: other names for groups add up, are shown and undone; a removed group is said [CLAIM-4]") {
    const Fixture f;
    f.must({"client", "set", "wiki", "--rename", "staff=Wiki editors"});
    f.must({"client", "set", "wiki", "--rename", "admins=Admin", "--rename", "staff=Editor"});
    const auto names = member_of(f.shown(), "group_names");
    CHECK(text_of(names, "admins") == "Admin");
    CHECK(text_of(names, "staff") == "Editor");
    CHECK(has(f.must({"client", "show", "wiki"}), "admins=Admin, staff=Editor"));
    const struct {
        Words arguments;
        int exit_code;
        const char* said;
    } rows[] = {
        {{"--rename", "guests=Guest"}, 1, "there is no group"},
        {{"--rename", "staff="}, 1, "1 to 256 bytes"},
        {{"--rename", "staff"}, 2, "GROUP=NAME"},
        {{"--no-rename", "guests"}, 1, "no other name"},
    };
    for (const auto& row : rows) {
        const auto result = f.postern(joined({"client", "set", "wiki"}, row.arguments));
        CAPTURE(result.err);
        CHECK(result.exit_code == row.exit_code);
        CHECK(has(result.err, row.said));
    }
    f.must({"client", "set", "wiki", "--no-rename", "staff"});
    CHECK(member_of(f.shown(), "group_names").if_object()->members().size() == 1);

    f.must({"client", "claim", "add", "wiki", "admin=group:admins", "roles=groups"});
    const std::string removed = f.noted({"group", "remove", "admins"});
    CHECK(has(removed, "client \"wiki\" has lost its claim \"admin\", which was of this group"));
    CHECK(has(removed, "client \"wiki\" was told another name for this group"));
    CHECK(f.claims() == "roles=groups groups\n");
    CHECK(member_of(f.shown(), "group_names").if_object()->empty());
}

TEST_CASE("client claim: doctor warns of one from a claim that users change themselves [CLAIM-4, ACCOUNT-11]") {
    const json::Object editable{{"editableClaims", json::Array{"nickname", "website"}}};
    const struct {
        const char* when;
        json::Object account;
        json::Value path;
        const char* claim;
        bool warned;
    } rows[] = {
        {"one that users change", editable, "/account", "login=claim:nickname", true},
        {"another one", editable, "/account", "login=claim:website", true},
        {"one that they do not change", editable, "/account", "login=claim:preferred_username", false},
        {"text that is the name of one", editable, "/account", "login=const:nickname", false},
        {"users change nothing", {}, "/account", "login=claim:nickname", false},
        {"there is no account to change it in", editable, nullptr, "login=claim:nickname", false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        const Fixture f;
        f.reconfigure("account", row.account);
        f.reconfigure("paths", json::Object{{"account", row.path}});
        f.must({"client", "claim", "add", "wiki", row.claim, "--scope", "profile"});
        const auto doctor = f.postern({"doctor"});
        CAPTURE(doctor.out);
        CHECK(has(doctor.out, "client \"wiki\" is told \"login\" from the claim") == row.warned);
        CHECK(has(doctor.out, "`postern client claim remove wiki login`") == row.warned);
    }
}

TEST_CASE("client claim: doctor names each claim that users change, and none once its fix was done") {
    const Fixture f;
    f.reconfigure("account", json::Object{{"editableClaims", json::Array{"nickname", "website"}}});
    f.must({"client", "claim", "add", "wiki", "login=claim:nickname", "url=claim:website", "--scope", "profile"});
    const auto warned = f.postern({"doctor"}).out;
    CHECK(has(warned, "is told \"login\" from the claim \"nickname\""));
    CHECK(has(warned, "is told \"url\" from the claim \"website\""));
    f.must({"client", "claim", "remove", "wiki", "login", "url"});
    CHECK_FALSE(has(f.postern({"doctor"}).out, "from the claim"));
}
