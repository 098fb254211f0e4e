// How many messages changes of one account cause (docs/decisions/0100).
#include "mail/notice.h"

#include <doctest/doctest.h>

#include "store/mail_requests.h"
#include "unit/store/fixture.h"

using namespace postern;
using model::ActivityKind;

namespace {

struct Fixture {
    db::Database database = test::empty_database();
    util::FixedClock clock{test::kNow};
    crypto::SeededRandom random{"notices"};
    model::User ada = user("ada");
    model::User bob = user("bob");

    template <class Change>
    auto write(Change change) {
        return test::written(database, change);
    }
    model::User user(const std::string& name) {
        model::User made = test::user("sub-" + name, name);
        made.claims.set("email", name + "@op.example");
        write([&](db::Transaction& transaction) { store::insert_user(transaction, made); });
        return made;
    }
    bool queue(const model::User& of, ActivityKind what) {
        return write([&](db::Transaction& transaction) {
            return mail::queue_notice(transaction, random, of.subject, what, clock.now());
        });
    }
    /// That wait, whenever they may be sent.
    std::size_t waiting() { return store::list_mail(database).size(); }
    /// Sends what is due.
    std::size_t send() {
        const auto due = store::find_due_mail(database, clock.now(), 1000);
        write([&](db::Transaction& transaction) {
            for (const auto& each : due) store::remove_mail(transaction, each.id, each.tries);
        });
        return due.size();
    }
};

}  // namespace

TEST_CASE("notices: of one sort one goes at once, and one for all others at the end of the hour [POLICY-5, Q10]") {
    for (const bool is_sent_between : {true, false}) {
        CAPTURE(is_sent_between);
        Fixture f;
        for (int i = 0; i < 260; ++i) {
            CHECK(f.queue(f.ada, ActivityKind::recovery_codes_made));
            if (is_sent_between) CHECK(f.send() == (i == 0 ? 1 : 0));
        }
        CHECK(f.waiting() == (is_sent_between ? 1 : 2));
        // Another sort, and another user, are told at once.
        const std::size_t before = f.send();
        CHECK(before == (is_sent_between ? 0 : 1));
        f.queue(f.ada, ActivityKind::password_changed);
        f.queue(f.bob, ActivityKind::recovery_codes_made);
        CHECK(f.send() == 2);
        f.clock.advance(std::chrono::hours(1) - std::chrono::seconds(1));
        CHECK(f.send() == 0);
        f.clock.advance(std::chrono::seconds(1));
        CHECK(f.send() == 1);
        CHECK(f.waiting() == 0);
        f.queue(f.ada, ActivityKind::recovery_codes_made);
        CHECK(f.send() == 1);
    }
}

TEST_CASE("notices: an address that is another one by now is told at once [ACCOUNT-11, POLICY-5]") {
    Fixture f;
    f.queue(f.ada, ActivityKind::profile_changed);
    CHECK(f.send() == 1);
    f.ada.claims.set("email", "new@op.example");
    f.write([&](db::Transaction& transaction) { store::update_user(transaction, f.ada); });
    f.queue(f.ada, ActivityKind::profile_changed);
    CHECK(f.send() == 1);
}

TEST_CASE("may_get_another: a user gets three an hour and ten a day of what is asked for [MAIL-6, L31]") {
    Fixture f;
    const auto sent_of = [&](const model::User& user, int asked) {
        int sent = 0;
        for (int i = 0; i < asked; ++i)
            sent += f.write([&](db::Transaction& transaction) {
                return mail::may_get_another(transaction, user.subject, f.clock.now());
            });
        return sent;
    };
    int of_the_day = 0;
    for (int hour = 0; hour < 6; ++hour) {
        const int sent = sent_of(f.ada, 8);
        CHECK(sent <= 3);
        of_the_day += sent;
        f.clock.advance(std::chrono::hours(1));
    }
    CHECK(of_the_day == 10);
    CHECK(sent_of(f.bob, 8) == 3);
    f.clock.advance(std::chrono::hours(24));
    CHECK(sent_of(f.ada, 8) == 3);
}
