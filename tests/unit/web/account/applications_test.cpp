// The page of applications with access: what it lists, and what it takes away.
#include "web/account/account.h"

#include <algorithm>

#include "store/access_tokens.h"
#include "store/activity.h"
#include "store/clients.h"
#include "store/consents.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "unit/text/said.h"
#include "unit/web/account/account_flow.h"

using namespace postern;
using test::AccountFlow;
using test::location_of;
using test::refusal_of;

namespace {

struct Fixture : AccountFlow {
    void approve(const model::User& user, const std::string& id, const std::string& scope) {
        model::Consent consent;
        consent.client_id = model::ClientId(id);
        consent.subject = user.subject;
        consent.scope = *model::Scope::parse(scope);
        consent.granted_at = fixture.clock.now();
        db::Transaction transaction(fixture.database, db::Durability::full);
        store::save_consent(transaction, consent);
        transaction.commit();
    }
    model::GrantId give(const model::User& user, const std::string& id, const std::string& scope,
                        const char* sid = "a session") {
        model::Grant grant;
        grant.id = model::GrantId(user.username + id);
        grant.client_id = model::ClientId(id);
        grant.subject = user.subject;
        grant.sid = model::Sid(sid);
        grant.scope = *model::Scope::parse(scope);
        grant.created_at = fixture.clock.now();
        db::Transaction transaction(fixture.database, db::Durability::full);
        store::insert_grant(transaction, grant, fixture.clock.now() + std::chrono::hours(1));
        transaction.commit();
        return grant.id;
    }
    template <class Action>
    void change(const Action& action) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        action(transaction);
        transaction.commit();
    }
    bool is_live(const model::GrantId& id) { return !store::find_grant(fixture.database, id)->ended_at.has_value(); }
    bool has_consent(const model::User& user) {
        return store::find_consent(fixture.database, client.id, user.subject).has_value();
    }
    const std::vector<web::ListedApplication>& listed() {
        CHECK(open("/applications").body == "applications");
        return account_pages.last_applications.applications;
    }
};

}  // namespace

TEST_CASE("applications: each with a consent or a live grant, in the words in which it was allowed [ACCOUNT-9]") {
    Fixture f;
    f.fixture.add_confidential("mail", "https://mail.example/cb", "s");
    f.fixture.add_confidential("bobs", "https://bobs.example/cb", "s");
    f.approve(f.alice, "app", "openid email");
    f.give(f.alice, "mail", "openid");
    f.give(f.bob, "bobs", "openid");
    const auto& listed = f.listed();
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].client_id == "app");
    CHECK(listed[0].name == "Client app");
    CHECK(listed[0].host == "app.example");
    CHECK(listed[0].permissions == std::vector<text::Message>{"Confirm who you are", "See your e-mail address"});
    CHECK(listed[0].last_used == "");
    CHECK_FALSE(listed[0].since.empty());
    CHECK(listed[1].client_id == "mail");
    CHECK_FALSE(listed[1].last_used.empty());
}

TEST_CASE("applications: a site is none, because it has nothing that can be taken from it") {
    Fixture f;
    const auto counted = [&] {
        CHECK(f.open("").body == "overview");
        const auto& rows = f.account_pages.last_overview.rows;
        const auto row =
            std::ranges::find_if(rows, [](const auto& each) { return each.url.ends_with("/applications"); });
        return row == rows.end() ? text::Message("no row") : row->state;
    };
    model::Client site = f.client;
    site.id = model::ClientId("wiki");
    site.site = model::Site{.url = "https://wiki.example/", .max_age = {}, .session_ttl = {}};
    f.fixture.add(site);
    f.give(f.alice, "wiki", "openid");
    CHECK(f.listed().empty());
    CHECK(counted() == text::Message::number(0));
    f.approve(f.alice, "app", "openid");
    CHECK(counted() == text::Message::number(1));
    REQUIRE(f.listed().size() == 1);
    CHECK(f.listed()[0].client_id == "app");
}

