// OpenID Connect Core 1.0 §5.5: the claims parameter, and what it changes in UserInfo, ID tokens and consent.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "json/writer.h"
#include "store/users.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace json = postern::json;
namespace db = postern::db;
namespace store = postern::store;
using Names = std::set<std::string>;

const std::string kAcr = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

Query asking(const std::string& claims, const std::string& scope = "openid", const char* client = kWeb) {
    return authorization_request(client).with("scope", scope).with("claims", claims);
}

Names names_of(const json::Object& object) {
    Names names;
    for (const auto& member : object.members()) names.insert(member.first);
    return names;
}

/// What an ID token says about the user beyond who it is.
Names attributes_of(const std::string& id_token) {
    Names names = names_of(jwt_claims(id_token));
    for (const char* protocol :
         {"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce", "at_hash", "sid"}) {
        CHECK_MESSAGE(names.contains(protocol), protocol);
        names.erase(protocol);
    }
    return names;
}

TEST_CASE(
    "claims: what is asked for by name is delivered where it was asked for, and alone [OIDC Core §2j, §5.2, §5.3.2d, "
    "§5.4c, §5.5bcd, §5.5.1b, §5.6a, F2-30]") {
    const Deployment op;
    UserAgent alice(op);
    struct Row {
        std::string clause;
        std::string scope;
        std::string claims;
        Names userinfo;
        Names id_token;
    };
    const std::vector<Row> rows = {
        {"§5.5 nothing asked", "openid", "{}", {"sub"}, {}},
        {"§5.5 userinfo", "openid", R"({"userinfo":{"name":{"essential":true}}})", {"name", "sub"}, {}},
        {"§5.5.1 null", "openid", R"({"userinfo":{"email":null}})", {"email", "sub"}, {}},
        {"§5.5.1 voluntary",
         "openid",
         R"({"userinfo":{"phone_number":{"essential":false}}})",
         {"phone_number", "sub"},
         {}},
        {"§5.5.1 another value than asked for is no error",
         "openid",
         R"({"userinfo":{"email":{"value":"x@y"}}})",
         {"email", "sub"},
         {}},
        {"§5.5 id_token",
         "openid",
         R"({"id_token":{"email":null,"email_verified":{"essential":true}}})",
         {"sub"},
         {"email", "email_verified"}},
        {"§5.5 both places",
         "openid",
         R"({"userinfo":{"given_name":null},"id_token":{"address":null}})",
         {"given_name", "sub"},
         {"address"}},
        {"§5.5 added to what the scope releases",
         "openid email",
         R"({"userinfo":{"name":null}})",
         {"email", "email_verified", "name", "sub"},
         {}},
        {"§5.4 the scope's claims stay out of the ID token",
         "openid email",
         R"({"id_token":{"name":null}})",
         {"email", "email_verified", "sub"},
         {"name"}},
        {"§5.5 without a scope of its own", "openid api", R"({"userinfo":{"name":null}})", {"name", "sub"}, {}},
        {"§5.5.1 Alice has none, essential or not",
         "openid",
         R"({"userinfo":{"picture":{"essential":true}},"id_token":{"birthdate":null}})",
         {"sub"},
         {}},
        {"§5.5.1 unknown claims",
         "openid",
         R"({"userinfo":{"shoe_size":{"essential":true}},"id_token":{"role":null}})",
         {"sub"},
         {}},
        {"§5.2 languages we do not have", "openid", R"({"userinfo":{"name#de":null}})", {"sub"}, {}},
        {"§5.5 unknown places", "openid", R"({"verified_claims":{"name":null},"userinfo":{}})", {"sub"}, {}},
        {"§5.5.1 protocol claims are there anyway",
         "openid",
         R"({"id_token":{"auth_time":{"essential":true},"sub":null,"acr":null,"iss":{"value":"x"}}})",
         {"sub"},
         {}},
        {"§5.3.2 sub is the user's", "openid", R"({"userinfo":{"sub":null,"iss":null}})", {"sub"}, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.claims);
        const auto tokens = obtain_tokens(op, alice, asking(row.claims, row.scope));
        CHECK(text_of(tokens, "scope") == row.scope);  // names never stand in the scope
        CHECK(names_of(userinfo(op, text_of(tokens, "access_token")).json()) == row.userinfo);
        CHECK(attributes_of(text_of(tokens, "id_token")) == row.id_token);
        CHECK(text_of(jwt_claims(text_of(tokens, "access_token")), "scope") == row.scope);
        CHECK(names_of(jwt_claims(text_of(tokens, "access_token"))).contains("email") == false);
    }
}

TEST_CASE("claims: values are the user's of the moment, and a refreshed token says as much [OIDC Core §5.5, §12.2]") {
    const Deployment op;
    UserAgent alice(op);
    const auto tokens =
        obtain_tokens(op, alice, asking(R"({"userinfo":{"email":null},"id_token":{"name":null,"address":null}})"));
    const auto first = jwt_claims(text_of(tokens, "id_token"));
    CHECK(text_of(first, "name") == "Alice Example");
    REQUIRE(first.find("address")->if_object() != nullptr);
    CHECK(text_of(*first.find("address")->if_object(), "locality") == "Springfield");
    op.must({"user", "set", kAlice, "--claim", "name=Alice Other", "--claim", "email=new@op.example"});
    CHECK(userinfo(op, text_of(tokens, "access_token")).member("email") == "new@op.example");

    const Query refresh = {{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}};
    const Answer again = op.cgi("token", with_basic(refresh.text()));
    REQUIRE(again.status == 200);
    CHECK(text_of(jwt_claims(again.member("id_token")), "name") == "Alice Other");
    CHECK(names_of(userinfo(op, again.member("access_token")).json()) == Names{"email", "sub"});
}

/// The command refuses claims that say nothing; an import or another program may leave them in the file.
void set_claims(const Deployment& op, const char* username, const std::string& claims) {
    db::Database database(op.database(), db::Access::read_write);
    auto user = store::find_user_by_name(database, username);
    REQUIRE(user.has_value());
    user->claims = *json::parse(claims)->if_object();
    db::Transaction transaction(database, db::Durability::lazy);
    REQUIRE(store::update_user(transaction, *user));
    transaction.commit();
}

TEST_CASE("claims: a value that says nothing is delivered nowhere [OIDC Core §5.3.2c]") {
    const Deployment op;
    set_claims(
        op, kAlice,
        R"({"name":"","nickname":null,"website":"  ","address":{"formatted":"","country":null},"email":"a@op.example"})");
    UserAgent alice(op);
    const std::string all = R"({"name":null,"nickname":null,"website":null,"address":null,"email":null})";
    const auto by_name = obtain_tokens(op, alice, asking("{\"userinfo\":" + all + ",\"id_token\":" + all + "}"));
    CHECK(names_of(userinfo(op, text_of(by_name, "access_token")).json()) == Names{"email", "sub"});
    CHECK(attributes_of(text_of(by_name, "id_token")) == Names{"email"});
    const auto by_scope =
        obtain_tokens(op, alice, authorization_request().with("scope", "openid profile email address"));
    CHECK(names_of(userinfo(op, text_of(by_scope, "access_token")).json()) ==
          Names{"email", "preferred_username", "sub", "updated_at"});
}

TEST_CASE("claims: only what the client is registered for, and a registration that was lost counts at once") {
    const Deployment op;
    UserAgent alice(op);
    const std::string claims =
        R"({"userinfo":{"phone_number":{"essential":true},"email":null},"id_token":{"address":null,"name":null}})";
    const auto tokens = obtain_tokens(op, alice, asking(claims, "openid", kOther), kOther);  // openid profile email
    CHECK(names_of(userinfo(op, text_of(tokens, "access_token")).json()) == Names{"email", "sub"});
    CHECK(attributes_of(text_of(tokens, "id_token")) == Names{"name"});

    const Landing consent = alice.authorize(asking(claims, "openid", kOther).with("prompt", "consent"));
    REQUIRE(consent.verdict() == "consent");
    op.must({"client", "set", kOther, "--scope", "openid email"});
    CHECK(alice.approve(consent).verdict() == "invalid_scope");
    const auto fewer = obtain_tokens(op, alice, asking(claims, "openid", kOther), kOther);
    CHECK(attributes_of(text_of(fewer, "id_token")).empty());

    // Nor does an older grant go on saying it.
    const Query refresh = {{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}};
    const Answer again = redeem(op, refresh, kOther);
    REQUIRE(again.verdict() == "200");
    CHECK(jwt_claims(again.member("id_token")).find("name") == nullptr);
    CHECK(names_of(userinfo(op, again.member("access_token")).json()) == Names{"email", "sub"});
    op.must({"client", "set", kOther, "--scope", "openid"});
    CHECK(names_of(userinfo(op, again.member("access_token")).json()) == Names{"sub"});
}

TEST_CASE(
    "claims: a malformed claims request is refused, and what cannot be met is said [OIDC Core §5.5a, §5.5.1a, §5.5.1.1ab, A22]") {
    const Deployment op;
    struct Row {
        std::string clause;
        std::string claims;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"§5.5 a JSON object", "{}", "login"},
        {"§5.5 no JSON", "name", "invalid_request"},
        {"§5.5 cut short", R"({"userinfo":{"name":null})", "invalid_request"},
        {"§5.5 an array", "[]", "invalid_request"},
        {"§5.5 null", "null", "invalid_request"},
        {"§5.5 a place that is no object", R"({"userinfo":["name"]})", "invalid_request"},
        {"§5.5 a place that is null", R"({"id_token":null})", "invalid_request"},
        {"§5.5.1 a claim that is true", R"({"userinfo":{"name":true}})", "invalid_request"},
        {"§5.5.1 essential is a boolean", R"({"userinfo":{"name":{"essential":"yes"}}})", "invalid_request"},
        {"§5.5.1 values is an array", R"({"userinfo":{"name":{"values":"Alice"}}})", "invalid_request"},
        {"§5.5.1 a claim that is a number", R"({"userinfo":{"email":1}})", "invalid_request"},
        {"§5.5 a claim that may be given", R"({"userinfo":{"email":null}})", "login"},
        {"RFC 8259 §4 a name twice", R"({"userinfo":{"name":null,"name":null}})", "invalid_request"},
        {"RFC 8259 §4 a place twice", R"({"userinfo":{},"userinfo":{}})", "invalid_request"},
        {"depth", "{\"x\":" + std::string(200, '[') + std::string(200, ']') + "}", "invalid_request"},
        {"size", "{\"x\":\"" + std::string(5000, 'x') + "\"}", "invalid_request"},
        {"§5.5.1 ways of asking that are not known", R"({"userinfo":{"name":{"purpose":"to greet"}}})", "login"},
        {"§5.5.1.1 our acr", R"({"id_token":{"acr":{"essential":true,"values":["urn:x",")" + kAcr + "\"]}}}", "login"},
        {"§5.5.1.1 no acr of ours", R"({"id_token":{"acr":{"essential":true,"values":["urn:x"]}}})",
         "unmet_authentication_requirements"},
        {"§5.5.1.1 no acr of ours, by value", R"({"id_token":{"acr":{"essential":true,"value":"urn:x"}}})",
         "unmet_authentication_requirements"},
        {"§5.5.1.1 a voluntary acr", R"({"id_token":{"acr":{"values":["urn:x"]}}})", "login"},
        {"§5.5.1.1 in UserInfo it is no requirement", R"({"userinfo":{"acr":{"essential":true,"values":["urn:x"]}}})",
         "login"},
        {"§3.1.2.2 two subjects", R"({"id_token":{"sub":{"values":["a","b"]}}})", "invalid_request"},
        {"§5.1 sub is a text", R"({"id_token":{"sub":{"value":7}}})", "invalid_request"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CHECK(verdict_of(op, op.cgi("authorize", get_request(asking(row.claims).text()))) == row.expected);
    }
    const Query twice = asking("{}").and_also("claims", "{}");
    CHECK(verdict_of(op, op.cgi("authorize", get_request(twice.text()))) == "invalid_request");
}

