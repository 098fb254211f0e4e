// How a client proves who it is at the token endpoint (RFC 6749 §2.3, §3.2.1, §5.2; RFC 7617).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"
#include "util/base64.h"
#include "util/percent.h"

namespace {

using namespace postern::test;
using postern::util::base64_encode;
using postern::util::percent_encode;

// An authenticated request without a code is invalid_request: authentication comes first (C12), so this tells who got
// in.
constexpr const char* kIn = "400 invalid_request";
constexpr const char* kOut = "401 invalid_client";
const Query kNoCode = {{"grant_type", "authorization_code"}};

struct Row {
    std::string clause;
    std::string when;
    std::string authorization;  ///< "": no header
    Query body;
    std::string expected;
};

void check_rows(const Deployment& op, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        CgiRequest request = post_form(row.body.text());
        if (!row.authorization.empty()) request.headers = {{"Authorization", row.authorization}};
        const Answer answer = op.cgi("token", request);
        CHECK(answer.verdict() == row.expected);
        CHECK(answer.header("Cache-Control") == "no-store");
        const bool challenged = answer.header("WWW-Authenticate").starts_with("Basic realm=\"");
        CHECK(challenged == (answer.status == 401 && !row.authorization.empty()));
    }
}

std::string raw_basic(const std::string& pair) { return "Basic " + base64_encode(pair); }

TEST_CASE(
    "client authentication: Basic is strict base64 with one blank, its scheme in any case [RFC 7617 §2, C02, RFC 6749 "
    "§2.3.1a, §5.2d]") {
    const Deployment op;
    const std::string good = base64_encode(percent_encode(kWeb) + ":" + percent_encode(secret_of(kWeb)));
    const std::string text = std::string(kWeb) + ":" + secret_of(kWeb);
    check_rows(op, {
                       {"§2", "as it should be", "Basic " + good, kNoCode, kIn},
                       {"§2", "lower case", "basic " + good, kNoCode, kIn},
                       {"§2", "upper case", "BASIC " + good, kNoCode, kIn},
                       {"C02", "trailing mark", "Basic " + good + "!", kNoCode, kOut},
                       {"C02", "inner blank", "Basic " + good.substr(0, 8) + " " + good.substr(8), kNoCode, kOut},
                       {"C02", "surplus padding", "Basic " + good + "===", kNoCode, kOut},
                       {"C02", "missing padding",
                        "Basic " + base64_encode(text + "x").substr(0, base64_encode(text + "x").find('=')) + "A",
                        kNoCode, kOut},
                       {"C02", "base64url alphabet", "Basic " + base64_encode("web:\xfb\xff\xfe").replace(5, 1, "_"),
                        kNoCode, kOut},
                       {"C02", "two blanks", "Basic  " + good, kNoCode, kOut},
                       {"C02", "no colon", raw_basic(kWeb), kNoCode, kOut},
                       {"C02", "nothing", "Basic", kNoCode, kOut},
                       {"C02", "a blank", "Basic ", kNoCode, kOut},
                       {"C02", "no scheme", good, kNoCode, kOut},
                       {"C02", "another scheme", "Bearer " + good, kNoCode, kOut},
                       {"C02", "Digest", "Digest username=\"web\"", kNoCode, kOut},
                       {"X21", "joined headers", "Basic " + good + ", Basic " + good, kNoCode, kIn},
                       {"X21", "joined with Bearer", "Basic " + good + ", Bearer x", kNoCode, kIn},
                       {"C02", "8 KB", "Basic " + std::string(8192, 'A'), kNoCode, kOut},
                   });
}

TEST_CASE(
    "client authentication: special characters, as the RFC encodes them and as many clients send them [RFC 6749 "
    "§2.3.1bc, C03, C04]") {
    const Deployment op;
    const std::string secret = secret_of(kWeb);  // has : % + / & = and a blank
    const std::string form_encoded = "web%3Ap%25w%2Bd%2F%2541+%26%3D0123456789abcdefghijklm";  // a blank as +
    check_rows(op, {
                       {"§2.3.1", "percent-encoded", basic(kWeb, secret), kNoCode, kIn},
                       {"§2.3.1", "form-encoded", raw_basic("web:" + form_encoded), kNoCode, kIn},
                       {"C04", "raw, split at the first colon", raw_basic("web:" + secret), kNoCode, kIn},
                       {"C03", "in the body", "", kNoCode.with("client_id", kWeb).with("client_secret", secret), kIn},
                       {"C03", "encoded twice", raw_basic("web:" + percent_encode(form_encoded)), kNoCode, kOut},
                       {"C03", "encoded in the body as well", "",
                        kNoCode.with("client_id", kWeb).with("client_secret", form_encoded), kOut},
                       {"C04", "cut at the second colon", raw_basic("web:web"), kNoCode, kOut},
                   });
}

