// Which redirect_uri is accepted: byte for byte what was registered, a native client's loopback port excepted (RFC 6749
// §3.1.2, RFC 8252 §7, RFC 9700 §2.1). Everything else is a page, and no code is minted.
#include <doctest/doctest.h>

#include <vector>

#include "has.h"
#include "support/flow.h"

namespace {

using namespace postern::test;

/// Alice is logged in and has approved everything, so that an accepted address would get a code at once.
struct Ready {
    Deployment op;
    UserAgent alice{op};
    Ready() {
        for (const std::string client : {kWeb, kMany, kTrusted})
            CHECK(alice.sign_in(authorization_request(client)).verdict() == "code");
    }
    Answer ask(const Query& request) { return alice.fetch(op.url("authorize") + "?" + request.text()); }
};

TEST_CASE(
    "redirect_uri: an address that is not the registered one gets a page, no redirect and no code, with any other "
    "parameter [IF91, RFC 9700 §2.1, R11, RFC 6749 §3.1.2.3b, §3.1.2.4, OIDC Core §3.1.2.1f, R14]") {
    Ready ready;
    struct Row {
        std::string clause;
        std::string received;
    };
    const std::vector<Row> rows = {
        {"R01 path", "https://app.example/cb/"},
        {"R02 fragment", "https://app.example/cb#\t"},
        {"R02 fragment", "https://app.example/cb%2523x"},
        {"R02 fragment", "https://app.example/cb%23x"},
        {"R04 dots", "https://app.example/cb/%2e%2e/evil"},
        {"R06 scheme", "javascript://app.example/cb\nalert(1)"},
        {"R08 encoding", "https%3A%2F%2Fapp.example%2Fcb"},
        {"R09 host", "https://app.example.evil.example/cb"},
        {"R10 unicode", "https://app.example/cb\xe2\x80\x8b"},
        {"R11 blanks", " https://app.example/cb"},
        {"R11 blanks", "https://app.example/cb "},
        {"R11 blanks", "\thttps://app.example/cb"},
        {"R11 blanks", "https://app.example/cb\t"},
        {"R11 blanks", "\nhttps://app.example/cb"},
        {"R11 blanks", "https://app.example/cb\n"},
        {"R11 blanks", "https://app.example/cb\r\nSet-Cookie: x=1"},
        {"R14 another client's", "https://other.example/cb"},
        {"R14 another client's", "https://spa.example/cb"},
        {"R14 another client's", "http://127.0.0.1/cb"},
        {"RFC 6749 §3.1.2", "nowhere"},
    };
    const auto codes = ready.op.count_rows("authorization_codes");
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.received);
        const Query asked = authorization_request().with("redirect_uri", row.received);
        for (const Query& request : {asked, asked.with("prompt", "none"), asked.with("response_mode", "fragment"),
                                     asked.with("response_mode", "form_post").with("response_type", "zz")}) {
            const Answer answer = ready.ask(request);
            CHECK(answer.status == 400);
            CHECK_FALSE(answer.has("Location"));
            CHECK_FALSE(has(answer.body, "evil"));
            CHECK_FALSE(has(answer.body, "alert(1)"));
        }
    }
    CHECK(ready.op.count_rows("authorization_codes") == codes);
    CHECK(verdict_of(ready.op, ready.ask(authorization_request())) == "code");
}

TEST_CASE("redirect_uri: raw bytes that decode to something else are refused [R11, X13, X14, RFC 6749 §3.1.2.3b]") {
    Ready ready;
    const Query bare = authorization_request().without("redirect_uri");
    for (const std::string raw :
         {"https://app.example/cb%00", "https://app.example/cb%00.evil.example", "https://app.example/cb%",
          "https://app.example/cb%zz", "https://app.example/cb%ff", "https://app.example/cb%c0%af",
          "https%253A%252F%252Fapp.example%252Fcb", "+https://app.example/cb", "%09https://app.example/cb",
          "https://app.example/cb%0a", "https://app.example/cb%0d%0aSet-Cookie:%20x=1"}) {
        CAPTURE(raw);
        const Query request = bare.raw(std::string("redirect_uri=") + raw);
        for (const Query& variant : {request, request.with("prompt", "none"), request.with("response_mode", "fragment"),
                                     request.with("response_mode", "form_post").with("response_type", "zz")}) {
            const Answer answer = ready.ask(variant);
            CHECK(answer.status == 400);
            CHECK_FALSE(answer.has("Location"));
            CHECK_FALSE(answer.has("Set-Cookie"));
            CHECK_FALSE(has(answer.body, "evil"));
        }
    }
    const Answer huge = ready.ask(bare.with("redirect_uri", "https://app.example/cb?" + std::string(8192, 'x')));
    CHECK(huge.status == 400);
    CHECK(verdict_of(ready.op, ready.ask(bare.raw("redirect_uri=https%3a%2F%2fapp.example/cb"))) == "code");
}

