// Groups as applications and people meet them: what an application is told, and who may use which.
#include <doctest/doctest.h>

#include <string>

#include "json/reader.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace json = postern::json;

Query grouped_request(const std::string& client = kWeb) {
    return authorization_request(client).with("scope", "openid email groups");
}

/// alice is in staff and admins, bob in none; `web` and `trusted` are registered for the scope.
struct Site {
    Deployment op;
    UserAgent alice{op};

    Site() {
        op.must({"group", "add", "staff", "--description", "All employees"});
        op.must({"group", "add", "admins"});
        op.must({"group", "member", "add", "staff", kAlice});
        op.must({"group", "member", "add", "admins", kAlice});
        for (const char* client : {kWeb, kTrusted})
            op.must({"client", "set", client, "--scope", "openid email groups offline_access"});
    }

    Answer refresh(const json::Object& tokens, const std::string& client = kWeb) const {
        return redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}},
                      client);
    }
};

std::string groups_in(const json::Object& claims) {
    std::string names;
    const json::Value* groups = claims.find("groups");
    if (!groups || !groups->if_array()) return names;
    for (const json::Value& name : *groups->if_array()) names += *name.if_string() + " ";
    return names;
}

TEST_CASE("groups: the scope releases the claim in UserInfo, a client may be told its own alone [CLAIM-1, CLAIM-2]") {
    Site site;
    const json::Object tokens = obtain_tokens(site.op, site.alice, grouped_request());
    const std::string access = text_of(tokens, "access_token");
    CHECK(groups_in(userinfo(site.op, access).json()) == "admins staff ");
    CHECK(groups_in(jwt_claims(text_of(tokens, "id_token"))).empty());

    site.op.must({"client", "set", kWeb, "--groups", "own", "--allow-group", "staff"});
    CHECK(groups_in(userinfo(site.op, access).json()) == "staff ");
    site.op.must({"group", "member", "remove", "admins", kAlice});
    site.op.must({"client", "set", kWeb, "--groups", "all"});
    CHECK(groups_in(userinfo(site.op, access).json()) == "staff ");

    // By name, into the ID token (OpenID Connect Core §5.5).
    const json::Object named =
        obtain_tokens(site.op, site.alice, grouped_request().with("claims", R"({"id_token":{"groups":null}})"));
    CHECK(groups_in(jwt_claims(text_of(named, "id_token"))) == "staff ");

    // Without the scope nothing is told, and a client that is not registered for it is refused.
    const json::Object plain = obtain_tokens(site.op, site.alice, authorization_request());
    CHECK(groups_in(userinfo(site.op, text_of(plain, "access_token")).json()).empty());
    CHECK(site.alice.authorize(grouped_request(kOther)).verdict() == "invalid_scope");
}

TEST_CASE(
    "claims: in the ID token what the scopes release, for a client that is registered so, also at a refresh [CLAIM-3]") {
    Site site;
    const auto id_token = [&](const json::Object& tokens) { return jwt_claims(text_of(tokens, "id_token")); };
    const Query request =
        grouped_request().with("scope", "openid email groups offline_access").with("prompt", "consent");
    const json::Object plain = obtain_tokens(site.op, site.alice, request);
    CHECK(id_token(plain).find("email") == nullptr);

    site.op.must({"client", "set", kWeb, "--id-token-claims"});
    const json::Object tokens = obtain_tokens(site.op, site.alice, request);
    const json::Object claims = id_token(tokens);
    CHECK_FALSE(text_of(claims, "email").empty());
    CHECK(groups_in(claims) == "admins staff ");
    CHECK(claims.find("name") == nullptr);  // of profile, which was not asked for
    CHECK(text_of(claims, "sub") == subject_of(site.op, kAlice));
    CHECK(text_of(claims, "aud") == kWeb);

    site.op.must({"group", "member", "remove", "admins", kAlice});
    const Answer refreshed = site.refresh(tokens);
    REQUIRE(refreshed.status == 200);
    CHECK(groups_in(id_token(refreshed.json())) == "staff ");

    // As far as the access token goes.
    const Answer narrow = redeem(site.op, Query{{"grant_type", "refresh_token"},
                                                {"refresh_token", refreshed.member("refresh_token")},
                                                {"scope", "openid groups"}});
    REQUIRE(narrow.status == 200);
    CHECK(id_token(narrow.json()).find("email") == nullptr);
    CHECK(groups_in(id_token(narrow.json())) == "staff ");

    site.op.must({"client", "set", kWeb, "--no-id-token-claims"});
    CHECK(id_token(obtain_tokens(site.op, site.alice, request)).find("email") == nullptr);
}

