// HTTP and CGI as every endpoint speaks it (RFC 3875, RFC 9110): requests read strictly, answers written in one way.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "json/writer.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

const std::vector<const char*> kEndpoints = {"authorize", "login",    "scopes",    "token", "introspect",
                                             "revoke",    "userinfo", "discovery", "jwks",  "logout"};

/// A request that each endpoint answers in its own way: success or a refusal of its own.
CgiRequest usual(const std::string& endpoint) {
    if (endpoint == "authorize") return get_request(authorization_request().text());
    if (endpoint == "token") return with_basic("grant_type=authorization_code&code=x");
    if (endpoint == "introspect" || endpoint == "revoke") return with_basic("token=x");
    if (endpoint == "userinfo") return bearer("x");
    return {};
}

TEST_CASE("query words never become options [RFC 3875 §4.4, X01]") {
    const Deployment op;
    for (const std::string endpoint : kEndpoints) {
        const Answer plain = op.cgi(endpoint, {});
        for (const std::string word :
             {"--help", "--version", "-h", "-c/tmp/evil.conf", "--config=/tmp/evil.conf", "init"}) {
            CAPTURE(endpoint);
            CAPTURE(word);
            CgiRequest request = get_request(word);
            request.arguments = {word};
            const Answer answer = op.cgi(endpoint, request);
            CHECK(answer.status == plain.status);
            CHECK(answer.exit_code == 0);
            CHECK(answer.body.size() == plain.body.size());
        }
    }
}

TEST_CASE("the configuration never comes from a request [RFC 3875 §4.1, X02]") {
    const Deployment op;
    const std::string before = op.cgi("discovery").body;
    CgiRequest request;
    for (const std::string name :
         {"Proxy", "Postern-Config", "Config", "Sqlite-Tmpdir", "Openssl-Conf", "Issuer", "Database"})
        request.headers.emplace_back(name, "/tmp/evil");
    CHECK(op.cgi("discovery", request).body == before);
    request.variables = {{"POSTERN_CONFIG", std::nullopt}, {"HTTP_POSTERN_CONFIG", op.config_file().string()}};
    const Answer without = op.cgi("discovery", request);
    // What the default file says, if this machine has one, is about another installation.
    CHECK((without.status == 500 || std::filesystem::exists("/etc/postern/postern.json")));
    CHECK(without.body != before);
}

TEST_CASE(
    "every answer has a status, a type, its length, an id and the headers that keep it private [X03, H01, H05, H06, "
    "H11, RFC 6749 §3.1d, §10.8, RFC 6750 §5.2b, OIDC Core §16.1, §16.5, §16.22]") {
    const Deployment op;
    for (const std::string endpoint : kEndpoints) {
        for (const CgiRequest& request : {usual(endpoint), CgiRequest{}, post_form("x=y")}) {
            CAPTURE(endpoint);
            CAPTURE(request.method);
            const Answer answer = op.cgi(endpoint, request);
            CHECK(answer.exit_code == 0);
            CHECK(answer.raw.starts_with("Status: "));
            CHECK(answer.status >= 200);
            CHECK(answer.header("X-Request-Id").size() >= 12);
            CHECK(answer.header("X-Content-Type-Options") == "nosniff");
            CHECK(answer.header("Referrer-Policy") == "no-referrer");
            CHECK(answer.header("Strict-Transport-Security").find("max-age=31536000") != std::string::npos);
            CHECK(answer.header("Content-Length") == std::to_string(answer.body.size()));
            if (!answer.body.empty()) CHECK_FALSE(answer.header("Content-Type").empty());
            const bool is_public =
                answer.status == 200 && (std::string(endpoint) == "discovery" || std::string(endpoint) == "jwks");
            CHECK((answer.header("Cache-Control") == "no-store") == !is_public);
            for (const std::string name :
                 {"Server", "X-Powered-By", "X-Sendfile", "X-Accel-Redirect", "X-LIGHTTPD-send-file"})
                CHECK_FALSE(answer.has(name));
            if (answer.has("Location")) {
                CHECK(answer.status == 303);
                CHECK(answer.location().starts_with("https://"));
            }
        }
    }
    const Answer first = op.cgi("jwks");
    CHECK(op.cgi("jwks").header("X-Request-Id") != first.header("X-Request-Id"));
}

