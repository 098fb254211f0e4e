// The gate in front of one site, from the first question to the sign-out.
#include "web/gate/gate.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crypto/digest.h"
#include "db/write.h"
#include "gate/check.h"
#include "gate/cookies.h"
#include "gate/site.h"
#include "http/url.h"
#include "oauth/access_token.h"
#include "oauth/grant_authorization_code.h"
#include "oauth/issue_grant.h"
#include "oidc/logout_request.h"
#include "refusal/reason.h"
#include "store/clients.h"
#include "store/sessions.h"
#include "store/users.h"
#include "support/rules_fixture.h"
#include "unit/pages/recorded_pages.h"
#include "util/base64.h"
#include "web/gate/small_page.h"
#include "web/gate/visit.h"

using namespace postern;
using Variables = std::map<std::string, std::string, std::less<>>;

namespace {

const Variables kPage = {{"HTTP_SEC_FETCH_MODE", "navigate"}, {"HTTP_SEC_FETCH_DEST", "document"}};
const gate::SiteUrl kWiki{"https://wiki.example", "/"};

std::string word_of(const http::Response& answer) {
    return answer.refusal ? refusal::row_of(answer.refusal->reason).word : "";
}

std::string header_of(const http::Response& answer, std::string_view name) {
    const std::string* value = answer.find(name);
    return value ? *value : "";
}

/// A browser, the web server of a wiki, and the provider behind both.
struct Wiki {
    test::RulesFixture fixture;
    test::RecordedBook book;
    model::User alice = fixture.add_user("alice");
    model::Session session = fixture.add_session(alice, "cookie");
    std::map<std::string, std::string> cookies;  ///< of the browser, for the wiki
    std::optional<model::Session> used;          ///< by the last answer

    Wiki() {
        fixture.settings.paths.gate = "/gate";
        add("wiki", kWiki);
    }
    void add(const char* id, const gate::SiteUrl& url) { fixture.add(gate::new_site(id, url)); }

    http::Response send(const http::Request& asked) {
        http::Request request = asked;
        for (const auto& [name, value] : cookies)
            request.cookie += (request.cookie.empty() ? "" : "; ") + name + "=" + value;
        oauth::Context context = fixture.context();
        auto answer = web::answer_gate(context, book, request);
        used = answer.used;
        for (const auto& [name, value] : answer.response.headers)
            if (name == "Set-Cookie") keep(value);
        return answer.response;
    }
    void keep(const std::string& line) {
        const std::size_t equals = line.find('=');
        const std::string name = line.substr(0, equals);
        if (line.find("Max-Age=0") != std::string::npos)
            cookies.erase(name);
        else
            cookies[name] = line.substr(equals + 1, line.find(';') - equals - 1);
    }

    /// An authorizer's question about that address.
    static http::Request question(const std::string& uri, const Variables& headers = kPage,
                                  const char* method = "GET") {
        http::Request request;
        request.is_question = true;
        request.method = http::parse_method(method);
        request.server_variables = headers;
        request.server_variables["POSTERN_GATE_SITE"] = kWiki.origin;
        request.server_variables["REQUEST_URI"] = uri;
        request.server_variables["REQUEST_METHOD"] = method;
        return request;
    }
    /// A request for an address below `.postern/`.
    static http::Request own(const std::string& uri, const char* method = "GET") {
        http::Request request = question(uri, kPage, method);
        request.is_question = false;
        return request;
    }
    static http::Request subrequest(const std::string& uri, const Variables& headers = kPage,
                                    const char* method = "GET") {
        http::Request request = question("/gate", headers, "GET");
        request.is_question = false;
        request.server_variables["POSTERN_GATE_URI"] = uri;
        request.server_variables["POSTERN_GATE_METHOD"] = method;
        return request;
    }
    static http::Request forwarded(const std::string& uri, const Variables& headers = kPage) {
        http::Request request = question("/gate", headers, "GET");
        request.is_question = false;
        request.server_variables.erase("POSTERN_GATE_SITE");
        request.server_variables["HTTP_X_FORWARDED_METHOD"] = "GET";
        request.server_variables["HTTP_X_FORWARDED_PROTO"] = "https";
        request.server_variables["HTTP_X_FORWARDED_HOST"] = "wiki.example";
        request.server_variables["HTTP_X_FORWARDED_URI"] = uri;
        request.server_variables["REMOTE_ADDR"] = "10.1.2.3";
        return request;
    }

