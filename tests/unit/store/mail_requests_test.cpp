#include "store/mail_requests.h"

#include "store/login_attempts.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::MailKind;
using model::MailRequest;
using model::Subject;

namespace {

MailRequest request(const std::string& id, MailKind kind = MailKind::notice, Time not_before = kNow) {
    MailRequest request;
    request.id = id;
    request.kind = kind;
    request.subject = Subject("sub-1");
    request.detail = "detail";
    request.created_at = kNow;
    request.not_before = not_before;
    return request;
}

void insert(db::Database& database, const MailRequest& request) { written(database, store::insert_mail, request); }

std::string ids_of(const std::vector<MailRequest>& requests) {
    std::string ids;
    for (const MailRequest& one : requests) ids += (ids.empty() ? "" : " ") + one.id;
    return ids;
}

}  // namespace

TEST_CASE(
    "mail_requests: what waits is due from its second on, the operator's links and what is asked for before notices [MAIL-6]") {
    auto database = sample_database();
    insert(database, request("reset", MailKind::reset));
    insert(database, request("later", MailKind::notice, kNow + Seconds{1}));
    insert(database, request("notice"));
    insert(database, request("invite", MailKind::invite, kNow - Seconds{1}));
    CHECK(ids_of(store::find_due_mail(database, kNow, 10)) == "invite reset notice");
    CHECK(ids_of(store::find_due_mail(database, kNow + Seconds{1}, 10)) == "invite reset notice later");
    CHECK(ids_of(store::find_due_mail(database, kNow, 10, {.asked = false})) == "invite notice");
    CHECK(ids_of(store::find_due_mail(database, kNow, 10, {.notices = false})) == "invite reset");
    CHECK_FALSE(store::is_notice_due(database, kNow - Seconds{1}));
    CHECK(store::is_notice_due(database, kNow));
    CHECK(ids_of(store::find_due_mail(database, kNow, 1)) == "invite");
    const auto found = store::find_due_mail(database, kNow, 1).front();
    CHECK(found.kind == MailKind::invite);
    CHECK(found.subject == Subject("sub-1"));
    CHECK_FALSE(found.email_key);
    CHECK(found.detail == "detail");
    CHECK(found.language == "");
    CHECK(found.tries == 0);
    CHECK_FALSE(found.failed_at);
}

TEST_CASE("mail_requests: one that is postponed counts no try, and one id is one row [MAIL-6, Q10]") {
    auto database = sample_database();
    insert(database, request("one"));
    insert(database, request("one", MailKind::invite));
    const auto seen = store::find_due_mail(database, kNow, 2);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == MailKind::notice);
    const auto postpone = [&] { return written(database, store::postpone_mail, seen[0], kNow + Seconds{9}); };
    CHECK(postpone());
    CHECK(store::find_due_mail(database, kNow + Seconds{8}, 1).empty());
    CHECK(store::find_due_mail(database, kNow + Seconds{9}, 1).front().tries == 0);
    written(database, store::claim_mail, seen[0], kNow);
    CHECK_FALSE(postpone());
}

TEST_CASE("mail_requests: a row is one deliverer's, until the time that it has named [MAIL-3, STORE-2]") {
    auto database = sample_database();
    insert(database, request("one"));
    const auto seen = store::find_due_mail(database, kNow, 1).front();
    const auto claim = [&](const MailRequest& each) {
        return written(database, store::claim_mail, each, kNow + Seconds{60});
    };
    CHECK(claim(seen));
    CHECK_FALSE(claim(seen));
    CHECK(store::find_due_mail(database, kNow + Seconds{59}, 1).empty());
    const auto again = store::find_due_mail(database, kNow + Seconds{60}, 1);
    REQUIRE(again.size() == 1);
    CHECK(again[0].tries == 1);
    written(database, [](auto& t) {
        CHECK_FALSE(store::remove_mail(t, "one", 0));  // the try that it meant is over
        CHECK_FALSE(store::fail_mail(t, "one", 0, kNow));
        CHECK(store::fail_mail(t, "one", 1, kNow));
    });
    CHECK(store::find_due_mail(database, kNow + Seconds{600}, 1).empty());
    CHECK(store::count_mail(database, kNow + Seconds{1}).failed == 1);
    written(database, [](auto& t) { CHECK(store::remove_mail(t, "one", 1)); });
    CHECK(count(database, "SELECT count(*) FROM mail_requests") == 0);
}

TEST_CASE("mail_requests: ten thousand resets wait and no more, whatever else does [MAIL-6, STORE-1, L31]") {
    auto database = sample_database();
    database
        .prepare(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)"
            " INSERT INTO mail_requests SELECT 'id ' || i, 'reset', NULL, 'key', '', 'en', 1, 1, 0, NULL FROM n")
        .execute();
    insert(database, request("notice"));
    MailRequest asked = request("last", MailKind::reset);
    asked.subject.reset();
    asked.email_key = "key";
    const auto ask = [&](const char* id) {
        asked.id = id;
        return written(database, store::insert_reset, asked);
    };
    CHECK(ask("last"));
    CHECK_FALSE(ask("one too many"));
    CHECK(count(database, "SELECT count(*) FROM mail_requests") == store::kMaxWaitingResets + 1);
    insert(database, request("another notice"));
    CHECK(store::find_asked_mail(database, 100).size() == 100);
    written(database, store::fail_mail, "last", 0, kNow);
    CHECK(ask("room again"));
}

TEST_CASE("mail_requests: those of a user who is removed go, and counts tell what is late") {
    auto database = sample_database();
    insert(database, request("one"));
    CHECK(store::count_mail(database, kNow).late == 0);
    CHECK(store::count_mail(database, kNow + Seconds{1}).late == 1);
    CHECK(store::count_mail(database, kNow + Seconds{1}).waiting == 1);
    CHECK(ids_of(store::list_mail(database)) == "one");
    written(database, store::remove_user, Subject("sub-1"), kNow, store::LogoutNotices{});
    CHECK(count(database, "SELECT count(*) FROM mail_requests") == 0);
}

TEST_CASE("count_uses: within all limits or not, what is refused counts for no later one, and windows end [MAIL-6]") {
    auto database = sample_database();
    const auto use = [&](Time now) {
        return written(database, [&](auto& t) {
            return store::count_uses(t, {{"mail-a", 2, Seconds{10}}, {"mail-b", 3, Seconds{100}}}, now);
        });
    };
    CHECK(use(kNow));
    CHECK(use(kNow));
    CHECK_FALSE(use(kNow));
    CHECK_FALSE(use(kNow + Seconds{9}));
    CHECK(use(kNow + Seconds{10}));
    CHECK_FALSE(use(kNow + Seconds{10}));  // b has had its three
    CHECK(use(kNow + Seconds{100}));
    CHECK(store::measure_pressure(database, kNow, 1, 1).throttled == 0);
}
