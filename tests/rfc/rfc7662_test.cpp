// The introspection endpoint (RFC 7662 and the interface specification's section on it), a row per rule.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "forgeries.h"
#include "has.h"
#include "support/flow.h"
#include "token_forms.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

constexpr const char* kInactive = R"({"active":false})";

Query about(const std::string& token) { return Query{{"token", token}}; }

Answer introspect(const Deployment& op, const Query& form, const std::string& client = kWeb) {
    return as_client(op, "introspect", form, client);
}

Answer refresh(const Deployment& op, const std::string& token) {
    return redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", token}});
}

std::set<std::string> names_of(const json::Object& object) {
    std::set<std::string> names;
    for (const auto& member : object.members()) names.insert(member.first);
    return names;
}

/// 200, JSON, not to be kept, and the one member.
void check_inactive(const Answer& answer) {
    CHECK(answer.status == 200);
    CHECK(answer.body == kInactive);
    CHECK(answer.header("Content-Type") == "application/json");
    CHECK(answer.header("Cache-Control") == "no-store");
}

TEST_CASE(
    "introspection: what is said about an access token [IF3, IF43, IF44, IF47, IF48, IF49, IF122, RFC 7662 "
    "§2.2abcdefghj, §4h, rules 6 and 7, RFC 6749 §10.16]") {
    const SignedIn r;
    const Answer answer = introspect(r.op, about(r.access_token()));
    REQUIRE(answer.status == 200);
    CHECK(answer.header("Content-Type") == "application/json");
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(answer.header("Pragma") == "no-cache");
    CHECK(answer.header("X-Content-Type-Options") == "nosniff");
    CHECK(answer.header("Content-Length") == std::to_string(answer.body.size()));
    CHECK(answer.body.starts_with(R"({"active":true,)"));

    const json::Object said = answer.json();
    CHECK(names_of(said) == std::set<std::string>{"active", "scope", "client_id", "token_type", "username", "exp",
                                                  "iat", "sub", "iss", "jti", "auth_time", "acr"});
    CHECK(text_of(said, "scope") == "openid email");
    CHECK(text_of(said, "client_id") == kWeb);
    CHECK(text_of(said, "token_type") == "Bearer");
    CHECK(text_of(said, "username") == kAlice);
    CHECK(text_of(said, "sub") == subject_of(r.op, kAlice));
    CHECK(text_of(said, "iss") == r.op.issuer());
    CHECK(number_of(said, "iat") == r.op.now());
    CHECK(number_of(said, "exp") == r.op.now() + 900);
    CHECK(text_of(said, "jti") == text_of(jwt_claims(r.access_token()), "jti"));
}

TEST_CASE(
    "introspection: the address of the user, to the API that may know it and to no other, with the scope alone [RFC 7662 "
    "§2.2jk]") {
    const SignedIn r;  // with openid and email
    const auto emails = [&](const std::string& token) {
        std::string told;
        for (const std::string api : {kMachine, kOther, kWeb})
            told += text_of(introspect(r.op, about(token), api).json(), "email") + " ";
        return told;
    };
    CHECK(emails(r.access_token()) == "   ");
    r.op.must({"client", "set", kMachine, "--introspection-claim", "email"});
    CHECK(emails(r.access_token()) == "alice@op.example   ");
    CHECK(emails(r.refresh_token()) == "   ");
    const Answer narrowed =
        redeem(r.op, Query{{"grant_type", "refresh_token"}, {"refresh_token", r.refresh_token()}, {"scope", "openid"}});
    CHECK(emails(narrowed.member("access_token")) == "   ");
    r.op.must({"user", "set", kAlice, "--claim", "email=new@op.example"});
    CHECK(emails(r.access_token()) == "new@op.example   ");
    r.op.must({"client", "set", kMachine, "--no-introspection-claim"});
    CHECK(emails(r.access_token()) == "   ");
}

