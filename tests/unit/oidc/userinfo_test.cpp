// Whose claims an access token releases (OpenID Connect Core §5.3, RFC 6750).
#include "oidc/userinfo.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "json/writer.h"
#include "oauth/access_token.h"
#include "oidc/id_token.h"
#include "store/access_tokens.h"
#include "store/client_access.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/groups.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client client = fixture.add_confidential("app", "https://app.example/cb", "s");
    model::User user = fixture.add_user("alice");
    model::Grant grant;

    Fixture() {
        grant.id = model::GrantId("grant");
        grant.client_id = client.id;
        grant.subject = user.subject;
        grant.scope = *model::Scope::parse("openid profile");
        grant.auth_time = grant.created_at = fixture.clock.now();
        grant.sid = model::Sid("sid");
        write([&](db::Transaction& t) { store::insert_grant(t, grant); });
    }

    template <class Change>
    void write(Change change) {
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        change(transaction);
        transaction.commit();
    }

    std::string token(const char* scope = "openid profile") {
        const auto issue = oauth::make_access_token(context, {grant, *model::Scope::parse(scope), {}, "alice"});
        write([&](db::Transaction& t) { store::insert_access_token(t, issue.record); });
        return issue.value;
    }

    /// The body, or "error: description".
    std::string ask(const std::string& value) { return ask(value, oidc::database_claims(context)); }
    std::string ask(const std::string& value, const oidc::GetUserClaims& get_user_claims) {
        const auto found = oidc::find_active_token(context, value);
        if (!found) return told(found.error());
        const auto claims = oidc::userinfo(context, found->stored, get_user_claims);
        return claims ? json::write(*claims) : told(claims.error());
    }
    static std::string told(const oauth::OAuthError& error) {
        return std::string(oauth::wire_name(error.code)) + ": " + error.description;
    }
};

}  // namespace

TEST_CASE("userinfo: an active token with openid releases the user's claims, sub last") {
    Fixture f;
    CHECK(f.ask(f.token()) ==
          R"({"preferred_username":"alice","updated_at":1800000000,"sub":")" + f.user.subject.str() + "\"}");
}

TEST_CASE("userinfo: the scope groups releases the names of the user's groups, in the order of their bytes [CLAIM-1]") {
    Fixture f;
    const auto groups_of = [&](const char* scope) {
        const std::string answer = f.ask(f.token(scope));
        const auto at = answer.find(R"("groups":)");
        return at == std::string::npos ? "" : answer.substr(at + 9, answer.find(']') - at - 8);
    };
    CHECK(groups_of("openid groups") == "");  // OpenID Connect Core §5.3.2: nothing to tell
    f.write([&](db::Transaction& t) {
        for (const char* name : {"staff", "Zebra", "admins"}) {
            store::insert_group(t, {name, "", f.fixture.clock.now()});
            store::add_member(t, name, f.user.subject, f.fixture.clock.now());
        }
    });
    CHECK(groups_of("openid groups") == R"(["Zebra","admins","staff"])");
    CHECK(groups_of("openid profile") == "");
    CHECK(groups_of("openid") == "");

    f.client.groups = model::ToldGroups::own;
    f.write([&](db::Transaction& t) {
        REQUIRE(store::update_client(t, f.client));
        store::allow_group(t, f.client.id, "staff");
    });
    CHECK(groups_of("openid groups") == R"(["staff"])");
}

TEST_CASE("userinfo: a stored claim groups is no membership; a callback's own groups are told [CLAIM-1]") {
    Fixture f;
    f.user.claims = {{"groups", json::strings({"admins"})}};
    f.write([&](db::Transaction& t) { REQUIRE(store::update_user(t, f.user)); });
    const std::string token = f.token("openid groups");
    CHECK(f.ask(token).find("admins") == std::string::npos);
    const auto callback = [](const model::Subject&) { return json::Object{{"groups", json::strings({"of-ldap"})}}; };
    CHECK(f.ask(token, callback).starts_with(R"({"groups":["of-ldap"],)"));
}

