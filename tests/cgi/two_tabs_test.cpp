// Two requests in one browser stay two, and one request yields one code.
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;

Query tab(const char* client, const char* state, const char* scope) {
    return authorization_request(client).with("state", state).with("scope", scope);
}

TEST_CASE("two tabs: clients, states, scopes and nonces do not mix [A20, RFC 6749 §10.12b]") {
    const Deployment op;
    for (const bool in_order : {true, false}) {
        CAPTURE(in_order);
        UserAgent alice(op);
        const Landing login1 =
            alice.authorize(tab(kWeb, "one", "openid api").with("nonce", "n1").with("prompt", "consent"));
        const Landing login2 =
            alice.authorize(tab(kOther, "two", "openid email").with("nonce", "n2").with("prompt", "consent"));
        const Landing consent1 = alice.log_in(login1);
        const Landing consent2 = alice.log_in(login2);
        CHECK(consent1.verdict() == "consent");
        CHECK(consent2.verdict() == "consent");
        // The first tab's page was made before the second login, of the same person: it is the same session still.
        Landing done1;
        if (in_order) done1 = alice.approve(consent1);
        const Landing done2 = alice.approve(consent2);
        if (!in_order) done1 = alice.approve(consent1);
        CHECK(without_query(done1.url) == redirect_uri_of(kWeb));
        CHECK(without_query(done2.url) == redirect_uri_of(kOther));
        CHECK(done1.parameter("state") == "one");
        CHECK(done2.parameter("state") == "two");
        const Answer tokens1 = redeem(op, token_request(done1.parameter("code")));
        const Answer tokens2 = redeem(op, token_request(done2.parameter("code"), kOther), kOther);
        CHECK(tokens1.member("scope") == "openid api");
        CHECK(tokens2.member("scope") == "openid email");
        CHECK(text_of(jwt_claims(tokens1.member("id_token")), "nonce") == "n1");
        CHECK(text_of(jwt_claims(tokens2.member("id_token")), "nonce") == "n2");
        CHECK(text_of(jwt_claims(tokens1.member("id_token")), "aud") == kWeb);
        CHECK(text_of(jwt_claims(tokens2.member("id_token")), "aud") == kOther);
    }
}

TEST_CASE("two tabs: one login serves both, and the sid stays for the same person") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login1 = alice.authorize(authorization_request(kTrusted));
    const Landing login2 = alice.authorize(authorization_request());
    const Landing done1 = alice.log_in(login1);
    CHECK(done1.verdict() == "code");
    const Landing consent2 = alice.open(op.url("authorize") + "?resume=" + resume_of(login2));
    CHECK(consent2.verdict() == "consent");
    const auto sid_of = [&](const Landing& landing, const char* client) {
        return text_of(
            jwt_claims(redeem(op, token_request(landing.parameter("code"), client), client).member("id_token")), "sid");
    };
    const std::string sid = sid_of(done1, kTrusted);
    CHECK_FALSE(sid.empty());
    CHECK(sid_of(alice.approve(consent2), kWeb) == sid);
    CHECK(sid_of(alice.log_in(alice.authorize(authorization_request(kTrusted).with("prompt", "login"))), kTrusted) ==
          sid);
    const Landing bobs =
        alice.log_in(alice.authorize(authorization_request(kTrusted).with("prompt", "login")), kBob, kBobPassword);
    CHECK(sid_of(bobs, kTrusted) != sid);
}

TEST_CASE("two tabs: CGI processes that get one consent page at once yield one code [L17]") {
    std::signal(SIGPIPE, SIG_IGN);
    const Deployment op;
    for (int round = 0; round < 4; ++round) {
        UserAgent alice(op);
        const Landing consent = alice.log_in(alice.authorize(authorization_request().with("prompt", "consent")));
        const auto before = op.count_rows("authorization_codes");
        std::vector<std::string> codes(6);
        std::vector<std::thread> tabs;
        for (std::string& code : codes) {
            tabs.emplace_back([&] {
                UserAgent copy = alice;
                code = copy.approve(consent).parameter("code");
            });
        }
        for (std::thread& thread : tabs) thread.join();
        CHECK_FALSE(codes[0].empty());
        CHECK(codes == std::vector<std::string>(codes.size(), codes[0]));
        CHECK(op.count_rows("authorization_codes") == before + 1);
    }
}

}  // namespace