TEST_CASE("redirect_uri: given twice it counts as none that could be trusted [RFC 6749 §3.1h, R12]") {
    Ready ready;
    const std::string good = redirect_uri_of(kWeb);
    const Query bare = authorization_request().without("redirect_uri");
    const std::vector<std::pair<std::string, std::string>> pairs = {
        {good, "https://evil.example/"}, {"https://evil.example/", good}, {good, good}, {good, ""}};
    for (const auto& pair : pairs) {
        CAPTURE(pair.second);
        const Answer answer =
            ready.ask(bare.and_also("redirect_uri", pair.first).and_also("redirect_uri", pair.second));
        CHECK(answer.status == 400);
        CHECK_FALSE(answer.has("Location"));
    }
}

TEST_CASE(
    "redirect_uri: may be omitted by a client with exactly one [IF93, the interface specification, R13, RFC 6749 "
    "§3.1.2.2c, §3.1.2.3a, §4.1.1b]") {
    Ready ready;
    CHECK(verdict_of(ready.op, ready.ask(authorization_request().without("redirect_uri"))) == "code");
    CHECK(verdict_of(ready.op, ready.ask(authorization_request().with("redirect_uri", ""))) == "code");
    for (const std::string client : {kMany, kNative, kMachine}) {
        CAPTURE(client);
        CHECK(ready.ask(authorization_request(client).without("redirect_uri")).status == 400);
    }
    // Each of two registered ones is accepted, and answered at.
    const Answer second = ready.ask(authorization_request(kMany).with("redirect_uri", "https://many.example/b?x=1"));
    CHECK(second.location().starts_with("https://many.example/b?x=1&code="));
    CHECK(ready.ask(authorization_request(kMany).with("redirect_uri", "https://many.example/b")).status == 400);
    CHECK(ready.ask(authorization_request(kMany).with("redirect_uri", "https://many.example/b?x=2")).status == 400);
}

