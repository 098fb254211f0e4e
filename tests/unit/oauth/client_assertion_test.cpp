// Which JWTs prove which client sends them (CA-1 to CA-13).
#include "oauth/client_assertion.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../crypto/vectors.h"
#include "crypto/key.h"
#include "jose/jwk.h"
#include "json/reader.h"
#include "json/writer.h"
#include "oauth/client_auth.h"
#include "refusal/reason.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "support/fake_fetcher.h"
#include "support/rules_fixture.h"
#include "util/base64.h"

using namespace postern;
using refusal::Reason;
using util::Seconds;

namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr const char* kIssuer = "https://op.example";
constexpr const char* kJwksUri = "https://app.example/jwks";

json::Object object(const std::string& text) {
    auto value = json::parse(text);
    REQUIRE(value);
    return std::move(*value->if_object());
}

json::Object good_claims() { return object(R"({"iss":"app","sub":"app","aud":"https://op.example","jti":"1"})"); }

std::string key_set(const char* pem) {
    json::Object key =
        jose::to_json(crypto::PrivateKey::from_pem(util::Secret(std::string(pem))).public_key().members());
    key.set("kid", "a");
    return json::write(json::Object{{"keys", json::Array{std::move(key)}}});
}

std::string signed_by(const char* pem, const std::string& header, const json::Object& claims) {
    const auto key = crypto::PrivateKey::from_pem(util::Secret(std::string(pem)));
    const std::string text = util::base64url_encode(header) + '.' + util::base64url_encode(json::write(claims));
    return text + '.' + util::base64url_encode(key.sign(text));
}

const std::string kHeader = R"({"alg":"ES256","kid":"a"})";

std::string form_of(const std::string& assertion) {
    return "grant_type=client_credentials&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3A"
           "jwt-bearer&client_assertion=" +
           assertion;
}

/// A client `app` whose key is that of RFC 7515 §A.3, and a client `secret` with a secret.
struct AssertionFixture {
    test::RulesFixture f;
    test::FakeFetcher fetcher;
    oauth::Context context = f.context();

    explicit AssertionFixture(const model::ClientKeys& keys = {.jwks = key_set(vectors::kEcPem)}) {
        f.settings.assertions.enabled = true;
        f.add_confidential("secret", "https://secret.example/cb", std::string(43, 's'));
        model::Client app = f.add_confidential("app", "https://app.example/cb", std::string(43, 's'));
        app.auth_method = model::AuthMethod::private_key_jwt;
        db::Transaction transaction(f.database, db::Durability::lazy);
        REQUIRE(store::update_client(transaction, app));
        store::insert_client_keys(transaction, app.id, keys);
        transaction.commit();
    }

    json::Object claims(const std::string& jti = "1") {
        json::Object claims = good_claims();
        claims.set("jti", jti);
        claims.set("exp", kNow + 60);
        return claims;
    }

    oauth::Outcome<model::Client> ask(const std::string& form, const std::string& path = "/token") {
        f.trail.begin("test", "192.0.2.1");
        http::Request request = test::post(form);
        request.path = path;
        const auto credentials = oauth::parse_credentials(request);
        if (!credentials) return credentials.error();
        return oauth::authenticate_client(context, *credentials, request);
    }

    /// Returns the word of the refusal; "" for a client that is authenticated.
    std::string word(const std::string& form) {
        const auto client = ask(form);
        return client ? "" : refusal::row_of(client.error().reason).word;
    }

    bool has_event(audit::Event event) {
        for (const auto& entry : f.trail.entries())
            if (entry.event == event) return true;
        return false;
    }
};

}  // namespace

TEST_CASE(
    "client assertions: the claims of an assertion [CA-8, CA-9, CA-10, CA-11, RFC 7523 §3, OpenID Connect Core §9]") {
    struct Row {
        const char* when;
        std::string changes;  ///< members that are added or replaced; null: taken away
        const char* fault;    ///< a part of the sentence; "": they are good
        std::vector<std::string> endpoints = {};
    };
    const auto exp = [](int seconds) { return R"({"exp":)" + std::to_string(kNow + seconds) + "}"; };
    const std::vector<std::string> endpoints = {"https://op.example/token", "https://op.example/revoke"};
    const Row rows[] = {
        {"all that is needed", "{}", ""},
        {"iss is another client", R"({"iss":"other"})", "\"iss\" is not the client id"},
        {"iss is missing", R"({"iss":null})", "\"iss\" is not the client id"},
        {"iss is a list", R"({"iss":["app"]})", "\"iss\" is not the client id"},
        {"sub is another client", R"({"sub":"other"})", "\"sub\" is not the client id"},
        {"sub is missing", R"({"sub":null})", "\"sub\" is not the client id"},
        {"the issuer in an array", R"({"aud":["https://op.example"]})", ""},
        {"the issuer and another in an array", R"({"aud":["https://op.example","https://other.example"]})", "alone"},
        {"the issuer twice", R"({"aud":["https://op.example","https://op.example"]})", "alone"},
        {"aud is missing", R"({"aud":null})", "missing or no string"},
        {"aud is an empty array", R"({"aud":[]})", "missing or no string"},
        {"aud is a number", R"({"aud":1})", "missing or no string"},
        {"another issuer", R"({"aud":"https://other.example"})", "must be https://op.example alone"},
        {"the issuer with a slash", R"({"aud":"https://op.example/"})", "must be https://op.example alone"},
        {"the issuer in capitals", R"({"aud":"https://OP.example"})", "must be https://op.example alone"},
        {"the token endpoint", R"({"aud":"https://op.example/token"})", "\"aud\" is https://op.example/token"},
        {"the token endpoint where endpoints are taken", R"({"aud":"https://op.example/token"})", "", endpoints},
        {"the called endpoint where endpoints are taken", R"({"aud":"https://op.example/revoke"})", "", endpoints},
        {"another endpoint", R"({"aud":"https://op.example/authorize"})", "alone", endpoints},
        {"two of them", R"({"aud":["https://op.example","https://op.example/token"]})", "alone", endpoints},
        {"exp is missing", R"({"exp":null})", "\"exp\" is missing"},
        {"exp is a string", R"({"exp":"1800000060"})", "\"exp\" is missing"},
        {"expired nine seconds ago", exp(-9), ""},
        {"expired ten seconds ago", exp(-10), "clock: it expired 10 s ago"},
        {"as long as may be", exp(630), ""},
        {"a second longer", exp(631), "clock: its \"exp\" is 631 s ahead"},
        {"iat in the future", R"({"iat":1800000031})", "clock: \"iat\" is 31 s ahead"},
        {"iat a little ahead", R"({"iat":1800000030})", ""},
        {"iat long ago", R"({"iat":1})", ""},
        {"nbf in the future", R"({"nbf":1800000031})", "clock: \"nbf\" is 31 s ahead"},
        {"nbf is a string", R"({"nbf":"1"})", "\"nbf\" is not a time"},
        {"jti is missing", R"({"jti":null})", "\"jti\" is missing"},
        {"jti is empty", R"({"jti":""})", "\"jti\" is missing"},
        {"jti is a number", R"({"jti":1})", "\"jti\" is missing"},
        {"claims that are not known", R"({"scope":"x","azp":"other"})", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        json::Object claims = good_claims();
        claims.set("exp", kNow + 60);
        const json::Object changes = object(row.changes);
        for (const auto& [name, value] : changes.members())
            value.is_null() ? claims.erase(name) : claims.set(name, value);
        const auto good = oauth::check_assertion(claims, {model::ClientId("app"), kIssuer, row.endpoints, Seconds(600),
                                                          Seconds(30), util::from_epoch(kNow)});
        const bool is_of_clocks = !good && good.error().reason == refusal::Reason::invalid_client_assertion_time;
        const std::string fault = (is_of_clocks ? "clock: " : "") + (good ? std::string() : good.error().detail);
        CAPTURE(fault);
        CHECK(static_cast<bool>(good) == std::string(row.fault).empty());
        CHECK(fault.find(row.fault) != std::string::npos);
        CHECK(fault.starts_with("clock: ") == std::string(row.fault).starts_with("clock: "));
    }
}

TEST_CASE("client assertions: of a client with a profile the issuer is taken as a string alone [F2-7, CA-9]") {
    for (const auto& [aud, is_good] :
         {std::pair{R"("https://op.example")", true}, std::pair{R"(["https://op.example"])", false},
          std::pair{R"("https://op.example/token")", false}}) {
        CAPTURE(std::string(aud));
        json::Object claims = good_claims();
        claims.set("exp", kNow + 60);
        claims.set("aud", *json::parse(aud));
        const auto good = oauth::check_assertion(
            claims, {model::ClientId("app"), kIssuer, {}, Seconds(600), Seconds(30), util::from_epoch(kNow), false});
        CHECK(static_cast<bool>(good) == is_good);
        if (!good) CHECK(good.error().detail.find("alone, as a string") != std::string::npos);
    }
}

TEST_CASE("client assertions: an assertion is remembered as long as any clock of ours takes it [JTI-5]") {
    json::Object claims = good_claims();
    claims.set("exp", kNow + 60);
    const auto good = oauth::check_assertion(
        claims, {model::ClientId("app"), kIssuer, {}, Seconds(600), Seconds(30), util::from_epoch(kNow)});
    REQUIRE(good);
    CHECK(good->jti == "1");
    CHECK(good->until == util::from_epoch(kNow + 60 + 10 + 30));
}

TEST_CASE(
    "client assertions: who is authenticated by an assertion, and by what it fails [CA-1, CA-2, CA-3, CA-4, CA-5, CA-6, CA-7]") {
    AssertionFixture a;
    const std::string good = signed_by(vectors::kEcPem, kHeader, a.claims("good"));
    const auto claims_with = [&](const char* name, json::Value value) {
        json::Object claims = a.claims(name);
        claims.set(name, std::move(value));
        return claims;
    };
    const std::string secret(43, 's');
    struct Row {
        const char* when;
        std::string form;
        const char* word;
    };
    const Row rows[] = {
        {"the type is missing", "client_assertion=" + good, "invalid_request"},
        {"the assertion is missing", "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
         "invalid_request"},
        {"the assertion is empty", form_of(""), "invalid_request"},
        {"the assertion twice", form_of(good) + "&client_assertion=" + good, "invalid_request"},
        {"another type",
         "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:saml2-bearer&client_assertion=" + good,
         "invalid_client_assertion"},
        {"a secret beside it", form_of(good) + "&client_id=app&client_secret=" + secret, "invalid_request"},
        {"a secret beside it, without an id", form_of(good) + "&client_secret=" + secret, "invalid_request"},
        {"no JWT", form_of("x"), "invalid_client_assertion"},
        {"none", form_of(signed_by(vectors::kEcPem, R"({"alg":"none"})", a.claims())), "invalid_client_assertion"},
        {"a type for another use",
         form_of(signed_by(vectors::kEcPem, R"({"alg":"ES256","typ":"dpop+jwt"})", a.claims())),
         "invalid_client_assertion"},
        {"the claims of an ID token", form_of(signed_by(vectors::kEcPem, kHeader, claims_with("nonce", "n"))),
         "invalid_client_assertion"},
        {"the claims of a request", form_of(signed_by(vectors::kEcPem, kHeader, claims_with("response_type", "code"))),
         "invalid_client_assertion"},
        {"no sub", form_of(signed_by(vectors::kEcPem, kHeader, claims_with("sub", nullptr))),
         "invalid_client_assertion"},
        {"another client_id", form_of(good) + "&client_id=secret", "invalid_client_assertion"},
        {"nobody", form_of(signed_by(vectors::kEcPem, kHeader, claims_with("sub", "nobody"))), "invalid_client"},
        {"a client with a secret", form_of(signed_by(vectors::kEcPem, kHeader, claims_with("sub", "secret"))),
         "invalid_client_other_method"},
        {"another key", form_of(signed_by(vectors::kEdPem, R"({"alg":"EdDSA"})", a.claims())),
         "invalid_client_assertion"},
        {"another kid", form_of(signed_by(vectors::kEcPem, R"({"alg":"ES256","kid":"b"})", a.claims())),
         "invalid_client_assertion"},
        {"another audience",
         form_of(signed_by(vectors::kEcPem, kHeader, claims_with("aud", "https://op.example/token"))),
         "invalid_client_assertion_audience"},
        {"no assertion", "client_id=app", "invalid_client_other_method"},
        {"its old secret", "client_id=app&client_secret=" + secret, "invalid_client_other_method"},
        {"good", form_of(good), ""},
        {"the same once more", form_of(good), "invalid_client_assertion_replayed"},
        {"good, with its client_id",
         form_of(signed_by(vectors::kEcPem, kHeader, a.claims("with id"))) + "&client_id=app", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto client = a.ask(row.form);
        const std::string detail = client ? std::string() : client.error().log_detail;
        CAPTURE(detail);
        CHECK((client ? std::string() : std::string(refusal::row_of(client.error().reason).word)) == row.word);
        if (client) continue;
        // CA-13
        if (std::string(row.word).starts_with("invalid_client")) {
            CHECK(client.error().http_status == 401);
            CHECK(client.error().description == "client authentication failed");
        }
    }
}

TEST_CASE(
    "client assertions: nothing else authenticates the client, and a client that is disabled is not authenticated [CA-5, RFC 6749 §2.3.2]") {
    AssertionFixture a;
    auto client = store::find_client(a.f.database, model::ClientId("app"), a.context.now());
    client->enabled = false;
    db::Transaction transaction(a.f.database, db::Durability::lazy);
    REQUIRE(store::update_client(transaction, *client));
    transaction.commit();
    CHECK(a.word(form_of(signed_by(vectors::kEcPem, kHeader, a.claims()))) == "invalid_client_disabled");
}

TEST_CASE("client assertions: an algorithm that was registered is the only one [CA-6]") {
    AssertionFixture a({.jwks = key_set(vectors::kEdPem), .alg = "Ed25519"});
    CHECK(a.word(form_of(signed_by(vectors::kEdPem, R"({"alg":"EdDSA"})", a.claims()))).empty());
    AssertionFixture rsa({.jwks = key_set(vectors::kRsaPem), .alg = "PS256"});
    CHECK(rsa.word(form_of(signed_by(vectors::kRsaPem, R"({"alg":"RS256"})", rsa.claims()))) ==
          "invalid_client_assertion");
}

TEST_CASE("client assertions: a second use is told to the audit log, without the jti [CA-12]") {
    AssertionFixture a;
    const std::string form = form_of(signed_by(vectors::kEcPem, kHeader, a.claims("a very secret name")));
    CHECK(a.word(form).empty());
    const auto again = a.ask(form);
    REQUIRE_FALSE(again);
    CHECK(a.has_event(audit::Event::assertion_replayed));
    CHECK(again.error().log_detail.find("secret name") == std::string::npos);
    for (const auto& entry : a.f.trail.entries())
        for (const auto& member : entry.members) CHECK(member.second.find("secret name") == std::string::npos);
}

TEST_CASE("client assertions: an assertion that fails leaves no mark [JTI-4]") {
    AssertionFixture a;
    json::Object claims = a.claims("one");
    claims.set("aud", "https://other.example");
    CHECK_FALSE(a.word(form_of(signed_by(vectors::kEcPem, kHeader, claims))).empty());
    CHECK(a.word(form_of(signed_by(vectors::kEcPem, kHeader, a.claims("one")))).empty());
}

TEST_CASE("client assertions: a client that uses up its share is told to come back [JTI-6]") {
    AssertionFixture a;
    a.f.settings.replays_size = 3 * 4 * 160 * 2;  // two marks of a client
    for (const char* jti : {"1", "2"})
        CHECK(a.word(form_of(signed_by(vectors::kEcPem, kHeader, a.claims(jti)))).empty());
    const auto refused = a.ask(form_of(signed_by(vectors::kEcPem, kHeader, a.claims("3"))));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().http_status == 429);
    CHECK(refused.error().code == oauth::ErrorCode::temporarily_unavailable);
    CHECK(refused.error().retry_after.count() > 0);
    CHECK(a.has_event(audit::Event::replay_store_full));
}

TEST_CASE(
    "client assertions: while clientAssertions is off an assertion is not looked at, and its client is not authenticated [CA-19]") {
    AssertionFixture a;
    a.f.settings.assertions.enabled = false;
    const std::string form = form_of(signed_by(vectors::kEcPem, kHeader, a.claims()));
    CHECK(a.word(form + "&client_id=app") == "invalid_client_assertions_off");
    CHECK(a.word(form) == "invalid_client");
    CHECK(a.word(form + "&client_id=secret&client_secret=" + std::string(43, 's')).empty());
}

TEST_CASE("client assertions: the called endpoint counts where endpoints are taken [CA-9]") {
    AssertionFixture a;
    a.f.settings.assertions.takes_endpoints = true;
    const auto ask = [&](const char* aud, const char* path) {
        static int number = 0;
        json::Object claims = a.claims(std::to_string(++number));
        claims.set("aud", aud);
        return static_cast<bool>(a.ask(form_of(signed_by(vectors::kEcPem, kHeader, claims)), path));
    };
    CHECK(ask("https://op.example", "/token"));
    CHECK(ask("https://op.example/token", "/token"));
    CHECK(ask("https://op.example/token", "/token/revoke"));
    CHECK(ask("https://op.example/token/revoke", "/token/revoke"));
    CHECK_FALSE(ask("https://op.example/token/revoke", "/token"));
    CHECK_FALSE(ask("https://op.example/authorize", "/token"));
}

TEST_CASE("FETCH-9, FETCH-10: keys at a jwks_uri are fetched, kept, and fetched again for a key that is new") {
    AssertionFixture a({.jwks_uri = kJwksUri});
    a.f.settings.outbound.enabled = true;
    a.f.settings.outbound.ports = {443};
    a.context.fetcher = &a.fetcher;
    const auto assertion = [&](const char* pem, const char* alg, const char* jti) {
        return form_of(signed_by(pem, std::string(R"({"alg":")") + alg + R"(","kid":"a"})", a.claims(jti)));
    };
    SUBCASE("fetched once, and again when the client has changed its keys") {
        a.fetcher.publish(kJwksUri, key_set(vectors::kEcPem));
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "1")).empty());
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "2")).empty());
        CHECK(a.fetcher.asked.size() == 1);
        a.fetcher.publish(kJwksUri, key_set(vectors::kEdPem));
        // Not within 30 s, so that a stranger cannot cause fetches.
        CHECK(a.word(assertion(vectors::kEdPem, "EdDSA", "3")) == "invalid_client_assertion");
        CHECK(a.fetcher.asked.size() == 1);
        a.f.clock.advance(Seconds(31));
        CHECK(a.word(assertion(vectors::kEdPem, "EdDSA", "4")).empty());
        CHECK(a.fetcher.asked.size() == 2);
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "5")) == "invalid_client_assertion");
        CHECK(a.fetcher.asked.size() == 2);
    }
    SUBCASE("a set that is refused, and one that cannot be fetched") {
        a.fetcher.publish(kJwksUri, R"({"keys":[{"kty":"oct","k":"AA"}]})");
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "1")) == "invalid_client_assertion");
        a.f.clock.advance(Seconds(31));
        a.fetcher.answers.clear();
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "2")) == "invalid_client_assertion");
    }
    SUBCASE("an endpoint that fetches nothing takes what there is, however stale") {
        a.fetcher.publish(kJwksUri, key_set(vectors::kEcPem));
        a.context.fetcher = nullptr;
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "1")) == "invalid_client_assertion");
        a.context.fetcher = &a.fetcher;
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "2")).empty());
        a.context.fetcher = nullptr;
        a.f.clock.advance(Seconds(40));
        CHECK(a.word(assertion(vectors::kEcPem, "ES256", "3")).empty());
    }
}
