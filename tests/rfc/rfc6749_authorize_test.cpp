// The authorization endpoint of RFC 6749 (§3.1, §3.3, §4.1.1, §4.1.2) and of the interface specification, a row per
// rule.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "has.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/listener.h"
#include "util/base64.h"
#include "util/text.h"

namespace {

using namespace postern::test;

struct Row {
    std::string clause;
    std::string when;
    Query request;
    std::string expected;
    std::string state = kState;  ///< what an error must bring back
};

/// The names of the parameters, as often as they are there; a fragment belongs to the last value.
std::multiset<std::string> names_in_query(std::string_view url) {
    CHECK(url.find('#') == std::string_view::npos);
    std::multiset<std::string> names;
    for (const auto pair : postern::util::split(url.substr(url.find('?') + 1), '&'))
        names.emplace(pair.substr(0, pair.find('=')));
    return names;
}

void check_rows(const Deployment& op, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        const Answer answer = op.cgi("authorize", get_request(row.request.text()));
        CHECK(verdict_of(op, answer, kWeb, row.state) == row.expected);
        CHECK(answer.header("Cache-Control") == "no-store");
    }
}

std::string many_scopes() {
    std::string scope = "openid";
    for (int i = 0; i < 500; ++i) scope += " s" + std::to_string(i);
    return scope;
}

std::string repeated(const std::string& word, int times) {
    std::string scope = word;
    for (int i = 1; i < times; ++i) scope += " " + word;
    return scope;
}

Query good() { return authorization_request(); }

TEST_CASE(
    "authorize: response_type is code, alone and exactly [IF89, RFC 6749 §3.1.1ab, §4.1.1a, §4.1.2.1e, OIDC Core "
    "§3.1.2.1d, A02, A06]") {
    const Deployment op;
    check_rows(
        op,
        {
            {"§4.1.1", "everything is right", good(), "login"},
            {"§4.1.1", "missing", good().without("response_type"), "invalid_request"},
            {"§3.1", "empty counts as missing", good().with("response_type", ""), "invalid_request"},
            {"§4.1.2.1", "unknown", good().with("response_type", "zz"), "unsupported_response_type"},
            {"§4.1.2.1", "another case", good().with("response_type", "CODE"), "unsupported_response_type"},
            {"§4.1.2.1", "a capital", good().with("response_type", "Code"), "unsupported_response_type"},
            {"§4.1.2.1", "a blank behind it", good().with("response_type", "code "), "unsupported_response_type"},
            {"§4.1.2.1", "two blanks behind it", good().with("response_type", "code  "), "unsupported_response_type"},
            {"§4.1.2.1", "a blank before it", good().with("response_type", " code"), "unsupported_response_type"},
            {"§4.1.2.1", "a comma", good().with("response_type", "code,token"), "unsupported_response_type"},
            {"§4.1.2.1", "a plus", good().with("response_type", "code+token"), "unsupported_response_type"},
            {"§4.1.2.1", "one word", good().with("response_type", "codetoken"), "unsupported_response_type"},
            {"§4.2.1", "implicit is off", good().with("response_type", "token"), "unsupported_response_type"},
            {"§4.2.1", "token and code", good().with("response_type", "token code"), "unsupported_response_type"},
            {"OIDC Core §3.3", "code and token", good().with("response_type", "code token"),
             "unsupported_response_type"},
            {"OIDC Core §3.2", "id_token", good().with("response_type", "id_token"), "unsupported_response_type"},
            {"OIDC Core §3.3", "code and id_token", good().with("response_type", "code id_token"),
             "unsupported_response_type"},
            {"OAuth 2.0 Multiple Response Types §4", "none", good().with("response_type", "none"),
             "unsupported_response_type"},
        });
    const Query native = authorization_request(kNative).with("response_type", "zz");
    CHECK(verdict_of(op, op.cgi("authorize", get_request(native.text())), kNative) == "unsupported_response_type");
    // A user who has logged in and approved changes nothing about it.
    UserAgent alice(op);
    alice.sign_in(good());
    for (const std::string type : {"token", "code token", "code  ", "CODE", "id_token", "none", "code+token"}) {
        CAPTURE(type);
        CHECK(alice.authorize(good().with("response_type", type)).verdict() == "unsupported_response_type");
    }
}