TEST_CASE(
    "client authentication: a secret that is nearly right is wrong [C05, C08, C14, RFC 6749 §2.2b, §3.2.1a, §4.1.3c, "
    "§5.2c, OIDC Core §16.10]") {
    const Deployment op;
    const std::string secret = secret_of(kWeb);
    std::vector<Row> rows = {
        {"C05", "empty Basic secret", raw_basic("web:"), kNoCode, kOut},
        {"C05", "empty body secret", "", kNoCode.with("client_id", kWeb).with("client_secret", ""), kOut},
        {"C08", "id alone", "", kNoCode.with("client_id", kWeb), kOut},
        {"§5.2", "nothing", "", kNoCode, kOut},
        {"§5.2", "secret alone", "", kNoCode.with("client_secret", secret), kOut},
        {"§5.2", "unknown client", "", kNoCode.with("client_id", "nobody").with("client_secret", secret), kOut},
        {"C14", "another case", "", kNoCode.with("client_id", "WEB").with("client_secret", secret), kOut},
        {"C14", "a blank behind the id", "", kNoCode.with("client_id", "web ").with("client_secret", secret), kOut},
        {"C14", "10 KB id", "", kNoCode.with("client_id", std::string(10240, 'w')).with("client_secret", secret), kOut},
        {"C14", "SQL id", "", kNoCode.with("client_id", "web' --").with("client_secret", secret), kOut},
        {"C14", "path id", "", kNoCode.with("client_id", "../web").with("client_secret", secret), kOut},
        {"C05", "another client's secret", "", kNoCode.with("client_id", kWeb).with("client_secret", secret_of(kOther)),
         kOut},
    };
    for (const std::string& near : {secret + " ", " " + secret, secret + secret, secret.substr(0, secret.size() / 2),
                                    secret.substr(1), secret + "x"}) {
        rows.push_back(
            {"C05", "near the secret, body", "", kNoCode.with("client_id", kWeb).with("client_secret", near), kOut});
        rows.push_back({"C05", "near the secret, Basic", basic(kWeb, near), kNoCode, kOut});
    }
    check_rows(op, rows);
    CHECK(op.cgi("token",
                 post_form(kNoCode.with("client_id", kWeb).text() + "&client_secret=" + percent_encode(secret) + "%00"))
              .status >= 400);
    CgiRequest nul = post_form(kNoCode.text());
    nul.headers = {{"Authorization", raw_basic("web:" + secret + std::string(1, '\0'))}};
    CHECK(op.cgi("token", nul).verdict() == kOut);
}

TEST_CASE("client authentication: one method a request [RFC 6749 §2.3a, §5.2b, C01]") {
    const Deployment op;
    const std::string header = basic(kWeb, secret_of(kWeb));
    check_rows(op, {
                       {"§2.3", "Basic and the same id in the body", header, kNoCode.with("client_id", kWeb), kIn},
                       {"§2.3", "Basic and the same secret in the body", header,
                        kNoCode.with("client_id", kWeb).with("client_secret", secret_of(kWeb)), "400 invalid_request"},
                       {"§2.3", "Basic and another secret in the body", header, kNoCode.with("client_secret", "x"),
                        "400 invalid_request"},
                       {"§2.3", "Basic and another id in the body", header, kNoCode.with("client_id", kOther),
                        "400 invalid_request"},
                       {"C01", "wrong Basic, right body", basic(kWeb, "wrong"),
                        kNoCode.with("client_id", kWeb).with("client_secret", secret_of(kWeb)), "400 invalid_request"},
                   });
    // kIn has the same name as these refusals: show that they are refusals by a code that would have worked.
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
    check_rows(
        op, {
                {"§3.2.1", "id in the body", "", kNoCode.with("client_id", kSpa), kIn},
                {"C09", "a secret in the body", "", kNoCode.with("client_id", kSpa).with("client_secret", "x"), kOut},
                {"C09", "Basic with an empty secret", raw_basic("spa:"), kNoCode, kIn},
                {"C09", "Basic with a secret", raw_basic("spa:x"), kNoCode, kOut},
                {"C09", "a confidential client's secret", "",
                 kNoCode.with("client_id", kSpa).with("client_secret", secret_of(kWeb)), kOut},
            });
}

