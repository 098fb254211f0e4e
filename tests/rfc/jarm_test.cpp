// Signed answers of the authorization endpoint (JWT Secured Authorization Response Mode, JARM): what they contain, how
// they travel, and what they do not pass for.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "has.h"
#include "json/writer.h"
#include "support/pushed.h"
#include "support/registration.h"
#include "support/user_agent.h"

namespace {

using namespace postern;
using namespace postern::test;

Deployment::Options with_jarm(json::Object config = {}) {
    config.set("jarm", true);
    return {.config = std::move(config)};
}

Query asking(const std::string& mode) { return authorization_request().with("response_mode", mode); }

/// Returns the claims of a signed answer, which must be all that the client got.
json::Object answer_of(const Landing& landing, const std::string& place) {
    REQUIRE(landing.left);
    CHECK(landing.mode == place);
    const std::string response = landing.parameter("response");
    REQUIRE(response.find('.') != std::string::npos);
    for (const char* name : {"code", "state", "iss", "error", "access_token", "id_token"}) {
        CAPTURE(std::string(name));
        CHECK(landing.parameter(name).empty());
    }
    // Some libraries take none but "JWT", which ID tokens have.
    CHECK(jwt_header(response).find("typ") == nullptr);
    return jwt_claims(response);
}

std::set<std::string> names_of(const json::Object& claims) {
    std::set<std::string> names;
    for (const auto& [name, value] : claims.members()) names.insert(name);
    return names;
}

TEST_CASE(
    "jarm: a code travels inside of one token, in each mode [JARM-1, JARM-2, JARM-4, JARM-5, JARM §2.1a, §2.1c, §2.2, §2.3ac, F2-68]") {
    struct Row {
        const char* mode;
        const char* place;
    };
    for (const Row& row : {Row{"jwt", "query"}, Row{"query.jwt", "query"}, Row{"fragment.jwt", "fragment"},
                           Row{"form_post.jwt", "form_post"}}) {
        CAPTURE(std::string(row.mode));
        const Deployment op(with_jarm());
        UserAgent alice(op);
        const Landing landing = alice.sign_in(asking(row.mode));
        const json::Object claims = answer_of(landing, row.place);
        CHECK(names_of(claims) == std::set<std::string>{"iss", "aud", "exp", "code", "state"});
        CHECK(text_of(claims, "iss") == op.issuer());
        CHECK(text_of(claims, "aud") == kWeb);
        CHECK(text_of(claims, "state") == kState);
        CHECK(number_of(claims, "exp") == op.now() + 300);
        CHECK(text_of(jwt_header(landing.parameter("response")), "alg") == "RS256");
        CHECK(without_query(landing.url) == redirect_uri_of(kWeb));
        CHECK(redeem(op, token_request(text_of(claims, "code"))).status == 200);
        // It passes for no token of ours.
        CHECK(userinfo(op, landing.parameter("response")).status == 401);
        CHECK_FALSE(is_active(op, landing.parameter("response")));
        CHECK(alice.authorize(authorization_request().with("id_token_hint", landing.parameter("response"))).verdict() ==
              "invalid_request");
    }
}

TEST_CASE("jarm: the query of a registered address stays in front [JARM-2]") {
    const Deployment op(with_jarm());
    const Landing landing = UserAgent(op).sign_in(
        authorization_request(kMany).with("redirect_uri", "https://many.example/b?x=1").with("response_mode", "jwt"));
    CHECK(landing.url.starts_with("https://many.example/b?x=1&response="));
}

TEST_CASE(
    "jarm: errors are signed, too, as soon as address and mode are verified [JARM-3, PAR-17, F2-16, JARM §2.1b]") {
    Deployment op(with_jarm({{"paths", json::Object{{"par", "/par"}}}}));
    struct Row {
        std::string error;
        Query query;
    };
    const Query good = asking("jwt");
    const std::vector<Row> rows = {
        {"invalid_request", good.without("response_type")},
        {"invalid_request", good.and_also("scope", "openid")},
        {"unsupported_response_type", good.with("response_type", "pigeon")},
        {"invalid_scope", good.with("scope", "admin")},
        {"login_required", good.with("prompt", "none")},
        {"request_not_supported", good.with("request", "e.e.e")},
    };
    for (const Row& row : rows) {
        CAPTURE(row.error);
        const json::Object claims = answer_of(UserAgent(op).authorize(row.query), "query");
        CHECK(names_of(claims) == std::set<std::string>{"iss", "aud", "exp", "error", "error_description", "state"});
        CHECK(text_of(claims, "error") == row.error);
        CHECK(text_of(claims, "state") == kState);
    }
    UserAgent alice(op);
    CHECK(text_of(answer_of(alice.deny(alice.log_in(alice.authorize(good))), "query"), "error") == "access_denied");
    CHECK(UserAgent(op).authorize(good.with("redirect_uri", "https://evil.example/")).verdict() == "page 400");
    op.must({"client", "set", kWeb, "--require-pushed-authorization-requests"});
    CHECK(text_of(answer_of(UserAgent(op).authorize(good), "query"), "error") == "invalid_request");
    const Landing pushed = alice.sign_in(opening(pushed_address(op, good)));
    CHECK_FALSE(text_of(answer_of(pushed, "query"), "code").empty());
}

TEST_CASE("jarm: tokens in the answer are inside of it, in the fragment [JARM-1, JARM §2.3b]") {
    const Deployment op(with_jarm({{"responseTypes", json::strings({"code", "token", "id_token token"})}}));
    op.must({"client", "set", kWeb, "--grant", "authorization_code", "--grant", "implicit", "--response-type", "code",
             "--response-type", "token", "--response-type", "id_token token"});
    UserAgent alice(op);
    const Landing landing = alice.sign_in(asking("jwt").with("response_type", "id_token token"));
    const json::Object claims = answer_of(landing, "fragment");
    CHECK(names_of(claims) == std::set<std::string>{"iss", "aud", "exp", "access_token", "token_type", "expires_in",
                                                    "scope", "id_token", "state"});
    CHECK(userinfo(op, text_of(claims, "access_token")).status == 200);
    CHECK(text_of(jwt_claims(text_of(claims, "id_token")), "nonce") == kNonce);
    CHECK(alice.authorize(asking("query.jwt").with("response_type", "token")).verdict() == "invalid_request");
}

TEST_CASE("jarm: the algorithm is the client's, and the default of the standard [JARM-4, ALG-1, JARM §3a]") {
    Deployment op(with_jarm({{"idTokenAlgorithms", json::strings({"ES256", "RS256"})}}));
    UserAgent alice(op);
    const auto algorithm = [&] {
        return text_of(jwt_header(alice.sign_in(asking("jwt")).parameter("response")), "alg");
    };
    CHECK(algorithm() == "RS256");
    op.must({"client", "set", kWeb, "--authorization-signed-response-alg", "ES256"});
    CHECK(algorithm() == "ES256");
    // An algorithm that has left: nothing is spent, and nothing is sent unsigned.
    op.configure("idTokenAlgorithms", json::strings({"RS256"}));
    const auto codes = op.count_rows("authorization_codes");
    const Landing failed = alice.authorize(asking("jwt"));
    CHECK(failed.verdict() == "page 500");
    CHECK(op.count_rows("authorization_codes") == codes);
    CHECK(has(op.postern({"doctor"}).out, "authorization-signed-response-alg"));
    op.must({"client", "set", kWeb, "--no-authorization-signed-response-alg"});
    CHECK(algorithm() == "RS256");
}

TEST_CASE("jarm: off until it is configured, and a client that takes nothing else gets nothing [COM-1, COM-10]") {
    Deployment op;
    const auto asked = [&](const std::string& mode) { return UserAgent(op).authorize(asking(mode)); };
    const Landing refused = asked("jwt");
    CHECK(refused.verdict() == "invalid_request");
    CHECK(refused.mode == "query");
    CHECK(has(op.must({"why", refused.answer.header("X-Request-Id")}), "\"jarm\" is false"));
    CHECK(op.postern({"client", "set", kWeb, "--response-mode", "jwt"}).exit_code == 1);
    op.configure("jarm", true);
    UserAgent alice(op);
    const Landing begun = alice.authorize(asking("jwt"));
    op.must({"client", "set", kOther, "--response-mode", "jwt"});
    op.configure("jarm", false);
    CHECK(alice.log_in(begun).verdict() == "invalid_request");  // told plainly: nothing is signed any more
    CHECK(UserAgent(op).authorize(authorization_request(kOther)).verdict() == "unauthorized_client");
    CHECK(has(op.postern({"doctor"}).out, "signed answers"));
}

TEST_CASE("jarm: a client may be registered for some modes [JARM-6, F2-67]") {
    Deployment op(with_jarm({{"paths", json::Object{{"par", "/par"}}}}));
    op.must({"client", "set", kWeb, "--response-mode", "jwt"});
    CHECK(has(op.must({"client", "show", kWeb, "--json"}), "\"response_modes\""));
    CHECK(push(op, asking("jwt")).status == 201);
    for (const char* mode : {"query", "query.jwt", "form_post"}) {
        CAPTURE(std::string(mode));
        CHECK(push(op, asking(mode)).verdict() == "400 invalid_request");
    }
    const Answer refused = push(op, authorization_request());
    CHECK(refused.verdict() == "400 invalid_request");
    CHECK(has(op.must({"why", refused.header("X-Request-Id")}), "--response-mode"));
    op.must({"client", "set", kWeb, "--no-response-mode"});
    CHECK(push(op, authorization_request()).status == 201);
}

TEST_CASE("jarm: discovery and registration say what holds [JARM-6, REG-10, COM-3, JARM §4]") {
    Deployment op({.config = {{"registration", json::Object{{"mode", "open"}}}}});
    const auto modes = [&] { return json::write(*op.cgi("discovery").json().find("response_modes_supported")); };
    CHECK(modes() == R"(["query","fragment","form_post"])");
    CHECK(op.cgi("discovery").json().find("authorization_signing_alg_values_supported") == nullptr);
    const CgiRequest request = registering(R"({"redirect_uris":["http://127.0.0.1/cb"],"response_modes":["jwt"],)"
                                           R"("authorization_signed_response_alg":"RS256"})");
    CHECK(op.cgi("registration", request).verdict() == "400 invalid_client_metadata");
    op.configure("jarm", true);
    CHECK(modes() == R"(["query","fragment","form_post","jwt","query.jwt","fragment.jwt","form_post.jwt"])");
    CHECK(json::write(*op.cgi("discovery").json().find("authorization_signing_alg_values_supported")) ==
          R"(["RS256"])");
    const Answer registered = op.cgi("registration", request);
    REQUIRE(registered.status == 201);
    CHECK(has(registered.body, R"("response_modes":["jwt"])"));
    CHECK(has(registered.body, R"("authorization_signed_response_alg":"RS256")"));
}

TEST_CASE("jarm: an answer that would be too long for a URL is refused before it is signed [JARM-2]") {
    const Deployment op(with_jarm());
    const std::string quotes(3400, '"');  // twice as long inside
    CHECK(UserAgent(op).authorize(asking("jwt").with("state", quotes)).verdict() == "page 400");
    CHECK(UserAgent(op).authorize(asking("form_post.jwt").with("state", quotes)).verdict() == "login");
    const Landing longest = UserAgent(op).sign_in(asking("jwt").with("state", std::string(4000, 's')));
    CHECK(longest.url.size() <= 8000);
    CHECK(text_of(jwt_claims(longest.parameter("response")), "state").size() == 4000);
}

}  // namespace
