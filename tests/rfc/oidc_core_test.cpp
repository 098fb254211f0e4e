// OpenID Connect Core 1.0: the authentication request (§3.1.2), the ID token (§2, §3.1.3.6), UserInfo claims (§5.3,
// §5.4).
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "crypto/digest.h"
#include "db/database.h"
#include "has.h"
#include "jose/jwk.h"
#include "jose/jws.h"
#include "json/writer.h"
#include "support/flow.h"
#include "support/html.h"
#include "util/base64.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;
namespace db = postern::db;

Query good() { return authorization_request(); }

TEST_CASE(
    "prompt: what each value does to a visitor, and to Alice with and without her consent [IF30, IF67, IF96, IF104, "
    "IF105, IF176, OIDC Core §3.1.2.1lmnopq, §3.1.2.3a, §3.1.2.6f, §15.1b]") {
    const Deployment op;
    struct Row {
        std::string when;
        std::string prompt;
        std::string visitor;
        std::string without_consent;
        std::string with_consent;
    };
    const std::vector<Row> rows = {
        {"absent", "", "login", "consent", "code"},
        {"none", "none", "login_required", "consent_required", "code"},
        {"login", "login", "login", "login", "login"},
        {"select_account is login", "select_account", "login", "login", "login"},
        {"consent", "consent", "login", "consent", "consent"},
        {"login and consent", "login consent", "login", "login", "login"},
        {"consent and login", "consent login", "login", "login", "login"},
        {"unknown values are ignored", "create", "login", "consent", "code"},
        {"unknown beside known", "create consent", "login", "consent", "consent"},
        {"case matters", "NONE", "login", "consent", "code"},
        {"none and login", "none login", "invalid_request", "invalid_request", "invalid_request"},
        {"none and consent", "none consent", "invalid_request", "invalid_request", "invalid_request"},
        {"consent and none", "consent none", "invalid_request", "invalid_request", "invalid_request"},
        {"none twice", "none none", "invalid_request", "invalid_request", "invalid_request"},
        {"none and unknown", "none create", "invalid_request", "invalid_request", "invalid_request"},
    };
    UserAgent with(op);
    with.sign_in(good());
    UserAgent without(op);
    without.log_in(without.authorize(authorization_request(kOther)));
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto ask = [&](UserAgent& browser, const char* client) {
            return verdict_of(op,
                              browser.fetch(op.url("authorize") + "?" +
                                            authorization_request(client).with("prompt", row.prompt).text()),
                              client);
        };
        UserAgent visitor(op);
        CHECK(ask(visitor, kWeb) == row.visitor);
        CHECK(ask(without, kOther) == row.without_consent);
        CHECK(ask(with, kWeb) == row.with_consent);
    }
}

TEST_CASE(
    "prompt=none: shows nothing and leads nowhere but to the client [IF103, OIDC Core §3.1.2.1lw, §3.1.2.3b, "
    "§3.1.2.6de, A13]") {
    const Deployment op;
    UserAgent alice(op);
    const Answer refused = alice.fetch(op.url("authorize") + "?" + good().with("prompt", "none").text());
    CHECK(verdict_of(op, refused) == "login_required");
    CHECK_FALSE(has(refused.body, "<form"));
    alice.log_in(alice.authorize(good()));
    const Answer unapproved = alice.fetch(op.url("authorize") + "?" + good().with("prompt", "none").text());
    CHECK(verdict_of(op, unapproved) == "consent_required");
    CHECK(alice.approve(alice.authorize(good())).verdict() == "code");
    CHECK(verdict_of(op, alice.fetch(op.url("authorize") + "?" + good().with("prompt", "none").text())) == "code");
    // More than was approved.
    CHECK(verdict_of(op, alice.fetch(op.url("authorize") + "?" +
                                     good().with("prompt", "none").with("scope", "openid email api").text())) ==
          "consent_required");
    CHECK(verdict_of(op, alice.fetch(op.url("authorize") + "?" +
                                     good().with("prompt", "none").with("scope", "openid").text())) == "code");
}