TEST_CASE(
    "authorize: a known parameter is given once, unknown and empty ones are ignored [IF87, RFC 6749 §3.1fgh, "
    "§4.1.2.1bj, OIDC Core §3.1.2.2a, A02, X10]") {
    const Deployment op;
    std::vector<Row> rows = {
        {"§3.1", "unknown parameter", good().with("foo", "bar"), "login"},
        {"§3.1", "unknown parameter twice", good().with("foo", "bar").and_also("foo", "baz"), "login"},
        {"§3.1", "empty nonce", good().with("nonce", ""), "login"},
        {"§3.1", "empty state comes back as none", good().with("state", "").with("response_type", "zz"),
         "unsupported_response_type", ""},
        {"§3.1", "nothing but separators between", good().raw("&&=x&=&"), "login"},
        {"the interface specification", "client_secret is ignored", good().with("client_secret", secret_of(kWeb)),
         "login"},
        {"§3.1", "state twice, equal", good().and_also("state", kState), "invalid_request", ""},
        {"§3.1", "state twice, different", good().and_also("state", "other"), "invalid_request", ""},
        {"§3.1", "an empty second state", good().and_also("state", ""), "invalid_request", ""},
    };
    for (const std::string name : {"response_type", "scope", "nonce", "code_challenge", "code_challenge_method"})
        rows.push_back({"§3.1", name, good().raw(std::string(name) + "=code"), "invalid_request"});
    for (const std::string name : {"prompt", "max_age", "response_mode", "aud", "audience"})
        rows.push_back({"§3.1", name, good().raw(std::string(name) + "=1&" + name + "=1"), "invalid_request"});
    check_rows(op, rows);
}

TEST_CASE("authorize: values are decoded once and strictly [RFC 6749 §4.1.2.1b, §A.5, §B, A03]") {
    const Deployment op;
    const Query no_state = good().without("state");
    check_rows(
        op,
        {
            {"appendix B", "scope with a lone %", good().without("scope").raw("scope=openid%"), "invalid_request"},
            {"appendix B", "scope with %zz", good().without("scope").raw("scope=%zz"), "invalid_request"},
            {"appendix B", "scope with %u0041", good().without("scope").raw("scope=%u0041"), "invalid_request"},
            {"appendix B", "scope not UTF-8", good().without("scope").raw("scope=%ff"), "invalid_request"},
            {"appendix B", "scope overlong UTF-8", good().without("scope").raw("scope=%c0%af"), "invalid_request"},
            {"appendix B", "scope with a surrogate", good().without("scope").raw("scope=%ed%a0%80"), "invalid_request"},
            {"appendix B", "+ is a blank", good().without("scope").raw("scope=openid+email"), "login"},
            {"appendix B", "%2B is a plus", good().without("scope").raw("scope=openid%2Bemail"), "invalid_scope"},
            {"appendix B", "not decoded twice", good().without("scope").raw("scope=openid%2520email"), "invalid_scope"},
            {"appendix A.5", "NUL in state", no_state.raw("state=a%00b"), "invalid_request", ""},
            {"appendix A.5", "CR LF in state", no_state.raw("state=a%0d%0aSet-Cookie:%20x=1"), "invalid_request", ""},
            {"appendix A.5", "state not UTF-8", no_state.raw("state=%ff"), "invalid_request", ""},
            {"appendix B", "state cut in a sign", no_state.raw("state=%4"), "invalid_request", ""},
            {"appendix B", "state of a lone %", no_state.raw("state=%"), "invalid_request", ""},
            {"appendix B", "state malformed", no_state.raw("state=%zz"), "invalid_request", ""},
            {"appendix B", "nonce malformed", good().without("nonce").raw("nonce=%"), "invalid_request"},
            {"appendix A.5", "line end in nonce", good().without("nonce").raw("nonce=a%0ab"), "invalid_request"},
            {"appendix B", "nonce not UTF-8", good().without("nonce").raw("nonce=%ff"), "invalid_request"},
            {"appendix A.4", "NUL in scope", good().without("scope").raw("scope=openid%00"), "invalid_request"},
        });
}