TEST_CASE("a loopback issuer over http promises no https") {
    Deployment::Options options;
    options.issuer = "http://127.0.0.1:8080";
    const Deployment op(options);
    CHECK_FALSE(op.cgi("discovery").has("Strict-Transport-Security"));
    UserAgent alice(op);
    CHECK(alice.sign_in(authorization_request()).verdict() == "code");
    for (const auto& cookie : alice.cookies()) CHECK_FALSE(cookie.first.starts_with("__Host-"));
}

TEST_CASE("no byte of a request becomes a header of the answer [X04, X05, RFC 6749 §10.14]") {
    const Deployment op;
    const std::vector<const char*> attacks = {"a%0d%0aSet-Cookie:%20evil=1",
                                              "a%0aX-Sendfile:%20/etc/passwd",
                                              "a%0dX-Accel-Redirect:%20/x",
                                              "a%00b",
                                              "%E5%98%8A%E5%98%8DSet-Cookie:%20evil=1",
                                              "a%7fb",
                                              "a%1bb"};
    for (const std::string attack : attacks) {
        for (const std::string name : {"state", "scope", "redirect_uri", "client_id", "nonce", "prompt",
                                       "response_type", "login_hint", "resume"}) {
            CAPTURE(attack);
            CAPTURE(name);
            const Query request = authorization_request().without(name).raw(std::string(name) + "=" + attack);
            const Answer answer = op.cgi("authorize", get_request(request.text()));
            CHECK(answer.exit_code == 0);
            CHECK(answer.status != 500);
            for (const auto& [header, value] : answer.headers) {
                CHECK(value.find("evil=1") == std::string::npos);
                CHECK(header != "X-Sendfile");
                CHECK(header != "X-Accel-Redirect");
                for (const char c : value) CHECK((c >= 0x20 && c < 0x7f));
            }
        }
    }
}

TEST_CASE("a body has the length that was announced, up to 64 KiB [RFC 3875 §4.2, X06, X07]") {
    const Deployment op;
    const std::string form = "grant_type=authorization_code";
    struct Row {
        std::string when;
        std::optional<std::string> length;
        std::string body;
        int status;
    };
    const std::vector<Row> rows = {
        {"as announced", std::to_string(form.size()), form, 401},
        {"no length and no body", std::nullopt, "", 401},
        {"zero", "0", "", 401},
        {"shorter than announced", "500", form, 400},
        {"minus one", "-1", form, 400},
        {"exponent", "1e9", form, 400},
        {"too large for any number", "99999999999999999999", form, 400},
        {"hexadecimal", "0x10", form, 400},
        {"plus", "+5", form, 400},
        {"a blank", " 5", form, 400},
        {"a list", "29, 29", form, 400},
        {"exactly the cap", "65536", form + "&x=" + std::string(65536 - form.size() - 3, 'x'), 401},
        {"a byte over the cap", "65537", form + "&x=" + std::string(65537 - form.size() - 3, 'x'), 413},
        {"1 MB", "1048576", std::string(1048576, 'x'), 413},
        {"announced beyond the cap, not sent", "1000000000", form, 413},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CgiRequest request = post_form(row.body);
        request.variables["CONTENT_LENGTH"] = row.length;
        const Answer answer = op.cgi("token", request);
        CHECK(answer.status == row.status);
        CHECK(answer.exit_code == 0);
    }
    // A server that cuts chunked bodies loose sends no length: the body is not taken for an empty one.
    CgiRequest chunked = with_basic(form);
    chunked.variables = {{"CONTENT_LENGTH", std::nullopt}, {"HTTP_TRANSFER_ENCODING", "chunked"}};
    const Answer answer = op.cgi("token", chunked);
    CHECK((answer.status == 411 || answer.verdict() == "400 invalid_request"));
    // Bytes behind the announced ones are another request's.
    CgiRequest longer = with_basic(form + "&grant_type=x");
    longer.variables["CONTENT_LENGTH"] = std::to_string(form.size());
    CHECK(op.cgi("token", longer).verdict() == "400 invalid_request");
}

