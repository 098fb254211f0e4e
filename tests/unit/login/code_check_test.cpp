// Codes of second factors, and how guessing is slowed down (docs/decisions/0068).
#include "login/code_check.h"

#include <doctest/doctest.h>

#include "factor/totp.h"
#include "factor/typed_code.h"
#include "login/password_check.h"
#include "store/factors.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;
using login::ProofFault;
using login::StillWorks;

namespace {

const std::string kElsewhere = "198.51.100.1";
const std::string kHome = "192.0.2.1";
constexpr const char* kCode = "1234567890123456";
constexpr std::optional<ProofFault> kRight;

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::User alice = fixture.add_user("alice");
    login::Browser browser;
    model::HalfLogin half{.subject = alice.subject, .expires_at = {}, .done = model::by_password(), .sid = {}};
    util::Secret secret{"12345678901234567890"};

    Fixture() {
        set_up(context.keys.factor_key(), context.keys.factor_key());
        know_home();
    }
    void know_home() {
        write([&](db::Transaction& transaction) {
            login::remember_code_place(transaction, keys_at(kHome), context.now());
        });
    }
    login::SuccessKeys keys_at(const std::string& address) { return login::success_keys(context, "alice", address); }
    /// Alice's app under the one key, and a recovery code under the other.
    void set_up(const util::Secret& of_app, const util::Secret& of_codes) {
        write([&](db::Transaction& transaction) {
            store::replace_totp(transaction, alice.subject,
                                factor::seal_totp_secret(of_app, alice.subject, context.now(), secret, context.random),
                                0, context.now());
            store::replace_recovery_codes(transaction, alice.subject,
                                          {factor::recovery_code_hash(of_codes, alice.subject, kCode)}, context.now());
        });
    }
    template <class Action>
    void write(Action action) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        action(transaction);
        transaction.commit();
    }
    std::string code(int steps = 0) {
        return factor::hotp(secret, static_cast<std::uint64_t>(util::to_epoch(context.now()) / 30 + steps));
    }
    /// One that is of none of the steps that are known.
    std::string wrong_code() {
        for (int number = 0;; ++number) {
            const std::string digits = std::to_string(100000 + number);
            if (factor::check_totp(secret, digits, context.now(), 0).outcome == factor::TotpOutcome::wrong)
                return digits;
        }
    }
    login::ProofResult check(const std::string& typed, const std::string& address = kElsewhere) {
        return login::attempt_code({context, browser, half, half.done, model::ClientId(), address}, typed);
    }
    std::optional<ProofFault> fault(const std::string& typed, const std::string& address = kElsewhere) {
        const auto result = check(typed, address);
        return result ? kRight : std::optional(result.error().fault);
    }
    bool spend(const login::ProofResult& proof) {
        bool is_spent = false;
        write([&](db::Transaction& transaction) { is_spent = proof->spend(transaction); });
        return is_spent;
    }
    std::int64_t failures(const std::string& address = kElsewhere) {
        return store::find_code_state(context.store, half.subject, keys_at(address).code_place, context.now())
            .here()
            .in_a_row;
    }
    /// So many wrong ones, each as soon as one is looked at.
    void fail(int times, const std::string& place = kElsewhere) {
        for (int i = 0; i < times; ++i) {
            auto refused = check(wrong_code(), place);
            if (refused.error().fault == ProofFault::throttled) {
                fixture.clock.advance(refused.error().wait);
                refused = check(wrong_code(), place);
            }
            REQUIRE(refused.error().fault == ProofFault::wrong);
        }
    }
};

}  // namespace

TEST_CASE("attempt_code: the app's code and a recovery code, each once [TOTP-5] [CODE-3]") {
    Fixture f;
    const auto app = f.check(f.code());
    REQUIRE(app);
    CHECK(app->how.amr == "pwd otp mfa");
    CHECK_FALSE(app->by_recovery_code);
    CHECK(f.fault(f.code()) == kRight);  // looked at, not spent
    CHECK(f.spend(app));
    CHECK_FALSE(f.spend(app));
    CHECK(f.fault(f.code()) == ProofFault::wrong);
    CHECK(f.fault(f.code(1)) == kRight);

    const auto recovery = f.check("1234-5678-9012-3456");
    REQUIRE(recovery);
    CHECK(recovery->by_recovery_code);
    CHECK(f.spend(recovery));
    CHECK_FALSE(f.spend(recovery));
    CHECK(f.fault(kCode) == ProofFault::wrong);
}