TEST_CASE(
    "prompt=none: public clients on this machine's own addresses are never answered silently [RFC 8252 §8.6, RFC 6749 "
    "§10.2b]") {
    const Deployment op;
    UserAgent alice(op);
    for (const std::string uri : {"http://127.0.0.1/cb", "http://127.0.0.1:50123/cb", "com.example.app:/cb"}) {
        CAPTURE(uri);
        const Query request = authorization_request(kNative).with("redirect_uri", uri);
        CHECK(alice.sign_in(request).verdict() == "code");
        CHECK(alice.authorize(request.with("prompt", "none")).verdict() == "consent_required");
        CHECK(alice.authorize(request).verdict() == "consent");
    }
    // An https address belongs to its owner, so the approval of a public client there is remembered.
    CHECK(alice.sign_in(authorization_request(kSpa)).verdict() == "code");
    CHECK(alice.authorize(authorization_request(kSpa).with("prompt", "none")).verdict() == "code");
}

TEST_CASE("first-party clients skip consent, unless the request asks for it [OIDC Core §3.1.2.4c]") {
    const Deployment op;
    UserAgent alice(op);
    CHECK(alice.log_in(alice.authorize(authorization_request(kTrusted))).verdict() == "code");
    CHECK(alice.authorize(authorization_request(kTrusted).with("prompt", "none")).verdict() == "code");
    CHECK(alice.authorize(authorization_request(kTrusted).with("prompt", "consent")).verdict() == "consent");
}

TEST_CASE("max_age: digits and nothing else [IF97, the interface specification, A16]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    struct Row {
        std::string value;
        std::string expected;
    };
    const Row rows[] = {{"0", "login"},
                        {"00", "login"},
                        {"0600", "login"},
                        {"--1", "invalid_request"},
                        {"1,000", "invalid_request"},
                        {"\xd9\xa5", "invalid_request"},
                        {"1", "login"},
                        {"2147483647", "login"},
                        {"-1", "invalid_request"},
                        {"+5", "invalid_request"},
                        {" 5", "invalid_request"},
                        {"5 ", "invalid_request"},
                        {"abc", "invalid_request"},
                        {"1e3", "invalid_request"},
                        {"5.0", "invalid_request"},
                        {"0x10", "invalid_request"},
                        {"2147483648", "invalid_request"},
                        {"99999999999999999999", "invalid_request"},
                        {"", "login"}};
    for (const Row& row : rows) {
        CAPTURE(row.value);
        CHECK(verdict_of(op, op.cgi("authorize", get_request(good().with("max_age", row.value).text()))) ==
              row.expected);
        // A login of this moment is young enough for every age but zero.
        const bool is_new_enough = row.expected == "login" && row.value != "0" && row.value != "00";
        CHECK(alice.authorize(good().with("max_age", row.value)).verdict() == (is_new_enough ? "code" : row.expected));
    }
}

TEST_CASE(
    "max_age: a login that is old enough is asked for again, whole seconds [IF68, IF106, IF178, RFC 9470 §4, "
    "OIDC Core §3.1.2.1r, "
    "§15.1e]") {
    struct Row {
        std::string when;
        std::string max_age;
        int age;
        std::string expected;
        std::string silent;
    };
    const Row rows[] = {
        {"exactly as old", "10", 10, "code", "code"},
        {"a second older", "10", 11, "login", "login_required"},
        {"younger", "10", 9, "code", "code"},
        {"one, at once", "1", 0, "code", "code"},
        {"one, a second later", "1", 1, "code", "code"},
        {"one, two seconds later", "1", 2, "login", "login_required"},
        {"zero, at once", "0", 0, "login", "login_required"},
        {"the largest", "2147483647", 5000, "code", "code"},
        {"none given", "", 5000, "code", "code"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Deployment op;
        UserAgent alice(op);
        alice.sign_in(good());
        op.advance(seconds(row.age));
        CHECK(alice.authorize(good().with("max_age", row.max_age).with("prompt", "none")).verdict() == row.silent);
        CHECK(alice.authorize(good().with("max_age", row.max_age)).verdict() == row.expected);
    }
}

TEST_CASE("nonce: comes back exactly as sent [IF55, IF100, OIDC Core §2g, §3.1.2.1j, §3.1.3.6, A24, F2-29]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    for (const std::string& nonce :
         {std::string("n-0S6_WzA2Mj"), std::string("\"quotes\" & <tags>"),
          std::string("caf\xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x98\x80"), std::string("{{nonce}} %s ${x}"),
          std::string(1024, 'n'), std::string(" "), std::string("n"), std::string("a\"b\\c'd"),
          std::string("<script>&amp;"), std::string("\xc3\xa9\xf0\x9f\x94\x91 \xe2\x80\xae"), std::string("a b+c%20"),
          std::string("{}[],:"), std::string(1500, 'n'), std::string(4096, 'n'), std::string(4096, '"')}) {
        CAPTURE(nonce.substr(0, 40));
        const auto tokens = obtain_tokens(op, alice, good().with("nonce", nonce));
        CHECK(text_of(jwt_claims(text_of(tokens, "id_token")), "nonce") == nonce);
    }
    const auto without = obtain_tokens(op, alice, good().without("nonce"));
    CHECK(jwt_claims(text_of(without, "id_token")).find("nonce") == nullptr);
    CHECK(jwt_claims(text_of(without, "access_token")).find("nonce") == nullptr);
    for (const std::string& nonce :
         {std::string(4864, 'n'), std::string(5000, 'n'), std::string(8000, 'n'), std::string(4864, '"')}) {
        CAPTURE(nonce.size());
        CHECK(alice.authorize(good().with("nonce", nonce)).verdict() == "invalid_request");
    }
    CHECK(verdict_of(op, alice.fetch(op.url("authorize") + "?" + good().without("nonce").raw("nonce=a%00b").text())) ==
          "invalid_request");
}

