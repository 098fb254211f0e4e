// The token endpoint with the authorization code grant (RFC 6749 §3.2, §4.1.3, §4.1.4, §5), a row per rule.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "has.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

/// What a refused request leaves of the code.
enum class Code { kept, burned, redeemed };

struct Row {
    std::string clause;
    std::string when;
    Query (*change)(const Query& good);
    std::string expected;
    Code after;
};

/// Everybody has approved, so that a code is one request away.
struct Ready {
    Deployment op;
    UserAgent alice{op};
    explicit Ready(const Deployment::Options& options = {}) : op(options) { alice.sign_in(authorization_request()); }
    std::string code() { return alice.obtain_code(authorization_request()); }
};

void check_rows(Ready& ready, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        const Query good = token_request(ready.code());
        const Answer answer = redeem(ready.op, row.change(good));
        CHECK(answer.verdict() == row.expected);
        CHECK(answer.header("Cache-Control") == "no-store");
        CHECK(answer.header("Content-Type").starts_with("application/json"));
        const auto grants = redeem(ready.op, good);
        CHECK(grants.verdict() == (row.after == Code::kept ? "200" : "400 invalid_grant"));
    }
}

TEST_CASE(
    "token: grant_type is there once and names a grant of this server [RFC 6749 §3.2ce, §4.1.3a, §5.2bg, T12, MCP-10, F2-2]") {
    Ready ready;
    check_rows(
        ready,
        {
            {"§4.1.3", "everything is right", [](const Query& q) { return q; }, "200", Code::redeemed},
            {"§4.1.3", "missing", [](const Query& q) { return q.without("grant_type"); }, "400 invalid_request",
             Code::kept},
            {"§3.2", "empty", [](const Query& q) { return q.with("grant_type", ""); }, "400 invalid_request",
             Code::kept},
            {"§3.2", "twice, equal", [](const Query& q) { return q.and_also("grant_type", "authorization_code"); },
             "400 invalid_request", Code::kept},
            {"§3.2", "twice, different", [](const Query& q) { return q.and_also("grant_type", "password"); },
             "400 invalid_request", Code::kept},
            {"§5.2", "another case", [](const Query& q) { return q.with("grant_type", "Authorization_Code"); },
             "400 unsupported_grant_type", Code::kept},
            {"§5.2", "upper case", [](const Query& q) { return q.with("grant_type", "AUTHORIZATION_CODE"); },
             "400 unsupported_grant_type", Code::kept},
            {"§5.2", "a blank behind it", [](const Query& q) { return q.with("grant_type", "authorization_code "); },
             "400 unsupported_grant_type", Code::kept},
            {"X14", "NUL behind it",
             [](const Query& q) { return q.without("grant_type").raw("grant_type=authorization_code%00"); },
             "400 invalid_request", Code::kept},
            {"RFC 9700 §2.4", "password",
             [](const Query& q) {
                 return q.with("grant_type", "password").with("username", kAlice).with("password", kAlicePassword);
             },
             "400 unsupported_grant_type", Code::kept},
            {"§4.5", "an extension we do not have",
             [](const Query& q) { return q.with("grant_type", "urn:ietf:params:oauth:grant-type:saml2-bearer"); },
             "400 unsupported_grant_type", Code::kept},
            {"RFC 7523 §2.1", "another one, with its assertion",
             [](const Query& q) {
                 return q.with("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer").with("assertion", "a.b.c");
             },
             "400 unsupported_grant_type", Code::kept},
            {"§4.5", "a URN", [](const Query& q) { return q.with("grant_type", "urn:x"); },
             "400 unsupported_grant_type", Code::kept},
            {"§4.2", "implicit has no token request", [](const Query& q) { return q.with("grant_type", "implicit"); },
             "400 unsupported_grant_type", Code::kept},
            {"§5.2", "markup", [](const Query& q) { return q.with("grant_type", "<script>\"\\"); },
             "400 unsupported_grant_type", Code::kept},
        });
    // A client that is not registered for the grant.
    const Query good = token_request(ready.code());
    CHECK(redeem(ready.op, good, kMachine).verdict() == "400 unauthorized_client");
    CHECK(redeem(ready.op, good.with("grant_type", "refresh_token").with("refresh_token", "x"), kMachine).verdict() ==
          "400 unauthorized_client");
    const Answer refused = redeem(ready.op, good.with("grant_type", "urn:x"));
    CHECK(refused.status == 400);
    CHECK_FALSE(refused.member("error_description").empty());  // a tool shows it to its user
    CHECK(redeem(ready.op, good).verdict() == "200");
}

