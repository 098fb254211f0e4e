// Codes of second factors, and how guessing is slowed down (docs/decisions/0068).
#include "login/code_check.h"

#include <doctest/doctest.h>

#include "factor/recovery_code.h"
#include "factor/totp.h"
#include "factor/totp_seal.h"
#include "store/factors.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;
using login::CodeOutcome;

namespace {

const std::string kElsewhere = "known:elsewhere";
const std::string kHome = "known:home";
constexpr const char* kCode = "1234567890123456";

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::User alice = fixture.add_user("alice");
    util::Secret secret{"12345678901234567890"};

    Fixture() {
        set_up(context.keys.factor_key(), context.keys.factor_key());
        write([&](db::Transaction& transaction) {
            store::remember_place(transaction, kHome, context.now() + std::chrono::hours(24 * 90));
        });
    }
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
    login::CodeVerdict check(const std::string& typed, const std::string& place = kElsewhere) {
        return login::look_at_code(context, alice.subject, typed, place);
    }
    bool spend(const login::CodeVerdict& verdict) {
        bool is_spent = false;
        write([&](db::Transaction& transaction) {
            is_spent = login::spend_code(transaction, alice.subject, verdict, context.now());
        });
        return is_spent;
    }
    /// So many wrong ones, each as soon as one is looked at.
    void fail(int times, const std::string& place = kElsewhere) {
        for (int i = 0; i < times; ++i) {
            auto verdict = check(wrong_code(), place);
            if (verdict.outcome == CodeOutcome::throttled) {
                fixture.clock.advance(verdict.wait);
                verdict = check(wrong_code(), place);
            }
            REQUIRE(verdict.outcome == CodeOutcome::wrong);
        }
    }
};

}  // namespace

TEST_CASE("look_at_code: the app's code and a recovery code, each once [TOTP-5] [CODE-3]") {
    Fixture f;
    const auto app = f.check(f.code());
    CHECK(app.outcome == CodeOutcome::right);
    CHECK(app.kind == factor::CodeKind::app);
    CHECK(f.check(f.code()).outcome == CodeOutcome::right);  // looked at, not spent
    CHECK(f.spend(app));
    CHECK_FALSE(f.spend(app));
    CHECK(f.check(f.code()).outcome == CodeOutcome::wrong);
    CHECK(f.check(f.code(1)).outcome == CodeOutcome::right);

    const auto recovery = f.check("1234-5678-9012-3456");
    CHECK(recovery.outcome == CodeOutcome::right);
    CHECK(recovery.kind == factor::CodeKind::recovery);
    CHECK(f.spend(recovery));
    CHECK_FALSE(f.spend(recovery));
    CHECK(f.check(kCode).outcome == CodeOutcome::wrong);
}

TEST_CASE("look_at_code: the log says what is wrong, the outcome does not [TOTP-6] [TOTP-8]") {
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
        {"12345", "neither six nor sixteen digits", 0},
        {"", "neither six nor sixteen digits", 0},
        {"\xD9\xA1", "neither six nor sixteen digits", 0},
        {f.wrong_code(), "wrong code of the app", 6},
    };
    for (const Row& row : rows) {
        const auto verdict = f.check(row.typed);
        CAPTURE(row.typed);
        CHECK(verdict.outcome == CodeOutcome::wrong);
        CHECK(verdict.log_detail == row.log);
        CHECK(verdict.failures_in_row == row.counted);
        CHECK_FALSE(f.spend(verdict));
    }
}

TEST_CASE("look_at_code: a user without an app is refused the code of one [TOTP-5]") {
    Fixture f;
    f.write([&](db::Transaction& transaction) { store::remove_totp(transaction, f.alice.subject); });
    CHECK(f.check(f.code()).log_detail == "a code of an app, and the user has none");
    CHECK(f.check(kCode).outcome == CodeOutcome::right);
}

TEST_CASE("look_at_code: after each tenth failure the wait doubles, up to a day [TOTP-9]") {
    Fixture f;
    const std::int64_t waits[] = {900, 1800, 3600, 7200, 14400, 28800, 57600, 86400, 86400};
    for (const std::int64_t wait : waits) {
        for (int i = 0; i < 10; ++i) REQUIRE(f.check(f.wrong_code()).outcome == CodeOutcome::wrong);
        CAPTURE(wait);
        const auto verdict = f.check(f.code());  // right, and not looked at
        CHECK(verdict.outcome == CodeOutcome::throttled);
        CHECK(verdict.wait.count() == wait);
        f.fixture.clock.advance(util::Seconds{wait - 1});
        CHECK(f.check(f.code()).wait.count() == 1);
        f.fixture.clock.advance(util::Seconds{1});
    }
    CHECK(f.check(f.code()).outcome == CodeOutcome::right);
}