TEST_CASE(
    "authorize: scope obeys its grammar and the registration [IF94, RFC 6749 §3.3abc, §4.1.1b, §4.1.2.1f, §A.4, "
    "OIDC Core §3.1.2.1c, A09]") {
    const Deployment op;
    std::vector<Row> rows = {
        {"§3.3", "omitted", good().without("scope"), "login"},
        {"§3.3", "registered words", good().with("scope", "openid api"), "login"},
        {"§3.3", "any order", good().with("scope", "api openid"), "login"},
        {"OIDC Core §11", "offline_access needs no registration", good().with("scope", "openid offline_access"),
         "login"},
        {"§3.3", "not registered, and no OpenID request", good().with("scope", "email admin"), "invalid_scope"},
        {"§3.3", "case matters", good().with("scope", "OPENID"), "invalid_scope"},
        {"§3.3", "a word that begins with a registered one", good().with("scope", "openidx"), "invalid_scope"},
        {"appendix A.4", "quote", good().with("scope", "openid\""), "invalid_scope"},
        {"appendix A.4", "backslash", good().with("scope", "openid\\"), "invalid_scope"},
        {"appendix A.4", "two blanks", good().with("scope", "openid  email"), "login"},
        {"appendix A.4", "leading blank", good().with("scope", " openid"), "login"},
        {"appendix A.4", "trailing blank", good().with("scope", "openid "), "login"},
        {"appendix A.4", "only a blank, which is no scope", good().with("scope", " "), "login"},
        {"appendix A.4", "not ASCII", good().with("scope", "op\xc3\xa9nid"), "invalid_scope"},
        {"§3.3", "a comma between", good().with("scope", "openid,email"), "invalid_scope"},
        {"§3.3", "500 times the same word", good().with("scope", repeated("openid", 500)), "invalid_scope"},
        {"appendix A.4", "tab", good().with("scope", "openid\temail"), "invalid_request"},
        {"appendix A.4", "line end", good().with("scope", "openid\nemail"), "invalid_request"},
        {"§3.3", "500 unregistered words", good().with("scope", many_scopes().substr(0, 1500)), "invalid_scope"},
    };
    check_rows(op, rows);
}

TEST_CASE(
    "authorize: words that the issuer does not know are ignored beside openid, and the token answer has the others [OIDC "
    "Core §3.1.2.1c, RFC 6749 §3.3cd, RFC 8414 §2]") {
    Deployment op;
    op.configure("scopeDescriptions", postern::json::Object{{"orders", "See your orders"}});
    UserAgent alice(op);
    struct ScopeRow {
        const char* requested;
        const char* granted;  // or the error
    };
    const ScopeRow rows[] = {
        {"openid teams", "openid"},
        {"teams openid roles email", "openid email"},
        {"openid EMAIL", "openid"},
        {"openid teams offline_access", "openid offline_access"},
        {"openid phone", "invalid_scope"},   // of the issuer, not of this client
        {"openid orders", "invalid_scope"},  // likewise
        {"openid teams phone", "invalid_scope"},
        {"email teams", "invalid_scope"},
        {"teams", "invalid_scope"},
    };
    for (const auto& [requested, granted] : rows) {
        CAPTURE(requested);
        const Query request = authorization_request(kOther).with("scope", requested);
        const Answer first = op.cgi("authorize", get_request(request.text()));
        const bool is_refused = std::string_view(granted) == "invalid_scope";
        CHECK(verdict_of(op, first, kOther) == (is_refused ? "invalid_scope" : "login"));
        const bool is_logged = has(first.log, "\"event\":\"scope_ignored\"");
        CHECK(is_logged == !is_refused);
        if (!is_refused) CHECK(text_of(obtain_tokens(op, alice, request, kOther), "scope") == granted);
    }
}

TEST_CASE(
    "authorize: sizes are bounded, and each answer has the state [docs: 4096 bytes of state, 4864 bytes of values "
    "together, RFC 6749 §4.1.2.1b, A03]") {
    const Deployment op;
    const std::string longest(4096, 's');
    const std::string nonce(900, 'n');
    check_rows(
        op,
        {
            {"state", "as applications have it", good().with("state", std::string(2400, 's')), "login"},
            {"state", "4096 bytes", good().with("state", longest).with("response_type", "zz"),
             "unsupported_response_type", longest},
            {"state", "4096 bytes, to the login", good().with("state", longest), "login"},
            {"state", "4097 bytes", good().with("state", longest + "s"), "invalid_request", longest + "s"},
            {"state", "6000 bytes", good().with("state", std::string(6000, 's')), "invalid_request",
             std::string(6000, 's')},
            {"state", "longer than any answer", good().with("state", std::string(7900, 's')), "page 400"},
            {"state", "longer than any answer, when it is encoded", good().with("state", std::string(2600, '"')),
             "page 400"},
            {"state", "the same by form_post",
             good().with("state", std::string(2600, '"')).with("response_mode", "form_post"), "login"},
            {"values", "below 4864 bytes", good().with("state", std::string(3000, 's')).with("nonce", nonce), "login"},
            {"values", "above 4864 bytes", good().with("state", longest).with("nonce", nonce), "invalid_request",
             longest},
            {"values", "quotes count once", good().with("nonce", std::string(2800, '"')), "login"},
            {"values", "unknown ones do not count", good().with("unknown", std::string(6000, 'u')), "login"},
            {"values", "a huge scope", good().with("scope", many_scopes() + many_scopes()), "invalid_request"},
        });
}

