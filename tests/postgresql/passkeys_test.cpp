// What holds of passkeys when processes add them, or log in with them, at the same moment.
#include "store/passkeys.h"
#include "db/write.h"
#include "login/complete.h"
#include "login/passkey_check.h"
#include "postgresql/race.h"
#include "store/factors.h"
#include "store/users.h"
#include "support/rows.h"

using namespace postern;
using test::Driver;
using test::Verdict;

namespace {

enum Answer { kRefused, kDone };

store::Passkey passkey_of(const model::Subject& subject, const std::string& id, util::Time now) {
    store::Passkey passkey;
    passkey.credential_id = id;
    passkey.subject = subject;
    passkey.rp_id = "op.example";
    passkey.cose_key = "key";
    passkey.alg = -7;
    passkey.aaguid = std::string(16, '\0');
    passkey.name = id;
    passkey.created_at = now;
    return passkey;
}

/// Each user has so many passkeys.
struct World : test::RaceWorld {
    std::vector<model::User> users;  ///< one for each round

    explicit World(Driver racing, int passkeys) : RaceWorld(racing) {
        for (int round = 0; round < rounds(); ++round) {
            users.push_back(fixture.add_user("user" + std::to_string(round)));
            write([&](db::Transaction& transaction) {
                for (int number = 0; number < passkeys; ++number)
                    store::insert_passkey(transaction, stored(round, number));
            });
        }
    }
    const model::User& user(int round) const { return users.at(static_cast<std::size_t>(round)); }
    const model::Subject& at(int round) const { return user(round).subject; }
    store::Passkey stored(int round, int number) const {
        return passkey_of(at(round), "id " + std::to_string(round) + " " + std::to_string(number), fixture.clock.now());
    }
    store::Passkey found(int round) { return *store::find_passkey(fixture.database, stored(round, 0).credential_id); }
    std::int64_t count_passkeys(int round) { return store::find_factors(fixture.database, at(round)).passkeys; }

    /// What attempt_passkey() has found: the user's first passkey, whose signature is right.
    login::AcceptedPasskey verdict_on(int round, const std::string& challenge, std::uint32_t sign_count) const {
        login::AcceptedPasskey verdict;
        verdict.passkey = stored(round, 0);
        verdict.use.sign_count = sign_count;
        verdict.challenge = {.bytes = challenge, .expires_at = fixture.clock.now() + util::Seconds(60)};
        return verdict;
    }
    /// What completes a login (login::complete_login), with a passkey that was looked at before.
    int complete(oauth::Context& own, int round, const login::AcceptedPasskey& verdict) const {
        const login::Browser browser;
        return db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            if (!store::find_user_to_change(transaction, at(round))) return kRefused;
            if (!login::spend_passkey(transaction, verdict, own.now())) return kRefused;
            login::start_session(own, transaction, browser, at(round), own.now(), model::by_passkey());
            transaction.commit();
            return kDone;
        });
    }
    /// What adds a passkey (the account's page).
    int add(oauth::Context& own, const store::Passkey& passkey, const std::string& challenge,
            const std::string& handle) const {
        return db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            if (!store::find_user_to_change(transaction, passkey.subject)) return kRefused;
            const auto before = store::find_factors(transaction.database(), passkey.subject).passkeys;
            if (before >= static_cast<std::int64_t>(store::kMaxPasskeys)) return kRefused;
            if (!store::spend_challenge(transaction, challenge, own.now() + util::Seconds(60))) return kRefused;
            if (!store::set_handle_if_unset(transaction, passkey.subject, handle)) return kRefused;
            if (!store::insert_passkey(transaction, passkey)) return kRefused;
            store::raise_stamp(transaction, passkey.subject);
            transaction.commit();
            return kDone;
        });
    }
};

std::string numbered(const char* what, int round, int process) {
    return what + (" " + std::to_string(round)) + " " + std::to_string(process);
}

/// Logins with one passkey at once, each with what `verdict` says it has proved.
Verdict logins(Driver driver, int processes, int wanted,
               const std::function<login::AcceptedPasskey(const World&, int round, int process)>& verdict) {
    World world(driver, 1);
    const auto answers = race(world, test::times(processes, [&](oauth::Context& own, int round, int process) {
                                  return world.complete(own, round, verdict(world, round, process));
                              }));
    Verdict found(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        found.expect(round, "logins", answers.count(round, kDone), wanted);
        found.expect(round, "sessions", static_cast<std::int64_t>(world.count_sessions(world.user(round))), wanted);
    }
    return found;
}
Verdict one_challenge(Driver driver) {
    return logins(driver, 8, 1, [](const World& world, int round, int) {
        return world.verdict_on(round, numbered("challenge", round, 0), 0);
    });
}
/// The control of the one above: it is the challenge that lets no second one in.
Verdict a_challenge_each(Driver driver) {
    return logins(driver, 2, 2, [](const World& world, int round, int process) {
        return world.verdict_on(round, numbered("challenge", round, process), 0);
    });
}
Verdict one_counter(Driver driver) {
    return logins(driver, 8, 1, [](const World& world, int round, int process) {
        return world.verdict_on(round, numbered("challenge", round, process), 7);
    });
}

