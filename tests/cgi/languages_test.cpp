// Pages in the language of their reader: what chooses it, what it changes, and that every catalogue is whole and sound.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/app_set_up.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/passkey_set_up.h"
#include "support/process.h"
#include "support/sendmail.h"
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
    /// The name of one of the account's pages, with its query: "profile?edit=yes".
    std::string account(const std::string& page) const { return op.url("account") + "/" + page; }
    /// The reader is signed in.
    void sign_in() { REQUIRE(reader.log_in(reader.open(account("devices"))).answer.status == 200); }
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

/// Where the page's link to that language leads, "" without one.
std::string link_to(const Answer& page, const std::string& language) {
    for (const auto& anchor : find_tags(page.body, "a"))
        if (anchor.contains("hreflang") && anchor.at("hreflang") == language) return anchor.at("href");
    return "";
}

bool has_links(const Answer& page) { return page.body.find("<nav class=\"languages\"") != std::string::npos; }

TEST_CASE(
    "languages: each catalogue has every message, with the same placeholders and tags [I18N-3, I18N-4, I18N-10]") {
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

TEST_CASE("languages: the catalogues are those of the first release, and each says who has read it [I18N-10]") {
    std::vector<std::string> tags = {"en"};
    for (const auto& entry : std::filesystem::directory_iterator(source_directory() / "po")) {
        if (entry.path().extension() != ".po") continue;
        CAPTURE(entry.path());
        tags.push_back(entry.path().stem().string());
        const std::string catalogue = read_file(entry.path());
        constexpr std::string_view kName = "\n\"X-Reviewed-By: ";
        const auto reader = catalogue.find(kName);
        REQUIRE(reader != std::string::npos);
        CHECK(catalogue.find(kName, reader + 1) == std::string::npos);
        CHECK(catalogue.substr(reader + kName.size(), 2) != "\\n");
    }
    std::ranges::sort(tags);
    CHECK(tags == kLanguages);
}

ProcessResult join(const std::filesystem::path& out, const std::filesystem::path& catalogue) {
    return run({(source_directory() / "scripts" / "join-catalogues").string(), out.string(),
                (source_directory() / "po" / "fr.po").string(), catalogue.string()},
               {{"PATH", "/usr/bin:/bin"}}, "");
}

TEST_CASE("languages: a catalogue that lacks a message is left out, and a faulty one is not joined [I18N-3, I18N-4]") {
    const Deployment scratch;
    const auto out = scratch.directory() / "languages.mo";
    const auto catalogue = scratch.directory() / "de.po";
    const std::string german = read_file(source_directory() / "po" / "de.po");
    const auto write = [&](const std::string& from, const std::string& to) {
        std::string text = german;
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        std::ofstream(catalogue) << text.replace(at, from.size(), to);
    };
    write("", "");
    const auto whole = join(out, catalogue);
    CHECK(whole.exit_code == 0);
    CHECK(whole.err == "");
    CHECK(read_file(out).find("X-Languages: fr de\n") != std::string::npos);

    write("msgid \"Sign in\"\nmsgstr \"Anmelden\"", "msgid \"Sign in\"\nmsgstr \"\"");
    const auto incomplete = join(out, catalogue);
    CHECK(incomplete.exit_code == 0);
    CHECK(incomplete.err.find("de.po lacks messages and is left out") != std::string::npos);
    CHECK(read_file(out).find("X-Languages: fr\n") != std::string::npos);
    CHECK(read_file(out).find("Anmelden") == std::string::npos);

    write("{keeper}</bdi> verwaltet", "{keepers}</bdi> verwaltet");
    const auto faulty = join(out, catalogue);
    CHECK(faulty.exit_code != 0);
    CHECK(faulty.err.find("keeper") != std::string::npos);
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
    CHECK(link_to(devices.answer, "pl") == "?lang=pl");
    CHECK(language_of(f.reader.fetch(f.account("devices?lang=pl"))) == "pl");
}

TEST_CASE("languages: a link of the page keeps the state of the account's page [I18N-12]") {
    Translated f({{"account", json::Object{{"editableClaims", json::Array{"birthdate"}}}}});
    f.sign_in();
    const SetUp app(f.reader.fetch(f.account("app")));
    REQUIRE(f.reader.send(f.account("app"), app.form(app.code(f.op)).text()).status == 200);
    struct Row {
        const char* page;
        const char* language;  ///< another than the one that is remembered
        const char* state;     ///< of its query
        const char* is_there;  ///< in that state alone
    };
    const Row rows[] = {
        {"profile", "pl", "edit=yes", "id=\"save\""},
        {"codes", "fr", "new=yes", "id=\"make\""},
        {"passkeys", "it", "add=yes", "name=\"challenge\""},
        {"app", "nl", "another=yes", "id=\"turn-on\""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.page);
        const Answer first = f.reader.fetch(f.account(row.page));
        CHECK(first.body.find(row.is_there) == std::string::npos);
        CHECK(link_to(first, row.language) == "?lang=" + std::string(row.language));
        const Answer page = f.reader.fetch(f.account(std::string(row.page) + "?" + row.state));
        REQUIRE(page.body.find(row.is_there) != std::string::npos);
        const std::string link = link_to(page, row.language);
        CHECK(link == "?" + std::string(row.state) + "&lang=" + row.language);
        const Answer other = f.reader.fetch(f.account(row.page + link));
        CHECK(language_of(other) == row.language);
        CHECK(other.body.find(row.is_there) != std::string::npos);
    }
    // A page with a problem leads to its form.
    const Answer form = f.reader.fetch(f.account("profile?edit=yes"));
    const Query typed{{"csrf", value_of(form, "csrf")}, {"claims", "birthdate"}, {"birthdate", "soon"}};
    CHECK(link_to(f.reader.send(f.account("profile"), typed.text()), "pl") == "?edit=yes&lang=pl");
}

TEST_CASE("languages: a new app whose key is scanned is not lost by a link, because there is none [I18N-12, TOTP-4]") {
    {
        Translated f;
        f.sign_in();
        const SetUp app(f.reader.fetch(f.account("app")));
        CHECK(has_links(app.page));
        const Answer refused = f.reader.send(f.account("app"), app.form(app.wrong_code(f.op)).text());
        CHECK(codes_in(refused) == std::vector<std::string>{app.key});
        CHECK_FALSE(has_links(refused));
    }
    {
        Translated f({{"login", json::Object{{"secondFactor", "required"}}}});
        const SetUp app(f.reader.log_in(f.login()).answer);
        CHECK(has_links(app.page));
        const Answer refused = f.reader.send(f.account("enrol"), app.form(app.wrong_code(f.op)).text());
        CHECK(codes_in(refused) == std::vector<std::string>{app.key});
        CHECK_FALSE(has_links(refused));
    }
}

TEST_CASE("languages: the page that shows codes once has no links [I18N-12, CODE-2]") {
    {
        Translated f;
        f.sign_in();
        const SetUp app(f.reader.fetch(f.account("app")));
        const Answer shown = f.reader.send(f.account("app"), app.form(app.code(f.op)).text());
        CHECK(codes_in(shown).size() == 10);
        CHECK_FALSE(has_links(shown));
        CHECK(shown.header("Content-Language") == "en");
        CHECK(has_links(f.reader.fetch(f.account("codes"))));
        const Answer asked = f.reader.fetch(f.account("codes?new=yes"));
        CHECK(has_links(asked));
        const Query make{{"csrf", value_of(asked, "csrf")}, {"stamp", value_of(asked, "stamp")}};
        const Answer made = f.reader.send(f.account("codes"), make.text());
        CHECK(codes_in(made).size() == 10);
        CHECK_FALSE(has_links(made));
    }
    // In the middle of a sign-in.
    for (const bool by_app : {true, false}) {
        CAPTURE(by_app);
        Translated f({{"login", json::Object{{"secondFactor", "required"}}}});
        const Answer page = f.reader.log_in(f.login()).answer;
        CHECK(has_links(page));
        const SetUp app(page);
        const TestAuthenticator phone(crypto::Algorithm::ES256, "phone");
        const Query form = by_app ? app.form(app.code(f.op)) : Adding(page).form(phone);
        const Answer shown = f.reader.send(f.account("enrol"), form.text());
        CHECK(codes_in(shown).size() == 10);
        CHECK_FALSE(has_links(shown));
    }
}

TEST_CASE("languages: when a link was asked for there are none to an empty form [I18N-12]") {
    Translated f;
    const Sendmail sendmail(f.op.directory());
    f.op.configure("mail", sendmail.config());
    const std::string url = f.op.url("login").substr(0, f.op.url("login").size() - 5) + "recover";
    const Landing form = f.reader.open(url);
    CHECK(has_links(form.answer));
    const Landing nothing = f.reader.submit(form, "send", {{"name", ""}});
    CHECK(has_links(nothing.answer));
    const Landing asked = f.reader.submit(form, "send", {{"name", kAlice}});
    REQUIRE(says(asked.answer, "a message is on its way"));
    CHECK_FALSE(has_links(asked.answer));
}

TEST_CASE("languages: names of any direction stand apart from the words around them [I18N-6]") {
    json::Object imprint{{"text", json::Object{{"", "Imprint"}}}, {"url", "https://op.example/i"}};
    Translated f({{"account", json::Object{{"editableClaims", json::Array{"name"}}}},
                  {"branding", json::Object{{"name", "Example"}, {"links", json::Array{std::move(imprint)}}}}});
    f.sign_in();
    f.reader.accept_language() = "ar";
    const std::string keeper = "<bdi>Example</bdi>";
    const Answer profile = f.reader.fetch(f.account("profile"));
    CHECK(profile.body.find(keeper) != std::string::npos);
    CHECK(profile.body.find("<a href=\"https://op.example/i\" dir=\"auto\">Imprint</a>") != std::string::npos);
    f.op.configure("account", json::Object{});
    CHECK(f.reader.fetch(f.account("profile")).body.find(keeper) != std::string::npos);
    const std::string devices = f.reader.fetch(f.account("devices")).body;
    CHECK(devices.find("<h2><bdi>") != std::string::npos);
    CHECK(devices.find("<dd><bdi dir=\"ltr\">192.0.2") != std::string::npos);
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

TEST_CASE("languages: an error page that cannot be shown in one language is plain text there, and `why` says so") {
    Translated f;
    const auto templates = f.op.directory() / "templates";
    std::filesystem::copy(built_templates(), templates, std::filesystem::copy_options::recursive);
    std::ofstream(templates / "error.html", std::ios::app) << "{{_}}<i>Help</i>{{/_}}";
    f.op.configure("templates", templates.string());
    CgiRequest request;
    request.method = "PUT";
    CHECK(language_of(f.op.cgi("login", request)) == "en");
    request.headers = {{"Accept-Language", "fr"}};
    const Answer plain = f.op.cgi("login", request);
    CHECK(plain.status == 405);
    CHECK(plain.header("Content-Type") == "text/plain; charset=utf-8");
    const std::string why = f.op.must({"why", plain.header("X-Request-Id")});
    CHECK(why.find("no error page: template " + (templates / "error.html").string()) != std::string::npos);
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