TEST_CASE("claims: is a parameter of OpenID Connect requests and ignored in any other [OIDC Core §3.1.2.1, §5.5]") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request().with("scope", "api"));
    for (const std::string claims : {R"({"userinfo":{"email":null}})", "no JSON", "[]"}) {
        CAPTURE(claims);
        CHECK(alice.authorize(asking(claims, "api")).verdict() == "code");
    }
    json::Object config = op.config();
    config.erase("oidc");
    op.write_config(json::write(config));
    for (const std::string claims : {R"({"userinfo":{"email":null}})", "no JSON"}) {
        CAPTURE(claims);
        CHECK(alice.authorize(asking(claims, "api")).verdict() == "code");
    }
}

TEST_CASE(
    "claims: acr and amr are in every ID token and say how the user logged in [OIDC Core §2h, §5.5.1.1b, RFC 8176 "
    "§2]") {
    const Deployment op;
    UserAgent alice(op);
    for (const std::string& claims : {std::string("{}"), std::string(R"({"id_token":{"acr":null}})"),
                                      R"({"id_token":{"acr":{"essential":true,"value":")" + kAcr + "\"}}}"}) {
        CAPTURE(claims);
        const auto id_token = jwt_claims(text_of(obtain_tokens(op, alice, asking(claims)), "id_token"));
        CHECK(text_of(id_token, "acr") == kAcr);
        CHECK(json::write(*id_token.find("amr")) == R"(["pwd"])");
    }
}