TEST_CASE("ID token: its claims [IF32, IF55, OIDC Core §2abdefjn, §5.4c, §15.1a, T15]") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    const std::int64_t login = op.now();
    op.advance(seconds(100));
    const auto tokens = obtain_tokens(op, alice, good());
    const auto claims = jwt_claims(text_of(tokens, "id_token"));
    CHECK(text_of(claims, "iss") == "https://op.example");
    CHECK(text_of(claims, "aud") == kWeb);
    CHECK(text_of(claims, "sub") == subject_of(op, kAlice));
    CHECK(text_of(claims, "sub").size() >= 16);
    CHECK(text_of(claims, "sub").size() <= 255);
    for (const char c : text_of(claims, "sub")) CHECK((c > 0x20 && c < 0x7f));
    CHECK(number_of(claims, "auth_time") == login);
    CHECK(number_of(claims, "iat") == login + 100);
    CHECK(number_of(claims, "exp") == login + 100 + 3600);
    CHECK(text_of(claims, "nonce") == kNonce);
    CHECK_FALSE(text_of(claims, "sid").empty());
    for (const std::string name : {"email", "name", "preferred_username", "username", "scope", "cid", "jti", "nbf"}) {
        CAPTURE(name);
        CHECK(claims.find(name) == nullptr);
    }
    CHECK(claims.members().size() == 11);
    for (const std::string name :
         {"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid", "acr", "amr"}) {
        CAPTURE(name);
        CHECK(claims.find(name) != nullptr);
    }
    const auto header = jwt_header(text_of(tokens, "id_token"));
    CHECK(text_of(header, "typ") == "JWT");
    CHECK(text_of(header, "alg") == "RS256");
    CHECK(text_of(header, "kid").size() == 43);
    CHECK(header.members().size() == 3);  // no key and no address of one
}

TEST_CASE("ID token: at_hash is the left half of the access token's digest [OIDC Core §3.1.3.6, §16.11]") {
    for (const std::string algorithm : {"RS256", "ES256", "EdDSA"}) {
        CAPTURE(algorithm);
        const Deployment op({.config = {{"idTokenAlgorithm", algorithm}}});
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, good());
        const std::string access = text_of(tokens, "access_token");
        const std::string digest =
            std::string(algorithm) == "EdDSA" ? postern::crypto::sha512(access) : postern::crypto::sha256(access);
        CHECK(text_of(jwt_claims(text_of(tokens, "id_token")), "at_hash") ==
              postern::util::base64url_encode(digest.substr(0, digest.size() / 2)));
        CHECK(text_of(jwt_header(text_of(tokens, "id_token")), "alg") == algorithm);
    }
}