    /// The provider's answer to the request in the Location of `answer`, for alice: the address of the callback.
    std::string authorize(const http::Response& answer, const char* id = "wiki") {
        oauth::Context context = fixture.context();
        const auto client = store::find_client(fixture.database, model::ClientId(id));
        model::AuthorizationRequest asked;
        asked.id = test::location_parameter(answer, "nonce");
        asked.client_id = client->id;
        asked.redirect_uri = client->redirect_uris.front();
        asked.scope = client->scope;
        asked.nonce = test::location_parameter(answer, "nonce");
        asked.code_challenge = test::location_parameter(answer, "code_challenge");
        asked.expires_at = fixture.clock.now() + util::Seconds{600};
        const auto code = oauth::issue_code(context, {asked, session, oauth::ConsentSource::not_asked});
        REQUIRE(code);
        const std::string url = http::with_query(
            asked.redirect_uri,
            {{"code", *code}, {"state", test::location_parameter(answer, "state")}, {"iss", "https://op.example"}});
        return url.substr(kWiki.origin.size());
    }
    /// Signs alice in to the wiki.
    void sign_in(const std::string& uri = "/") { send(own(authorize(send(question(uri))))); }
    void end_session() {
        db::write(fixture.database, db::Durability::full, [&](db::Transaction& transaction) {
            store::remove_session(transaction, session, fixture.clock.now(), {});
            transaction.commit();
        });
    }
    bool is_signed_in() { return send(question("/")).status == 200; }
    /// Runs `action` with the registration of the wiki, and stores what it makes of it.
    void change_site(const std::function<void(model::Client&)>& action) {
        db::write(fixture.database, db::Durability::full, [&](db::Transaction& transaction) {
            auto site = *store::find_client(fixture.database, model::ClientId("wiki"));
            action(site);
            store::update_client(transaction, site);
            transaction.commit();
        });
    }
};

}  // namespace

TEST_CASE("gate: a first visit is led to the sign-in and comes back to where it wanted to be [GATE-15, GATE-22]") {
    Wiki wiki;
    const auto first = wiki.send(Wiki::question("/a/b?c=d"));
    CHECK(first.status == 302);
    CHECK(header_of(first, "Location").starts_with("https://op.example/authorize?"));
    CHECK_FALSE(first.refusal);
    CHECK(first.is_routine);
    CHECK(wiki.cookies.size() == 1);

    const auto back = wiki.send(Wiki::own(wiki.authorize(first)));
    CHECK(back.status == 303);
    CHECK(header_of(back, "Location") == "https://wiki.example/a/b?c=d");
    CHECK_FALSE(back.refusal);

    const auto pass = wiki.send(Wiki::question("/a/b?c=d"));
    CHECK(pass.status == 200);
    CHECK(pass.is_bare);
    CHECK(pass.is_routine);
    CHECK(pass.body.empty());
    CHECK(header_of(pass, "Variable-REMOTE_USER") == "alice");
    CHECK(header_of(pass, "Variable-REMOTE_SUBJECT") == wiki.alice.subject.str());
    for (const auto& [name, value] : pass.headers) CHECK(name.starts_with("Variable-REMOTE_"));
    REQUIRE(wiki.used);
    CHECK(wiki.used->sid == wiki.session.sid);
}

TEST_CASE("gate: each way in is told the user as it can hear it [GATE-10, GATE-12]") {
    Wiki wiki;
    wiki.fixture.settings.gate.proxies = {*fetch::parse_network("10.0.0.0/8")};
    wiki.sign_in();
    for (const auto& request : {Wiki::subrequest("/a"), Wiki::forwarded("/a")}) {
        const auto pass = wiki.send(request);
        CHECK(pass.status == 200);
        CHECK_FALSE(pass.is_bare);
        CHECK(header_of(pass, "Remote-User") == "alice");
        REQUIRE(pass.find("Remote-Groups"));  // empty rather than absent
        CHECK(header_of(pass, "Remote-Groups") == "");
        CHECK(header_of(pass, "Variable-REMOTE_USER") == "");
    }
    wiki.cookies.clear();
    const auto to_nginx = wiki.send(Wiki::subrequest("/a"));
    CHECK(to_nginx.status == 401);
    CHECK(header_of(to_nginx, "Location").starts_with("https://op.example/authorize?"));
    CHECK(header_of(to_nginx, "WWW-Authenticate") == "");
    auto page = Wiki::subrequest("/a");
    page.server_variables["POSTERN_GATE_PAGE"] = "yes";
    CHECK(wiki.send(page).status == 302);
    CHECK(wiki.send(Wiki::forwarded("/a")).status == 302);
}

TEST_CASE("gate: what is no page is told to sign in, and led nowhere [GATE-15]") {
    Wiki wiki;
    for (const auto& request :
         {Wiki::question("/a", {}), Wiki::question("/a", {}, "PUT"),
          Wiki::question("/a", {{"HTTP_SEC_FETCH_MODE", "websocket"}}), Wiki::subrequest("/a", {}, "DELETE")}) {
        const auto answer = wiki.send(request);
        CHECK(answer.status == 401);
        CHECK(header_of(answer, "Location") == "");
        CHECK(header_of(answer, "Set-Cookie") == "");
        CHECK(header_of(answer, "WWW-Authenticate") == "");
        CHECK(answer.is_routine);
        CHECK_FALSE(answer.refusal);
    }
}