TEST_CASE("token: the code is there once and byte-equal [RFC 6749 §3.2c, §4.1.3af, §5.2e, OIDC Core §3.1.3.2b]") {
    Ready ready;
    check_rows(
        ready,
        {
            {"§4.1.3", "missing", [](const Query& q) { return q.without("code"); }, "400 invalid_request", Code::kept},
            {"§3.2", "empty", [](const Query& q) { return q.with("code", ""); }, "400 invalid_request", Code::kept},
            {"§3.2", "twice", [](const Query& q) { return q.and_also("code", "x"); }, "400 invalid_request",
             Code::kept},
            {"§5.2", "unknown", [](const Query& q) { return q.with("code", std::string(43, 'A')); },
             "400 invalid_grant", Code::kept},
            {"§5.2", "one character", [](const Query& q) { return q.with("code", "x"); }, "400 invalid_grant",
             Code::kept},
            {"§5.2", "SQL", [](const Query& q) { return q.with("code", "' OR '1'='1"); }, "400 invalid_grant",
             Code::kept},
            {"§5.2", "20 KB", [](const Query& q) { return q.with("code", std::string(20480, 'c')); },
             "400 invalid_grant", Code::kept},
            {"X14", "NUL", [](const Query& q) { return q.without("code").raw("code=x%00"); }, "400 invalid_request",
             Code::kept},
            {"X13", "malformed", [](const Query& q) { return q.without("code").raw("code=%zz"); },
             "400 invalid_request", Code::kept},
        });
    const std::string code = ready.code();
    for (const std::string& near :
         {code + "A", code.substr(1), code.substr(0, code.size() - 1), " " + code, code + "="})
        CHECK(redeem(ready.op, token_request(near)).verdict() == "400 invalid_grant");
    CgiRequest truncated = with_basic(token_request("x").without("code").raw("code=" + code + "%00").text());
    CHECK(ready.op.cgi("token", truncated).verdict() == "400 invalid_request");
    CHECK(redeem(ready.op, token_request(code)).verdict() == "200");
}

TEST_CASE("token: known parameters are given once, others are ignored [RFC 6749 §3.2de, §5.2b, RFC 7636 §4.5, X10]") {
    Ready ready;
    check_rows(
        ready,
        {
            {"§3.2", "unknown parameter", [](const Query& q) { return q.with("foo", "bar").and_also("foo", "baz"); },
             "200", Code::redeemed},
            {"§3.2", "separators only between", [](const Query& q) { return q.raw("&&=x&&"); }, "200", Code::redeemed},
            {"§3.3", "scope cannot be widened here", [](const Query& q) { return q.with("scope", "openid api admin"); },
             "200", Code::redeemed},
            {"§4.1.3", "state is not a parameter here", [](const Query& q) { return q.with("state", "x"); }, "200",
             Code::redeemed},
            {"§3.2", "redirect_uri twice",
             [](const Query& q) { return q.and_also("redirect_uri", redirect_uri_of(kWeb)); }, "400 invalid_request",
             Code::kept},
            {"§3.2", "code_verifier twice", [](const Query& q) { return q.and_also("code_verifier", kVerifier); },
             "400 invalid_request", Code::kept},
            {"§3.2", "client_id twice",
             [](const Query& q) { return q.with("client_id", kWeb).and_also("client_id", kWeb); },
             "400 invalid_request", Code::kept},
            {"§3.2", "scope twice", [](const Query& q) { return q.with("scope", "a").and_also("scope", "a"); },
             "400 invalid_request", Code::kept},
            {"§3.2", "aud twice",
             [](const Query& q) { return q.with("aud", "https://rs.example").and_also("aud", "https://rs.example"); },
             "400 invalid_request", Code::kept},
        });
}

