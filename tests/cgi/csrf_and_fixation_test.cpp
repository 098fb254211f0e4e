// Forms and requests that were made for one browser are worth nothing in another (RFC 6749 §10.12, RFC 9700 §4.7).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

const std::map<std::string, std::string> kRightPassword = {{"username", kAlice}, {"password", kAlicePassword}};

TEST_CASE(
    "fixation: a request that an attacker started is not finished in the victim's browser [A18, RFC 6749 §10.12a]") {
    const Deployment op;
    UserAgent attacker(op, "203.0.113.1");
    UserAgent victim(op);
    victim.sign_in(authorization_request());
    const auto codes = op.count_rows("authorization_codes");
    const Landing bait = attacker.authorize(authorization_request());
    const std::string resume = resume_of(bait);
    for (const std::string endpoint : {"login", "scopes", "authorize"}) {
        CAPTURE(endpoint);
        CHECK(victim.open(op.url(endpoint) + "?resume=" + resume).verdict() == "page 400");
        UserAgent newcomer(op);
        const Landing page = newcomer.open(op.url(endpoint) + "?resume=" + resume);
        CHECK(page.verdict() == "page 400");
        CHECK(visible_text(page.answer.body).find("cookie") != std::string::npos);
    }
    // The forms, posted by a page of the attacker's in the victim's browser.
    CHECK(victim.send(op.url("login"), attacker.form_of(bait, "login", kRightPassword)).status == 400);
    const std::string approval = attacker.form_of(bait, "login") + "&decision=approve";
    CHECK(victim.send(op.url("scopes"), approval).status == 400);
    CHECK(op.count_rows("authorization_codes") == codes);
    CHECK(attacker.open(op.url("authorize") + "?resume=" + resume).verdict() == "login");
}

TEST_CASE("fixation: the victim's login in the victim's browser gives the attacker nothing [A18]") {
    const Deployment op;
    UserAgent attacker(op, "203.0.113.1");
    UserAgent victim(op);
    attacker.log_in(attacker.authorize(authorization_request(kOther)), kBob, kBobPassword);
    const Landing consent = attacker.authorize(authorization_request());
    CHECK(consent.verdict() == "consent");
    victim.log_in(victim.authorize(authorization_request()));
    CHECK(victim.send(op.url("scopes"), attacker.form_of(consent, "approve")).status == 400);
    const std::string resume = resume_of(consent);
    CHECK(attacker.open(op.url("authorize") + "?resume=" + resume).verdict() == "consent");
    CHECK(op.count_rows("consents") == 0);
    // With the browser cookie planted as well, the session still is another one.
    UserAgent planted(op);
    planted.sign_in(authorization_request(kTrusted));
    for (const auto& [name, value] : attacker.cookies())
        if (name.find("-browser-") != std::string::npos) planted.cookies()[name] = value;
    CHECK(planted.send(op.url("scopes"), attacker.form_of(consent, "approve")).status == 403);
    CHECK(op.count_rows("consents") == 0);
    // What the attacker gets by approving is the attacker's own.
    const Answer tokens = redeem(op, token_request(attacker.approve(consent).parameter("code")));
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "sub") == subject_of(op, kBob));
}

TEST_CASE(
    "fixation: a posted request starts again in each browser, so that a login in one proves nothing in another [A18]") {
    Deployment op;
    op.configure("authorizeMethods", postern::json::strings({"GET", "POST"}));
    UserAgent unattended(op, "203.0.113.1");  // Alice logged in there some time ago, and somebody else sits there
    unattended.sign_in(authorization_request());
    const Query asking = authorization_request().with("prompt", "login consent");
    const std::string link = unattended.send(op.url("authorize"), asking.text()).location();
    UserAgent alice(op);
    const Landing consent = alice.log_in(alice.open(link));
    CHECK(consent.verdict() == "consent");
    CHECK(unattended.open(link).verdict() == "login");
    CHECK(alice.approve(consent).verdict() == "code");
    CHECK(unattended.open(link).verdict() == "login");
    // In her own browser, too, the address begins a request as the authorize URL would.
    CHECK(alice.open(link).verdict() == "login");
}