TEST_CASE("gate: a form that meets no sign-in is not redirected, and its page is offered [GATE-24]") {
    Wiki wiki;
    auto form = Wiki::question("/a/save", kPage, "POST");
    form.server_variables["HTTP_REFERER"] = "https://wiki.example/a/edit?x=1";
    const auto lost = wiki.send(form);
    CHECK(lost.status == 401);
    CHECK(lost.is_routine);  // strangers send forms, too
    CHECK_FALSE(lost.refusal);
    CHECK(wiki.book.pages.last_error.back == "https://wiki.example/a/edit?x=1");
    CHECK(wiki.book.pages.last_error.try_again == "https://wiki.example/.postern/login?to=%2Fa%2Fedit%3Fx%3D1");
    for (const char* referer : {"https://evil.test/", "https://wiki.example.evil.test/", "javascript:alert(1)",
                                "https://wiki.example@evil.test/", ""}) {
        CAPTURE(referer);
        form.server_variables["HTTP_REFERER"] = referer;
        wiki.send(form);
        CHECK(wiki.book.pages.last_error.back == "https://wiki.example/");
    }
    wiki.sign_in();
    wiki.end_session();
    const auto recorded = wiki.send(form);
    CHECK(recorded.status == 401);
    CHECK(word_of(recorded) == "gate_form_lost");
}

TEST_CASE("gate: a question that is incomplete or of no site is refused and recorded [GATE-10, GATE-11]") {
    Wiki wiki;
    wiki.sign_in();
    auto without_site = Wiki::question("/a");
    without_site.server_variables.erase("POSTERN_GATE_SITE");
    auto of_other_site = Wiki::question("/a");
    of_other_site.server_variables["POSTERN_GATE_SITE"] = "https://evil.test";
    auto of_other_port = Wiki::question("/a");
    of_other_port.server_variables["POSTERN_GATE_SITE"] = "https://wiki.example:8443";
    auto with_dot = Wiki::question("/a");
    with_dot.server_variables["POSTERN_GATE_SITE"] = "https://wiki.example.";
    struct Row {
        http::Request request;
        const char* word;
    };
    const Row rows[] = {
        {without_site, "gate_question_refused"},
        {of_other_site, "gate_no_site"},
        {of_other_port, "gate_no_site"},
        {with_dot, "gate_no_site"},
        {Wiki::forwarded("/a"), "gate_question_refused"},
        {Wiki::question("http://wiki.example/a"), "gate_path_refused"},
        {Wiki::question("/../a"), "gate_path_refused"},
        {Wiki::question("/a%00"), "gate_path_refused"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.word);
        const auto answer = wiki.send(row.request);
        CHECK(answer.status == 403);
        CHECK(word_of(answer) == row.word);
        CHECK(answer.find("Variable-REMOTE_USER") == nullptr);
    }
    auto in_capitals = Wiki::question("/a");
    in_capitals.server_variables["POSTERN_GATE_SITE"] = "HTTPS://Wiki.Example:443";
    CHECK(wiki.send(in_capitals).status == 200);
}

TEST_CASE("gate: off without paths.gate [GATE-5]") {
    Wiki wiki;
    wiki.sign_in();
    wiki.fixture.settings.paths.gate.reset();
    CHECK(wiki.send(Wiki::question("/")).status == 403);
    CHECK(wiki.send(Wiki::subrequest("/")).status == 403);
    const auto forwarded = wiki.send(Wiki::forwarded("/"));
    CHECK(forwarded.status == 404);
    CHECK_FALSE(forwarded.refusal);
}

TEST_CASE("gate: what is below a disabled site is not open as a part of the site around it [GATE-2, GATE-10]") {
    Wiki wiki;
    auto admin = gate::new_site("admin", {"https://wiki.example", "/admin/"});
    admin.enabled = false;
    wiki.fixture.add(admin);
    wiki.sign_in();
    CHECK(wiki.send(Wiki::question("/a")).status == 200);
    for (const char* path : {"/admin/x", "/admin", "/admin/.postern/whoami"}) {
        CAPTURE(path);
        const auto answer = wiki.send(Wiki::question(path));
        CHECK(answer.status == 403);
        CHECK(word_of(answer) == "gate_no_site");
    }
    CHECK(word_of(wiki.send(Wiki::question("/a/..%2fadmin/x"))) == "gate_path_refused");
}

