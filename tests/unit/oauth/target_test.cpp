// What access tokens are for (RFC 8707; rules RES-1 to RES-10 and ATP-4).
#include "oauth/target.h"

#include <doctest/doctest.h>

#include "db/write.h"
#include "oauth/audience.h"
#include "store/clients.h"
#include "store/resources.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

using oauth::ErrorCode;
using Uris = model::ResourceUris;

model::Scope scope(const char* words) { return *model::Scope::parse(words); }

struct Fixture : test::RulesFixture {
    oauth::Context context = RulesFixture::context();
    model::Client client = add_confidential("web", "https://web.example/cb", "s");

    void add(const std::string& uri, const char* words = "", std::vector<std::string> aliases = {},
             bool enabled = true) {
        model::Resource resource{uri,        "Notes", scope(words), util::Seconds{60}, enabled, std::move(aliases),
                                 clock.now()};
        db::write(database, db::Durability::lazy, [&](db::Transaction& transaction) {
            REQUIRE_FALSE(store::insert_resource(transaction, resource));
            transaction.commit();
        });
    }

    /// `aud`, or the error.
    std::string find(const std::string& named) {
        const auto target = oauth::find_target(context, client, named);
        return target ? *target->audience : std::string(oauth::wire_name(target.error().code));
    }

    /// The URIs as one text, or the error.
    std::string find_all(const Uris& named, const model::Scope& scope = {}, bool by_name = true) {
        const auto uris = oauth::find_resources(context, client, named, scope, by_name);
        return uris ? model::to_string(*uris) : std::string(oauth::wire_name(uris.error().code));
    }

    /// `aud` ("" for none), or the error, of a grant with these resources.
    std::string choose(const Uris& granted, const std::optional<std::string>& named = std::nullopt) {
        model::Grant grant;
        grant.resources = granted;
        grant.subject = model::Subject("alice");
        std::optional<oauth::Target> target;
        if (named) target = oauth::Target{.audience = *named};
        const auto chosen = oauth::choose_target(context, client, grant, target);
        return chosen ? chosen->audience.value_or("") : std::string(oauth::wire_name(chosen.error().code));
    }
};

struct ParseRow {
    const char* query;
    const char* form;
    std::optional<ErrorCode> error;
    std::optional<std::string> value;
};

const ParseRow kParseRows[] = {
    {"", "", {}, std::nullopt},
    {"", "aud=", {}, std::nullopt},
    {"", "aud=https://api.example", {}, "https://api.example"},
    {"", "audience=https://api.example", {}, "https://api.example"},
    {"aud=https://api.example", "", {}, "https://api.example"},
    {"aud=a", "audience=a", {}, "a"},
    {"", "aud=a&audience=b", ErrorCode::invalid_target, {}},
    {"aud=a", "aud=b", ErrorCode::invalid_target, {}},
    {"", "resource=https://api.example", {}, "https://api.example"},
    {"", "resource=urn:example:api", {}, "urn:example:api"},
    {"resource=https://api.example", "", {}, std::nullopt},  // of the body alone
    {"", "resource=https://api.example&aud=HTTPS://API.example:443/", {}, "https://api.example"},
    {"", "resource=https://api.example&audience=https://other.example", ErrorCode::invalid_target, {}},
    {"", "resource=https://a.example&resource=https://b.example", ErrorCode::invalid_target, {}},
    {"", "resource=https://a.example&resource=https://a.example", ErrorCode::invalid_target, {}},
    {"", "resource=api", ErrorCode::invalid_target, {}},
    {"", "resource=/api", ErrorCode::invalid_target, {}},
    {"", "resource=//api.example", ErrorCode::invalid_target, {}},
    {"", "resource=https://api.example/%23x", ErrorCode::invalid_target, {}},
    {"", "resource=https://api.example/ x", ErrorCode::invalid_target, {}},
    {"", "resource=https://api.example/%00", ErrorCode::invalid_request, {}},
};

}  // namespace

TEST_CASE(
    "parse_target: one value, by any of three names, aud and audience in query or body [IF40, RES-1, RES-6, RES-8, "
    "RFC 8707 §2ad]") {
    for (const ParseRow& row : kParseRows) {
        CAPTURE(row.query);
        CAPTURE(row.form);
        const auto target = oauth::parse_target(test::params(row.query), test::params(row.form));
        CHECK(bool(target) == !row.error);
        if (target) CHECK(*target == row.value);
        if (!target) CHECK(target.error().code == row.error);
    }
}