TEST_CASE("look_at_code: a success clears; failures do not pass with time [TOTP-9]") {
    Fixture f;
    f.fail(9);
    f.fixture.clock.advance(std::chrono::hours(24 * 365));
    CHECK(f.check(f.wrong_code()).failures_in_row == 10);
    CHECK(f.check(f.code()).outcome == CodeOutcome::throttled);
    f.fixture.clock.advance(util::Seconds{900});
    REQUIRE(f.spend(f.check(f.code())));
    CHECK(f.check(f.wrong_code()).failures_in_row == 1);
}

TEST_CASE("look_at_code: a hundred failures lock places that are not known, and those alone [TOTP-9]") {
    Fixture f;
    f.fail(99);
    CHECK(f.check(kCode, kHome).outcome == CodeOutcome::right);  // not spent
    f.fail(1);
    f.fixture.clock.advance(std::chrono::hours(48));
    CHECK(f.check(kCode).outcome == CodeOutcome::locked);
    CHECK(f.check(f.code()).outcome == CodeOutcome::locked);

    SUBCASE("a success in a known place ends it") {
        REQUIRE(f.spend(f.check(f.code(), kHome)));
        CHECK(f.check(f.code(1)).outcome == CodeOutcome::right);
    }
    SUBCASE("a new password ends it") {
        f.write([&](db::Transaction& transaction) {
            store::replace_password(transaction, f.alice.subject, "new", f.context.now());
        });
        CHECK(f.check(f.code()).outcome == CodeOutcome::right);
    }
    SUBCASE("a failure in a known place does not") {
        CHECK(f.check(f.wrong_code(), kHome).outcome == CodeOutcome::wrong);
        CHECK(f.check(kCode).outcome == CodeOutcome::locked);
    }
}

TEST_CASE("look_at_code: a known place has a counter of its own, which waits and never locks [TOTP-9]") {
    Fixture f;
    f.write([&](db::Transaction& transaction) {
        store::remember_place(transaction, kHome, f.context.now() + std::chrono::hours(24 * 3650));
    });
    for (int i = 0; i < 10; ++i) REQUIRE(f.check(f.wrong_code(), kHome).is_place_known);
    CHECK(f.check(f.code(), kHome).outcome == CodeOutcome::throttled);
    CHECK(f.check(f.code()).outcome == CodeOutcome::right);
    CHECK_FALSE(f.check(f.code()).is_place_known);
    f.fail(110, kHome);
    f.fixture.clock.advance(std::chrono::hours(24));
    CHECK(f.check(f.code(), kHome).outcome == CodeOutcome::right);
    CHECK(f.check(f.code(), "").outcome == CodeOutcome::right);
}

TEST_CASE("look_at_code: a secret that does not open is not a wrong code, for its user alone [TOTP-11]") {
    Fixture f;
    const model::User bob = f.fixture.add_user("bob");
    f.write([&](db::Transaction& transaction) {
        const auto row = store::find_totp(f.fixture.database, f.alice.subject);
        store::replace_totp(transaction, bob.subject, row->sealed, 0, row->created_at);  // moved to another user
    });
    const login::CodeVerdict verdict = login::look_at_code(f.context, bob.subject, f.code(), "");
    CHECK(verdict.outcome == CodeOutcome::unreadable);
    CHECK(verdict.log_detail.find("factor.key does not open") == 0);
    CHECK(verdict.failures_in_row == 0);
    CHECK(f.check(f.code()).outcome == CodeOutcome::right);
}

TEST_CASE("look_at_code: with another factor.key no code is wrong, and what works is told [TOTP-11]") {
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
        const auto check = [&](const std::string& typed) {
            return login::look_at_code(context, f.alice.subject, typed, "");
        };
        const login::CodeVerdict app = check(f.code()), recovery = check(kCode);
        CHECK((app.outcome == CodeOutcome::right) == row.is_app_right);
        CHECK((recovery.outcome == CodeOutcome::right) == row.is_recovery_right);
        if (!row.is_app_right) {
            CHECK(app.outcome == CodeOutcome::unreadable);
            CHECK(app.other_kind_works == row.is_recovery_right);
        }
        if (!row.is_recovery_right) {
            CHECK(recovery.outcome == CodeOutcome::unreadable);
            CHECK(recovery.log_detail.find("another factor.key") != std::string::npos);
            CHECK(recovery.other_kind_works == row.is_app_right);
        }
        CHECK(login::has_live_codes(context, f.alice.subject) == row.is_recovery_right);
        CHECK(app.failures_in_row + recovery.failures_in_row == 0);
        // Codes that were never made are wrong under the right key alone.
        CHECK((check("9999999999999999").outcome == CodeOutcome::wrong) == row.is_recovery_right);
    }
}

TEST_CASE("look_at_code: without factor.key no code can be checked, and none is wrong [FKEY-1, TOTP-11]") {
    Fixture f;
    f.fixture.keys = test::keys_without_factors();
    oauth::Context context = f.fixture.context();
    for (const std::string& typed : {f.code(), std::string(kCode)}) {
        const login::CodeVerdict verdict = login::look_at_code(context, f.alice.subject, typed, "");
        CHECK(verdict.outcome == CodeOutcome::unreadable);
        CHECK(verdict.log_detail.find("postern key repair") != std::string::npos);
    }
}
