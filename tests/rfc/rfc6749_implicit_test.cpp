// The implicit grant (RFC 6749 §4.2; RFC 9700 §2.1.2; the interface specification): off by default, and then by client.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "has.h"
#include "support/flow.h"
#include "util/text.h"

namespace {

using namespace postern::test;

constexpr const char* kPage = "page";  ///< public, implicit only, https://page.example/cb

Deployment::Options with_implicit() { return {.issuer = "https://op.example", .config = {{"implicit", true}}}; }

void add_page(const Deployment& op) {
    op.must({"client", "add", kPage, "--public", "--grant", "implicit", "--redirect-uri", redirect_uri_of(kPage),
             "--scope", "openid email api"});
}

Query asking(const std::string& client = kPage) {
    return authorization_request(client)
        .with("response_type", "token")
        .without("code_challenge")
        .without("code_challenge_method");
}

std::set<std::string> names_in_fragment(std::string_view url) {
    std::set<std::string> names;
    for (const auto pair : postern::util::split(url.substr(url.find('#') + 1), '&'))
        names.emplace(pair.substr(0, pair.find('=')));
    return names;
}

TEST_CASE(
    "implicit: off by default, for every client, and no client can be registered for it [RFC 9700 §2.1.2, A06, RFC 6749 §4.2, OIDC Core §16.4]") {
    const Deployment op;
    const auto refused =
        op.postern({"client", "add", kPage, "--grant", "implicit", "--redirect-uri", "https://page.example/cb"});
    CHECK(refused.exit_code == 1);
    CHECK(has(refused.err, "implicit"));
    for (const std::string client : {kWeb, kSpa}) {
        const Landing landing = UserAgent(op).authorize(asking(client));
        CHECK(landing.verdict() == "unsupported_response_type");
        CHECK(landing.mode == "fragment");
    }
}

TEST_CASE("implicit: registration needs the option and a redirect URI [RFC 6749 §3.1.2.2a]") {
    const Deployment op(with_implicit());
    CHECK(op.postern({"client", "add", "nowhere", "--public", "--grant", "implicit"}).exit_code == 1);
    add_page(op);
    CHECK(has(op.must({"client", "show", kPage, "--json"}), "\"implicit\""));
}

TEST_CASE(
    "implicit: what is refused, in the fragment and with state and iss [RFC 6749 §4.2, §4.2.1ab, §4.2.2.1, OIDC Core "
    "§16.16, Multiple Response Types §5b, A06, A07, A23]") {
    const Deployment op(with_implicit());
    add_page(op);
    struct Row {
        std::string clause;
        std::string when;
        Query request;
        std::string expected;
        std::string client = kPage;
        std::string state = kState;
    };
    const std::vector<Row> rows = {
        {"§4.2.1", "everything is right", asking(), "login"},
        {"§4.2.1", "redirect_uri is optional where one is registered", asking().without("redirect_uri"), "login"},
        {"§4.2.1", "scope is optional", asking().without("scope"), "login"},
        {"§4.2.1", "state is recommended", asking().without("state"), "login"},
        {"RFC 7636 §4.3", "a challenge has no code to bind to", asking().with("code_challenge", "short"), "login"},
        {"§4.2.2.1", "the client is not registered for it", asking(kWeb), "unauthorized_client", kWeb},
        {"§4.2.2.1", "nor a public one", asking(kSpa), "unauthorized_client", kSpa},
        {"§4.2.2.1", "nor a first-party one", asking(kTrusted), "unauthorized_client", kTrusted},
        {"§3.1", "max_age that is no number", asking().with("max_age", "x"), "invalid_request"},
        {"§3.3", "a scope that nobody has", asking().with("scope", "no_such"), "invalid_scope"},
        {"§4.1.2.1", "a code for a client of this grant alone",
         authorization_request(kPage).with("response_mode", "fragment"), "unauthorized_client"},
        {"§3.1.1", "with a code", asking().with("response_type", "token code"), "unsupported_response_type"},
        {"§3.1.1", "with an ID token", asking().with("response_type", "id_token token"), "unsupported_response_type"},
        {"§3.1.1", "in another case", asking().with("response_type", "Token"), "unsupported_response_type"},
        {"§3.3", "a scope of others", asking().with("scope", "openid phone"), "invalid_scope"},
        {"§3.1", "scope twice", asking().and_also("scope", "openid"), "invalid_request"},
        {"§3.1", "state twice", asking().and_also("state", "x"), "invalid_request", kPage, ""},
        {"Multiple Response Types §5", "in the query", asking().with("response_mode", "query"), "invalid_request"},
        {"OIDC Core §3.1.2.1", "nobody is logged in", asking().with("prompt", "none"), "login_required"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        const Answer answer = op.cgi("authorize", get_request(row.request.text()));
        CHECK(verdict_of(op, answer, row.client, row.state) == row.expected);
        const bool names_its_mode = has(row.request.text(), "response_mode=fragment");
        const bool yields_token = has(row.request.text(), "token");
        if (row.expected != "login" && (yields_token || names_its_mode)) {
            CHECK(answer.location().find('?') == std::string::npos);
            CHECK(has(answer.location(), "#error="));
        }
    }
    for (const std::string type :
         {"token code", "code token", "code  ", "CODE", "TOKEN", "id_token", "id_token token", "none"}) {
        for (const std::string client : {kWeb, kPage}) {
            CAPTURE(type);
            CAPTURE(client);
            const Answer answer = op.cgi("authorize", get_request(asking(client).with("response_type", type).text()));
            CHECK(verdict_of(op, answer, client) == "unsupported_response_type");
        }
    }
    UserAgent alice(op);
    alice.sign_in(asking());
    CHECK(alice.authorize(authorization_request(kPage)).verdict() == "unauthorized_client");
    for (const std::string type : {"token", "code token", "id_token"}) {
        CAPTURE(type);
        const Landing landing = alice.authorize(asking().with("response_type", type).with("response_mode", "query"));
        CHECK(landing.verdict() == "invalid_request");
        CHECK(landing.mode == "fragment");
        CHECK(landing.url.find('?') == std::string::npos);
    }
    for (const Query& request :
         {asking().with("redirect_uri", "https://page.example/cb2"), asking().with("client_id", "nobody")}) {
        const Answer answer = op.cgi("authorize", get_request(request.text()));
        CHECK(answer.status == 400);
        CHECK_FALSE(answer.has("Location"));
    }
}

TEST_CASE(
    "implicit: the answer is the token in the fragment, and no refresh token [IF41, IF89, RFC 6749 §3.1.1b, §4.2.2ab, "
    "A07, RFC 6750 §5.3, Multiple Response Types §2.1b]") {
    const Deployment op(with_implicit());
    add_page(op);
    UserAgent alice(op);
    const Landing landing = alice.sign_in(asking().with("aud", "https://api.example"));
    REQUIRE(landing.verdict() == "token");
    CHECK(landing.mode == "fragment");
    CHECK(landing.url.starts_with(redirect_uri_of(kPage) + "#access_token="));
    CHECK(landing.url.find('?') == std::string::npos);
    CHECK(names_in_fragment(landing.url) ==
          std::set<std::string>{"access_token", "token_type", "expires_in", "scope", "state", "iss"});
    CHECK(landing.parameter("token_type") == "Bearer");
    CHECK(landing.parameter("expires_in") == "900");
    CHECK(landing.parameter("scope") == "openid email");
    CHECK(landing.parameter("state") == kState);
    CHECK(landing.parameter("iss") == op.issuer());
    CHECK(landing.answer.status == 303);
    CHECK(landing.answer.header("Cache-Control") == "no-store");
    CHECK(landing.answer.header("Referrer-Policy") == "no-referrer");

    const std::string token = landing.parameter("access_token");
    const auto claims = jwt_claims(token);
    CHECK(text_of(jwt_header(token), "typ") == "at+jwt");
    CHECK(text_of(claims, "cid") == kPage);
    CHECK(text_of(claims, "scope") == "openid email");
    CHECK(text_of(claims, "sub") == subject_of(op, kAlice));
    CHECK(claims.find("aud") == nullptr);  // the token request decides it, and there is none
    CHECK(number_of(claims, "exp") - number_of(claims, "iat") == 900);
    CHECK(userinfo(op, token).member("sub") == subject_of(op, kAlice));
    const std::string signature = token.substr(token.rfind('.') + 1);
    CHECK_FALSE(has(landing.answer.log, signature));
    CHECK_FALSE(has(op.stored(), signature));
    for (const std::string table : {"authorization_codes", "refresh_tokens"}) CHECK(op.count_rows(table) == 0);
}

TEST_CASE("implicit: the scope is always sent, and offline_access is not in it [RFC 6749 §4.2.2a, OIDC Core §11c]") {
    const Deployment op(with_implicit());
    add_page(op);
    UserAgent alice(op);
    CHECK(alice.sign_in(asking().without("scope")).parameter("scope") == "api");
    CHECK(alice.sign_in(asking().with("scope", "openid offline_access")).parameter("scope") == "openid");
    CHECK(alice.sign_in(asking().with("scope", "email openid")).parameter("scope") == "email openid");
}

TEST_CASE("implicit: one request yields one token, however often it is opened") {
    const Deployment op(with_implicit());
    add_page(op);
    UserAgent alice(op);
    const Landing consent = alice.log_in(alice.authorize(asking()));
    const Landing landing = alice.approve(consent);
    REQUIRE(landing.verdict() == "token");
    CHECK(alice.open(landing.visited.back()).verdict() == "page 400");
    CHECK(alice.approve(consent).verdict() == "page 400");
    CHECK(op.count_rows("access_tokens") == 1);
    CHECK(op.count_rows("grants") == 1);
    // What she approved is remembered, so the next request needs her no more.
    CHECK(alice.authorize(asking().with("prompt", "none")).verdict() == "token");
    CHECK(op.count_rows("access_tokens") == 2);
}

TEST_CASE("implicit: it ends at once where option or registration end, requests under way included") {
    Deployment op(with_implicit());
    add_page(op);
    UserAgent alice(op);
    const Landing consent = alice.log_in(alice.authorize(asking()));
    op.configure("implicit", false);
    const Landing off = alice.approve(consent);
    CHECK(off.verdict() == "unsupported_response_type");
    CHECK(off.mode == "fragment");
    op.configure("implicit", true);
    const Landing second = alice.authorize(asking());
    op.must({"client", "set", kPage, "--grant", "authorization_code"});
    const Landing lost = alice.approve(second);
    CHECK(lost.verdict() == "unauthorized_client");
    CHECK(lost.mode == "fragment");
    CHECK(op.count_rows("access_tokens") == 0);
}

TEST_CASE("implicit: a name of no grant at the token endpoint [RFC 6749 §4.2, §5.2g]") {
    const Deployment op(with_implicit());
    CHECK(op.cgi("token", with_basic("grant_type=implicit")).verdict() == "400 unsupported_grant_type");
    CHECK(op.cgi("token", with_basic("grant_type=token")).verdict() == "400 unsupported_grant_type");
}

}  // namespace
