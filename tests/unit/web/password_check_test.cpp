// Passwords, and how guessing is slowed down (docs/decisions/0007).
#include "web/password_check.h"

#include <doctest/doctest.h>

#include "crypto/password.h"
#include "store/users.h"
#include "support/world.h"

using namespace postern;
using web::PasswordOutcome;

namespace {

struct Fixture {
    test::World world;
    oauth::Context context = world.context();
    model::User alice = world.add_user("alice");
    Fixture() {
        world.settings.login.max_failures = 2;
        alice.password_hash = crypto::hash_password(util::Secret("correct horse"));
        save();
    }
    void save() {
        store::Transaction transaction(world.database, store::Durability::full);
        REQUIRE(store::update_user(transaction, alice));
        transaction.commit();
    }
    PasswordOutcome check(const std::string& name, const std::string& password,
                          const std::string& address = "192.0.2.1") {
        return web::check_login(context, name, util::Secret(password), address).outcome;
    }
};

}  // namespace

TEST_CASE("check_login: who gets in") {
    Fixture f;
    f.world.settings.login.max_failures = 100;
    CHECK(f.check("alice", "correct horse") == PasswordOutcome::right);
    const std::pair<const char*, std::string> refused[] = {
        {"alice", "wrong"},
        {"alice", "correct horse "},
        {"alice", "correct hors"},
        {"alice", ""},
        {"alice", std::string(512, 'x')},
        {"ALICE", "correct horse"},
        {"bob", "correct horse"},
        {"", "correct horse"},
    };
    for (const auto& [name, password] : refused) {
        CAPTURE(name);
        CAPTURE(password);
        CHECK(f.check(name, password) == PasswordOutcome::wrong);
    }
    f.alice.enabled = false;
    f.save();
    CHECK(f.check("alice", "correct horse") == PasswordOutcome::wrong);
    f.alice.enabled = true;
    f.alice.password_hash.clear();
    f.save();
    CHECK(f.check("alice", "correct horse") == PasswordOutcome::wrong);
}

TEST_CASE("check_login: after maxFailures the pair waits, right password or not; the window ends it") {
    Fixture f;
    CHECK(f.check("alice", "a") == PasswordOutcome::wrong);
    CHECK(f.check("alice", "b") == PasswordOutcome::wrong);
    const auto verdict = web::check_login(f.context, "alice", util::Secret("correct horse"), "192.0.2.1");
    CHECK(verdict.outcome == PasswordOutcome::throttled);
    CHECK(verdict.wait == util::Seconds{900});
    CHECK(f.check("alice", "correct horse", "192.0.2.2") == PasswordOutcome::right);
    CHECK(f.check("bob", "x") == PasswordOutcome::wrong);
    f.world.clock.advance(util::Seconds{899});
    CHECK(f.check("alice", "correct horse") == PasswordOutcome::throttled);
    f.world.clock.advance(util::Seconds{1});
    CHECK(f.check("alice", "correct horse") == PasswordOutcome::right);
}

TEST_CASE("check_login: a success clears the pair's counter") {
    Fixture f;
    for (int round = 0; round < 3; ++round) {
        CHECK(f.check("alice", "a") == PasswordOutcome::wrong);
        CHECK(f.check("alice", "correct horse") == PasswordOutcome::right);
    }
}

TEST_CASE(
    "check_login: one name from many addresses and many names from one address are stopped at ten times the limit") {
    Fixture f;
    for (int i = 0; i < 20; ++i)
        CHECK(f.check("alice", "x", "198.51.100." + std::to_string(i)) == PasswordOutcome::wrong);
    CHECK(f.check("alice", "correct horse", "203.0.113.1") == PasswordOutcome::throttled);
    for (int i = 0; i < 20; ++i)
        CHECK(f.check("user" + std::to_string(i), "x", "203.0.113.9") == PasswordOutcome::wrong);
    CHECK(f.check("somebody", "x", "203.0.113.9") == PasswordOutcome::throttled);
    CHECK(f.check("somebody", "x", "203.0.113.8") == PasswordOutcome::wrong);
}