TEST_CASE("applications: one that the operator has not checked is listed with that, and with where it is [REG-31]") {
    struct Row {
        const char* when;
        model::Origin origin;
        const char* registered_by;
        const char* name;
        const char* shown;
        std::vector<std::string> redirect_uris;
        const char* host;
        bool unchecked;
    };
    const std::vector<std::string> local = {"http://localhost:6274/cb"};
    const std::vector<std::string> several = {"http://localhost:6274/cb", "https://evil.example/cb",
                                              "http://LOCALHOST/cb", "com.example.tool:/cb"};
    const char* const each = "localhost, evil.example, com.example.tool: (an app on this device)";
    const Row rows[] = {
        {"of the operator", model::Origin::operator_, "", "Notes", "Notes", several, "localhost", false},
        {"with a token", model::Origin::dynamic, "digest", "Notes", "Notes", several, each, false},
        {"without a token", model::Origin::dynamic, "", "Notes", "Notes", several, each, true},
        {"without a name", model::Origin::dynamic, "", "", "an application without a name", local, "localhost", true},
        {"of a document", model::Origin::document, "", "Notes", "Notes", several, "notes.example", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        model::Client client = f.client;
        client.id = model::ClientId("https://notes.example/c");
        client.name = row.name;
        client.origin = row.origin;
        client.registered_by = row.registered_by;
        client.redirect_uris = row.redirect_uris;
        f.fixture.add(client);
        f.give(f.alice, client.id.str(), "openid");  // no consent is remembered
        const auto& listed = f.listed();
        REQUIRE(listed.size() == 1);
        CHECK(text::said(listed[0].name) == row.shown);
        CHECK(listed[0].host == row.host);
        CHECK(listed[0].unchecked == row.unchecked);
        CHECK_FALSE(listed[0].first_party);
    }
}

TEST_CASE("activity: beside the name of an application that registered itself stands where its answers go [REG-31]") {
    struct Row {
        const char* registered_by;
        const char* name;
        const char* redirect_uri;
        const char* shown;
    };
    const Row rows[] = {
        {"", "Your bank", "http://localhost:6274/cb", "Your bank, localhost"},
        {"", "Your bank", "com.example.app:/cb", "Your bank, com.example.app: (an app on this device)"},
        {"", "", "https://tools.example/cb", "tools.example"},
        {"digest", "Your bank", "https://bank.example/cb", "Your bank"},
        {"digest", "", "https://bank.example/cb", "an application without a name"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.shown);
        Fixture f;
        model::Client client = f.client;
        client.id = model::ClientId("registered");
        client.name = row.name;
        client.origin = model::Origin::dynamic;
        client.registered_by = row.registered_by;
        client.redirect_uris = {row.redirect_uri, std::string(row.redirect_uri) + "/other"};
        f.fixture.add(client);
        f.change([&](auto& t) {
            store::add_activity(t, f.alice.subject,
                                {.at = f.fixture.clock.now(),
                                 .what = model::ActivityKind::application_allowed,
                                 .detail = "registered"});
        });
        CHECK(f.open("/activity").body == "activity");
        REQUIRE_FALSE(f.account_pages.last_activity.lines.empty());
        CHECK(f.account_pages.last_activity.lines.front().detail == row.shown);
    }
}

TEST_CASE("applications: a grant that ended or has nothing left under it is no access [ACCOUNT-9]") {
    Fixture f;
    f.give(f.alice, "app", "openid");
    CHECK(f.listed().size() == 1);
    f.fixture.clock.advance(std::chrono::hours(1));
    CHECK(f.listed().empty());
}

TEST_CASE("applications: a device that was allowed has access from its first token on [ACCOUNT-9, DEV-12]") {
    Fixture f;
    const auto grant = f.give(f.alice, "app", "openid", "");
    CHECK(f.listed().empty());
    f.fixture.clock.advance(util::Seconds{5});
    SUBCASE("an access token") {
        model::AccessToken access;
        access.token_hash = model::ValueHash("access");
        access.grant_id = grant;
        access.issued_at = f.fixture.clock.now();
        access.expires_at = access.issued_at + util::Seconds{60};
        f.change([&](auto& t) { store::insert_access_token(t, access); });
    }
    SUBCASE("a refresh token") {
        model::RefreshToken refresh;
        refresh.token_hash = model::ValueHash("refresh");
        refresh.grant_id = grant;
        refresh.issued_at = f.fixture.clock.now();
        refresh.expires_at = refresh.issued_at + util::Seconds{60};
        f.change([&](auto& t) { store::insert_refresh_token(t, refresh); });
    }
    REQUIRE(f.listed().size() == 1);
    CHECK_FALSE(f.listed()[0].last_used.empty());
}

TEST_CASE("applications: those of the organisation are named so [ACCOUNT-9]") {
    Fixture f;
    f.client.first_party = true;
    db::Transaction transaction(f.fixture.database, db::Durability::full);
    store::update_client(transaction, f.client);
    transaction.commit();
    f.give(f.alice, "app", "openid");
    REQUIRE(f.listed().size() == 1);
    CHECK(f.listed()[0].first_party);
}

TEST_CASE("applications: removing access withdraws the consent and ends every grant [ACCOUNT-9]") {
    Fixture f;
    f.fixture.add_confidential("mail", "https://mail.example/cb", "s");
    f.approve(f.alice, "app", "openid");
    const auto grant = f.give(f.alice, "app", "openid offline_access");
    const auto other = f.give(f.alice, "mail", "openid");
    CHECK(location_of(f.press_own("/applications", {{"client_id", "app"}})) ==
          "https://op.example/account/applications?done=access-removed");
    REQUIRE(f.fixture.trail.entries().size() == 1);
    CHECK(f.fixture.trail.entries()[0].event == audit::Event::consent_withdrawn);
    CHECK_FALSE(f.has_consent(f.alice));
    CHECK_FALSE(f.is_live(grant));
    CHECK(f.is_live(other));
    CHECK(f.listed().size() == 1);
}

TEST_CASE("applications: what another user allowed stays, whatever the form says [ACCOUNT-16, L26]") {
    Fixture f;
    f.approve(f.bob, "app", "openid");
    const auto grant = f.give(f.bob, "app", "openid");
    f.press_own("/applications", {{"client_id", "app"}});
    CHECK(f.has_consent(f.bob));
    CHECK(f.is_live(grant));
    CHECK(f.fixture.trail.entries().empty());
}

TEST_CASE("applications: removing access needs no recent login [ACCOUNT-3]") {
    Fixture f;
    f.approve(f.alice, "app", "openid");
    f.fixture.clock.advance(f.fixture.settings.account.reauthentication);
    CHECK(f.press_own("/applications", {{"client_id", "app"}}).status == 303);
    CHECK_FALSE(f.has_consent(f.alice));
}

TEST_CASE("applications: a form without an application changes nothing") {
    Fixture f;
    CHECK(refusal_of(f.press_own("/applications", {})) == "account_form_malformed");
}