TEST_CASE(
    "introspection: audience, narrowed scope and an empty scope are reported as they are [IF50, RFC 7662 §2.2ci, §4g, RFC 6749 §6g]") {
    const SignedIn r;
    const Query narrowed{{"grant_type", "refresh_token"},
                         {"refresh_token", r.refresh_token()},
                         {"scope", "openid"},
                         {"audience", "https://api.example"}};
    const Answer second = redeem(r.op, narrowed);
    REQUIRE(second.verdict() == "200");
    const json::Object access = introspect(r.op, about(second.member("access_token"))).json();
    CHECK(text_of(access, "scope") == "openid");
    CHECK(text_of(access, "aud") == "https://api.example");
    const json::Object refresh_token = introspect(r.op, about(second.member("refresh_token"))).json();
    CHECK(text_of(refresh_token, "scope") == "openid email");
    CHECK(refresh_token.find("aud") == nullptr);

    r.op.must({"client", "add", "bare", "--grant", "client_credentials", "--scope", "", "--secret-stdin"},
              secret_of("bare") + "\n");
    const Answer bare = redeem(r.op, Query{{"grant_type", "client_credentials"}}, "bare");
    const json::Object machine = introspect(r.op, about(bare.member("access_token"))).json();
    CHECK(names_of(machine) ==
          std::set<std::string>{"active", "client_id", "token_type", "exp", "iat", "sub", "iss", "jti"});
    CHECK(text_of(machine, "sub") == "bare");
}

TEST_CASE(
    "introspection: a refresh token is distinguished from an access token, signed or opaque [IF16, IF46, IF132, rule 8, I11, RFC 7662 §2.2eh]") {
    for (const bool opaque : {false, true}) {
        CAPTURE(opaque);
        const SignedIn r({.config = {{"useOpaqueRefreshTokens", opaque}}});
        const json::Object said = introspect(r.op, about(r.refresh_token())).json();
        std::set<std::string> expected{"active", "scope", "client_id", "token_type", "exp", "iat", "sub", "iss"};
        if (!opaque) expected.insert("jti");
        CHECK(names_of(said) == expected);
        CHECK(text_of(said, "token_type") == "refresh_token");
        CHECK(text_of(said, "client_id") == kWeb);
        CHECK(text_of(said, "scope") == "openid email");
        CHECK(text_of(said, "sub") == subject_of(r.op, kAlice));
        CHECK(text_of(said, "iss") == r.op.issuer());
        CHECK(number_of(said, "iat") == r.op.now());
        CHECK(number_of(said, "exp") == r.op.now() + 2592000);
    }
}

TEST_CASE(
    "introspection: any confidential client may ask about any token, with any grants [IF127, rule 4, C13, I09, RFC 7662 §2.2k]") {
    const SignedIn r;
    r.op.must({"client", "add", "web2", "--grant", "authorization_code", "--redirect-uri", "https://web2.example/cb",
               "--secret-stdin"},
              secret_of("web2") + "\n");
    for (const std::string& token : {r.access_token(), r.refresh_token()}) {
        const Answer own = introspect(r.op, about(token));
        for (const std::string client : {kOther, kMachine, kTrusted, "web2"}) {
            CAPTURE(client);
            const Answer other = introspect(r.op, about(token), client);
            CHECK(other.body == own.body);
            CHECK_FALSE(has(other.body, "alice@"));
        }
    }
}

