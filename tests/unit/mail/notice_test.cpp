// How many messages changes of one account cause (docs/decisions/0100).
#include "mail/notice.h"

#include <doctest/doctest.h>

#include "db/write.h"
#include "model/mail.h"
#include "store/mail_requests.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;
using model::ActivityKind;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::User ada = user("ada");
    model::User bob = user("bob");

    model::User user(const std::string& name) {
        model::User made = fixture.add_user(name);
        made.claims.set("email", name + "@op.example");
        db::Transaction transaction(fixture.database, db::Durability::full);
        store::update_user(transaction, made);
        transaction.commit();
        return made;
    }
    bool queue(const model::User& of, ActivityKind what) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        const bool is_queued = mail::queue_notice(transaction, fixture.random, of.subject, what, fixture.clock.now());
        transaction.commit();
        return is_queued;
    }
    /// That wait, whenever they may be sent.
    std::size_t waiting() { return store::list_mail(fixture.database).size(); }
    /// Sends what is due.
    std::size_t send() {
        const auto due = store::find_due_mail(fixture.database, fixture.clock.now(), 1000);
        db::Transaction transaction(fixture.database, db::Durability::full);
        for (const auto& each : due) store::remove_mail(transaction, each.id, each.tries);
        transaction.commit();
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
        f.fixture.clock.advance(std::chrono::hours(1) - std::chrono::seconds(1));
        CHECK(f.send() == 0);
        f.fixture.clock.advance(std::chrono::seconds(1));
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
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::update_user(transaction, f.ada);
        transaction.commit();
    }
    f.queue(f.ada, ActivityKind::profile_changed);
    CHECK(f.send() == 1);
}