TEST_CASE("token: a scope in the exchange neither widens nor narrows what was approved [A05, T18]") {
    Ready ready;
    for (const std::string scope :
         {"api", "openid email api", "admin", "openid", "openid api", "openid  email", " ", "a\"b"}) {
        CAPTURE(scope);
        const Query request = token_request(ready.code()).with("scope", scope).with("nonce", "other");
        const Answer answer = redeem(ready.op, request);
        CHECK(text_of(jwt_claims(answer.member("id_token")), "nonce") == kNonce);
        CHECK(answer.member("scope") == "openid email");
        CHECK(text_of(jwt_claims(answer.member("access_token")), "scope") == "openid email");
        const Answer told = as_client(ready.op, "introspect", {{"token", answer.member("access_token")}}, kOther);
        CHECK(told.member("scope") == "openid email");
    }
}

TEST_CASE("token: a scope that the operator took away before the exchange is not given [RFC 6749 §3.3d]") {
    Ready ready;
    const std::string code = ready.code();
    ready.op.must({"client", "set", kWeb, "--scope", "openid"});
    const Answer answer = redeem(ready.op, token_request(code));
    CHECK(answer.member("scope") == "openid");
    CHECK(userinfo(ready.op, answer.member("access_token")).json().find("email") == nullptr);
}

TEST_CASE("token: nothing but the audience is read from the query [RFC 6749 §2.3.1d, §3.2f, X11]") {
    Ready ready;
    const Query good = token_request(ready.code());
    CgiRequest in_query = with_basic("x=y");
    in_query.query = good.text();
    CHECK(ready.op.cgi("token", in_query).verdict() == "400 invalid_request");
    CgiRequest code_in_query = with_basic(good.without("code").text());
    code_in_query.query = "code=" + query_parameter("?" + good.text(), "code").value_or("");
    CHECK(ready.op.cgi("token", code_in_query).verdict() == "400 invalid_request");
    CgiRequest secret_in_query = post_form(good.text());
    secret_in_query.query = Query{{"client_id", kWeb}, {"client_secret", secret_of(kWeb)}}.text();
    CHECK(ready.op.cgi("token", secret_in_query).verdict() == "401 invalid_client");
    CgiRequest second_values = with_basic(good.text());
    second_values.query = Query{{"client_id", kOther}, {"grant_type", "password"}, {"scope", "api"}}.text();
    const Answer answer = ready.op.cgi("token", second_values);
    CHECK(answer.verdict() == "200");
    CHECK(answer.member("scope") == "openid email");
    CHECK(text_of(jwt_claims(answer.member("access_token")), "cid") == kWeb);
}