TEST_CASE(
    "introspection: credentials come by header or body, and only there [IF14, IF121, IF123, IF124, IF125, IF161, IF169, rule 1, RFC "
    "7662 §2.1fg, §2.3ab, §4ab, I07, I08, C07, C08, RFC 6749 §2.3.1d]") {
    SignedIn r;
    const Query form = about(r.access_token());
    const std::string secret = secret_of(kWeb);
    struct Row {
        std::string clause;
        std::string when;
        std::string authorization;
        Query form;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"§2.1", "header", basic(kWeb, secret), form, "200"},
        {"§2.1", "header and the same id", basic(kWeb, secret), form.with("client_id", kWeb), "200"},
        {"§2.1", "body", "", form.with("client_id", kWeb).with("client_secret", secret), "200"},
        {"I08", "nothing", "", form, "401 invalid_client"},
        {"C08", "no secret", "", form.with("client_id", kWeb), "401 invalid_client"},
        {"C05", "wrong secret", "", form.with("client_id", kWeb).with("client_secret", "x"), "401 invalid_client"},
        {"§2.1", "the token as its own proof", "Bearer " + r.access_token(), form, "401 invalid_client"},
        {"I07", "public client", "", form.with("client_id", kSpa), "401 invalid_client"},
        {"I07", "public client, header", basic(kSpa, ""), form, "401 invalid_client"},
        {"I07", "native client", "", form.with("client_id", kNative), "401 invalid_client"},
        {"C09", "public client with a secret", "", form.with("client_id", kSpa).with("client_secret", "x"),
         "401 invalid_client"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        CgiRequest request = post_form(row.form.text());
        if (!row.authorization.empty()) request.headers = {{"Authorization", row.authorization}};
        const Answer answer = r.op.cgi("introspect", request);
        CHECK(answer.verdict() == row.expected);
        CHECK(answer.header("Cache-Control") == "no-store");
        CHECK(answer.header("WWW-Authenticate").starts_with("Basic realm=\"") ==
              (answer.status == 401 && !row.authorization.empty()));
        if (answer.status != 200) CHECK_FALSE(has(answer.body, "active"));
    }
    CgiRequest in_query = post_form(form.text());
    in_query.query = Query{{"client_id", kWeb}, {"client_secret", secret}}.text();
    CHECK(r.op.cgi("introspect", in_query).verdict() == "401 invalid_client");
    r.op.configure("introspectionRequiresConfidentialClient", false);
    CHECK(introspect(r.op, form, kSpa).body.starts_with(R"({"active":true,)"));
    CHECK(r.op.cgi("introspect", post_form(form.text())).verdict() == "401 invalid_client");
}

TEST_CASE(
    "introspection: an unauthenticated caller learns nothing about the rest of the request [IF123, C12, RFC 7662 §2.1h]") {
    const SignedIn r;
    for (const Query& form :
         {Query(), about(r.access_token()).with("token_type_hint", "x"), about("x").and_also("token", "y"),
          Query{{"token_type_hint", "x"}}, about(r.access_token()), about("unknown")}) {
        CAPTURE(form.text());
        CgiRequest request = post_form(form.text());
        CHECK(r.op.cgi("introspect", request).verdict() == "401 invalid_client");
        request.headers = {{"Authorization", basic(kWeb, "wrong")}};
        CHECK(r.op.cgi("introspect", request).verdict() == "401 invalid_client");
    }
}

TEST_CASE(
    "introspection: the hint is advice; an unknown one is refused, auth_code finds nothing [IF118, IF119, IF120, "
    "IF168, IF170, I04, I05, I06, RFC 7662 §2.1cd]") {
    SignedIn r;
    const std::string code = r.alice.obtain_code(authorization_request());
    for (const std::string& token : {r.access_token(), r.refresh_token()}) {
        const std::string without = introspect(r.op, about(token)).body;
        CHECK(without.starts_with(R"({"active":true,)"));
        for (const std::string hint : {"access_token", "refresh_token", ""})
            CHECK(introspect(r.op, about(token).with("token_type_hint", hint)).body == without);
        check_inactive(introspect(r.op, about(token).with("token_type_hint", "auth_code")));
        for (const std::string hint :
             {"id_token", "ACCESS_TOKEN", "access_token ", " access_token", "authorization_code", "pat", "x", "%"}) {
            CAPTURE(hint);
            CgiRequest anonymous = post_form(about(token).with("token_type_hint", hint).text());
            CHECK(r.op.cgi("introspect", anonymous).verdict() == "401 invalid_client");
            const Answer refused = introspect(r.op, about(token).with("token_type_hint", hint));
            CHECK(refused.verdict() == "400 unsupported_token_type");
            CHECK_FALSE(refused.member("error_description").empty());
        }
        const std::string nul("access_token\0", 13);
        CHECK(introspect(r.op, about(token).with("token_type_hint", nul)).verdict() == "400 invalid_request");
    }
    for (const std::string hint : {"", "access_token", "refresh_token", "auth_code"})
        check_inactive(introspect(r.op, about(code).with("token_type_hint", hint)));
    check_inactive(introspect(r.op, about("x").with("token_type_hint", "auth_code")));
    CHECK(redeem(r.op, token_request(code)).verdict() == "200");  // asking has not spent it
}

