// The revocation endpoint (RFC 7009 and the interface specification's section on it), a row per rule.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "forgeries.h"
#include "has.h"
#include "store/sweep.h"
#include "support/flow.h"
#include "token_forms.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;
namespace db = postern::db;
namespace store = postern::store;

Query of(const std::string& token) { return Query{{"token", token}}; }
Query code_hint(const std::string& code) { return of(code).with("token_type_hint", "auth_code"); }

Answer revoke(const Deployment& op, const Query& form, const std::string& client = kWeb) {
    return as_client(op, "revoke", form, client);
}

Answer refresh(const Deployment& op, const std::string& token, const std::string& client = kWeb) {
    return redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", token}}, client);
}

/// 200 and nothing else.
void check_quiet(const Answer& answer) {
    CHECK(answer.status == 200);
    CHECK(answer.body.empty());
    CHECK(answer.header("Content-Length") == "0");
    CHECK_FALSE(answer.has("Content-Type"));
    CHECK(answer.header("Cache-Control") == "no-store");
}

/// The answer without what is new in every answer.
std::string shape_of(const Answer& answer) {
    std::string text = answer.raw;
    const std::string id = answer.header("X-Request-Id");
    REQUIRE_FALSE(id.empty());
    text.replace(text.find(id), id.size(), "ID");
    return text;
}

/// A letter for each that introspection calls active: access, refresh.
std::string alive(const SignedIn& r) {
    return std::string(is_active(r.op, r.access_token()) ? "a" : "") + (is_active(r.op, r.refresh_token()) ? "r" : "");
}

TEST_CASE(
    "revocation: afterwards introspection, UserInfo and the token endpoint agree [IF4, IF16, IF58, IF59, IF137, IF142, "
    "IF146, IF147, RFC 7009 §2a, §2.1cdj, §2.2a, §3, §4.1.2, V05, RFC 7662 §4e, OIDC Core §16.18c]") {
    struct Row {
        const char* when;
        bool access;  ///< which of the two is revoked
        const char* hint;
        const char* alive;
    };
    const std::vector<Row> rows = {
        {"access token", true, "", ""},
        {"access token, hinted", true, "access_token", ""},
        {"access token, hinted wrongly", true, "refresh_token", ""},
        {"refresh token", false, "", ""},
        {"refresh token, hinted", false, "refresh_token", ""},
        {"refresh token, hinted wrongly", false, "access_token", ""},
        {"access token as a code", true, "auth_code", "ar"},
        {"refresh token as a code", false, "auth_code", "ar"},
    };
    for (const bool opaque : {false, true}) {
        for (const Row& row : rows) {
            CAPTURE(opaque);
            CAPTURE(row.when);
            const SignedIn r({.config = {{"useOpaqueRefreshTokens", opaque}}});
            REQUIRE(alive(r) == "ar");
            check_quiet(
                revoke(r.op, of(row.access ? r.access_token() : r.refresh_token()).with("token_type_hint", row.hint)));
            CHECK(alive(r) == row.alive);
            const Answer info = userinfo(r.op, r.access_token());
            CHECK(info.status == (row.alive[0] == 'a' ? 200 : 401));
            if (info.status == 401) CHECK(info.member("error") == "invalid_token");
            CHECK(refresh(r.op, r.refresh_token()).verdict() == (row.alive[0] == 'a' ? "200" : "400 invalid_grant"));
        }
    }
}

TEST_CASE(
    "revocation: an access token leaves its siblings, a refresh token takes the whole line [RFC 7009 §2.1kl, §2.2b, V04]") {
    SignedIn r;
    const auto bystander = obtain_tokens(r.op, r.alice, authorization_request());
    const Answer second = refresh(r.op, r.refresh_token());
    REQUIRE(second.verdict() == "200");
    check_quiet(revoke(r.op, of(r.access_token())));
    CHECK(userinfo(r.op, r.access_token()).status == 401);
    CHECK(userinfo(r.op, second.member("access_token")).status == 200);
    CHECK_FALSE(is_active(r.op, second.member("refresh_token")));
    CHECK(refresh(r.op, second.member("refresh_token")).verdict() == "400 invalid_grant");

    // The refresh token that has been used already: all that a client may have after a lost answer.
    check_quiet(revoke(r.op, of(r.refresh_token())));
    CHECK(userinfo(r.op, second.member("access_token")).status == 401);
    CHECK(is_active(r.op, text_of(bystander, "access_token")));
    CHECK(is_active(r.op, text_of(bystander, "refresh_token")));
    // And again, which changes nothing (RFC 7009 §2.2).
    for (const std::string& token : {r.access_token(), r.refresh_token(), second.member("refresh_token")})
        check_quiet(revoke(r.op, of(token)));
}

