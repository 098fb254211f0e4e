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
    CHECK(store::count_fleeting_clients(f.fixture.database, f.alice.subject, model::Origin::document) == 1);
    CHECK(store::count_fleeting_clients(f.fixture.database, f.alice.subject, model::Origin::dynamic) == 0);
    CHECK(store::count_fleeting_clients(f.fixture.database, bob, model::Origin::document) == 0);
}

TEST_CASE("record_client: a client that registered itself is kept as long as it is used, by the day [REG-20, REG-30]") {
    constexpr util::Seconds kHour{3600};
    constexpr util::Seconds kDay{86400};
    struct Row {
        const char* when;
        std::optional<util::Seconds> used_ago;
        std::optional<util::Seconds> removable_in;  ///< before
        bool is_written;
    };
    const Row rows[] = {
        {"the first approval", {}, kHour, true},
        {"used a moment ago", util::Seconds{0}, kHour, false},
        {"used almost a day ago", kDay - util::Seconds{1}, kHour, false},
        {"used a day ago", kDay, kHour, true},
        {"the operator keeps it", {}, {}, true},
        {"the operator keeps it, used now", util::Seconds{0}, {}, false},
    };
    for (const Row& row : rows) {
        for (const char* registered_by : {"", "digest of a token"}) {
            CAPTURE(row.when);
            CAPTURE(registered_by);
            Fixture f;
            f.fixture.settings.registration.ttl = util::Seconds{1000000};
            const util::Time now = f.fixture.clock.now();
            model::Client client = Fixture::described();
            client.id = model::ClientId("registered");
            client.origin = model::Origin::dynamic;
            client.registered_by = registered_by;
            if (row.used_ago) client.last_used_at = now - *row.used_ago;
            if (row.removable_in) client.removable_at = now + *row.removable_in;
            f.fixture.add(client);
            const auto recorded = f.record(client, oauth::ConsentSource::given_now);
            REQUIRE(recorded);
            CHECK_FALSE(recorded->is_new);
            CHECK(recorded->changed == "");
            const auto kept = *store::find_client(f.fixture.database, client.id);
            CHECK((kept.last_used_at == (row.is_written ? std::optional(now) : client.last_used_at)));
            const auto longer = row.is_written ? std::optional(now + util::Seconds{1000000}) : client.removable_at;
            CHECK((kept.removable_at == (row.removable_in ? longer : std::nullopt)));
        }
    }
}

TEST_CASE(
    "record_client: one user is the first to approve a tenth of the clients without a token, ten at least, and another "
    "user goes on [REG-30]") {
    struct Row {
        int max;
        int share;
    };
    for (const Row& row : {Row{50, 10}, Row{109, 10}, Row{119, 11}}) {
        CAPTURE(row.max);
        Fixture f;
        f.fixture.settings.registration.max = row.max;
        const auto registered = [&](const std::string& id, const std::string& registered_by = "") {
            model::Client client = Fixture::described();
            client.id = model::ClientId(id);
            client.origin = model::Origin::dynamic;
            client.registered_by = registered_by;
            client.removable_at = f.fixture.clock.now() + util::Seconds{3600};
            f.fixture.add(client);
            return client;
        };
        const auto stored = [&](const model::Client& client) {
            return *store::find_client(f.fixture.database, client.id);
        };
        const auto approve = [&](const model::Client& client, const model::Subject& subject) {
            return f.record(client, oauth::ConsentSource::given_now, subject);
        };
        const auto bob = f.fixture.add_user("bob").subject;
        // What came with a token, a document or another user counts for nobody here.
        CHECK(approve(registered("with-token", "digest of a token"), f.alice.subject));
        CHECK(approve(Fixture::described(), f.alice.subject));
        CHECK(approve(registered("of-bob"), bob));
        for (int number = 1; number <= row.share; ++number)
            REQUIRE(approve(registered("tool" + std::to_string(number)), f.alice.subject));

        const auto one_more = registered("one-more");
        const auto refused = approve(one_more, f.alice.subject);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == oauth::NotIssued::too_many_of_user);
        CHECK_FALSE(stored(one_more).last_used_at);  // it makes room for another
        CHECK(stored(one_more).brought_by.empty());
        CHECK(approve(registered("with-token-2", "digest of a token"), f.alice.subject));
        CHECK(approve(stored(registered("of-bob-2")), bob));

        const auto first = *store::find_client(f.fixture.database, model::ClientId("tool1"));
        CHECK(first.brought_by == f.alice.subject);
        CHECK(approve(first, f.alice.subject));  // what users have approved goes on
        CHECK(approve(one_more, bob));
        CHECK(approve(one_more, f.alice.subject));
        CHECK(stored(one_more).brought_by == bob);

        // What the operator has decided about does not count.
        auto decided = registered("decided");
        decided.removable_at.reset();
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        REQUIRE(store::update_client(transaction, decided));
        transaction.commit();
        CHECK(approve(decided, f.alice.subject));
    }
}

TEST_CASE("record_client: a client that registered itself and is gone is not made again [REG-30]") {
    Fixture f;
    model::Client client = Fixture::described();
    client.id = model::ClientId("registered");
    client.origin = model::Origin::dynamic;
    const auto recorded = f.record(client, oauth::ConsentSource::given_now);
    REQUIRE_FALSE(recorded);
    CHECK(recorded.error() == oauth::NotIssued::client_gone);
    CHECK_FALSE(store::is_client(f.fixture.database, client.id));
}

TEST_CASE("note_use: nothing is written about a client of the operator [REG-20]") {
    Fixture f;
    model::Client client = Fixture::described();
    client.origin = model::Origin::operator_;
    f.fixture.add(client);
    db::Transaction transaction(f.fixture.database, db::Durability::lazy);
    oauth::note_use(transaction, f.context, client);
    transaction.commit();
    CHECK_FALSE(f.stored().last_used_at);
}

TEST_CASE("record_client: a demand of the document comes and goes, and what the operator decided stays [CIMD-10]") {
    Fixture f;
    f.fixture.settings.paths.par = "/par";
    REQUIRE(f.record(Fixture::described(), oauth::ConsentSource::given_now));
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        model::Client decided = f.stored();
        decided.id_token_algorithm = crypto::Algorithm::ES256;
        store::update_client(transaction, decided);
        transaction.commit();
    }
    model::Client demanding = Fixture::described();
    demanding.require_par = true;
    REQUIRE(f.record(demanding, oauth::ConsentSource::remembered));
    CHECK(f.stored().require_par);
    CHECK(f.stored().id_token_algorithm == crypto::Algorithm::ES256);
    REQUIRE(f.record(Fixture::described(), oauth::ConsentSource::remembered));
    CHECK_FALSE(f.stored().require_par);
    CHECK(f.stored().id_token_algorithm == crypto::Algorithm::ES256);
}
