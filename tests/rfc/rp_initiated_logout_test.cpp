// OpenID Connect RP-Initiated Logout 1.0, and what the eleven modules of its certification plan send.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "crypto/digest.h"
#include "has.h"
#include "json/writer.h"
#include "support/flow.h"
#include "support/html.h"
#include "util/base64.h"
#include "util/percent.h"

namespace {

using namespace postern::test;
using postern::util::base64url_encode;
using std::chrono::seconds;

const std::string kBye = "https://app.example/post_logout_redirect";
const std::string kByeWithQuery = "https://app.example/bye?a=1";
/// 90 characters as the certification suite makes them: letters, digits and every sign of ASCII that is not a blank, a
/// plus or a semicolon.
const std::string kLogoutState = "aB3!\"#$%&'()*,-./:<=>?@[\\]^_`{|}~" + std::string(47, 'x') + "0123456789";

/// A browser in which Alice has signed in at the client, and the ID token of that.
struct SignedIn {
    explicit SignedIn(const Deployment& op, const char* client = kWeb) : browser(op) {
        id_token = text_of(obtain_tokens(op, browser, authorization_request(client), client), "id_token");
    }
    UserAgent browser;
    std::string id_token;
};

void register_addresses(const Deployment& op) {
    op.must({"client", "set", kWeb, "--post-logout-redirect-uri", kBye, "--post-logout-redirect-uri", kByeWithQuery});
    op.must({"client", "set", kOther, "--post-logout-redirect-uri", "https://other.example/bye"});
}

Query good(const std::string& id_token) {
    return {{"id_token_hint", id_token}, {"post_logout_redirect_uri", kBye}, {"state", kLogoutState}};
}

bool is_signed_in(UserAgent& browser) {
    const std::string verdict = browser.authorize(authorization_request().with("prompt", "none")).verdict();
    CHECK((verdict == "code" || verdict == "login_required"));
    return verdict == "code";
}

/// "asked", "out" (the page that says so), "page 400", or the address the browser was sent to.
std::string outcome_of(const Landing& landing) {
    if (landing.left) return landing.url;
    if (landing.verdict() == "logout") return "asked";
    if (landing.verdict() != "page 200") return landing.verdict();
    return !has(visible_text(landing.answer.body), "You are signed out") ? "page 200" : "out";
}

std::string payload_of(const std::string& jwt) {
    return jwt.substr(jwt.find('.') + 1, jwt.rfind('.') - jwt.find('.') - 1);
}

/// The header says that there is no signature, and there is none.
std::string unsigned_token(const std::string& id_token) {
    return base64url_encode(R"({"alg": "none"})") + "." + payload_of(id_token) + ".";
}

/// Signed by the client with its secret, iss and aud swapped.
std::string self_made_token(const std::string& id_token) {
    auto claims = jwt_claims(id_token);
    const std::string issuer = text_of(claims, "iss");
    claims.set("iss", text_of(claims, "aud"));
    claims.set("aud", issuer);
    const std::string content =
        base64url_encode(R"({"alg":"HS256"})") + "." + base64url_encode(postern::json::write(claims));
    return content + "." + base64url_encode(postern::crypto::hmac_sha256(secret_of(kWeb), content));
}

/// Our own header with its kid, and a payload that was changed under the signature.
std::string altered_token(const std::string& id_token) {
    auto claims = jwt_claims(id_token);
    claims.set("sub", "somebody else");
    return id_token.substr(0, id_token.find('.')) + "." + base64url_encode(postern::json::write(claims)) +
           id_token.substr(id_token.rfind('.'));
}

struct LogoutRow {
    std::string when;
    std::function<Query(const std::string&)> request;
    std::string outcome;
    std::string after_confirmation;  ///< when it was asked
    bool ended;
};

/// The page of a refusal has a link that leads to the question, and so to the end of the session, without a redirect.
void check_way_out(const Deployment& op, UserAgent& browser, const Landing& refused) {
    const std::string link = link_in(refused.answer.body, "sign-out");
    REQUIRE(link == op.url("logout"));
    const Landing question = browser.open(link);
    CHECK(outcome_of(question) == "asked");
    CHECK(outcome_of(browser.submit(question, "logout")) == "out");
    CHECK_FALSE(is_signed_in(browser));
    CHECK(op.count_rows("sessions") == 0);
}

void check_row(const LogoutRow& row) {
    CAPTURE(row.when);
    const Deployment op;
    register_addresses(op);
    SignedIn alice(op);
    const std::string url = op.url("logout") + "?" + row.request(alice.id_token).text();
    Landing landing = alice.browser.open(url);
    CHECK(outcome_of(landing) == row.outcome);
    if (outcome_of(landing) == "asked") {
        CHECK(is_signed_in(alice.browser));  // a question is no logout
        landing = alice.browser.submit(landing, "logout");
        CHECK(outcome_of(landing) == row.after_confirmation);
    }
    CHECK(is_signed_in(alice.browser) != row.ended);
    CHECK(op.count_rows("sessions") == (row.ended ? 0 : 1));
    CHECK(alice.browser.session_cookie().empty() == row.ended);
    if (!row.ended) check_way_out(op, alice.browser, landing);
}

const std::string kBack = kBye + "?state=" + postern::util::percent_encode(kLogoutState);

TEST_CASE(
    "certification: each module of oidcc-rp-initiated-logout-certification-test-plan [RP-Initiated Logout §2bijl, "
    "§3abc, §4ac, §6]") {
    CHECK(kLogoutState.size() == 90);
    const std::vector<LogoutRow> rows = {
        {"oidcc-rp-initiated-logout", good, kBack, "", true},
        {"oidcc-rp-initiated-logout-no-state", [](auto& hint) { return good(hint).without("state"); }, kBye, "", true},
        {"oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
         [](auto& hint) { return good(hint).with("post_logout_redirect_uri", kBye + "x7Yp"); }, "page 400", "", false},
        {"oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
         [](auto& hint) { return good(hint).with("post_logout_redirect_uri", kBye + "?foo=bar"); }, "page 400", "",
         false},
        {"oidcc-rp-initiated-logout-modified-id-token-hint", [](auto& hint) { return good(unsigned_token(hint)); },
         "page 400", "", false},
        {"oidcc-rp-initiated-logout-bad-id-token-hint", [](auto& hint) { return good(self_made_token(hint)); },
         "page 400", "", false},
        {"oidcc-rp-initiated-logout-no-id-token-hint", [](auto& hint) { return good(hint).without("id_token_hint"); },
         "asked", "out", true},
        {"oidcc-rp-initiated-logout-no-params", [](auto&) { return Query{}; }, "asked", "out", true},
        {"oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
         [](auto& hint) { return good(hint).without("post_logout_redirect_uri"); }, "out", "", true},
        {"oidcc-rp-initiated-logout-only-state",
         [](auto&) {
             return Query{{"state", kLogoutState}};
         },
         "asked", "out", true},
    };
    for (const LogoutRow& row : rows) check_row(row);
}

TEST_CASE("certification: oidcc-rp-initiated-logout-discovery-endpoint-verification [RP-Initiated Logout §2.1]") {
    const Deployment op;
    const auto document = op.cgi("discovery").json();
    CHECK(text_of(document, "end_session_endpoint") == op.url("logout"));
    for (const auto& member : document.members()) {
        CAPTURE(member.first);
        if (member.first.ends_with("_endpoint")) CHECK(text_of(document, member.first).starts_with("https://"));
    }
}

TEST_CASE("logout requests: what each parameter does [RP-Initiated Logout §2ef, §3bc, §3.1, §4ac]") {
    const std::vector<LogoutRow> rows = {
        {"§2 client_id: the hint's audience", [](auto& hint) { return good(hint).with("client_id", kWeb); }, kBack, "",
         true},
        {"§2 client_id: MUST match the hint", [](auto& hint) { return good(hint).with("client_id", kOther); },
         "page 400", "", false},
        {"§2 client_id: no client at all", [](auto& hint) { return good(hint).with("client_id", "nobody"); },
         "page 400", "", false},
        {"§2 logout_hint and ui_locales are ignored",
         [](auto& hint) { return good(hint).with("logout_hint", kBob).with("ui_locales", "fr de"); }, kBack, "", true},
        {"unknown parameters are ignored, twice too",
         [](auto& hint) { return good(hint).with("x", "1").and_also("x", "2"); }, kBack, "", true},
        {"an empty hint is none", [](auto& hint) { return good(hint).with("id_token_hint", ""); }, "asked", "out",
         true},
        {"a payload changed under its signature", [](auto& hint) { return good(altered_token(hint)); }, "page 400", "",
         false},
        {"a hint that is no token", [](auto&) { return good("x"); }, "page 400", "", false},
        {"a hint of JavaScript that had none", [](auto&) { return good("undefined"); }, "page 400", "", false},
        {"the same in other languages",
         [](auto& hint) { return good("null").with("client_id", kWeb).with("state", hint.substr(0, 9)); }, "page 400",
         "", false},
        {"a client's callback for an address",
         [](auto& hint) {
             return good(hint)
                 .without("id_token_hint")
                 .with("client_id", kWeb)
                 .with("post_logout_redirect_uri", redirect_uri_of(kWeb));
         },
         "page 400", "", false},
        {"one slash too many", [](auto& hint) { return good(hint).with("post_logout_redirect_uri", kBye + "/"); },
         "page 400", "", false},
        {"an address too long for any web server",
         [](auto& hint) { return good(hint).raw("x=" + std::string(70000, 'x')); }, "page 414", "", false},
        {"parameters without end",
         [](auto& hint) {
             std::string many = "x=";
             for (int i = 0; i < 70; ++i) many += "&x" + std::to_string(i) + "=";
             return good(hint).raw(many);
         },
         "page 400", "", false},
        {"the hint twice", [](auto& hint) { return good(hint).and_also("id_token_hint", hint); }, "page 400", "",
         false},
        {"client_id twice",
         [](auto& hint) { return good(hint).and_also("client_id", kWeb).and_also("client_id", kWeb); }, "page 400", "",
         false},
        {"the address twice", [](auto& hint) { return good(hint).and_also("post_logout_redirect_uri", kBye); },
         "page 400", "", false},
        {"state twice", [](auto& hint) { return good(hint).and_also("state", "x"); }, "page 400", "", false},
        {"logout_hint twice",
         [](auto& hint) { return good(hint).and_also("logout_hint", "x").and_also("logout_hint", "x"); }, "page 400",
         "", false},
        {"state is not UTF-8", [](auto& hint) { return good(hint).without("state").raw("state=%ff"); }, "page 400", "",
         false},
        {"§3 the second registered address, whose query is kept",
         [](auto& hint) { return good(hint).with("post_logout_redirect_uri", kByeWithQuery).with("state", "s"); },
         kByeWithQuery + "&state=s", "", true},
        {"§3 another client's address",
         [](auto& hint) { return good(hint).with("post_logout_redirect_uri", "https://other.example/bye"); },
         "page 400", "", false},
        {"§3 a redirect_uri is none",
         [](auto& hint) { return good(hint).with("post_logout_redirect_uri", redirect_uri_of(kWeb)); }, "page 400", "",
         false},
        {"§2 without a hint: the client's address is followed when the user has confirmed",
         [](auto& hint) { return good(hint).without("id_token_hint").with("client_id", kWeb); }, "asked", kBack, true},
        {"§2 an empty hint is none, and the client is named",
         [](auto& hint) { return good(hint).with("id_token_hint", "").with("client_id", kWeb); }, "asked", kBack, true},
        {"§3 without a hint: the client's address with another query",
         [](auto& hint) {
             return good(hint)
                 .without("id_token_hint")
                 .with("client_id", kWeb)
                 .with("post_logout_redirect_uri", kBye + "?a=1");
         },
         "page 400", "", false},
        {"§3 without a hint: not the client's address",
         [](auto& hint) { return good(hint).without("id_token_hint").with("client_id", kOther); }, "page 400", "",
         false},
        {"§3 without a hint: an unknown client",
         [](auto& hint) { return good(hint).without("id_token_hint").with("client_id", "nobody"); }, "asked", "out",
         true},
        {"a forged resume is no request", [](auto& hint) { return good(hint).with("resume", "x"); }, "page 400", "",
         false},
    };
    for (const LogoutRow& row : rows) check_row(row);
}

TEST_CASE(
    "id_token_hint: an expired one is accepted, and one of an earlier session of the same user [§2, RP-Initiated "
    "Logout §2c, §4b]") {
    Deployment op;
    register_addresses(op);
    SignedIn alice(op);
    op.advance(seconds{3 * 86400});  // the ID token has expired, and the session
    CHECK_FALSE(is_signed_in(alice.browser));
    alice.browser.sign_in(authorization_request());
    CHECK(is_signed_in(alice.browser));
    CHECK(alice.browser.open(op.url("logout") + "?" + good(alice.id_token).text()).url == kBack);
    CHECK_FALSE(is_signed_in(alice.browser));
}

TEST_CASE(
    "id_token_hint: of another user than the one who is signed in: the user is asked, and then redirected [§2, RP-Initiated Logout §2k]") {
    const Deployment op;
    register_addresses(op);
    UserAgent bob(op);
    Landing landing = bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword);
    landing = bob.approve(landing);
    const Answer tokens = redeem(op, token_request(landing.parameter("code")));
    SignedIn alice(op);
    const Landing question = alice.browser.open(op.url("logout") + "?" + good(tokens.member("id_token")).text());
    CHECK(outcome_of(question) == "asked");
    CHECK(has(visible_text(question.answer.body), kAlice));
    CHECK(has(visible_text(question.answer.body), "Web Application sent you here"));
    CHECK(op.count_rows("sessions") == 2);
    CHECK(alice.browser.submit(question, "logout").url == kBack);
    CHECK(op.count_rows("sessions") == 1);
    CHECK(bob.authorize(authorization_request().with("prompt", "none")).verdict() == "code");
}