TEST_CASE(
    "gate: a refusal is recorded by the page behind the sub-request, which lets nothing pass [GATE-10, GATE-18]") {
    Wiki wiki;
    const auto behind = [](http::Request asked) {
        asked.server_variables["POSTERN_GATE_PAGE"] = "yes";
        return asked;
    };
    wiki.sign_in();
    const auto passes_by_now = wiki.send(behind(Wiki::subrequest("/a")));
    CHECK(passes_by_now.status == 403);
    CHECK(passes_by_now.find("Remote-User") == nullptr);
    wiki.change_site([](model::Client& site) { site.restricted = true; });
    const auto refused = wiki.send(Wiki::subrequest("/a"));
    CHECK(refused.status == 403);
    CHECK(refused.body == "You may not use this site.\n");
    CHECK_FALSE(refused.refusal);
    CHECK(refused.is_routine);
    CHECK(word_of(wiki.send(behind(Wiki::subrequest("/a")))) == "access_refused");
}

TEST_CASE("gate: a user whom the application cannot be told reads why [GATE-12]") {
    Wiki wiki;
    wiki.sign_in();
    wiki.change_site([](model::Client& site) { site.site->user_header = model::UserHeader::email; });
    const auto page = wiki.send(Wiki::question("/a"));
    CHECK(page.status == 403);
    CHECK(word_of(page) == "gate_user_untold");
    CHECK(page.body != "The application cannot be told who you are.\n");
    const auto text = wiki.send(Wiki::question("/a", {}));
    CHECK(text.status == 403);
    CHECK(text.body == "The application cannot be told who you are.\n");
    CHECK_FALSE(wiki.send(Wiki::subrequest("/a")).refusal);
    auto behind = Wiki::subrequest("/a");
    behind.server_variables["POSTERN_GATE_PAGE"] = "yes";
    CHECK(word_of(wiki.send(behind)) == "gate_user_untold");
}

TEST_CASE("gate: the cookie of the site around does not pass at the site inside [GATE-2, GATE-11]") {
    Wiki wiki;
    wiki.add("admin", {"https://wiki.example", "/admin/"});
    wiki.sign_in();
    CHECK(wiki.send(Wiki::question("/a")).status == 200);
    const auto inside = wiki.send(Wiki::question("/admin/x"));
    CHECK(inside.status == 302);
    CHECK(test::location_parameter(inside, "client_id") == "admin");
    for (const char* path : {"/a/../admin/x", "//admin/x", "/%61dmin/x", "/a/..%2fadmin/x", "/a/..\\admin/x"}) {
        CAPTURE(path);
        CHECK(wiki.send(Wiki::question(path)).status == 403);
    }
    // Another name and another path, and what another path's cookie would prove. It is genuine, so no forgery.
    wiki.cookies["__Secure-postern-gate-"] = wiki.cookies["__Host-postern-gate-"];
    const auto tossed = wiki.send(Wiki::question("/admin/x"));
    CHECK(tossed.status == 302);
    CHECK(word_of(tossed) == "");
}

TEST_CASE("gate: whatever ended passes no more, in the same moment [GATE-13]") {
    struct Row {
        const char* when;
        void (*end)(Wiki&);
        int status;
    };
    const Row rows[] = {
        {"nothing ended", [](Wiki&) {}, 200},
        {"the session ended", [](Wiki& wiki) { wiki.end_session(); }, 302},
        {"the session is idle",
         [](Wiki& wiki) { wiki.fixture.clock.advance(wiki.fixture.settings.session_idle_ttl + util::Seconds{1}); },
         302},
        {"the user is disabled",
         [](Wiki& wiki) {
             wiki.alice.enabled = false;
             db::write(wiki.fixture.database, db::Durability::full, [&](db::Transaction& transaction) {
                 store::update_user(transaction, wiki.alice);
                 transaction.commit();
             });
         },
         302},
        {"the site is for others now",
         [](Wiki& wiki) { wiki.change_site([](model::Client& site) { site.restricted = true; }); }, 403},
        {"the site wants a passkey now",
         [](Wiki& wiki) {
             wiki.change_site([](model::Client& site) { site.level = model::Level::phishing_resistant; });
         },
         302},
        {"the site is disabled",
         [](Wiki& wiki) { wiki.change_site([](model::Client& site) { site.enabled = false; }); }, 403},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Wiki wiki;
        wiki.sign_in();
        row.end(wiki);
        CHECK(wiki.send(Wiki::question("/")).status == row.status);
    }
}

TEST_CASE("gate: a user for whom the site is not reads so, and can sign in as another [GATE-16]") {
    Wiki wiki;
    wiki.sign_in();
    wiki.change_site([](model::Client& site) { site.restricted = true; });
    const auto page = wiki.send(Wiki::question("/a?b"));
    CHECK(page.status == 403);
    CHECK(word_of(page) == "access_refused");
    CHECK(wiki.book.pages.last_error.other_account == "https://wiki.example/.postern/login?to=%2Fa%3Fb&as=other");
    const auto text = wiki.send(Wiki::question("/a", {}));
    CHECK(text.status == 403);
    CHECK(text.body == "You may not use this site.\n");
    CHECK(word_of(text) == "access_refused");
}