TEST_CASE(
    "introspection: the request is a form with one token, sent by POST [IF76, IF116, IF117, RFC 7662 §2.1abe, §4i, "
    "I12, X11]") {
    const SignedIn r;
    const Query form = about(r.access_token());
    std::vector<TokenForm> rows = refused_token_forms(r.access_token());
    rows.insert(rows.end(),
                {{"as it should be", form.text(), "", kFormType, "200"},
                 {"with a charset", form.text(), "", std::string(kFormType) + "; charset=UTF-8", "200"},
                 {"parameters nobody knows", form.and_also("x", "1").and_also("x", "2").text(), "", kFormType, "200"},
                 {"another one in the address", form.text(), "token=x&token_type_hint=x", kFormType, "200"}});
    for (const TokenForm& row : rows) {
        CAPTURE(row.when);
        const Answer answer = send(r.op, "introspect", row);
        CHECK(answer.verdict() == row.expected);
        if (answer.status == 200) CHECK(answer.body.starts_with(R"({"active":true,)"));
    }
    // A token in the address is not read, next to one in the body either.
    const std::string in_address = form.text();
    check_inactive(send(r.op, "introspect", {"unknown in the body", "token=unknown", in_address}));
    for (const std::string method : {"GET", "HEAD", "PUT", "DELETE"}) {
        CAPTURE(method);
        CgiRequest request = with_basic("");
        request.method = method;
        request.query = form.text();
        const Answer answer = r.op.cgi("introspect", request);
        CHECK(answer.status == 405);
        CHECK(answer.header("Allow") == "POST");
    }
}

TEST_CASE(
    "introspection: a forged or malformed token is unknown, without an error [IF42, IF128, IF168, rule 5, RFC 7662 "
    "§2.2alm, §2.3c, §4fh, I01, I03]") {
    SignedIn r;
    check_inactive(introspect(r.op, about(r.alice.obtain_code(authorization_request()))));
    CHECK(introspect(r.op, about(std::string(100000, 'x'))).status == 413);
    for (const std::string& token : {r.access_token(), r.refresh_token()}) {
        for (const Forgery& forgery : forgeries_of(token)) {
            CAPTURE(forgery.first);
            check_inactive(introspect(r.op, about(forgery.second)));
        }
        CHECK(is_active(r.op, token));
    }
    CHECK(introspect(r.op, Query().raw("token=%zz")).body == kInactive);
}

TEST_CASE("introspection: an ID token, and what another server signed, are unknown [J11, J13, J14, RFC 7662 §2.2l]") {
    SignedIn r;
    check_inactive(introspect(r.op, about(text_of(r.tokens, "id_token"))));
    Deployment::Options options;
    options.config = {{"accessTokenAlgorithm", "ES256"}};  // keys of its own
    const SignedIn elsewhere(options);
    check_inactive(introspect(r.op, about(elsewhere.access_token())));
    check_inactive(introspect(r.op, about(elsewhere.refresh_token())));
    r.op.configure("issuer", "https://renamed.example");
    check_inactive(introspect(r.op, about(r.access_token())));
    check_inactive(introspect(r.op, about(r.refresh_token())));
}