TEST_CASE(
    "revocation: the answer does not disclose what the token was [IF62, IF64, IF142, IF165, RFC 7009 §2.1gh, §2.2bc, §5b, V01]") {
    SignedIn r;
    const auto others = obtain_tokens(r.op, r.alice, authorization_request(kOther), kOther);
    const std::string code = r.alice.obtain_code(authorization_request());
    const std::string foreign_code = r.alice.obtain_code(authorization_request(kOther));
    const std::vector<std::pair<std::string, Query>> rows = {
        {"foreign access token", of(text_of(others, "access_token"))},
        {"foreign refresh token", of(text_of(others, "refresh_token"))},
        {"foreign access token under another hint",
         of(text_of(others, "access_token")).with("token_type_hint", "refresh_token")},
        {"foreign code without the hint", of(foreign_code)},
        {"foreign code", code_hint(foreign_code)},
        {"ID token", of(text_of(r.tokens, "id_token"))},
        {"own code without the hint", of(code)},
        {"forged", of(r.access_token() + "A")},
        {"malformed", of("..")},
        {"own code", code_hint(code)},
        {"own code again", code_hint(code)},
        {"own access token", of(r.access_token())},
        {"own refresh token", of(r.refresh_token())},
        {"own refresh token again", of(r.refresh_token())},
    };
    const std::string unknown = shape_of(revoke(r.op, of("unknown")));
    for (const auto& row : rows) {
        CAPTURE(row.first);
        const Answer answer = revoke(r.op, row.second);
        check_quiet(answer);
        CHECK(shape_of(answer) == unknown);
    }
    for (const std::string client : {kMachine, kSpa})  // without the grant for refresh tokens, and public
        for (const std::string name : {"access_token", "refresh_token"})
            check_quiet(revoke(r.op, of(text_of(others, name)), client));
    CHECK(is_active(r.op, text_of(others, "access_token")));
    CHECK(is_active(r.op, text_of(others, "refresh_token")));
    CHECK(redeem(r.op, token_request(foreign_code, kOther), kOther).verdict() == "200");
}

TEST_CASE(
    "revocation: a forged token changes nothing, for any client [IF62, IF144, IF165, rule 3, V02, V03, J01-J17, RFC 7009 §2.2b]") {
    for (const bool authenticated : {true, false}) {
        CAPTURE(authenticated);
        SignedIn r;
        r.op.configure("authenticateRevoke", authenticated);
        const std::vector<std::string> hints = {"", "access_token", "refresh_token", "auth_code"};
        std::size_t next = 0;
        for (const std::string& token : {r.access_token(), r.refresh_token()}) {
            for (const Forgery& forgery : forgeries_of(token)) {
                CAPTURE(forgery.first);
                const std::string& hint = hints[next++ % 4];
                CAPTURE(hint);
                check_quiet(revoke(r.op, of(forgery.second).with("token_type_hint", hint)));
            }
        }
        check_quiet(revoke(r.op, of(text_of(r.tokens, "id_token"))));
        check_quiet(revoke(r.op, Query().raw("token=%zz")));
        CHECK(alive(r) == "ar");
    }
}