TEST_CASE(
    "ID token and access token verify against the published keys, and only as what they are [IF6, IF86, OIDC Core §2k, "
    "§3.1.3.7, §10.1, §16.6, F2-70]") {
    using postern::jose::TokenType;
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, good());
    const auto keys = postern::jose::parse_jwk_set(op.cgi("jwks").body);
    REQUIRE(keys);
    postern::jose::Verifier verifier(*keys);
    CHECK(static_cast<bool>(verifier.verify(text_of(tokens, "id_token"), TokenType::id_token)));
    CHECK(static_cast<bool>(verifier.verify(text_of(tokens, "access_token"), TokenType::access_token)));
    CHECK_FALSE(static_cast<bool>(verifier.verify(text_of(tokens, "id_token"), TokenType::access_token)));
    CHECK_FALSE(static_cast<bool>(verifier.verify(text_of(tokens, "access_token"), TokenType::id_token)));
}

TEST_CASE(
    "ID token: only with the scope openid, as a whole word [IF100, OIDC Core §3.1.2.1b, §3.1.3.2e, §3.1.3.3a, T16]") {
    const Deployment op;
    op.must({"client", "set", kWeb, "--scope", "openid openidx OPENID xopenid open email api"});
    UserAgent alice(op);
    for (const auto& [scope, expected] : std::vector<std::pair<std::string, bool>>{{"openid", true},
                                                                                   {"email openid", true},
                                                                                   {"api", false},
                                                                                   {"openidx openid", true},
                                                                                   {"openidx", false},
                                                                                   {"OPENID", false},
                                                                                   {"xopenid", false},
                                                                                   {"xopenid open", false},
                                                                                   {"email", false}}) {
        CAPTURE(scope);
        const auto tokens = obtain_tokens(op, alice, good().with("scope", scope));
        CHECK((tokens.find("id_token") != nullptr) == expected);
        CHECK(userinfo(op, text_of(tokens, "access_token")).verdict() == (expected ? "200" : "403 insufficient_scope"));
    }
}

TEST_CASE(
    "auth_time: is of the password check, in every ID token of the session [IF32, IF69, IF107, IF113, OIDC Core §2f, "
    "§3.1.2.1s, §15.1d]") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    const std::int64_t login = op.now();
    const auto auth_time = [&](const Query& request) {
        return number_of(jwt_claims(text_of(obtain_tokens(op, alice, request), "id_token")), "auth_time");
    };
    op.advance(seconds(30));
    CHECK(auth_time(good()) == login);
    CHECK(auth_time(good().with("prompt", "consent")) == login);
    CHECK(auth_time(good().with("max_age", "100")) == login);
    CHECK(auth_time(good().with("prompt", "login")) == login + 30);
    op.advance(seconds(30));
    CHECK(auth_time(good()) == login + 30);
    CHECK(auth_time(good().with("max_age", "10")) == login + 60);
}

TEST_CASE(
    "offline_access: the user has approved it by name, or the operator the client, before it is granted [OIDC Core "
    "§11abd, §16.18b]") {
    const Deployment op;
    const auto offline = [](const std::string& client) {
        return authorization_request(client).with("scope", "openid offline_access");
    };
    const auto verdict = [&](UserAgent& browser, const std::string& client, const std::string& prompt = "") {
        return browser.authorize(offline(client).with("prompt", prompt)).verdict();
    };
    const auto granted = [&](UserAgent& browser, const std::string& client) {
        return text_of(obtain_tokens(op, browser, offline(client), client), "scope") == "openid offline_access";
    };
    for (const std::string client : {kWeb, kSpa, kNative}) {
        CAPTURE(client);
        UserAgent alice(op);
        CHECK(alice.sign_in(authorization_request(client)).verdict() == "code");
        // What was approved without it is no approval of it.
        CHECK(verdict(alice, client) == "consent");
        CHECK(verdict(alice, client, "none") == "consent_required");
        const Landing consent = alice.authorize(offline(client));
        CHECK(has(visible_text(consent.answer.body), "offline_access"));
        CHECK(alice.deny(consent).verdict() == "access_denied");
        CHECK(verdict(alice, client) == "consent");
        CHECK(granted(alice, client));
        // Remembered as any other scope is, where anything is.
        CHECK(verdict(alice, client) == (client == kNative ? "consent" : "code"));
        CHECK(verdict(alice, client, "consent") == "consent");
    }
    UserAgent trusting(op);
    CHECK(trusting.log_in(trusting.authorize(offline(kTrusted))).verdict() == "code");
    CHECK(granted(trusting, kTrusted));
}