TEST_CASE("groups: consent says what is told, discovery names scope and claim [CLAIM-1]") {
    Site site;
    const Landing consent = site.alice.log_in(site.alice.authorize(grouped_request()));
    CHECK(visible_text(consent.answer.body).find("See which groups you are in") != std::string::npos);
    const json::Object discovery = site.op.cgi("discovery").json();
    for (const char* member : {"scopes_supported", "claims_supported"}) {
        bool found = false;
        for (const json::Value& word : *discovery.find(member)->if_array()) found |= *word.if_string() == "groups";
        CHECK_MESSAGE(found, member);
    }
}

TEST_CASE(
    "access: single sign-on does not walk around a restricted client, and its page has two ways on [GROUP-4, GROUP-5]") {
    Site site;
    UserAgent bob(site.op, "192.0.2.8");
    site.op.must({"client", "set", kWeb, "--name", "Our wiki", "--allow-group", "staff"});
    const Landing first = bob.log_in(bob.authorize(authorization_request(kOther)), kBob, kBobPassword);
    REQUIRE(bob.approve(first).verdict() == "code");

    const Landing refused = bob.authorize(authorization_request());
    CHECK(refused.verdict() == "page 403");
    const std::string text = visible_text(refused.answer.body);
    CHECK(text.find("bob may not use Our wiki") != std::string::npos);
    CHECK(refused.answer.header("Cache-Control") == "no-store");
    CHECK(bob.authorize(authorization_request().with("prompt", "none")).verdict() == "access_denied");

    const Landing back = bob.open(link_in(refused.answer.body, "back"));
    CHECK(back.verdict() == "access_denied");
    CHECK(back.parameter("state") == kState);
    CHECK(bob.open(link_in(refused.answer.body, "back")).verdict() == "page 400");  // one request has one answer

    const Landing again = bob.authorize(authorization_request());
    const Landing login = bob.open(link_in(again.answer.body, "other-account"));
    CHECK(login.verdict() == "login");
    const Landing same = bob.log_in(login, kBob, kBobPassword);
    CHECK(same.verdict() == "page 403");
    const Landing other = bob.log_in(bob.open(link_in(same.answer.body, "other-account")), kAlice, kAlicePassword);
    CHECK(bob.approve(other).verdict() == "code");

    // First-party clients are concerned, too (GROUP-7).
    UserAgent third(site.op, "192.0.2.9");
    site.op.must({"client", "set", kTrusted, "--allow-user", kAlice});
    CHECK(third.log_in(third.authorize(authorization_request(kTrusted)), kBob, kBobPassword).verdict() == "page 403");
    CHECK(site.alice.sign_in(authorization_request(kTrusted)).verdict() == "code");
}

