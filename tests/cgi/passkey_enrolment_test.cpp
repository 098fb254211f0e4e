// The second half of a login by a user who must have a second factor and has none: a passkey is added (POLICY-4).
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/passkey_set_up.h"

namespace {

using namespace postern::test;
using postern::crypto::Algorithm;
using postern::json::Object;
using std::chrono::seconds;

struct Enrolling {
    Deployment op;
    UserAgent alice{op};
    TestAuthenticator phone{Algorithm::ES256, "phone"};

    explicit Enrolling(const Object& login = {{"secondFactor", "required"}})
        : op(Deployment::Options{.config = {{"login", login}}}) {}

    Landing open(const Query& request = authorization_request()) { return alice.log_in(alice.authorize(request)); }
    std::string url() const { return op.url("account") + "/enrol"; }
    Landing add(const Query& fields) { return alice.follow(url(), alice.send(url(), fields.text())); }
};

bool offers_app(const Landing& page) { return page.answer.body.find("otpauth:") != std::string::npos; }

std::string acr_of(const Deployment& op, UserAgent& browser, const Landing& consent) {
    const Landing done = consent.verdict() == "consent" ? browser.approve(consent) : consent;
    REQUIRE_MESSAGE(done.verdict() == "code", done.verdict());
    return text_of(jwt_claims(redeem(op, token_request(done.parameter("code"))).member("id_token")), "acr");
}

TEST_CASE("enrolment: the password, a passkey, its codes, and on to the application [POLICY-4, CODE-2, WEBAUTHN-4]") {
    Enrolling f;
    const Landing page = f.open();
    REQUIRE(page.verdict() == "app");
    CHECK(says(page.answer, "You are signing in as alice"));
    CHECK(offers_app(page));
    const Adding adding(page.answer);
    const Landing codes = f.add(adding.form(f.phone));
    REQUIRE_MESSAGE(codes.verdict() == "codes", codes.verdict() << codes.answer.log);
    CHECK(codes_in(codes.answer).size() == 10);
    CHECK(says(codes.answer, "Your passkey is added."));
    CHECK(audit_events(codes.answer.log) == "passkey_added login_succeeded recovery_codes_made");
    const Landing consent = f.alice.open(link_in(codes.answer.body, "kept"));
    REQUIRE(consent.verdict() == "consent");
    CHECK(acr_of(f.op, f.alice, consent) == "phr");
    CHECK(f.op.count_rows("passkeys") == 1);
    // And from now on it is asked for.
    UserAgent again(f.op);
    const Landing asked = again.log_in(again.authorize(authorization_request()));
    CHECK(asked.verdict() == "second step");
    CHECK(has_id(asked.answer.body, "use-passkey"));
}

TEST_CASE("enrolment: for a client that wants a passkey, no app is offered or taken [LEVEL-5, POLICY-6]") {
    const auto must_have_passkey = [](Enrolling& f) {
        f.op.must({"client", "set", kWeb, "--acr", "phr"});
        return authorization_request();
    };
    const auto essential = [](Enrolling&) {
        return authorization_request().with("claims", R"({"id_token":{"acr":{"essential":true,"values":["phr"]}}})");
    };
    for (const auto& [name, request_of] :
         {std::pair<const char*, std::function<Query(Enrolling&)>>{"of the client", must_have_passkey},
          {"of the request", essential}}) {
        CAPTURE(name);
        Enrolling f(Object{});
        // The user sets an app up on a page that offers one, and sends its form to the one that does not.
        Enrolling other;
        const Landing with_app = other.open();
        REQUIRE(offers_app(with_app));
        const Landing page = f.open(request_of(f));
        REQUIRE_MESSAGE(page.verdict() == "new passkey", page.verdict() << page.answer.log);
        CHECK_FALSE(offers_app(page));
        const Adding adding(page.answer);
        const Query app{{"csrf", value_of(page.answer, "csrf")},
                        {"resume", value_of(page.answer, "resume")},
                        {"app", value_of(with_app.answer, "app")},
                        {"code", "123456"}};
        CHECK(f.alice.send(f.url(), app.text()).status == 400);
        CHECK(f.op.count_rows("totp_secrets") == 0);
        const Landing codes = f.add(adding.form(f.phone));
        REQUIRE(codes.verdict() == "codes");
        CHECK(acr_of(f.op, f.alice, f.alice.open(link_in(codes.answer.body, "kept"))) == "phr");
    }
}

TEST_CASE(
    "enrolment: a passkey that has not verified the user is worth a code, and is touched for more [WEBAUTHN-14]") {
    Enrolling f(Object{});
    f.op.must({"client", "set", kWeb, "--acr", "phr"});
    const Landing page = f.open();
    const Adding adding(page.answer);
    f.phone.flags = kUserPresent;
    const Landing codes = f.add(adding.form(f.phone));
    REQUIRE(codes.verdict() == "codes");
    CHECK(f.alice.open(link_in(codes.answer.body, "kept")).verdict() == "second step");
}

TEST_CASE(
    "enrolment: what is refused leaves no passkey and no session, and the name that was typed [POLICY-4, WEBAUTHN-3, WEBAUTHN-9, STEP-4, A11Y-4, WCAG 2.2 3.3.7]") {
    Enrolling f;
    const Landing page = f.open();
    const Adding adding(page.answer);
    const Query form = adding.form(f.phone);
    UserAgent stranger(f.op);
    CHECK(stranger.send(f.url(), form.text()).status == 400);
    CHECK(f.alice.send(f.url(), form.text(), {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
    CHECK(f.alice.send(f.url(), form.with("csrf", "x").text()).status == 403);
    CHECK(f.alice.send(f.url(), form.without("resume").text()).status == 400);
    CHECK(f.alice.send(f.url(), form.with("id", "a+b").text()).status == 400);
    CHECK(f.alice.send(f.url(), form.and_also("challenge", "x").text()).status == 400);

    const auto shown_again = [&](const Query& fields, const char* problem) {
        CAPTURE(problem);
        const Landing again = f.add(fields);
        CHECK(again.verdict() == "app");
        CHECK(says(again.answer, problem));
    };
    postern::factor::Expected elsewhere = adding.given();
    elsewhere.origin = "https://evil.example";
    shown_again(adding.form(f.phone.make(elsewhere)), "That passkey was not accepted.");
    shown_again(form.with("name", std::string(65, 'n')), "A name has at most 64 characters.");
    shown_again(form.with("challenge", "x"), "The page was not of this browser.");
    CHECK(value_of(f.add(form.with("challenge", "x").with("name", "Ada's key")).answer, "name") == "Ada's key");
    CHECK(f.op.count_rows("passkeys") == 0);
    CHECK(f.op.count_rows("sessions") == 0);
    CHECK(f.op.count_rows("spent_challenges") == 0);

    REQUIRE(f.add(form).verdict() == "codes");
    // Once more: no second set of codes, and no second session.
    CHECK(f.add(form).verdict() == "login");
    // What another user has is refused as late as it is written.
    UserAgent bob(f.op);
    const Adding of_bob(bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword).answer);
    const Landing refused = bob.follow(f.url(), bob.send(f.url(), of_bob.form(f.phone).text()));
    CHECK(refused.verdict() == "app");
    CHECK(says(refused, "That passkey was not accepted."));
    CHECK(f.op.count_rows("passkeys") == 1);
    CHECK(f.op.count_rows("sessions") == 1);
    CHECK(f.op.count_rows("recovery_codes") == 10);
}

TEST_CASE("enrolment: the challenge of one login is none of another, and ends with its form [WEBAUTHN-3]") {
    Enrolling f;
    const Adding first(f.open().answer);
    const Adding second(f.open(authorization_request().with("state", "another")).answer);
    const Landing mixed = f.add(second.form(f.phone).with("challenge", value_of(first.page, "challenge")));
    CHECK(mixed.verdict() == "app");
    CHECK(says(mixed.answer, "The page was not of this browser."));
    f.op.advance(seconds(599));
    CHECK(f.add(second.form(f.phone)).verdict() == "codes");
}

TEST_CASE("enrolment: without factor.key a passkey is added all the same, and there are no codes [POLICY-4]") {
    Enrolling f;
    REQUIRE(std::filesystem::remove(f.op.keys_directory() / "factor.key"));
    const Landing page = f.open();
    REQUIRE_MESSAGE(page.verdict() == "new passkey", page.verdict() << page.answer.log);
    CHECK_FALSE(offers_app(page));
    CHECK(f.add(Adding(page.answer).form(f.phone)).verdict() == "consent");
    CHECK(f.op.count_rows("recovery_codes") == 0);
}

}  // namespace
