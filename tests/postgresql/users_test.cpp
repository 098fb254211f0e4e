// What holds of a user, a client and a failed login when processes change them at the same moment.
#include "store/users.h"
#include "crypto/digest.h"
#include "db/write.h"
#include "login/complete.h"
#include "login/password_check.h"
#include "postgresql/race.h"
#include "store/activity.h"
#include "store/clients.h"
#include "store/login_attempts.h"
#include "support/rows.h"
#include "unit/web/page_flow.h"
#include "web/authorization.h"
#include "web/login.h"

using namespace postern;
using test::Driver;
using test::Verdict;

namespace {

enum Answer { kRefused, kDone };

struct World : test::RaceWorld {
    std::vector<model::User> users;  ///< one for each round

    explicit World(Driver racing) : RaceWorld(racing) {
        for (int round = 0; round < rounds(); ++round) users.push_back(fixture.add_user(name_of(round)));
    }
    static std::string name_of(int round) { return "user" + std::to_string(round); }
    const model::User& at(int round) const { return users.at(static_cast<std::size_t>(round)); }
    model::User now(int round) { return *store::find_user(fixture.database, at(round).subject); }

    /// As every command that changes a user does it.
    int change(oauth::Context& own, int round, const std::function<void(db::Transaction&, model::User&)>& edit) const {
        db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            auto user = store::find_user_to_change(transaction, at(round).subject);
            edit(transaction, *user);
            store::update_user(transaction, *user);
            transaction.commit();
        });
        return kDone;
    }

    /// With a password that was right a moment ago.
    int log_in(oauth::Context& own, int round) const {
        const login::Browser browser;
        const login::Proof proof = login::proof_by_password(at(round).subject, {});
        model::AuthorizationRequest request;
        request.half_login = login::begin_login(own, proof);
        const login::WholeLogin whole{request, login::StartSession{proof.how}, "192.0.2.1"};
        return login::complete_login(own, browser, whole, proof.spend) ? kDone : kRefused;
    }
};

/// Seven logins; what another process does to the user at the same moment leaves no session.
Verdict login_beside(Driver driver, const std::function<void(db::Transaction&, model::User&)>& edit) {
    World world(driver);
    const test::Act change = [&](oauth::Context& own, int round, int) {
        return world.change(own, round, [&](db::Transaction& transaction, model::User& user) {
            edit(transaction, user);
            store::end_user_access(transaction, user.subject, own.now(), {});
        });
    };
    const auto answers =
        race(world,
             test::beside(test::times(7, [&](oauth::Context& own, int round, int) { return world.log_in(own, round); }),
                          change));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto& user = world.at(round);
        world.change(world.context, round, [](db::Transaction&, model::User& stored) { stored.enabled = true; });
        verdict.expect(round, "sessions", static_cast<std::int64_t>(world.count_sessions(user)), 0);
    }
    return verdict;
}
Verdict login_beside_password_change(Driver driver) {
    return login_beside(driver, [](db::Transaction& transaction, model::User& user) {
        store::set_password_hash(transaction, user.subject, "another", util::from_epoch(1));
    });
}
Verdict login_beside_disabling(Driver driver) {
    return login_beside(driver, [](db::Transaction&, model::User& user) { user.enabled = false; });
}