TEST_CASE("attempt_code: the log says what is wrong, the outcome does not [TOTP-6] [TOTP-8]") {
    Fixture f;
    f.fixture.settings.login.window = util::Seconds{1};
    REQUIRE(f.spend(f.check(f.code())));
    struct Row {
        std::string typed;
        const char* log;
        std::int64_t counted;
    };
    const Row rows[] = {
        {f.wrong_code(), "wrong code of the app", 1},
        {f.code(), "the code of the app was used before", 2},
        {f.code(-3), "the app's clock is off by -90 s", 3},
        {f.code(10), "the app's clock is off by 300 s", 4},
        {"1111222233334444", "a recovery code that the user does not have or has used before", 5},
        {"12345", "neither six nor sixteen digits", 5},
        {"", "neither six nor sixteen digits", 5},
        {"\xD9\xA1", "neither six nor sixteen digits", 5},
        {f.wrong_code(), "wrong code of the app", 6},
    };
    for (const Row& row : rows) {
        const auto result = f.check(row.typed);
        CAPTURE(row.typed);
        REQUIRE_FALSE(result);
        CHECK(result.error().fault == ProofFault::wrong);
        CHECK(result.error().detail == row.log);
        CHECK(f.failures() == row.counted);
    }
}

TEST_CASE("attempt_code: a user without an app is refused the code of one [TOTP-5]") {
    Fixture f;
    f.write([&](db::Transaction& transaction) { store::remove_totp(transaction, f.alice.subject); });
    CHECK(f.check(f.code()).error().detail == "a code of an app, and the user has none");
    CHECK(f.fault(kCode) == kRight);
}

TEST_CASE("attempt_code: after each tenth failure the wait doubles, up to a day [TOTP-9]") {
    Fixture f;
    const std::int64_t waits[] = {900, 1800, 3600, 7200, 14400, 28800, 57600, 86400, 86400};
    for (const std::int64_t wait : waits) {
        for (int i = 0; i < 10; ++i) REQUIRE(f.fault(f.wrong_code()) == ProofFault::wrong);
        CAPTURE(wait);
        const auto refused = f.check(f.code());  // right, and not looked at
        REQUIRE_FALSE(refused);
        CHECK(refused.error().fault == ProofFault::throttled);
        CHECK(refused.error().wait.count() == wait);
        f.fixture.clock.advance(util::Seconds{wait - 1});
        CHECK(f.check(f.code()).error().wait.count() == 1);
        f.fixture.clock.advance(util::Seconds{1});
    }
    CHECK(f.fault(f.code()) == kRight);
}

TEST_CASE("attempt_code: a success clears; failures do not pass with time [TOTP-9]") {
    Fixture f;
    f.fail(9);
    f.fixture.clock.advance(std::chrono::hours(24 * 365));
    f.fail(1);
    CHECK(f.failures() == 10);
    CHECK(f.fault(f.code()) == ProofFault::throttled);
    f.fixture.clock.advance(util::Seconds{900});
    REQUIRE(f.spend(f.check(f.code())));
    f.fail(1);
    CHECK(f.failures() == 1);
}

TEST_CASE("attempt_code: a hundred failures lock places that are not known, and those alone [TOTP-9]") {
    Fixture f;
    f.fail(99);
    CHECK(f.fault(kCode, kHome) == kRight);  // not spent
    f.fail(1);
    f.fixture.clock.advance(std::chrono::hours(48));
    CHECK(f.fault(kCode) == ProofFault::locked);
    CHECK(f.fault(f.code()) == ProofFault::locked);

    SUBCASE("a success in a known place ends it") {
        REQUIRE(f.spend(f.check(f.code(), kHome)));
        CHECK(f.fault(f.code(1)) == kRight);
    }
    SUBCASE("a new password ends it") {
        f.write([&](db::Transaction& transaction) {
            store::replace_password(transaction, f.alice.subject, "new", f.context.now(), {});
        });
        CHECK(f.fault(f.code()) == kRight);
    }
    SUBCASE("a failure in a known place does not") {
        CHECK(f.fault(f.wrong_code(), kHome) == ProofFault::wrong);
        CHECK(f.fault(kCode) == ProofFault::locked);
    }
}

