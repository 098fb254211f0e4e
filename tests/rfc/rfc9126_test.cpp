// Pushed authorization requests (RFC 9126): which are taken, which addresses open, and that one is answered once.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "has.h"
#include "support/audit_log.h"
#include "support/pushed.h"
#include "support/registration.h"
#include "support/user_agent.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

std::string why(const Deployment& op, const Answer& answer) { return op.must({"why", answer.header("X-Request-Id")}); }

/// Returns the word of the refusal that the answer recorded.
bool is_refused_as(const Deployment& op, const Answer& answer, const std::string& words) {
    return has(why(op, answer), words);
}

TEST_CASE(
    "par: the answer, which keeps nothing and tells nothing [PAR-10, PAR-11, PAR-12, RFC 9126 §2.2ab, §7.1, CVE-2024-4540]") {
    const Deployment op(with_par());
    const std::string stored = op.stored();
    const Answer answer = push(op, authorization_request().with("login_hint", "somebody"));
    CHECK(answer.status == 201);
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(answer.header("Content-Type").starts_with("application/json"));
    const json::Object body = answer.json();
    CHECK(body.size() == 2);
    CHECK(number_of(body, "expires_in") == 90);
    const std::string address = answer.member("request_uri");
    REQUIRE(address.starts_with(kRequestUriPrefix));
    CHECK(address.find("somebody") == std::string::npos);
    CHECK(op.stored() == stored);
    CHECK(pushed_address(op, authorization_request()) != pushed_address(op, authorization_request()));
    const Deployment shorter(with_par({{"parTTL", 10}}));
    CHECK(number_of(push(shorter, authorization_request()).json(), "expires_in") == 10);
}

TEST_CASE("par: the example of the standard [RFC 9126 §2.1a]") {
    const Deployment op(with_par());
    op.must({"client", "add", "s6BhdRkqt3", "--redirect-uri", "https://client.example.org/cb", "--scope",
             "account-information", "--secret-stdin"},
            "7Fjfp0ZBr1KtDRbnfVdmIw7Fjfp0ZBr1KtDRbnfVdmIw\n");
    const Answer answer = op.cgi("par", with_basic("response_type=code&state=af0ifjsldkj&client_id=s6BhdRkqt3"
                                                   "&redirect_uri=https%3A%2F%2Fclient.example.org%2Fcb"
                                                   "&code_challenge=K2-ltc83acc4h0c9w6ESC_rEMTJ3bww-uCHaoeK1t8U"
                                                   "&code_challenge_method=S256&scope=account-information",
                                                   "s6BhdRkqt3"));
    CHECK(answer.verdict() == "401 invalid_client");  // with another secret than its own
    const auto body = [&](const std::string& secret) {
        return op.cgi("par", post_form("response_type=code&state=af0ifjsldkj&client_id=s6BhdRkqt3"
                                       "&redirect_uri=https%3A%2F%2Fclient.example.org%2Fcb"
                                       "&code_challenge=K2-ltc83acc4h0c9w6ESC_rEMTJ3bww-uCHaoeK1t8U"
                                       "&code_challenge_method=S256&scope=account-information&client_secret=" +
                                       secret));
    };
    CHECK(body("7Fjfp0ZBr1KtDRbnfVdmIw7Fjfp0ZBr1KtDRbnfVdmIw").status == 201);
}