TEST_CASE(
    "client authentication: either method works unless the registration narrows it [RFC 6749 §2.3.1ac, OIDC Core "
    "§3.1.3.1, §9a]") {
    const Deployment op;
    const auto verdicts = [&](const char* id) {
        const std::string secret = secret_of(id);
        CgiRequest header = post_form(kNoCode.text());
        header.headers = {{"Authorization", basic(id, secret)}};
        return op.cgi("token", header).verdict() + ", " +
               op.cgi("token", post_form(kNoCode.with("client_id", id).with("client_secret", secret).text())).verdict();
    };
    const std::string in = kIn;
    const std::string out = kOut;
    CHECK(verdicts(kWeb) == in + ", " + in);
    for (const std::string method : {"client_secret_basic", "client_secret_post"})
        op.must({"client", "add", method, "--redirect-uri", "https://x.example/cb", "--auth-method", method,
                 "--secret-stdin"},
                secret_of(method) + "\n");
    CHECK(verdicts("client_secret_basic") == in + ", " + out);
    CHECK(verdicts("client_secret_post") == out + ", " + in);
}

TEST_CASE("client authentication: every failure looks the same [RFC 6749 §5.2c, C06, C07]") {
    const Deployment op;
    op.must({"client", "disable", kOther});
    const auto answer_to = [&](const std::string& id, const std::string& secret) {
        CgiRequest request = post_form(kNoCode.text());
        request.headers = {{"Authorization", basic(id, secret)}};
        return op.cgi("token", request);
    };
    const Answer unknown = answer_to("nobody", "wrong");
    for (const Answer& answer : {answer_to(kWeb, "wrong"), answer_to(kOther, secret_of(kOther)),
                                 answer_to(kSpa, "wrong"), answer_to("' OR 1=1", "x")}) {
        CHECK(answer.status == 401);
        CHECK(answer.body == unknown.body);
        CHECK(answer.header("WWW-Authenticate") == unknown.header("WWW-Authenticate"));
        CHECK(answer.header("Content-Length") == unknown.header("Content-Length"));
    }
    op.must({"client", "enable", kOther});
    CHECK(answer_to(kOther, secret_of(kOther)).verdict() == kIn);
}

TEST_CASE("client authentication: comes before everything that could be probed [C12, RFC 6749 §4.1.3d]") {
    const Deployment op;
    for (const Query& body :
         {Query{{"grant_type", "carrier_pigeon"}}, Query(), Query{{"grant_type", "authorization_code"}, {"code", "x"}},
          Query{{"grant_type", "authorization_code"}, {"code", "x"}, {"aud", kOther}}}) {
        CAPTURE(body.text());
        CgiRequest request = post_form(body.with("x", "y").text());
        request.headers = {{"Authorization", basic(kWeb, "wrong")}};
        CHECK(op.cgi("token", request).verdict() == kOut);
    }
}

TEST_CASE("client authentication: a rotated secret works as long as it was given [docs: client secret --keep-old]") {
    Deployment op;
    const std::string output =
        op.must({"client", "secret", kWeb, "--keep-old", "60", "--secret-stdin"}, std::string(40, 'n') + "\n");
    const auto verdict = [&](const std::string& secret) {
        CgiRequest request = post_form(kNoCode.text());
        request.headers = {{"Authorization", basic(kWeb, secret)}};
        return op.cgi("token", request).verdict();
    };
    CHECK(verdict(std::string(40, 'n')) == kIn);
    CHECK(verdict(secret_of(kWeb)) == kIn);
    op.advance(std::chrono::seconds(59));
    CHECK(verdict(secret_of(kWeb)) == kIn);
    op.advance(std::chrono::seconds(1));
    CHECK(verdict(secret_of(kWeb)) == kOut);
    CHECK(verdict(std::string(40, 'n')) == kIn);
}

TEST_CASE("client authentication: no secret is in the database or in its side files [C10, OIDC Core §16.12]") {
    const Deployment op;
    UserAgent alice(op);
    obtain_tokens(op, alice, authorization_request());
    for (const auto& entry : std::filesystem::directory_iterator(op.database_file().parent_path())) {
        CAPTURE(entry.path().filename().string());
        const std::string bytes = read_file(entry.path());
        for (const std::string client : {kWeb, kOther}) CHECK(bytes.find(secret_of(client)) == std::string::npos);
        CHECK(bytes.find(kAlicePassword) == std::string::npos);
    }
}

TEST_CASE("client authentication: only HTTP_AUTHORIZATION is the header [X20]") {
    const Deployment op;
    CgiRequest request = post_form(kNoCode.text());
    request.variables["REDIRECT_HTTP_AUTHORIZATION"] = basic(kWeb, secret_of(kWeb));
    CHECK(op.cgi("token", request).verdict() == kOut);
    request.variables = {{"REMOTE_USER", kWeb}, {"AUTH_TYPE", "Basic"}};
    CHECK(op.cgi("token", request).verdict() == kOut);
}

}  // namespace