/// Eight logins of one user.
Verdict logins_side_by_side(Driver driver) {
    World world(driver);
    const auto answers =
        race(world, test::times(8, [&](oauth::Context& own, int round, int) { return world.log_in(own, round); }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto lines =
            store::list_activity(world.fixture.database, world.at(round).subject, world.context.now()).size();
        verdict.expect(round, "lines of the activity", static_cast<std::int64_t>(lines), 8);
    }
    return verdict;
}

Verdict change_beside_disabling(Driver driver) {
    World world(driver);
    const test::Act set = [&](oauth::Context& own, int round, int process) {
        return world.change(own, round, [&](db::Transaction&, model::User& user) {
            user.claims.set("claim" + std::to_string(process), std::int64_t{1});
        });
    };
    const test::Act import = [&](oauth::Context& own, int round, int process) {
        db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            auto user = store::find_user_by_name_to_change(transaction, World::name_of(round));
            user->claims.set("claim" + std::to_string(process), std::int64_t{1});
            store::update_user(transaction, *user);
            transaction.commit();
        });
        return kDone;
    };
    const test::Act disable = [&](oauth::Context& own, int round, int) {
        return world.change(own, round, [&](db::Transaction& transaction, model::User& user) {
            user.enabled = false;
            store::end_user_access(transaction, user.subject, own.now(), {});
        });
    };
    const auto answers = race(world, test::beside(test::beside(test::times(5, set), import), disable));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto user = world.now(round);
        verdict.expect(round, "enabled users", user.enabled, 0);
        for (int process = 0; process < 6; ++process)
            verdict.expect(round, "claims of a process", user.claims.find("claim" + std::to_string(process)) != nullptr,
                           1);
    }
    return verdict;
}

Verdict client_change_beside_disabling(Driver driver) {
    test::RaceWorld world(driver);
    const auto id = [](int round) { return model::ClientId("client" + std::to_string(round)); };
    for (int round = 0; round < world.rounds(); ++round)
        world.fixture.add_public(id(round).str(), "https://app.example/cb");
    const auto change = [&](oauth::Context& own, int round, const std::function<void(model::Client&)>& edit) {
        db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            auto client = store::find_client_to_change(transaction, id(round), own.now());
            edit(*client);
            store::update_client(transaction, *client);
            transaction.commit();
        });
        return kDone;
    };
    const test::Act add_uri = [&](oauth::Context& own, int round, int process) {
        return change(own, round, [&](model::Client& client) {
            client.redirect_uris.push_back("https://app.example/" + std::to_string(process));
        });
    };
    const test::Act disable = [&](oauth::Context& own, int round, int) {
        return change(own, round, [](model::Client& client) { client.enabled = false; });
    };
    const auto answers = race(world, test::beside(test::times(5, add_uri), disable));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto client = store::find_client(world.fixture.database, id(round), world.fixture.clock.now());
        verdict.expect(round, "enabled clients", client->enabled, 0);
        verdict.expect(round, "redirect URIs", static_cast<std::int64_t>(client->redirect_uris.size()), 6);
    }
    return verdict;
}

/// The web server names a user that does not exist yet, in eight browsers.
Verdict first_logins_of_one_user(Driver driver) {
    test::RaceWorld world(driver);
    world.fixture.settings.login.method = login::Method::remote_user;
    world.fixture.settings.login.auto_create = true;
    const test::RecordedBook pages;
    const test::Act log_in = [&](oauth::Context& own, int round, int) {
        auto request = test::get(test::form_of({{"client_id", "app"},
                                                {"redirect_uri", "https://app.example/cb"},
                                                {"response_type", "code"},
                                                {"scope", "openid"}}));
        web::Interaction asking(own, pages, request);
        const auto sent = web::start_authorization(asking);
        auto back = test::get(test::form_of({{"resume", test::location_parameter(sent, "resume")}}));
        back.cookie = asking.browser.names.browser + "=" + asking.browser.id.value_or("");
        back.server_variables = {{"REMOTE_USER", World::name_of(round)}, {"AUTH_TYPE", "Basic"}};
        web::Interaction logging_in(own, pages, back);
        return web::remote_login(logging_in).status == 303 ? kDone : kRefused;
    };
    const auto answers = race(world, test::times(8, log_in));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "logins", answers.count(round, kDone), 8);
        const auto user = store::find_user_by_name(world.fixture.database, World::name_of(round));
        REQUIRE(user);
        verdict.expect(round, "sessions of the user", static_cast<std::int64_t>(world.count_sessions(*user)), 8);
    }
    verdict.expect(0, "users",
                   static_cast<std::int64_t>(test::all_of(store::list_users(world.fixture.database)).size()),
                   answers.rounds());
    return verdict;
}