TEST_CASE(
    "token: the audience of this request decides, and may not be a party that takes our ID tokens [IF40, IF41, IF83, "
    "IF98, T17, RFC 6750 §5.2d, OIDC Core §16.8, A05]") {
    Ready ready;
    check_rows(
        ready,
        {
            {"RFC 8707 §2", "a resource", [](const Query& q) { return q.with("aud", "https://rs.example"); }, "200",
             Code::redeemed},
            {"RFC 8707 §2", "by its other name",
             [](const Query& q) { return q.with("audience", "https://rs.example"); }, "200", Code::redeemed},
            {"the interface specification", "both, equal",
             [](const Query& q) { return q.with("aud", "rs").with("audience", "rs"); }, "200", Code::redeemed},
            {"the interface specification", "both, different",
             [](const Query& q) { return q.with("aud", "a").with("audience", "b"); }, "400 invalid_target", Code::kept},
            {"RFC 9068 §5", "another client", [](const Query& q) { return q.with("audience", kOther); },
             "400 invalid_target", Code::kept},
            {"RFC 9068 §5", "the client itself", [](const Query& q) { return q.with("aud", kWeb); },
             "400 invalid_target", Code::kept},
            {"RFC 9068 §5", "a public client", [](const Query& q) { return q.with("aud", kSpa); }, "400 invalid_target",
             Code::kept},
            {"docs", "a client without a front channel", [](const Query& q) { return q.with("aud", kMachine); }, "200",
             Code::redeemed},
            {"RFC 9068 §5", "the issuer", [](const Query& q) { return q.with("aud", "https://op.example"); },
             "400 invalid_target", Code::kept},
            {"RFC 9068 §5", "an endpoint of the issuer",
             [](const Query& q) { return q.with("aud", "https://op.example/userinfo"); }, "400 invalid_target",
             Code::kept},
            {"T17", "a byte too long", [](const Query& q) { return q.with("aud", std::string(1025, 'a')); },
             "400 invalid_request", Code::kept},
            {"T17", "four times as long", [](const Query& q) { return q.with("aud", std::string(4096, 'a')); },
             "400 invalid_request", Code::kept},
            {"X14", "NUL", [](const Query& q) { return q.raw("aud=a%00"); }, "400 invalid_request", Code::kept},
        });
    const auto aud_of = [&](const Query& request, const std::string& query, const Query& authorize) {
        CgiRequest call = with_basic(token_request(ready.alice.obtain_code(authorize)).text() + "&" + request.text());
        call.query = query;
        const Answer answer = ready.op.cgi("token", call);
        return answer.status == 200 ? text_of(jwt_claims(answer.member("access_token")), "aud") : answer.verdict();
    };
    CHECK(aud_of({{"aud", "rs"}}, "", authorization_request()) == "rs");
    CHECK(aud_of({}, "aud=rs", authorization_request()) == "rs");
    CHECK(aud_of({}, "audience=rs", authorization_request()) == "rs");
    CHECK(aud_of({}, "aud=https%3A%2F%2Fapi.example%2Fv1", authorization_request()) == "https://api.example/v1");
    CHECK(aud_of({}, "aud=a&aud=a", authorization_request()) == "400 invalid_request");
    CHECK(aud_of({{"aud", "a"}}, "aud=b", authorization_request()) == "400 invalid_target");
    CHECK(aud_of({{"aud", "a"}}, "audience=a", authorization_request()) == "a");
    CHECK(aud_of({{"aud", ""}}, "", authorization_request()) == "");
    CHECK(aud_of({}, "", authorization_request().with("aud", "rs")) == "");  // recorded, not decisive
    CHECK(aud_of({{"aud", "b"}}, "", authorization_request().with("aud", "a")) == "b");
}

