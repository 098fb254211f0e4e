#include "store/sessions.h"

#include "store/authorization_requests.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ValueHash;

namespace {

model::Session session() {
    model::Session session;
    session.cookie_hash = ValueHash("cookie");
    session.sid = model::Sid("sid");
    session.subject = model::Subject("sub-1");
    session.auth_time = kNow - Seconds{3};
    session.created_at = kNow - Seconds{2};
    session.last_seen_at = kNow;
    session.expires_at = kNow + Seconds{100};
    session.agent = "Firefox on Linux";
    session.address = "192.0.2.1";
    return session;
}

db::Database with_session() {
    auto database = sample_database();
    written(database, store::insert_session, session());
    return database;
}

}  // namespace

TEST_CASE("find_session: absolute expiry, idle expiry and the user's state decide [L04]") {
    struct Row {
        const char* when;
        const char* cookie;
        Time now;
        Time idle_since;
        bool found;
        Time begun_after{};
    };
    const Time end = session().expires_at;
    const Row rows[] = {
        {"fresh", "cookie", kNow, kNow - Seconds{50}, true},
        {"the last second", "cookie", end - Seconds{1}, kNow, true},
        {"expired in this second", "cookie", end, kNow, false},
        {"seen exactly at the idle limit", "cookie", kNow, kNow, true},
        {"idle by a second", "cookie", kNow, kNow + Seconds{1}, false},
        {"begun within the lifetime of today", "cookie", kNow, kNow, true, session().created_at - Seconds{1}},
        {"begun when lifetimes were longer", "cookie", kNow, kNow, false, session().created_at},
        {"another cookie", "Cookie", kNow, kNow, false},
        {"no cookie", "", kNow, kNow, false},
    };
    auto database = with_session();
    for (const auto& row : rows) {
        CAPTURE(row.when);
        CHECK(store::find_session(database, ValueHash(row.cookie), {row.now, row.idle_since, row.begun_after})
                  .has_value() == row.found);
    }
    const auto got = store::find_session(database, ValueHash("cookie"), {kNow, kNow});
    CHECK(*got == session());

    auto disabled = user();
    disabled.enabled = false;
    written(database, store::update_user, disabled);
    CHECK_FALSE(store::find_session(database, ValueHash("cookie"), {kNow, kNow}));
}

TEST_CASE("find_session_of: what find_session finds, by user and sid [GATE-13]") {
    auto database = with_session();
    const auto find = [&](const char* subject, const char* sid, Time now = kNow, Time idle_since = kNow,
                          Time begun_after = {}) {
        return store::find_session_of(database, model::Subject(subject), model::Sid(sid),
                                      {now, idle_since, begun_after});
    };
    const std::string subject = session().subject.str();
    const std::string sid = session().sid.str();
    CHECK(find(subject.c_str(), sid.c_str()) == session());
    CHECK_FALSE(find("sub-2", sid.c_str()));
    CHECK_FALSE(find("", sid.c_str()));
    CHECK_FALSE(find(subject.c_str(), "sid-2"));
    CHECK_FALSE(find(subject.c_str(), ""));
    CHECK_FALSE(find(subject.c_str(), sid.c_str(), session().expires_at));
    CHECK_FALSE(find(subject.c_str(), sid.c_str(), kNow, kNow + Seconds{1}));
    CHECK_FALSE(find(subject.c_str(), sid.c_str(), kNow, kNow, session().created_at));
    auto disabled = user();
    disabled.enabled = false;
    written(database, store::update_user, disabled);
    CHECK_FALSE(find(subject.c_str(), sid.c_str()));
}

TEST_CASE("touch_session: moves idle expiry forward, never back, and absolute expiry not at all") {
    auto database = with_session();
    const auto touch = [&](const char* cookie, Time now) {
        written(database, store::touch_session, ValueHash(cookie), now);
        return store::find_session(database, ValueHash("cookie"), {kNow, kNow - Seconds{1000}})->last_seen_at;
    };
    CHECK(touch("cookie", kNow + Seconds{10}) == kNow + Seconds{10});
    CHECK(touch("cookie", kNow - Seconds{10}) == kNow + Seconds{10});
    CHECK(touch("other", kNow + Seconds{20}) == kNow + Seconds{10});
    CHECK(store::find_session(database, ValueHash("cookie"), {kNow, kNow})->expires_at == session().expires_at);
}