TEST_CASE("parse_target: bounded, since it travels in every token [RES-1]") {
    const std::string uri = "https://api.example/" + std::string(oauth::kMaxAudienceBytes - 20, 'a');
    REQUIRE(uri.size() == oauth::kMaxAudienceBytes);
    CHECK(oauth::parse_target({}, test::params("aud=" + uri)));
    CHECK(oauth::parse_target({}, test::params("resource=" + uri)));
    const auto audience = oauth::parse_target({}, test::params("aud=" + uri + "a"));
    REQUIRE_FALSE(audience);
    CHECK(audience.error().code == ErrorCode::invalid_request);
    const auto resource = oauth::parse_target({}, test::params("resource=" + uri + "a"));
    REQUIRE_FALSE(resource);
    CHECK(resource.error().code == ErrorCode::invalid_target);
}

TEST_CASE("parse_targets: up to eight resources; an audience beside them is one of them [RES-5, RES-8, RFC 8707 §2d]") {
    const std::string eight =
        "resource=https://1.example&resource=https://2.example&resource=https://3.example&resource=https://4.example"
        "&resource=https://5.example&resource=https://6.example&resource=https://7.example&resource=https://8.example";
    const auto all = oauth::parse_targets(test::params(eight + "&aud=https://3.example/"));
    REQUIRE(all);
    CHECK(all->resources.size() == oauth::kMaxResources);
    CHECK(all->audience == "https://3.example/");
    CHECK_FALSE(oauth::parse_targets(test::params(eight + "&resource=https://9.example")));
    CHECK_FALSE(oauth::parse_targets(test::params(eight + "&aud=https://9.example")));
    const auto none = oauth::parse_targets(test::params("aud=anything"));
    REQUIRE(none);
    CHECK(none->resources.empty());
}

TEST_CASE(
    "find_target: by the operator's URI, byte for byte, in any spelling of the client [RES-1, RES-2, RFC 8707 §2c]") {
    Fixture f;
    f.add("https://api.example", "notes:read", {"https://old.example/v1"});
    f.add("https://mcp.example/mcp");
    const std::pair<const char*, const char*> rows[] = {
        {"https://api.example", "https://api.example"},
        {"https://api.example/", "https://api.example"},
        {"HTTPS://API.EXAMPLE:443", "https://api.example"},
        {"https://old.example/v1", "https://api.example"},
        {"https://OLD.example:443/v1", "https://api.example"},
        {"https://old.example/v1/", "https://old.example/v1/"},
        {"https://mcp.example/mcp", "https://mcp.example/mcp"},
        {"https://mcp.example/mcp/", "https://mcp.example/mcp/"},  // another path: not registered, so as sent
        {"https://MCP.example/MCP", "https://MCP.example/MCP"},
        {"https://api.example:8443/", "https://api.example:8443/"},
        {"http://api.example/", "http://api.example/"},
    };
    for (const auto& [named, expected] : rows) {
        CAPTURE(named);
        CHECK(f.find(named) == expected);
    }
    const auto target = oauth::find_target(f.context, f.client, "https://api.example/");
    REQUIRE(target);
    CHECK(target->scope == scope("notes:read"));
    CHECK(target->access_token_ttl == util::Seconds{60});
}

TEST_CASE(
    "find_target: never this server or a client, a disabled resource, or one outside the client's list [RES-3, RES-4, "
    "RFC 8707 §2b, RFC 9068 §5a]") {
    Fixture f;
    f.add("https://off.example/", "", {}, false);
    f.add("https://api.example/", "", {"https://alias.example/"});
    for (const char* refused : {"https://op.example", "HTTPS://OP.EXAMPLE:443/", "https://op.example/token", "web",
                                "https://off.example", "https://OFF.example/"}) {
        CAPTURE(refused);
        CHECK(f.find(refused) == "invalid_target");
    }
    f.client.resources = {"https://api.example", "https://unregistered.example/x"};
    CHECK(f.find("https://api.example/") == "https://api.example/");
    CHECK(f.find("https://alias.example") == "https://api.example/");
    CHECK(f.find("https://unregistered.example/x") == "https://unregistered.example/x");
    CHECK(f.find("https://unregistered.example/y") == "invalid_target");
    CHECK(f.find("any-audience") == "invalid_target");
}

