// Where the answers of the authorization endpoint go (OAuth 2.0 Multiple Response Types §2.1, §5; OAuth 2.0 Form Post
// Response Mode §2): every kind of answer in every mode.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "crypto/digest.h"
#include "has.h"
#include "support/flow.h"
#include "support/html.h"
#include "util/base64.h"

namespace {

using namespace postern::test;

const std::vector<std::string> kModes = {"query", "fragment", "form_post"};

Query asking(const std::string& mode) { return authorization_request().with("response_mode", mode); }

/// Everything that the client got, and nothing of it in another place than the mode's.
void check_place(const Landing& landing, const std::string& mode, const std::set<std::string>& names) {
    REQUIRE(landing.left);
    CHECK(landing.mode == mode);
    const std::string& url = landing.url;
    CHECK((url.find('?') != std::string::npos) == (mode == "query"));
    CHECK((url.find('#') != std::string::npos) == (mode == "fragment"));
    CHECK(landing.answer.has("Location") == (mode != "form_post"));
    CHECK(without_query(url) == redirect_uri_of(kWeb));
    for (const std::string& name : names) {
        CAPTURE(name);
        CHECK_FALSE(landing.parameter(name).empty());
    }
    for (const auto& [name, value] : landing.posted) CHECK(names.contains(name));
    CHECK(landing.parameter("state") == kState);
    CHECK(landing.parameter("iss") == "https://op.example");
    CHECK(landing.answer.header("Cache-Control") == "no-store");
    CHECK(landing.answer.header("Referrer-Policy") == "no-referrer");
}

const std::set<std::string> kErrorNames = {"error", "error_description", "state", "iss"};

TEST_CASE(
    "response_mode: every kind of error goes where success would have gone [Multiple Response Types §2.1a, RFC 6749 "
    "§4.1.2.1j, RFC 9207 §2a, OIDC Core §3.1.2.1i, §3.1.2.2a, §3.1.2.6a, Form Post §2bd, §4, A02]") {
    const Deployment op;
    op.must({"client", "set", kOther, "--grant", "client_credentials"});
    struct Row {
        std::string error;
        Query (*change)(const Query&);
    };
    const std::vector<Row> rows = {
        {"invalid_request", [](const Query& q) { return q.without("response_type"); }},
        {"invalid_request", [](const Query& q) { return q.and_also("scope", "openid"); }},
        {"invalid_request", [](const Query& q) { return q.with("prompt", "none login"); }},
        {"invalid_request", [](const Query& q) { return q.with("max_age", "x"); }},
        {"invalid_request", [](const Query& q) { return q.with("code_challenge_method", "plain"); }},
        {"invalid_request", [](const Query& q) { return q.with("code_challenge", "short"); }},
        {"invalid_request", [](const Query& q) { return q.with("claims", "{"); }},
        {"invalid_request", [](const Query& q) { return q.with("id_token_hint", "forged"); }},
        {"unsupported_response_type", [](const Query& q) { return q.with("response_type", "zz"); }},
        {"invalid_scope", [](const Query& q) { return q.with("scope", "admin"); }},
        {"invalid_target", [](const Query& q) { return q.with("aud", "a").with("audience", "b"); }},
        {"login_required", [](const Query& q) { return q.with("prompt", "none"); }},
        {"request_not_supported", [](const Query& q) { return q.with("request", "x"); }},
        {"request_uri_not_supported", [](const Query& q) { return q.with("request_uri", "https://a.example/"); }},
        {"registration_not_supported", [](const Query& q) { return q.with("registration", "{}"); }},
    };
    for (const std::string& mode : kModes) {
        for (const Row& row : rows) {
            CAPTURE(mode);
            CAPTURE(row.error);
            const Landing landing = UserAgent(op).authorize(row.change(asking(mode)));
            CHECK(landing.verdict() == row.error);
            check_place(landing, mode, kErrorNames);
        }
        const Landing barred =
            UserAgent(op).authorize(authorization_request(kOther).with("response_mode", mode).with("scope", ""));
        CHECK(barred.verdict() == "unauthorized_client");
        CHECK(barred.mode == mode);
    }
}

TEST_CASE("response_mode: a request object is refused in the mode that it alone names, with the state outside of it") {
    const Deployment op;
    const auto encoded = [](const std::string& text) { return postern::util::base64url_encode(text); };
    for (const std::string& mode : kModes) {
        CAPTURE(mode);
        const std::string object = encoded(R"({"alg":"none"})") + "." +
                                   encoded(R"({"response_mode":")" + mode + R"(","state":"inside"})") + ".";
        const Query asked = authorization_request().without("response_mode").with("request", object);
        const Landing with_state = UserAgent(op).authorize(asked);
        CHECK(with_state.verdict() == "request_not_supported");
        check_place(with_state, mode, kErrorNames);
        CHECK(with_state.parameter("state") == kState);
        const Landing without = UserAgent(op).authorize(asked.without("state"));
        CHECK(without.verdict() == "request_not_supported");
        CHECK(without.mode == mode);
        CHECK(without.parameter("state").empty());
    }
}

TEST_CASE(
    "response_mode: what a person decides arrives there, too, after login and consent [IF105, IF176, RFC 9207 §2a, "
    "OIDC Core §3.1.2.1i, §3.1.2.5, Multiple Response Types §2.1a]") {
    for (const std::string& mode : kModes) {
        CAPTURE(mode);
        const Deployment op;
        UserAgent alice(op);
        const Landing consent = alice.log_in(alice.authorize(asking(mode)));
        CHECK(consent.verdict() == "consent");
        const Landing unapproved = alice.authorize(asking(mode).with("prompt", "none"));
        CHECK(unapproved.verdict() == "consent_required");
        check_place(unapproved, mode, kErrorNames);
        const Landing denied = alice.deny(consent);
        CHECK(denied.verdict() == "access_denied");
        check_place(denied, mode, kErrorNames);
        const Landing approved = alice.approve(alice.authorize(asking(mode)));
        CHECK(approved.verdict() == "code");
        check_place(approved, mode, {"code", "state", "iss"});
        CHECK(redeem(op, token_request(approved.parameter("code"))).status == 200);
        const Landing silent = alice.authorize(asking(mode).with("prompt", "none"));
        CHECK(silent.verdict() == "code");
        check_place(silent, mode, {"code", "state", "iss"});
    }
}

TEST_CASE(
    "response_mode: an unknown one is refused in the place of the response type [Multiple Response Types §2.1c, §5b, "
    "A23]") {
    const Deployment op;
    struct Row {
        std::string type;
        std::string mode;
        std::string place;
    };
    std::vector<Row> rows = {
        {"code", "web_message", "query"},    {"code", "FORM_POST", "query"},    {"code", "query fragment", "query"},
        {"code", "form_post.jwt", "query"},  {"token", "query", "fragment"},    {"token", "jwt", "fragment"},
        {"code token", "query", "fragment"}, {"id_token", "query", "fragment"},
    };
    for (const std::string mode :
         {"web_message", "query.jwt", "jwt", "form_post.jwt", "QUERY", "fragment ", "cookie"}) {
        rows.push_back({"code", mode, "query"});
        rows.push_back({"token", mode, "fragment"});
    }
    for (const Row& row : rows) {
        CAPTURE(row.type);
        CAPTURE(row.mode);
        const Landing landing = UserAgent(op).authorize(asking(row.mode).with("response_type", row.type));
        CHECK(landing.verdict() == "invalid_request");
        check_place(landing, row.place, kErrorNames);
    }
    const Landing twice = UserAgent(op).authorize(asking("fragment").and_also("response_mode", "fragment"));
    CHECK(twice.verdict() == "invalid_request");
    check_place(twice, "query", kErrorNames);
}

TEST_CASE(
    "response_mode: errors of a response type that yields tokens default to the fragment [§5, RFC 6749 §4.2.2.1, "
    "Multiple Response Types §3, §4, §5b]") {
    const Deployment op;
    for (const std::string type : {"token", "id_token", "id_token token", "code id_token", "code token"}) {
        CAPTURE(type);
        const Landing landing = UserAgent(op).authorize(authorization_request().with("response_type", type));
        CHECK(landing.verdict() == "unsupported_response_type");
        check_place(landing, "fragment", kErrorNames);
    }
    const Landing none = UserAgent(op).authorize(authorization_request().with("response_type", "none"));
    check_place(none, "query", kErrorNames);
}

TEST_CASE(
    "response_mode: in doubt about client or redirect_uri there is a page in every mode [RFC 6749 §4.1.2.1a, OIDC Core "
    "§3.1.2.6b]") {
    const Deployment op;
    for (const std::string& mode : kModes) {
        for (const Query& request :
             {asking(mode).with("redirect_uri", "https://evil.example/cb"), asking(mode).with("client_id", "nobody")}) {
            CAPTURE(mode);
            const Answer answer = op.cgi("authorize", get_request(request.text()));
            CHECK(answer.status == 400);
            CHECK_FALSE(answer.has("Location"));
            CHECK_FALSE(find_form(answer.body).has_value());
        }
    }
}

TEST_CASE("response_mode: postern why explains a refusal whichever way it was sent") {
    const Deployment op;
    for (const std::string& mode : kModes) {
        CAPTURE(mode);
        const Answer answer = op.cgi("authorize", get_request(asking(mode).with("scope", "admin").text()));
        const std::string why = op.must({"why", answer.header("X-Request-Id")});
        CHECK(has(why, "invalid_scope"));
        CHECK(has(why, kWeb));
    }
}

TEST_CASE("response_mode: a request by POST is answered there as well [RFC 6749 §3.1e, OIDC Core §3.1.2.1a]") {
    Deployment op;
    op.configure("authorizeMethods", postern::json::strings({"GET", "POST"}));
    for (const std::string& mode : kModes) {
        CAPTURE(mode);
        UserAgent alice(op);
        const std::string url = op.url("authorize");
        const Query request = asking(mode);
        const Landing refused = alice.follow(url, alice.send(url, request.with("scope", "admin").text()));
        CHECK(refused.verdict() == "invalid_scope");
        check_place(refused, mode, kErrorNames);
        Landing landing = alice.log_in(alice.follow(url, alice.send(url, request.text())));
        if (landing.verdict() == "consent") landing = alice.approve(landing);
        CHECK(landing.verdict() == "code");
        check_place(landing, mode, {"code", "state", "iss"});
    }
}

TEST_CASE("form_post: a page that sends itself, and a button for browsers without scripts [Form Post §2ae, §4]") {
    const Deployment op;
    const Answer page = op.cgi("authorize", get_request(asking("form_post").with("prompt", "none").text()));
    CHECK(page.status == 200);
    CHECK(page.header("Content-Type") == "text/html; charset=utf-8");
    CHECK(page.header("Cache-Control") == "no-store");
    CHECK(page.header("Pragma") == "no-cache");
    CHECK(page.header("Referrer-Policy") == "no-referrer");
    CHECK(page.header("X-Frame-Options") == "DENY");
    const auto form = find_form(page.body);
    REQUIRE(form.has_value());
    CHECK(form->method == "post");
    CHECK(form->action == redirect_uri_of(kWeb));
    CHECK(has_id(page.body, "continue"));
    CHECK(has(visible_text(page.body), "Web Application"));

    const auto begin = page.body.find("<script>") + 8;
    const std::string script = page.body.substr(begin, page.body.find("</script>") - begin);
    CHECK(has(script, "submit()"));
    const std::string policy = page.header("Content-Security-Policy");
    const std::string hash = "'sha256-" + postern::util::base64_encode(postern::crypto::sha256(script)) + "'";
    CHECK(has(policy, "script-src " + hash + ";"));
    for (const std::string loose : {"form-action", "unsafe", "http", "*"}) CHECK_FALSE(has(policy, loose));
    // The script that submits by itself is on no other page.
    const Landing login = UserAgent(op).authorize(asking("form_post"));
    CHECK(login.verdict() == "login");
    CHECK_FALSE(has(login.answer.header("Content-Security-Policy"), hash));
    CHECK_FALSE(has(login.answer.body, script));
}

TEST_CASE(
    "form_post: no state leaves its place, and every one comes back byte for byte [IF27, Form Post §2g, RFC 6749 "
    "§4.1.2b, OIDC Core §3.1.2.1h]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    std::string ascii;
    for (char c = ' '; c <= '~'; ++c) ascii += c;
    const std::vector<std::string> states = {
        "\"><script>alert(1)</script>",
        "' onmouseover='alert(1)",
        "</form><form action=https://evil.example>",
        "&quot;&#34;&amp;",
        "{{state}}{{{state}}}{{> style.css}}",
        "a b+c%26d=e%23f%25\"<>\xc3\xa9&code=x#y?z/\\'",
        "\xe2\x80\xae\xef\xbb\xbf\xf0\x9f\x9a\xaa\xc2\x85\xe2\x80\xa8",
        ascii,
        std::string(2048, '"'),
        std::string(2048, '&'),
        "0",
    };
    for (const std::string& state : states) {
        CAPTURE(state.substr(0, 40));
        const Landing landing = alice.authorize(asking("form_post").with("state", state));
        CHECK(landing.verdict() == "code");
        CHECK(landing.url == redirect_uri_of(kWeb));
        CHECK(landing.parameter("state") == state);
        CHECK(landing.posted.size() == 3);
        const std::string& html = landing.answer.body;
        CHECK(find_tags(html, "form").size() == 1);
        CHECK(html.find("<script") == html.rfind("<script"));
    }
    const Landing without = alice.authorize(asking("form_post").without("state"));
    CHECK(without.verdict() == "code");
    CHECK_FALSE(without.posted.contains("state"));
}

TEST_CASE("form_post, fragment: a query of the registered redirect_uri is kept [RFC 6749 §3.1.2b, Form Post §2h]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string registered = "https://many.example/b?x=1";
    const Query request = authorization_request(kMany).with("redirect_uri", registered);
    const Landing posted = alice.sign_in(request.with("response_mode", "form_post"));
    CHECK(posted.verdict() == "code");
    CHECK(posted.url == registered);
    const Landing fragment = alice.authorize(request.with("response_mode", "fragment"));
    CHECK(fragment.verdict() == "code");
    CHECK(fragment.url.starts_with(registered + "#code="));
}

}  // namespace