TEST_CASE(
    "redirect_uri: a native client chooses the port of its loopback address, and is answered at that port [IF92, RFC "
    "8252 §7.3, R15, R17]") {
    const Deployment op;
    struct Row {
        std::string when;
        std::string received;
        bool accepted;
    };
    const std::vector<Row> rows = {
        {"as registered", "http://127.0.0.1/cb", true},
        {"any port", "http://127.0.0.1:51004/cb", true},
        {"private-use scheme, RFC 8252 §7.1", "com.example.app:/cb", true},
        {"port 0", "http://127.0.0.1:0/cb", false},
        {"another path", "http://127.0.0.1:51004/other", false},
        {"localhost was not registered", "http://localhost:1/cb", false},
        {"IPv6 was not registered", "http://[::1]:1/cb", false},
        {"blank", "http://127.0.0.1: 1/cb", false},
        {"scheme, case", "com.example.App:/cb", false},
        {"scheme, fragment", "com.example.app:/cb#x", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CAPTURE(row.received);
        UserAgent visitor(op);
        const Landing landing = visitor.authorize(authorization_request(kNative).with("redirect_uri", row.received));
        CHECK(landing.verdict() == (row.accepted ? "login" : "page 400"));
        const Landing silent =
            visitor.authorize(authorization_request(kNative).with("redirect_uri", row.received).with("prompt", "none"));
        CHECK(silent.left == row.accepted);
        if (row.accepted) CHECK(without_query(silent.url) == row.received);
    }
}

TEST_CASE(
    "redirect_uri: the answer goes to the registered spelling, and to no address that is no longer registered [R17]") {
    Ready ready;
    const std::string good = redirect_uri_of(kWeb);
    std::string escaped;
    for (const char letter : good) {
        constexpr const char* kDigits = "0123456789abcdef";
        escaped += {'%', kDigits[letter >> 4], kDigits[letter & 15]};
    }
    const Query refused = authorization_request().without("redirect_uri").with("response_type", "zz");
    for (const std::string& raw : {good, escaped}) {
        CAPTURE(raw);
        CHECK(ready.ask(refused.raw("redirect_uri=" + raw)).location().starts_with(good + "?error="));
    }
    const auto register_moving = [&](const char* command, const char* uri) {
        ready.op.must({"client", command, "moving", "--redirect-uri", uri});
    };
    const auto ask = [&](const char* uri) {
        return ready.alice.authorize(authorization_request("moving").with("redirect_uri", uri).with("scope", "openid"));
    };
    register_moving("add", "https://moving.example/old");
    const Landing consent = ask("https://moving.example/old");
    REQUIRE(consent.verdict() == "consent");
    register_moving("set", "https://moving.example/new");
    CHECK(ready.alice.approve(consent).verdict() == "page 400");
    const Landing approved = ready.alice.approve(ask("https://moving.example/new"));
    CHECK(approved.url.starts_with("https://moving.example/new?code="));
}

TEST_CASE("redirect_uri: the loopback port is free for native clients only [IF92, R15]") {
    const Deployment op;
    op.must({"client", "add", "desktop", "--public", "--redirect-uri", "http://127.0.0.1/cb"});
    op.must({"client", "add", "six", "--public", "--native", "--redirect-uri", "http://[::1]:3000/cb"});
    op.must({"client", "add", "mail", "--public", "--native", "--redirect-uri", "http://localhost"});
    UserAgent visitor(op);
    const auto verdict = [&](const char* client, const char* uri) {
        return visitor.authorize(authorization_request(client).with("redirect_uri", uri)).verdict();
    };
    CHECK(verdict("desktop", "http://127.0.0.1/cb") == "login");
    CHECK(verdict("desktop", "http://127.0.0.1:51004/cb") == "page 400");
    CHECK(verdict("six", "http://[::1]:3000/cb") == "login");
    CHECK(verdict("six", "http://[::1]:51004/cb") == "login");
    CHECK(verdict("six", "http://[::1]/cb") == "login");
    CHECK(verdict("six", "http://[0:0:0:0:0:0:0:1]:1/cb") == "page 400");
    CHECK(verdict("mail", "http://localhost:51004") == "login");
    CHECK(verdict("mail", "http://localhost:51004/") == "login");
    CHECK(verdict("mail", "http://localhost:51004/cb") == "page 400");
    CHECK(verdict("mail", "http://127.0.0.1:51004/") == "page 400");
}

TEST_CASE(
    "redirect_uri: the token request must name what the authorization request named [RFC 6749 §4.1.2f, §4.1.3b, §5.2e, "
    "§10.6, T06, T14, OIDC Core §3.1.3.2d]") {
    Ready ready;
    struct Row {
        std::string when;
        const char* at_authorize;  ///< nullptr: omitted
        const char* at_token;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"the same", "https://app.example/cb", "https://app.example/cb", "200"},
        {"sent, then omitted", "https://app.example/cb", nullptr, "400 invalid_grant"},
        {"sent, then empty", "https://app.example/cb", "", "400 invalid_grant"},
        {"trailing slash", "https://app.example/cb", "https://app.example/cb/", "400 invalid_grant"},
        {"an empty query", "https://app.example/cb", "https://app.example/cb?", "400 invalid_grant"},
        {"the default port", "https://app.example/cb", "https://app.example:443/cb", "400 invalid_grant"},
        {"another client's", "https://app.example/cb", "https://other.example/cb", "400 invalid_grant"},
        {"case", "https://app.example/cb", "https://APP.example/cb", "400 invalid_grant"},
        {"omitted twice", nullptr, nullptr, "200"},
        {"omitted, then the registered one", nullptr, "https://app.example/cb", "200"},
        {"omitted, then a slash more", nullptr, "https://app.example/cb/", "400 invalid_grant"},
        {"omitted, then another client's", nullptr, "https://other.example/cb", "400 invalid_grant"},
        {"omitted, then another", nullptr, "https://app.example/cb2", "400 invalid_grant"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Query request = authorization_request().without("redirect_uri");
        const std::string code =
            ready.alice.obtain_code(row.at_authorize ? request.with("redirect_uri", row.at_authorize) : request);
        const Query good = token_request(code).without("redirect_uri");
        CHECK(redeem(ready.op, row.at_token ? good.with("redirect_uri", row.at_token) : good).verdict() ==
              row.expected);
        if (std::string(row.expected) == "200") continue;
        CHECK(redeem(ready.op, good.with("redirect_uri", "https://app.example/cb")).verdict() ==
              "400 invalid_grant");  // burned
    }
    // Another registered one of the same client is not the one that the code was sent to.
    const std::string code = ready.alice.obtain_code(authorization_request(kMany));
    const Query other = token_request(code, kMany).with("redirect_uri", "https://many.example/b?x=1");
    CHECK(redeem(ready.op, other, kMany).verdict() == "400 invalid_grant");
    // Which of two registered ones it was has to be said.
    const Query unnamed = token_request(ready.alice.obtain_code(authorization_request(kMany)), kMany);
    CHECK(redeem(ready.op, unnamed.without("redirect_uri"), kMany).verdict() == "400 invalid_grant");
}

}  // namespace