TEST_CASE(
    "no session is a success: no question is asked, and a verified request is redirected [§2, §3, RP-Initiated Logout §4d]") {
    const Deployment op;
    register_addresses(op);
    const std::string hint = SignedIn(op).id_token;
    struct Row {
        std::string when;
        Query request;
        std::string outcome;
        std::string back = "";  ///< where a link of the page leads, which the user may follow
    };
    const std::vector<Row> rows = {
        {"a hint and its address", good(hint), kBack},
        {"a hint alone", {{"id_token_hint", hint}}, "out"},
        {"nothing", {}, "out"},
        {"an address alone", good(hint).without("id_token_hint"), "out"},
        {"an address and its client", good(hint).without("id_token_hint").with("client_id", kWeb), "out", kBack},
        {"an address and no client of here", good(hint).without("id_token_hint").with("client_id", "nobody"), "out"},
        {"an unregistered address", good(hint).with("post_logout_redirect_uri", "https://evil.example/"), "page 400"},
        {"a forged hint", good(unsigned_token(hint)), "page 400"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        UserAgent visitor(op);
        const Landing landing = visitor.open(op.url("logout") + "?" + row.request.text());
        CHECK(outcome_of(landing) == row.outcome);
        CHECK(link_in(landing.answer.body, "back") == row.back);
        UserAgent poster(op);
        const std::string url = op.url("logout");
        CHECK(outcome_of(poster.follow(url, poster.send(url, row.request.text()))) == row.outcome);
    }
    CHECK(op.count_rows("sessions") == 1);  // Alice's, in her own browser
}

TEST_CASE("a browser that signs out drops the pages it kept; a request without the cookie cannot cause that") {
    Deployment op;
    register_addresses(op);
    const char* const kHeader = "Clear-Site-Data";
    SignedIn asked(op);
    const Landing question = asked.browser.open(op.url("logout"));
    CHECK_FALSE(question.answer.has(kHeader));
    const Landing stayed = asked.browser.submit(question, "cancel");
    CHECK_FALSE(stayed.answer.has(kHeader));
    CHECK(asked.browser.submit(question, "logout").answer.header(kHeader) == "\"cache\"");

    SignedIn sent(op);
    const std::string url = op.url("logout") + "?" + good(sent.id_token).text();
    CHECK_FALSE(op.cgi("logout", get_request(good(sent.id_token).text())).has(kHeader));  // another site's picture
    const Answer answer = sent.browser.fetch(url);
    CHECK(answer.location() == kBack);
    CHECK(answer.header(kHeader) == "\"cache\"");

    SignedIn late(op);
    op.advance(seconds{3 * 86400});  // the session has ended by itself, the pages are still there
    CHECK(late.browser.fetch(op.url("logout")).header(kHeader) == "\"cache\"");
}

TEST_CASE("POST is answered as GET is, also when the browser sends no cookies with it [§2, RP-Initiated Logout §2a]") {
    const Deployment op;
    register_addresses(op);
    SignedIn alice(op);
    // Another site's form: SameSite=Lax cookies stay at home.
    const Answer posted = op.cgi("logout", post_form(good(alice.id_token).text()));
    CHECK(posted.status == 303);
    CHECK(posted.location().starts_with(op.url("logout") + "?resume="));
    CHECK(posted.location().size() < 1500);
    CHECK_FALSE(posted.has("Set-Cookie"));
    CHECK(is_signed_in(alice.browser));
    // Parameters in the address of a POST are none.
    CgiRequest in_the_address = post_form("");
    in_the_address.query = good(alice.id_token).text();
    CHECK(outcome_of(alice.browser.follow(op.url("logout"), op.cgi("logout", in_the_address))) == "asked");
    CHECK(alice.browser.follow(op.url("logout"), posted).url == kBack);
    CHECK_FALSE(is_signed_in(alice.browser));
    // A body of another type is not read.
    CgiRequest other = post_form("{}");
    other.content_type = "application/json";
    CHECK(op.cgi("logout", other).status == 400);
}

TEST_CASE("the endpoint is there with OpenID Connect and a path, and nowhere else [RP-Initiated Logout §2.1]") {
    struct Row {
        std::string when;
        postern::json::Object config;
        std::string path;
        int status;
    };
    using postern::json::Object;
    const std::vector<Row> rows = {
        {"as it comes", {}, "/logout", 200},
        {"renamed", {{"paths", Object{{"logout", "/end"}}}}, "/end", 200},
        {"renamed, by its old name", {{"paths", Object{{"logout", "/end"}}}}, "/logout", 404},
        {"switched off", {{"paths", Object{{"logout", nullptr}}}}, "/logout", 404},
        {"a path below", {}, "/logout/", 404},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Deployment op({.config = row.config});
        CgiRequest request;
        request.path = row.path;
        CHECK(op.cgi("logout", request).status == row.status);
        const bool offered = op.cgi("discovery").json().find("end_session_endpoint") != nullptr;
        CHECK(offered == (row.when != "switched off"));
    }
    Deployment op;
    auto config = op.config();
    config.erase("oidc");
    op.write_config(postern::json::write(config));
    CHECK(op.cgi("logout").status == 404);
    CHECK(op.cgi("discovery").json().find("end_session_endpoint") == nullptr);
}

TEST_CASE("methods: GET and POST only [RP-Initiated Logout §2a]") {
    const Deployment op;
    for (const std::string method : {"HEAD", "PUT", "DELETE", "OPTIONS"}) {
        CAPTURE(method);
        CgiRequest request;
        request.method = method;
        const Answer answer = op.cgi("logout", request);
        CHECK(answer.status == 405);
        CHECK(answer.header("Allow") == "GET, POST");
    }
}

}  // namespace
