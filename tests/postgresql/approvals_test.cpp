// What a user's approval is worth when it is given, used and taken back at the same moment (OpenID Connect Core
// §3.1.2.4, docs/decisions/0011-rights-checked-in-the-transaction.md).
#include <optional>

#include "db/write.h"
#include "oauth/issue_grant.h"
#include "oauth/sealed_request.h"
#include "oidc/logout_request.h"
#include "postgresql/race.h"
#include "store/authorization_requests.h"
#include "store/consents.h"
#include "store/grants.h"

using namespace postern;
using oauth::ConsentSource;
using test::Driver;
using test::Verdict;

namespace {

constexpr int kIssuers = 7;

enum Answer { kRefused, kIssued };

struct World : test::RaceWorld {
    /// One user for each round, logged in, with a request for each of the processes.
    struct Round {
        model::User user;
        model::Session session;
        std::vector<model::AuthorizationRequest> requests;
    };
    std::vector<Round> of_rounds;

    explicit World(Driver racing) : RaceWorld(racing) {
        for (int round = 0; round < rounds(); ++round) {
            const std::string name = "user" + std::to_string(round);
            Round made;
            made.user = fixture.add_user(name);
            made.session = fixture.add_session(made.user, name);
            of_rounds.push_back(std::move(made));
        }
    }
    Round& at(int round) { return of_rounds.at(static_cast<std::size_t>(round)); }

    /// A request of each process; `scope` has the process's number added where it ends in a colon.
    void add_requests(const std::string& scope) {
        for (auto& each : of_rounds)
            for (int process = 0; process < kIssuers; ++process)
                each.requests.push_back(make_request(scope.ends_with(':') ? scope + std::to_string(process) : scope));
    }
    void approve_requests() {
        for (auto& each : of_rounds)
            write([&](db::Transaction& transaction) {
                for (const auto& request : each.requests)
                    store::record_decision(transaction, oauth::request_key(request), each.user.subject,
                                           model::Decision::approved, request.expires_at);
            });
    }
    void remember(const char* scope) {
        for (auto& each : of_rounds)
            write([&](db::Transaction& transaction) {
                store::save_consent(transaction,
                                    {client.id, each.user.subject, *model::Scope::parse(scope), fixture.clock.now()});
            });
    }

    test::Act issuing(ConsentSource consent) {
        return [this, consent](oauth::Context& own, int round, int process) {
            const auto& request = at(round).requests.at(static_cast<std::size_t>(process));
            return oauth::issue_code(own, {request, at(round).session, consent}) ? kIssued : kRefused;
        };
    }
    /// `postern consent revoke`.
    test::Act withdrawing() {
        return [this](oauth::Context& own, int round, int) {
            const auto& subject = at(round).user.subject;
            db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
                store::remove_consent(transaction, client.id, subject);
                store::end_open_requests(transaction, subject);
                store::end_grants_of(transaction, client.id, subject, own.now());
                transaction.commit();
            });
            return kRefused;
        };
    }
    std::optional<model::Consent> consent(int round) {
        return store::find_consent(fixture.database, client.id, at(round).user.subject);
    }
    std::int64_t living_grants(int round) { return static_cast<std::int64_t>(count_living_grants(at(round).user)); }
};

Verdict issue_beside_logout(Driver driver) {
    World world(driver);
    world.add_requests("openid email");
    const test::Act logout = [&](oauth::Context& own, int round, int) {
        oidc::end_session(own, world.at(round).session);
        return kRefused;
    };
    const auto answers =
        race(world, test::beside(test::times(kIssuers, world.issuing(ConsentSource::not_asked)), logout));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round)
        verdict.expect(round, "living grants", world.living_grants(round), 0);
    return verdict;
}

/// The user takes the remembered consent back while codes are issued by it, or by approvals that are given now.
Verdict beside_withdrawal(World& world, ConsentSource source) {
    world.remember("openid email");
    const auto answers = race(world, test::beside(test::times(kIssuers, world.issuing(source)), world.withdrawing()));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "living grants", world.living_grants(round), 0);
        verdict.expect(round, "consents", world.consent(round).has_value(), 0);
    }
    return verdict;
}
Verdict issue_beside_withdrawal(Driver driver) {
    World world(driver);
    world.add_requests("openid email");
    return beside_withdrawal(world, ConsentSource::remembered);
}
Verdict approval_beside_withdrawal(Driver driver) {
    World world(driver);
    world.add_requests("openid scope:");
    world.approve_requests();
    return beside_withdrawal(world, ConsentSource::given_now);
}

