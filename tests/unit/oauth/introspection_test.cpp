// Which tokens are active, and what is said about them (RFC 7662 §2.2; the interface specification's section on it).
#include "oauth/introspection.h"

#include "oauth/acr.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "db/write.h"
#include "issued_tokens.h"
#include "store/clients.h"
#include "store/users.h"
#include "util/percent.h"

using namespace postern;

namespace {

constexpr const char* kInactive = R"({"active":false})";

std::string answer_to(test::IssuedTokens& fixture, const std::string& value,
                      oauth::TokenTypeHint hint = oauth::TokenTypeHint::none) {
    return json::write(oauth::introspect(fixture.context, {value, hint}));
}

std::string member(const std::string& name, const std::string& value) { return ",\"" + name + "\":\"" + value + '"'; }

std::string times(std::int64_t iat, std::int64_t exp) {
    return ",\"exp\":" + std::to_string(exp) + ",\"iat\":" + std::to_string(iat);
}

std::string at_login(std::int64_t auth_time) {
    return ",\"auth_time\":" + std::to_string(auth_time) + member("acr", std::string(oauth::kPasswordAcr));
}

std::string text_claim(test::IssuedTokens& fixture, jose::TokenType type, const std::string& token, const char* name) {
    const auto jwt = jose::verify_jwt(fixture.context.keys.verifier(), token, type, fixture.context.settings.issuer,
                                      fixture.context.now(), jose::Expiry::enforced);
    REQUIRE(jwt);
    REQUIRE(jwt->claims->find(name) != nullptr);
    return *jwt->claims->find(name)->if_string();
}

}  // namespace

