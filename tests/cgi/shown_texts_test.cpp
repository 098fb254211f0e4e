// Names that users and clients chose, on every page that shows one.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

constexpr const char* kPassword = "a password for this name";

Query request_of(const std::string& client) { return authorization_request(client).with("scope", "openid api"); }

void add_client(const Deployment& op, const std::string& id, const std::string& name) {
    op.must({"client", "add", id, "--name", name, "--redirect-uri", redirect_uri_of(id), "--scope", "openid api"});
}

/// The name is there as text, and nothing of it as anything else.
void check_shown(const Landing& page, const std::string& text) {
    CAPTURE(page.url);
    CHECK(visible_text(page.answer.body).find(text) != std::string::npos);
    for (const char* tag : {"img", "b"}) CHECK(find_tags(page.answer.body, tag).empty());
    // The page's own: against a second press on the login page and the consent page, and for passkeys on the former.
    const std::size_t scripts = page.verdict() == "login" ? 2 : page.verdict() == "consent" ? 1 : 0;
    CHECK(find_tags(page.answer.body, "script").size() == scripts);
    if (text.find_first_of("<>&\"'") != std::string::npos) CHECK(page.answer.body.find(text) == std::string::npos);
}

TEST_CASE("names: of clients, users and scopes are shown as text and as they are, on every page [L13, L14]") {
    Deployment op;
    const std::string description = "<script>alert(2)</script> {{csrf}}";
    op.configure("scopeDescriptions", postern::json::Object{{"api", description}});
    const std::vector<std::string> names = {
        "<img src=x onerror=alert(1)>",
        "'\";--",
        "</title><script>alert(1)</script>",
        "\" onmouseover=\"alert(1)",
        "a&amp;b",
        "javascript:alert(1)",
        "{{issuer}} {{{csrf}}} {{&resume}} {{#scopes}}x{{/scopes}} {{> head.html}}",
        "{{",
        "${7*7} %s%n $(id) <%= 7*7 %> {%x%} #{7*7} \\1",
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string& name = names[i];
        CAPTURE(name);
        const std::string client = "named-" + std::to_string(i);
        add_client(op, client, name);
        op.must({"user", "add", name, "--password-stdin"}, std::string(kPassword) + "\n");
        UserAgent browser(op);
        const Landing login = browser.authorize(request_of(client));
        check_shown(login, name);
        const Landing again = browser.log_in(login, name, "wrong");
        check_shown(again, name);
        CHECK(find_form(again.answer.body)->fields.at("username") == name);
        const Landing consent = browser.log_in(again, name, kPassword);
        REQUIRE(consent.verdict() == "consent");
        check_shown(consent, name);
        check_shown(consent, description);
        const std::string& body = consent.answer.body;
        const auto title = body.find("<title>");
        REQUIRE(title != std::string::npos);
        CHECK(visible_text(body.substr(title + 7, body.find("</title>") - title - 7)).find(name) != std::string::npos);
        std::size_t times = 0;  // the client in the heading, the user below; one name is in the description, too
        const std::string text = visible_text(consent.answer.body);
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + name.size())) ++times;
        CHECK(times == (description.find(name) == std::string::npos ? 2 : 3));
        CHECK(text.find("uid=") == std::string::npos);
        check_shown(browser.open(op.url("logout")), name);
    }
}

TEST_CASE("names: characters that are invisible or turn the direction of text are on no page [L13]") {
    const Deployment op;
    const std::vector<std::string> hidden = {"\xe2\x80\xae", "\xe2\x80\x8f", "\x07", "\xe2\x81\xa6"};
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        CAPTURE(i);
        const auto user =
            op.postern({"user", "add", "mal" + hidden[i] + "lory", "--password-stdin"}, std::string(kPassword) + "\n");
        CHECK(user.exit_code == 1);
        const std::string id = "hidden-" + std::to_string(i);
        const auto client = op.postern({"client", "add", id, "--name", "Bank" + hidden[i] + "knaB", "--redirect-uri",
                                        redirect_uri_of(id), "--scope", "openid api"});
        UserAgent browser(op);
        const Landing login =
            browser.authorize(client.exit_code == 0 ? request_of(id) : authorization_request(kTrusted));
        CHECK(login.verdict() == "login");
        const Landing typed = browser.log_in(login, "ali" + hidden[i] + "ce", "wrong");
        if (hidden[i] != "\x07") CHECK(find_form(typed.answer.body)->fields.at("username") == "alice");
        for (const Landing* page : {&login, &typed}) CHECK(page->answer.body.find(hidden[i]) == std::string::npos);
    }
}

TEST_CASE("names: what an address says is on no page of an error [L13]") {
    const Deployment op;
    const Query query{{"error", "<script>alert(1)</script>"},
                      {"client_id", "<script>alert(1)</script>"},
                      {"error_description", "<img>"}};
    for (const std::string endpoint : {"login", "scopes", "authorize", "logout"}) {
        CAPTURE(endpoint);
        const Answer answer = op.cgi(endpoint, get_request(query.text()));
        for (const char* part : {"<script", "<img", "alert(1)"}) CHECK(answer.body.find(part) == std::string::npos);
    }
}

}  // namespace
