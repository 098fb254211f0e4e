// The pages as they are shipped: what a browser, a person and a password manager find in them.
#include "pages/page.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "crypto/digest.h"
#include "unit/pages/shipped.h"
#include "unit/text/said.h"
#include "util/base64.h"

using namespace postern;
using pages::ConsentPage;
using pages::ErrorPage;
using pages::FormPostPage;
using pages::LoginPage;
using pages::Pages;

namespace {

const Pages& shipped() { return test::shipped_pages(); }

LoginPage login_page() {
    return {.client_name = "Example Notes",
            .action = "/login",
            .csrf = "csrf-1",
            .resume = "resume-1",
            .username = "",
            .message = ""};
}

ConsentPage consent_page() {
    return {.client_name = "Example Notes",
            .client_host = "notes.example.com",
            .username = "alice",
            .action = "/scopes",
            .csrf = "csrf-1",
            .resume = "resume-1",
            .scopes = {{"openid", "Know who you are."}, {"notes:read", ""}},
            .resources = {"Notes (urn:example:notes)"}};
}

ErrorPage error_page() {
    return {.status = 403,
            .title = "Unknown application",
            .message = "Nothing is registered under that name.",
            .who = "Whoever runs the application.",
            .request_id = "3f9c2a71",
            .try_again = ""};
}

pages::LogoutPage logout_page() {
    return {.client_name = "Example Notes",
            .username = "alice",
            .action = "/logout",
            .csrf = "csrf-1",
            .resume = "resume-1"};
}

LoginPage failed_login() {
    LoginPage page = login_page();
    page.username = "alice";
    page.message = "Wrong user name or password.";
    return page;
}

FormPostPage form_post_page() {
    return {.client_name = "Example Notes",
            .action = "/cb?a=1&b=2",
            .fields = {{"code", "c-1"}, {"absent", std::nullopt}, {"state", "s-1"}}};
}

struct Named {
    const char* name;
    http::Response response;
};

std::vector<Named> every_page() {
    return {{"login", shipped().login(login_page(), 200)},
            {"failed login", shipped().login(failed_login(), 401)},
            {"consent", shipped().consent(consent_page())},
            {"error", shipped().error(error_page())},
            {"logout", shipped().logout(logout_page())},
            {"logged out", shipped().logged_out({})},
            {"still logged in", shipped().still_logged_in("alice")},
            {"form_post", shipped().form_post(form_post_page())}};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    REQUIRE(begin != std::string::npos);
    const auto end = text.find(after, begin + before.size());
    REQUIRE(end != std::string::npos);
    return text.substr(begin + before.size(), end - begin - before.size());
}

std::string title_of(const http::Response& page) { return between(page.body, "<title>", "</title>"); }

/// The tag whose attribute id is `id`, which must be there once.
std::string tag_with_id(const std::string& html, const std::string& id) {
    const std::string attribute = " id=\"" + id + "\"";
    const auto at = html.find(attribute);
    REQUIRE(at != std::string::npos);
    REQUIRE(html.find(attribute, at + 1) == std::string::npos);
    const auto begin = html.rfind('<', at);
    return html.substr(begin, html.find('>', at) + 1 - begin);
}

/// Markup, template marks, U+202E RIGHT-TO-LEFT OVERRIDE and a control byte.
const std::string kHostile = "\"'><img src=x onerror=alert(1)>{{csrf}}\xE2\x80\xAE\x01";

void check_harmless(const http::Response& page) {
    CHECK(contains(page.body, "&quot;&apos;&gt;&lt;img src=x onerror=alert(1)&gt;{{csrf}}"));
    CHECK_FALSE(contains(page.body, "<img"));
    CHECK_FALSE(contains(page.body, "\xE2\x80\xAE"));
    CHECK_FALSE(contains(page.body, "\x01"));
}

}  // namespace

const std::set<std::string> kWithScript = {"form_post", "login", "failed login", "consent"};