TEST_CASE("gate: the use of a session is noted once in a quarter of its idle time [GATE-14]") {
    Wiki wiki;
    wiki.sign_in();
    const auto seen = [&] {
        return store::find_session(wiki.fixture.database, wiki.session.cookie_hash,
                                   {wiki.fixture.clock.now(), wiki.fixture.clock.now() - util::Seconds{100000}})
            ->last_seen_at;
    };
    const auto before = seen();
    const auto quarter = wiki.fixture.settings.session_idle_ttl / 4;
    wiki.fixture.clock.advance(quarter);
    wiki.send(Wiki::question("/"));
    auto context = wiki.fixture.context();
    gate::note_use(context, *wiki.used);
    CHECK(seen() == before);
    wiki.fixture.clock.advance(util::Seconds{1});
    wiki.send(Wiki::question("/"));
    gate::note_use(context, *wiki.used);
    CHECK(seen() == wiki.fixture.clock.now());
}

TEST_CASE("gate callback: a code is spent once, and a second use goes to where it wanted to be [GATE-22, GATE-23]") {
    Wiki wiki;
    const auto first = wiki.send(Wiki::question("/a"));
    const std::string callback = wiki.authorize(first);
    CHECK(wiki.send(Wiki::own(callback)).status == 303);
    CHECK(wiki.is_signed_in());
    for (int i = 0; i < 3; ++i) {
        const auto again = wiki.send(Wiki::own(callback));
        CHECK(again.status == 303);
        CHECK(header_of(again, "Location") == "https://wiki.example/a");
        CHECK(wiki.is_signed_in());
    }
}

TEST_CASE("gate callback: the state of another browser begins again, and a browser without cookies is told [GATE-23]") {
    Wiki wiki;
    const std::string callback = wiki.authorize(wiki.send(Wiki::question("/a?b")));
    wiki.cookies.clear();
    const auto other = wiki.send(Wiki::own(callback));
    CHECK(other.status == 303);
    const std::string over = header_of(other, "Location");
    CHECK(over == "https://wiki.example/.postern/login?to=%2Fa%3Fb&again=1");
    CHECK_FALSE(wiki.is_signed_in());
    wiki.cookies.clear();  // it keeps none
    const auto second = wiki.authorize(wiki.send(Wiki::own(over.substr(kWiki.origin.size()))));
    wiki.cookies.clear();
    const auto twice = wiki.send(Wiki::own(second));
    CHECK(twice.status == 400);
    CHECK(word_of(twice) == "session_cookie_missing");
    CHECK(wiki.book.pages.last_error.try_again == "https://wiki.example/a?b");
    // Nothing was spent.
    Wiki untouched;
    const auto first = untouched.send(Wiki::question("/a"));
    const auto kept = untouched.cookies;
    const std::string own = untouched.authorize(first);
    untouched.cookies.clear();
    untouched.send(Wiki::own(own));
    untouched.cookies = kept;
    untouched.send(Wiki::own(own));
    CHECK(untouched.is_signed_in());
}

TEST_CASE("gate callback: tabs that began with one cookie all end where they wanted to be [GATE-23]") {
    Wiki wiki;
    const auto one = wiki.send(Wiki::question("/one"));
    const auto two = wiki.send(Wiki::question("/two"));
    CHECK(header_of(wiki.send(Wiki::own(wiki.authorize(two))), "Location") == "https://wiki.example/two");
    CHECK(header_of(wiki.send(Wiki::own(wiki.authorize(one))), "Location") == "https://wiki.example/one");
    CHECK(wiki.is_signed_in());
}

TEST_CASE("gate callback: tabs that began without a cookie all end where they wanted to be [GATE-23]") {
    Wiki wiki;
    std::vector<http::Response> tabs;
    for (int i = 0; i < 10; ++i) {
        const auto cookies = std::exchange(wiki.cookies, {});
        tabs.push_back(wiki.send(Wiki::question("/" + std::to_string(i))));
        wiki.cookies.insert(cookies.begin(), cookies.end());  // the last one of the name stays, as in a browser
    }
    for (int i = 0; i < 10; ++i) {
        CAPTURE(i);
        auto answer = wiki.send(Wiki::own(wiki.authorize(tabs[static_cast<std::size_t>(i)])));
        for (int steps = 0; steps < 3 && header_of(answer, "Location").find("/.postern/login") != std::string::npos;
             ++steps)
            answer = wiki.send(Wiki::own(
                wiki.authorize(wiki.send(Wiki::own(header_of(answer, "Location").substr(kWiki.origin.size()))))));
        CHECK(answer.status == 303);
        CHECK(header_of(answer, "Location") == "https://wiki.example/" + std::to_string(i));
        CHECK(wiki.is_signed_in());
    }
}