TEST_CASE(
    "token: the answer has the members of RFC 6749 §5.1 and says what the token says [IF35, IF37, IF38, IF39, IF75, "
    "RFC 6749 §3.3d, §4.1.4, §5.1ab, §7.1, §10.16, RFC 6750 §4, §5.2c, OIDC Core §3.1.3.3ab, T21]") {
    Ready ready;
    const Answer answer = redeem(ready.op, token_request(ready.code()));
    CHECK(answer.status == 200);
    CHECK(answer.header("Content-Type") == "application/json");
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(answer.header("Pragma") == "no-cache");
    CHECK(answer.header("X-Content-Type-Options") == "nosniff");
    CHECK(answer.header("Content-Length") == std::to_string(answer.body.size()));
    const auto body = answer.json();
    CHECK(text_of(body, "token_type") == "Bearer");
    CHECK(text_of(body, "scope") == "openid email");
    const auto claims = jwt_claims(text_of(body, "access_token"));
    CHECK(number_of(body, "expires_in") == 900);
    CHECK(number_of(claims, "iat") == ready.op.now());
    CHECK(number_of(claims, "exp") == ready.op.now() + 900);
    CHECK(text_of(claims, "iss") == ready.op.issuer());
    CHECK(text_of(claims, "cid") == kWeb);
    CHECK(text_of(claims, "scope") == "openid email");
    CHECK(text_of(claims, "sub") == subject_of(ready.op, kAlice));
    CHECK(text_of(claims, "jti").size() >= 16);
    CHECK(claims.find("client_id") == nullptr);  // the interface specification: `cid` instead
    CHECK(claims.find("aud") == nullptr);
    CHECK(claims.find("nbf") == nullptr);
    const auto header = jwt_header(text_of(body, "access_token"));
    CHECK(text_of(header, "typ") == "at+jwt");
    CHECK(text_of(header, "alg") == "ES256");
    // The other grants answer in the same way.
    const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", text_of(body, "refresh_token")}};
    for (const Answer& other :
         {redeem(ready.op, refresh), redeem(ready.op, {{"grant_type", "client_credentials"}}, kMachine)}) {
        CAPTURE(other.body);
        CHECK(other.status == 200);
        CHECK(other.header("Content-Type") == "application/json");
        CHECK(other.header("Cache-Control") == "no-store");
        CHECK(other.member("token_type") == "Bearer");
        const auto its_claims = jwt_claims(other.member("access_token"));
        CHECK(number_of(other.json(), "expires_in") == number_of(its_claims, "exp") - number_of(its_claims, "iat"));
    }
}

TEST_CASE("token: a grant of no scope is the only one without a scope member [RFC 6749 §3.3de, §5.1]") {
    const Deployment op;
    UserAgent alice(op);
    const auto plain = obtain_tokens(op, alice, authorization_request(kOther).without("scope"), kOther);
    CHECK(plain.find("scope") == nullptr);
    CHECK(plain.find("id_token") == nullptr);
    CHECK(jwt_claims(text_of(plain, "access_token")).find("scope") == nullptr);
    // The client's registered scopes without the OpenID ones.
    const auto web = obtain_tokens(op, alice, authorization_request().without("scope"));
    CHECK(text_of(web, "scope") == "api");
    CHECK(web.find("id_token") == nullptr);
}

TEST_CASE(
    "token: a code lives for its lifetime and not a second longer [RFC 6749 §4.1.2c, §10.5, A05, T11, OIDC Core "
    "§3.1.3.2b]") {
    struct Age {
        std::string when;
        int ttl;
        int age;
        std::string expected;
    };
    const Age rows[] = {
        {"default, at once", 0, 0, "200"},
        {"default, half way", 0, 30, "200"},
        {"default, one second before", 0, 59, "200"},
        {"default, at the end", 0, 60, "400 invalid_grant"},
        {"default, one second late", 0, 61, "400 invalid_grant"},
        {"default, long ago", 0, 600, "400 invalid_grant"},
        {"configured, one second before", 5, 4, "200"},
        {"configured, at the end", 5, 5, "400 invalid_grant"},
    };
    for (const Age& row : rows) {
        CAPTURE(row.when);
        Deployment::Options options;
        if (row.ttl != 0) options.config = {{"authorizationCodeTTL", row.ttl}};
        Ready ready(options);
        const Query request = token_request(ready.code());
        ready.op.advance(seconds(row.age));
        CHECK(redeem(ready.op, request).verdict() == row.expected);
    }
}

TEST_CASE(
    "token: a code works for the client it was issued to, and an attempt by another changes nothing [A05, T05, RFC 6749 "
    "§3.2.1b, §4.1.2f, §4.1.3e, OIDC Core §3.1.3.2a, §16.11, F2-33]") {
    Ready ready;
    const Query request = token_request(ready.code());
    CHECK(redeem(ready.op, request, kOther).verdict() == "400 invalid_grant");
    CHECK(redeem(ready.op, request.with("redirect_uri", redirect_uri_of(kOther)), kOther).verdict() ==
          "400 invalid_grant");
    CHECK(redeem(ready.op, request.with("code_verifier", "x"), kOther).verdict() == "400 invalid_grant");
    CHECK(redeem(ready.op, request, kSpa).verdict() == "400 invalid_grant");
    CHECK(redeem(ready.op, request, kTrusted).verdict() == "400 invalid_grant");
    CHECK(redeem(ready.op, request).verdict() == "200");
}