TEST_CASE(
    "revocation: which clients may revoke, and how they authenticate [IF135, IF140, IF141, IF162, IF166, rule 1, RFC 7009 §2.1ef, §2.2.1b, C08, C13, V08, V12]") {
    const SignedIn r;
    const std::string secret = secret_of(kWeb);
    const Query form = of("unknown");
    struct Row {
        std::string clause;
        std::string when;
        std::string authorization;
        Query form;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"§2.1", "header", basic(kWeb, secret), form, "200"},
        {"§2.1", "body", "", form.with("client_id", kWeb).with("client_secret", secret), "200"},
        {"C13", "a client with another grant", basic(kMachine, secret_of(kMachine)), form, "200"},
        {"V12", "public client", "", form.with("client_id", kSpa), "200"},
        {"V08", "nothing", "", form, "401 invalid_client"},
        {"V08", "unknown client", "", form.with("client_id", "nobody"), "401 invalid_client"},
        {"V08", "wrong secret", basic(kWeb, "x"), form, "401 invalid_client"},
        {"C08", "confidential client without secret", "", form.with("client_id", kWeb), "401 invalid_client"},
        {"C09", "public client with a secret", "", form.with("client_id", kSpa).with("client_secret", "x"),
         "401 invalid_client"},
        {"C12", "nobody, without a token", "", Query(), "401 invalid_client"},
        {"C12", "nobody, unknown hint", "", form.with("token_type_hint", "x"), "401 invalid_client"},
        {"C12", "wrong secret, unknown hint", basic(kWeb, "x"), form.with("token_type_hint", "x"),
         "401 invalid_client"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        CgiRequest request = post_form(row.form.text());
        if (!row.authorization.empty()) request.headers = {{"Authorization", row.authorization}};
        const Answer answer = r.op.cgi("revoke", request);
        CHECK(answer.verdict() == row.expected);
        CHECK(answer.header("Cache-Control") == "no-store");
        CHECK(answer.header("WWW-Authenticate").starts_with("Basic realm=\"") ==
              (answer.status == 401 && !row.authorization.empty()));
        if (answer.status == 200) check_quiet(answer);
    }
}

TEST_CASE("revocation: a failed authentication revokes nothing [IF140, V08, RFC 7009 §2.1f, §5b]") {
    const SignedIn r;
    for (const std::string& token : {r.access_token(), r.refresh_token()}) {
        const auto refused = [&](const std::string& authorization, const Query& more) {
            CgiRequest request = post_form(of(token).text() + "&" + more.text());
            if (!authorization.empty()) request.headers = {{"Authorization", authorization}};
            CHECK(r.op.cgi("revoke", request).verdict() == "401 invalid_client");
            CHECK(alive(r) == "ar");
        };
        refused("", {});
        refused(basic(kWeb, "wrong"), {});
        refused(basic("nobody", "x"), {});
        refused("Bearer " + r.access_token(), {});  // the token is not its own credential
        refused("", {{"client_id", kWeb}});
        refused("", {{"client_id", kWeb}, {"client_secret", "x"}});
        refused("", {{"client_id", kSpa}, {"client_secret", "x"}});
        CHECK(revoke(r.op, of(token), kSpa).status == 200);  // authenticated, but not the token's client
    }
    CHECK(alive(r) == "ar");
}

TEST_CASE("revocation: a public client revokes its own by its id alone, really [IF141, IF142, V12, RFC 7009 §2.1gi]") {
    for (const std::string client : {kSpa, kNative}) {
        for (const bool access : {true, false}) {
            CAPTURE(client);
            CAPTURE(access);
            const SignedIn r({}, client);
            check_quiet(revoke(r.op, of(access ? r.access_token() : r.refresh_token()), kOther));
            check_quiet(
                revoke(r.op, of(access ? r.access_token() : r.refresh_token()), client == kSpa ? kNative : kSpa));
            CHECK(alive(r) == "ar");
            check_quiet(revoke(r.op, of(access ? r.access_token() : r.refresh_token()), client));
            CHECK(alive(r) == "");
            CHECK(refresh(r.op, r.refresh_token(), client).verdict() == "400 invalid_grant");
            check_quiet(revoke(r.op, of(access ? r.access_token() : r.refresh_token()), client));
        }
    }
}

