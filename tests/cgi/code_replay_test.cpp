// One code, one answer: replays and races at the token endpoint (RFC 6749 §4.1.2, §10.5).
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"

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

}  // namespace