TEST_CASE(
    "consent: claims asked for by name are shown in words, unless a requested scope covers them [OIDC Core §3.1.2.4b, F2-27]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing consent = alice.log_in(alice.authorize(
        asking(R"({"userinfo":{"birthdate":null,"email":null},"id_token":{"email_verified":null,"phone_number":null}})",
               "openid email")));
    REQUIRE(consent.verdict() == "consent");
    const std::string text = visible_text(consent.answer.body);
    for (const char* shown : {"See your date of birth", "See your phone number", "See your e-mail address"})
        CHECK_MESSAGE(has(text, shown), shown);
    CHECK_FALSE(has(text, "See whether your e-mail address has been verified"));
    CHECK(text.find("See your e-mail address") == text.rfind("See your e-mail address"));
}

TEST_CASE("consent: remembered for any part of the scopes and claims that were approved [OIDC Core §3.1.2.4c]") {
    const Deployment op;
    UserAgent alice(op);
    const auto verdict = [&](const std::string& claims, const std::string& scope = "openid") {
        return alice.authorize(asking(claims, scope)).verdict();
    };
    CHECK(alice.sign_in(asking(R"({"userinfo":{"email":null},"id_token":{"name":null}})")).verdict() == "code");
    struct Row {
        std::string scope;
        std::string claims;
        std::string expected;
    };
    const Row rows[] = {
        {"openid", R"({"userinfo":{"email":null},"id_token":{"name":null}})", "code"},
        {"openid", "{}", "code"},
        {"openid", R"({"id_token":{"email":null}})", "code"},  // the same fact in another place
        {"openid", R"({"userinfo":{"email":null,"email_verified":null}})", "consent"},
        {"openid", R"({"id_token":{"picture":null}})", "consent"},
        {"openid email", "{}", "consent"},  // a scope is more than a claim of it
        {"openid", R"({"userinfo":{"shoe_size":null}})", "code"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.claims);
        CHECK(verdict(row.claims, row.scope) == row.expected);
        CHECK(alice.authorize(asking(row.claims, row.scope).with("prompt", "none")).verdict() ==
              (row.expected == "code" ? "code" : "consent_required"));
    }
    CHECK(alice.sign_in(authorization_request().with("scope", "openid phone")).verdict() == "code");
    CHECK(verdict(R"({"userinfo":{"phone_number":null}})") == "code");  // a claim is less than its scope
    CHECK(verdict(R"({"userinfo":{"address":null}})") == "consent");
}

