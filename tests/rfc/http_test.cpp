// HTTP and CGI as every endpoint speaks it (RFC 3875, RFC 9110): requests read strictly, answers written in one way.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "has.h"
#include "json/writer.h"
#include "support/flow.h"
#include "support/html.h"
#include "usual_requests.h"

namespace {

using namespace postern::test;

TEST_CASE("query words never become options [RFC 3875 §4.4, X01]") {
    const Deployment op;
    for (const std::string& endpoint : kEndpoints) {
        const Answer plain = op.cgi(endpoint, {});
        for (const std::string word : {"--help", "--version", "-h", "-c/tmp/evil.conf", "-c+/tmp/evil.conf",
                                       "--config=/tmp/evil.conf", "init"}) {
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
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const std::string before = op.cgi("discovery").body;
    const auto add_headers = [](CgiRequest& request) {
        for (const std::string name : {"Proxy", "Http-Proxy", "Https-Proxy", "All-Proxy"})
            request.headers.emplace_back(name, "http://127.0.0.1:1");
        for (const std::string name : {"Postern-Config", "OAuth-Config", "Config", "Sqlite-Tmpdir", "Openssl-Conf",
                                       "Ld-Preload", "Issuer", "Database"})
            request.headers.emplace_back(name, "/tmp/evil");
    };
    CgiRequest request;
    add_headers(request);
    CHECK(op.cgi("discovery", request).body == before);
    CgiRequest claims = bearer(text_of(tokens, "access_token"));
    add_headers(claims);
    CHECK(op.cgi("userinfo", claims).status == 200);
    CgiRequest refresh =
        with_basic(Query{{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}}.text());
    add_headers(refresh);
    CHECK(op.cgi("token", refresh).status == 200);
    request.variables = {{"POSTERN_CONFIG", std::nullopt}, {"HTTP_POSTERN_CONFIG", op.config_file().string()}};
    const Answer without = op.cgi("discovery", request);
    // What the default file says, if this machine has one, is about another installation.
    CHECK((without.status == 500 || std::filesystem::exists("/etc/postern/postern.json")));
    CHECK(without.body != before);
}

TEST_CASE("a loopback issuer over http promises no https") {
    const Deployment op({.issuer = "http://127.0.0.1:8080"});
    CHECK_FALSE(op.cgi("discovery").has("Strict-Transport-Security"));
    UserAgent alice(op);
    CHECK(alice.sign_in(authorization_request()).verdict() == "code");
    for (const auto& cookie : alice.cookies()) CHECK_FALSE(cookie.first.starts_with("__Host-"));
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
        {"no length and no body", std::nullopt, "", 411},  // which may be a lost one
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
    const Query credentials = {{"client_id", kWeb}, {"client_secret", secret_of(kWeb)}};
    const Query request = token_request(alice.obtain_code(authorization_request()));
    const Query exchange = request.with("client_id", kWeb).with("client_secret", secret_of(kWeb));
    const Query about = credentials.with("token", "x");
    const auto send = [&](const std::string& endpoint, const std::string& type, const Query& form) {
        CgiRequest call = post_form(form.text());
        call.content_type = type;
        return op.cgi(endpoint, call).verdict();
    };
    const std::string form = "application/x-www-form-urlencoded";
    for (const std::string& type :
         {std::string("application/json"), std::string("text/plain"), std::string("multipart/form-data; boundary=x"),
          std::string(), form + "x", "x" + form, form + "/x", form + ", text/plain", form + "; charset=utf-16",
          form + "; charset=iso-8859-15; charset=utf-32", form + "; charset=utf-7", form + "; charset=\"utf-16\""}) {
        CAPTURE(type);
        CHECK(send("token", type, exchange) == "400 invalid_request");
        CHECK(send("introspect", type, about) == "400 invalid_request");
        CHECK(send("revoke", type, about) == "400 invalid_request");
    }
    for (const std::string& type : {form, form + "; charset=UTF-8", form + ";charset=\"utf-8\"", form + "; boundary=x",
                                    form + "; charset=us-ascii", form + " ; charset=iso-8859-1",
                                    std::string("APPLICATION/X-WWW-FORM-URLENCODED; Charset=\"UTF-8\"")}) {
        CAPTURE(type);
        CHECK(send("introspect", type, about) == "200");
        CHECK(send("revoke", type, about) == "200");
    }
    CHECK(send("token", form + ";charset=\"utf-8\"", exchange) == "200");  // the code was left alone
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
        {"a client_id of 64 KB", get_request("client_id=" + std::string(64000, 'x'))},
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
    const auto repeated = [](const std::string& text, std::size_t times) {
        std::string all;
        while (times-- > 0) all += text;
        return all;
    };
    const std::vector<std::pair<std::string, int>> bodies = {
        {repeated("a=1&", 100000), 413},
        {repeated("a=1&", 16000), 400},
        {std::string(60000, 'n') + "=1", 400},
        {"grant_type=" + std::string(60000, 'v'), 400},
        {"grant_type=client_credentials&scope=" + repeated("a+", 30000), 400},
    };
    for (const auto& row : bodies) {
        CAPTURE(row.first.substr(0, 50));
        CHECK(op.cgi("token", with_basic(row.first)).status == row.second);
    }
    // The limit applies to a header that the endpoint reads; it ignores all others.
    CgiRequest header = usual("token");
    for (const std::string& value : {std::string(32000, 'a'), "Basic " + std::string(20000, 'A')}) {
        header.headers = {{"Authorization", value}};
        CHECK(op.cgi("token", header).status == 431);
    }
}

TEST_CASE(
    "wrong methods are 405 with the right ones in Allow, have no effect, and no header overrides the method [RFC 9110 "
    "§15.5.6, X17]") {
    const SignedIn r;
    struct Row {
        std::string endpoint;
        std::vector<const char*> refused;
        std::string allowed;
    };
    const std::vector<Row> rows = {
        {"authorize", {"POST", "PUT", "DELETE", "TRACE", "OPTIONS", "get"}, "GET"},
        {"login", {"PUT", "DELETE", "HEAD", "OPTIONS"}, "GET, POST"},
        {"scopes", {"PUT", "DELETE", "HEAD", "OPTIONS"}, "GET, POST"},
        {"token", {"GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE"}, "POST"},
        {"introspect", {"GET", "HEAD", "PUT", "DELETE", "TRACE", "OPTIONS"}, "POST"},
        {"revoke", {"GET", "HEAD", "PUT", "DELETE", "TRACE"}, "POST"},
        {"userinfo", {"PUT", "DELETE", "TRACE"}, "GET, POST"},
        {"discovery", {"POST", "PUT", "DELETE"}, "GET, HEAD"},
        {"jwks", {"POST", "PUT", "DELETE"}, "GET, HEAD"},
    };
    const std::string form = Query{
        {"grant_type", "refresh_token"},
        {"refresh_token", r.refresh_token()},
        {"token", r.refresh_token()},
        {"_method", "POST"}}.text();
    for (const Row& row : rows) {
        for (const std::string method : row.refused) {
            CAPTURE(row.endpoint);
            CAPTURE(method);
            CgiRequest request = row.endpoint == "authorize" ? usual("authorize") : with_basic(form);
            if (row.endpoint != "authorize") request.query = form;
            request.method = method;
            for (const std::string name : {"X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"})
                request.headers.emplace_back(name, row.allowed.substr(0, row.allowed.find(',')));
            const Answer answer = r.op.cgi(row.endpoint, request);
            CHECK(answer.status == 405);
            CHECK(has(answer.header("Allow"), row.allowed));
            CHECK(answer.exit_code == 0);
        }
    }
    CgiRequest post = post_form(authorization_request().text());
    post.query = "_method=GET";
    CHECK(r.op.cgi("authorize", post).status == 405);
    CHECK(is_active(r.op, r.access_token()));
    CHECK(is_active(r.op, r.refresh_token()));
}

TEST_CASE("an executable answers its own path and no other [IF80, X19]") {
    const Deployment op;
    for (const std::string& endpoint : kEndpoints) {
        const std::string own = op.path_of(endpoint);
        for (const std::string& path :
             {own + "/x", own + "/", own + "/..", own + "/..;/jwks", own + ";a=b", own + ".json", own + "//",
              own + "%2fintrospect", own + "/%0a", "/" + own, own + ".", own + "%00", std::string("/"), std::string(""),
              std::string("/other"), std::string("/cgi-bin") + own}) {
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
    const Deployment op({.issuer = "https://op.example/auth"});
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
    CHECK_FALSE(has(answer.raw, "evil.example"));
    CHECK(has(answer.header("Set-Cookie"), "Secure"));
    CHECK_FALSE(has(op.cgi("discovery", request).raw, "evil.example"));
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
        CHECK_FALSE(has(page->answer.body, "<img"));
        CHECK_FALSE(has(page->answer.body, "<b>"));
        CHECK_FALSE(has(page->answer.body, "\xe2\x80\xae"));
        CHECK(has(visible_text(page->answer.body), name));
    }
    CHECK(find_form(again.answer.body)->fields.at("username") == "<b>{{csrf}}\"'");
}

TEST_CASE("quotes, line separators and tags in claims and descriptions are JSON, and inert in a browser [X31]") {
    const std::string odd =
        "\"quoted\" \\back\\ \xe2\x80\xa8\xe2\x80\xa9 </script><script>alert(1)</script> \xc3\xa9 \xf0\x9f\x98\x80";
    const Deployment op({.config = {{"scopeDescriptions", postern::json::Object{{"api", odd}}}}});
    op.must({"user", "add", "odd", "--password-stdin", "--claims-stdin"},
            "a long enough password\n" + postern::json::write(postern::json::Object{{"name", odd}}) + "\n");
    UserAgent browser(op);
    const Landing consent =
        browser.log_in(browser.authorize(authorization_request().with("scope", "openid profile api")), "odd",
                       "a long enough password");
    REQUIRE(consent.verdict() == "consent");
    CHECK_FALSE(has(consent.answer.body, "<script>alert"));
    const Answer tokens = redeem(op, token_request(browser.approve(consent).parameter("code")));
    REQUIRE(tokens.status == 200);
    const Answer claims = userinfo(op, tokens.member("access_token"));
    CHECK(claims.member("name") == odd);
    const Answer refused = op.cgi(
        "token",
        with_basic(Query{{"grant_type", "client_credentials"}, {"scope", "a\"b \\ </script>"}}.text(), kMachine));
    CHECK(refused.verdict() == "400 invalid_scope");
    for (const Answer& answer : {tokens, claims, refused, op.cgi("discovery"), op.cgi("jwks")}) {
        CHECK(answer.header("Content-Type").starts_with("application/json"));
        CHECK(answer.header("X-Content-Type-Options") == "nosniff");
        for (const std::string text : {"<", "\xe2\x80\xa8", "\xe2\x80\xa9"}) CHECK_FALSE(has(answer.body, text));
    }
}

}  // namespace