TEST_CASE("authorize: the URL of the next page fits into a header line of Apache for every request") {
    const Deployment op;
    const std::string state(4096, 's');
    const Query longest[] = {good().with("state", state).with("nonce", std::string(400, 'n')),
                             good().with("state", std::string(2048, '"')).with("nonce", std::string(2448, '\\')),
                             good().with("state", std::string(2048, '&')).with("nonce", std::string(2448, '<'))};
    for (const Query& query : longest) {
        const Answer answer = op.cgi("authorize", get_request(query.text()));
        CAPTURE(answer.body);
        CHECK(answer.status == 303);
        CHECK(has(answer.header("Location"), "/login?resume="));
        CHECK(answer.header("Location").size() > 6000);
        CHECK(answer.header("Location").size() < 8000);
    }
}

TEST_CASE(
    "authorize: what would change the request's meaning is refused by its registered name [OIDC Core §3.1.2.6ghi, §6, "
    "§6.1, §7.2.1, §16.7, A22]") {
    const Deployment op;
    const Listener listener;
    std::vector<Row> rows;
    for (const std::string& uri :
         {listener.url() + "request.jwt", std::string("https://evil.example/r"), std::string("file:///etc/passwd"),
          std::string("urn:ietf:params:oauth:request_uri:x"), std::string("x")})
        rows.push_back({"OIDC Core §6.2", uri, good().with("request_uri", uri), "request_uri_not_supported"});
    for (const std::string& request : {std::string("x"), std::string("eyJhbGciOiJub25lIn0.e30."), listener.url()})
        rows.push_back({"OIDC Core §6.1", request, good().with("request", request), "request_not_supported"});
    const std::string registration =
        R"({"jwks_uri":")" + listener.url() + R"(","logo_uri":")" + listener.url() + R"("})";
    rows.push_back({"OIDC Core §7.2.1", "addresses in a registration", good().with("registration", registration),
                    "registration_not_supported"});
    check_rows(op, rows);
    UserAgent alice(op);
    alice.sign_in(good());
    CHECK(alice.authorize(good().with("request_uri", listener.url())).verdict() == "request_uri_not_supported");
    CHECK_FALSE(listener.was_contacted());
    check_rows(
        op,
        {
            {"OIDC Core §5.5", "claims is optional and ignored", good().with("claims", "{\"userinfo\":{}}"), "login"},
            {"OIDC Core §3.1.2.1", "display, ui_locales, acr_values are hints",
             good().with("display", "popup").with("ui_locales", "de").with("acr_values", "1"), "login"},
            {"Multiple Response Types §2.1", "response_mode query", good().with("response_mode", "query"), "login"},
            {"Multiple Response Types §2.1", "unknown response_mode", good().with("response_mode", "web_message"),
             "invalid_request"},
            {"Multiple Response Types §2.1", "response_mode in another case", good().with("response_mode", "QUERY"),
             "invalid_request"},
        });
}

