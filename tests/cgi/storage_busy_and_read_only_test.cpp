// Storage that is busy or failing: 503 or nothing at all, never a partial result, and everything works again
// afterwards.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"
#include "support/html.h"
#include "support/occupant.h"
#include "util/text.h"

namespace {

using namespace postern::test;
namespace fs = std::filesystem;

void check_mute(const Deployment& op, const Answer& answer) {
    const std::string text = postern::util::to_lower(answer.raw);
    for (const std::string word :
         {"sqlite", "select ", "locked", "gate", "flock", "readonly", "malformed database", ".cpp"})
        CHECK_MESSAGE(text.find(word) == std::string::npos, word);
    CHECK(answer.raw.find(op.directory().string()) == std::string::npos);
}

void check_try_again(const Deployment& op, const Answer& answer) {
    CHECK(answer.status == 503);
    CHECK_FALSE(answer.header("Retry-After").empty());
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK_FALSE(answer.has("Location"));
    CHECK_FALSE(answer.has("Set-Cookie"));
    check_mute(op, answer);
}

TEST_CASE(
    "busy: writers get 503 with Retry-After and change nothing, readers go on [S03, V06, X29, RFC 7009 §2.2.1d]") {
    std::signal(SIGPIPE, SIG_IGN);
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const Query exchange = token_request(alice.obtain_code(authorization_request()));
    const Landing consent = alice.authorize(authorization_request().with("prompt", "consent"));
    UserAgent visitor(op);
    const Landing login = visitor.authorize(authorization_request());
    const auto attempts = op.count_rows("login_attempts");

    const Query revocation{{"token", text_of(tokens, "refresh_token")}};
    const Query access{{"token", text_of(tokens, "access_token")}};
    const Query unused{{"token", alice.obtain_code(authorization_request())}, {"token_type_hint", "auth_code"}};

    const auto codes = op.count_rows("authorization_codes");
    Answer token, code, decision, session, failure, revoked, revoked_access, revoked_code;
    {
        const Occupant occupant(op);
        UserAgent tabs[4] = {alice, alice, visitor, visitor};
        std::vector<std::thread> writers;
        writers.emplace_back([&] { token = redeem(op, exchange); });
        writers.emplace_back([&] { revoked = as_client(op, "revoke", revocation); });
        writers.emplace_back([&] { revoked_access = as_client(op, "revoke", access); });
        writers.emplace_back([&] { revoked_code = as_client(op, "revoke", unused); });
        writers.emplace_back([&] { code = tabs[0].fetch(op.url("authorize") + "?" + authorization_request().text()); });
        writers.emplace_back([&] { decision = tabs[1].send(op.url("scopes"), tabs[1].form_of(consent, "approve")); });
        writers.emplace_back([&] {
            session = tabs[2].send(
                op.url("login"), tabs[2].form_of(login, "login", {{"username", kAlice}, {"password", kAlicePassword}}));
        });
        writers.emplace_back([&] {
            failure = tabs[3].send(op.url("login"),
                                   tabs[3].form_of(login, "login", {{"username", kAlice}, {"password", "wrong"}}));
        });
        for (std::thread& writer : writers) writer.join();

        CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
        CHECK(is_active(op, text_of(tokens, "refresh_token")));
        CHECK(op.cgi("discovery").status == 200);
        CHECK(op.cgi("jwks").status == 200);
        CHECK(visitor.open(login.url).verdict() == "login");
        CHECK(alice.open(consent.url).verdict() == "consent");
        CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request().text()))) == "login");
        CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request().with("prompt", "none").text()))) ==
              "login_required");
    }
    for (const Answer* answer :
         {&token, &revoked, &revoked_access, &revoked_code}) {  // RFC 7009 §2.2.1, V06: never a 200
        check_try_again(op, *answer);
        CHECK(answer->verdict() == "503 temporarily_unavailable");
        CHECK(answer->header("Content-Type") == "application/json");
    }
    CHECK(token.body == revoked.body);
    for (const Answer* page : {&code, &decision, &session, &failure}) {
        check_try_again(op, *page);
        CHECK(page->header("Content-Type") == "text/html; charset=utf-8");
        CHECK(has_id(page->body, "request-id"));
    }
    CHECK(op.count_rows("authorization_codes") == codes);
    CHECK(op.count_rows("login_attempts") == attempts);

    CHECK(is_active(op, text_of(tokens, "refresh_token")));
    CHECK(as_client(op, "revoke", revocation).status == 200);
    CHECK_FALSE(is_active(op, text_of(tokens, "refresh_token")));
    CHECK(redeem(op, exchange).status == 200);
    CHECK(alice.approve(consent).verdict() == "code");
    CHECK(visitor.log_in(login).verdict() == "code");
}