TEST_CASE("every page: its style sheet is allowed by hash and nothing else is needed") {
    for (const auto& named : every_page()) {
        CAPTURE(named.name);
        const http::Response& page = named.response;
        const std::string style = between(page.body, "<style>", "</style>");
        CHECK(style.size() > 1000);
        const std::string* policy = page.find("Content-Security-Policy");
        REQUIRE(policy != nullptr);
        CHECK(contains(*policy, "'sha256-" + util::base64_encode(crypto::sha256(style)) + "'"));
        CHECK_FALSE(contains(*policy, "unsafe"));
        CHECK_FALSE(contains(*policy, "form-action"));  // browsers apply it to the redirects after the form, too
        CHECK_FALSE(contains(*policy, "img-src"));      // no page has a picture without a logo, nor an icon
        std::string body = page.body;
        if (kWithScript.contains(named.name)) {
            const std::string script = between(body, "<script>", "</script>");
            CHECK(contains(*policy, "script-src 'sha256-" + util::base64_encode(crypto::sha256(script)) + "'"));
            body.erase(body.find("<script>"), 8);
        } else {
            CHECK_FALSE(contains(*policy, "script-src"));
        }
        for (const char* needs_more :
             {"http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link", " style=", "{{", "}}"}) {
            CAPTURE(needs_more);
            CHECK_FALSE(contains(body, needs_more));
        }
    }
}