TEST_CASE(
    "authorize: nothing is sent anywhere while client or redirect_uri are in doubt [IF90, RFC 6749 §3.1.2.4, §4.1.1a, "
    "§4.1.2.1a, §10.15, OIDC Core §3.1.2.1e, §3.1.2.6b, A01, X10, X14]") {
    const Deployment op;
    op.must({"client", "disable", kStrict});
    struct Doubt {
        std::string when;
        Query request;
    };
    const std::vector<Doubt> doubts = {
        {"no client_id", good().without("client_id")},
        {"empty client_id", good().with("client_id", "")},
        {"unknown client_id", good().with("client_id", "nobody")},
        {"client_id in another case", good().with("client_id", "WEB")},
        {"client_id with NUL", good().without("client_id").raw("client_id=web%00x")},
        {"client_id malformed", good().without("client_id").raw("client_id=web%")},
        {"client_id encoded twice", good().without("client_id").raw("client_id=%2577eb")},
        {"disabled client", authorization_request(kStrict)},
        {"another's client_id", good().with("client_id", kOther)},
        {"unknown client and its address",
         good().with("client_id", "evil").with("redirect_uri", "https://evil.example/cb")},
        {"client_id twice", good().and_also("client_id", kWeb)},
        {"client_id twice, one an address", good().and_also("client_id", "https://evil.example")},
        {"client_id of SQL", good().with("client_id", "' OR 1=1 --")},
        {"client_id of markup", good().with("client_id", "<script>alert(1)</script>")},
        {"client_id of 10 KB", good().with("client_id", std::string(10240, 'c'))},
        {"unregistered redirect_uri", good().with("redirect_uri", "https://evil.example/cb")},
        {"a slash more than registered", good().with("redirect_uri", redirect_uri_of(kWeb) + "/")},
        {"redirect_uri twice", good().and_also("redirect_uri", redirect_uri_of(kWeb))},
        {"redirect_uri twice, one unregistered", good().and_also("redirect_uri", "https://evil.example")},
        {"no parameters", Query()},
    };
    const std::vector<std::pair<std::string, std::string>> other_errors = {
        {"", ""},
        {"response_type", "zz"},
        {"response_type", ""},
        {"response_type", "token"},
        {"prompt", "none"},
        {"prompt", "none login"},
        {"scope", "\""},
        {"scope", "no_such"},
        {"max_age", "x"},
        {"state", std::string(3000, 's')},
        {"state", ""},
        {"request", "x"},
        {"request_uri", "https://evil.example/r"},
        {"registration", "{}"},
        {"code_challenge", "short"},
        {"code_challenge_method", "plain"},
        {"response_mode", "web_message"},
        {"response_mode", "fragment"},
        {"response_mode", "form_post"},
        {"id_token_hint", "x"},
        {"claims", "{"},
        {"aud", "https://evil.example"},
        {"nonce", std::string(5000, 'n')},
    };
    for (const Doubt& doubt : doubts) {
        for (const auto& [name, value] : other_errors) {
            CAPTURE(doubt.when);
            CAPTURE(name);
            const Query request = name.empty() ? doubt.request : doubt.request.with(name, value);
            const Answer answer = op.cgi("authorize", get_request(request.text()));
            CHECK(answer.status == 400);
            CHECK_FALSE(answer.has("Location"));
            CHECK_FALSE(answer.has("Set-Cookie"));
            CHECK(answer.header("Content-Type") == "text/html; charset=utf-8");
            CHECK(has_id(answer.body, "request-id"));
            CHECK_FALSE(has(answer.body, "<script>alert"));
            CHECK_FALSE(has(answer.body, "evil.example"));
        }
    }
}

TEST_CASE("authorize: a client that asks only to be redirected reaches its registered address alone [A15]") {
    const Deployment op;
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"prompt", "none"}, {"scope", "no_such"}, {"response_type", "zz"}}) {
        CAPTURE(name);
        const Query request = authorization_request(kOther).with(name, value);
        const Answer answer = op.cgi("authorize", get_request(request.text()));
        CHECK(answer.location().starts_with(redirect_uri_of(kOther) + "?error="));
        CHECK_FALSE(answer.has("Set-Cookie"));
        const Query elsewhere = request.with("redirect_uri", "https://victim.example/cb");
        CHECK(verdict_of(op, op.cgi("authorize", get_request(elsewhere.text()))) == "page 400");
    }
}

TEST_CASE("authorize: a client_secret in the URL authenticates nothing and is in no log [RFC 6749 §2.3.1d, A26]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    for (const std::string& secret : {secret_of(kWeb), std::string("wrong secret in the query")}) {
        CAPTURE(secret);
        const Query asked = good().with("client_secret", secret);
        const Landing landing = alice.authorize(asked);
        REQUIRE(landing.verdict() == "code");
        const Query bare = token_request(landing.parameter("code")).with("client_id", kWeb);
        CHECK(op.cgi("token", post_form(bare.text())).verdict() == "401 invalid_client");
        const Answer refused = op.cgi("authorize", get_request(asked.with("response_type", "zz").text()));
        const Answer page =
            op.cgi("authorize", get_request(asked.with("redirect_uri", "https://evil.example/").text()));
        const std::string encoded = Query{{"", secret}}.text().substr(1);
        for (const Answer* answer : {&landing.answer, &refused, &page}) {
            CHECK(has(answer->log, "\"endpoint\":\"authorize\""));
            for (const std::string& spelling : {secret, encoded}) {
                CHECK_FALSE(has(answer->raw, spelling));
                CHECK_FALSE(has(answer->log, spelling));
            }
        }
    }
}

TEST_CASE("authorize: a client without the authorization_code grant is unauthorized_client [RFC 6749 §4.1.2.1c]") {
    const Deployment op;
    op.must({"client", "add", "codeless", "--grant", "client_credentials", "--redirect-uri",
             "https://codeless.example/cb", "--scope", "openid email"});
    CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request("codeless").text())), "codeless") ==
          "unauthorized_client");
    CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request(kMachine).text())), kMachine) ==
          "page 400");
}

