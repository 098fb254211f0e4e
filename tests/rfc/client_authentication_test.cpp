// How a client proves who it is at the token endpoint (RFC 6749 §2.3, §3.2.1, §5.2; RFC 7617).
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "has.h"
#include "json/reader.h"
#include "support/flow.h"
#include "util/base64.h"
#include "util/percent.h"

namespace {

using namespace postern::test;
using postern::util::base64_encode;
using postern::util::percent_encode;

/// The endpoints that authenticate clients, with parameters that are right, and the answer when the client is, too. At
/// the token endpoint the code is missing: authentication comes first (C12), so the error tells which client got in.
struct Endpoint {
    const char* name;
    Query parameters;
    const char* in;
};
const Endpoint kToken = {"token", {{"grant_type", "authorization_code"}}, "400 invalid_request"};
const Endpoint kIntrospect = {"introspect", {{"token", "x"}}, "200"};
const Endpoint kRevoke = {"revoke", {{"token", "x"}}, "200"};

constexpr const char* kIn = "in";
constexpr const char* kOut = "401 invalid_client";
constexpr const char* kMalformed = "400 invalid_request";

struct Row {
    std::string clause;
    std::string when;
    std::string authorization;  ///< "": no header
    Query body;                 ///< beyond the endpoint's own parameters
    std::string expected;       ///< kIn, or status and error
};

Answer present(const Deployment& op, const Endpoint& endpoint, const std::string& authorization, const Query& body) {
    const std::string more = body.text();
    CgiRequest request = post_form(endpoint.parameters.text() + (more.empty() ? "" : "&" + more));
    if (!authorization.empty()) request.headers = {{"Authorization", authorization}};
    return op.cgi(endpoint.name, request);
}

void check_rows(const Deployment& op, const std::vector<Row>& rows,
                const std::vector<Endpoint>& endpoints = {kToken, kIntrospect, kRevoke}) {
    for (const Endpoint& endpoint : endpoints) {
        CAPTURE(std::string(endpoint.name));
        for (const Row& row : rows) {
            CAPTURE(row.clause);
            CAPTURE(row.when);
            const Answer answer = present(op, endpoint, row.authorization, row.body);
            CHECK(answer.verdict() == (row.expected == kIn ? endpoint.in : row.expected));
            CHECK(answer.header("Cache-Control") == "no-store");
            const bool challenged = answer.header("WWW-Authenticate").starts_with("Basic realm=\"");
            CHECK(challenged == (answer.status == 401 && !row.authorization.empty()));
        }
    }
}

std::string upper_case(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return text;
}
std::string raw_basic(const std::string& pair) { return "Basic " + base64_encode(pair); }
Query with(const std::string& name, const std::string& value) { return Query{{name, value}}; }
Query credentials(const std::string& id, const std::string& secret) {
    return {{"client_id", id}, {"client_secret", secret}};
}
void add_client(const Deployment& op, const std::string& id, const std::string& secret,
                const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"client",        "add", id, "--redirect-uri", "https://" + id + ".example/cb",
                                          "--secret-stdin"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    op.must(arguments, secret + "\n");
}

TEST_CASE(
    "client authentication: Basic is strict base64 behind blanks, its scheme in any case [RFC 7617 §2, C02, RFC 6749 "
    "§2.3.1a, §5.2d]") {
    const Deployment op;
    const std::string good = base64_encode(percent_encode(kWeb) + ":" + percent_encode(secret_of(kWeb)));
    const std::string text = std::string(kWeb) + ":" + secret_of(kWeb);
    const std::string padded = base64_encode(std::string(kOther) + ":" + secret_of(kOther));
    REQUIRE(padded.ends_with("="));
    check_rows(
        op,
        {
            {"§2", "as it should be", "Basic " + good, {}, kIn},
            {"§2", "lower case", "basic " + good, {}, kIn},
            {"§2", "upper case", "BASIC " + good, {}, kIn},
            {"C02", "trailing mark", "Basic " + good + "!", {}, kOut},
            {"C02", "inner mark", "Basic " + good.substr(0, 8) + "!" + good.substr(8), {}, kOut},
            {"C02", "inner tab", "Basic " + good.substr(0, 8) + "\t" + good.substr(8), {}, kMalformed},
            {"C02", "inner blank", "Basic " + good.substr(0, 8) + " " + good.substr(8), {}, kOut},
            {"C02", "surplus padding", "Basic " + good + "===", {}, kOut},
            {"C02", "one = more", "Basic " + good + "=", {}, kOut},
            {"C02", "padding cut off", "Basic " + padded.substr(0, padded.find('=')), {}, kOut},
            {"C02", "padding there", "Basic " + padded, {}, kIn},
            {"C02",
             "missing padding",
             "Basic " + base64_encode(text + "x").substr(0, base64_encode(text + "x").find('=')) + "A",
             {},
             kOut},
            {"C02", "base64url alphabet", "Basic " + base64_encode("web:\xfb\xff\xfe").replace(5, 1, "_"), {}, kOut},
            {"C02", "two blanks", "Basic  " + good, {}, kIn},
            {"C02", "five blanks", "basic     " + good, {}, kIn},
            {"C02", "blanks around", "  Basic " + good + " ", {}, kIn},
            {"C02", "a tab behind", "Basic " + good + "\t", {}, kIn},
            {"C02", "a blank and a tab", "Basic \t" + good, {}, kMalformed},
            {"C02", "a tab for the blank", "Basic\t" + good, {}, kMalformed},
            {"C02", "no colon", raw_basic(kWeb), {}, kOut},
            {"C02", "a colon alone", raw_basic(":"), {}, kOut},
            {"C02", "nothing", "Basic", {}, kOut},
            {"C02", "a blank", "Basic ", {}, kOut},
            {"C02", "no scheme", good, {}, kOut},
            {"C02", "another scheme", "Bearer " + good, {}, kOut},
            {"C02", "Digest", "Digest username=\"web\"", {}, kOut},
            {"X21", "joined headers", "Basic " + good + ", Basic " + good, {}, kMalformed},
            {"X21", "joined with Bearer", "Basic " + good + ", Bearer x", {}, kMalformed},
            {"C02", "8 KB", "Basic " + std::string(8192, 'A'), {}, kOut},
        });
}

TEST_CASE(
    "client authentication: special characters, as the RFC encodes them and as many clients send them [RFC 6749 "
    "§2.3.1bc, C03, C04]") {
    const Deployment op;
    const std::string secret = secret_of(kWeb);  // has : % + / & = and a blank
    const std::string colons = "a:b:c:" + std::string(30, ':');
    add_client(op, "colons", colons);
    const std::string form_encoded = "web%3Ap%25w%2Bd%2F%2541+%26%3D0123456789abcdefghijklm";  // a blank as +
    check_rows(op, {
                       {"§2.3.1", "percent-encoded", basic(kWeb, secret), {}, kIn},
                       {"§2.3.1", "form-encoded", raw_basic("web:" + form_encoded), {}, kIn},
                       {"C04", "raw, split at the first colon", raw_basic("web:" + secret), {}, kIn},
                       {"C03", "in the body", "", credentials(kWeb, secret), kIn},
                       {"C03", "encoded twice", raw_basic("web:" + percent_encode(form_encoded)), {}, kOut},
                       {"C03", "encoded in the body as well", "", credentials(kWeb, form_encoded), kOut},
                       {"C03", "encoded twice, percent", basic(kWeb, percent_encode(secret)), {}, kOut},
                       {"C04", "cut at the second colon", raw_basic("web:web"), {}, kOut},
                       {"C04", "many colons, raw", raw_basic("colons:" + colons), {}, kIn},
                       {"C04", "many colons, encoded", basic("colons", colons), {}, kIn},
                       {"C04", "up to the next colon", raw_basic("colons:a"), {}, kOut},
                       {"C04", "behind the next colon", raw_basic("colons:" + colons.substr(2)), {}, kOut},
                   });
    CHECK(op.postern({"client", "secret", kOther, "--secret-stdin"}, std::string(40, 'x') + "\xc3\xa9\n").exit_code ==
          1);
    CHECK(present(op, kRevoke, basic(kOther, secret_of(kOther)), {}).verdict() == kRevoke.in);
}

TEST_CASE(
    "client authentication: a secret that is nearly right is wrong [C05, C08, C14, RFC 6749 §2.2b, §3.2.1a, §4.1.3c, "
    "§5.2c, OIDC Core §16.10]") {
    const Deployment op;
    const std::string secret = secret_of(kWeb);
    std::vector<Row> rows = {
        {"C05", "empty Basic secret", raw_basic("web:"), {}, kOut},
        {"C05", "empty body secret", "", credentials(kWeb, ""), kOut},
        {"C08", "id alone", "", with("client_id", kWeb), kOut},
        {"C08", "a machine's id alone", "", with("client_id", kMachine), kOut},
        {"C08", "empty id", "", with("client_id", ""), kOut},
        {"§5.2", "nothing", "", {}, kOut},
        {"§5.2", "secret alone", "", with("client_secret", secret), kOut},
        {"§5.2", "unknown client", "", credentials("nobody", secret), kOut},
        {"C14", "10 KB id", "", credentials(std::string(10240, 'w'), secret), kOut},
        {"C05", "another client's secret", "", credentials(kWeb, secret_of(kOther)), kOut},
    };
    for (const std::string& near :
         {secret + " ", " " + secret, secret + secret, secret.substr(0, secret.size() / 2), secret.substr(1),
          secret.substr(0, secret.size() - 1), secret + "x", secret + "=", upper_case(secret), std::string("x")}) {
        rows.push_back({"C05", "near the secret, body", "", credentials(kWeb, near), kOut});
        rows.push_back({"C05", "near the secret, Basic", basic(kWeb, near), {}, kOut});
    }
    // Ids that are only unknown, by both methods.
    for (const std::string id : {"WEB", "web ", " web", "web' --", "' OR '1'='1", "web\"; DROP TABLE clients; --",
                                 "../web", "/etc/passwd", "web%", "*", "w\xc3\xab",
                                 "w\xe2\x80\x8b"
                                 "eb",
                                 "web\\"}) {
        rows.push_back({"C14", "id in the body: " + id, "", credentials(id, secret), kOut});
        rows.push_back({"C14", "id in Basic: " + id, basic(id, secret), {}, kOut});
    }
    const std::string nul(1, '\0');
    rows.push_back({"C05", "NUL behind the secret, Basic", raw_basic("web:" + secret + nul), {}, kOut});
    rows.push_back({"C05", "NUL and more, Basic", raw_basic("web:" + secret + nul + "more"), {}, kOut});
    rows.push_back({"C05", "encoded NUL, Basic", basic(kWeb, secret + nul), {}, kOut});
    // A parameter with a control byte is malformed.
    rows.push_back({"C05", "NUL behind the secret, body", "", credentials(kWeb, secret + nul), kMalformed});
    for (const std::string& id : {"web" + nul, std::string("web\n"),
                                  std::string("we\x7f"
                                              "b"),
                                  std::string("\x01web"), std::string("web\r\nX: y")}) {
        rows.push_back({"C14", "control byte in the id, body", "", credentials(id, secret), kMalformed});
        rows.push_back({"C14", "control byte in the id, Basic", basic(id, secret), {}, kOut});
    }
    check_rows(op, rows);
    CHECK(present(op, kIntrospect, basic(kWeb, secret), {}).verdict() == kIntrospect.in);  // the table is still there
}

TEST_CASE("client authentication: a confidential client's code is not redeemed without its secret [C08]") {
    const Deployment op;
    UserAgent alice(op);
    const Query request = token_request(alice.obtain_code(authorization_request()));
    CHECK(op.cgi("token", post_form(request.with("client_id", kWeb).text())).verdict() == kOut);
    CHECK(redeem(op, request).verdict() == "200");
    const Query machine = {{"grant_type", "client_credentials"}, {"client_id", kMachine}};
    CHECK(op.cgi("token", post_form(machine.text())).verdict() == kOut);
}

TEST_CASE("client authentication: one method a request [RFC 6749 §2.3a, §5.2b, C01]") {
    const Deployment op;
    const std::string header = basic(kWeb, secret_of(kWeb));
    check_rows(
        op,
        {
            {"§2.3", "Basic and the same id in the body", header, with("client_id", kWeb), kIn},
            {"§2.3", "Basic and the same secret in the body", header, credentials(kWeb, secret_of(kWeb)), kMalformed},
            {"C01", "Basic alone", header, {}, kIn},
            {"C01", "Basic and a public client's id in the body", header, with("client_id", kSpa), kMalformed},
            {"C01", "Basic and the same secret without an id", header, with("client_secret", secret_of(kWeb)),
             kMalformed},
            {"C01", "Basic and the same id with another secret", header, credentials(kWeb, std::string(43, 'x')),
             kMalformed},
            {"C01", "client_id twice", "", credentials(kWeb, secret_of(kWeb)).and_also("client_id", kWeb), kMalformed},
            {"C01", "client_secret twice", "", credentials(kWeb, secret_of(kWeb)).and_also("client_secret", "x"),
             kMalformed},
            {"§2.3", "Basic and another secret in the body", header, with("client_secret", "x"), kMalformed},
            {"§2.3", "Basic and another id in the body", header, with("client_id", kOther), kMalformed},
            {"C01", "wrong Basic, right body", basic(kWeb, "wrong"), credentials(kWeb, secret_of(kWeb)), kMalformed},
        });
    // At the token endpoint kIn has the same name as these refusals: a code that would have worked shows the
    // difference.
    UserAgent alice(op);
    const Query request = token_request(alice.obtain_code(authorization_request()));
    CgiRequest both = with_basic(request.with("client_id", kWeb).with("client_secret", secret_of(kWeb)).text());
    CHECK(op.cgi("token", both).verdict() == "400 invalid_request");
    CHECK(op.cgi("token", with_basic(request.with("client_id", kOther).text())).verdict() == "400 invalid_request");
    CHECK(op.cgi("token", with_basic(request.with("client_id", kWeb).text())).verdict() == "200");
}

TEST_CASE(
    "client authentication: a public client has no secret and must not send one [RFC 6749 §2.3b, §2.3.1, §3.2.1b, "
    "§4.1.3c, C09, OIDC Core §9c]") {
    const Deployment op;
    for (const std::string id : {kSpa, kNative}) {
        CAPTURE(id);
        check_rows(op,
                   {
                       {"§3.2.1", "id in the body", "", with("client_id", id), kIn},
                       {"C09", "a secret in the body", "", credentials(id, "x"), kOut},
                       {"C09", "Basic with an empty secret", raw_basic(id + ":"), {}, kIn},
                       {"C09", "Basic with a secret", raw_basic(id + ":x"), {}, kOut},
                       {"C09", "a confidential client's secret", "", credentials(id, secret_of(kWeb)), kOut},
                   },
                   {kToken, kRevoke});
        CHECK(present(op, kIntrospect, "", with("client_id", id)).status == 401);  // confidential clients only
    }
}

TEST_CASE(
    "client authentication: either method works unless the registration narrows it [RFC 6749 §2.3.1ac, OIDC Core "
    "§3.1.3.1, §9a]") {
    const Deployment op;
    const auto verdicts = [&](const char* id) {
        const std::string secret = secret_of(id);
        return present(op, kToken, basic(id, secret), {}).verdict() + ", " +
               present(op, kToken, "", credentials(id, secret)).verdict();
    };
    const std::string in = kToken.in;
    const std::string out = kOut;
    CHECK(verdicts(kWeb) == in + ", " + in);
    for (const std::string method : {"client_secret_basic", "client_secret_post"})
        op.must({"client", "add", method, "--redirect-uri", "https://x.example/cb", "--auth-method", method,
                 "--secret-stdin"},
                secret_of(method) + "\n");
    CHECK(verdicts("client_secret_basic") == in + ", " + out);
    CHECK(verdicts("client_secret_post") == out + ", " + in);
}

TEST_CASE("client authentication: every failure looks the same, to the byte [RFC 6749 §5.2c, C06, C07]") {
    const Deployment op;
    op.must({"client", "disable", kOther});
    const std::string wrong(43, 'w');
    const auto bytes_of = [](const Answer& answer) {
        std::string text = answer.raw;
        const std::string id = answer.header("X-Request-Id");
        return text.replace(text.find(id), id.size(), "ID");
    };
    for (const Endpoint& endpoint : {kToken, kIntrospect, kRevoke}) {
        CAPTURE(std::string(endpoint.name));
        const std::string by_header = bytes_of(present(op, endpoint, basic("nobody", wrong), {}));
        const std::string by_body = bytes_of(present(op, endpoint, "", credentials("nobody", wrong)));
        const std::pair<std::string, std::string> failures[] = {
            {kWeb, wrong}, {kOther, secret_of(kOther)}, {kSpa, wrong}, {kMachine, wrong},
            {"", wrong},   {"' OR 1=1 --", wrong},
        };
        for (const auto& [id, secret] : failures) {
            CAPTURE(id);
            const Answer answer = present(op, endpoint, basic(id, secret), {});
            CHECK(answer.verdict() == kOut);
            CHECK(bytes_of(answer) == by_header);
            if (!id.empty()) CHECK(bytes_of(present(op, endpoint, "", credentials(id, secret))) == by_body);
        }
    }
    check_rows(op, {{"C07", "wrong by header", basic(kWeb, "wrong"), {}, kOut},
                    {"C07", "wrong by body", "", credentials(kWeb, "wrong"), kOut}});
    op.must({"client", "enable", kOther});
    CHECK(present(op, kRevoke, basic(kOther, secret_of(kOther)), {}).verdict() == kRevoke.in);
}

TEST_CASE("client authentication: comes before everything that could be probed [C12, RFC 6749 §4.1.3d]") {
    const Deployment op;
    const Query none;
    const Query code = {{"grant_type", "authorization_code"}, {"code", "x"}};
    const Query hint = {{"token", "x"}, {"token_type_hint", "unknown"}};
    const Query no_token = {{"token_type_hint", "access_token"}};
    const Query long_token = {{"token", std::string(9000, 'x')}};
    const struct {
        const char* name;
        std::vector<Query> forms;
    } endpoints[] = {
        {"token",
         {none, with("grant_type", "carrier_pigeon"), code, code.with("aud", kOther), code.with("aud", op.issuer()),
          with("grant_type", "refresh_token"), with("grant_type", "client_credentials").with("scope", "no such scope"),
          code.with("x", "y")}},
        {"introspect", {none, hint, long_token, no_token}},
        {"revoke", {none, hint, long_token, no_token}},
    };
    for (const auto& endpoint : endpoints) {
        for (const Query& form : endpoint.forms) {
            CAPTURE(std::string(endpoint.name));
            CAPTURE(form.text().substr(0, 200));
            for (const char* id : {kWeb, "nobody"}) {
                CgiRequest request = post_form(form.text());
                request.headers = {{"Authorization", basic(id, "wrong")}};
                const Answer answer = op.cgi(endpoint.name, request);
                CHECK(answer.verdict() == kOut);
                CHECK(answer.header("WWW-Authenticate").starts_with("Basic realm=\""));
            }
        }
    }
}

TEST_CASE("client authentication: introspection and revocation ask for no grant of the client [C13]") {
    const Deployment op;
    const std::string secret = "only the code grant, nothing else: 0123";
    add_client(op, "codes", secret, {"--grant", "authorization_code"});
    const auto ask = [&](const char* endpoint, const Query& form) {
        CgiRequest request = post_form(form.text());
        request.headers = {{"Authorization", basic("codes", secret)}};
        return op.cgi(endpoint, request);
    };
    UserAgent alice(op);
    const Query request = authorization_request()
                              .with("client_id", "codes")
                              .with("redirect_uri", "https://codes.example/cb")
                              .with("scope", "openid");
    const Answer answer =
        ask("token", token_request(alice.obtain_code(request)).with("redirect_uri", "https://codes.example/cb"));
    REQUIRE(answer.verdict() == "200");
    CHECK(answer.member("refresh_token") == "");
    const Query token = with("token", answer.member("access_token"));
    CHECK(ask("introspect", token).body.starts_with("{\"active\":true,"));
    CHECK(ask("revoke", token).verdict() == "200");
    CHECK(ask("introspect", token).body == "{\"active\":false}");
    CHECK(ask("token", with("grant_type", "client_credentials")).verdict() == "400 unauthorized_client");
}

TEST_CASE("client authentication: a rotated secret works as long as it was given [docs: client secret --keep-old]") {
    Deployment op;
    const std::string output =
        op.must({"client", "secret", kWeb, "--keep-old", "60", "--secret-stdin"}, std::string(40, 'n') + "\n");
    const auto verdict = [&](const std::string& secret) {
        CgiRequest request = post_form(kToken.parameters.text());
        request.headers = {{"Authorization", basic(kWeb, secret)}};
        return op.cgi("token", request).verdict();
    };
    CHECK(verdict(std::string(40, 'n')) == kToken.in);
    CHECK(verdict(secret_of(kWeb)) == kToken.in);
    op.advance(std::chrono::seconds(59));
    CHECK(verdict(secret_of(kWeb)) == kToken.in);
    op.advance(std::chrono::seconds(1));
    CHECK(verdict(secret_of(kWeb)) == kOut);
    CHECK(verdict(std::string(40, 'n')) == kToken.in);
}

TEST_CASE(
    "client authentication: no secret is in the database, and a replaced one is refused [C10, OIDC Core "
    "§16.12]") {
    const Deployment op;
    UserAgent alice(op);
    obtain_tokens(op, alice, authorization_request());
    const std::string stored = op.stored();
    for (const std::string client : {kWeb, kOther}) CHECK_FALSE(has(stored, secret_of(client)));
    CHECK_FALSE(has(stored, kAlicePassword));
    const auto renewed = postern::json::parse(op.must({"client", "secret", kOther, "--json"}));
    REQUIRE(renewed);
    const std::string secret = text_of(*renewed->if_object(), "client_secret");
    CHECK(secret.size() >= 43);  // 256 bits of base64url
    const auto status = [&](const std::string& presented) {
        CgiRequest request = post_form("token=x");
        request.headers = {{"Authorization", basic(kOther, presented)}};
        return op.cgi("introspect", request).status;
    };
    CHECK(status(secret_of(kOther)) == 401);
    CHECK(status(secret) == 200);
}

TEST_CASE("client authentication: only HTTP_AUTHORIZATION is the header [X20]") {
    const Deployment op;
    CgiRequest request = post_form(kToken.parameters.text());
    request.variables["REDIRECT_HTTP_AUTHORIZATION"] = basic(kWeb, secret_of(kWeb));
    CHECK(op.cgi("token", request).verdict() == kOut);
    request.variables = {{"REMOTE_USER", kWeb}, {"AUTH_TYPE", "Basic"}};
    CHECK(op.cgi("token", request).verdict() == kOut);
}

}  // namespace