TEST_CASE("forms: nothing is decided by an address [L07, L20, L12, RFC 6749 §10.12b, §10.15]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request());
    const Landing typed = alice.open(op.url("login") + "?" + alice.form_of(login, "login", kRightPassword));
    CHECK(typed.verdict() == "login");
    CHECK_FALSE(typed.answer.has("Set-Cookie"));
    CHECK(find_form(typed.answer.body)->fields.at("password").empty());
    for (const std::string spelling :
         {"correct horse battery staple", "correct%20horse%20battery%20staple", "correct+horse+battery+staple"}) {
        CHECK(typed.answer.body.find(spelling) == std::string::npos);
        CHECK(typed.answer.log.find(spelling) == std::string::npos);
    }
    CHECK(alice.session_cookie().empty());
    const std::string bare = Query{{"username", kAlice}, {"password", kAlicePassword}}.text();
    CHECK(alice.open(op.url("login") + "?" + bare).verdict() == "page 400");
    const std::vector<std::string> targets = {"https://evil.example", "//evil.example",     "/\\evil.example",
                                              "/%09/evil.example",    "https:evil.example", "javascript:alert(1)"};
    const std::vector<std::string> names = {"next",     "return_to", "redirect", "redirect_uri", "url",
                                            "continue", "target",    "goto",     "action"};
    for (const std::string& next : targets) {
        CAPTURE(next);
        std::string fields;
        for (const std::string& name : names) {
            const std::string field = Query{{name, next}}.text();
            CHECK(alice.open(op.url("login") + "?" + field).verdict() == "page 400");
            fields += "&" + field;
        }
        const Landing page = alice.open(login.url + fields);
        CHECK(page.verdict() == "login");
        CHECK(page.answer.raw.find("evil.example") == std::string::npos);
        CHECK(page.answer.raw.find("alert(1)") == std::string::npos);
        CHECK(find_form(page.answer.body)->action == op.url("login"));
        UserAgent copy = alice;
        const Answer sent = copy.send(op.url("login"), copy.form_of(page, "login", kRightPassword) + fields);
        CHECK(sent.location().starts_with(op.url("authorize") + "?resume="));
        CHECK(copy.follow(op.url("login"), sent).verdict() == "consent");
    }
    const Landing consent = alice.log_in(login);
    const std::string approval = alice.form_of(consent, "approve");
    const std::string resume = "resume=" + resume_of(consent);
    for (const std::string& address :
         {op.url("scopes") + "?" + approval, op.url("scopes") + "?" + resume + "&approve=true",
          op.url("authorize") + "?" + approval + "&approve=true"}) {
        CAPTURE(address);
        CHECK(alice.open(address).verdict() == "consent");
    }
    CHECK(alice.open(op.url("scopes") + "?approve=true").verdict() == "page 400");
    for (const std::string method : {"PUT", "DELETE", "PATCH"}) {
        CAPTURE(method);
        CgiRequest request = get_request(approval);
        request.method = method;
        CHECK(op.cgi("scopes", request).status == 405);
    }
    CHECK(op.count_rows("consents") == 0);
    for (const std::string& next : targets) {
        CAPTURE(next);
        for (const std::string& name : names) {
            const Landing page = alice.open(consent.url + "&" + Query{{name, next}}.text());
            CHECK(page.verdict() == "consent");
            CHECK(page.answer.raw.find("evil.example") == std::string::npos);
            CHECK(page.answer.raw.find("alert(1)") == std::string::npos);
        }
    }
    CHECK(alice.approve(consent).verdict() == "code");
}