TEST_CASE("userinfo: each way in which a token is refused, with its reason") {
    Fixture f;
    const std::string good = f.token();
    CHECK(f.ask(f.token("profile")) == "insufficient_scope: openid scope required");
    CHECK(f.ask(f.token("openidx profile")) == "insufficient_scope: openid scope required");
    CHECK(f.ask("x").starts_with("invalid_token: "));
    CHECK(f.ask(good.substr(0, good.size() - 4) + "AAAA").starts_with("invalid_token: "));
    CHECK(f.ask(oidc::make_id_token(f.context, crypto::Algorithm::RS256, {f.grant, std::nullopt, good}))
              .starts_with("invalid_token: "));
    const auto unknown = oauth::make_access_token(f.context, {f.grant, f.grant.scope});
    CHECK(f.ask(unknown.value) == "invalid_token: the access token is unknown");

    f.fixture.clock.advance(util::Seconds{899});
    CHECK(f.ask(good).starts_with("{"));
    f.fixture.clock.advance(util::Seconds{1});
    CHECK(f.ask(good).starts_with("invalid_token: "));
}

TEST_CASE("find_active_token: what has been taken back ends the token at once, and is named [IF157, RFC 7009 §3]") {
    struct Row {
        std::string reason;
        void (*take_back)(Fixture&, db::Transaction&, const std::string& token);
    };
    const Row rows[] = {
        {"the access token has been revoked",
         [](Fixture& f, db::Transaction& t, const std::string& token) {
             const auto known = oauth::verify_access_token(f.context, token, jose::Expiry::enforced);
             store::revoke_access_token(t, known->key, f.fixture.clock.now());
         }},
        {"the access token has been revoked",
         [](Fixture& f, db::Transaction& t, const std::string&) {
             store::end_grant(t, f.grant.id, f.fixture.clock.now());
         }},
        {"the client of the access token is disabled",
         [](Fixture& f, db::Transaction& t, const std::string&) {
             f.client.enabled = false;
             REQUIRE(store::update_client(t, f.client));
         }},
        {"the user of the access token is disabled",
         [](Fixture& f, db::Transaction& t, const std::string&) {
             f.user.enabled = false;
             REQUIRE(store::update_user(t, f.user));
         }},
        {"the access token is unknown",
         [](Fixture& f, db::Transaction& t, const std::string&) { REQUIRE(store::remove_client(t, f.client.id)); }},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        Fixture f;
        const std::string token = f.token();
        CHECK(f.ask(token).starts_with("{"));
        f.write([&](db::Transaction& t) { row.take_back(f, t, token); });
        CHECK(f.ask(token) == "invalid_token: " + row.reason);
    }
}

TEST_CASE(
    "find_active_token: a client that a document describes counts as disabled while clientDocuments is off [CIMD-1]") {
    for (const auto origin : {model::Origin::document, model::Origin::operator_}) {
        CAPTURE(static_cast<int>(origin));
        Fixture f;
        f.client.id = model::ClientId("https://app.example/client.json");
        f.client.origin = origin;
        f.fixture.add(f.client);
        f.grant.id = model::GrantId("grant of the document's client");
        f.grant.client_id = f.client.id;
        f.write([&](db::Transaction& t) { store::insert_grant(t, f.grant); });
        const std::string token = f.token();
        f.fixture.settings.client_documents.enabled = true;
        CHECK(f.ask(token).starts_with("{"));
        f.fixture.settings.client_documents.enabled = false;
        if (origin == model::Origin::operator_)
            CHECK(f.ask(token).starts_with("{"));
        else
            CHECK(f.ask(token) == "invalid_token: the client of the access token is disabled");
    }
}

TEST_CASE(
    "find_active_token: a client without a token counts as disabled while registration is not open [REG-33, A33]") {
    using oauth::RegistrationMode;
    for (const char* registered_by : {"", "digest of a token"}) {
        for (const auto mode : {RegistrationMode::closed, RegistrationMode::token, RegistrationMode::open}) {
            CAPTURE(registered_by);
            CAPTURE(static_cast<int>(mode));
            Fixture f;
            f.client.id = model::ClientId("registered");
            f.client.origin = model::Origin::dynamic;
            f.client.registered_by = registered_by;
            f.fixture.add(f.client);
            f.grant.id = model::GrantId("grant of the registered client");
            f.grant.client_id = f.client.id;
            f.write([&](db::Transaction& t) { store::insert_grant(t, f.grant); });
            const std::string token = f.token();
            f.fixture.settings.registration.mode = mode;
            if (mode == RegistrationMode::open || *registered_by != '\0')
                CHECK(f.ask(token).starts_with("{"));
            else
                CHECK(f.ask(token) == "invalid_token: the client of the access token is disabled");
        }
    }
}