TEST_CASE("only form bodies are read [IF81, RFC 6749 §3.2f, §4.1.3, §B, X09]") {
    const Deployment op;
    UserAgent alice(op);
    const Query request = token_request(alice.obtain_code(authorization_request()));
    const std::string form = request.with("client_id", kWeb).with("client_secret", secret_of(kWeb)).text();
    const auto status = [&](const std::string& type, const std::string& body) {
        CgiRequest call = post_form(body);
        call.content_type = type;
        return op.cgi("token", call).status;
    };
    for (const std::string type :
         {"application/json", "text/plain", "multipart/form-data; boundary=x", "", "application/x-www-form-urlencodedx",
          "application/x-www-form-urlencoded, text/plain"}) {
        CAPTURE(type);
        const int got = status(type, form);
        CHECK((got == 400 || got == 415));
    }
    CHECK(status("application/x-www-form-urlencoded; charset=utf-16", form) == 400);
    CHECK(status("application/x-www-form-urlencoded; charset=iso-8859-1", form) == 400);
    CHECK(status("APPLICATION/X-WWW-FORM-URLENCODED; Charset=\"UTF-8\"", form) == 200);  // the code was left alone
    CHECK(redeem(op, token_request(alice.obtain_code(authorization_request()))).status == 200);
}

TEST_CASE("numbers and sizes are bounded [X16]") {
    const Deployment op;
    std::string many = authorization_request().text();
    for (int i = 0; i < 10000; ++i) many += "&a=1";
    struct Row {
        std::string when;
        CgiRequest request;
    };
    std::vector<Row> rows = {
        {"10 000 parameters", get_request(many)},
        {"a name of 60 KB", get_request(std::string(60000, 'n') + "=1")},
        {"a query of 100 KB", get_request("x=" + std::string(100000, 'x'))},
        {"separators only", get_request(std::string(60000, '&'))},
    };
    CgiRequest cookie = usual("authorize");
    cookie.headers = {{"Cookie", std::string(20000, 'c')}};
    rows.push_back({"a cookie of 20 KB", cookie});
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Answer answer = op.cgi("authorize", row.request);
        CHECK(answer.exit_code == 0);
        CHECK((answer.status == 400 || answer.status == 413 || answer.status == 414 || answer.status == 431));
    }
    // Where the header is read; elsewhere nobody looks at it.
    CgiRequest header = usual("token");
    header.headers = {{"Authorization", std::string(32000, 'a')}};
    CHECK(op.cgi("token", header).status == 431);
}

TEST_CASE("wrong methods are 405 and name the right ones [RFC 9110 §15.5.6, X17]") {
    const Deployment op;
    struct Row {
        std::string endpoint;
        std::vector<const char*> refused;
        std::string allowed;
    };
    const std::vector<Row> rows = {
        {"authorize", {"POST", "PUT", "DELETE", "TRACE", "OPTIONS", "get"}, "GET"},
        {"login", {"PUT", "DELETE", "HEAD", "OPTIONS"}, "GET, POST"},
        {"scopes", {"PUT", "DELETE", "HEAD", "OPTIONS"}, "GET, POST"},
        {"token", {"GET", "PUT", "DELETE", "TRACE"}, "POST"},
        {"introspect", {"GET", "HEAD", "PUT", "DELETE", "TRACE", "OPTIONS"}, "POST"},
        {"revoke", {"GET", "HEAD", "PUT", "DELETE", "TRACE"}, "POST"},
        {"userinfo", {"PUT", "DELETE", "TRACE"}, "GET, POST"},
        {"discovery", {"POST", "PUT", "DELETE"}, "GET, HEAD"},
        {"jwks", {"POST", "PUT", "DELETE"}, "GET, HEAD"},
    };
    for (const Row& row : rows) {
        for (const std::string method : row.refused) {
            CAPTURE(row.endpoint);
            CAPTURE(method);
            CgiRequest request = usual(row.endpoint);
            request.method = method;
            request.headers.emplace_back("X-HTTP-Method-Override", "GET");
            const Answer answer = op.cgi(row.endpoint, request);
            CHECK(answer.status == 405);
            CHECK(answer.header("Allow").find(row.allowed) != std::string::npos);
            CHECK(answer.exit_code == 0);
        }
    }
}