TEST_CASE(
    "authorize: errors of one kind are constant printable text without quotes [RFC 6749 §4.1.2.1h, §A.7, OIDC Core "
    "§3.1.2.6j]") {
    const Deployment op;
    std::set<std::string> descriptions;
    for (const std::string scope : {"admin", "a\"b", "x<y", "caf\xc3\xa9", "%s%n", "nobody@"}) {
        CAPTURE(scope);
        const Answer answer = op.cgi("authorize", get_request(good().with("scope", scope).text()));
        const auto description = query_parameter(answer.location(), "error_description");
        REQUIRE(description.has_value());
        for (const char c : *description) CHECK((c >= 0x20 && c <= 0x7e && c != '"' && c != '\\'));
        CHECK(description->find(scope) == std::string::npos);
        descriptions.insert(*description);
    }
    CHECK(descriptions.size() <= 2);  // not registered, not a scope
}

TEST_CASE(
    "authorize: the answer is code, state and iss in the query of the redirect_uri [IF27, IF72, IF95, IF101, RFC 6749 "
    "§1.7, §4.1.1b, §4.1.2ab, §A.5, OIDC Core §3.1.2.1h, §3.1.2.5, Multiple Response Types §2.1b, A03]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    struct Case {
        std::string when;
        std::string state;
    };
    const std::vector<Case> cases = {
        {"everything that needs encoding", "a b+c%26d=e%23f%25\"<>\xc3\xa9&code=x#y?z/\\'"},
        {"an address", "https://app.example/?a=1&b=2"},
        {"parameters of ours", "x&code=evil&iss=https://evil.example&error=none"},
        {"a fragment", "#fragment"},
        {"a query", "?a=b"},
        {"a semicolon", "a=b;c=d"},
        {"quotes and brackets", "'\\`{}|^~"},
        {"beyond the BMP, and a direction", "\xf0\x9f\x94\x91 \xe2\x80\xae"},
        {"percent text", "%00%0d%0a"},
        {"2048 bytes", std::string(2048, 's')},
        {"2048 signs to encode", std::string(2048, '%')},
        {"one byte", "0"},
    };
    for (const Case& row : cases) {
        CAPTURE(row.when);
        const Answer answer = alice.fetch(op.url("authorize") + "?" + good().with("state", row.state).text());
        CHECK(answer.status == 303);
        CHECK(verdict_of(op, answer, kWeb, row.state) == "code");
        CHECK(names_in_query(answer.location()) == std::multiset<std::string>{"code", "state", "iss"});
        CHECK(answer.header("Referrer-Policy") == "no-referrer");
        CHECK(answer.header("Cache-Control") == "no-store");
        const Landing error = alice.authorize(good().with("state", row.state).with("response_type", "zz"));
        CHECK(error.verdict() == "unsupported_response_type");
        CHECK(error.parameter("state") == row.state);
        CHECK(names_in_query(error.url) == std::multiset<std::string>{"error", "error_description", "state", "iss"});
    }
    for (const Query& none : {good().without("state"), good().with("state", "")}) {
        const Landing without = alice.authorize(none);
        CHECK(without.verdict() == "code");
        CHECK_FALSE(query_parameter(without.url, "state").has_value());
    }
}

TEST_CASE("authorize: a query of the registered redirect_uri is kept [RFC 6749 §3.1.2b, A04]") {
    const Deployment op;
    UserAgent alice(op);
    const Query request = authorization_request(kMany).with("redirect_uri", "https://many.example/b?x=1");
    const Landing landing = alice.sign_in(request);
    CHECK(landing.url.starts_with("https://many.example/b?x=1&code="));
    CHECK(landing.parameter("state") == kState);
    const Landing error = alice.authorize(request.with("response_type", "zz"));
    CHECK(error.url.starts_with("https://many.example/b?x=1&error=unsupported_response_type"));
    op.must({"client", "add", "query", "--first-party", "--redirect-uri", "https://query.example/cb?x=1&y=a%26b",
             "--redirect-uri", "https://query.example/cb?", "--scope", "openid email"});
    for (const auto& [registered, begin] : std::vector<std::pair<std::string, std::string>>{
             {"https://query.example/cb?x=1&y=a%26b", "https://query.example/cb?x=1&y=a%26b&"},
             {"https://query.example/cb?", "https://query.example/cb?"}}) {
        CAPTURE(registered);
        const Query asked = authorization_request("query").with("redirect_uri", registered);
        CHECK(alice.sign_in(asked).url.starts_with(begin + "code="));
        const Landing refused = alice.authorize(asked.with("response_type", "zz"));
        CHECK(refused.url.starts_with(begin + "error=unsupported_response_type&"));
        CHECK(refused.parameter("state") == kState);
        CHECK(names_in_query(refused.url).count("state") == 1);
    }
}