/// Four logins at once, whose counters are 1 to 4. Which of them come too late depends on their order.
Verdict counters_that_grow(Driver driver) {
    World world(driver, 1);
    const auto answers = race(world, test::times(4, [&](oauth::Context& own, int round, int process) {
                                  const auto counter = static_cast<std::uint32_t>(process + 1);
                                  const auto challenge = numbered("challenge", round, process);
                                  return world.complete(own, round, world.verdict_on(round, challenge, counter));
                              }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "the counter", world.found(round).sign_count, 4);
        verdict.expect(round, "the login with the highest", answers.of_rounds.at(static_cast<std::size_t>(round))[3],
                       kDone);
        verdict.expect(round, "sessions", static_cast<std::int64_t>(world.count_sessions(world.user(round))),
                       answers.count(round, kDone));
    }
    return verdict;
}

/// Eight answers to one page that adds a passkey.
Verdict registrations_with_one_challenge(Driver driver) {
    World world(driver, 0);
    const auto answers = race(world, test::times(8, [&](oauth::Context& own, int round, int process) {
                                  return world.add(own, world.stored(round, process), numbered("challenge", round, 0),
                                                   "handle " + std::to_string(round));
                              }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "registrations", answers.count(round, kDone), 1);
        verdict.expect(round, "passkeys", world.count_passkeys(round), 1);
    }
    return verdict;
}

/// Two users add a passkey with the same credential id.
Verdict one_credential_id(Driver driver) {
    World world(driver, 0);
    std::vector<model::User> others;
    for (int round = 0; round < world.rounds(); ++round)
        others.push_back(world.fixture.add_user("other" + std::to_string(round)));
    const test::Act add = [&](oauth::Context& own, int round, int process) {
        auto passkey = world.stored(round, 0);
        if (process == 1) passkey.subject = others.at(static_cast<std::size_t>(round)).subject;
        const auto challenge = numbered("challenge", round, process);
        return world.add(own, passkey, challenge, numbered("handle", round, process));
    };
    const auto answers = race(world, test::times(2, add));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "registrations", answers.count(round, kDone), 1);
        const auto& second = others.at(static_cast<std::size_t>(round)).subject;
        const bool is_of_second = world.found(round).subject == second;
        verdict.expect(round, "the one that was told so", is_of_second ? 1 : 0,
                       answers.of_rounds.at(static_cast<std::size_t>(round))[1]);
        // Nothing of the refused one is left.
        const auto& refused = is_of_second ? world.at(round) : second;
        verdict.expect(round, "the other's handle",
                       static_cast<std::int64_t>(store::find_handle(world.fixture.database, refused).size()), 0);
    }
    return verdict;
}

/// Four pages of a user who has nineteen.
Verdict twentieth_and_more(Driver driver) {
    World world(driver, 19);
    const auto answers = race(world, test::times(4, [&](oauth::Context& own, int round, int process) {
                                  const auto challenge = numbered("challenge", round, process);
                                  const auto handle = "handle " + std::to_string(round);
                                  return world.add(own, world.stored(round, 19 + process), challenge, handle);
                              }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "registrations", answers.count(round, kDone), 1);
        verdict.expect(round, "passkeys", world.count_passkeys(round), static_cast<std::int64_t>(store::kMaxPasskeys));
    }
    return verdict;
}

/// Four pages that were open before the user had a passkey, each with a handle of its own.
Verdict first_passkeys(Driver driver) {
    World world(driver, 0);
    const auto answers =
        race(world, test::times(4, [&](oauth::Context& own, int round, int process) {
                 const auto challenge = numbered("challenge", round, process);
                 return world.add(own, world.stored(round, process), challenge, numbered("handle", round, process));
             }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "registrations", answers.count(round, kDone), 1);
        verdict.expect(round, "passkeys", world.count_passkeys(round), 1);
    }
    return verdict;
}

}  // namespace

TEST_CASE("an answer to a challenge completes one login [WEBAUTHN-3, STORE-2]") { test::must_hold(one_challenge); }

TEST_CASE("an answer to a challenge completes one login: two with a challenge each are both let in") {
    test::must_hold(a_challenge_each);
}

TEST_CASE("a value of the counter completes one login [WEBAUTHN-15]") { test::must_hold(one_counter); }

TEST_CASE("the counter of a passkey goes upwards alone [WEBAUTHN-15]") { test::must_hold(counters_that_grow); }

TEST_CASE("an answer to a challenge adds one passkey [WEBAUTHN-3, STORE-2]") {
    test::must_hold(registrations_with_one_challenge);
}

TEST_CASE("of two users who add the same credential id one has it [WEBAUTHN-9, STORE-2]") {
    test::must_hold(one_credential_id);
}

TEST_CASE("of several passkeys that are added to nineteen one is the twentieth [WEBAUTHN-9]") {
    test::must_hold_by_locks(twentieth_and_more);  // of the user
}

TEST_CASE("all passkeys of a user have the handle of the first one [WEBAUTHN-10]") { test::must_hold(first_passkeys); }