TEST_CASE("find_resources: each once, with a scope that one of them has or that is about the user [RES-5]") {
    Fixture f;
    f.settings.oidc = true;
    f.add("https://a.example/", "a:read a:write");
    f.add("https://b.example/", "b:read");
    f.add("https://free.example/");
    CHECK(f.find_all({}).empty());
    CHECK(f.find_all({"https://a.example", "https://A.example/", "https://b.example/"}) ==
          "https://a.example/ https://b.example/");
    struct Row {
        Uris named;
        const char* asked_for;
        const char* answer;
    };
    const Row rows[] = {
        {{"https://a.example/"}, "openid groups a:read", "https://a.example/"},
        {{"https://a.example/"}, "a:read b:read", "invalid_scope"},
        {{"https://a.example/"}, "openid", "invalid_scope"},  // nothing of it would be in a token for it
        {{"https://a.example/", "https://b.example/"}, "a:read b:read", "https://a.example/ https://b.example/"},
        {{"https://a.example/", "https://b.example/"}, "a:read", "invalid_scope"},
        {{"https://a.example/", "https://free.example/"}, "a:read c", "https://a.example/ https://free.example/"},
        {{"https://free.example/"}, "c", "https://free.example/"},
        {{"https://unregistered.example/"}, "c", "https://unregistered.example/"},
    };
    CHECK(f.find_all({"https://a.example/"}, scope("a:read b:read"), false) == "https://a.example/");
    CHECK(f.find_all({"https://a.example/"}, scope("b:read"), false) == "invalid_scope");
    for (const Row& row : rows) {
        CAPTURE(row.asked_for);
        CHECK(f.find_all(row.named, scope(row.asked_for)) == row.answer);
    }
    CHECK(f.find_all({"https://a.example/", "https://op.example/x"}) == "invalid_target");
}

TEST_CASE(
    "choose_target: within what was granted, else what is named, else the default of the profile [RES-6, RES-7, "
    "ATP-4, RFC 8707 §2.2ab, RFC 9068 §3b]") {
    Fixture f;
    const Uris one = {"https://a.example/"};
    const Uris two = {"https://a.example/", "https://b.example/"};
    CHECK(f.choose({}).empty());
    CHECK(f.choose({}, "any") == "any");
    CHECK(f.choose(one) == "https://a.example/");
    CHECK(f.choose(one, "https://A.example") == "https://A.example");  // not registered: as sent
    CHECK(f.choose(one, "https://b.example/") == "invalid_target");
    CHECK(f.choose(two) == "invalid_target");
    CHECK(f.choose(two, "https://b.example/") == "https://b.example/");

    f.client.access_token_profile = model::TokenProfile::rfc9068;
    CHECK(f.choose({}) == "invalid_target");
    f.settings.default_resource = "https://configured.example/";
    CHECK(f.choose({}) == "https://configured.example/");
    f.client.default_resource = "https://own.example/";
    CHECK(f.choose({}) == "https://own.example/");
    CHECK(f.choose(one) == "https://a.example/");
    CHECK(f.choose({}, "https://named.example/") == "https://named.example/");

    // The default, too, is the operator's URI, and held to what the operator says of it. Its token is for UserInfo,
    // too.
    f.add("https://own.example", "read");
    CHECK(f.choose({}) == "https://own.example");
    const auto target = oauth::choose_target(f.context, f.client, {}, std::nullopt);
    REQUIRE(target);
    CHECK(target->scope == scope("read"));  // of a client on its own behalf
    model::Grant of_user;
    of_user.subject = model::Subject("alice");
    f.settings.oidc = true;
    const auto scopes = oauth::choose_target(f.context, f.client, of_user, std::nullopt)->scope;
    CHECK(scopes == scope("read openid profile email address phone offline_access groups"));
    CHECK(target->access_token_ttl == util::Seconds{60});
    f.client.resources = {"https://another.example/"};
    CHECK(f.choose({}) == "invalid_target");
    f.client.resources = {};
    f.add("https://off.example/", "", {}, false);
    f.client.default_resource = "https://off.example/";
    CHECK(f.choose({}) == "invalid_target");
    f.client.default_resource = "https://own.example/";

    f.client.access_token_profile = model::TokenProfile::interface;
    CHECK(f.choose({}).empty());
    f.client.access_token_profile.reset();
    CHECK(f.choose({}).empty());
    f.settings.access_token_profile = model::TokenProfile::rfc9068;
    CHECK(f.choose({}) == "https://own.example");
}

TEST_CASE("choose_target: a client with a list gets no token that is for every API [RES-3, RES-7, RFC 8707 §2e]") {
    Fixture f;
    f.client.resources = {"https://a.example/"};
    CHECK(f.choose({}) == "https://a.example/");
    f.client.resources = {"https://a.example/", "https://b.example/"};
    CHECK(f.choose({}) == "invalid_target");
    CHECK(f.choose({}, "https://b.example") == "https://b.example");
    f.client.default_resource = "https://b.example/";
    CHECK(f.choose({}) == "invalid_target");
    f.client.access_token_profile = model::TokenProfile::rfc9068;
    CHECK(f.choose({}) == "https://b.example/");
}

TEST_CASE("choose_target: what was granted for one API is not for the API of which it became an alias") {
    Fixture f;
    f.add("https://b.example/", "", {"https://a.example/"});
    CHECK(f.choose({"https://a.example/"}) == "invalid_target");
}

