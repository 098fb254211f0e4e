// A refresh token's life between lost answers, thieves, and users who leave (RFC 9700 §4.14.2, §2.2.2).
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "crypto/digest.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

Answer refresh(const Deployment& op, const std::string& token, const std::string& client = kWeb) {
    return redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", token}}, client);
}

/// Signed with a grace for lost answers, as shipped, and opaque without one.
std::vector<Deployment::Options> kinds() {
    return {{}, {.config = json::Object{{"useOpaqueRefreshTokens", true}, {"refreshReuseGrace", 0}}}};
}

constexpr const char* kRefused = "400 invalid_grant";

/// Neither the access token nor the refresh token of these answers is good for anything.
void check_ended(const Deployment& op, const std::vector<json::Object>& answers, const std::string& client = kWeb) {
    for (const json::Object& answer : answers) {
        CHECK_FALSE(is_active(op, text_of(answer, "access_token")));
        CHECK(userinfo(op, text_of(answer, "access_token")).status == 401);
        CHECK_FALSE(is_active(op, text_of(answer, "refresh_token")));
        CHECK(refresh(op, text_of(answer, "refresh_token"), client).verdict() == kRefused);
    }
}

TEST_CASE("rotation: each use gives the next token, and the used one is inactive from then on [F01, RFC 9700 §2.2.2]") {
    for (const Deployment::Options& kind : kinds()) {
        for (const std::string client : {kWeb, kSpa}) {
            CAPTURE(client);
            SignedIn r(kind, client);
            const Answer second = refresh(r.op, r.refresh_token(), client);
            REQUIRE(second.verdict() == "200");
            CHECK(second.member("refresh_token") != r.refresh_token());
            CHECK_FALSE(is_active(r.op, r.refresh_token()));
            const Answer third = refresh(r.op, second.member("refresh_token"), client);
            REQUIRE(third.verdict() == "200");
            CHECK(is_active(r.op, third.member("refresh_token")));
            r.op.advance(seconds(11));
            CHECK(refresh(r.op, second.member("refresh_token"), client).verdict() == kRefused);
        }
    }
}

TEST_CASE(
    "rotation: a used token that comes back ends its whole grant, and that grant only, in every process [F02, F03, RFC "
    "6749 §6f, §10.4c]") {
    for (const Deployment::Options& kind : kinds()) {
        for (const std::string client : {kWeb, kSpa}) {
            CAPTURE(client);
            SignedIn r(kind, client);
            const auto bystander = obtain_tokens(r.op, r.alice, authorization_request(client), client);
            const Answer second = refresh(r.op, r.refresh_token(), client);
            const Answer third = refresh(r.op, second.member("refresh_token"), client);
            REQUIRE(third.verdict() == "200");
            CHECK(userinfo(r.op, third.member("access_token")).status == 200);
            CHECK(refresh(r.op, r.refresh_token(), client).verdict() == kRefused);
            check_ended(r.op, {r.tokens, second.json(), third.json()}, client);
            CHECK(userinfo(r.op, text_of(bystander, "access_token")).status == 200);
            CHECK(refresh(r.op, text_of(bystander, "refresh_token"), client).verdict() == "200");
        }
    }
}

TEST_CASE("rotation: a lost answer is replaced once, for the same client and until a successor is used [F10]") {
    SignedIn r;
    const Answer lost = refresh(r.op, r.refresh_token());
    REQUIRE(lost.verdict() == "200");
    r.op.advance(seconds(10));
    CHECK(refresh(r.op, r.refresh_token(), kOther).verdict() == kRefused);
    const Answer again = refresh(r.op, r.refresh_token());
    REQUIRE(again.verdict() == "200");
    CHECK(again.member("scope") == lost.member("scope"));
    CHECK(again.member("refresh_token") != lost.member("refresh_token"));
    CHECK(refresh(r.op, r.refresh_token()).verdict() == kRefused);
    // Two tabs, one line: the first tab that goes on goes on alone, and nothing is revoked.
    const Answer on = refresh(r.op, again.member("refresh_token"));
    REQUIRE(on.verdict() == "200");
    CHECK(refresh(r.op, lost.member("refresh_token")).verdict() == kRefused);
    CHECK(userinfo(r.op, on.member("access_token")).status == 200);
    const Answer last = refresh(r.op, on.member("refresh_token"));
    REQUIRE(last.verdict() == "200");
    CHECK(refresh(r.op, r.refresh_token()).verdict() == kRefused);
    check_ended(r.op, {last.json()});
}