TEST_CASE(
    "par: which requests are taken, and what the others are told [PAR-1, PAR-2, PAR-4, PAR-6, PAR-7, PAR-9, RFC 9126 "
    "§2.1a, §2.1b, §2.3ab, F2-26, F2-29]") {
    const Deployment op(with_par());
    const Query good = authorization_request();
    struct Row {
        const char* when;
        Query form;
        std::string expected;
        std::string client = kWeb;
    };
    const std::vector<Row> rows = {
        {"good", good, "201"},
        {"without client_id, which Basic names", good.without("client_id"), "201"},
        {"no redirect_uri, and one registered", good.without("redirect_uri"), "201"},
        {"no redirect_uri, and two registered", authorization_request(kMany).without("redirect_uri"),
         "400 invalid_request", kMany},
        {"one that is not registered", good.with("redirect_uri", "https://app.example/cb2"), "400 invalid_request"},
        {"one of another client", good.with("redirect_uri", "https://other.example/cb"), "400 invalid_request"},
        {"redirect_uri twice", good.and_also("redirect_uri", "https://app.example/cb"), "400 invalid_request"},
        {"state twice", good.and_also("state", kState), "400 invalid_request"},
        {"two resources", good.and_also("resource", "https://a.example/").and_also("resource", "https://b.example/"),
         "201"},
        {"what nobody knows, twice", good.and_also("foo", "1").and_also("foo", "2"), "201"},
        {"not text", good.raw("nonce2=1&display=%zz"), "201"},
        {"state that is not text", good.without("state").raw("state=%zz"), "400 invalid_request"},
        {"an address", good.with("request_uri", "https://a.example/"), "400 invalid_request"},
        {"an address of a pushed request", good.with("request_uri", std::string(kRequestUriPrefix) + "x"),
         "400 invalid_request"},
        {"an address twice", good.and_also("request_uri", "x").and_also("request_uri", "x"), "400 invalid_request"},
        {"a request object", good.with("request", "e.e.e"), "400 request_not_supported"},
        {"a request object alone", Query{{"request", "e.e.e"}}, "400 request_not_supported"},
        {"an address and an object", good.with("request", "e.e.e").with("request_uri", "x"), "400 invalid_request"},
        {"registration", good.with("registration", "{}"), "400 registration_not_supported"},
        {"no response_type", good.without("response_type"), "400 invalid_request"},
        {"a response_type that nobody has", good.with("response_type", "carrier_pigeon"),
         "400 unsupported_response_type"},
        {"a response_type that is off", good.with("response_type", "code id_token"), "400 unsupported_response_type"},
        {"response_mode", good.with("response_mode", "pigeon"), "400 invalid_request"},
        {"scope", good.with("scope", "admin"), "400 invalid_scope"},
        {"two audiences", good.with("aud", "a").with("audience", "b"), "400 invalid_target"},
        {"not a resource", good.with("resource", "api"), "400 invalid_target"},
        {"prompt", good.with("prompt", "none login"), "400 invalid_request"},
        {"max_age", good.with("max_age", "x"), "400 invalid_request"},
        {"plain", good.with("code_challenge_method", "plain"), "400 invalid_request"},
        {"no challenge, and it must", authorization_request(kStrict).without("code_challenge"), "400 invalid_request",
         kStrict},
        {"a hint that is none", good.with("id_token_hint", "forged"), "400 invalid_request"},
        {"prompt=none, which waits for a browser", good.with("prompt", "none"), "201"},
        {"a client without the grant", Query{{"response_type", "code"}}, "400 invalid_request", kMachine},
        {"the longest state", good.with("state", std::string(4000, 's')), "201"},
        {"a longer one", good.with("state", std::string(4097, 's')), "400 invalid_request"},
        {"all of it too long", good.with("nonce", std::string(4900, 'n')), "400 invalid_request"},
        {"what does not count", good.with("foo", std::string(9000, 'f')), "201"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Answer answer = push(op, row.form, row.client);
        CHECK((answer.status == 201 ? "201" : answer.verdict()) == row.expected);
        CHECK(answer.header("Cache-Control") == "no-store");
        CHECK_FALSE(answer.has("Location"));
    }
    const Answer got = op.cgi("par", get_request(good.text()));
    CHECK(got.status == 405);
    CHECK(has(got.header("Allow"), "POST"));
    CgiRequest json = post_form("{}");
    json.content_type = "application/json";
    CHECK(op.cgi("par", json).verdict() == "400 invalid_request");
    const Answer unregistered = push(op, good.with("redirect_uri", "https://app.example/cb/"));
    CHECK(has(why(op, unregistered), "first difference at character"));
    CHECK(has(why(op, unregistered), "--redirect-uri"));
}

TEST_CASE("par: who may push [PAR-3, PAR-5, RFC 9126 §2.1c, §7.2]") {
    const Deployment op(with_par());
    const std::string form = authorization_request().text();
    const std::string of_spa = authorization_request(kSpa).text();
    const auto send = [&](const CgiRequest& request) {
        const Answer answer = op.cgi("par", request);
        return answer.status == 201 ? "201" : answer.verdict();
    };
    const std::string other = basic(kOther, secret_of(kOther));
    CHECK(send(with_basic(form)) == "201");
    CHECK(send(post_form(form)) == "401 invalid_client");
    CHECK(send(post_form(Query{{"client_secret", secret_of(kWeb)}}.text() + "&" + form)) == "201");
    CHECK(send(post_form("client_secret=wrong&" + form)) == "401 invalid_client");
    CHECK(send(post_form("response_type=code")) == "401 invalid_client");
    CHECK(send(with_basic("client_secret=x&" + form)) == "400 invalid_request");
    CHECK(send(with_basic(form, kOther)) == "400 invalid_request");  // Basic names another client than the body
    CHECK(send(post_form(of_spa)) == "201");
    CHECK(send(post_form("client_secret=x&" + of_spa)) == "401 invalid_client");
    CHECK(send(post_form("client_id=nobody&response_type=code")) == "401 invalid_client");
    op.must({"client", "disable", kWeb});
    CHECK(send(with_basic(form)) == "401 invalid_client");

    const Deployment closed(with_par({{"par", json::Object{{"publicClients", false}}}}));
    const Answer refused = closed.cgi("par", post_form(of_spa));
    CHECK(refused.verdict() == "401 invalid_client");
    CHECK(has(why(closed, refused), "par.publicClients"));
    CHECK(text_of(audit_line(refused.log, "client_authentication_failed"), "client_id") == kSpa);
    CHECK(push(closed, authorization_request()).status == 201);
}

TEST_CASE("par: the address is the request, from the login to the code [PAR-13, RFC 9126 §1.1, §4a]") {
    const Deployment op(with_par());
    UserAgent alice(op);
    const std::string address = pushed_address(op, authorization_request());
    const Landing landing = alice.sign_in(opening(address));
    CHECK(landing.verdict() == "code");
    CHECK(landing.parameter("state") == kState);
    CHECK(landing.parameter("iss") == op.issuer());
    const Answer tokens = redeem(op, token_request(landing.parameter("code")));
    CHECK(tokens.status == 200);
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "nonce") == kNonce);
}

