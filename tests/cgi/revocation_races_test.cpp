// Revocation against everything that goes on at the same moment (RFC 7009 §2.1, V10): whatever came first, nothing is
// alive afterwards.
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;

constexpr int kEach = 6;

struct Outcome {
    std::vector<Answer> revocations{kEach};
    std::vector<Answer> refreshes{kEach};
};

/// As many revocations of `token` as uses of `refresh_token`, all at once.
Outcome race(const Deployment& op, const Query& revocation, const std::string& refresh_token) {
    std::signal(SIGPIPE, SIG_IGN);
    const Query use{{"grant_type", "refresh_token"}, {"refresh_token", refresh_token}};
    Outcome outcome;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kEach; ++i) {
        threads.emplace_back([&, i] { outcome.refreshes[i] = redeem(op, use); });
        threads.emplace_back([&, i] { outcome.revocations[i] = as_client(op, "revoke", revocation); });
    }
    for (std::thread& thread : threads) thread.join();
    return outcome;
}

TEST_CASE(
    "revocation race: of CGI processes, a refresh that won leaves no valid successor, without server errors [V10, RFC 7009 §2.1n]") {
    for (const bool by_refresh_token : {true, false}) {
        CAPTURE(by_refresh_token);
        const Deployment op;
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, authorization_request());
        const std::string refresh_token = text_of(tokens, "refresh_token");
        const std::string access_token = text_of(tokens, "access_token");
        const Outcome outcome =
            race(op, Query{{"token", by_refresh_token ? refresh_token : access_token}}, refresh_token);
        for (const Answer& answer : outcome.revocations) {
            CHECK(answer.status == 200);
            CHECK(answer.body.empty());
        }
        CHECK_FALSE(is_active(op, refresh_token));
        CHECK_FALSE(is_active(op, access_token));
        for (const Answer& answer : outcome.refreshes) {
            CHECK((answer.verdict() == "200" || answer.verdict() == "400 invalid_grant"));
            if (answer.status != 200) continue;
            CHECK_FALSE(is_active(op, answer.member("refresh_token")));
            // A sibling access token lives on when an access token was revoked, and dies with the grant.
            if (by_refresh_token) CHECK_FALSE(is_active(op, answer.member("access_token")));
        }
    }
}

TEST_CASE("revocation race: a code is redeemed or revoked, never both [RFC 6749 §4.1.2, V09]") {
    std::signal(SIGPIPE, SIG_IGN);
    const Deployment op;
    UserAgent alice(op);
    for (int round = 0; round < 4; ++round) {
        const std::string code = alice.obtain_code(authorization_request());
        Answer tokens, revocation;
        std::thread exchange([&] { tokens = redeem(op, token_request(code)); });
        std::thread end([&] {
            revocation = as_client(op, "revoke", {{"token", code}, {"token_type_hint", "auth_code"}});
        });
        exchange.join();
        end.join();
        CHECK(revocation.status == 200);
        CHECK((tokens.verdict() == "200" || tokens.verdict() == "400 invalid_grant"));
        if (tokens.status == 200) CHECK(is_active(op, tokens.member("access_token")));
        CHECK(redeem(op, token_request(code)).verdict() == "400 invalid_grant");
    }
}

}  // namespace
