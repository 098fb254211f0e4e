// Requests that are pushed by clients of documents, and addresses that open (RFC 9126).
#include "oauth/pushed_request.h"

#include <doctest/doctest.h>

#include <string>

#include "oauth/request_use.h"
#include "oauth/sealed_request.h"
#include "refusal/reason.h"
#include "store/clients.h"
#include "support/fake_fetcher.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

const std::string kUrl = "https://app.example/client.json";
const std::string kAsked =
    "&response_type=code&scope=openid&code_challenge_method=S256"
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

struct Fixture {
    test::RulesFixture fixture;
    test::FakeFetcher fetcher;
    oauth::Context context = fixture.context();

    Fixture() {
        fixture.settings.paths.par = "/par";
        fixture.settings.outbound.enabled = true;
        fixture.settings.client_documents.enabled = true;
        context.fetcher = &fetcher;
        publish("");
    }
    void publish(const std::string& members) {
        fetcher.publish(kUrl,
                        R"({"client_id":")" + kUrl + R"(","redirect_uris":["https://app.example/cb"])" + members + "}");
    }
    oauth::Outcome<oauth::PushedRequest> push(const std::string& form) {
        const http::Request request = test::post(form);
        ASSIGN_OR_RETURN(const auto credentials, oauth::parse_push(request));
        ASSIGN_OR_RETURN(const auto client, oauth::authenticate_pushing_client(context, credentials, request));
        return oauth::push_request(context, client, request);
    }
    std::string address(const std::string& form) {
        const auto pushed = push(form);
        REQUIRE(pushed);
        return pushed->request_uri;
    }
    auto open(const std::string& client, const std::string& address) {
        return oauth::open_pushed_request(context, test::params("client_id=" + client + "&request_uri=" + address));
    }
};

}  // namespace

TEST_CASE("push_request: a client of a document pushes before any user has approved it [PAR-3, PAR-11, CIMD-1]") {
    Fixture f;
    const auto opened = f.open(kUrl, f.address("client_id=" + kUrl + kAsked));
    REQUIRE(opened);
    CHECK(opened->client_id.str() == kUrl);
    CHECK(opened->redirect_uri == "https://app.example/cb");
    CHECK(opened->document.has_value());
    CHECK_FALSE(store::is_client(f.fixture.database, model::ClientId(kUrl)));
}

TEST_CASE("push_request: what a client of a document is told when its document is no good [PAR-3, FETCH-12]") {
    using oauth::ErrorCode;
    struct Row {
        const char* when;
        void (*change)(Fixture&);
        ErrorCode code;
        int status;
    };
    const Row rows[] = {
        {"not there", [](Fixture& f) { f.fetcher.answers.clear(); }, ErrorCode::invalid_client, 401},
        {"another method", [](Fixture& f) { f.publish(R"(,"token_endpoint_auth_method":"private_key_jwt")"); },
         ErrorCode::invalid_client, 401},
        {"a member twice", [](Fixture& f) { f.publish(R"(,"redirect_uris":["https://app.example/new"])"); },
         ErrorCode::invalid_client, 401},
        {"documents are off", [](Fixture& f) { f.fixture.settings.client_documents.enabled = false; },
         ErrorCode::invalid_client, 401},
        {"public clients may not push", [](Fixture& f) { f.fixture.settings.par_public_clients = false; },
         ErrorCode::invalid_client, 401},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        row.change(f);
        const auto refused = f.push("client_id=" + kUrl + kAsked);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == row.code);
        CHECK(refused.error().http_status == row.status);
    }
    Fixture f;
    const auto foreign = f.push("client_id=" + kUrl + kAsked + "&redirect_uri=https%3A%2F%2Fevil.example%2F");
    REQUIRE_FALSE(foreign);
    CHECK(foreign.error().code == ErrorCode::invalid_request);
}

TEST_CASE("push_request: a client of the operator under a URL needs no document, and a site cannot push [GATE-4]") {
    Fixture f;
    f.fetcher.answers.clear();
    model::Client registered = f.fixture.add_public("plain", "https://plain.example/cb");
    registered.id = model::ClientId(kUrl);
    f.fixture.add(registered);
    CHECK(f.push("client_id=" + kUrl + kAsked));
    model::Client site = f.fixture.add_public("other", "https://wiki.example/.postern/callback");
    site.id = model::ClientId("site");
    site.site = model::Site{.url = "https://wiki.example/", .max_age = {}, .session_ttl = {}};
    f.fixture.add(site);
    const auto refused = f.push("client_id=site" + kAsked);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == oauth::ErrorCode::unauthorized_client);
}

TEST_CASE("open_pushed_request: a new id for each opening, until one of them is answered [PAR-12, PAR-14, PAR-15]") {
    Fixture f;
    f.fixture.add_public("app", "https://plain.example/cb");
    const auto alice = f.fixture.add_user("alice").subject;
    const auto bob = f.fixture.add_user("bob").subject;
    const std::string address = f.address("client_id=app" + kAsked);
    const auto one = f.open("app", address);
    const auto other = f.open("app", address);
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->id != other->id);
    CHECK(one->pushed == other->pushed);
    CHECK(one->expires_at == f.context.now() + f.fixture.settings.authorization_request_ttl);
    CHECK(f.open("web", address).error().reason == refusal::Reason::invalid_request_uri_of_another);
    f.fixture.clock.advance(util::Seconds{89});
    const auto late = f.open("app", address);
    REQUIRE(late);
    CHECK(late->expires_at < late->pushed->used_until);
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        CHECK(oauth::use_up(transaction, *one, alice));
        CHECK_FALSE(oauth::use_up(transaction, *other, bob));
        CHECK_FALSE(oauth::use_up(transaction, *one, alice));
    }
    CHECK_FALSE(oauth::is_push_used(f.fixture.database, *late));  // it was rolled back
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        CHECK(oauth::use_up(transaction, *one, alice));
        transaction.commit();
    }
    CHECK(oauth::is_push_used(f.fixture.database, *late));
    CHECK(f.open("app", address).error().reason == refusal::Reason::invalid_request_uri_used);
    f.fixture.clock.advance(util::Seconds{1});
    CHECK(f.open("app", address).error().reason == refusal::Reason::invalid_request_uri_expired);
}

TEST_CASE("open_pushed_request: a request lives no longer than the mark of its push, whatever is configured since") {
    Fixture f;
    f.fixture.add_public("app", "https://plain.example/cb");
    f.fixture.settings.authorization_request_ttl = util::Seconds{60};
    const std::string address = f.address("client_id=app" + kAsked);
    f.fixture.settings.authorization_request_ttl = util::Seconds{600};
    const auto opened = f.open("app", address);
    REQUIRE(opened);
    CHECK(opened->expires_at == f.context.now() + util::Seconds{150});
    CHECK(opened->expires_at == opened->pushed->used_until);
}