TEST_CASE("par: whatever stands beside the address is ignored [PAR-13, F2-28, RFC 9126 §4b]") {
    const Deployment op(with_par());
    const Query rows[] = {
        Query{{"state", "other"}, {"nonce", "other"}, {"scope", "admin"}},
        Query{{"response_type", "pigeon"}, {"redirect_uri", "https://evil.example/"}},
        Query{{"request", "e.e.e"}, {"response_mode", "form_post"}, {"prompt", "none"}},
        Query{{"state", "a"}}.and_also("state", "b"),
        Query{}.raw("nonce=%zz"),
    };
    for (const Query& beside : rows) {
        const std::string text = beside.text();
        CAPTURE(text);
        const std::string address = pushed_address(op, authorization_request());
        UserAgent alice(op);
        const Landing page = alice.open(op.url("authorize") + "?" + text + "&" + opening(address).text());
        REQUIRE(page.verdict() == "login");
        const Landing consent = alice.log_in(page);
        const Landing done = consent.verdict() == "consent" ? alice.approve(consent) : consent;
        CHECK(done.verdict() == "code");
        CHECK(done.parameter("state") == kState);
        CHECK(done.mode == "query");
    }
}

TEST_CASE(
    "par: what opens no request is a page, and never a redirect [PAR-13, PAR-18, RFC 9126 §4c, §7.2, §7.3, F2-26]") {
    const Deployment op(with_par());
    const std::string address = pushed_address(op, authorization_request());
    const Landing login = UserAgent(op).authorize(authorization_request());
    const std::string bent = address.substr(0, address.size() - 1) + (address.ends_with('A') ? "B" : "A");
    struct Row {
        const char* when;
        Query query;
        const char* advice;
    };
    const Query good = opening(address).and_also("redirect_uri", "https://app.example/cb").and_also("state", "s");
    const std::vector<Row> rows = {
        {"of another client", good.with("client_id", kOther), "Another client pushed"},
        {"no client_id", good.without("client_id"), "cannot be opened"},
        {"client_id twice", good.and_also("client_id", kWeb), "cannot be opened"},
        {"request_uri twice", good.and_also("request_uri", address), "cannot be opened"},
        {"and another one", good.and_also("request_uri", "https://a.example/"), "cannot be opened"},
        {"bent", good.with("request_uri", bent), "cannot be opened"},
        {"cut", good.with("request_uri", address.substr(0, 200)), "cannot be opened"},
        {"nothing behind the prefix", good.with("request_uri", kRequestUriPrefix), "cannot be opened"},
        {"a resume in its place", good.with("request_uri", kRequestUriPrefix + resume_of(login)), "cannot be opened"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Landing page = UserAgent(op).authorize(row.query);
        CHECK(page.verdict() == "page 400");
        CHECK(has(why(op, page.answer), "invalid_request_uri"));
        CHECK(has(why(op, page.answer), row.advice));
    }
    // Nor does a pushed request open as a resume.
    const Landing as_resume =
        UserAgent(op).authorize({{"resume", address.substr(std::string(kRequestUriPrefix).size())}});
    CHECK(as_resume.verdict() == "page 400");
    // Addresses of others: as before.
    for (const char* foreign : {"https://a.example/r", "urn:ietf:params:oauth:request_uri", "x"}) {
        CAPTURE(foreign);
        CHECK(UserAgent(op).authorize(authorization_request().with("request_uri", foreign)).verdict() ==
              "request_uri_not_supported");
    }
    CHECK(UserAgent(op).authorize(opening(address)).verdict() == "login");  // none of them has used it
    op.must({"key", "rotate", "--seal"});
    CHECK(UserAgent(op).authorize(opening(address)).verdict() == "page 400");
}

TEST_CASE("par: the address is good for exactly expires_in seconds [PAR-12, RFC 9126 §2.2c]") {
    Deployment op(with_par());
    const std::string address = pushed_address(op, authorization_request());
    op.advance(seconds(89));
    UserAgent alice(op);
    const Landing page = alice.authorize(opening(address));
    CHECK(page.verdict() == "login");
    op.advance(seconds(1));
    const Landing late = UserAgent(op).authorize(opening(address));
    CHECK(late.verdict() == "page 400");
    CHECK(is_refused_as(op, late.answer, "parTTL"));
    CHECK(says(late, "took too long"));
    // The login that has begun has the time of any other.
    op.advance(seconds(500));
    CHECK(alice.approve(alice.log_in(page)).verdict() == "code");
}

TEST_CASE(
    "par: an address is answered once, opened before that as often as one likes [PAR-14, F2-25, RFC 9126 §4d, §7.3]") {
    const Deployment op(with_par());
    const std::string address = pushed_address(op, authorization_request());
    CHECK(UserAgent(op).authorize(opening(address)).verdict() == "login");
    UserAgent alice(op);
    const Landing first = alice.authorize(opening(address));
    const Landing second = alice.authorize(opening(address));
    CHECK(resume_of(first) != resume_of(second));
    const Landing done = alice.approve(alice.log_in(second));
    REQUIRE(done.verdict() == "code");
    CHECK(op.count_rows("authorization_requests") == 2);  // the opening, and the mark of its push

    // Without a login, and with one and a remembered consent: the same page, which offers nothing.
    for (UserAgent browser : {UserAgent(op), alice}) {
        const Landing again = browser.authorize(opening(address));
        CHECK(again.verdict() == "page 400");
        CHECK(is_refused_as(op, again.answer, "answered before"));
        CHECK(says(again, "finished already"));
        CHECK(again.answer.body.find("resume=") == std::string::npos);
    }
    // The other tab: its login form says so at once.
    const Landing tab = alice.open(first.url);
    CHECK(tab.verdict() == "page 400");
    CHECK(tab.answer.body.find("resume=") == std::string::npos);
    // A second press in the tab that was answered gets the first code again (decision 0057).
    const Landing pressed = alice.open(op.url("authorize") + "?resume=" + resume_of(second));
    CHECK(pressed.parameter("code") == done.parameter("code"));
    CHECK(redeem(op, token_request(done.parameter("code"))).status == 200);
}

TEST_CASE("par: a denial uses the address up, other errors do not [PAR-14]") {
    const Deployment op(with_par());
    UserAgent alice(op);
    const std::string silent = pushed_address(op, authorization_request().with("prompt", "none"));
    CHECK(alice.authorize(opening(silent)).verdict() == "login_required");
    CHECK(alice.authorize(opening(silent)).verdict() == "login_required");
    const std::string asked = pushed_address(op, authorization_request());
    const Landing consent = alice.log_in(alice.authorize(opening(asked)));
    CHECK(alice.authorize(opening(silent)).verdict() == "consent_required");
    CHECK(alice.deny(consent).verdict() == "access_denied");
    CHECK(alice.authorize(opening(asked)).verdict() == "page 400");
    alice.sign_in(authorization_request());  // a consent that is remembered
    CHECK(alice.authorize(opening(silent)).verdict() == "code");
    CHECK(alice.authorize(opening(silent)).verdict() == "page 400");
}

TEST_CASE("par: neither a login nor an approval counts in another browser [PAR-15, RFC 9126 §7.5]") {
    const Deployment op(with_par());
    const std::string address = pushed_address(op, authorization_request().with("prompt", "login consent"));
    UserAgent attacker(op);
    const Landing theirs = attacker.authorize(opening(address));
    UserAgent victim(op);
    const Landing consent = victim.log_in(victim.authorize(opening(address)));
    REQUIRE(consent.verdict() == "consent");
    // The attacker's opening knows nothing of the victim's login.
    CHECK(attacker.open(op.url("authorize") + "?resume=" + resume_of(theirs)).verdict() == "login");
    // The form of one browser is no form of the other.
    const std::string form = attacker.form_of(consent, "approve");
    CHECK(attacker.send(op.url("scopes"), form).status >= 400);
    CHECK(victim.approve(consent).verdict() == "code");
    CHECK(attacker.open(theirs.url).verdict() == "page 400");
}

TEST_CASE("par: by POST, where that is allowed [PAR-13, RFC 9126 §4e]") {
    const Deployment op(with_par({{"authorizeMethods", json::strings({"GET", "POST"})}}));
    const std::string address = pushed_address(op, authorization_request());
    UserAgent alice(op);
    const Landing page = alice.follow(op.url("authorize"), alice.send(op.url("authorize"), opening(address).text()));
    REQUIRE(page.verdict() == "login");
    CHECK(alice.approve(alice.log_in(page)).verdict() == "code");
    CHECK(alice.authorize(opening(address)).verdict() == "page 400");
}

TEST_CASE("par: the registration counts as it is when the address opens [PAR-16, RFC 9126 §7.4]") {
    const Deployment op(with_par());
    UserAgent alice(op);
    const std::string address = pushed_address(op, authorization_request());
    op.must({"client", "set", kWeb, "--scope", "openid"});
    CHECK(alice.authorize(opening(address)).verdict() == "invalid_scope");
    op.must({"client", "set", kWeb, "--scope", "openid email", "--redirect-uri", "https://app.example/new"});
    CHECK(alice.authorize(opening(address)).verdict() == "page 400");
    op.must({"client", "set", kWeb, "--redirect-uri", "https://app.example/cb"});
    CHECK(alice.authorize(opening(address)).verdict() == "login");
    op.must({"client", "disable", kWeb});
    CHECK(alice.authorize(opening(address)).verdict() == "page 400");
}

TEST_CASE("par: where requests must be pushed, others are refused at the client [PAR-17, RFC 9126 §5b, §6]") {
    Deployment op(with_par());
    op.must({"client", "set", kWeb, "--require-pushed-authorization-requests"});
    CHECK(has(op.must({"client", "show", kWeb, "--json"}), "\"require_pushed_authorization_requests\": true"));
    const auto direct = [&](const Query& query) { return UserAgent(op).authorize(query); };
    const Landing refused = direct(authorization_request());
    CHECK(refused.verdict() == "invalid_request");
    CHECK(refused.parameter("state") == kState);
    CHECK(has(why(op, refused.answer), "--no-require-pushed-authorization-requests"));
    CHECK(direct(authorization_request().with("response_mode", "form_post")).mode == "form_post");
    CHECK(direct(authorization_request().with("redirect_uri", "https://evil.example/")).verdict() == "page 400");
    CHECK(direct(opening(pushed_address(op, authorization_request()))).verdict() == "login");
    CHECK(direct(authorization_request(kSpa)).verdict() == "login");

    UserAgent alice(op);
    const Landing begun = alice.authorize(authorization_request(kOther));
    op.must({"client", "set", kOther, "--require-pushed-authorization-requests"});
    CHECK(alice.log_in(begun).verdict() == "invalid_request");  // it counts at once
    op.must({"client", "set", kWeb, "--no-require-pushed-authorization-requests"});
    CHECK(direct(authorization_request()).verdict() == "login");

    op.configure("requirePar", true);
    for (const char* client : {kWeb, kSpa}) {
        CHECK(direct(authorization_request(client)).verdict() == "invalid_request");
        CHECK(direct(opening(pushed_address(op, authorization_request(client), client), client)).verdict() == "login");
    }
}

TEST_CASE("par: a demand that is not met any more gives nothing [COM-10, PAR-18]") {
    Deployment op(with_par());
    const std::string address = pushed_address(op, authorization_request());
    UserAgent alice(op);
    const std::string code = alice.obtain_code(authorization_request());
    op.must({"client", "set", kWeb, "--require-pushed-authorization-requests"});
    op.configure("paths", json::Object{});
    CHECK(op.cgi("par", with_basic(authorization_request().text())).status == 404);
    CHECK(alice.authorize(authorization_request()).verdict() == "unauthorized_client");
    const Answer refused = redeem(op, token_request(code));
    CHECK(refused.verdict() == "400 unauthorized_client");
    CHECK(has(why(op, refused), "paths.par is null"));
    CHECK(has(op.postern({"doctor"}).out, "must push their requests"));
    const CommandResult set = op.postern({"client", "set", kOther, "--require-pushed-authorization-requests"});
    CHECK(set.exit_code == 1);
    CHECK(has(set.err, "paths.par"));
    // Of any client: an address that nothing here has made any more.
    CHECK(alice.authorize(authorization_request(kOther).with("request_uri", address)).verdict() ==
          "request_uri_not_supported");
}

TEST_CASE("par: whoever must push and may not gets nothing at any endpoint [COM-10, PAR-3]") {
    Deployment op(with_par({{"jarm", true}}));
    op.must({"client", "add", "tool", "--public", "--redirect-uri", "https://tool.example/cb", "--scope", "openid",
             "--require-pushed-authorization-requests"});
    op.must({"client", "set", kWeb, "--response-mode", "jwt"});
    const Query asked = authorization_request("tool").with("redirect_uri", "https://tool.example/cb");
    const Query of_tool = asked.with("scope", "openid");
    CHECK(op.cgi("par", post_form(of_tool.text())).status == 201);
    op.configure("par", json::Object{{"publicClients", false}});
    op.configure("jarm", false);
    UserAgent alice(op);
    CHECK(alice.authorize(of_tool).verdict() == "unauthorized_client");
    CHECK(has(op.postern({"doctor"}).out, "must push their requests and may not"));
    const Answer unsigned_one = push(op, authorization_request());
    CHECK(unsigned_one.verdict() == "400 unauthorized_client");
    CHECK(has(why(op, unsigned_one), "jarm is false"));
}

TEST_CASE("par: no address is longer than a request line, whatever the client is registered for [PAR-20]") {
    const Deployment op(with_par());
    std::string scopes = "openid";
    for (int i = 0; scopes.size() < 2000; ++i) scopes += " s" + std::string(30, 'x') + std::to_string(i);
    op.must({"client", "add", "wide", "--redirect-uri", "https://wide.example/cb", "--scope", scopes, "--secret-stdin"},
            secret_of("wide") + "\n");
    const auto length = [&](std::size_t state) {
        const Query request = authorization_request("wide")
                                  .with("redirect_uri", "https://wide.example/cb")
                                  .without("scope")
                                  .with("state", std::string(state, 's'));
        const Answer answer = push(op, request, "wide");
        return answer.status == 201 ? answer.member("request_uri").size() : 0;
    };
    CHECK(length(2000) > 4000);
    CHECK(length(3000) <= 7680);
    CHECK(length(3000) > 0);
    CHECK(length(4000) == 0);
}

TEST_CASE("par: discovery says what holds [PAR-19, COM-1, COM-3, RFC 9126 §5a]") {
    Deployment op;
    CHECK(op.cgi("discovery").json().find("pushed_authorization_request_endpoint") == nullptr);
    CHECK(op.cgi("discovery").json().find("require_pushed_authorization_requests") == nullptr);
    CHECK(op.cgi("par", with_basic(authorization_request().text())).status == 404);
    const auto flag = [&](const char* name) {
        const json::Object document = op.cgi("discovery").json();
        const json::Value* value = document.find(name);
        return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
    };
    op.configure("paths", json::Object{{"par", "/pushed"}});
    CHECK(op.cgi("discovery").member("pushed_authorization_request_endpoint") == op.issuer() + "/pushed");
    CHECK_FALSE(flag("require_pushed_authorization_requests"));
    CHECK_FALSE(flag("request_uri_parameter_supported"));
    op.configure("requirePar", true);
    CHECK(flag("require_pushed_authorization_requests"));
    const Deployment renamed(with_par({{"paths", json::Object{{"par", "/pushed"}}}}));
    CHECK(push(renamed, authorization_request()).status == 201);
}

TEST_CASE("par: clients may register with the demand [REG-10, PAR-17, RFC 9126 §6]") {
    Deployment op(with_par({{"registration", json::Object{{"mode", "open"}}}}));
    const CgiRequest request =
        registering(R"({"redirect_uris":["http://127.0.0.1/cb"],"require_pushed_authorization_requests":true})");
    const Answer registered = op.cgi("registration", request);
    REQUIRE(registered.status == 201);
    CHECK(has(registered.body, "\"require_pushed_authorization_requests\":true"));
    const std::string id = registered.member("client_id");
    const Query asked = authorization_request().with("client_id", id).with("redirect_uri", "http://127.0.0.1/cb");
    CHECK(UserAgent(op).authorize(asked.with("scope", "openid")).verdict() == "invalid_request");
    const Answer pushed = op.cgi("par", post_form(asked.with("scope", "openid").text()));
    REQUIRE(pushed.status == 201);
    CHECK(UserAgent(op).authorize(opening(pushed.member("request_uri"), id)).verdict() == "login");
    op.configure("paths", json::Object{});
    CHECK(op.cgi("registration", request).verdict() == "400 invalid_client_metadata");
}

}  // namespace