TEST_CASE("choose_target: a granted resource that was disabled or taken off the client's list meanwhile is refused") {
    Fixture f;
    f.add("https://off.example/", "", {}, false);
    CHECK(f.choose({"https://off.example/"}) == "invalid_target");
    f.client.resources = {"https://b.example/"};
    CHECK(f.choose({"https://a.example/"}) == "invalid_target");
    CHECK(oauth::check_listed(f.client, {"https://B.example"}));
    CHECK_FALSE(oauth::check_listed(f.client, {"https://b.example/", "https://a.example/"}));
}

TEST_CASE("scope_for: what the resource has of it, never nothing [RES-9, RFC 8707 §2.2c, RFC 9068 §2.2.3]") {
    oauth::Target target{.audience = "https://a.example/", .scope = scope("read write")};
    CHECK(oauth::scope_for(target, scope("openid write read"))->to_string() == "write read");
    CHECK_FALSE(oauth::scope_for(target, scope("openid")));
    CHECK(oauth::scope_for(target, {})->empty());
    target.scope = {};
    CHECK(oauth::scope_for(target, scope("openid x"))->to_string() == "openid x");
}

TEST_CASE("find_target: a client that a document describes may name registered resources alone [CIMD-11, RES-3]") {
    Fixture f;
    f.add("https://api.example/");
    f.client.origin = model::Origin::document;
    CHECK(f.find("https://api.example") == "https://api.example/");
    CHECK(f.find("https://other.example/") == "invalid_target");
    CHECK(f.find("urn:other") == "invalid_target");
    f.client.access_token_profile = model::TokenProfile::rfc9068;
    f.settings.default_resource = "https://default.example/";  // the operator's word
    CHECK(f.find("https://default.example/") == "https://default.example/");
    CHECK(f.choose({}) == "https://default.example/");
}

TEST_CASE("find_target: a client that registered itself may name registered resources alone [REG-21, RES-3]") {
    for (const char* registered_by : {"", "digest of a token"}) {
        CAPTURE(registered_by);
        Fixture f;
        f.add("https://api.example/");
        f.client.origin = model::Origin::dynamic;
        f.client.registered_by = registered_by;
        CHECK(f.find("https://api.example") == "https://api.example/");
        CHECK(f.find("https://other.example/") == "invalid_target");
        CHECK(f.find("urn:other") == "invalid_target");
    }
}

TEST_CASE("find_target: the URL of a stored client's document is no audience [CIMD-14, RES-4]") {
    Fixture f;
    model::Client described = f.client;
    described.id = model::ClientId("https://app.example/client.json");
    described.origin = model::Origin::document;
    f.RulesFixture::add(described);
    CHECK(f.find("https://app.example/client.json") == "invalid_target");
}

TEST_CASE("invalid_target: the log names what came, next to what would have been right [RFC 8707 §2]") {
    Fixture f;
    f.add("https://a.example/", "read");
    const auto one = [](const char* form) {
        const auto target = oauth::parse_target({}, test::params(form));
        REQUIRE_FALSE(target);
        return target.error().log_detail;
    };
    const auto several = [](const std::string& form) {
        const auto targets = oauth::parse_targets(test::params(form));
        REQUIRE_FALSE(targets);
        return targets.error().log_detail;
    };
    CHECK(one("aud=a&audience=b") == "received: a, b");
    CHECK(one("resource=https://a.example/&resource=https://b.example/") ==
          "received: https://a.example/ https://b.example/");
    CHECK(one("audience=a&resource=https://b.example/") == "received: audience a, resource https://b.example/");
    CHECK(several("audience=a&resource=https://b.example/") == "received: audience a, resource https://b.example/");
    std::string nine;
    for (char host = 'a'; host < 'j'; ++host) nine += std::string("resource=https://") + host + ".example/&";
    CHECK(several(nine + "x=y") == "received: 9");

    model::Grant grant;
    grant.resources = {"https://a.example/", "https://b.example/"};
    const auto chosen = [&](const std::optional<oauth::Target>& named) {
        const auto target = oauth::choose_target(f.context, f.client, grant, named);
        REQUIRE_FALSE(target);
        return target.error().log_detail;
    };
    CHECK(chosen(std::nullopt) == "received: none; granted: https://a.example/ https://b.example/");
    CHECK(chosen(oauth::Target{.audience = "https://c.example/"}) ==
          "received: https://c.example/; granted: https://a.example/ https://b.example/");
    const auto scopes = oauth::scope_for({.audience = "https://a.example/", .scope = scope("read")}, scope("write"));
    REQUIRE_FALSE(scopes);
    CHECK(scopes.error().log_detail == "received: write; of the resource: read");
    const auto all = oauth::find_resources(f.context, f.client, {"https://a.example/"}, scope("read write"), true);
    REQUIRE_FALSE(all);
    CHECK(all.error().log_detail.starts_with("received: read write; of the resources: "));
}
