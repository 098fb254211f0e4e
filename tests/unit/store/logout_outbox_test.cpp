// Which clients the end of a session is told to, and who sends a logout token now.
#include "store/logout_outbox.h"

#include "store/session_clients.h"
#include "store/sessions.h"
#include "store/sweep.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ClientId;
using model::Sid;
using model::Subject;
using model::ValueHash;

namespace {

const Subject kUser("sub-1");

struct Fixture {
    db::Database database = sample_database();
    crypto::SeededRandom random{"logout"};
    store::LogoutNotices on{.has_clients = true, .backchannel = true, .random = &random};

    Fixture() {
        add_client("back", {.backchannel = "https://back.example/out"});
        add_client("front", {.frontchannel = "https://front.example/out"});
        add_client("both", {.backchannel = "https://both.example/out", .frontchannel = "https://both.example/f"});
        for (const char* sid : {"a", "b", "c"}) add_session(sid);
    }
    void add_client(const std::string& id, const model::LogoutUris& uris) {
        model::Client one = client(id);
        one.logout = uris;
        written(database, store::insert_client, one);
    }
    model::Session session(const std::string& sid) const {
        model::Session session;
        session.cookie_hash = ValueHash("cookie " + sid);
        session.sid = Sid(sid);
        session.subject = kUser;
        session.created_at = session.last_seen_at = kNow;
        session.expires_at = kNow + Seconds{3600};
        return session;
    }
    void add_session(const std::string& sid) { written(database, store::insert_session, session(sid)); }
    bool note(const std::string& sid, const std::string& client, Time at = kNow) {
        return written(database,
                       [&](auto& t) { return store::note_session_client(t, kUser, Sid(sid), ClientId(client), at); });
    }
    std::string clients(const std::string& sid) {
        std::string ids;
        for (const auto& each : store::clients_of_session(database, Sid(sid)))
            ids += (ids.empty() ? "" : " ") + each.client_id.str();
        return ids;
    }
    /// "back a" for each row, in the order of their clients and sessions.
    std::string told() {
        auto row = database.prepare("SELECT client_id, sid FROM logout_outbox ORDER BY client_id, sid");
        std::string all;
        while (row.step()) all += (all.empty() ? "" : ", ") + row.text(0) + " " + row.text(1);
        return all;
    }
    std::vector<store::DueNotice> due(Time at = kNow) { return store::find_due_notices(database, {}, at, 10); }
};

}  // namespace

TEST_CASE("session_clients: an ID token makes one row, the latest first, with the addresses of now [BCL-2]") {
    Fixture f;
    CHECK(f.note("a", "back"));
    CHECK(f.note("a", "front", kNow + Seconds{1}));
    CHECK(f.clients("a") == "front back");
    CHECK(f.note("a", "back", kNow + Seconds{2}));
    CHECK(f.clients("a") == "back front");
    CHECK(f.clients("b") == "");
    CHECK(store::clients_of_session(f.database, Sid("a"), {1}).size() == 1);
    const auto found = store::clients_of_session(f.database, Sid("a")).front();
    CHECK(found.logout.backchannel == "https://back.example/out");
    CHECK(found.state.enabled);
    CHECK(found.last_token_at == kNow + Seconds{2});
    CHECK_FALSE(f.note("gone", "back"));
    CHECK_FALSE(written(f.database, [](auto& t) {
        return store::note_session_client(t, Subject("another"), Sid("a"), ClientId("back"), kNow);
    }));
    CHECK(store::is_session_stored(f.database, kUser, Sid("a")));
    CHECK_FALSE(store::is_session_stored(f.database, kUser, Sid("gone")));
    CHECK_FALSE(store::is_session_stored(f.database, Subject("another"), Sid("a")));
}

TEST_CASE("session_clients: a row lives as long as its session, which a login prolongs, and its client [BCL-2]") {
    Fixture f;
    f.note("a", "back");
    f.note("b", "back");
    model::Session longer = f.session("a");
    longer.expires_at = kNow + Seconds{7200};
    written(f.database, store::keep_session_clients, longer);
    written(f.database, [](auto& t) { return store::sweep(t, kNow + Seconds{3600}); });
    CHECK(f.clients("a") == "back");
    CHECK(f.clients("b") == "");
    written(f.database, [](auto& t) { return store::sweep(t, kNow + Seconds{7200}); });
    CHECK(f.clients("a") == "");
    f.add_session("d");
    f.note("d", "both");
    written(f.database, store::remove_client, ClientId("both"));
    CHECK(f.clients("d") == "");
    written(f.database, [&](auto& t) { return store::end_sessions(t, kUser, kNow, f.on).told; });
    CHECK(f.told() == "");
}