TEST_CASE("revocation: a client on its own behalf gives back its token [RFC 6749 §4.4]") {
    const Deployment op;
    const std::string token = redeem(op, Query{{"grant_type", "client_credentials"}}, kMachine).member("access_token");
    check_quiet(revoke(op, of(token), kWeb));
    CHECK(is_active(op, token));
    check_quiet(revoke(op, of(token), kMachine));
    CHECK_FALSE(is_active(op, token));
}

TEST_CASE(
    "revocation: the request is a form with one token, sent by POST [IF77, IF134, IF136, IF139, IF167, RFC 7009 "
    "§2.1ab, §2.2d, §2.2.1ac, §2.3b, V11, X11]") {
    const SignedIn r;
    const Query form = of(r.access_token());
    const std::string unsupported = "400 unsupported_token_type";
    std::vector<TokenForm> rows = refused_token_forms(r.access_token());
    rows.insert(
        rows.end(),
        {{"unknown hint", form.with("token_type_hint", "id_token").text(), "", kFormType, unsupported},
         {"capitals", form.with("token_type_hint", "Access_Token").text(), "", kFormType, unsupported},
         {"unknown hint, unknown token", of("x").with("token_type_hint", "code").text(), "", kFormType, unsupported}});
    for (const TokenForm& row : rows) {
        CAPTURE(row.when);
        CHECK(send(r.op, "revoke", row).verdict() == row.expected);
    }
    // Credentials in the address authenticate no client.
    const Query address = form.with("client_id", kWeb).with("client_secret", secret_of(kWeb));
    CHECK(send(r.op, "revoke", {"token in the address", "", form.text()}).verdict() == "400 invalid_request");
    CgiRequest anonymous = post_form("");
    anonymous.query = address.text();
    CHECK(r.op.cgi("revoke", anonymous).verdict() == "401 invalid_client");
    for (const std::string method : {"GET", "HEAD", "PUT", "DELETE"}) {
        CAPTURE(method);
        CgiRequest request = with_basic("");
        request.method = method;
        request.query = address.and_also("callback", "package.myCallback").text();
        const Answer answer = r.op.cgi("revoke", request);
        CHECK(answer.status == 405);
        CHECK(has(answer.header("Allow"), "POST"));
        CHECK_FALSE(has(answer.header("Allow"), "GET"));
        CHECK_FALSE(has(answer.body, "myCallback"));
    }
    CHECK(alive(r) == "ar");
    CgiRequest beside = with_basic(form.and_also("x", "1").and_also("x", "2").text());
    beside.query = "token=x&token_type_hint=x";
    check_quiet(r.op.cgi("revoke", beside));
    CHECK(alive(r) == "");
}