TEST_CASE("remove_session: the old cookie is worth nothing, the session's inner id can go on under a new one") {
    auto database = with_session();
    auto rotated = session();
    rotated.cookie_hash = ValueHash("new cookie");
    written(database, [&](auto& t) {
        store::delete_session_row(t, ValueHash("cookie"));
        store::insert_session(t, rotated);
    });
    CHECK_FALSE(store::find_session(database, ValueHash("cookie"), {kNow, kNow}));
    CHECK(store::find_session(database, ValueHash("new cookie"), {kNow, kNow})->sid == session().sid);
}

TEST_CASE("list_sessions: those that a cookie could still open, the oldest first, of one user or of all") {
    auto database = with_session();
    written(database, [](auto& t) {
        store::insert_user(t, user("sub-2", "bob"));
        auto disabled = user("sub-3", "carol");
        disabled.enabled = false;
        store::insert_user(t, disabled);
        const auto add = [&](const char* name, const char* subject, auto change) {
            auto each = session();
            each.cookie_hash = ValueHash(name);
            each.sid = model::Sid(name);
            each.subject = model::Subject(subject);
            change(each);
            store::insert_session(t, each);
        };
        add("older", "sub-2", [](model::Session& each) { each.created_at = kNow - Seconds{50}; });
        add("expired", "sub-2", [](model::Session& each) { each.expires_at = kNow; });
        add("idle", "sub-1", [](model::Session& each) { each.last_seen_at = kNow - Seconds{31}; });
        add("carol's", "sub-3", [](model::Session&) {});
    });
    const auto listed = [&](std::optional<model::Subject> subject) {
        std::string text;
        for (const auto& each : store::list_sessions(database, {kNow, kNow - Seconds{30}}, subject))
            text += each.session.sid.str() + "/" + each.username + " ";
        return text;
    };
    CHECK(listed({}) == "older/bob sid/alice ");
    CHECK(listed(model::Subject("sub-1")) == "sid/alice ");
    CHECK(listed(model::Subject("sub-3")) == "");
    CHECK(listed(model::Subject("")) == "");
}

TEST_CASE("end_sessions: sessions, open requests and what was given in them end, but what may go on offline") {
    auto database = with_session();
    written(database, [](auto& t) {
        store::insert_user(t, user("sub-2", "bob"));
        auto second = session();
        second.cookie_hash = ValueHash("second");
        second.sid = model::Sid("second");
        second.expires_at = kNow - Seconds{1};  // still there
        store::insert_session(t, second);
        auto bobs = session();
        bobs.cookie_hash = ValueHash("bob's");
        bobs.sid = model::Sid("bob's");
        bobs.subject = model::Subject("sub-2");
        store::insert_session(t, bobs);
        for (const char* key : {"open", "answered"})
            store::record_login(t, model::RequestKey(key), session().subject, kNow + Seconds{9});
        store::use_request(t, model::RequestKey("answered"), session().subject, kNow + Seconds{9});
        store::record_login(t, model::RequestKey("bob's"), bobs.subject, kNow + Seconds{9});
        const auto give = [&](const char* id, const char* sid, const char* scope, const char* subject = "sub-1") {
            auto each = grant(id, subject);
            each.sid = model::Sid(sid);
            each.scope = *model::Scope::parse(scope);
            store::insert_grant(t, each);
        };
        give("1", "sid", "openid");
        give("2", "second", "openid");
        give("3", "sid", "openid offline_access");
        give("4", "gone long ago", "openid");
        give("5", "bob's", "openid", "sub-2");
    });
    const auto subjects = [&] {
        std::string text;
        for (const auto& each : store::subjects_with_sessions(database)) text += each.str() + " ";
        return text;
    };
    CHECK(subjects() == "sub-1 sub-2 ");
    const auto ended =
        written(database, [](auto& t) { return store::end_sessions(t, session().subject, kNow, {}).sessions; });
    REQUIRE(ended.size() == 2);
    for (const auto& each : ended) CHECK(each.grants == 1);
    CHECK(subjects() == "sub-2 ");
    CHECK(count(database, "SELECT count(*) FROM sessions") == 1);
    CHECK_FALSE(store::find_progress(database, model::RequestKey("open")));
    CHECK(store::find_progress(database, model::RequestKey("answered")));
    CHECK(store::find_progress(database, model::RequestKey("bob's")));
    for (const char* id : {"1", "2"}) CHECK(store::find_grant(database, model::GrantId(id))->ended_at);
    for (const char* id : {"3", "4", "5"}) CHECK_FALSE(store::find_grant(database, model::GrantId(id))->ended_at);
}

TEST_CASE("subjects_with_sessions: includes those who have only an open request") {
    auto database = sample_database();
    CHECK(store::subjects_with_sessions(database).empty());
    written(database, store::record_login, model::RequestKey("open"), session().subject, kNow);
    CHECK(store::subjects_with_sessions(database).size() == 1);
}
