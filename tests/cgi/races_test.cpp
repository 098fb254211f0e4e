// Codes and tokens that are used, replayed and revoked at the same moment (RFC 6749 §4.1.2, §10.5, RFC 7009 §2.1): one
// answer wins, and nothing that was ended is alive afterwards.
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"
#include "support/pushed.h"

namespace {

using namespace postern::test;

TEST_CASE("replay: the second use of a code ends what the first use gave, and only that [T02, RFC 6749 §4.1.2e]") {
    const Deployment op;
    UserAgent alice(op);
    const auto bystander = obtain_tokens(op, alice, authorization_request());
    const Query request = token_request(alice.obtain_code(authorization_request()));
    const Answer first = redeem(op, request);
    REQUIRE(first.status == 200);
    CHECK(userinfo(op, first.member("access_token")).status == 200);
    const Answer second = redeem(op, request);
    CHECK(second.verdict() == "400 invalid_grant");
    CHECK(second.json().find("access_token") == nullptr);
    CHECK(userinfo(op, first.member("access_token")).status == 401);
    CHECK(userinfo(op, text_of(bystander, "access_token")).status == 200);  // another grant of the same user and client
    CHECK(alice.authorize(authorization_request().with("prompt", "none")).verdict() == "code");
}

TEST_CASE(
    "race: of many CGI processes that redeem one code exactly one wins, and its tokens follow the replay rule [T01, T04, RFC 6749 "
    "§4.1.2d]") {
    std::signal(SIGPIPE, SIG_IGN);
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    for (int round = 0; round < 5; ++round) {
        const Query request = token_request(alice.obtain_code(authorization_request()));
        std::vector<Answer> answers(8);
        std::vector<std::thread> clients;
        for (Answer& answer : answers) clients.emplace_back([&] { answer = redeem(op, request); });
        for (std::thread& client : clients) client.join();
        int winners = 0;
        for (const Answer& answer : answers) {
            CHECK((answer.status == 200 || answer.verdict() == "400 invalid_grant"));
            if (answer.status != 200) continue;
            ++winners;
            CHECK(userinfo(op, answer.member("access_token")).status == 401);
        }
        CHECK(winners == 1);
    }
}

TEST_CASE("race: a code and the user's end at the same time leave no live token behind [T04]") {
    std::signal(SIGPIPE, SIG_IGN);
    for (int round = 0; round < 4; ++round) {
        const Deployment op;
        UserAgent alice(op);
        const Query request = token_request(alice.obtain_code(authorization_request()));
        Answer answer;
        std::thread client([&] { answer = redeem(op, request); });
        op.must({"user", "disable", kAlice});
        client.join();
        CHECK((answer.status == 200 || answer.verdict() == "400 invalid_grant"));
        if (answer.status == 200) CHECK(userinfo(op, answer.member("access_token")).status == 401);
    }
}

TEST_CASE("race: of many CGI processes that open one pushed address exactly one answers it [PAR-14, RFC 9126 §7.3]") {
    std::signal(SIGPIPE, SIG_IGN);
    const Deployment op(with_par());
    UserAgent alice(op);
    alice.log_in(alice.authorize(authorization_request(kTrusted)));
    for (int round = 0; round < 5; ++round) {
        const std::string address = pushed_address(op, authorization_request(kTrusted), kTrusted);
        std::vector<Answer> answers(8);
        std::vector<std::thread> tabs;
        for (Answer& answer : answers)
            tabs.emplace_back([&] {
                UserAgent tab = alice;
                answer = tab.fetch(op.url("authorize") + "?" + opening(address, kTrusted).text());
            });
        for (std::thread& tab : tabs) tab.join();
        int codes = 0;
        for (const Answer& answer : answers) {
            const bool has_code = query_parameter(answer.location(), "code").has_value();
            CHECK((has_code || answer.status == 400));
            if (has_code) ++codes;
        }
        CHECK(codes == 1);
    }
}

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
