#include "store/sessions.h"

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
    return session;
}

store::Database with_session() {
    auto database = sample_database();
    written(database, [](store::Transaction& transaction) { store::insert_session(transaction, session()); });
    return database;
}

}  // namespace

TEST_CASE("find_session: absolute expiry, idle expiry and the user's state decide") {
    struct Row {
        const char* when;
        const char* cookie;
        Time now;
        Time idle_since;
        bool found;
    };
    const Time end = session().expires_at;
    const Row rows[] = {
        {"fresh", "cookie", kNow, kNow - Seconds{50}, true},
        {"the last second", "cookie", end - Seconds{1}, kNow, true},
        {"expired in this second", "cookie", end, kNow, false},
        {"seen exactly at the idle limit", "cookie", kNow, kNow, true},
        {"idle by a second", "cookie", kNow, kNow + Seconds{1}, false},
        {"another cookie", "Cookie", kNow, kNow, false},
        {"no cookie", "", kNow, kNow, false},
    };
    auto database = with_session();
    for (const auto& row : rows) {
        CAPTURE(row.when);
        CHECK(store::find_session(database, ValueHash(row.cookie), row.now, row.idle_since).has_value() == row.found);
    }
    const auto got = store::find_session(database, ValueHash("cookie"), kNow, kNow);
    CHECK(got->cookie_hash == session().cookie_hash);
    CHECK(got->sid == session().sid);
    CHECK(got->subject == session().subject);
    CHECK(got->auth_time == session().auth_time);
    CHECK(got->created_at == session().created_at);
    CHECK(got->last_seen_at == session().last_seen_at);
    CHECK(got->expires_at == session().expires_at);

    auto disabled = user();
    disabled.enabled = false;
    written(database, [&](store::Transaction& transaction) { store::update_user(transaction, disabled); });
    CHECK_FALSE(store::find_session(database, ValueHash("cookie"), kNow, kNow));
}

TEST_CASE("touch_session: moves idle expiry forward, never back, and absolute expiry not at all") {
    auto database = with_session();
    const auto touch = [&](const char* cookie, Time now) {
        written(database,
                [&](store::Transaction& transaction) { store::touch_session(transaction, ValueHash(cookie), now); });
        return store::find_session(database, ValueHash("cookie"), kNow, kNow - Seconds{1000})->last_seen_at;
    };
    CHECK(touch("cookie", kNow + Seconds{10}) == kNow + Seconds{10});
    CHECK(touch("cookie", kNow - Seconds{10}) == kNow + Seconds{10});
    CHECK(touch("other", kNow + Seconds{20}) == kNow + Seconds{10});
    CHECK(store::find_session(database, ValueHash("cookie"), kNow, kNow)->expires_at == session().expires_at);
}

TEST_CASE("remove_session: the old cookie is worth nothing, the session's inner id can go on under a new one") {
    auto database = with_session();
    auto rotated = session();
    rotated.cookie_hash = ValueHash("new cookie");
    written(database, [&](store::Transaction& transaction) {
        store::remove_session(transaction, ValueHash("cookie"));
        store::insert_session(transaction, rotated);
    });
    CHECK_FALSE(store::find_session(database, ValueHash("cookie"), kNow, kNow));
    CHECK(store::find_session(database, ValueHash("new cookie"), kNow, kNow)->sid == session().sid);
}