TEST_CASE(
    "consent: claims denied are not delivered, and public clients on this machine are asked every time [OIDC Core "
    "§17.1]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string claims = R"({"userinfo":{"email":null}})";
    CHECK(alice.deny(alice.log_in(alice.authorize(asking(claims)))).verdict() == "access_denied");
    CHECK(alice.authorize(asking(claims)).verdict() == "consent");
    for (int i = 0; i < 2; ++i) {
        const Landing native = alice.authorize(asking(claims, "openid", kNative));
        CHECK(native.verdict() == "consent");
        CHECK(alice.approve(native).verdict() == "code");
    }
}

/// A user with claims that no scope of OpenID Connect releases.
void add_member(const Deployment& op) {
    op.must(
        {"user", "add", "member", "--password-stdin", "--claims-stdin"},
        std::string(kAlicePassword) + "\n" + R"({"roles":["admins","staff"],"employee_number":"7","note":"x"})" + "\n");
}

TEST_CASE(
    "scopeClaims: a scope releases what the configuration says, to clients that have it [OIDC Core §5.1.2, §5.4]") {
    const Deployment op({.config = {{"scopeClaims", json::Object{{"roles", json::strings({"roles"})},
                                                                 {"staff", json::strings({"employee_number"})}}}}});
    add_member(op);
    op.must({"client", "set", kWeb, "--scope", "openid profile email roles staff"});
    const auto document = op.cgi("discovery").json();
    const auto lists = [&](const char* member, const std::string& name) {
        return json::write(*document.find(member)).find('"' + name + '"') != std::string::npos;
    };
    CHECK(lists("scopes_supported", "roles"));
    CHECK(lists("claims_supported", "roles"));
    CHECK(lists("claims_supported", "employee_number"));
    CHECK_FALSE(lists("claims_supported", "note"));

    struct Row {
        const char* scope;
        const char* claims;
        Names userinfo;
        Names id_token;
    };
    const std::vector<Row> rows = {
        {"openid", "{}", {"sub"}, {}},
        {"openid roles", "{}", {"roles", "sub"}, {}},
        {"openid staff", "{}", {"employee_number", "sub"}, {}},
        {"openid profile", "{}", {"preferred_username", "sub", "updated_at"}, {}},
        {"openid", R"({"userinfo":{"roles":null}})", {"roles", "sub"}, {}},
        {"openid", R"({"id_token":{"roles":null}})", {"sub"}, {"roles"}},
        {"openid roles", R"({"userinfo":{"note":null},"id_token":{"note":null}})", {"roles", "sub"}, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        CAPTURE(row.claims);
        UserAgent member(op);
        const Landing consent = member.log_in(member.authorize(asking(row.claims, row.scope)), "member");
        REQUIRE(consent.verdict() == "consent");
        const bool asks_roles = row.userinfo.contains("roles") || row.id_token.contains("roles");
        CHECK(has(visible_text(consent.answer.body), "Use the permission roles") == asks_roles);
        const auto tokens = redeem(op, token_request(member.approve(consent).parameter("code"))).json();
        const auto told = userinfo(op, text_of(tokens, "access_token")).json();
        CHECK(names_of(told) == row.userinfo);
        if (row.userinfo.contains("roles")) CHECK(json::write(*told.find("roles")) == R"(["admins","staff"])");
        CHECK(attributes_of(text_of(tokens, "id_token")) == row.id_token);
        op.must({"consent", "revoke", "--client", kWeb, "--user", "member"});
    }
    // Not a client that is not registered for the scope, whatever it asks for by name.
    UserAgent member(op);
    const Query request = asking(R"({"userinfo":{"roles":null},"id_token":{"roles":null}})", "openid", kOther);
    const Landing landing = member.approve(member.log_in(member.authorize(request), "member"));
    const auto tokens = redeem(op, token_request(landing.parameter("code"), kOther), kOther).json();
    CHECK(names_of(userinfo(op, text_of(tokens, "access_token")).json()) == Names{"sub"});
    CHECK(attributes_of(text_of(tokens, "id_token")).empty());
}

}  // namespace