TEST_CASE("revocation: a code by hint, and then it cannot be redeemed [IF63, IF64, IF138, V09, RFC 7009 §2.1d]") {
    const Deployment op;
    UserAgent alice(op);
    struct Row {
        const char* when;
        const char* hint;
        const char* client;
        const char* exchange;
    };
    const std::vector<Row> rows = {
        {"hinted", "auth_code", kWeb, "400 invalid_grant"},
        {"without hint", "", kWeb, "200"},
        {"hinted as an access token", "access_token", kWeb, "200"},
        {"hinted as a refresh token", "refresh_token", kWeb, "200"},
        {"another client", "auth_code", kOther, "200"},
        {"a public client", "auth_code", kSpa, "200"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const std::string code = alice.obtain_code(authorization_request());
        check_quiet(revoke(op, of(code).with("token_type_hint", row.hint), row.client));
        CHECK(redeem(op, token_request(code)).verdict() == row.exchange);
    }
    // Redeemed: unchanged, what it yielded lives on.
    const std::string code = alice.obtain_code(authorization_request());
    const Answer tokens = redeem(op, token_request(code));
    check_quiet(revoke(op, code_hint(code)));
    CHECK(is_active(op, tokens.member("access_token")));
    CHECK(is_active(op, tokens.member("refresh_token")));
}

TEST_CASE(
    "revocation: an expired access token still ends the refresh token, its row there or not [IF61, IF145, IF165, rule "
    "4, V04, RFC 7009 §2.1m]") {
    for (const bool swept : {false, true}) {
        CAPTURE(swept);
        SignedIn r;
        r.op.advance(seconds(900));
        if (swept) {
            db::Database database(r.op.database(), db::Access::read_write);
            db::Transaction transaction(database, db::Durability::full);
            // As when it gets another one.
            transaction.run("DELETE FROM access_tokens WHERE expires_at <= $1", std::int64_t{r.op.now()});
            transaction.commit();
        }
        REQUIRE(r.op.count_rows("access_tokens") == (swept ? 0 : 1));
        REQUIRE(alive(r) == "r");
        check_quiet(revoke(r.op, of(r.access_token()), kOther));
        check_quiet(revoke(r.op, of(r.access_token()), kSpa));
        REQUIRE(alive(r) == "r");
        check_quiet(revoke(r.op, of(r.access_token())));
        CHECK(alive(r) == "");
        CHECK(refresh(r.op, r.refresh_token()).verdict() == "400 invalid_grant");
    }
}

TEST_CASE("revocation: sizes are bounded as at the token endpoint, for every caller [RFC 7009 §5a]") {
    Deployment op;
    const std::string form = of("unknown").text();
    const auto of_size = [&](std::size_t size) { return form + "&x=" + std::string(size - form.size() - 3, 'x'); };
    const auto with_more = [&](int parameters) {
        std::string text = form;
        for (int i = 0; i < parameters; ++i) text += "&a=1";
        return text;
    };
    struct Row {
        std::string when;
        std::string body;
        int status;
    };
    const std::vector<Row> rows = {
        {"as large as may be", of_size(65536), 200},
        {"a byte more", of_size(65537), 413},
        {"as many as may be", with_more(63), 200},
        {"one parameter more", with_more(64), 400},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(op.cgi("revoke", with_basic(row.body)).status == row.status);
        CHECK(op.cgi("revoke", post_form(row.body)).status == (row.status == 200 ? 401 : row.status));
    }
    // limits.token is the longest value that is looked at.
    const Query long_audience{{"grant_type", "client_credentials"},
                              {"audience", "https://api.example/" + std::string(900, 'a')}};
    const std::string token = redeem(op, long_audience, kMachine).member("access_token");
    REQUIRE(token.size() > 1024);
    const auto size = static_cast<std::int64_t>(token.size());
    op.configure("limits", json::Object{{"token", size - 1}});
    check_quiet(revoke(op, of(token), kMachine));
    op.configure("limits", json::Object{{"token", size}});
    CHECK(is_active(op, token));
    check_quiet(revoke(op, of(token), kMachine));
    CHECK_FALSE(is_active(op, token));
}

TEST_CASE("revocation: is where the configuration puts it, or nowhere [IF7, IF77, paths]") {
    SignedIn r;
    CHECK(r.op.path_of("revoke") == "/token/revoke");
    r.op.configure("paths", json::Object{{"revoke", "/oauth/revoke"}});
    CgiRequest old_path = with_basic(of(r.refresh_token()).text());
    old_path.path = "/token/revoke";
    CHECK(r.op.cgi("revoke", old_path).status == 404);
    CHECK(alive(r) == "ar");
    check_quiet(revoke(r.op, of(r.refresh_token())));
    CHECK(alive(r) == "");
    r.op.configure("paths", json::Object{{"revoke", nullptr}});
    CHECK(r.op.cgi("revoke", old_path).status == 404);
}

TEST_CASE("revocation: the operator can see what was done, and no token") {
    const SignedIn r;
    const Answer foreign = revoke(r.op, of(r.refresh_token()), kOther);
    CHECK(has(foreign.log, "belongs to another client"));
    const Answer done = revoke(r.op, of(r.refresh_token()));
    CHECK(has(done.log, "its grant has ended"));
    CHECK(has(done.log, done.header("X-Request-Id")));
    for (const Answer& answer : {foreign, done}) {
        CHECK_FALSE(has(answer.log, r.refresh_token()));
        CHECK_FALSE(has(answer.log, r.refresh_token().substr(r.refresh_token().rfind('.'))));
        CHECK_FALSE(has(answer.raw, "grant"));
    }
}

}  // namespace