TEST_CASE("refresh tokens are issued without offline_access too [OIDC Core §11e, F11]") {
    const Deployment op;
    UserAgent alice(op);
    for (const std::string scope : {"openid", "openid offline_access", "api"}) {
        CAPTURE(scope);
        CHECK_FALSE(text_of(obtain_tokens(op, alice, good().with("scope", scope)), "refresh_token").empty());
    }
    op.must({"client", "set", kWeb, "--grant", "authorization_code"});
    CHECK(text_of(obtain_tokens(op, alice, good().with("scope", "openid offline_access")), "refresh_token").empty());
}

TEST_CASE("sub: one value per person at every client, and never a name [OIDC Core §2b, §5.7, §8]") {
    const Deployment op;
    UserAgent alice(op);
    UserAgent bob(op);
    const auto sub_of = [&](const json::Object& tokens) {
        return text_of(jwt_claims(text_of(tokens, "id_token")), "sub");
    };
    const std::string at_web = sub_of(obtain_tokens(op, alice, good()));
    CHECK(sub_of(obtain_tokens(op, alice, authorization_request(kOther), kOther)) == at_web);
    bob.log_in(bob.authorize(good()), kBob, kBobPassword);
    const std::string bobs = sub_of(obtain_tokens(op, bob, good()));
    CHECK(bobs != at_web);
    CHECK_FALSE(has(at_web, kAlice));
}

TEST_CASE("UserInfo: each scope releases its claims and no others [IF53, OIDC Core §5.3.2d, §5.4ab, §17.1, U06]") {
    const Deployment op;
    op.must({"user", "set", kAlice, "--claims-stdin"},
            R"({"role":"admin","password":"x","password_hash":"x","roles":["wheel"]})");
    UserAgent alice(op);
    struct Row {
        std::string scope;
        std::vector<std::string> claims;
    };
    const std::vector<Row> rows = {
        {"openid", {"sub"}},
        {"openid api", {"sub"}},
        {"openid email", {"email", "email_verified", "sub"}},
        {"openid phone", {"phone_number", "sub"}},
        {"openid address", {"address", "sub"}},
        {"openid profile", {"given_name", "name", "preferred_username", "sub", "updated_at"}},
        {"openid offline_access", {"sub"}},
        {"openid profile email address phone",
         {"address", "email", "email_verified", "given_name", "name", "phone_number", "preferred_username", "sub",
          "updated_at"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        const auto tokens = obtain_tokens(op, alice, good().with("scope", row.scope));
        const Answer answer = userinfo(op, text_of(tokens, "access_token"));
        std::vector<std::string> names;
        const json::Object body = answer.json();
        for (const auto& member : body.members()) names.push_back(member.first);
        std::sort(names.begin(), names.end());
        CHECK(names == row.claims);
    }
}

TEST_CASE(
    "UserInfo: values keep their types; sub is the token's and written last [IF51, OIDC Core §5.1, §5.1.1, §5.1.2, "
    "§5.3.2b, U05]") {
    const Deployment op;
    op.must(
        {"user", "set", kAlice, "--claims-stdin"},
        R"({"birthdate":"0000-03-14","locale":"de-DE","nickname":"\"A\" </script> \u2028","zoneinfo":"Europe/Berlin","internal":"secret","updated_at":1700000000})");
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, good().with("scope", "openid profile email address phone"));
    const Answer answer = userinfo(op, text_of(tokens, "access_token"));
    const auto body = answer.json();
    REQUIRE(body.find("email_verified") != nullptr);
    REQUIRE(body.find("email_verified")->if_bool() != nullptr);
    CHECK(*body.find("email_verified")->if_bool());
    CHECK(number_of(body, "updated_at") == 1700000000);
    REQUIRE(body.find("address") != nullptr);
    REQUIRE(body.find("address")->if_object() != nullptr);
    CHECK(text_of(*body.find("address")->if_object(), "locality") == "Springfield");
    CHECK(text_of(body, "birthdate") == "0000-03-14");
    CHECK(text_of(body, "nickname") == "\"A\" </script> \xe2\x80\xa8");
    CHECK(text_of(body, "preferred_username") == kAlice);
    CHECK(body.find("internal") == nullptr);
    CHECK(body.members().back().first == "sub");
    CHECK(text_of(body, "sub") == subject_of(op, kAlice));
    CHECK_FALSE(has(answer.body, "</script>"));
    CHECK(answer.body.find("\"sub\"") == answer.body.rfind("\"sub\""));
}