TEST_CASE("authorize: codes are unguessable and never repeat [RFC 6749 §10.10, §A.11]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    std::set<std::string> codes;
    for (int i = 0; i < 20; ++i) {
        const std::string code = alice.obtain_code(good());
        CHECK(code.size() >= 43);  // 256 bits of base64url
        CHECK(code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
              std::string::npos);
        codes.insert(code);
    }
    CHECK(codes.size() == 20);
}

TEST_CASE(
    "authorize: only GET starts a request unless POST is switched on [IF88, the interface specification, RFC 6749 "
    "§3.1e, OIDC Core §3.1.2.1a, §16.1]") {
    Deployment op;
    const Answer refused = op.cgi("authorize", post_form(good().text()));
    CHECK(refused.status == 405);
    CHECK(refused.header("Allow") == "GET");
    CHECK_FALSE(refused.has("Location"));

    op.configure("authorizeMethods", postern::json::strings({"GET", "POST"}));
    UserAgent alice(op);
    const Answer posted = alice.send(op.url("authorize"), good().text());
    CHECK(posted.status == 303);
    CHECK_FALSE(posted.has("Set-Cookie"));
    CHECK(without_query(posted.location()) == op.url("authorize"));
    const Landing page = alice.follow(op.url("authorize"), posted);
    CHECK(page.verdict() == "login");
    CHECK(alice.approve(alice.log_in(page)).verdict() == "code");
    // Parameters of the query do not count in a POST.
    CgiRequest in_query = post_form("");
    in_query.query = good().text();
    CHECK(op.cgi("authorize", in_query).status == 400);
    // A body of another kind is not read, and the page says so instead of asking where its parameters are (X09).
    for (const std::string type : {"application/json", "text/plain", "multipart/form-data; boundary=x"}) {
        CAPTURE(type);
        CgiRequest other = post_form(good().text());
        other.content_type = type;
        const Answer answer = op.cgi("authorize", other);
        CHECK(answer.status == 400);
        CHECK(has(visible_text(answer.body), "This sign-in link is damaged"));
    }
    CHECK(op.cgi("authorize", post_form(good().with("redirect_uri", "https://evil.example/").text())).status == 400);
    CHECK(verdict_of(op, op.cgi("authorize", post_form(good().with("response_type", "zz").text()))) ==
          "unsupported_response_type");
}

TEST_CASE(
    "authorize: a resumed request is the one that was checked; other parameters of the URL are ignored [IF25, IF34, A08, A19]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(good());
    const auto resume = query_parameter(login.url, "resume");
    REQUIRE(resume.has_value());
    const Query changed = good()
                              .with("response_type", "token")
                              .with("redirect_uri", "https://evil.example/")
                              .with("scope", "openid api")
                              .with("client_id", kOther)
                              .with("state", "other")
                              .with("user", kBob)
                              .with("resume", *resume);
    const Landing again = alice.open(op.url("authorize") + "?" + changed.text());
    CHECK(again.verdict() == "login");
    // Given twice or undecodable, it still is the request that was meant, and no new one.
    for (const Query& faulty : {changed.and_also("resume", *resume), changed.without("resume").raw("resume=%zz")}) {
        CAPTURE(faulty.text());
        const Landing page = alice.open(op.url("authorize") + "?" + faulty.text());
        CHECK(page.verdict() == "page 400");
        CHECK(has(visible_text(page.answer.body), "This sign-in cannot be continued"));
    }
    const Landing consent = alice.log_in(again);
    CHECK(consent.verdict() == "consent");
    CHECK_FALSE(has(visible_text(consent.answer.body), "api"));
    const std::string more = changed.without("resume").with("prompt", "none").text();
    const std::string asked = query_parameter(consent.url, "resume").value_or("");
    const Landing resumed = alice.open(op.url("authorize") + "?resume=" + asked + "&" + more);
    CHECK(resumed.verdict() == "consent");
    CHECK(alice.authorize(good().with("response_type", "token")).verdict() == "unsupported_response_type");
    const Landing landing = alice.approve(resumed);
    CHECK(landing.verdict() == "code");
    CHECK(without_query(landing.url) == redirect_uri_of(kWeb));
    CHECK(landing.parameter("state") == kState);
    CHECK(redeem(op, token_request(landing.parameter("code"))).member("scope") == "openid email");
    CHECK(alice.open(op.url("authorize") + "?resume=" + *resume + "&" + more).verdict() == "page 400");
}

