// What a code or a refresh token is worth when several requests bring it at the same moment (RFC 6749 §4.1.2, RFC 9700
// §4.14.2).
#include <algorithm>
#include <optional>

#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/grant_authorization_code.h"
#include "oauth/grant_refresh_token.h"
#include "oauth/refresh_token.h"
#include "oauth/revocation.h"
#include "oidc/logout_request.h"
#include "postgresql/race.h"
#include "store/users.h"

using namespace postern;
using test::Driver;
using test::Verdict;

namespace {

enum Answer { kRefused, kAnswered };

struct World : test::RaceWorld {
    /// One user for each round, with a session, a grant made in it, and what was issued under the grant.
    struct Round {
        model::User user;
        model::Session session;
        model::Grant grant;
        std::string code;
        std::string access;
        std::vector<std::string> refresh;
    };
    std::vector<Round> of_rounds;

    explicit World(Driver racing) : RaceWorld(racing) {
        for (int round = 0; round < rounds(); ++round) {
            const std::string name = "user" + std::to_string(round);
            Round made;
            made.user = fixture.add_user(name);
            made.session = fixture.add_session(made.user, name);
            made.grant = add_grant(made.user, made.session.sid);
            of_rounds.push_back(std::move(made));
        }
    }
    Round& at(int round) { return of_rounds.at(static_cast<std::size_t>(round)); }
    std::int64_t ended(int round) {
        return store::find_grant(fixture.database, at(round).grant.id)->ended_at.has_value();
    }

    void add_codes() {
        for (auto& each : of_rounds) each.code = add_code(each.grant);
    }
    void add_refresh_tokens() {
        for (auto& each : of_rounds) {
            each.access = add_access(each.grant);
            each.refresh = {add_refresh(each.grant)};
        }
    }

    int redeem(oauth::Context& own, const std::string& code) const {
        const auto found = oauth::find_usable_code(own, client, {code, client.redirect_uris.front(), {}, {}});
        if (!found) {
            oauth::settle(own, client, found.error());
            return kRefused;
        }
        const auto& grant = found->stored.grant;
        const auto access = oauth::make_access_token(own, {grant, found->scope});
        const auto refresh = oauth::make_refresh_token(own, grant, std::nullopt);
        return oauth::redeem_code(own, found->stored, access.record, refresh.record, oauth::SessionNote::none)
                   ? kAnswered
                   : kRefused;
    }

    /// The new refresh token, or nullopt.
    std::optional<std::string> refresh(oauth::Context& own, const std::string& token) const {
        const auto checked = oauth::check_refresh_token(own, client, {token, {}, {}});
        if (!checked) return std::nullopt;
        const auto& stored = checked->stored;
        const auto access = oauth::make_access_token(own, {stored.grant, checked->scope});
        auto next = oauth::make_refresh_token(own, stored.grant, stored.token);
        if (!oauth::redeem_refresh_token(own, *checked, access.record, next.record, oauth::SessionNote::none))
            return std::nullopt;
        return std::move(next.value);
    }
    test::Act refreshing(std::size_t which = 0) {
        return [this, which](oauth::Context& own, int round, int) {
            return refresh(own, at(round).refresh[which]) ? kAnswered : kRefused;
        };
    }
};

Verdict redeem_one_code(Driver driver) {
    World world(driver);
    world.add_codes();
    const auto answers = race(world, test::times(8, [&](oauth::Context& own, int round, int) {
                                  return world.redeem(own, world.at(round).code);
                              }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto& grant = world.at(round).grant;
        verdict.expect(round, "answers with tokens", answers.count(round, kAnswered), 1);
        verdict.expect(round, "ended grants", world.ended(round), 1);
        verdict.expect(round, "active access tokens", world.count_active("access_token", grant), 0);
        verdict.expect(round, "active refresh tokens", world.count_active("refresh_token", grant), 0);
    }
    return verdict;
}

Verdict rotate_one_token(Driver driver, util::Seconds grace) {
    World world(driver);
    world.fixture.settings.refresh_reuse_grace = grace;
    world.add_refresh_tokens();
    const bool may_retry = grace.count() > 0;
    const auto answers = race(world, test::times(8, world.refreshing()));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto& grant = world.at(round).grant;
        verdict.expect(round, "answers with tokens", answers.count(round, kAnswered), may_retry ? 2 : 1);
        verdict.expect(round, "ended grants", world.ended(round), may_retry ? 0 : 1);
        verdict.expect(round, "active refresh tokens", world.count_active("refresh_token", grant), may_retry ? 2 : 0);
    }
    return verdict;
}
Verdict rotate_without_grace(Driver driver) { return rotate_one_token(driver, util::Seconds{0}); }
Verdict rotate_with_grace(Driver driver) { return rotate_one_token(driver, util::Seconds{10}); }

Verdict use_both_siblings(Driver driver) {
    World world(driver);
    world.add_refresh_tokens();
    for (auto& each : world.of_rounds) {
        auto first = world.refresh(world.context, each.refresh[0]);
        auto second = world.refresh(world.context, each.refresh[0]);
        REQUIRE(first);
        REQUIRE(second);
        each.refresh = {*first, *second};
    }
    auto acts = test::times(4, world.refreshing(0));
    for (const auto& act : test::times(4, world.refreshing(1))) acts.push_back(act);
    const auto answers = race(world, acts);
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto& of_round = answers.of_rounds[static_cast<std::size_t>(round)];
        const auto of_first = std::count(of_round.begin(), of_round.begin() + 4, kAnswered);
        verdict.expect(round, "answers with tokens", answers.count(round, kAnswered), 2);  // the use and its retry
        verdict.expect(round, "siblings that were used", of_first % 2, 0);
        verdict.expect(round, "active refresh tokens", world.count_active("refresh_token", world.at(round).grant), 2);
    }
    return verdict;
}