/// Takes the right to write away from the database, its directory and side files, and gives it back.
class ReadOnly {
public:
    explicit ReadOnly(const Deployment& op) : directory_(op.database_file().parent_path()) { set(0440, 0550); }
    ReadOnly(const ReadOnly&) = delete;
    ReadOnly& operator=(const ReadOnly&) = delete;
    ~ReadOnly() { set(0660, 0770); }

private:
    void set(mode_t files, mode_t directory) const {
        for (const auto& entry : fs::directory_iterator(directory_)) ::chmod(entry.path().c_str(), files);
        ::chmod(directory_.c_str(), directory);
    }
    fs::path directory_;
};

TEST_CASE(
    "read-only: nothing is issued, nothing is disclosed, and the code is valid afterwards [S09, S14, V06, RFC 7009 §2.2.1d]") {
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const Query exchange = token_request(alice.obtain_code(authorization_request()));
    std::string cookies;
    for (const auto& [name, value] : alice.cookies()) cookies += name + "=" + value + "; ";
    const auto codes = op.count_rows("authorization_codes");
    {
        const ReadOnly read_only(op);
        CgiRequest token = with_basic(exchange.text());
        CgiRequest code = get_request(authorization_request().text());
        code.headers = {{"Cookie", cookies}};
        const CgiRequest revocation = with_basic(Query{{"token", text_of(tokens, "access_token")}}.text());
        for (const auto& row :
             {std::pair<std::string, CgiRequest>{"token", token}, {"authorize", code}, {"revoke", revocation}}) {
            const auto& endpoint = row.first;
            const auto& request = row.second;
            CAPTURE(endpoint);
            CgiRequest plain = request;
            plain.obeys_modes = true;
            const Answer answer = op.cgi(endpoint, plain);
            CHECK((answer.status == 500 || answer.status == 503));
            CHECK_FALSE(answer.has("Location"));
            CHECK(answer.body.find("access_token") == std::string::npos);
            CHECK_FALSE(answer.log.empty());
            check_mute(op, answer);
        }
        CgiRequest read = bearer(text_of(tokens, "access_token"));
        read.obeys_modes = true;
        const Answer claims = op.cgi("userinfo", read);
        CHECK((claims.status == 200 || claims.status == 503 || claims.status == 500));
        check_mute(op, claims);
    }
    CHECK(op.count_rows("authorization_codes") == codes);
    CHECK(is_active(op, text_of(tokens, "access_token")));
    CHECK(redeem(op, exchange).status == 200);
    CHECK(alice.authorize(authorization_request()).verdict() == "code");
}

TEST_CASE("damaged: the answer is an error and nothing else, whichever part of the file is gone [S10, S14]") {
    for (const std::size_t keep : {0U, 100U, 4096U, 8192U}) {
        CAPTURE(keep);
        const Deployment op;
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, authorization_request());
        const Query exchange = token_request(alice.obtain_code(authorization_request()));
        std::string bytes = read_file(op.database_file());
        REQUIRE(bytes.size() > keep);
        for (std::size_t i = keep; i < bytes.size(); ++i) bytes[i] = '\x5a';
        write_file(op.database_file(), bytes);
        for (const char* suffix : {"-wal", "-shm"}) fs::remove(op.database_file().string() + suffix);
        const Query known{{"token", text_of(tokens, "access_token")}};
        const std::vector<Answer> answers = {userinfo(op, text_of(tokens, "access_token")),
                                             redeem(op, exchange),
                                             as_client(op, "introspect", known),
                                             as_client(op, "revoke", known),
                                             alice.fetch(op.url("authorize") + "?" + authorization_request().text()),
                                             op.cgi("authorize", get_request(authorization_request().text()))};
        for (const Answer& answer : answers) {
            CHECK((answer.status == 500 || answer.status == 503));
            CHECK_FALSE(answer.has("Location"));
            CHECK(answer.body.find("access_token\":") == std::string::npos);
            CHECK(answer.log.find("postern.db") != std::string::npos);
            check_mute(op, answer);
        }
        CHECK(read_file(op.database_file()) == bytes);  // not "repaired"
        CHECK(op.cgi("discovery").status == 200);
    }
}

TEST_CASE("busy: a logout that could not be written is none, and is said to be none [RP-Initiated Logout §3a]") {
    std::signal(SIGPIPE, SIG_IGN);
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const std::string url = op.url("logout") + "?" + Query{{"id_token_hint", text_of(tokens, "id_token")}}.text();
    {
        const Occupant occupant(op);
        check_try_again(op, alice.fetch(url));
    }
    CHECK(alice.authorize(authorization_request().with("prompt", "none")).verdict() == "code");
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
    CHECK(alice.fetch(url).status == 200);
    CHECK(alice.authorize(authorization_request().with("prompt", "none")).verdict() == "login_required");
}

}  // namespace
