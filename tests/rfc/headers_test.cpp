// The headers of every kind of answer: what may be cached, framed, run, sent to the next site and read by another one.
// What the pages of clients may read is in cors_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "has.h"
#include "support/flow.h"
#include "support/html.h"
#include "usual_requests.h"
#include "util/text.h"

namespace {

using namespace postern::test;

struct Kind {
    std::string what;  ///< endpoint first
    Answer answer;
    bool is(const std::string& start) const { return what.starts_with(start); }
    bool is_page() const { return answer.header("Content-Type").starts_with("text/html"); }
};

/// Good and bad answers of each endpoint, and every answer of a user's way to the client.
class EveryKind {
public:
    explicit EveryKind(const Deployment& op) : op_(op), alice_(op) {
        visit_pages();
        call_as_client();
        for (const std::string& endpoint : kEndpoints) {
            add(endpoint, "usual", usual(endpoint));
            add(endpoint, "GET", {});
            add(endpoint, "form", post_form("x=y"));
            CgiRequest put = with_basic("");
            put.method = "PUT";
            add(endpoint, "PUT", put);
            std::string query;
            for (int i = 0; i < 200; ++i) query += "a=1&";
            add(endpoint, "with too many parameters", get_request(query));
        }
    }
    const std::vector<Kind>& kinds() const { return kinds_; }

private:
    void add(const std::string& endpoint, const std::string& when, const CgiRequest& request) {
        kinds_.push_back({endpoint + " " + when, op_.cgi(endpoint, request)});
    }

    /// Presses the button and remembers both the answer to that and the page behind it.
    Landing press(const Landing& page, const std::string& endpoint, const std::string& button,
                  const std::map<std::string, std::string>& typed = {}) {
        const Answer answer = alice_.send(op_.url(endpoint), alice_.form_of(page, button, typed));
        kinds_.push_back({endpoint + " POST " + button, answer});
        Landing next = alice_.follow(op_.url(endpoint), answer);
        kinds_.push_back({endpoint + " behind " + button, next.answer});
        return next;
    }

    void visit_pages() {
        const Query request = authorization_request();
        Landing page = alice_.authorize(request.with("prompt", "consent"));
        kinds_.push_back({"login page", page.answer});
        page = press(page, "login", "login", {{"username", kAlice}, {"password", "wrong"}});
        page = press(page, "login", "login", {{"username", kAlice}, {"password", kAlicePassword}});
        REQUIRE(page.verdict() == "consent");
        CHECK(press(page, "scopes", "deny").verdict() == "access_denied");
        page = alice_.authorize(request.with("response_mode", "form_post"));
        CHECK(press(page, "scopes", "approve").mode == "form_post");
        kinds_.push_back({"logout page", alice_.open(op_.url("logout")).answer});
        add("login", "without a request", get_request("resume=x"));
        for (const Query& refused :
             {Query{{"client_id", "nobody"}}, Query{{"resume", "x"}}, request.with("response_type", "x"),
              request.with("redirect_uri", "https://evil.example/")})
            add("authorize", refused.text(), get_request(refused.text()));
    }

    void call_as_client() {
        const Query code = token_request(alice_.obtain_code(authorization_request()));
        const Answer tokens = redeem(op_, code);
        REQUIRE(tokens.status == 200);
        kinds_.push_back({"token 200", tokens});
        kinds_.push_back({"token used code", redeem(op_, code)});
        const auto more = obtain_tokens(op_, alice_, authorization_request());
        const Query refresh = {{"grant_type", "refresh_token"}, {"refresh_token", text_of(more, "refresh_token")}};
        kinds_.push_back({"token 200 refresh", redeem(op_, refresh)});
        kinds_.push_back({"token 401", op_.cgi("token", post_form("grant_type=client_credentials"))});
        const std::string form = Query{{"token", text_of(more, "access_token")}}.text();
        kinds_.push_back({"userinfo 200", userinfo(op_, text_of(more, "access_token"))});
        for (const std::string endpoint : {"introspect", "revoke"}) {
            add(endpoint, "good", with_basic(form));
            add(endpoint, "without credentials", post_form(form));
            add(endpoint, "malformed", with_basic(""));
        }
    }