TEST_CASE("attempt_code: a known place has a counter of its own, which waits and never locks [TOTP-9]") {
    Fixture f;
    f.fail(10, kHome);
    CHECK(f.failures(kHome) == 10);
    CHECK(f.failures() == 0);
    CHECK(f.fault(f.code(), kHome) == ProofFault::throttled);
    CHECK(f.fault(f.code()) == kRight);
    for (int i = 0; i < 110; ++i) {
        f.know_home();
        f.fail(1, kHome);
    }
    f.fixture.clock.advance(std::chrono::hours(24));
    f.know_home();
    CHECK(f.fault(f.code(), kHome) == kRight);
    CHECK(f.fault(f.code(), "") == kRight);
}

TEST_CASE("attempt_code: a success of the owner elsewhere gives a guesser no more tries [TOTP-9]") {
    Fixture f;
    f.fail(10);
    REQUIRE(f.spend(f.check(f.code(), kHome)));
    CHECK(f.fault(f.code(1)) == ProofFault::throttled);
}

TEST_CASE("attempt_code: a secret that does not open is not a wrong code, for its user alone [TOTP-11]") {
    Fixture f;
    const model::User bob = f.fixture.add_user("bob");
    f.write([&](db::Transaction& transaction) {
        const auto row = store::find_totp(f.fixture.database, f.alice.subject);
        store::replace_totp(transaction, bob.subject, row->sealed, 0, row->created_at);  // moved to another user
    });
    const std::string code = f.code();
    f.half.subject = bob.subject;
    const auto refused = f.check(code);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == ProofFault::unreadable);
    CHECK(refused.error().detail.find("factor.key does not open") == 0);
    CHECK(f.failures() == 0);
    f.half.subject = f.alice.subject;
    CHECK(f.fault(code) == kRight);
}

TEST_CASE("attempt_code: with another factor.key no code is wrong, and what works is told [TOTP-11]") {
    struct Row {
        const char* when;
        bool is_app_right, is_recovery_right;
    };
    // The key of the secrets and that of the codes follow one another apart: FKEY-2.
    const Row rows[] = {
        {"as it was", true, true},
        {"another file", false, false},
        {"other secrets", false, true},
        {"other codes", true, false},
    };
    const util::Secret other(std::string(32, 'G'));
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        oauth::Context& context = f.context;
        const util::Secret& own = context.keys.factor_key();
        f.set_up(row.is_app_right ? own : other, row.is_recovery_right ? own : other);
        const auto app = f.check(f.code()), recovery = f.check(kCode);
        CHECK(bool(app) == row.is_app_right);
        CHECK(bool(recovery) == row.is_recovery_right);
        if (!row.is_app_right) {
            CHECK(app.error().fault == ProofFault::unreadable);
            CHECK((app.error().still_works == StillWorks::recovery_codes) == row.is_recovery_right);
        }
        if (!row.is_recovery_right) {
            CHECK(recovery.error().fault == ProofFault::unreadable);
            CHECK(recovery.error().detail.find("another factor.key") != std::string::npos);
            CHECK((recovery.error().still_works == StillWorks::app) == row.is_app_right);
        }
        CHECK(login::has_live_codes(context, f.alice.subject) == row.is_recovery_right);
        CHECK(f.failures() == 0);
        // Codes that were never made are wrong under the right key alone.
        CHECK((f.fault("9999999999999999") == ProofFault::wrong) == row.is_recovery_right);
    }
}

TEST_CASE("attempt_code: without factor.key no code can be checked, and none is wrong [FKEY-1, TOTP-11]") {
    Fixture f;
    f.fixture.keys = test::keys_without_factors();
    oauth::Context context = f.fixture.context();
    for (const std::string& typed : {f.code(), std::string(kCode)}) {
        const auto refused =
            login::attempt_code({context, f.browser, f.half, f.half.done, model::ClientId(), kElsewhere}, typed);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().fault == ProofFault::unreadable);
        CHECK(refused.error().detail.find("postern key repair") != std::string::npos);
    }
}