TEST_CASE("forms: fields of a form cannot change the request [A19]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request());
    const std::string more = "&" + Query{{"redirect_uri", "https://evil.example/"},
                                         {"scope", "openid api"},
                                         {"client_id", kOther},
                                         {"user", kBob},
                                         {"sub", "x"},
                                         {"state", "evil"},
                                         {"nonce", "evil"},
                                         {"response_type", "token"},
                                         {"max_age", "1"},
                                         {"approved", "true"},
                                         {"first_party", "1"}}
                                       .text();
    const Answer logged_in = alice.send(op.url("login"), alice.form_of(login, "login", kRightPassword) + more);
    const Landing asked = alice.follow(op.url("login"), logged_in);
    CHECK(asked.verdict() == "consent");
    const std::string resume = resume_of(asked);
    const Landing consent = alice.open(op.url("authorize") + "?resume=" + resume + more);
    CHECK(consent.verdict() == "consent");
    CHECK(visible_text(consent.answer.body).find("api") == std::string::npos);
    const std::string approval = alice.form_of(consent, "approve") + more + "&username=" + kBob;
    const Landing done = alice.follow(op.url("scopes"), alice.send(op.url("scopes"), approval));
    CHECK(without_query(done.url) == redirect_uri_of(kWeb));
    CHECK(done.parameter("state") == kState);
    const Answer tokens = redeem(op, token_request(done.parameter("code")));
    CHECK(tokens.member("scope") == "openid email");
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "sub") == subject_of(op, kAlice));
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "aud") == kWeb);
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "nonce") == kNonce);
}

TEST_CASE("consent: another user logged in between: the old page decides nothing [L18, RFC 6749 §10.12b]") {
    const Deployment op;
    UserAgent browser(op);
    const Landing alices = browser.log_in(browser.authorize(authorization_request()));
    CHECK(alices.verdict() == "consent");
    browser.log_in(browser.authorize(authorization_request(kTrusted).with("prompt", "login")), kBob, kBobPassword);
    const Answer answer = browser.send(op.url("scopes"), browser.form_of(alices, "approve"));
    CHECK(answer.status == 403);
    CHECK(op.count_rows("consents") == 0);
    // Coming back to the request, Bob is asked himself.
    const std::string resume = resume_of(alices);
    const Landing bobs = browser.open(op.url("authorize") + "?resume=" + resume);
    CHECK(bobs.verdict() == "consent");
    CHECK(visible_text(bobs.answer.body).find(kBob) != std::string::npos);
    const Landing done = browser.approve(bobs);
    CHECK(text_of(jwt_claims(redeem(op, token_request(done.parameter("code"))).member("id_token")), "sub") ==
          subject_of(op, kBob));
}

TEST_CASE("consent: Alice's approval is not Bob's, when Bob logs in before the code is issued [L18]") {
    const Deployment op;
    UserAgent browser(op);
    const Landing alices = browser.log_in(browser.authorize(authorization_request()));
    const Answer approved = browser.send(op.url("scopes"), browser.form_of(alices, "approve"));
    CHECK(approved.status == 303);
    browser.log_in(browser.authorize(authorization_request(kTrusted).with("prompt", "login")), kBob, kBobPassword);
    const Landing back = browser.follow(op.url("scopes"), approved);
    CHECK(back.verdict() == "consent");
    CHECK(op.count_rows("consents") == 0);  // Alice's counts with its code, which never came
}

TEST_CASE("cookies: a browser that sends none gets a page that says so, at every endpoint") {
    const Deployment op;
    UserAgent careless(op);
    const Landing login = careless.authorize(authorization_request());
    careless.cookies().clear();
    const Answer posted = careless.send(op.url("login"), careless.form_of(login, "login", kRightPassword));
    CHECK(posted.status == 400);
    CHECK(visible_text(posted.body).find("cookie") != std::string::npos);
    CHECK(has_id(posted.body, "request-id"));
    CHECK_FALSE(posted.has("Set-Cookie"));
    for (const std::string endpoint : {"login", "scopes"}) {
        const Landing page = careless.open(op.url(endpoint));
        CHECK(page.verdict() == "page 400");
        CHECK(has_id(page.answer.body, "request-id"));
    }
}

}  // namespace