TEST_CASE(
    "introspection: which callers may ask, with each of the three switches [IF10, IF13, IF14, IF15, "
    "IF125, IF126, RFC 7662 §2.1f, I07, I08, C12]") {
    test::IssuedTokens fixture;
    const std::string confidential = "client_id=app&client_secret=app-secret";
    struct Row {
        const char* when;
        std::string form;
        const char* by_default;
        const char* public_too;
        const char* anybody;
    };
    const std::vector<Row> rows = {
        {"confidential", confidential, "", "", ""},
        {"wrong secret", "client_id=app&client_secret=x", "invalid_client", "invalid_client", ""},
        {"no secret", "client_id=app", "invalid_client", "invalid_client", ""},
        {"public", "client_id=spa", "invalid_client", "", ""},
        {"public with a secret", "client_id=spa&client_secret=x", "invalid_client", "invalid_client", ""},
        {"unknown", "client_id=nobody", "invalid_client", "invalid_client", ""},
        {"nobody", "token=x", "invalid_client", "invalid_client", ""},
        {"id twice", confidential + "&client_id=app", "invalid_request", "invalid_request", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto asked = oauth::parse_presented_token(test::post(row.form), 8192);
        REQUIRE(asked);
        const auto verdict = [&](bool authenticate, bool confidential_only) {
            fixture.fixture.settings.authenticate_introspect = authenticate;
            fixture.fixture.settings.introspection_requires_confidential_client = confidential_only;
            const auto caller = oauth::check_introspection_caller(fixture.context, *asked, {});
            return caller ? std::string() : std::string(oauth::wire_name(caller.error().code));
        };
        CHECK(verdict(true, true) == row.by_default);
        CHECK(verdict(true, false) == row.public_too);
        CHECK(verdict(false, true) == row.anybody);
        CHECK(verdict(false, false) == row.anybody);
    }
}

TEST_CASE(
    "introspection: a client that a document describes is told nothing of an option that does not hold for it [I07]") {
    test::IssuedTokens fixture;
    fixture.fixture.settings.client_documents.enabled = true;
    db::write(fixture.fixture.database, db::Durability::lazy, [](db::Transaction& transaction) {
        REQUIRE(transaction.run("UPDATE clients SET origin = 'document' WHERE id = 'spa'") == 1);
        transaction.commit();
    });
    const auto asked = oauth::parse_presented_token(test::post("token=x&client_id=spa"), 8192);
    REQUIRE(asked);
    for (const bool confidential_only : {true, false}) {
        CAPTURE(confidential_only);
        fixture.fixture.settings.introspection_requires_confidential_client = confidential_only;
        const auto caller = oauth::check_introspection_caller(fixture.context, *asked, {});
        REQUIRE_FALSE(caller);
        CHECK(caller.error().description == "this client may not introspect");
        CHECK(caller.error().log_detail.find("introspectionRequires") == std::string::npos);
    }
}

TEST_CASE(
    "introspection: an active access token, member by member [IF47, RFC 7662 §2.2, §2.2d, §5b, RFC 9470 §6.2, "
    "STEPUP-1]") {
    test::IssuedTokens fixture;
    const std::int64_t now = util::to_epoch(fixture.context.now());
    const std::string sub = fixture.alice.subject.str();
    const auto jti = [&](const std::string& token) {
        return member("jti", text_claim(fixture, jose::TokenType::access_token, token, "jti"));
    };
    const std::string issuer = member("iss", "https://op.example");

    const std::string plain = fixture.add_access(fixture.add_grant(fixture.app));
    CHECK(answer_to(fixture, plain) ==
          R"({"active":true,"scope":"openid email","client_id":"app","token_type":"Bearer")" +
              member("username", "alice") + times(now, now + 900) + member("sub", sub) + issuer + jti(plain) +
              at_login(now) + "}");

    fixture.fixture.settings.username_in_access_token = false;
    const std::string lean = fixture.add_access(fixture.add_grant(fixture.spa, ""), "https://api.example");
    CHECK(answer_to(fixture, lean) ==
          R"({"active":true,"client_id":"spa","token_type":"Bearer")" + times(now, now + 900) + member("sub", sub) +
              member("aud", "https://api.example") + issuer + jti(lean) + at_login(now) + "}");
}

TEST_CASE("introspection: an active refresh token is not taken for an access token [I11]") {
    test::IssuedTokens fixture;
    const std::int64_t now = util::to_epoch(fixture.context.now());
    const std::string sub = member("sub", fixture.alice.subject.str()) + member("iss", "https://op.example");
    const std::string head = R"({"active":true,"scope":"openid email","client_id":"app","token_type":"refresh_token")" +
                             times(now, now + 2592000) + sub;

    const std::string jwt = fixture.add_refresh(fixture.add_grant(fixture.app));
    const std::string jti = text_claim(fixture, jose::TokenType::refresh_token, jwt, "jti");
    CHECK(answer_to(fixture, jwt) == head + member("jti", jti) + "}");

    fixture.fixture.settings.use_opaque_refresh_tokens = true;
    CHECK(answer_to(fixture, fixture.add_refresh(fixture.add_grant(fixture.app))) == head + "}");
}

TEST_CASE(
    "introspection: what storage says wins over signed claims [IF44, IF45, IF46, IF47, IF48, IF49, IF50, IF131, the "
    "interface specification, rule 7, I02, RFC 7662 §2.2c]") {
    test::IssuedTokens fixture;
    const model::Grant grant = fixture.add_grant(fixture.app, "openid");
    json::Object claims = fixture.claims("active", false);
    claims.set("client_id", "claimed");
    claims.set("token_type", "claimed");
    claims.set("username", "mallory");
    claims.set("nbf", util::to_epoch(fixture.context.now()));
    claims.set("aud", json::strings({"a", "b"}));
    const std::string token = fixture.sign(jose::TokenType::access_token, claims);
    fixture.record_access(token, grant);
    const std::int64_t now = util::to_epoch(fixture.context.now());
    CHECK(answer_to(fixture, token) == R"({"active":true,"scope":"openid","client_id":"app","token_type":"Bearer")" +
                                           member("username", "mallory") + times(now, now + 900) +
                                           ",\"nbf\":" + std::to_string(now) + member("sub", "claimed-sub") +
                                           R"(,"aud":["a","b"])" + member("iss", "https://op.example") +
                                           member("jti", grant.id.str() + ".claimed") + at_login(now) + "}");
}

TEST_CASE("introspection: a token of a client on its own behalf [RFC 6749 §4.4]") {
    test::IssuedTokens fixture;
    model::Grant grant;
    grant.id = model::GrantId("machine-grant");
    grant.client_id = fixture.app.id;
    grant.scope = *model::Scope::parse("api");
    grant.created_at = fixture.context.now();
    fixture.write([&](db::Transaction& transaction) { store::insert_grant(transaction, grant); });
    fixture.named = grant.id;
    const std::string token = fixture.sign(jose::TokenType::access_token, fixture.claims("sub", "app"));
    fixture.record_access(token, grant);
    const std::string answer = answer_to(fixture, token);
    CHECK(answer.find(R"("active":true,"scope":"api","client_id":"app")") != std::string::npos);
    CHECK(answer.find(R"("sub":"app")") != std::string::npos);
    CHECK(answer.find("username") == std::string::npos);
}

TEST_CASE(
    "introspection: everything else is inactive, in one member [IF43, IF56, IF57, IF129, IF130, IF168, RFC 7662 "
    "§2.2blm, I03, I10]") {
    using Change = std::function<void(test::IssuedTokens&, const model::Grant&, const std::string&)>;
    struct Row {
        const char* when;
        Change change;
        bool access;   ///< whether the access token is active afterwards
        bool refresh;  ///< whether the refresh token is
    };
    const auto change_row = [](const char* sql) {
        return [sql](test::IssuedTokens& fixture, const model::Grant&, const std::string&) {
            fixture.write([&](db::Transaction& transaction) { transaction.database().prepare(sql).execute(); });
        };
    };
    const std::vector<Row> rows = {
        {"nothing", [](auto& fixture, auto&, auto&) { (void)fixture; }, true, true},
        {"a second before the access token expires",
         [](auto& fixture, auto&, auto&) { fixture.fixture.clock.advance(util::Seconds{899}); }, true, true},
        {"access token expired", [](auto& fixture, auto&, auto&) { fixture.fixture.clock.advance(util::Seconds{900}); },
         false, true},
        {"refresh token expired",
         [](auto& fixture, auto&, auto&) { fixture.fixture.clock.advance(util::Seconds{2592000}); }, false, false},
        {"access token revoked",
         [](auto& fixture, auto&, const std::string& token) {
             const auto known = oauth::verify_access_token(fixture.context, token, jose::Expiry::enforced);
             fixture.write([&](db::Transaction& transaction) {
                 store::revoke_access_token(transaction, known->key, fixture.context.now());
             });
         },
         false, true},
        {"refresh tokens revoked",
         [](auto& fixture, const model::Grant& grant, auto&) {
             fixture.write([&](db::Transaction& transaction) {
                 store::revoke_refresh_tokens(transaction, grant.id, fixture.context.now());
             });
         },
         true, false},
        {"grant ended",
         [](auto& fixture, const model::Grant& grant, auto&) {
             fixture.write(
                 [&](db::Transaction& transaction) { store::end_grant(transaction, grant.id, fixture.context.now()); });
         },
         false, false},
        {"refresh token used",
         change_row("UPDATE refresh_tokens SET state = 'used', rotated_at = 1, successor_hash = ''"), true, false},
        {"records deleted", change_row("DELETE FROM access_tokens"), false, true},
        {"the other records deleted", change_row("DELETE FROM refresh_tokens"), true, false},
        {"stored expiry set to zero", change_row("UPDATE access_tokens SET expires_at = 0"), false, true},
        {"user disabled", change_row("UPDATE users SET enabled = 0"), false, false},
        {"client disabled", change_row("UPDATE clients SET enabled = 0 WHERE id = 'app'"), false, false},
        {"another client disabled", change_row("UPDATE clients SET enabled = 0 WHERE id = 'other'"), true, true},
        {"client removed", change_row("DELETE FROM clients WHERE id = 'app'"), false, false},
        {"user removed", change_row("DELETE FROM users"), false, false},
    };
    for (const bool opaque : {false, true}) {
        for (const Row& row : rows) {
            CAPTURE(opaque);
            CAPTURE(row.when);
            test::IssuedTokens fixture;
            fixture.fixture.settings.use_opaque_refresh_tokens = opaque;
            const model::Grant grant = fixture.add_grant(fixture.app);
            const std::string access = fixture.add_access(grant);
            const std::string refresh = fixture.add_refresh(grant);
            row.change(fixture, grant, access);
            CHECK((answer_to(fixture, access) != kInactive) == row.access);
            CHECK((answer_to(fixture, refresh) != kInactive) == row.refresh);
        }
    }
}

TEST_CASE(
    "introspection: a token whose own claims say that it has expired is inactive, whatever its record says [J12, RFC 7662 §4cd]") {
    test::IssuedTokens fixture;
    const model::Grant grant = fixture.add_grant(fixture.app);
    const std::int64_t now = util::to_epoch(fixture.context.now());
    struct Row {
        const char* claim;
        std::int64_t value;
        bool active;
    };
    for (const Row& row : {Row{"exp", now + 1, true},
                           {"exp", now, false},
                           {"iat", now + 60, true},
                           {"iat", now + 61, false},
                           {"nbf", now + 60, true},
                           {"nbf", now + 61, false}}) {
        CAPTURE(row.claim);
        CAPTURE(row.value - now);
        json::Object claims = fixture.claims(row.claim, row.value);
        claims.set("n", std::string(row.claim) + std::to_string(row.value));
        const std::string token = fixture.sign(jose::TokenType::access_token, claims);
        fixture.record_access(token, grant);
        CHECK((answer_to(fixture, token) != kInactive) == row.active);
    }
}

TEST_CASE(
    "introspection: claims of the user are added to an active access token of a user, and replace nothing [RFC 7662 §2.2j]") {
    test::IssuedTokens fixture;
    int asked = 0;
    const oauth::UserClaimsOf user_claims = [&](const store::StoredAccessToken& stored) {
        ++asked;
        CHECK(stored.subject == fixture.alice.subject);
        CHECK(stored.scope.to_string() == "openid email");
        return json::Object{{"email", "alice@op.example"}, {"scope", "admin"}, {"active", false}, {"username", "root"}};
    };
    const auto told = [&](const std::string& value) {
        return json::write(oauth::introspect(fixture.context, {value, oauth::TokenTypeHint::none}, user_claims));
    };
    const model::Grant grant = fixture.add_grant(fixture.app);
    const std::string access = fixture.add_access(grant);
    std::string expected = answer_to(fixture, access);
    expected.insert(expected.size() - 1, R"(,"email":"alice@op.example")");
    CHECK(told(access) == expected);
    CHECK(asked == 1);

    const std::string refresh = fixture.add_refresh(grant);
    CHECK(told(refresh) == answer_to(fixture, refresh));
    CHECK(told("x") == kInactive);
    model::Grant machine = fixture.add_grant(fixture.app, "api");
    machine.subject = {};
    fixture.write([&](db::Transaction& transaction) {
        machine.id = model::GrantId("machine");
        store::insert_grant(transaction, machine);
    });
    const std::string of_machine = fixture.add_access(machine);
    CHECK(told(of_machine) == answer_to(fixture, of_machine));
    fixture.write(
        [&](db::Transaction& transaction) { store::end_grant(transaction, grant.id, fixture.context.now()); });
    CHECK(told(access) == kInactive);
    CHECK(asked == 1);
}

TEST_CASE("introspection: the caller is known where it must authenticate [RFC 7662 §2.1f, §2.2k]") {
    test::IssuedTokens fixture;
    const auto asked = oauth::parse_presented_token(test::post("token=x&client_id=app&client_secret=app-secret"), 8192);
    REQUIRE(asked);
    const auto caller = oauth::check_introspection_caller(fixture.context, *asked, {});
    REQUIRE(caller);
    REQUIRE(caller->has_value());
    CHECK((*caller)->id == fixture.app.id);
    fixture.fixture.settings.authenticate_introspect = false;
    const auto stranger = oauth::check_introspection_caller(fixture.context, *asked, {});
    REQUIRE(stranger);
    CHECK_FALSE(stranger->has_value());
}

TEST_CASE("introspection: never by a client that registered itself, with a token and a secret or without [REG-21]") {
    test::IssuedTokens fixture;
    fixture.fixture.settings.introspection_requires_confidential_client = false;
    fixture.fixture.settings.registration.mode = oauth::RegistrationMode::open;
    struct Row {
        const char* when;
        model::Origin origin;
        const char* registered_by;
        bool has_secret;
        bool may;
    };
    const Row rows[] = {
        {"of the operator", model::Origin::operator_, "", true, true},
        {"of the operator, public", model::Origin::operator_, "", false, true},
        {"with a token", model::Origin::dynamic, "digest", true, false},
        {"with a token, public", model::Origin::dynamic, "digest", false, false},
        {"without a token", model::Origin::dynamic, "", false, false},
    };
    int number = 0;
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const std::string id = "client" + std::to_string(++number);
        model::Client client = fixture.app;
        client.id = model::ClientId(id);
        client.origin = row.origin;
        client.registered_by = row.registered_by;
        if (!row.has_secret) {
            client.type = model::ClientType::public_;
            client.auth_method = model::AuthMethod::none;
            client.secrets.clear();
        }
        fixture.fixture.add(client);
        const auto request = oauth::parse_presented_token(
            test::post("token=x&client_id=" + id + (row.has_secret ? "&client_secret=app-secret" : "")), 8192);
        REQUIRE(request);
        const auto caller = oauth::check_introspection_caller(fixture.context, *request, {});
        CHECK(static_cast<bool>(caller) == row.may);
        if (!caller) CHECK(caller.error().reason == refusal::Reason::invalid_client_dynamic_introspects);
    }
}

TEST_CASE(
    "introspection: never by a client that a document describes, whatever the configuration lets in [CIMD-11, A30]") {
    test::IssuedTokens fixture;
    fixture.fixture.settings.introspection_requires_confidential_client = false;
    for (const auto origin : {model::Origin::operator_, model::Origin::document}) {
        model::Client client = fixture.app;
        client.id = model::ClientId(origin == model::Origin::document ? "https://app.example/c" : "public");
        client.type = model::ClientType::public_;
        client.auth_method = model::AuthMethod::none;
        client.secrets.clear();
        client.origin = origin;
        fixture.fixture.add(client);
        const auto request = oauth::parse_presented_token(
            test::post("token=x&client_id=" + util::percent_encode(client.id.str())), 8192);
        REQUIRE(request);
        CHECK(static_cast<bool>(oauth::check_introspection_caller(fixture.context, *request, {})) ==
              (origin == model::Origin::operator_));
    }
}
