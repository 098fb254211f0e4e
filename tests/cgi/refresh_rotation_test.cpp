// A refresh token's life between lost answers, thieves, and users who leave (RFC 9700 §4.14.2, §2.2.2).
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

Answer refresh(const Deployment& op, const std::string& token, const std::string& client = kWeb) {
    return redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", token}}, client);
}

TEST_CASE(
    "rotation: a stolen token that comes back ends the whole grant, and that grant only [F02, F03, RFC 6749 §6f, "
    "§10.4c]") {
    SignedIn r;
    const auto bystander = obtain_tokens(r.op, r.alice, authorization_request());
    const Answer second = refresh(r.op, r.refresh_token());
    const Answer third = refresh(r.op, second.member("refresh_token"));
    REQUIRE(third.verdict() == "200");
    CHECK(userinfo(r.op, third.member("access_token")).status == 200);

    CHECK(refresh(r.op, r.refresh_token()).verdict() == "400 invalid_grant");
    CHECK(refresh(r.op, third.member("refresh_token")).verdict() == "400 invalid_grant");
    for (const std::string& access : {r.access_token(), second.member("access_token"), third.member("access_token")})
        CHECK(userinfo(r.op, access).status == 401);
    CHECK(userinfo(r.op, text_of(bystander, "access_token")).status == 200);
    CHECK(refresh(r.op, text_of(bystander, "refresh_token")).verdict() == "200");
}

TEST_CASE("rotation: an answer lost on the way is replaced once, within the grace [refreshReuseGrace]") {
    SignedIn r;
    const Answer lost = refresh(r.op, r.refresh_token());
    REQUIRE(lost.verdict() == "200");
    r.op.advance(seconds(10));
    const Answer again = refresh(r.op, r.refresh_token());
    REQUIRE(again.verdict() == "200");
    CHECK(again.member("refresh_token") != lost.member("refresh_token"));
    CHECK(refresh(r.op, r.refresh_token()).verdict() == "400 invalid_grant");
    // Two tabs, one line: whoever goes on first goes on alone, and nothing is revoked.
    const Answer on = refresh(r.op, again.member("refresh_token"));
    REQUIRE(on.verdict() == "200");
    CHECK(refresh(r.op, lost.member("refresh_token")).verdict() == "400 invalid_grant");
    CHECK(userinfo(r.op, on.member("access_token")).status == 200);
    CHECK(refresh(r.op, on.member("refresh_token")).verdict() == "200");
}

TEST_CASE("rotation: after the grace, and without one, a second use is reuse [F10, RFC 6749 §6f]") {
    SignedIn late;
    REQUIRE(refresh(late.op, late.refresh_token()).verdict() == "200");
    late.op.advance(seconds(11));
    CHECK(refresh(late.op, late.refresh_token()).verdict() == "400 invalid_grant");
    CHECK(userinfo(late.op, late.access_token()).status == 401);

    Deployment::Options options;
    options.config = json::Object{{"refreshReuseGrace", 0}};
    const SignedIn strict(options);
    const Answer second = refresh(strict.op, strict.refresh_token());
    REQUIRE(second.verdict() == "200");
    CHECK(refresh(strict.op, strict.refresh_token()).verdict() == "400 invalid_grant");
    CHECK(refresh(strict.op, second.member("refresh_token")).verdict() == "400 invalid_grant");
}

TEST_CASE(
    "rotation: another client's attempt takes nothing from the owner, even with a spent token [F05, RFC 6749 §6d, "
    "§10.4b]") {
    const SignedIn r;
    const Answer second = refresh(r.op, r.refresh_token());
    const Answer third = refresh(r.op, second.member("refresh_token"));
    for (const std::string& token : {r.refresh_token(), second.member("refresh_token"), third.member("refresh_token")})
        CHECK(refresh(r.op, token, kOther).verdict() == "400 invalid_grant");
    CHECK(userinfo(r.op, third.member("access_token")).status == 200);
    CHECK(refresh(r.op, third.member("refresh_token")).verdict() == "200");
}

