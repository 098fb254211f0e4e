// Passwords, and how guessing is slowed down (docs/decisions/0007).
#include "login/password_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "crypto/password.h"
#include "login/saslauthd.h"
#include "store/users.h"
#include "support/rules_fixture.h"
#include "unit/store/fixture.h"

using namespace postern;
using login::ProofFault;

namespace {

constexpr std::optional<ProofFault> kRight;

std::optional<ProofFault> fault_of(const login::ProofResult& result) {
    return result ? kRight : std::optional(result.error().fault);
}

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::User alice = fixture.add_user("alice");
    Fixture() {
        fixture.settings.login.max_failures = 2;
        set_hash(crypto::hash_password(util::Secret("correct horse")));
    }
    void set_hash(const std::string& hash) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        store::set_password_hash(transaction, alice.subject, hash, context.now());
        transaction.commit();
    }
    void save() {
        db::Transaction transaction(fixture.database, db::Durability::full);
        REQUIRE(store::update_user(transaction, alice));
        transaction.commit();
    }
    /// Whether the proof still holds when the session is about to start.
    bool confirm(const login::ProofResult& result) {
        REQUIRE(result);
        db::Transaction transaction(fixture.database, db::Durability::full);
        const bool confirmed = result->spend(transaction);
        if (confirmed)
            login::note_success(transaction, login::success_keys(context, "alice", "192.0.2.1"), context.now());
        transaction.commit();
        return confirmed;
    }
    login::ProofResult attempt(const std::string& password, const std::string& address = "192.0.2.1") {
        return login::attempt_password(context, "alice", util::Secret(password), address);
    }
    std::optional<ProofFault> check(const std::string& name, const std::string& password,
                                    const std::string& address = "192.0.2.1") {
        return fault_of(login::attempt_password(context, name, util::Secret(password), address));
    }
};

}  // namespace

TEST_CASE("attempt_password: strangers leave one hash slot to names that have logged in at their address [L11, L45]") {
    Fixture f;
    const test::TemporaryDirectory directory;
    login::Settings& login = f.fixture.settings.login;
    login.hash_slot_files = directory / "postern.hash";
    REQUIRE(f.confirm(f.attempt("correct horse")));
    {
        // The one that strangers may have is taken by another.
        const auto held = os::Slot::acquire(login.hash_slot_files, 1, std::chrono::milliseconds(0));
        REQUIRE(held);
        CHECK(fault_of(f.attempt("correct horse")) == kRight);
        login.method = login::Method::saslauthd;
        login.saslauthd.emplace().socket = directory / "mux";  // which is not there: only an attempt with a slot asks
        CHECK_THROWS_AS(f.attempt("correct horse"), login::SaslauthdError);
        CHECK(fault_of(f.attempt("correct horse", "192.0.2.77")) == ProofFault::busy);
        CHECK(f.check("bob", "correct horse") == ProofFault::busy);
    }
    login.hash_slots = 1;  // all have the same one
    CHECK_THROWS_AS(f.attempt("correct horse", "192.0.2.77"), login::SaslauthdError);
}

TEST_CASE("attempt_password: which users and passwords succeed") {
    Fixture f;
    f.fixture.settings.login.max_failures = 100;
    CHECK(f.check("alice", "correct horse") == kRight);
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
    for (const auto& row : refused) {
        CAPTURE(std::string(row.first));
        CAPTURE(row.second);
        CHECK(f.check(row.first, row.second) == ProofFault::wrong);
    }
    f.alice.enabled = false;
    f.save();
    CHECK(f.check("alice", "correct horse") == ProofFault::wrong);
    f.alice.enabled = true;
    f.save();
    f.set_hash("");
    CHECK(f.check("alice", "correct horse") == ProofFault::wrong);
}