TEST_CASE(
    "UserInfo: sub is the token's whatever claims are stored, and claims with two meanings are refused [U05, U06]") {
    struct Row {
        std::string claims;
        std::string answer;  ///< without sub; "" when it is refused
    };
    for (const Row& row :
         {Row{R"({"sub":"mallory","name":"M"})", R"("name":"M")"}, Row{R"({"name":"M","sub":null})", R"("name":"M")"},
          Row{R"({"name":"M","sub":["a"]})", R"("name":"M")"},
          Row{R"({"s\u0075b":"mallory","name":"M"})", R"("name":"M")"},
          Row{R"({"name":"M","iss":"https://evil.example","aud":"evil","exp":1})", R"("name":"M")"},
          Row{R"({"sub":"a","sub":"b"})", ""}}) {
        CAPTURE(row.claims);
        const Deployment op;
        UserAgent alice(op);
        const std::string token =
            text_of(obtain_tokens(op, alice, good().with("scope", "openid profile")), "access_token");
        {
            db::Database database(op.database(), db::Access::read_write);
            db::Transaction transaction(database, db::Durability::full);
            transaction.run("UPDATE users SET claims = $1 WHERE username = 'alice'", row.claims);
            transaction.commit();
        }
        const Answer answer = userinfo(op, token);
        if (row.answer.empty()) {
            CHECK(answer.verdict() == "503 temporarily_unavailable");
            continue;
        }
        CHECK(answer.status == 200);
        CHECK(has(answer.body, row.answer));
        CHECK(answer.body.ends_with(",\"sub\":\"" + subject_of(op, kAlice) + "\"}"));
        for (const std::string name : {"\"sub\"", "\"iss\"", "\"aud\"", "\"exp\""})
            CHECK(answer.body.find(name) == (name == "\"sub\"" ? answer.body.rfind(name) : std::string::npos));
    }
    const Deployment op;
    {
        db::Database database(op.database(), db::Access::read_write);
        db::Transaction transaction(database, db::Durability::full);
        transaction.run("UPDATE users SET subject = '12345678901234567890' WHERE username = 'bob'");
        transaction.commit();
    }
    UserAgent bob(op);
    const Landing consent = bob.log_in(bob.authorize(good().with("scope", "openid")), kBob, kBobPassword);
    const Answer tokens = redeem(op, token_request(bob.approve(consent).parameter("code")));
    CHECK(userinfo(op, tokens.member("access_token")).body == R"({"sub":"12345678901234567890"})");  // not a number
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "sub") == "12345678901234567890");
}

TEST_CASE("UserInfo: what is asked is the present state, in the scope that was granted") {
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, good().with("scope", "openid email"));
    op.must({"user", "set", kAlice, "--claim", "email=new@op.example"});
    CHECK(userinfo(op, text_of(tokens, "access_token")).member("email") == "new@op.example");
    op.must({"user", "set", kAlice, "--unset-claim", "email"});
    CHECK(userinfo(op, text_of(tokens, "access_token")).json().find("email") == nullptr);
}

TEST_CASE("username: in the access token by option only, and never in the ID token") {
    for (const bool wanted : {true, false}) {
        Deployment op;
        op.configure("usernameInAccessToken", wanted);
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, good());
        CHECK(text_of(jwt_claims(text_of(tokens, "access_token")), "username") == (wanted ? kAlice : ""));
        CHECK(jwt_claims(text_of(tokens, "id_token")).find("username") == nullptr);
    }
}

TEST_CASE("lifetimes: as configured, in tokens and answers [RFC 6750 §5.2c, OIDC Core §2e]") {
    const Deployment op({.config = {{"accessTokenTTL", 120}, {"idTokenTTL", 30}}});
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, good());
    CHECK(number_of(tokens, "expires_in") == 120);
    const auto access = jwt_claims(text_of(tokens, "access_token"));
    CHECK(number_of(access, "exp") - number_of(access, "iat") == 120);
    const auto id = jwt_claims(text_of(tokens, "id_token"));
    CHECK(number_of(id, "exp") - number_of(id, "iat") == 30);
}

}  // namespace