TEST_CASE(
    "gate callback: a sign-in that took a night begins again, and one that is too weak says so [GATE-22, GATE-23]") {
    Wiki wiki;
    const std::string state = test::location_parameter(wiki.send(Wiki::question("/a")), "state");
    const auto weak = wiki.send(Wiki::own("/.postern/callback?error=unmet_authentication_requirements&state=" + state));
    CHECK(weak.status == 403);
    CHECK(word_of(weak) == "unmet_requirements_no_passkey");
    CHECK(wiki.book.pages.last_error.try_again == "https://wiki.example/a");
    CHECK(wiki.book.pages.last_error.account == "https://op.example/account");
    // Once more by itself, and then a page.
    for (const char* failed : {"error=server_error", "code=x"}) {
        CAPTURE(failed);
        const auto over = wiki.send(Wiki::own("/.postern/callback?" + std::string(failed) + "&state=" + state));
        CHECK(over.status == 303);
        const std::string login = header_of(over, "Location").substr(kWiki.origin.size());
        CHECK(login == "/.postern/login?to=%2Fa&again=1");
        const std::string second = test::location_parameter(wiki.send(Wiki::own(login)), "state");
        const auto twice = wiki.send(Wiki::own("/.postern/callback?" + std::string(failed) + "&state=" + second));
        CHECK(twice.status == 400);
        CHECK(word_of(twice) == "resume_invalid");
        CHECK(twice.find("Set-Cookie") == nullptr);
    }
    wiki.fixture.clock.advance(util::Seconds{3500});
    const auto late = wiki.send(Wiki::own("/.postern/callback?code=x&state=" + state));
    CHECK(late.status == 303);
    CHECK(header_of(late, "Location") == "https://wiki.example/a");
}