TEST_CASE(
    "token: a code that was used twice is refused, and revokes what it gave [RFC 6749 §4.1.2e, §10.5, T02, OIDC Core "
    "§3.1.3.2c, §16.9]") {
    Ready ready;
    for (const int later : {0, 35, 61, 120}) {  // within and beyond the code's own lifetime
        CAPTURE(later);
        const Answer bystander = redeem(ready.op, token_request(ready.code()));
        const Query request = token_request(ready.code());
        const Answer first = redeem(ready.op, request);
        REQUIRE(first.status == 200);
        const std::string token = first.member("access_token");
        const std::string refresh_token = first.member("refresh_token");
        CHECK(userinfo(ready.op, token).status == 200);
        CHECK(is_active(ready.op, token));
        CHECK(is_active(ready.op, refresh_token));
        ready.op.advance(seconds(later));
        CHECK(redeem(ready.op, request).verdict() == "400 invalid_grant");
        CHECK(userinfo(ready.op, token).verdict() == "401 invalid_token");
        CHECK_FALSE(is_active(ready.op, token));
        CHECK_FALSE(is_active(ready.op, refresh_token));
        const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", refresh_token}};
        CHECK(redeem(ready.op, refresh).verdict() == "400 invalid_grant");
        CHECK(redeem(ready.op, request).verdict() == "400 invalid_grant");
        // Another login of the same user at the same client lives on.
        CHECK(userinfo(ready.op, bystander.member("access_token")).status == 200);
        CHECK(is_active(ready.op, bystander.member("refresh_token")));
    }
}

TEST_CASE("token: a replay that lacks client, redirect_uri or verifier revokes nothing [T03]") {
    Ready ready;
    const Query request = token_request(ready.code());
    const Answer first = redeem(ready.op, request);
    REQUIRE(first.status == 200);
    struct Replay {
        std::string when;
        Query request;
        std::string client;
        std::string expected;
    };
    const Replay rows[] = {
        {"another client", request, kOther, "400 invalid_grant"},
        {"a public client", request, kSpa, "400 invalid_grant"},
        {"wrong verifier", request.with("code_verifier", std::string(43, 'a')), kWeb, "400 invalid_grant"},
        {"no verifier", request.without("code_verifier"), kWeb, "400 invalid_grant"},
        {"wrong redirect_uri", request.with("redirect_uri", "https://app.example/"), kWeb, "400 invalid_grant"},
        {"another client's redirect_uri", request.with("redirect_uri", redirect_uri_of(kOther)), kWeb,
         "400 invalid_grant"},
        {"no redirect_uri", request.without("redirect_uri"), kWeb, "400 invalid_grant"},
        {"bad audience", request.with("aud", kOther), kWeb, "400 invalid_target"},
    };
    const auto check_alive = [&] {
        CHECK(userinfo(ready.op, first.member("access_token")).status == 200);
        CHECK(is_active(ready.op, first.member("access_token")));
        CHECK(is_active(ready.op, first.member("refresh_token")));
    };
    for (const Replay& row : rows) {
        CAPTURE(row.when);
        CHECK(redeem(ready.op, row.request, row.client).verdict() == row.expected);
        check_alive();
    }
    CgiRequest unauthenticated = post_form(request.text());
    unauthenticated.headers = {{"Authorization", basic(kWeb, "wrong")}};
    CHECK(ready.op.cgi("token", unauthenticated).verdict() == "401 invalid_client");
    check_alive();
    CHECK(ready.op.cgi("token", post_form(request.with("client_id", kWeb).text())).verdict() == "401 invalid_client");
    check_alive();
    CHECK(redeem(ready.op, request).verdict() == "400 invalid_grant");
    CHECK(userinfo(ready.op, first.member("access_token")).status == 401);
    CHECK_FALSE(is_active(ready.op, first.member("refresh_token")));
}

