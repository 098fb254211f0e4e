// What becomes of the row of a client that a document describes, at the commit of a user's approval.
#include "oauth/record_client.h"

#include <doctest/doctest.h>

#include "store/clients.h"
#include "store/consents.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

const model::ClientId kUrl{"https://app.example/client.json"};

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::User alice = fixture.add_user("alice");

    Fixture() { fixture.settings.client_documents.enabled = true; }

    static model::Client described(const std::string& name = "Notes") {
        model::Client client;
        client.id = kUrl;
        client.name = name;
        client.origin = model::Origin::document;
        client.type = model::ClientType::public_;
        client.auth_method = model::AuthMethod::none;
        client.pkce = model::Pkce::required;
        client.grants = {model::GrantType::authorization_code};
        client.scope = *model::Scope::parse("openid");
        client.redirect_uris = {"https://app.example/cb"};
        return client;
    }
    /// Commits what is recorded.
    util::Result<oauth::RecordedClient, oauth::NotIssued> record(const model::Client& client,
                                                                 oauth::ConsentSource consent,
                                                                 const model::Subject& subject) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        auto recorded = oauth::record_client(transaction, context, client, subject, consent);
        if (recorded) transaction.commit();
        return recorded;
    }
    util::Result<oauth::RecordedClient, oauth::NotIssued> record(const model::Client& client,
                                                                 oauth::ConsentSource consent) {
        return record(client, consent, alice.subject);
    }
    model::Client stored() { return *store::find_client(fixture.database, kUrl); }
};

}  // namespace

TEST_CASE("record_client: what the row has become since the request was begun counts [CIMD-10, CIMD-13]") {
    using oauth::ConsentSource;
    using oauth::NotIssued;
    struct Row {
        const char* when;
        void (*change)(model::Client& stored);
        ConsentSource consent;
        std::optional<NotIssued> error;
        const char* name_after;
    };
    const auto keep = [](model::Client&) {};
    const auto rename = [](model::Client& client) { client.name = "Earlier name"; };
    const auto move = [](model::Client& client) { client.redirect_uris = {"https://app.example/old"}; };
    const Row rows[] = {
        {"the same, remembered", keep, ConsentSource::remembered, {}, "Notes"},
        {"the same, given now", keep, ConsentSource::given_now, {}, "Notes"},
        {"disabled", [](model::Client& client) { client.enabled = false; }, ConsentSource::given_now,
         NotIssued::client_changed, "Notes"},
        {"registered by the operator", [](model::Client& client) { client.origin = model::Origin::operator_; },
         ConsentSource::given_now, NotIssued::client_changed, "Notes"},
        {"another name, given now", rename, ConsentSource::given_now, {}, "Notes"},
        {"another name, remembered", rename, ConsentSource::remembered, NotIssued::approval_withdrawn, "Earlier name"},
        {"another name, not asked", rename, ConsentSource::not_asked, NotIssued::approval_withdrawn, "Earlier name"},
        {"another address, given now", move, ConsentSource::given_now, {}, "Notes"},
        {"another address, remembered", move, ConsentSource::remembered, NotIssued::approval_withdrawn, "Notes"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        auto before = Fixture::described();
        row.change(before);
        f.fixture.add(before);
        const auto recorded = f.record(Fixture::described(), row.consent);
        CHECK(static_cast<bool>(recorded) == !row.error.has_value());
        if (!recorded) CHECK(recorded.error() == *row.error);
        CHECK(f.stored().name == row.name_after);
        CHECK(f.stored().redirect_uris == (recorded ? Fixture::described().redirect_uris : before.redirect_uris));
        CHECK(f.stored().enabled == before.enabled);
        CHECK(f.stored().origin == before.origin);
    }
}

TEST_CASE("record_client: a client stays the user's who brought it when another user approves a change [CIMD-10]") {
    Fixture f;
    const auto bob = f.fixture.add_user("bob").subject;
    REQUIRE(f.record(Fixture::described(), oauth::ConsentSource::given_now)->is_new);
    const auto changed = f.record(Fixture::described("Other name"), oauth::ConsentSource::given_now, bob);
    REQUIRE(changed);
    CHECK(changed->changed == "client_name");
    CHECK(f.stored().brought_by == f.alice.subject);
    CHECK(store::count_fleeting_clients(f.fixture.database, f.alice.subject) == 1);
    CHECK(store::count_fleeting_clients(f.fixture.database, bob) == 0);
}