TEST_CASE(
    "userinfo: sub is the token's, once and last, whatever the callback returns [IF19, IF51, IF54, OIDC Core §5.3.2b, "
    "U05]") {
    Fixture f;
    const std::string token = f.token();
    const std::string own = R"("sub":")" + f.user.subject.str() + "\"}";
    struct Row {
        const char* when;
        json::Object claims;
        std::string answer;
    };
    const Row rows[] = {
        {"nothing", {}, "{" + own},
        {"another subject first", {{"sub", "root"}, {"name", "Al"}}, R"({"name":"Al",)" + own},
        {"a number", {{"name", "Al"}, {"sub", 0}}, R"({"name":"Al",)" + own},
        {"sub twice", json::Object::from_unique({{"sub", "a"}, {"sub", "b"}}), "{" + own},
        {"a claim twice", json::Object::from_unique({{"name", "A"}, {"name", "B"}}), R"({"name":"B",)" + own},
        {"unknown and protocol claims", {{"iss", "https://evil.example"}, {"aud", "x"}, {"role", "admin"}}, "{" + own},
        {"claims of other scopes", {{"email", "al@example.org"}, {"address", json::Object{}}}, "{" + own},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        int times = 0;
        CHECK(f.ask(token, [&](const model::Subject& subject) {
            ++times;
            CHECK(subject == f.user.subject);
            return row.claims;
        }) == row.answer);
        CHECK(times == 1);
    }
}

TEST_CASE("userinfo: the callback is not asked about a token that releases nothing, and its failure goes up [U09]") {
    Fixture f;
    const auto never = [](const model::Subject&) -> json::Object {
        FAIL("asked");
        return {};
    };
    CHECK(f.ask(f.token("profile"), never) == "insufficient_scope: openid scope required");
    f.grant.id = model::GrantId("of nobody");
    f.grant.subject = model::Subject();  // client_credentials
    f.write([&](db::Transaction& t) { store::insert_grant(t, f.grant); });
    CHECK(f.ask(f.token(), never) == "invalid_token: the access token is not a user's");
    CHECK(f.ask(f.token("profile"), never) == "insufficient_scope: openid scope required");

    Fixture g;
    const auto broken = [](const model::Subject&) -> json::Object { throw std::runtime_error("directory down"); };
    CHECK_THROWS_AS(g.ask(g.token(), broken), std::runtime_error);
}

TEST_CASE(
    "parse_bearer_token: the header, then the form body, never the query [IF150, IF151, IF152, RFC 6750 §2, §2.1]") {
    struct Row {
        const char* when;
        std::optional<std::string> header;
        http::Request request;
        std::string token;  ///< "" = invalid_token
    };
    const Row rows[] = {
        {"header", "Bearer abc.def-_~+/=", test::get(""), "abc.def-_~+/="},
        {"scheme in any case", "bEARER abc", test::get(""), "abc"},
        {"form body", {}, test::post("access_token=abc"), "abc"},
        {"header before body", "Bearer one", test::post("access_token=two"), "one"},
        {"a bad header is not mended by a body", "Basic abc", test::post("access_token=two"), ""},
        {"query", {}, test::get("access_token=abc"), ""},
        {"query of a post", {}, test::post("", "access_token=abc"), ""},
        {"nothing", {}, test::get(""), ""},
        {"RFC 9110 §11.4 two blanks", "Bearer  abc", test::get(""), "abc"},
        {"no token", "Bearer", test::get(""), ""},
        {"no scheme", "abc", test::get(""), ""},
        {"as long as allowed", "Bearer " + std::string(64, 'a'), test::get(""), std::string(64, 'a')},
        {"one byte longer", "Bearer " + std::string(65, 'a'), test::get(""), ""},
        {"one byte longer in the body", {}, test::post("access_token=" + std::string(65, 'a')), ""},
        {"twice in the body", {}, test::post("access_token=a&access_token=a"), ""},
    };
    for (Row row : rows) {
        CAPTURE(row.when);
        row.request.authorization = row.header;
        const auto token = oidc::parse_access_token(row.request, 64);
        CHECK(bool(token) == !row.token.empty());
        if (token) CHECK(token->token == row.token);
        if (!token) CHECK(token.error().code == oauth::ErrorCode::invalid_token);
    }
}