TEST_CASE(
    "token: a client that has lost the grant since is unauthorized_client, and the code waits for it [RFC 6749 "
    "§5.2f]") {
    Ready ready;
    const Query request = token_request(ready.code());
    ready.op.must({"client", "set", kWeb, "--grant", "client_credentials"});
    CHECK(redeem(ready.op, request).verdict() == "400 unauthorized_client");
    ready.op.must({"client", "set", kWeb, "--grant", "authorization_code"});
    CHECK(redeem(ready.op, request).verdict() == "200");
}

TEST_CASE("token: failed authentication leaves the code as it was [T14, RFC 6749 §3.2.1a, §4.1.3d]") {
    Ready ready;
    const Query request = token_request(ready.code());
    CgiRequest call = post_form(request.text());
    CHECK(ready.op.cgi("token", call).verdict() == "401 invalid_client");
    call.headers = {{"Authorization", basic(kWeb, "wrong")}};
    CHECK(ready.op.cgi("token", call).verdict() == "401 invalid_client");
    call.headers = {{"Authorization", basic("nobody", secret_of(kWeb))}};
    CHECK(ready.op.cgi("token", call).verdict() == "401 invalid_client");
    CHECK(redeem(ready.op, request).verdict() == "200");
}

TEST_CASE("token: a code is good for nothing else, and nothing else is a code [T10, RFC 6749 §4.1.3f]") {
    Ready ready;
    const std::string code = ready.code();
    CHECK(userinfo(ready.op, code).verdict() == "401 invalid_token");
    const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", code}};
    CHECK(redeem(ready.op, refresh).verdict() == "400 invalid_grant");
    CHECK(as_client(ready.op, "introspect", {{"token", code}}, kOther).body == R"({"active":false})");
    const Answer tokens = redeem(ready.op, token_request(code));
    REQUIRE(tokens.status == 200);
    const Query unused = token_request(ready.code());
    for (const std::string name : {"access_token", "refresh_token", "id_token"}) {
        CAPTURE(name);
        CHECK(redeem(ready.op, unused.with("code", tokens.member(name))).verdict() == "400 invalid_grant");
    }
    CHECK(redeem(ready.op, unused).verdict() == "200");
}

TEST_CASE(
    "token: errors are the two members of RFC 6749 §5.2, constant and free of what was sent [RFC 6749 §5.2ai, §A.7, "
    "OIDC Core §3.1.3.4]") {
    const Deployment op;
    for (const std::string grant : {"x\"y", "<b>", "caf\xc3\xa9", "%s"}) {
        const Answer answer = op.cgi("token", with_basic(Query{{"grant_type", grant}}.text()));
        const auto body = answer.json();
        CHECK(answer.verdict() == "400 unsupported_grant_type");
        CHECK(body.size() == 2);
        const std::string description = text_of(body, "error_description");
        CHECK_FALSE(has(description, grant));
        for (const char c : description) CHECK((c >= 0x20 && c <= 0x7e && c != '"' && c != '\\'));
        CHECK(answer.header("Pragma") == "no-cache");
    }
}

TEST_CASE("token: only POST [IF75, RFC 6749 §3.2a]") {
    Ready ready;
    const Query good = token_request(ready.code());
    for (const std::string method : {"GET", "PUT", "DELETE", "PATCH", "HEAD", "TRACE", "post"}) {
        CAPTURE(method);
        CgiRequest request = with_basic(good.text());
        request.method = method;
        request.headers.emplace_back("X-HTTP-Method-Override", "POST");
        request.variables["CONTENT_LENGTH"] = std::to_string(good.text().size());
        const Answer answer = ready.op.cgi("token", request);
        CHECK(answer.status == 405);
        CHECK(has(answer.header("Allow"), "POST"));
        CHECK_FALSE(has(answer.header("Allow"), "GET"));
    }
    CHECK(redeem(ready.op, good).verdict() == "200");
}

}  // namespace