Verdict approvals_beside_each_other(Driver driver) {
    World world(driver);
    world.add_requests("openid scope:");
    world.approve_requests();
    const auto answers = race(world, test::times(kIssuers, world.issuing(ConsentSource::given_now)));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto consent = world.consent(round);
        verdict.expect(round, "codes", answers.count(round, kIssued), kIssuers);
        verdict.expect(round, "scopes remembered",
                       consent ? static_cast<std::int64_t>(consent->scope.tokens().size()) : 0, 1 + kIssuers);
    }
    return verdict;
}

/// One process gets through, and what it gave is all that there is; the last one refuses.
template <class Answers>
Verdict one_answer(World& world, const Answers& answers) {
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "answers", answers.count(round, kIssued), 1);
        const bool was_refused = answers.of_rounds[static_cast<std::size_t>(round)].back() == kIssued;
        verdict.expect(round, "living grants", world.living_grants(round), was_refused ? 0 : 1);
    }
    return verdict;
}

/// Six tabs ask for the code of one request, and one ends it with a refusal.
Verdict answer_one_request(Driver driver) {
    World world(driver);
    for (auto& each : world.of_rounds) each.requests = {world.make_request()};
    const test::Act issuing = [&](oauth::Context& own, int round, int) {
        const auto& [user, session, requests] = world.at(round);
        return oauth::issue_code(own, {requests[0], session, ConsentSource::not_asked}) ? kIssued : kRefused;
    };
    const test::Act ending = [&](oauth::Context& own, int round, int) {
        const auto& [user, session, requests] = world.at(round);
        return oauth::end_request(own, requests[0], session) ? kIssued : kRefused;
    };
    const auto answers = race(world, test::beside(test::times(kIssuers, issuing), ending));
    return one_answer(world, answers);
}

/// The user allows a request in some tabs and denies it in another: who has denied it in time sees no code.
Verdict denial_beside_approvals(Driver driver) {
    World world(driver);
    for (auto& each : world.of_rounds) each.requests.assign(kIssuers, world.make_request());
    world.approve_requests();
    const test::Act denying = [&](oauth::Context& own, int round, int) {
        const auto& request = world.at(round).requests.front();
        db::write(own.store, db::Durability::lazy, [&](db::Transaction& transaction) {
            store::record_decision(transaction, oauth::request_key(request), world.at(round).user.subject,
                                   model::Decision::denied, request.expires_at);
            transaction.commit();
        });
        return store::find_progress(own.store, oauth::request_key(request))->used ? kRefused : kIssued;
    };
    return one_answer(
        world, race(world, test::beside(test::times(kIssuers, world.issuing(ConsentSource::given_now)), denying)));
}

/// Six browsers of a user have opened one pushed address, and ask for its code; one more denies it.
Verdict answer_one_push(Driver driver) {
    World world(driver);
    for (auto& each : world.of_rounds) {
        const model::AuthorizationRequest pushed = world.make_request();
        for (int process = 0; process <= kIssuers; ++process) {
            auto opened = world.make_request();
            opened.pushed = model::Pushed{pushed.id, pushed.expires_at};
            each.requests.push_back(std::move(opened));
        }
    }
    const test::Act denying = [&](oauth::Context& own, int round, int) {
        const auto& [user, session, requests] = world.at(round);
        return oauth::end_request(own, requests.back(), session, oauth::Ends::push) ? kIssued : kRefused;
    };
    const auto issuing = test::times(kIssuers, world.issuing(ConsentSource::not_asked));
    const auto answers = race(world, test::beside(issuing, denying));
    return one_answer(world, answers);
}

}  // namespace

TEST_CASE("no grant survives the logout from the session it was given in") {
    test::must_hold_by_locks(issue_beside_logout);  // of the user
}

TEST_CASE("no grant survives the withdrawal of the consent it rests on") {
    test::must_hold_by_locks(issue_beside_withdrawal);  // of the user
}

TEST_CASE("an approval beside a withdrawal brings nothing back") {
    test::must_hold_by_locks(approval_beside_withdrawal);  // of the user
}

TEST_CASE("consent is the union of all approvals [OpenID Connect Core §3.1.2.4]") {
    test::must_hold_by_locks(approvals_beside_each_other);  // of the user
}

TEST_CASE("a request that the user has denied gives no code, whatever other tabs do [RFC 6749 §4.1.2.1]") {
    test::must_hold_by_locks(denial_beside_approvals);  // of the progress
}

TEST_CASE("an authorization request is answered once") { test::must_hold(answer_one_request); }

TEST_CASE("a pushed request is answered once, however many browsers have opened it [PAR-14, RFC 9126 §7.3]") {
    test::must_hold(answer_one_push);
}