TEST_CASE("attempt_password: after maxFailures the pair waits, right password or not; the window ends it [IF179]") {
    Fixture f;
    CHECK(f.check("alice", "a") == ProofFault::wrong);
    CHECK(f.check("alice", "b") == ProofFault::wrong);
    const auto refused = f.attempt("correct horse");
    CHECK(fault_of(refused) == ProofFault::throttled);
    CHECK(refused.error().wait == util::Seconds{900});
    CHECK(f.check("alice", "correct horse", "192.0.2.2") == kRight);
    CHECK(f.check("bob", "x") == ProofFault::wrong);
    f.fixture.clock.advance(util::Seconds{899});
    CHECK(f.check("alice", "correct horse") == ProofFault::throttled);
    f.fixture.clock.advance(util::Seconds{1});
    CHECK(f.check("alice", "correct horse") == kRight);
}

TEST_CASE("note_success: a success clears the pair's counter") {
    Fixture f;
    for (int round = 0; round < 3; ++round) {
        CHECK(f.check("alice", "a") == ProofFault::wrong);
        CHECK(f.confirm(f.attempt("correct horse")));
    }
}

TEST_CASE("spend: what happened to the password while the login waited decides") {
    Fixture f;
    const auto proof = f.attempt("correct horse");
    REQUIRE(proof);
    CHECK(proof->subject == f.alice.subject);
    CHECK(f.confirm(proof));
    f.set_hash(crypto::hash_password(util::Secret("correct horse")));
    CHECK_FALSE(f.confirm(proof));
}

TEST_CASE("attempt_password: an IPv6 customer is counted by the /64, IPv4 by the address") {
    Fixture f;
    CHECK(f.check("alice", "a", "2001:db8:1:2::1") == ProofFault::wrong);
    CHECK(f.check("alice", "b", "2001:db8:1:2:ffff::2") == ProofFault::wrong);
    CHECK(f.check("alice", "c", "2001:db8:1:2:3:4:5:6") == ProofFault::throttled);
    CHECK(f.check("alice", "correct horse", "2001:db8:1:3::1") == kRight);
    CHECK(f.check("alice", "a", "::ffff:192.0.2.1") == ProofFault::wrong);
    CHECK(f.check("alice", "a", "::ffff:192.0.2.2") == ProofFault::wrong);
    CHECK(f.check("alice", "correct horse", "::ffff:192.0.2.1") == kRight);
}

TEST_CASE(
    "attempt_password: one name from many addresses and many names from one address are stopped at ten times the limit") {
    Fixture f;
    for (int i = 0; i < 20; ++i) CHECK(f.check("alice", "x", "198.51.100." + std::to_string(i)) == ProofFault::wrong);
    CHECK(f.check("alice", "correct horse", "203.0.113.1") == ProofFault::throttled);
    for (int i = 0; i < 20; ++i) CHECK(f.check("user" + std::to_string(i), "x", "203.0.113.9") == ProofFault::wrong);
    CHECK(f.check("somebody", "x", "203.0.113.9") == ProofFault::throttled);
    CHECK(f.check("somebody", "x", "203.0.113.8") == ProofFault::wrong);
}

TEST_CASE("attempt_password: an unknown name costs what the users' own hashes cost, imported ones too [L08]") {
    Fixture f;
    f.fixture.settings.login.max_failures = 100;
    // Processor time, and the least of three: what else happens to a process only adds to it.
    const auto cost = [&](const std::string& name) {
        std::clock_t least = std::numeric_limits<std::clock_t>::max();
        for (int i = 0; i < 3; ++i) {
            const std::clock_t start = std::clock();
            CHECK(f.check(name, "wrong") == ProofFault::wrong);
            least = std::min(least, std::clock() - start);
        }
        return least;
    };
    const auto dear = cost("nobody");
    f.set_hash("$2y$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i");
    CHECK(cost("alice") * 3 < dear);
    CHECK(cost("nobody") * 3 < dear);
    CHECK(cost("anybody") * 3 < dear);
    f.alice.enabled = false;
    f.save();
    CHECK(cost("alice") * 3 < dear);
}