TEST_CASE("an executable answers its own path and no other [IF80, X19]") {
    const Deployment op;
    for (const std::string endpoint : kEndpoints) {
        const std::string own = op.path_of(endpoint);
        for (const std::string& path : {own + "/x", own + "/", own + "/..;/jwks", own + ";a=b", own + "%2fintrospect",
                                        own + "/%0a", "/" + own, own + ".", own + "%00", std::string("/"),
                                        std::string(""), std::string("/other"), std::string("/cgi-bin") + own}) {
            CAPTURE(endpoint);
            CAPTURE(path);
            CgiRequest request = usual(endpoint);
            request.path = path;
            if (path.empty()) request.variables = {{"REQUEST_URI", "?x"}, {"SCRIPT_NAME", ""}};
            CHECK(op.cgi(endpoint, request).status == 404);
        }
        std::string upper = own;
        for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        CgiRequest request = usual(endpoint);
        request.path = upper;
        CHECK(op.cgi(endpoint, request).status == 404);
    }
    // PATH_INFO and SCRIPT_NAME, which servers decode, have no say.
    CgiRequest request = usual("jwks");
    request.variables = {{"SCRIPT_NAME", "/token"}, {"PATH_INFO", "/x"}, {"PATH_TRANSLATED", "/etc/passwd"}};
    CHECK(op.cgi("jwks", request).status == 200);
}

TEST_CASE("a base path may have been taken away by a proxy") {
    Deployment::Options options;
    options.issuer = "https://op.example/auth";
    const Deployment op(options);
    CgiRequest request;
    for (const std::string path : {"/auth/jwks", "/jwks"}) {
        request.path = path;
        CHECK(op.cgi("jwks", request).status == 200);
    }
    for (const std::string path : {"/auth/auth/jwks", "/authjwks", "/auth", "/other/jwks"}) {
        CAPTURE(path);
        request.path = path;
        CHECK(op.cgi("jwks", request).status == 404);
    }
}

TEST_CASE(
    "Host, X-Forwarded-* and Forwarded change no address that is built [X22, X23, RFC 8414 §6.2a, Discovery §7.2]") {
    const Deployment op;
    CgiRequest request = get_request(authorization_request().text());
    for (const std::string name : {"Host", "X-Forwarded-Host", "X-Forwarded-Server", "X-Original-Host", "Forwarded"})
        request.headers.emplace_back(name, "evil.example");
    request.headers.emplace_back("X-Forwarded-Proto", "http");
    request.headers.emplace_back("X-Original-URL", "/jwks");
    request.headers.emplace_back("X-Rewrite-URL", "/jwks");
    request.variables = {{"SERVER_NAME", "evil.example"}, {"HTTPS", std::nullopt}, {"SERVER_PORT", "80"}};
    const Answer answer = op.cgi("authorize", request);
    CHECK(verdict_of(op, answer) == "login");
    CHECK(answer.raw.find("evil.example") == std::string::npos);
    CHECK(answer.header("Set-Cookie").find("Secure") != std::string::npos);
    CHECK(op.cgi("discovery", request).raw.find("evil.example") == std::string::npos);
}

TEST_CASE("two Authorization headers do not authorize [RFC 9110 §5.3, X21]") {
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const std::string good = "Bearer " + text_of(tokens, "access_token");
    for (const std::string& joined : {good + ", " + good, "Basic eDp5, " + good, good + ", Basic eDp5"}) {
        CgiRequest request;
        request.headers = {{"Authorization", joined}};
        const Answer answer = op.cgi("userinfo", request);
        CHECK((answer.status == 400 || answer.status == 401));
    }
}