TEST_CASE("gate callback: forged, foreign and failed answers end on a page without a cookie [GATE-22]") {
    Wiki wiki;
    wiki.add("other", {"https://wiki.example", "/other/"});
    const auto first = wiki.send(Wiki::question("/a"));
    const std::string state = test::location_parameter(first, "state");
    const std::string good = wiki.authorize(first);
    const auto of_other = wiki.send(Wiki::question("/other/a"));
    struct Row {
        const char* when;
        std::string uri;
    };
    const Row rows[] = {
        {"nothing", "/.postern/callback"},
        {"no state", "/.postern/callback?code=x"},
        {"a forged state", "/.postern/callback?code=x&state=" + state + "A"},
        {"the state of another site", "/.postern/callback?code=x&state=" + test::location_parameter(of_other, "state")},
        {"neither code nor error", "/.postern/callback?state=" + state},
        {"another issuer", good + "x"},
        {"two states", good + "&state=" + state},
        {"bad encoding", "/.postern/callback?%zz=1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto answer = wiki.send(Wiki::own(row.uri));
        CHECK(answer.status == 400);
        CHECK(answer.find("Set-Cookie") == nullptr);
        CHECK(word_of(answer) == "resume_invalid");
    }
    const auto posted = wiki.send(Wiki::own(good, "POST"));
    CHECK(posted.status == 405);
    CHECK(header_of(posted, "Allow") == "GET");
    CHECK(wiki.send(Wiki::own(good)).status == 303);
    CHECK(wiki.is_signed_in());
}

TEST_CASE("gate callback: the code of another state is no code of this one [GATE-4, GATE-22]") {
    Wiki wiki;
    const auto one = wiki.send(Wiki::question("/one"));
    const auto two = wiki.send(Wiki::question("/two"));
    const std::string code_of_two = wiki.authorize(two);
    const std::size_t state = code_of_two.find("&state=");
    const std::string mixed =
        code_of_two.substr(0, state) + "&state=" + test::location_parameter(one, "state") + "&iss=https://op.example";
    const auto answer = wiki.send(Wiki::own(mixed));
    CHECK(answer.status == 400);
    CHECK_FALSE(wiki.is_signed_in());
}

TEST_CASE("gate: an authorizer that is asked for an address of the gate lets nothing through [GATE-26]") {
    Wiki wiki;
    wiki.sign_in();
    for (const char* page : {"login", "logout", "whoami"}) {
        CAPTURE(page);
        const auto answer = wiki.send(Wiki::question(std::string("/.postern/") + page));
        CHECK(answer.status == 403);
        CHECK(word_of(answer) == "gate_route_missing");
    }
    CHECK(wiki.send(Wiki::question("/.postern/x")).status == 404);
    CHECK(wiki.send(Wiki::question("/.postern")).status == 404);
    CHECK(wiki.send(Wiki::subrequest("/.postern/x")).status == 403);
    CHECK(wiki.send(Wiki::subrequest("/.postern/callback")).status == 403);
    const auto callback = wiki.send(Wiki::question("/.postern/callback"));
    CHECK(callback.status == 400);
    CHECK(wiki.send(Wiki::own("/.postern/x")).status == 404);
    CHECK(wiki.send(Wiki::own("/a")).status == 403);
}

TEST_CASE("gate whoami: what the application is told, and no more [GATE-25]") {
    Wiki wiki;
    CHECK(wiki.send(Wiki::own("/.postern/whoami")).status == 401);
    wiki.sign_in();
    const auto told = wiki.send(Wiki::own("/.postern/whoami"));
    CHECK(told.status == 200);
    CHECK(told.body.find("\"user\":\"alice\"") != std::string::npos);
    CHECK(told.find("Access-Control-Allow-Origin") == nullptr);
    CHECK(wiki.send(Wiki::own("/.postern/whoami", "POST")).status == 405);
}

TEST_CASE("gate login: leads to a path of the site alone [GATE-25]") {
    Wiki wiki;
    wiki.add("admin", {"https://wiki.example", "/admin/"});
    const auto target = [&](const std::string& to) {
        const auto led = wiki.send(Wiki::own("/.postern/login?to=" + to));
        return header_of(wiki.send(Wiki::own(wiki.authorize(led))), "Location");
    };
    CHECK(target("%2Fa%3Fb%3Dc") == "https://wiki.example/a?b=c");
    CHECK(target("") == "https://wiki.example/");
    for (const char* to :
         {"https%3A%2F%2Fevil.test%2F", "%2F.postern%2Flogout", "evil.test", "%2F..%2Fa", "javascript%3Ax"}) {
        CAPTURE(to);
        CHECK(target(to) == "https://wiki.example/");
    }
    for (const char* to : {"%2F%2Fevil.test%2F", "%2F%5Cevil.test"}) {
        CAPTURE(to);
        CHECK(target(to).starts_with("https://wiki.example/"));
    }
    const auto other = wiki.send(Wiki::own("/.postern/login?to=/&as=other"));
    CHECK(test::location_parameter(other, "prompt") == "select_account");
}

TEST_CASE("gate logout: a page asks, its form ends the cookie and goes to the provider with a hint [GATE-25]") {
    Wiki wiki;
    const auto elsewhere = wiki.send(Wiki::own("/.postern/logout"));
    CHECK(elsewhere.status == 303);
    CHECK(header_of(elsewhere, "Location") ==
          "https://op.example/logout?client_id=wiki&post_logout_redirect_uri="
          "https%3A%2F%2Fwiki.example%2F.postern%2Flogout%3Fdone");
    wiki.sign_in();
    CHECK(wiki.send(Wiki::own("/.postern/logout")).body == "logout");
    CHECK(wiki.book.pages.last_logout.username == "alice");
    const std::string action = wiki.book.pages.last_logout.action.substr(kWiki.origin.size());
    REQUIRE(action.starts_with("/.postern/logout?csrf="));

    CHECK(wiki.send(Wiki::own("/.postern/logout", "POST")).status == 403);
    CHECK(wiki.send(Wiki::own("/.postern/logout?csrf=x", "POST")).status == 403);
    CHECK(wiki.is_signed_in());
    auto cancel = Wiki::own(action, "POST");
    cancel.form = test::params("decision=cancel");
    CHECK(header_of(wiki.send(cancel), "Location") == "https://wiki.example/");
    CHECK(wiki.is_signed_in());

    const auto out = wiki.send(Wiki::own(action, "POST"));
    CHECK(out.status == 303);
    CHECK(header_of(out, "Location").starts_with("https://op.example/logout?"));
    CHECK_FALSE(wiki.is_signed_in());
    const std::string query = header_of(out, "Location").substr(std::string("https://op.example/logout?").size());
    auto context = wiki.fixture.context();
    const auto asked = oidc::parse_logout_request(context, test::params(query));
    REQUIRE(asked);
    CHECK(asked->hinted_subject == wiki.alice.subject);
    const auto after = oidc::verify_post_logout_redirect(context, *asked);
    REQUIRE(after);
    CHECK(after->is_proved());
    CHECK(after->url() == "https://wiki.example/.postern/logout?done");
    CHECK(wiki.send(Wiki::own("/.postern/logout?done")).body == "logged_out");

    wiki.fixture.clock.advance(util::Seconds{60});
    CHECK_FALSE(bool(oidc::parse_logout_request(context, test::params(query))));

    // Where the provider has no logout endpoint.
    wiki.sign_in();
    wiki.send(Wiki::own("/.postern/logout"));
    wiki.fixture.settings.oidc = false;
    const auto here = wiki.send(Wiki::own(wiki.book.pages.last_logout.action.substr(kWiki.origin.size()), "POST"));
    CHECK(here.status == 200);
    CHECK(here.body.starts_with("You are signed out of this site."));
    CHECK_FALSE(wiki.is_signed_in());
}

TEST_CASE("gate: cookies that are forged or cut never pass, and are recorded [GATE-18, GATE-20]") {
    Wiki wiki;
    wiki.sign_in();
    const std::string name = "__Host-postern-gate-";
    const std::string good = wiki.cookies[name];
    for (const std::string& bad : {good.substr(1), good.substr(0, good.size() - 1), good + "A", std::string("x")}) {
        wiki.cookies[name] = bad;
        const auto answer = wiki.send(Wiki::question("/"));
        CHECK(answer.status == 302);
        CHECK(word_of(answer) == "gate_cookie_forged");
        CHECK_FALSE(answer.is_routine);
    }
    wiki.cookies[name] = good;
    CHECK(wiki.is_signed_in());
}

namespace {

/// A token of alice for that audience, of a login worth `level`.
std::string token_of(Wiki& wiki, const std::string& audience) {
    oauth::Context context = wiki.fixture.context();
    const auto app =
        wiki.fixture.add_confidential("app" + std::to_string(audience.size()), "https://app.example/cb", "s");
    model::AuthorizationRequest asked;
    asked.id = "request of " + audience;
    asked.client_id = app.id;
    asked.redirect_uri = "https://app.example/cb";
    asked.scope = *model::Scope::parse("openid");
    asked.expires_at = wiki.fixture.clock.now() + util::Seconds{600};
    const auto code = oauth::issue_code(context, {asked, wiki.session, oauth::ConsentSource::not_asked});
    REQUIRE(code);
    const auto usable = oauth::find_usable_code(context, app, {*code, "https://app.example/cb", {}, {}});
    REQUIRE(usable);
    oauth::Target target = usable->target;
    target.audience = audience;
    const auto issue = oauth::make_access_token(context, {usable->stored.grant, usable->scope, target, "alice"});
    REQUIRE(bool(oauth::redeem_code(context, usable->stored, issue.record, std::nullopt, oauth::SessionNote::none)));
    return issue.value;
}

http::Request with_authorization(const std::string& value) {
    http::Request request = Wiki::question("/a", {});
    request.authorization = value;
    return request;
}

}  // namespace

TEST_CASE("gate: access tokens pass where the site says so, and Basic is the application's [GATE-19]") {
    Wiki wiki;
    const std::string good = token_of(wiki, "https://wiki.example/");
    const std::string other = token_of(wiki, "https://wiki.example/x");
    CHECK(wiki.send(with_authorization("Bearer " + good)).status == 401);
    CHECK(header_of(wiki.send(with_authorization("Bearer " + good)), "WWW-Authenticate") == "");

    wiki.change_site([](model::Client& site) { site.site->bearer = true; });
    const auto pass = wiki.send(with_authorization("bearer " + good));
    CHECK(pass.status == 200);
    CHECK(header_of(pass, "Variable-REMOTE_USER") == "alice");
    CHECK_FALSE(wiki.used);
    auto behind = Wiki::subrequest("/a", {});
    behind.server_variables["POSTERN_GATE_PAGE"] = "yes";
    behind.authorization = "Bearer " + good;
    const auto refused_by_nginx = wiki.send(behind);
    CHECK(refused_by_nginx.status == 403);
    CHECK(refused_by_nginx.find("Remote-User") == nullptr);

    wiki.sign_in();
    for (const std::string& bad : {other, good + "x", std::string("x"), std::string()}) {
        const auto refused = wiki.send(with_authorization("Bearer " + bad));
        CHECK(refused.status == 401);
        CHECK(header_of(refused, "WWW-Authenticate").starts_with("Bearer error=\"invalid_token\""));
    }
    for (const char* foreign : {"Basic YTpi", "Digest a=\"b\", c=\"d\"", "Negotiate x"})
        CHECK(wiki.send(with_authorization(foreign)).status == 200);

    wiki.change_site([](model::Client& site) { site.level = model::Level::phishing_resistant; });
    CHECK(header_of(wiki.send(with_authorization("Bearer " + good)), "WWW-Authenticate")
              .starts_with("Bearer error=\"insufficient_user_authentication\""));
}

TEST_CASE("gate: an authorizer's page is small enough for Apache, and in ASCII [GATE-16]") {
    http::Response page =
        http::html("<p>caf\xc3\xa9</p><style>" + std::string(9000, 'x') + "</style><p>\xd9\x85</p></html>", 403,
                   "sha256-old", "", http::Pictures::none, {});
    const auto small = web::small_page(page);
    CHECK(small.status == 403);
    CHECK(small.body.starts_with("<p>caf&#233;</p><style>:root{"));
    CHECK(small.body.ends_with("</style><p>&#1605;</p></html>"));
    CHECK(small.body.size() < 1500);
    const std::string style = small.body.substr(small.body.find("<style>") + 7);
    const std::string digest = util::base64_encode(crypto::sha256(style.substr(0, style.find("</style>"))));
    CHECK(header_of(small, "Content-Security-Policy").find("style-src 'sha256-" + digest + "';") != std::string::npos);

    const auto text = web::small_page(web::gate_text(401, "Sign in first."));
    CHECK(text.body == "Sign in first.\n");
}
