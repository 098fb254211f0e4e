// The page of the browsers in which a user is signed in: what it lists, and what it ends.
#include "web/account/account.h"

#include "login/complete.h"
#include "store/grants.h"
#include "store/sessions.h"
#include "unit/web/account/account_flow.h"

using namespace postern;
using test::AccountFlow;
using test::location_of;
using test::refusal_of;

namespace {

/// A grant that was given in the session.
model::GrantId give(AccountFlow& f, const model::Session& session, const std::string& id, const std::string& scope) {
    model::Grant grant;
    grant.id = model::GrantId(id);
    grant.client_id = f.client.id;
    grant.subject = session.subject;
    grant.scope = *model::Scope::parse(scope);
    grant.sid = session.sid;
    grant.created_at = f.fixture.clock.now();
    db::Transaction transaction(f.fixture.database, db::Durability::full);
    store::insert_grant(transaction, grant, f.fixture.clock.now() + std::chrono::hours(1));
    transaction.commit();
    return grant.id;
}
bool is_live(AccountFlow& f, const model::GrantId& id) {
    return !store::find_grant(f.fixture.database, id)->ended_at.has_value();
}

}  // namespace

TEST_CASE("devices: the user's own, this one first, then by last use [ACCOUNT-8]") {
    AccountFlow f;
    const auto old = f.fixture.add_session(f.alice, "old");
    f.fixture.clock.advance(util::Seconds{60});
    const auto recent = f.fixture.add_session(f.alice, "recent");
    f.fixture.add_session(f.bob, "of-bob");
    CHECK(f.open("/devices").body == "devices");
    const auto& devices = f.account_pages.last_devices.devices;
    REQUIRE(devices.size() == 3);
    CHECK(devices[0].is_this);
    CHECK(devices[1].sid == recent.sid.str());
    CHECK(devices[2].sid == old.sid.str());
    CHECK_FALSE(devices[1].is_this);
}

TEST_CASE("devices: the latest fifty are listed, and how many others there are, however many [ACCOUNT-8, Q10]") {
    AccountFlow f;
    for (int i = 0; i < 120; ++i) {
        f.fixture.clock.advance(util::Seconds{1});
        f.fixture.add_session(f.alice, "s" + std::to_string(i));
    }
    CHECK(f.open("/devices").body == "devices");
    const auto& page = f.account_pages.last_devices;
    REQUIRE(page.devices.size() == store::kShownSessions);
    CHECK(page.devices[0].is_this);
    CHECK(page.more == 121 - store::kShownSessions);
    CHECK(location_of(f.press_own("/devices", {{"everywhere", "yes"}})) ==
          "https://op.example/account/devices?done=signed-out-elsewhere");
    CHECK(f.open("/devices").body == "devices");
    CHECK(f.account_pages.last_devices.devices.size() == 1);
    CHECK(f.account_pages.last_devices.more == 0);
}

TEST_CASE("devices: browser, system and address of each login, and no address where none is kept [ACCOUNT-8]") {
    struct Row {
        bool addresses;
        bool account;
        const char* name;
        const char* address;
    };
    const Row rows[] = {
        {true, true, "Firefox on Linux", "192.0.2.7"}, {false, true, "Firefox on Linux", ""}, {true, false, "", ""}};
    for (const Row& row : rows) {
        CAPTURE(row.addresses);
        CAPTURE(row.account);
        AccountFlow f;
        f.fixture.settings.account.addresses = row.addresses;
        if (!row.account) f.fixture.settings.paths.account.reset();
        f.cookies.clear();
        f.user_agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
        f.address = "192.0.2.7";
        oauth::Context context = f.fixture.context();
        http::Request request = test::get("");
        request.server_variables[login::kUserAgentVariable] = f.user_agent;
        request.remote_address = f.address;
        const login::Browser browser = login::recognise(context, request);
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        const auto started = login::start_session(context, transaction, browser, f.alice.subject, f.fixture.clock.now(),
                                                  model::by_password());
        transaction.commit();
        const auto stored = store::find_session(f.fixture.database, started.session.cookie_hash,
                                                {f.fixture.clock.now(), f.fixture.clock.now()});
        REQUIRE(stored);
        CHECK(stored->agent == row.name);
        CHECK(stored->address == row.address);
        if (!row.account) continue;
        f.cookies[login::cookie_names(f.fixture.settings).session] = started.cookie;
        CHECK(f.open("/devices").body == "devices");
        const auto& device = f.account_pages.last_devices.devices.at(0);
        CHECK(device.name == row.name);
        CHECK(device.address == row.address);
    }
}