TEST_CASE(
    "rotation: another client's attempt takes nothing from the owner, even with a spent token [F05, RFC 6749 §6d, "
    "§10.4b]") {
    for (const Deployment::Options& kind : kinds()) {
        const SignedIn r(kind);
        for (const std::string stranger : {kOther, kSpa, kTrusted})
            CHECK(refresh(r.op, r.refresh_token(), stranger).verdict() == kRefused);
        const Answer second = refresh(r.op, r.refresh_token());
        const Answer third = refresh(r.op, second.member("refresh_token"));
        for (const std::string& token :
             {r.refresh_token(), second.member("refresh_token"), third.member("refresh_token")})
            for (const std::string stranger : {kOther, kSpa})
                CHECK(refresh(r.op, token, stranger).verdict() == kRefused);
        CHECK(userinfo(r.op, third.member("access_token")).status == 200);
        CHECK(refresh(r.op, third.member("refresh_token")).verdict() == "200");
    }
}

TEST_CASE("race: eight CGI processes with one refresh token leave one usable line, without server errors [F04]") {
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

TEST_CASE("rotation: what ends a user's or a client's rights ends the refresh tokens at once [F09]") {
    struct Row {
        std::string when;
        std::vector<std::string> command;
        std::string input = "";
    };
    const std::vector<Row> rows = {
        {"disabled", {"user", "disable", kAlice}},
        {"another password", {"user", "passwd", kAlice, "--password-stdin"}, "a quite different sentence\n"},
        {"removed", {"user", "remove", kAlice}},
        {"session ended", {"session", "end", "--user", kAlice}},
        {"consent withdrawn", {"consent", "revoke", "--user", kAlice, "--client", kWeb}},
        {"tokens revoked", {"token", "revoke", "--user", kAlice}},
        {"the client is removed", {"client", "remove", kWeb}},
        {"the client is disabled", {"client", "disable", kWeb}},
    };
    for (const Deployment::Options& kind : kinds()) {
        for (const Row& row : rows) {
            CAPTURE(row.when);
            const SignedIn r(kind);
            const Answer tokens = refresh(r.op, r.refresh_token());
            REQUIRE(tokens.verdict() == "200");
            r.op.must(row.command, row.input);
            const std::string verdict = refresh(r.op, tokens.member("refresh_token")).verdict();
            CHECK(verdict == (row.command.front() == "client" ? "401 invalid_client" : kRefused));
            for (const std::string name : {"access_token", "refresh_token"})
                CHECK_FALSE(is_active(r.op, tokens.member(name)));
            CHECK(userinfo(r.op, tokens.member("access_token")).status == 401);
        }
        const SignedIn revoked(kind);
        const Answer tokens = refresh(revoked.op, revoked.refresh_token());
        CHECK(as_client(revoked.op, "revoke", {{"token", tokens.member("refresh_token")}}).status == 200);
        check_ended(revoked.op, {tokens.json()});
    }
}

TEST_CASE(
    "storage: of tokens and codes the digest is kept, and never the value [RFC 6819 §5.1.4.1.3, RFC 6749 §10.4a, OIDC "
    "Core §16.12, I14]") {
    for (const Deployment::Options& kind : kinds()) {
        SignedIn r(kind);
        const Answer second = refresh(r.op, r.refresh_token());
        const std::string used = r.alice.obtain_code(authorization_request());
        REQUIRE(redeem(r.op, token_request(used)).status == 200);
        const std::string unused = r.alice.obtain_code(authorization_request());
        const std::string bytes = r.op.stored();
        for (const std::string& value : {r.access_token(), r.refresh_token(), second.member("access_token"),
                                         second.member("refresh_token"), used, unused}) {
            CHECK(bytes.find(postern::crypto::sha256_hex(value)) != std::string::npos);
            CHECK(bytes.find(value) == std::string::npos);
            CHECK(bytes.find(value.substr(value.rfind('.') + 1)) == std::string::npos);
        }
        CHECK(second.log.find(r.refresh_token()) == std::string::npos);
    }
}

}  // namespace