TEST_CASE("race: parallel refreshes of one token leave one usable line, without server errors [F04]") {
    std::signal(SIGPIPE, SIG_IGN);
    const SignedIn r;
    std::vector<Answer> answers(8);
    std::vector<std::thread> clients;
    for (Answer& answer : answers) clients.emplace_back([&] { answer = refresh(r.op, r.refresh_token()); });
    for (std::thread& client : clients) client.join();
    std::vector<std::string> winners;
    for (const Answer& answer : answers) {
        CHECK((answer.verdict() == "200" || answer.verdict() == "400 invalid_grant"));
        if (answer.status == 200) winners.push_back(answer.member("refresh_token"));
    }
    REQUIRE(winners.size() == 2);  // the rotation, and the one retry that the grace allows
    const Answer on = refresh(r.op, winners[0]);
    CHECK(on.verdict() == "200");
    CHECK(refresh(r.op, winners[1]).verdict() == "400 invalid_grant");
    CHECK(refresh(r.op, on.member("refresh_token")).verdict() == "200");
}

TEST_CASE("rotation: a user's end ends the refresh tokens at once [F09]") {
    struct Row {
        const char* when;
        std::vector<std::string> command;
        std::string input;
    };
    const std::vector<Row> rows = {
        {"disabled", {"user", "disable", kAlice}, ""},
        {"another password", {"user", "passwd", kAlice, "--password-stdin"}, "a quite different sentence\n"},
        {"removed", {"user", "remove", kAlice}, ""},
        {"the client is removed", {"client", "remove", kWeb}, ""},
        {"the client is disabled", {"client", "disable", kWeb}, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const SignedIn r;
        r.op.must(row.command, row.input);
        const std::string verdict = refresh(r.op, r.refresh_token()).verdict();
        CHECK((verdict == "400 invalid_grant" || verdict == "401 invalid_client"));
    }
}

TEST_CASE("replay: a code that is used twice takes its refresh token along [RFC 6749 §4.1.2e, T02]") {
    const Deployment op;
    UserAgent alice(op);
    const Query request = token_request(alice.obtain_code(authorization_request()));
    const Answer first = redeem(op, request);
    const Answer refreshed = refresh(op, first.member("refresh_token"));
    REQUIRE(refreshed.verdict() == "200");
    CHECK(redeem(op, request).verdict() == "400 invalid_grant");
    CHECK(refresh(op, refreshed.member("refresh_token")).verdict() == "400 invalid_grant");
    CHECK(userinfo(op, refreshed.member("access_token")).status == 401);
}

TEST_CASE("registration: a scope that the client has lost is lost at the next refresh") {
    SignedIn r;
    r.op.must({"client", "set", kWeb, "--scope", "openid profile"});
    const Answer answer = refresh(r.op, r.refresh_token());
    REQUIRE(answer.verdict() == "200");
    CHECK(answer.member("scope") == "openid");
    const Query asking{
        {"grant_type", "refresh_token"}, {"refresh_token", answer.member("refresh_token")}, {"scope", "openid email"}};
    CHECK(redeem(r.op, asking).verdict() == "400 invalid_scope");
}

TEST_CASE(
    "storage: refresh tokens are kept as digests only [RFC 6819 §5.1.4.1.3, RFC 6749 §10.4a, OIDC Core §16.12, I14]") {
    Deployment::Options options;
    options.config = json::Object{{"useOpaqueRefreshTokens", true}};
    const SignedIn r(options);
    const Answer second = refresh(r.op, r.refresh_token());
    for (const char* suffix : {"", "-wal"}) {
        const std::string bytes = read_file(r.op.database_file().string() + suffix);
        for (const std::string& token : {r.refresh_token(), second.member("refresh_token")})
            CHECK(bytes.find(token) == std::string::npos);
    }
    CHECK(second.log.find(r.refresh_token()) == std::string::npos);
}

}  // namespace
