#include "store/authorization_requests.h"

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::Decision;
using model::RequestKey;
using model::Subject;

namespace {

const RequestKey kKey("request");
const Subject kAlice("sub-1");
const Subject kBob("sub-2");
constexpr Time kEnd = kNow + Seconds{600};

db::Database with_two_users() {
    auto database = sample_database();
    written(database, [](auto& t) { store::insert_user(t, user("sub-2", "bob")); });
    return database;
}

void login(db::Database& database, const Subject& subject, const RequestKey& key = kKey) {
    written(database, store::record_login, key, subject, kEnd);
}

bool decide(db::Database& database, const Subject& subject, Decision decision) {
    return written(database, store::record_decision, kKey, subject, decision, kEnd);
}

bool use(db::Database& database, const Subject& subject) {
    return written(database, store::use_request, kKey, subject, kEnd);
}

void check(db::Database& database, const Subject& subject, bool logged_in, Decision decision, bool used) {
    const auto progress = store::find_progress(database, kKey);
    REQUIRE(progress);
    CHECK(progress->subject == subject);
    CHECK(progress->logged_in == logged_in);
    CHECK(progress->decision == decision);
    CHECK(progress->used == used);
}

}  // namespace

TEST_CASE("authorization requests: one without any progress is unknown") {
    auto database = with_two_users();
    CHECK_FALSE(store::find_progress(database, kKey));
    login(database, kAlice, RequestKey("another"));
    CHECK_FALSE(store::find_progress(database, kKey));
}

TEST_CASE("authorization requests: login, decision and use add up [IF28, IF29, IF115]") {
    for (const Decision decision : {Decision::approved, Decision::denied}) {
        auto database = with_two_users();
        login(database, kAlice);
        check(database, kAlice, true, Decision::unset, false);
        CHECK(decide(database, kAlice, decision));
        check(database, kAlice, true, decision, false);
        CHECK(use(database, kAlice));
        check(database, kAlice, true, decision, true);
    }
}

TEST_CASE(
    "record_decision: an approval may be taken back until it is answered, a denial is final [RFC 6749 §4.1.2.1]") {
    auto database = with_two_users();
    CHECK(decide(database, kAlice, Decision::approved));
    check(database, kAlice, false, Decision::approved, false);
    CHECK(decide(database, kAlice, Decision::denied));
    check(database, kAlice, false, Decision::denied, false);
    CHECK_FALSE(decide(database, kAlice, Decision::approved));
    CHECK_FALSE(decide(database, kAlice, Decision::denied));
    login(database, kAlice);
    CHECK_FALSE(decide(database, kAlice, Decision::approved));
    check(database, kAlice, true, Decision::denied, false);
    // Another subject decides about an account of its own.
    CHECK(decide(database, kBob, Decision::approved));
    check(database, kBob, false, Decision::approved, false);
}

TEST_CASE("record_login: keeps the same subject's decision, forgets another's") {
    auto database = with_two_users();
    decide(database, kAlice, Decision::approved);
    login(database, kAlice);
    check(database, kAlice, true, Decision::approved, false);
    login(database, kBob);
    check(database, kBob, true, Decision::unset, false);
}

TEST_CASE("record_decision: another user's login is not this subject's [IF29]") {
    auto database = with_two_users();
    login(database, kAlice);
    CHECK(decide(database, kBob, Decision::approved));
    check(database, kBob, false, Decision::approved, false);
}

TEST_CASE("use_request: true once, for any caller; nothing changes a used request [RFC 6749 §4.1.2, L17]") {
    auto database = with_two_users();
    CHECK(use(database, kAlice));
    check(database, kAlice, false, Decision::unset, true);
    CHECK_FALSE(use(database, kAlice));
    CHECK_FALSE(use(database, kBob));
    CHECK_FALSE(decide(database, kAlice, Decision::approved));
    CHECK_FALSE(decide(database, kBob, Decision::approved));
    login(database, kAlice);
    login(database, kBob);
    check(database, kAlice, false, Decision::unset, true);
}

TEST_CASE("use_request: a use that was rolled back is none") {
    auto database = with_two_users();
    {
        db::Transaction t(database, db::Durability::lazy);
        CHECK(store::use_request(t, kKey, kAlice, kEnd));
    }
    CHECK(use(database, kAlice));
}

TEST_CASE("end_open_requests: the subject's, unless they are answered") {
    auto database = with_two_users();
    const RequestKey used("used");
    const RequestKey bobs("bobs");
    login(database, kAlice);
    login(database, kBob, bobs);
    written(database, [&](auto& t) {
        store::use_request(t, used, kAlice, kEnd);
        store::end_open_requests(t, kAlice);
    });
    CHECK_FALSE(store::find_progress(database, kKey));
    CHECK(store::find_progress(database, used));
    CHECK(store::find_progress(database, bobs));
}
