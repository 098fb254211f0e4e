// Guessing passwords is slowed down per name and address, and nobody is locked out by somebody else (CWE-307).
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

Deployment::Options at_most(int failures) {
    Deployment::Options options;
    options.config = {{"login", postern::json::Object{{"maxFailures", failures}, {"window", 900}}}};
    return options;
}

/// Tries a password at a login form of its own; the status tells: 303 in, 200 wrong, 429 throttled.
Answer attempt(const Deployment& op, const std::string& address, const std::string& username,
               const std::string& password) {
    UserAgent browser(op, address);
    const Landing page = browser.authorize(authorization_request());
    return browser.send(op.url("login"),
                        browser.form_of(page, "login", {{"username", username}, {"password", password}}));
}

TEST_CASE(
    "throttle: after ten failures neither a wrong nor the right password is looked at, until the window ends [IF179, "
    "L09]") {
    Deployment op;
    for (int i = 0; i < 10; ++i) CHECK(attempt(op, "192.0.2.1", kAlice, "wrong").status == 200);
    op.advance(seconds(899));
    for (const std::string password : {"wrong", kAlicePassword}) {
        const Answer refused = attempt(op, "192.0.2.1", kAlice, password);
        CHECK(refused.status == 429);
        CHECK(refused.header("Retry-After") == "1");
        CHECK_FALSE(refused.has("Set-Cookie"));
        CHECK(refused.header("Content-Type") == "text/html; charset=utf-8");
    }
    op.advance(seconds(1));
    CHECK(attempt(op, "192.0.2.1", kAlice, kAlicePassword).status == 303);
}

TEST_CASE(
    "throttle: guesses from everywhere do not lock users out of addresses where they have logged in before [L09]") {
    Deployment op(at_most(1));
    CHECK(attempt(op, "198.51.100.7", kAlice, kAlicePassword).status == 303);
    for (int round = 0; round < 3; ++round) {  // for ever
        for (int i = 1; i <= 10; ++i) CHECK(attempt(op, "192.0.2." + std::to_string(i), kAlice, "wrong").status == 200);
        CHECK(attempt(op, "192.0.2.11", kAlice, kAlicePassword).status == 429);
        CHECK(attempt(op, "198.51.100.7", kAlice, kAlicePassword).status == 303);
        op.advance(seconds(900));
    }
    // Guesses from there count as they do everywhere, and the address is nothing to another name.
    CHECK(attempt(op, "198.51.100.7", kAlice, "wrong").status == 200);
    CHECK(attempt(op, "198.51.100.7", kAlice, kAlicePassword).status == 429);
    for (int i = 1; i <= 10; ++i) CHECK(attempt(op, "192.0.2." + std::to_string(i), kBob, "wrong").status == 200);
    CHECK(attempt(op, "198.51.100.7", kBob, kBobPassword).status == 429);
    // Known for ninety days after the last time.
    op.advance(seconds(90 * 86400));
    for (int i = 1; i <= 10; ++i) CHECK(attempt(op, "192.0.2." + std::to_string(i), kAlice, "wrong").status == 200);
    CHECK(attempt(op, "198.51.100.7", kAlice, kAlicePassword).status == 429);
}

TEST_CASE("throttle: a forwarded address is believed from a configured proxy only [X22]") {
    for (const bool trusted : {false, true}) {
        CAPTURE(trusted);
        Deployment::Options options = at_most(2);
        if (trusted) options.config.set("trustedProxies", postern::json::strings({"192.0.2.1"}));
        const Deployment op(options);
        int throttled = 0;
        for (int i = 1; i <= 4; ++i) {
            UserAgent browser(op, "192.0.2.1");
            const Landing page = browser.authorize(authorization_request());
            const std::string form = browser.form_of(page, "login", {{"username", kAlice}, {"password", "wrong"}});
            throttled +=
                browser.send(op.url("login"), form, {{"X-Forwarded-For", "198.51.100." + std::to_string(i)}}).status ==
                429;
        }
        CHECK(throttled == (trusted ? 0 : 2));
    }
}

TEST_CASE(
    "throttle: clients that a proxy names with a port, or not at all, never share the counter of the proxy [RFC 7239 §6]") {
    struct Row {
        const char* when;
        const char* strangers;  ///< X-Forwarded-For of those who guess; "": none
        const char* alice;      ///< X-Forwarded-For of alice
        int status;
    };
    const Row rows[] = {
        {"the same address, another port", "198.51.100.1:51234", "198.51.100.1:4", 429},
        {"another address", "198.51.100.1:51234", "[2001:db8::1]:51234", 303},
        {"not an address", "unknown", "unknown", 303},
        {"no header", "", "", 303},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Deployment::Options options = at_most(1);
        options.config.set("trustedProxies", postern::json::strings({"192.0.2.1"}));
        const Deployment op(options);
        const auto log_in = [&](const std::string& name, const std::string& password, const std::string& from) {
            UserAgent browser(op, "192.0.2.1");
            const Landing page = browser.authorize(authorization_request());
            const std::string form = browser.form_of(page, "login", {{"username", name}, {"password", password}});
            std::vector<std::pair<std::string, std::string>> headers;
            if (!from.empty()) headers = {{"X-Forwarded-For", from}};
            return browser.send(op.url("login"), form, headers).status;
        };
        for (int i = 0; i < 10; ++i) log_in("nobody" + std::to_string(i), "wrong", row.strangers);
        CHECK(log_in(kAlice, kAlicePassword, row.alice) == row.status);
        if (std::string(row.strangers) != "unknown") continue;
        // A name is protected all the same.
        for (int i = 0; i < 10; ++i) CHECK(log_in(kBob, "wrong", row.strangers) == 200);
        CHECK(log_in(kBob, kBobPassword, row.alice) == 429);
    }
}

TEST_CASE("throttle: parallel guesses are counted exactly, and no guess beyond the limit is looked at [L09]") {
    std::signal(SIGPIPE, SIG_IGN);
    const Deployment op(at_most(4));
    std::vector<int> statuses(12);
    std::vector<std::thread> guessers;
    for (int& status : statuses)
        guessers.emplace_back([&] { status = attempt(op, "192.0.2.1", kAlice, "wrong").status; });
    for (std::thread& guesser : guessers) guesser.join();
    int looked_at = 0;
    for (const int status : statuses) {
        CHECK((status == 200 || status == 429 || status == 503));
        looked_at += status == 200;
    }
    CHECK(looked_at >= 4);
    CHECK(looked_at <= 5);  // one hash slot more than one may be under way when the limit is reached
    CHECK(attempt(op, "192.0.2.1", kAlice, kAlicePassword).status == 429);
}

TEST_CASE("throttle: the table holds no names and is bounded by what is counted") {
    const Deployment op;
    attempt(op, "192.0.2.1", kAlice, "wrong");
    CHECK(op.count_rows("login_attempts") == 3);
    attempt(op, "192.0.2.1", kAlice, "wrong");
    CHECK(op.count_rows("login_attempts") == 3);
    attempt(op, "192.0.2.1", kBob, "wrong");
    CHECK(op.count_rows("login_attempts") == 5);
}

}  // namespace