TEST_CASE(
    "tell_of_logout: each way of ending sessions tells the clients of those that end and no other [BCL-3, BCL-4]") {
    struct Row {
        const char* when;
        std::size_t (*end)(db::Transaction&, Fixture&);  ///< how many applications it says
        std::size_t applications;
        const char* told;
        const char* left;  ///< clients of session b
    };
    const Row rows[] = {
        {"one",
         [](auto& t, auto& f) {
             store::end_session(t, kUser, Sid("a"), kNow, f.on);
             return std::size_t{2};
         },
         2, "back a, both a", "back"},
        {"one by its row",
         [](auto& t, auto& f) {
             store::remove_session(t, f.session("a"), kNow, f.on);
             return std::size_t{2};
         },
         2, "back a, both a", "back"},
        {"all", [](auto& t, auto& f) { return store::end_sessions(t, kUser, kNow, f.on).told.size(); }, 2,
         "back a, back b, both a", ""},
        {"all but one",
         [](auto& t, auto& f) { return store::end_sessions(t, kUser, kNow, f.on, Sid("a")).told.size(); }, 1, "back b",
         ""},
        {"all, with the user's access",
         [](auto& t, auto& f) { return store::end_user_access(t, kUser, kNow, f.on).size(); }, 2,
         "back a, back b, both a", ""},
        {"by a new password",
         [](auto& t, auto& f) { return store::replace_password(t, kUser, "hash", kNow, f.on).size(); }, 2,
         "back a, back b, both a", ""},
        {"by a new password, but for the session that made it",
         [](auto& t, auto& f) {
             return store::replace_password(t, kUser, "hash", kNow, f.on, store::MustChange::no,
                                            store::CodeFailuresAfter::none, Sid("b"))
                 .size();
         },
         2, "back a, both a", "back"},
        {"with the user", [](auto& t, auto& f) { return store::remove_user(t, kUser, kNow, f.on).value().size(); }, 2,
         "back a, back b, both a", ""},
        {"another's",
         [](auto& t, auto& f) { return store::end_sessions(t, Subject("another"), kNow, f.on).told.size(); }, 0, "",
         "back"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.note("a", "back");
        f.note("a", "both");
        f.note("a", "front");
        f.note("b", "back");
        CHECK(written(f.database, [&](auto& t) { return row.end(t, f); }) == row.applications);
        CHECK(f.told() == row.told);
        CHECK(f.clients("b") == row.left);
    }
}

TEST_CASE("tell_of_logout: off, no row is made; with the front channel alone, the notes of clients go [BCL-1]") {
    Fixture f;
    f.note("a", "back");
    written(f.database, [](auto& t) { return store::end_sessions(t, kUser, kNow, {}).told; });
    CHECK(f.told() == "");
    CHECK(f.clients("a") == "back");
    f.add_session("a2");
    f.note("a2", "both");
    written(f.database, [](auto& t) { return store::end_sessions(t, kUser, kNow, {.has_clients = true}).told; });
    CHECK(f.told() == "");
    CHECK(f.clients("a2") == "");
}

TEST_CASE("end_surplus_sessions: clients of those that end are told [BCL-3]") {
    Fixture f;
    f.note("a", "back");
    for (std::int64_t i = 0; i < store::kMaxSessions; ++i) {
        model::Session more = f.session("more " + std::to_string(i));
        more.last_seen_at = kNow + Seconds{1};
        written(f.database, store::insert_session, more);
    }
    model::Session begun = f.session("begun");
    written(f.database, store::insert_session, begun);
    written(f.database, store::end_surplus_sessions, begun, f.on);
    CHECK_FALSE(store::is_session_stored(f.database, kUser, Sid("a")));
    CHECK(f.told() == "back a");
}

TEST_CASE("logout_outbox: a row has what the token needs, and the address is the client's of now [BCL-4]") {
    Fixture f;
    f.note("a", "back");
    f.note("a", "both");
    written(f.database, [&](auto& t) { return store::end_sessions(t, kUser, kNow, f.on).told; });
    const auto due = f.due();
    REQUIRE(due.size() == 2);
    CHECK(f.due(kNow - Seconds{1}).empty());
    const store::LogoutNotice& notice = due[0].notice;
    CHECK(notice.subject == kUser);
    CHECK(notice.sid == Sid("a"));
    CHECK(notice.tries == 0);
    CHECK(notice.not_before == kNow);
    CHECK(notice.expires_at == kNow + Seconds{7200});
    CHECK(notice.jti.size() > 20);
    CHECK(due[0].notice.jti != due[1].notice.jti);

    model::Client moved = client("back");
    moved.logout.backchannel = "https://new.example/out";
    written(f.database, store::update_client, moved);
    written(f.database, store::remove_client, ClientId("both"));
    for (const auto& each : f.due())
        CHECK(each.uri == (each.notice.client_id == ClientId("back") ? "https://new.example/out" : ""));
    const store::NoticePlace behind{f.due().back().notice.not_before, f.due().back().notice.id};
    CHECK(store::find_due_notices(f.database, behind, kNow, 10).empty());
}

TEST_CASE("logout_outbox: a row is one deliverer's until its next try [BCL-5]") {
    Fixture f;
    f.note("a", "back");
    written(f.database, [&](auto& t) { return store::end_sessions(t, kUser, kNow, f.on).told; });
    const store::LogoutNotice notice = f.due().front().notice;
    const auto claim = [&] { return written(f.database, store::claim_notice, notice, kNow + Seconds{60}); };
    CHECK(claim());
    CHECK_FALSE(claim());  // another deliverer that has read the same row
    CHECK(f.due().empty());
    CHECK(f.due(kNow + Seconds{60}).front().notice.tries == 1);
    CHECK_FALSE(written(f.database, store::remove_notice, notice.id, 0));
    CHECK(written(f.database, store::remove_notice, notice.id, 1));
    CHECK(f.due(kNow + Seconds{60}).empty());
}

TEST_CASE("logout_outbox: late rows are counted, and those that no command gave up are swept [BCL-8]") {
    Fixture f;
    f.note("a", "back");
    written(f.database, [&](auto& t) { return store::end_sessions(t, kUser, kNow, f.on).told; });
    CHECK(store::count_notices(f.database, kNow).waiting == 1);
    CHECK(store::count_notices(f.database, kNow).late == 0);
    CHECK(store::count_notices(f.database, kNow + Seconds{1}).late == 1);
    const Time gone = kNow + store::kLogoutLifetime + store::kLogoutRetention;
    written(f.database, [&](auto& t) { return store::sweep(t, gone - Seconds{1}); });
    CHECK(store::count_notices(f.database, kNow).waiting == 1);
    written(f.database, [&](auto& t) { return store::sweep(t, gone); });
    CHECK(store::count_notices(f.database, kNow).waiting == 0);
}