/// Eight processes fail with one name, two at each of four addresses.
struct FailedLogins : World {
    static constexpr int kAddresses = 4;
    static constexpr int kAtEach = 2;

    explicit FailedLogins(Driver racing) : World(racing) {
        fixture.settings.login.max_failures = 1000;
        // A cheap hash: the race is about the count.
        for (const model::User& user : users) {
            const std::string hash = "$5$rounds=1000$saltsaltsaltsalt$" + std::string(43, '.');
            write([&](db::Transaction& transaction) {
                store::set_password_hash(transaction, user.subject, hash, util::from_epoch(1));
            });
        }
    }
    static std::string address(int round, int process) {
        return "10." + std::to_string(round / 250) + "." + std::to_string(round % 250) + "." +
               std::to_string(process % kAddresses);
    }
    static int fail(oauth::Context& own, int round, int process) {
        const auto refused =
            login::attempt_password(own, name_of(round), util::Secret("not the password"), address(round, process));
        return !refused && refused.error().fault == login::ProofFault::wrong ? kDone : kRefused;
    }
    std::int64_t failures(std::string_view kind, const std::string& of) {
        const auto key = std::string(kind) + crypto::sha256_hex(of);
        return store::find_attempts(fixture.database, {key}, fixture.clock.now())[0].failures;
    }
    Verdict count() {
        const auto answers = race(*this, test::times(kAddresses * kAtEach, fail));
        Verdict verdict(answers);
        if (driver == Driver::shipped) verdict.expect(0, "deadlocks", answers.conflicts, 0);  // a second for the user
        for (int round = 0; round < answers.rounds(); ++round) {
            const std::string name = name_of(round);
            verdict.expect(round, "refusals", answers.count(round, kDone), kAddresses * kAtEach);
            verdict.expect(round, "of the name", failures(store::kUserCounter, name), kAddresses * kAtEach);
            for (int each = 0; each < kAddresses; ++each) {
                const std::string network = address(round, each);
                verdict.expect(round, "of an address", failures(store::kAddressCounter, network), kAtEach);
                verdict.expect(round, "of both", failures(store::kPairCounter, name + std::string(1, '\0') + network),
                               kAtEach);
            }
        }
        return verdict;
    }
};

Verdict failed_logins(Driver driver) { return FailedLogins(driver).count(); }

Verdict failed_logins_after_a_window(Driver driver) {
    FailedLogins world(driver);
    const auto long_ago = 2 * world.fixture.settings.login.window;
    world.fixture.clock.advance(-long_ago);
    for (int round = 0; round < world.rounds(); ++round)
        for (int process = 0; process < FailedLogins::kAddresses; ++process) world.fail(world.context, round, process);
    world.fixture.clock.advance(long_ago);
    return world.count();
}

}  // namespace

TEST_CASE("no session outlives a password change") {
    test::must_hold_by_locks(login_beside_password_change);  // of the user
}

TEST_CASE("no session outlives the disabling of its user") { test::must_hold(login_beside_disabling); }

TEST_CASE("each of several logins at once is a line of the activity [ACCOUNT-13]") {
    test::must_hold(logins_side_by_side);
}

TEST_CASE("a user who was disabled stays so, and no change of the user is lost") {
    test::must_hold_by_locks(change_beside_disabling);  // of the user
}

TEST_CASE("a client that was disabled stays so, and no change of the client is lost") {
    test::must_hold_by_locks(client_change_beside_disabling);  // of the client
}

TEST_CASE("first logins with one name make one user, and each gets its session") {
    test::must_hold(first_logins_of_one_user);
}

TEST_CASE("each failed login is counted") { test::must_hold(failed_logins); }

TEST_CASE("each failed login is counted when the window of earlier ones has ended") {
    test::must_hold(failed_logins_after_a_window);
}