TEST_CASE("devices: one is signed out, with its grants but not those for offline access [ACCOUNT-8]") {
    AccountFlow f;
    const auto lost = f.fixture.add_session(f.alice, "lost");
    const auto kept = f.fixture.add_session(f.alice, "kept");
    const auto online = give(f, lost, "online", "openid");
    const auto offline = give(f, lost, "offline", "openid offline_access");
    const auto elsewhere = give(f, kept, "elsewhere", "openid");
    const auto answer = f.press_own("/devices", {{"sid", lost.sid.str()}});
    CHECK(location_of(answer) == "https://op.example/account/devices?done=signed-out");
    CHECK_FALSE(f.is_live("lost"));
    CHECK(f.is_live("kept"));
    CHECK(f.is_live("of-alice"));
    CHECK_FALSE(is_live(f, online));
    CHECK(is_live(f, offline));
    CHECK(is_live(f, elsewhere));
}

TEST_CASE("devices: everywhere else is all but this, and nobody else's [ACCOUNT-8]") {
    AccountFlow f;
    const auto other = f.fixture.add_session(f.alice, "other");
    f.fixture.add_session(f.alice, "third");
    f.fixture.add_session(f.bob, "of-bob");
    const auto online = give(f, other, "online", "openid");
    CHECK(location_of(f.press_own("/devices", {{"everywhere", "yes"}})) ==
          "https://op.example/account/devices?done=signed-out-elsewhere");
    CHECK(f.fixture.trail.entries().size() == 2);
    for (const auto& entry : f.fixture.trail.entries()) CHECK(entry.event == audit::Event::session_ended);
    CHECK_FALSE(f.is_live("other"));
    CHECK_FALSE(f.is_live("third"));
    CHECK(f.is_live("of-alice"));
    CHECK(f.is_live("of-bob"));
    CHECK_FALSE(is_live(f, online));
}

TEST_CASE(
    "devices: the session of another user is not ended, nor its grants, whatever the form says [ACCOUNT-16, L26]") {
    AccountFlow f;
    const auto bobs = f.fixture.add_session(f.bob, "of-bob");
    const auto grant = give(f, bobs, "bobs", "openid");
    f.press_own("/devices", {{"sid", bobs.sid.str()}});
    CHECK(f.is_live("of-bob"));
    CHECK(is_live(f, grant));
    CHECK(f.fixture.trail.entries().empty());
}

TEST_CASE("devices: the audit line says whose session it was and that the user ended it [AUDIT-2]") {
    AccountFlow f;
    const auto lost = f.fixture.add_session(f.alice, "lost");
    f.press_own("/devices", {{"sid", lost.sid.str()}});
    REQUIRE(f.fixture.trail.entries().size() == 1);
    const auto& members = f.fixture.trail.entries()[0].members;
    CHECK(members ==
          std::vector<audit::Member>{
              audit::subject(f.alice.subject), audit::session(lost.sid), {"grants_ended", "0"}, {"by", "user"}});
}

TEST_CASE("devices: signing out needs no recent login [ACCOUNT-3]") {
    AccountFlow f;
    const auto lost = f.fixture.add_session(f.alice, "lost");
    f.fixture.clock.advance(f.fixture.settings.account.reauthentication);
    CHECK(f.press_own("/devices", {{"sid", lost.sid.str()}}).status == 303);
    CHECK_FALSE(f.is_live("lost"));
}

TEST_CASE("devices: a form without a device changes nothing") {
    AccountFlow f;
    CHECK(refusal_of(f.press_own("/devices", {})) == "account_form_malformed");
}