    const Deployment& op_;
    UserAgent alice_;
    std::vector<Kind> kinds_;
};

TEST_CASE(
    "every answer has a status, a type, its length, an id and the headers that keep it private [X03, H01, H05, H06, "
    "H10, H11, RFC 6749 §3.1d, §10.8, RFC 6750 §5.2b, OIDC Core §16.1, §16.5, §16.22]") {
    const Deployment op;
    const EveryKind every(op);
    CHECK(every.kinds().size() > 60);
    for (const auto& [what, answer] : every.kinds()) {
        CAPTURE(what);
        CHECK(answer.exit_code == 0);
        CHECK(answer.raw.starts_with("Status: "));
        CHECK(answer.status >= 200);
        CHECK(answer.header("X-Request-Id").size() >= 12);
        CHECK(answer.header("X-Content-Type-Options") == "nosniff");
        CHECK(answer.header("Referrer-Policy") == "no-referrer");
        CHECK(answer.header("Strict-Transport-Security") == "max-age=31536000");
        CHECK(answer.header("Content-Length") == std::to_string(answer.body.size()));
        if (!answer.body.empty()) CHECK_FALSE(answer.header("Content-Type").empty());
        const bool is_public = answer.status == 200 && (what.starts_with("discovery") || what.starts_with("jwks"));
        CHECK(answer.header("Cache-Control") == std::string(is_public ? "public, max-age=3600" : "no-store"));
        CHECK(answer.header("Pragma") == std::string(is_public ? "" : "no-cache"));
        for (const std::string name : {"Server", "X-Powered-By", "Via", "X-Generator", "X-Version", "X-Sendfile",
                                       "X-Accel-Redirect", "X-LIGHTTPD-send-file"})
            CHECK_FALSE(answer.has(name));
        for (const auto& header : answer.headers) {
            const std::string value = postern::util::to_lower(header.second);
            for (const std::string program : {"postern/", "openssl", "sqlite", "fcgi"})
                CHECK_FALSE(has(value, program));
        }
        if (answer.has("Location")) {
            CHECK(answer.raw.starts_with("Status: 303 "));  // continues with GET after every method
            CHECK(answer.location().starts_with("https://"));
        }
    }
    const auto redirects = [&](const std::string& start) {
        return std::ranges::count_if(every.kinds(),
                                     [&](const Kind& kind) { return kind.is(start) && kind.answer.has("Location"); });
    };
    CHECK(redirects("login POST login") == 1);  // the one behind the password
    CHECK(redirects("scopes POST deny") == 1);
    CHECK(redirects("authorize") >= 2);
    const Answer first = op.cgi("jwks");
    CHECK(op.cgi("jwks").header("X-Request-Id") != first.header("X-Request-Id"));
}

TEST_CASE(
    "pages cannot be framed, run only what they contain under its hash, and load nothing [H02, H03, H04, H05, L20, RFC "
    "6749 §10.13, OIDC Core §3.1.2.3d]") {
    const Deployment op;
    const EveryKind every(op);
    int pages = 0;
    int scripts = 0;
    for (const Kind& kind : every.kinds()) {
        CAPTURE(kind.what);
        const auto& [what, answer] = kind;
        const std::string policy = answer.header("Content-Security-Policy");
        CHECK_FALSE(has(policy, "form-action"));  // browsers apply it to the redirects behind a form
        if (!kind.is_page()) continue;
        ++pages;
        CHECK(answer.header("X-Frame-Options") == "DENY");
        CHECK(answer.header("Content-Type") == "text/html; charset=utf-8");
        bool allows_script = false;
        for (const auto part : postern::util::split(policy, ';')) {
            const std::string directive(postern::util::trim(part));
            CAPTURE(directive);
            const bool is_hash =
                directive.starts_with("style-src 'sha256-") || directive.starts_with("script-src 'sha256-");
            CHECK((is_hash || directive == "default-src 'none'" || directive == "base-uri 'none'" ||
                   directive == "frame-ancestors 'none'"));
            // One hash for each script of the page, and nothing else.
            const std::string sources = is_hash ? directive.substr(directive.find(' ') + 1) : "";
            if (is_hash)
                for (const auto source : postern::util::split(sources, ' ')) CHECK(source.starts_with("'sha256-"));
            allows_script = allows_script || directive.starts_with("script-src");
        }
        for (const std::string directive : {"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"})
            CHECK(has(policy, directive));
        const auto script = find_tags(answer.body, "script");
        CHECK(allows_script == !script.empty());
        if (allows_script) ++scripts;
        for (const Attributes& attributes : script) CHECK_FALSE(attributes.contains("src"));
        CHECK_FALSE(has(answer.body, "javascript:"));
        for (const std::string tag : {"img", "iframe", "object", "embed"}) CHECK(find_tags(answer.body, tag).empty());
        for (const std::string tag : {"html", "body", "main", "form", "input", "button", "a", "link", "p", "div"}) {
            for (const Attributes& attributes : find_tags(answer.body, tag)) {
                for (const auto& [name, value] : attributes) {
                    CAPTURE(name);
                    CHECK_FALSE(name.starts_with("on"));
                    CHECK_FALSE((name == "src" || name == "srcset" || name == "poster" || name == "background"));
                    // These two lead on, to pages of this server.
                    const bool leads_on = attributes.contains("id") &&
                                          (attributes.at("id") == "sign-out" || attributes.at("id") == "other-account");
                    if (name == "href" && !(leads_on && value.starts_with(op.issuer() + "/")))
                        CHECK((value.starts_with("#") || value.starts_with("data:")));
                }
            }
        }
    }
    CHECK(pages > 10);
    CHECK(scripts > 0);  // the page of form_post that submits itself
    const auto has_ids = [&](const std::string& page, const std::vector<std::string>& ids) {
        return std::ranges::any_of(every.kinds(), [&](const Kind& kind) {
            return kind.is(page) &&
                   std::ranges::all_of(ids, [&](const std::string& id) { return has_id(kind.answer.body, id); });
        });
    };
    CHECK(has_ids("login page", {"username", "password", "login"}));
    CHECK(has_ids("login behind login", {"approve", "deny"}));
}

TEST_CASE(
    "pages and the authorization endpoint are closed to other origins, with and without a preflight [H07, F2-57]") {
    const Deployment op;
    for (const std::string endpoint : {"authorize", "login", "scopes", "logout"}) {
        for (const std::string method : {"GET", "POST", "OPTIONS"}) {
            for (const std::string& origin : {std::string("https://app.example"), std::string("https://x.example"),
                                              std::string("null"), op.issuer()}) {
                CAPTURE(endpoint);
                CAPTURE(method);
                CAPTURE(origin);
                CgiRequest request = usual(endpoint);
                request.method = method;
                request.headers = {{"Origin", origin}, {"Access-Control-Request-Method", "GET"}};
                const Answer answer = op.cgi(endpoint, request);
                CHECK(answer.exit_code == 0);
                for (const auto& header : answer.headers) CHECK_FALSE(header.first.starts_with("Access-Control-"));
            }
        }
    }
}

}  // namespace