TEST_CASE("every page: language, viewport, one main heading, one main landmark") {
    for (const auto& named : every_page()) {
        CAPTURE(named.name);
        const http::Response& page = named.response;
        CHECK(page.body.rfind("<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">", 0) == 0);
        CHECK(contains(page.body, "<meta charset=\"utf-8\">"));
        CHECK(contains(page.body, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"));
        for (const char* once : {"<h1>", "<main ", "<title>"}) {
            CAPTURE(once);
            REQUIRE(contains(page.body, once));
            CHECK(page.body.find(once) == page.body.rfind(once));
        }
    }
}

TEST_CASE("every page: the title says the problem first") {
    CHECK(title_of(shipped().login(login_page(), 200)) == "Sign in to Example Notes");
    CHECK(title_of(shipped().login(failed_login(), 200)) == "Wrong user name or password. – Sign in to Example Notes");
    CHECK(title_of(shipped().consent(consent_page())) == "Allow Example Notes?");
    CHECK(title_of(shipped().error(error_page())) == "Unknown application");
    CHECK(title_of(shipped().logout(logout_page())) == "Sign out?");
    CHECK(title_of(shipped().logged_out({})) == "You are signed out");
    CHECK(title_of(shipped().still_logged_in("alice")) == "You are still signed in");
    CHECK(title_of(shipped().form_post(form_post_page())) == "Back to Example Notes");
}

TEST_CASE("error: the name of the application on the way back stands apart from the words around it [I18N-6]") {
    ErrorPage page = error_page();
    page.back = "https://notes.example/";
    page.client_name = "Example Notes";
    CHECK(contains(shipped().error(page).body, ">Back to <bdi>Example Notes</bdi></a>"));
}

TEST_CASE("login: the form carries everything back, and password managers know its fields [IF112, L20]") {
    const http::Response page = shipped().login(failed_login(), 401);
    CHECK(page.status == 401);
    CHECK(contains(page.body, "<form method=\"post\" action=\"/login\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"csrf\" value=\"csrf-1\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"resume\" value=\"resume-1\">"));
    CHECK(contains(page.body, "<strong><bdi>Example Notes</bdi></strong>"));

    struct Row {
        const char* id;
        std::vector<const char*> attributes;
    };
    const Row rows[] = {
        {"username", {"name=\"username\"", "type=\"text\"", "value=\"alice\"", "autocomplete=\"username\""}},
        {"username", {"autocapitalize=\"none\"", "spellcheck=\"false\""}},
        {"password", {"name=\"password\"", "type=\"password\"", "autocomplete=\"current-password\""}},
        {"password", {"autocapitalize=\"none\"", "spellcheck=\"false\""}},
        {"login", {"<button", "type=\"submit\""}},
    };
    for (const auto& row : rows) {
        const std::string tag = tag_with_id(page.body, row.id);
        for (const char* attribute : row.attributes) {
            CAPTURE(tag);
            CAPTURE(attribute);
            CHECK(contains(tag, attribute));
        }
    }
    CHECK(contains(page.body, "<label for=\"username\">"));
    CHECK(contains(page.body, "<label for=\"password\">"));
    CHECK_FALSE(contains(tag_with_id(page.body, "password"), "value="));
}

TEST_CASE("login: what is typed next has the focus") {
    const auto has_focus = [](const http::Response& page, const char* id) {
        return contains(tag_with_id(page.body, id), " autofocus");
    };
    const http::Response empty = shipped().login(login_page(), 200);
    CHECK(has_focus(empty, "username"));
    CHECK_FALSE(has_focus(empty, "password"));
    const http::Response named = shipped().login(failed_login(), 200);
    CHECK_FALSE(has_focus(named, "username"));
    CHECK(has_focus(named, "password"));
}

TEST_CASE("login: a problem is announced and tied to both fields, and is absent when there is none [A11Y-3]") {
    const std::string failed = shipped().login(failed_login(), 200).body;
    LoginPage wrong = failed_login();
    wrong.fields_wrong = true;
    const std::string marked = shipped().login(wrong, 200).body;
    for (const char* field : {"username", "password"}) {
        CHECK(contains(tag_with_id(marked, field), "aria-describedby=\"problem\" aria-invalid=\"true\""));
        CHECK_FALSE(contains(tag_with_id(failed, field), "aria-invalid"));
    }
    CHECK(contains(failed, "id=\"problem\" role=\"alert\">Wrong user name or password.</p>"));
    for (const char* field : {"username", "password"}) {
        CHECK(contains(tag_with_id(failed, field), "aria-describedby=\"problem\""));
    }
    const std::string first = shipped().login(login_page(), 200).body;
    CHECK_FALSE(contains(first, "id=\"problem\""));
    CHECK_FALSE(contains(first, "aria-describedby"));
    CHECK_FALSE(contains(first, "aria-invalid"));
    CHECK_FALSE(contains(first, "role=\"alert\""));
}

TEST_CASE(
    "consent: which client asks, which user answers, where the answer goes, and two ways to answer [IF114, RFC 6749 §10.2a]") {
    const http::Response page = shipped().consent(consent_page());
    CHECK(page.status == 200);
    CHECK(contains(page.body, "<form method=\"post\" action=\"/scopes\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"csrf\" value=\"csrf-1\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"resume\" value=\"resume-1\">"));
    CHECK(contains(page.body, "<h1><bdi>Example Notes</bdi> asks for access</h1>"));
    CHECK(contains(page.body, "<strong><bdi>alice</bdi></strong>"));
    CHECK(contains(page.body, "<dd><bdi dir=\"ltr\">notes.example.com</bdi></dd>"));
    CHECK(contains(tag_with_id(page.body, "approve"), "<button type=\"submit\" name=\"decision\" value=\"approve\""));
    CHECK(contains(tag_with_id(page.body, "deny"), "<button type=\"submit\" name=\"decision\" value=\"deny\""));
    CHECK_FALSE(contains(page.body, "autofocus"));  // a stray Enter must not consent
    CHECK_FALSE(contains(page.body, "other-account"));
    ConsentPage with_choice = consent_page();
    with_choice.other_account = "/authorize?resume=other";
    CHECK(contains(tag_with_id(shipped().consent(with_choice).body, "other-account"),
                   "href=\"/authorize?resume=other\""));
}

TEST_CASE("consent: an application that a document describes is not checked, and where it is, is said [CIMD-12, A32]") {
    ConsentPage page = consent_page();
    CHECK_FALSE(contains(shipped().consent(page).body, "has not checked"));
    CHECK_FALSE(contains(shipped().consent(page).body, "any-program"));

    page.published_at = "app.example";
    const std::string published = shipped().consent(page).body;
    CHECK(contains(published, "The administrator of this server has not checked this application."));
    CHECK(contains(published, "<strong id=\"published-at\" dir=\"ltr\">app.example</strong>"));
    CHECK(contains(published, "<dd><bdi dir=\"ltr\">notes.example.com</bdi></dd>"));
    CHECK_FALSE(contains(published, "any-program"));
    CHECK_FALSE(contains(published, "<img"));
    CHECK(published.find("has not checked") < published.find("id=\"approve\""));

    page.any_program = true;
    CHECK(contains(shipped().consent(page).body, "any program can pass for this application"));
}

TEST_CASE("consent: an application that registered itself without a token says so, and shows no link [REG-31]") {
    ConsentPage page = consent_page();
    CHECK_FALSE(contains(shipped().consent(page).body, "registered itself"));
    page.registered_itself = true;
    page.any_program = true;
    const std::string body = shipped().consent(page).body;
    CHECK(contains(body, "The administrator of this server has not checked this application."));
    CHECK(contains(body, "anyone can give an application this name"));
    CHECK(contains(body, "It has registered itself here, as any program can."));
    CHECK(contains(body, "any program can pass for this application"));
    CHECK(contains(body, "<dd><bdi dir=\"ltr\">notes.example.com</bdi></dd>"));
    CHECK_FALSE(contains(body, "published-at"));
    CHECK_FALSE(contains(body, "id=\"terms\""));
    CHECK(body.find("has not checked") < body.find("id=\"approve\""));

    page.nameless = true;
    const std::string nameless = shipped().consent(page).body;
    CHECK(contains(nameless, "It does not say its name."));
    CHECK(contains(nameless, "The administrator of this server has not checked this application."));
    CHECK_FALSE(contains(nameless, "anyone can give an application this name"));
}

TEST_CASE("consent: the terms of an application that registered with a token are links to the outside [REG-22]") {
    ConsentPage page = consent_page();
    CHECK_FALSE(contains(shipped().consent(page).body, "id=\"terms\""));
    page.policy_uri = "https://app.example/policy?a=1&b=\">";
    const std::string policy = shipped().consent(page).body;
    CHECK(contains(tag_with_id(policy, "policy"), "href=\"https://app.example/policy?a=1&amp;b=&quot;&gt;\""));
    CHECK(contains(tag_with_id(policy, "policy"), "rel=\"noopener noreferrer\""));
    CHECK_FALSE(contains(policy, "id=\"tos\""));
    CHECK_FALSE(contains(policy, "has not checked"));
    page.policy_uri = {};
    page.tos_uri = "https://app.example/terms#use";
    const std::string terms = shipped().consent(page).body;
    CHECK(contains(tag_with_id(terms, "tos"), "href=\"https://app.example/terms#use\""));
    CHECK(contains(tag_with_id(terms, "tos"), "rel=\"noopener noreferrer\""));
    CHECK_FALSE(contains(terms, "id=\"policy\""));
}

TEST_CASE("consent: every scope is a line, with or without a description") {
    ConsentPage asked = consent_page();
    const std::string some = shipped().consent(asked).body;
    CHECK(contains(some, "<span><bdi>Know who you are.</bdi> <code dir=\"ltr\">openid</code></span>"));
    CHECK(contains(some, "<span><code dir=\"ltr\">notes:read</code></span>"));
    CHECK_FALSE(contains(some, "no particular permission"));

    asked.scopes.clear();
    const std::string none = shipped().consent(asked).body;
    CHECK(contains(none, "no particular permission"));
    CHECK_FALSE(contains(none, "<ul"));
    CHECK_FALSE(contains(none, "<li>"));
}

TEST_CASE("error: what happened, who can fix it, and the request id, with the status of the answer") {
    const http::Response page = shipped().error(error_page());
    CHECK(page.status == 403);
    CHECK(contains(page.body, "<h1>Unknown application</h1>"));
    CHECK(contains(page.body, "Nothing is registered under that name."));
    CHECK(contains(page.body, "Whoever runs the application."));
    CHECK(contains(page.body, "id=\"request-id\" dir=\"ltr\">3f9c2a71</code>"));

    ErrorPage brief = error_page();
    brief.who = {};
    brief.request_id.clear();
    const std::string without = shipped().error(brief).body;
    CHECK_FALSE(contains(without, "href=\"/"));
    CHECK_FALSE(contains(without, "What can be done"));
    CHECK_FALSE(contains(without, "request-id"));
}

TEST_CASE("error: a way on, where there is one") {
    ErrorPage page = error_page();
    page.try_again = "/authorize?resume=a&b=\"><b>";
    const std::string body = shipped().error(page).body;
    CHECK(contains(tag_with_id(body, "try-again"), "href=\"/authorize?resume=a&amp;b=&quot;&gt;&lt;b&gt;\""));
    CHECK_FALSE(contains(shipped().error(error_page()).body, "try-again"));
}

TEST_CASE("error: the way to another link, where there is one [LINK-5]") {
    ErrorPage page = error_page();
    page.recover = "https://op.example/recover";
    CHECK(contains(tag_with_id(shipped().error(page).body, "recover"), "href=\"https://op.example/recover\""));
    CHECK_FALSE(contains(shipped().error(error_page()).body, "recover"));
}

TEST_CASE("form_post: one form to the client, one hidden field per parameter, and a button [Form Post §2]") {
    const http::Response page = shipped().form_post(form_post_page());
    CHECK(page.status == 200);
    CHECK(contains(page.body, "<form method=\"post\" action=\"/cb?a=1&amp;b=2\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"code\" value=\"c-1\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"state\" value=\"s-1\">"));
    CHECK_FALSE(contains(page.body, "absent"));
    CHECK(contains(tag_with_id(page.body, "continue"), "<button type=\"submit\""));
    // Behind the form, so that the form is there when it runs; the name of no parameter hides `submit`.
    CHECK(page.body.find("<script>") > page.body.find("</form>"));
}

TEST_CASE("form_post: values are escaped and otherwise untouched, as the client must get them back [Form Post §2g]") {
    FormPostPage page = form_post_page();
    page.action = page.fields[0].first = "\"><b>";
    page.fields[0].second = kHostile;
    const std::string body = shipped().form_post(page).body;
    CHECK_FALSE(contains(body, "<b>"));
    CHECK_FALSE(contains(body, "<img"));
    CHECK(contains(body, "value=\"&quot;&apos;&gt;&lt;img src=x onerror=alert(1)&gt;{{csrf}}\xE2\x80\xAE\x01\""));
    page = form_post_page();
    page.client_name = text::Message::verbatim(kHostile);
    check_harmless(shipped().form_post(page));
}

TEST_CASE("logout: which user is signed in, which client sent the browser here, and two ways to answer") {
    const http::Response page = shipped().logout(logout_page());
    CHECK(page.status == 200);
    CHECK(contains(page.body, "<form method=\"post\" action=\"/logout\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"csrf\" value=\"csrf-1\">"));
    CHECK(contains(page.body, "<input type=\"hidden\" name=\"resume\" value=\"resume-1\">"));
    CHECK(contains(page.body, "<strong><bdi>alice</bdi></strong>"));
    CHECK(contains(page.body, "<strong><bdi>Example Notes</bdi></strong>"));
    CHECK(contains(tag_with_id(page.body, "logout"), "<button type=\"submit\" name=\"decision\" value=\"logout\""));
    CHECK(contains(tag_with_id(page.body, "cancel"), "<button type=\"submit\" name=\"decision\" value=\"cancel\""));
    CHECK_FALSE(contains(page.body, "autofocus"));

    pages::LogoutPage nobody = logout_page();
    nobody.client_name = {};
    CHECK_FALSE(contains(shipped().logout(nobody).body, "sent you here"));
    CHECK_FALSE(contains(shipped().logout(nobody).body, "you are taken to"));
    nobody.leads_to = "Example Notes";
    CHECK(
        contains(shipped().logout(nobody).body, "taken to the application <strong><bdi>Example Notes</bdi></strong>"));
}

TEST_CASE("error page: a refused sign-out has the link to sign out, and no other page has") {
    ErrorPage page = error_page();
    CHECK_FALSE(contains(shipped().error(page).body, "id=\"sign-out\""));
    page.sign_out = "https://op.example/logout";
    CHECK(contains(tag_with_id(shipped().error(page).body, "sign-out"), "href=\"https://op.example/logout\""));
}

TEST_CASE("logged out: says what is true now, and never both") {
    const std::string out = shipped().logged_out({}).body;
    CHECK(contains(out, "<h1>You are signed out</h1>"));
    CHECK_FALSE(contains(out, "still signed in"));
    CHECK_FALSE(contains(out, "id=\"back\""));
    const std::string back = shipped().logged_out({"https://app.example/bye", "Example Notes"}).body;
    CHECK(contains(tag_with_id(back, "back"), "href=\"https://app.example/bye\""));
    CHECK(contains(back, "Back to <bdi>Example Notes</bdi>"));
    for (const char* username : {"alice", ""}) {
        const std::string in = shipped().still_logged_in(username).body;
        CHECK(contains(in, "<h1>You are still signed in</h1>"));
        CHECK_FALSE(contains(in, "signed out"));
    }
    CHECK(contains(shipped().still_logged_in("alice").body, "<strong><bdi>alice</bdi></strong>"));
}

TEST_CASE("every value that users or clients chose is escaped and cannot reorder the text around it [L13]") {
    const auto hostile = text::Message::verbatim(kHostile);
    for (const auto field : {&LoginPage::client_name, &LoginPage::message}) {
        LoginPage page = login_page();
        page.*field = hostile;
        check_harmless(shipped().login(page, 200));
    }
    LoginPage login = login_page();
    login.username = kHostile;
    check_harmless(shipped().login(login, 200));
    for (const auto field : {&ConsentPage::client_host, &ConsentPage::username}) {
        ConsentPage page = consent_page();
        page.*field = kHostile;
        check_harmless(shipped().consent(page));
    }
    ConsentPage consent = consent_page();
    consent.client_name = hostile;
    consent.scopes[0] = {kHostile, hostile};
    check_harmless(shipped().consent(consent));
    pages::LogoutPage logout = logout_page();
    logout.client_name = hostile;
    logout.leads_to = hostile;
    logout.username = kHostile;
    check_harmless(shipped().logout(logout));
    check_harmless(shipped().logged_out({"https://app.example/bye", hostile}));
    check_harmless(shipped().still_logged_in(kHostile));
    for (const auto field : {&ErrorPage::title, &ErrorPage::message, &ErrorPage::who}) {
        ErrorPage page = error_page();
        page.*field = hostile;
        check_harmless(shipped().error(page));
    }
}

TEST_CASE("machine-made values are escaped too") {
    pages::LogoutPage logout = logout_page();
    logout.action = logout.csrf = logout.resume = "\"><b>";
    CHECK_FALSE(contains(shipped().logout(logout).body, "<b>"));
    LoginPage page = login_page();
    page.action = page.csrf = page.resume = "\"><b>";
    CHECK_FALSE(contains(shipped().login(page, 200).body, "<b>"));
    ErrorPage error = error_page();
    error.request_id = "<b>";
    CHECK_FALSE(contains(shipped().error(error).body, "<b>"));
}

TEST_CASE("Pages: a missing file is named") {
    char path[] = "/tmp/postern-pages-XXXXXX";
    REQUIRE(::mkdtemp(path) != nullptr);
    const std::filesystem::path copy = std::filesystem::path{path} / "templates";
    for (const char* name : {"login.html", "consent.html", "error.html", "logout.html", "logged_out.html",
                             "form_post.html", "head.html", "style.css", "mark.svg"}) {
        CAPTURE(name);
        std::filesystem::remove_all(copy);
        std::filesystem::copy("templates", copy);
        CHECK_NOTHROW(pages::read_pages(copy.string(), oauth::Settings()));
        std::filesystem::remove(copy / name);
        std::string why;
        try {
            pages::read_pages(copy.string(), oauth::Settings());
        } catch (const std::runtime_error& error) {
            why = error.what();
        }
        CHECK(contains(why, (copy / name).string()));
    }
    std::filesystem::remove_all(path);
}
