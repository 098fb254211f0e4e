// Pages in the language of their reader: what chooses it, what it changes, and that every catalogue is whole and sound.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/flow.h"
#include "support/html.h"
#include "support/process.h"
#include "text/catalogue.h"
#include "text/languages.h"

namespace {

using namespace postern;
using namespace postern::test;

const std::vector<std::string> kLanguages = {"ar", "de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt-BR", "zh-Hans"};

std::string built_templates() { return (build_directory() / "templates").string(); }

/// A deployment with the templates as they are installed: with the catalogues.
struct Translated {
    Deployment op;
    UserAgent reader{op};
    explicit Translated(json::Object config = {}) : op({.config = std::move(config)}) {
        op.configure("templates", built_templates());
    }
    Landing login(const std::string& more = "") {
        Landing page = reader.open(op.url("authorize") + "?" + authorization_request().text() + more);
        REQUIRE(page.verdict() == "login");
        return page;
    }
};

std::string language_of(const Answer& page) {
    const auto tags = find_tags(page.body, "html");
    REQUIRE(tags.size() == 1);
    const auto lang = tags.front().find("lang");
    return lang == tags.front().end() ? "" : lang->second;
}

std::string value_of(const Answer& page, const std::string& tag, const std::string& attribute) {
    for (const auto& found : find_tags(page.body, tag))
        if (const auto value = found.find(attribute); value != found.end()) return value->second;
    return "";
}

bool says(const Answer& page, const std::string& words) {
    return visible_text(page.body).find(words) != std::string::npos;
}

TEST_CASE("languages: each catalogue has every message, with the same placeholders and tags [I18N-3, I18N-4]") {
    const text::Languages languages(built_templates(), {}, "en");
    CHECK(languages.tags() == kLanguages);
    const std::string pot = read_file(source_directory() / "po" / "postern.pot");
    std::size_t messages = 0;
    for (std::size_t at = pot.find("\nmsgid \""); at != std::string::npos; at = pot.find("\nmsgid \"", at + 1)) {
        const std::size_t begin = at + 8;
        std::string english;
        for (std::size_t i = begin; pot[i] != '"'; ++i) english += pot[i] == '\\' ? pot[++i] : pot[i];
        if (english.empty()) continue;  // the header
        ++messages;
        for (const std::string& tag : kLanguages) {
            if (tag == "en") continue;
            CAPTURE(tag);
            CAPTURE(english);
            const std::string words = languages.find(tag)->translate(english);
            CHECK(text::fault_of_translation(english, words) == "");
            // Of a sentence no language has the English words.
            if (english.find(' ') != std::string::npos && english.find("{date}") == std::string::npos &&
                english.find('{') != 0)
                CHECK(words != english);
        }
    }
    CHECK(messages > 400);
}

TEST_CASE("languages: the catalogues are of the texts that programs and templates have [I18N-1]") {
    const auto collected =
        run({(source_directory() / "scripts" / "collect-messages").string()}, {{"PATH", "/usr/bin:/bin"}}, "");
    REQUIRE(collected.exit_code == 0);
    CHECK(collected.out == read_file(source_directory() / "po" / "postern.pot"));
}

TEST_CASE("languages: the request's, the link's, the browser's, the last resort [I18N-5]") {
    struct Row {
        const char* what;
        const char* header;
        const char* request;
        const char* language;
    };
    const Row rows[] = {
        {"nothing is said", "", "", "en"},
        {"the browser", "de-AT, en;q=0.5", "", "de"},
        {"a language that there is not", "tlh", "", "en"},
        {"the client, before the browser", "de", "&ui_locales=fr-CA%20en", "fr"},
        {"the client wants what there is not", "de", "&ui_locales=tlh", "de"},
        {"no tag is an error", "de", "&ui_locales=%3Cb%3E", "de"},
        {"right to left", "ar-EG", "", "ar"},
        {"a relative", "pt", "", "pt-BR"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Translated f;
        f.reader.accept_language() = row.header;
        const Answer page = f.login(row.request).answer;
        CHECK(language_of(page) == row.language);
        CHECK(page.header("Content-Language") == row.language);
        CHECK(page.header("Vary") == "Accept-Language, Cookie");
        CHECK(value_of(page, "html", "dir") == (std::string(row.language) == "ar" ? "rtl" : "ltr"));
    }
}

TEST_CASE(
    "languages: a whole sign-in in German, with a wrong password, a wish that travels, and dates [I18N-2, I18N-7]") {
    Translated f;
    const Landing login = f.login("&ui_locales=de");
    CHECK(says(login.answer, "Anmelden"));
    const Landing wrong = f.reader.log_in(login, kAlice, "wrong");
    CHECK(says(wrong.answer, "passen nicht zusammen"));
    const Landing consent = f.reader.log_in(wrong);
    REQUIRE(consent.verdict() == "consent");
    CHECK(language_of(consent.answer) == "de");
    CHECK(says(consent.answer, "Zugriff"));
    // The account is another request, in the language of the browser.
    f.reader.accept_language() = "de";
    const Landing devices = f.reader.open(f.op.url("account") + "/devices");
    CHECK(says(devices.answer, " UTC"));
    CHECK(language_of(devices.answer) == "de");
    f.reader.accept_language() = "ja";
    CHECK(says(f.reader.open(f.op.url("account") + "/devices").answer, "\xe5\xb9\xb4"));
}

TEST_CASE("languages: a link of the page changes the language and nothing else, and is remembered [I18N-5, I18N-12]") {
    Translated f;
    f.reader.accept_language() = "de";
    const Landing login = f.login();
    const auto links = find_tags(login.answer.body, "button");
    std::string to_french;
    for (const auto& button : links)
        if (button.contains("lang") && button.at("lang") == "fr") to_french = button.at("formaction");
    REQUIRE_FALSE(to_french.empty());
    // The name that was typed stays; the password that came with it is not looked at.
    const Answer french =
        f.reader.send(to_french, f.reader.form_of(login, "login", {{"username", kAlice}, {"password", "wrong"}}));
    CHECK(language_of(french) == "fr");
    CHECK_FALSE(says(french, "Anmelden"));
    CHECK(french.body.find("value=\"alice\"") != std::string::npos);
    CHECK(find_tags(french.body, "p").size() == find_tags(login.answer.body, "p").size());  // no problem
    const std::string cookie = french.header("Set-Cookie");
    CHECK(cookie.starts_with("__Host-postern-language-"));
    CHECK(cookie.find("=fr; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000") != std::string::npos);
    CHECK(language_of(f.login().answer) == "fr");
    CHECK(language_of(f.login("&ui_locales=it").answer) == "it");
    // Of the account, whose pages have links.
    const Landing devices = f.reader.log_in(f.reader.open(f.op.url("account") + "/devices"));
    const auto anchors = find_tags(devices.answer.body, "a");
    bool has_polish = false;
    for (const auto& anchor : anchors)
        has_polish = has_polish || (anchor.contains("hreflang") && anchor.at("href") == "?lang=pl");
    CHECK(has_polish);
    CHECK(language_of(f.reader.fetch(f.op.url("account") + "/devices?lang=pl")) == "pl");
}

TEST_CASE("languages: a link of the page counts before what the client wants, on all pages of this sign-in [I18N-5]") {
    Translated f;
    const Landing login = f.login("&ui_locales=it");
    REQUIRE(language_of(login.answer) == "it");
    std::string to_french;
    for (const auto& button : find_tags(login.answer.body, "button"))
        if (button.contains("lang") && button.at("lang") == "fr") to_french = button.at("formaction");
    const Answer french =
        f.reader.send(to_french, f.reader.form_of(login, "login", {{"username", kAlice}, {"password", ""}}));
    CHECK(language_of(french) == "fr");
    const Landing consent = f.reader.log_in(f.reader.follow(to_french, french));
    REQUIRE(consent.verdict() == "consent");
    CHECK(language_of(consent.answer) == "fr");
    // The next sign-in is the client's again.
    CHECK(
        language_of(
            f.reader.open(f.op.url("authorize") + "?" + authorization_request().text() + "&ui_locales=it&prompt=login")
                .answer) == "it");
}

TEST_CASE("languages: what is no offered language is not remembered, and does no harm [I18N-5]") {
    Translated f;
    for (const char* sent : {"tlh", "%3Cscript%3E", "", "de;q=1", "xx%0d%0aSet-Cookie:%20a=b", "de&lang=fr"}) {
        CAPTURE(sent);
        const Answer page = f.reader.fetch(f.op.url("account") + "?lang=" + sent);
        for (const std::string& cookie : page.all("Set-Cookie")) CHECK(cookie.find("-language-") == std::string::npos);
    }
    f.reader.cookies()["__Host-postern-language-x"] = "de";
    CHECK(language_of(f.login().answer) == "en");
}

TEST_CASE("languages: where one alone is offered there is no cookie and no header of it [I18N-5, I18N-6]") {
    Translated f({{"languages", json::Array{"en"}}});
    const Answer page = f.reader.fetch(f.op.url("login") + "?lang=en");
    CHECK(page.all("Set-Cookie").empty());
    CHECK(page.header("Vary").find("Cookie") == std::string::npos);
    CHECK(page.header("Content-Language").empty());
}

TEST_CASE("languages: the claim of who is signed in decides on the pages of the account [I18N-5]") {
    Translated f;
    f.op.must({"user", "set", kAlice, "--claim", "locale=nl-NL"});
    const std::string page = f.op.url("account") + "/devices";
    const Landing devices = f.reader.log_in(f.reader.open(page));
    CHECK(language_of(devices.answer) == "nl");
    f.reader.accept_language() = "de";
    CHECK(language_of(f.reader.fetch(page)) == "nl");
    CHECK(language_of(f.reader.fetch(page + "?lang=it")) == "it");
    CHECK(language_of(f.reader.fetch(page)) == "it");
}

TEST_CASE(
    "languages: a page for what cannot be read or is not there is in the browser's language, logs are not [I18N-11]") {
    Translated f;
    f.reader.accept_language() = "de";
    const Answer damaged = f.reader.fetch(f.op.url("authorize") + "?client_id=nowhere");
    CHECK(language_of(damaged) == "de");
    CgiRequest request;
    request.method = "PUT";
    request.headers = {{"Accept-Language", "fr"}};
    CHECK(language_of(f.op.cgi("login", request)) == "fr");
    CHECK(f.op.must({"why", damaged.header("X-Request-Id")}).find("This application is not known here") !=
          std::string::npos);
}

TEST_CASE(
    "languages: the configuration limits them and says the last resort; discovery names them [I18N-4, I18N-8, Discovery §3p]") {
    {
        Translated f({{"languages", json::Array{"de", "fr"}}, {"language", "fr"}});
        CHECK(language_of(f.login().answer) == "fr");
        f.reader.accept_language() = "en";
        CHECK(language_of(f.login().answer) == "fr");
        const std::string document = f.op.cgi("discovery").body;
        CHECK(document.find(R"("ui_locales_supported":["de","fr"])") != std::string::npos);
    }
    {
        Translated f({{"languages", json::Array{"en"}}});
        f.reader.accept_language() = "de";
        const Answer page = f.login().answer;
        CHECK(language_of(page) == "en");
        CHECK(page.header("Vary") == "");
        CHECK(page.header("Content-Language") == "");
        CHECK(page.body.find("<nav class=\"languages\"") == std::string::npos);
        CHECK(f.op.cgi("discovery").body.find("ui_locales_supported") == std::string::npos);
    }
    for (const auto& [languages, language] : {std::pair<const char*, const char*>{"tlh", "en"}, {"de", "en"}}) {
        Deployment op({.config = {{"languages", json::Array{languages}}, {"language", language}}});
        op.configure("templates", built_templates());
        CHECK(op.cgi("login", get_request("resume=x")).status == 500);
    }
}

TEST_CASE("languages: what an application may do is said in the operator's words of that language [I18N-8]") {
    Translated f(
        {{"scopeDescriptions", json::Object{{"api", json::Object{{"", "Read pages"}, {"de", "Seiten lesen"}}}}}});
    const auto consent_in = [&](const char* language) {
        UserAgent reader(f.op);
        reader.accept_language() = language;
        const Landing login =
            reader.open(f.op.url("authorize") + "?" + authorization_request().with("scope", "openid api").text());
        return visible_text(reader.log_in(login).answer.body);
    };
    CHECK(consent_in("de").find("Seiten lesen") != std::string::npos);
    CHECK(consent_in("fr").find("Read pages") != std::string::npos);
}

}  // namespace