TEST_CASE(
    "pages cannot be framed, run no script and load nothing [H02, H03, H04, L20, RFC 6749 §10.13, OIDC Core "
    "§3.1.2.3d]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request());
    const Landing consent = alice.log_in(login);
    const Landing error = alice.open(op.url("authorize"));
    for (const Landing* page : {&login, &consent, &error}) {
        CAPTURE(page->url);
        const std::string policy = page->answer.header("Content-Security-Policy");
        CHECK(policy.find("default-src 'none'") != std::string::npos);
        CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
        CHECK(policy.find("base-uri 'none'") != std::string::npos);
        CHECK(policy.find("unsafe-inline") == std::string::npos);
        CHECK(policy.find("form-action") == std::string::npos);  // browsers apply it to the redirects behind a form
        CHECK(page->answer.header("X-Frame-Options") == "DENY");
        CHECK(page->answer.header("Content-Type") == "text/html; charset=utf-8");
        CHECK(page->answer.body.find("<script") == std::string::npos);
        for (const std::string tag : {"img", "iframe", "object", "embed"})
            CHECK(find_tags(page->answer.body, tag).empty());
        for (const Attributes& link : find_tags(page->answer.body, "link")) CHECK(link.at("href").starts_with("data:"));
    }
    CHECK(has_id(login.answer.body, "username"));
    CHECK(has_id(login.answer.body, "password"));
    CHECK(has_id(login.answer.body, "login"));
    CHECK(has_id(consent.answer.body, "approve"));
    CHECK(has_id(consent.answer.body, "deny"));
}

TEST_CASE("pages and the authorization endpoint are closed to other origins [H07]") {
    const Deployment op;
    for (const std::string endpoint : {"authorize", "login", "scopes"}) {
        for (const std::string method : {"GET", "OPTIONS"}) {
            CgiRequest request = usual(endpoint);
            request.method = method;
            request.headers = {{"Origin", "https://app.example"}, {"Access-Control-Request-Method", "GET"}};
            const Answer answer = op.cgi(endpoint, request);
            for (const auto& header : answer.headers) CHECK_FALSE(header.first.starts_with("Access-Control-"));
        }
    }
}

TEST_CASE("token and userinfo let no strange page read them [H09]") {
    const Deployment op;
    for (const std::string endpoint : {"token", "userinfo"}) {
        for (const std::string origin : {"null", "https://evil.example", "https://app.example.evil.example"}) {
            CAPTURE(endpoint);
            CAPTURE(origin);
            CgiRequest request = usual(endpoint);
            request.headers.emplace_back("Origin", origin);
            const Answer answer = op.cgi(endpoint, request);
            CHECK_FALSE(answer.has("Access-Control-Allow-Origin"));
            CHECK_FALSE(answer.has("Access-Control-Allow-Credentials"));
        }
    }
}

TEST_CASE("names and texts are shown, never run [L13, L14, RFC 6749 §10.14]") {
    const Deployment op;
    const std::string name = "<img src=x onerror=alert(1)> '\"; {{issuer}} ${7*7} %s live";
    op.must({"client", "set", kWeb, "--name", name});
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request());
    const Landing again = alice.log_in(login, "<b>{{csrf}}\"'\xe2\x80\xae", "wrong");
    const Landing consent = alice.log_in(again);
    CHECK(consent.verdict() == "consent");
    for (const Landing* page : {&login, &again, &consent}) {
        CHECK(page->answer.body.find("<img") == std::string::npos);
        CHECK(page->answer.body.find("<b>") == std::string::npos);
        CHECK(page->answer.body.find("\xe2\x80\xae") == std::string::npos);
        CHECK(visible_text(page->answer.body).find(name) != std::string::npos);
    }
    CHECK(find_form(again.answer.body)->fields.at("username") == "<b>{{csrf}}\"'");
}

}  // namespace