TEST_CASE("authorize: a sealed request that was changed, cut or invented is a page, not a redirect [A20]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string resume = query_parameter(alice.authorize(good()).url, "resume").value_or("");
    REQUIRE(resume.size() > 100);
    const auto flipped = [&](std::size_t at) {
        std::string changed = resume;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        return changed;
    };
    const std::string invented = postern::util::base64url_encode(R"({"client_id":"web"})");
    for (const std::string& bad :
         {flipped(0), flipped(10), flipped(50), flipped(resume.size() / 2), flipped(resume.size() - 2),
          resume.substr(1), resume.substr(0, resume.size() - 1), resume.substr(0, 40), resume + "A", resume + "=",
          resume + resume, resume + std::string(1, '\0'), std::string(1, '\0'), std::string("x"), std::string("AAAA"),
          invented, std::string(9000, 'A'), std::string("..")}) {
        for (const std::string endpoint : {"authorize", "login", "scopes"}) {
            CAPTURE(bad.substr(0, 20));
            CAPTURE(endpoint);
            const Landing landing = alice.open(op.url(endpoint) + "?" + Query{{"resume", bad}}.text());
            CHECK(landing.verdict() == "page 400");
            CHECK_FALSE(landing.left);
        }
    }
    for (const std::string endpoint : {"authorize", "login", "scopes"})
        CHECK(alice.open(op.url(endpoint) + "?resume=" + resume + "&resume=" + resume).verdict() == "page 400");
    for (const std::string endpoint : {"login", "scopes"}) {
        CAPTURE(endpoint);
        CHECK(alice.open(op.url(endpoint) + "?resume=").verdict() == "page 400");
        const Query form{{"username", kAlice}, {"password", kAlicePassword}, {"decision", "approve"}};
        const Answer posted = alice.send(op.url(endpoint), form.with("resume", flipped(10)).text());
        CHECK(posted.status == 400);
        CHECK_FALSE(posted.has("Location"));
        CHECK_FALSE(posted.has("Set-Cookie"));
    }
}

TEST_CASE("authorize: a request is good for ten minutes [IF109, A20]") {
    Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(good());
    op.advance(std::chrono::seconds(599));
    CHECK(alice.open(login.url).verdict() == "login");
    op.advance(std::chrono::seconds(1));
    const std::string resume = query_parameter(login.url, "resume").value_or("");
    for (const std::string endpoint : {"authorize", "login", "scopes"})
        CHECK(alice.open(op.url(endpoint) + "?resume=" + resume).verdict() == "page 400");
    CHECK(alice.log_in(login).verdict() == "page 400");
}

TEST_CASE("authorize: HEAD issues nothing and records nothing, on any page [RFC 9110 §9.3.2, X18]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(good());
    const auto rows = [&] {
        std::vector<std::int64_t> counts;
        for (const std::string table :
             {"authorization_codes", "grants", "consents", "authorization_requests", "sessions"})
            counts.push_back(op.count_rows(table));
        return counts;
    };
    const auto before = rows();
    CgiRequest head = get_request(good().with("prompt", "none").text());
    head.method = "HEAD";
    std::string cookie;
    for (const auto& [name, value] : alice.cookies()) cookie += name + "=" + value + "; ";
    head.headers = {{"Cookie", cookie}};
    for (const std::string endpoint : {"authorize", "login", "scopes", "logout"}) {
        CAPTURE(endpoint);
        const Answer answer = op.cgi(endpoint, head);
        CHECK(answer.status == 405);
        CHECK(answer.body.empty());
    }
    CHECK(rows() == before);
    head.method = "GET";  // the same request by GET gets a code
    CHECK(verdict_of(op, op.cgi("authorize", head)) == "code");
    CHECK(op.count_rows("authorization_codes") == before.front() + 1);
}

TEST_CASE("authorize: neither a visitor nor a browser that is signed in leaves a request in the database [A21]") {
    const Deployment op;
    UserAgent with_cookie(op);
    for (int i = 0; i < 5; ++i) {
        CHECK(UserAgent(op).authorize(good()).verdict() == "login");
        CHECK(with_cookie.authorize(good()).verdict() == "login");
    }
    for (const std::string table :
         {"sessions", "authorization_requests", "consents", "authorization_codes", "grants", "login_attempts"}) {
        CAPTURE(table);
        CHECK(op.count_rows(table) == 0);
    }
    UserAgent alice(op);
    alice.sign_in(good());
    const std::string before = op.stored();
    for (const std::string prompt : {"consent", "login"}) {
        for (int i = 0; i < 5; ++i) CHECK(alice.authorize(good().with("prompt", prompt)).verdict() == prompt);
    }
    CHECK(op.stored() == before);
}

}  // namespace