TEST_CASE("introspection: limits.token is the longest value that is looked at [J17]") {
    Deployment op;
    const Query long_audience{{"grant_type", "client_credentials"},
                              {"audience", "https://api.example/" + std::string(900, 'a')}};
    const std::string token = redeem(op, long_audience, kMachine).member("access_token");
    REQUIRE(token.size() > 1024);
    const auto size = static_cast<std::int64_t>(token.size());
    op.configure("limits", json::Object{{"token", size}});
    CHECK(is_active(op, token));
    op.configure("limits", json::Object{{"token", size - 1}});
    check_inactive(introspect(op, about(token)));
    CHECK(introspect(op, about(std::string(1 << 20, 'A'))).status == 413);
}

TEST_CASE("introspection: a token is over the second it expires [IF60, IF130, RFC 7662 §4c, I10]") {
    for (const auto& row : std::vector<std::pair<int, bool>>{{899, true}, {900, false}, {901, false}}) {
        CAPTURE(row.first);
        SignedIn r;
        r.op.advance(seconds(row.first));
        CHECK(is_active(r.op, r.access_token()) == row.second);
        CHECK(is_active(r.op, r.refresh_token()));
    }
    for (const bool opaque : {false, true}) {
        SignedIn r({.config = {{"refreshTokenTTL", 5}, {"useOpaqueRefreshTokens", opaque}}});
        r.op.advance(seconds(4));
        CHECK(is_active(r.op, r.refresh_token()));
        r.op.advance(seconds(1));
        check_inactive(introspect(r.op, about(r.refresh_token())));
    }
}

TEST_CASE("introspection: a refresh token that has been used is over, its access token is not [I10, RFC 7662 §4e]") {
    const SignedIn r;
    const Answer second = refresh(r.op, r.refresh_token());
    check_inactive(introspect(r.op, about(r.refresh_token())));
    CHECK(is_active(r.op, r.access_token()));
    CHECK(is_active(r.op, second.member("access_token")));
    CHECK(is_active(r.op, second.member("refresh_token")));
    // Spent and shown again: over, all of them.
    REQUIRE(refresh(r.op, second.member("refresh_token")).verdict() == "200");
    REQUIRE(refresh(r.op, r.refresh_token()).verdict() == "400 invalid_grant");
    for (const std::string& token : {r.access_token(), second.member("access_token"), second.member("refresh_token")})
        check_inactive(introspect(r.op, about(token)));
}

TEST_CASE("introspection: no page of another site may read it [H09, RFC 7662 §5a]") {
    const SignedIn r;
    for (const std::string origin : {"https://app.example", "https://spa.example", "null", "https://op.example"}) {
        CAPTURE(origin);
        CgiRequest request = with_basic(about(r.access_token()).text());
        request.headers.emplace_back("Origin", origin);
        const Answer answer = r.op.cgi("introspect", request);
        CHECK(answer.status == 200);
        CHECK_FALSE(answer.has("Access-Control-Allow-Origin"));
        request.method = "OPTIONS";
        request.headers.emplace_back("Access-Control-Request-Method", "POST");
        const Answer preflight = r.op.cgi("introspect", request);
        CHECK(preflight.status == 405);
        CHECK_FALSE(preflight.has("Access-Control-Allow-Origin"));
    }
}

TEST_CASE("introspection: is where the configuration puts it, or nowhere [IF7, IF76, paths]") {
    SignedIn r;
    CHECK(r.op.path_of("introspect") == "/token/introspect");
    r.op.configure("paths", json::Object{{"introspect", "/v1/introspect"}});
    CHECK(is_active(r.op, r.access_token()));
    CgiRequest old_path = with_basic(about(r.access_token()).text());
    old_path.path = "/token/introspect";
    CHECK(r.op.cgi("introspect", old_path).status == 404);
    r.op.configure("paths", json::Object{{"introspect", nullptr}});
    CHECK(r.op.cgi("introspect", old_path).status == 404);

    const SignedIn below(Deployment::Options{"https://op.example/auth", {}});
    CHECK(below.op.base_path() + below.op.path_of("introspect") == "/auth/token/introspect");
    CHECK(is_active(below.op, below.access_token()));
}

}  // namespace
