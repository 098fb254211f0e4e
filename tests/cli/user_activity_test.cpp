// `postern user activity`: what it shows, of which user, and in which form.
#include <doctest/doctest.h>

#include "installation.h"
#include "model/activity.h"
#include "second_factors.h"
#include "store/activity.h"
#include "store/users.h"

using namespace postern;
using namespace postern::test;

namespace {

const util::Time kNow = util::SystemClock().now();

struct Fixture {
    Installation installation;
    model::Subject ada = put_app(installation, "ada");
    model::Subject bob = put_app(installation, "bob");

    void add(const model::Subject& subject, const model::ActivityLine& line) const {
        db::Database database = installation.open();
        db::Transaction transaction(database, db::Durability::full);
        store::lock_user(transaction, subject);
        store::add_activity(transaction, subject, line);
        transaction.commit();
    }
};

}  // namespace

TEST_CASE("user activity: the latest first, of this user alone, by name or sub [ACCOUNT-13]") {
    const Fixture f;
    f.add(f.ada,
          {kNow - util::Seconds(60), model::ActivityKind::signed_in, "Firefox on Linux", "192.0.2.1", "pwd otp mfa"});
    f.add(f.ada, {kNow, model::ActivityKind::passkey_added, "Safari on macOS", "", "My phone"});
    f.add(f.bob, {kNow, model::ActivityKind::password_changed});
    for (const std::string& name : {std::string("ada"), f.ada.str()}) {
        const std::string shown = f.installation.must({"user", "activity", name});
        CAPTURE(shown);
        CHECK(shown.find("Added a passkey") < shown.find("Signed in with a password and a code"));
        for (const char* text : {"My phone", "Firefox on Linux", "192.0.2.1", "Safari on macOS"})
            CHECK(has(shown, text));
        CHECK_FALSE(has(shown, "Changed the password"));
    }
    const json::Value lines = f.installation.must_json({"user", "activity", "ada"});
    REQUIRE(lines.if_array());
    REQUIRE(lines.if_array()->size() == 2);
    const json::Value& first = (*lines.if_array())[0];
    CHECK(text_of(first, "what") == "passkey_added");
    CHECK(text_of(first, "detail") == "My phone");
    CHECK(first.if_object()->find("address") == nullptr);
    CHECK(integer_of(first, "at") == util::to_epoch(kNow));
}

TEST_CASE("user activity: what a user has typed turns no line of the terminal around") {
    const Fixture f;
    f.add(f.ada, {kNow, model::ActivityKind::passkey_added, "", "", "phone\x1b[31m\n\xe2\x80\xae"});
    const std::string shown = f.installation.must({"user", "activity", "ada"});
    CHECK(shown.find('\x1b') == std::string::npos);
    CHECK_FALSE(has(shown, "\xe2\x80\xae"));
}

TEST_CASE("user activity: a user without a line has an empty list, and an unknown one is refused [ACCOUNT-13]") {
    const Fixture f;
    CHECK(f.installation.must_json({"user", "activity", "bob"}).if_array()->empty());
    f.installation.refused({"user", "activity", "eve"});
    CHECK(f.installation.postern({"user", "activity"}).exit_code == 2);
}