/// Four requests refresh; what another process does at the same moment leaves no refresh token usable.
Verdict refresh_beside(Driver driver, const std::function<void(World&, oauth::Context&, World::Round&)>& end) {
    World world(driver);
    world.add_refresh_tokens();
    const test::Act ending = [&](oauth::Context& own, int round, int) {
        end(world, own, world.at(round));
        return kRefused;
    };
    const auto answers = race(world, test::beside(test::times(4, world.refreshing()), ending));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round)
        verdict.expect(round, "active refresh tokens", world.count_active("refresh_token", world.at(round).grant), 0);
    return verdict;
}

Verdict refresh_beside_revocation(Driver driver) {
    return refresh_beside(driver, [](World& world, oauth::Context& own, World::Round& round) {
        oauth::revoke(own, world.client.id, {round.access});
    });
}
Verdict refresh_beside_revocation_of_refresh_token(Driver driver) {
    return refresh_beside(driver, [](World& world, oauth::Context& own, World::Round& round) {
        oauth::revoke(own, world.client.id, {round.refresh[0]});
    });
}
Verdict refresh_beside_logout(Driver driver) {
    return refresh_beside(
        driver, [](World&, oauth::Context& own, World::Round& round) { oidc::end_session(own, round.session); });
}
Verdict refresh_beside_end_of_grant(Driver driver) {
    return refresh_beside(driver, [](World&, oauth::Context& own, World::Round& round) {
        db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            store::end_grant(transaction, round.grant.id, own.now());
            transaction.commit();
        });
    });
}
Verdict refresh_beside_disabling(Driver driver) {
    return refresh_beside(driver, [](World&, oauth::Context& own, World::Round& round) {
        db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            auto user = store::find_user_to_change(transaction, round.user.subject);
            user->enabled = false;
            store::end_user_access(transaction, user->subject, own.now(), {});
            store::update_user(transaction, *user);
            transaction.commit();
        });
    });
}

}  // namespace

TEST_CASE("a code is redeemed once, and its replays end what it yielded [RFC 6749 §4.1.2]") {
    test::must_hold(redeem_one_code);
}

TEST_CASE("a refresh token is rotated once, and its reuse ends the grant [RFC 9700 §4.14.2]") {
    test::must_hold(rotate_without_grace);
}

TEST_CASE("within the grace a refresh token is rotated once and retried once") {
    test::must_hold_by_locks(rotate_with_grace);  // of the grant
}

TEST_CASE("of two siblings one is used, and one line of refresh tokens survives") {
    test::must_hold(use_both_siblings);
}

TEST_CASE("no refresh token survives the revocation of an access token of its grant [RFC 7009 §2.1]") {
    test::must_hold_by_locks(refresh_beside_revocation);  // of the grant
}

TEST_CASE("no refresh token survives the revocation of the one before it [RFC 7009 §2.1]") {
    test::must_hold(refresh_beside_revocation_of_refresh_token);
}

TEST_CASE("no refresh token survives the logout from the session of its grant") {
    test::must_hold(refresh_beside_logout);
}

TEST_CASE("no refresh token survives the end of its grant") { test::must_hold(refresh_beside_end_of_grant); }

TEST_CASE("no refresh token survives the disabling of its user") { test::must_hold(refresh_beside_disabling); }
