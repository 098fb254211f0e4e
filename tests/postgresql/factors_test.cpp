// What holds of a second factor when processes spend, guess or set one up at the same moment.
#include "store/factors.h"
#include "db/write.h"
#include "factor/totp.h"
#include "factor/typed_code.h"
#include "login/code_check.h"
#include "login/complete.h"
#include "postgresql/race.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "support/rows.h"
#include "web/account/app_setup.h"

using namespace postern;
using test::Driver;
using test::Verdict;

namespace {

enum Answer { kRefused, kDone };

constexpr const char* kCode = "1234567890123456";
constexpr std::int64_t kStep = 60'000'000;

/// Each user has an app and one recovery code.
struct World : test::RaceWorld {
    std::vector<model::User> users;  ///< one for each round
    std::vector<model::HalfLogin> halves;
    login::Browser browser;
    util::Secret secret{"12345678901234567890"};

    explicit World(Driver racing) : RaceWorld(racing) {
        for (int round = 0; round < rounds(); ++round) {
            users.push_back(fixture.add_user("user" + std::to_string(round)));
            const model::Subject& subject = users.back().subject;
            const util::Time now = fixture.clock.now();
            const std::string hash = factor::recovery_code_hash(context.keys.factor_key(), subject, kCode);
            write([&](db::Transaction& transaction) {
                store::replace_totp(
                    transaction, subject,
                    factor::seal_totp_secret(context.keys.factor_key(), subject, now, secret, context.random), 0, now);
                store::replace_recovery_codes(transaction, subject, {hash}, now);
            });
            halves.push_back({.subject = subject, .expires_at = {}, .done = model::by_password(), .sid = {}});
        }
    }
    const model::Subject& at(int round) const { return users.at(static_cast<std::size_t>(round)).subject; }

    login::ProofResult attempt(oauth::Context& own, int round, const std::string& code) const {
        const model::HalfLogin& half = halves.at(static_cast<std::size_t>(round));
        return login::attempt_code({own, browser, half, half.done, model::ClientId(), ""}, code);
    }
    std::string code_of_app() const {
        return factor::hotp(secret, static_cast<std::uint64_t>(util::to_epoch(context.now()) / 30));
    }
    /// Completes a login (login::complete_login), with a code that was looked at before.
    int complete(oauth::Context& own, int round, const login::Proof& proof) const {
        return db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            if (!store::find_user_to_change(transaction, at(round))) return kRefused;
            if (!proof.spend(transaction)) return kRefused;
            login::start_session(own, transaction, browser, at(round), own.now(), proof.how);
            transaction.commit();
            return kDone;
        });
    }
};

Verdict one_code_in_eight_logins(Driver driver, const std::function<std::string(const World&)>& code) {
    World world(driver);
    std::vector<login::Proof> codes;
    for (int round = 0; round < world.rounds(); ++round)
        codes.push_back(*world.attempt(world.context, round, code(world)));
    const auto answers = race(world, test::times(8, [&](oauth::Context& own, int round, int) {
                                  return world.complete(own, round, codes.at(static_cast<std::size_t>(round)));
                              }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "logins", answers.count(round, kDone), 1);
        verdict.expect(round, "sessions",
                       static_cast<std::int64_t>(world.count_sessions(world.users.at(static_cast<std::size_t>(round)))),
                       1);
    }
    return verdict;
}
Verdict code_of_app(Driver driver) {
    return one_code_in_eight_logins(driver, [](const World& world) { return world.code_of_app(); });
}
Verdict recovery_code(Driver driver) {
    return one_code_in_eight_logins(driver, [](const World&) { return std::string(kCode); });
}

/// Eight guesses at once from a place that is not known.
Verdict guesses(Driver driver) {
    World world(driver);
    const auto answers =
        race(world, test::times(8, [&](oauth::Context& own, int round, int) {
                 const auto refused = world.attempt(own, round, "0000000000000000");
                 return !refused && refused.error().fault == login::ProofFault::wrong ? kDone : kRefused;
             }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto state =
            store::find_code_state(world.fixture.database, world.at(round), "", world.fixture.clock.now());
        verdict.expect(round, "refusals", answers.count(round, kDone), 8);
        verdict.expect(round, "failures", state.other.in_a_row, 8);
    }
    return verdict;
}

/// Four pages of one user that are open at once, each with a key of its own.
Verdict apps_that_are_set_up(Driver driver) {
    World world(driver);
    for (const model::User& user : world.users)
        world.write([&](db::Transaction& transaction) {
            store::remove_totp(transaction, user.subject);
            store::remove_recovery_codes(transaction, user.subject);
        });
    const test::Act set_up = [&](oauth::Context& own, int round, int) {
        const web::ProvedApp proved{{factor::make_totp_secret(own.random), 0}, kStep};
        return db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            if (!store::find_user_to_change(transaction, world.at(round))) return kRefused;
            const auto codes = web::turn_on(own, world.browser, transaction, world.at(round), proved);
            if (!codes) return kRefused;
            transaction.commit();
            return kDone;
        });
    };
    const auto answers = race(world, test::times(4, set_up));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "apps", answers.count(round, kDone), 1);
        verdict.expect(round, "recovery codes",
                       store::find_factors(world.fixture.database, world.at(round)).unused_codes, 10);
    }
    return verdict;
}

}  // namespace

TEST_CASE("a code of an app completes one login [TOTP-5, STORE-2]") { test::must_hold(code_of_app); }

TEST_CASE("a recovery code completes one login [CODE-3, STORE-2]") { test::must_hold(recovery_code); }

TEST_CASE("each wrong code is counted, and none passes beside another [TOTP-9]") { test::must_hold(guesses); }

TEST_CASE("of several apps that are set up at once one is on [TOTP-4, TOTP-7]") {
    test::must_hold_by_locks(apps_that_are_set_up);  // of the user
}