TEST_CASE("access: losing the right ends grants at once: refresh, introspection, UserInfo and a code [GROUP-6]") {
    struct Row {
        const char* when;
        std::vector<std::string> command;
    };
    const Row rows[] = {
        {"the member is removed", {"group", "member", "remove", "staff", kAlice}},
        {"the group is removed", {"group", "remove", "staff"}},
        {"the list is changed", {"client", "set", kWeb, "--disallow-group", "staff"}},
        {"the file says so", {"user", "import", "-", "--update"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Site site;
        site.op.must({"client", "set", kWeb, "--allow-group", "staff"});
        const json::Object tokens =
            obtain_tokens(site.op, site.alice, grouped_request().with("scope", "openid email offline_access"));
        const json::Object elsewhere = obtain_tokens(site.op, site.alice, authorization_request(kOther), kOther);
        const std::string code = site.alice.obtain_code(authorization_request());
        const std::string access = text_of(tokens, "access_token");
        CHECK(is_active(site.op, access));

        site.op.must(row.command, R"({"username": "alice", "groups": ["admins"]})");
        CHECK_FALSE(is_active(site.op, access));
        CHECK(userinfo(site.op, access).status == 401);
        CHECK(site.refresh(tokens).verdict() == "400 invalid_grant");
        CHECK(redeem(site.op, token_request(code)).verdict() == "400 invalid_grant");
        CHECK(site.alice.authorize(authorization_request()).verdict() == "page 403");
        CHECK(is_active(site.op, text_of(elsewhere, "access_token")));
    }
}

TEST_CASE(
    "access: the first name on a list ends what others had, and an empty list lets no user in [GROUP-3, GROUP-6]") {
    Site site;
    const json::Object tokens = obtain_tokens(site.op, site.alice, grouped_request());
    const CommandResult restricted = site.op.postern({"client", "set", kWeb, "--allow-user", kBob});
    CHECK(restricted.err.find("1 grant of users who may not use the client any more ended") != std::string::npos);
    CHECK_FALSE(is_active(site.op, text_of(tokens, "access_token")));

    const CommandResult emptied = site.op.postern({"client", "set", kWeb, "--disallow-user", kBob});
    CHECK(emptied.exit_code == 0);
    CHECK(emptied.err.find("no user can use it") != std::string::npos);
    CHECK(site.alice.authorize(authorization_request()).verdict() == "page 403");
    UserAgent bob(site.op, "192.0.2.8");
    CHECK(bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword).verdict() == "page 403");

    site.op.must({"client", "set", kWeb, "--allow-everyone"});
    CHECK(site.alice.authorize(authorization_request()).verdict() == "code");
}

TEST_CASE("access: client_credentials has no user and is not concerned [GROUP-7]") {
    Site site;
    const Query request{{"grant_type", "client_credentials"}};
    const Answer before = redeem(site.op, request, kMachine);
    REQUIRE(before.status == 200);
    site.op.must({"client", "set", kMachine, "--allow-group", "staff"});
    CHECK(is_active(site.op, before.member("access_token")));
    CHECK(redeem(site.op, request, kMachine).status == 200);
}

TEST_CASE("access: the audit log says who was refused where, and why names the remedy [AUDIT-1]") {
    Site site;
    const auto log = site.op.directory() / "audit.log";
    site.op.configure("log", json::Object{{"target", log.string()}, {"level", "error"}});
    UserAgent bob(site.op, "192.0.2.8");
    site.op.must({"client", "set", kWeb, "--allow-group", "staff"});
    const Landing refused = bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword);
    REQUIRE(refused.verdict() == "page 403");
    const std::string all = read_file(log);
    const json::Object line = audit_line(all.substr(all.rfind("\n{") + 1), "access_refused");
    CHECK(text_of(line, "subject") == subject_of(site.op, kBob));
    CHECK(text_of(line, "client_id") == kWeb);
    CHECK_FALSE(text_of(line, "session").empty());
    const std::string told = site.op.must({"why", text_of(line, "id")});
    CHECK(told.find("the user may not use the application") != std::string::npos);
    CHECK(told.find("postern group member add") != std::string::npos);
    CHECK(told.find("postern client set web --allow-user") != std::string::npos);
    const auto record = json::parse(site.op.must({"why", text_of(line, "id"), "--json"}));
    REQUIRE(record);
    CHECK(text_of(*record->if_object(), "username") == kBob);  // found by the subject
    for (const char* member : {"error_description", "detail", "hint"})
        CHECK(text_of(*record->if_object(), member).find(kBob) == std::string::npos);
}

TEST_CASE("access: approval given while the right was taken away gives nothing [GROUP-4]") {
    Site site;
    const Landing consent = site.alice.log_in(site.alice.authorize(authorization_request()));
    REQUIRE(consent.verdict() == "consent");
    site.op.must({"client", "set", kWeb, "--allow-user", kBob});
    CHECK(site.alice.approve(consent).verdict() == "page 403");
    CHECK(site.op.count_rows("grants") == 0);
}

}  // namespace
