// Links of the operator as the program serves them: what opening one shows, what its form does once, and what it
// refuses.
#include <doctest/doctest.h>

#include <cctype>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "factor/password_quality.h"
#include "json/reader.h"
#include "os/file_lock.h"
#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

constexpr const char* kNew = "four words in a row";
constexpr const char* kOtherNew = "other words in another row";
constexpr const char* kGone = "This link is no longer good";

std::string reset_link(const Deployment& op) { return link_of(op, {"user", "reset-link", kAlice}); }
std::string factors_link(const Deployment& op) { return link_of(op, {"user", "reset-link", kAlice, "--factors"}); }
std::string invitation(const Deployment& op) { return link_of(op, {"user", "invite", "carol"}); }

/// The one audit line of that event among others.
postern::json::Object line_of(const std::string& log, const std::string& event) {
    std::vector<postern::json::Object> lines = audit_lines(log);
    std::erase_if(lines, [&](const auto& line) { return text_of(line, "event") != event; });
    REQUIRE(lines.size() == 1);
    return lines.front();
}

Landing save(UserAgent& browser, const Landing& page, const std::string& password = kNew) {
    return browser.submit(page, "save", {{"new", password}, {"again", password}});
}

/// Opens the link in a browser of its own and chooses a password.
Landing use(const Deployment& op, const std::string& link, const std::string& password = kNew) {
    UserAgent browser(op);
    const Landing page = browser.open(link);
    REQUIRE(page.answer.status == 200);
    return save(browser, page, password);
}

bool is_gone(const Deployment& op, const std::string& link) {
    UserAgent browser(op);
    const Answer page = browser.fetch(link);
    return page.status == 400 && says(page, kGone);
}

}  // namespace

TEST_CASE("link: the user's activity says that one was made, and used from where [ACCOUNT-13]") {
    const Deployment op;
    use(op, factors_link(op));
    const std::string list = op.must({"user", "activity", kAlice});
    CHECK(list.find("Made a link for a new password") != std::string::npos);
    CHECK(list.find("Chose a password with a link") != std::string::npos);
    CHECK(list.find("192.0.2.7") != std::string::npos);
    UserAgent alice(op);
    alice.log_in(alice.open(op.url("account") + "/activity"), kAlice, kNew);
    const Answer page = alice.fetch(op.url("account") + "/activity");
    CHECK(says(page, "Made a link for a new password"));
    CHECK(says(page, "Chose a password with a link, which removed the second factors"));
}

TEST_CASE("link: a page says whose account it is and what will happen, and is kept nowhere [LINK-1, LINK-3, LINK-8]") {
    struct Row {
        const char* what;
        std::string (*make)(const Deployment& op);
        const char* username;
        const char* heading;
        const char* lead;
        const char* not_said;
    };
    const Row rows[] = {
        {"invitation", invitation, "carol", "Welcome, carol", "Choose the password with which you sign in",
         "signed out everywhere"},
        {"password", reset_link, kAlice, "Choose a new password",
         "An authenticator app and passkeys that you have stay.", "are removed"},
        {"factors", factors_link, kAlice, "Choose a new password",
         "Your authenticator app, recovery codes and passkeys are removed.", "that you have stay"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Deployment op;
        const std::string link = row.make(op);
        CHECK(link.starts_with("https://op.example/recover/link?t="));
        CHECK(link.size() == std::string("https://op.example/recover/link?t=").size() + 43);
        UserAgent browser(op);
        const Answer page = browser.fetch(link);
        CHECK(page.status == 200);
        CHECK(says(page, row.heading));
        CHECK(says(page, row.lead));
        CHECK_FALSE(says(page, row.not_said));
        CHECK(value_of(page, "username") == row.username);
        for (const Attributes& input : find_tags(page.body, "input"))
            if (input.contains("id") && input.at("id") == "username") {
                CHECK(input.contains("readonly"));
                CHECK(input.at("autocomplete") == "username");
            }
        CHECK(page.header("Cache-Control") == "no-store");
        CHECK(page.header("Referrer-Policy") == "no-referrer");
        CHECK(page.header("Content-Security-Policy").find("default-src 'none'") != std::string::npos);
        // Neither the link nor an address of another site.
        CHECK(page.body.find(link.substr(link.find("t=") + 2)) == std::string::npos);
        CHECK(page.body.find("http") == std::string::npos);
    }
}

TEST_CASE("link: an invited user chooses a password and signs in with it [LINK-2, LINK-7]") {
    const Deployment op;
    const std::string link = link_of(op, {"user", "invite", "carol", "--claim", "name=Carol"});
    UserAgent carol(op);
    CHECK_FALSE(can_log_in(op, "carol", ""));
    const Landing done = save(carol, carol.open(link));
    CHECK(done.answer.status == 200);
    CHECK(says(done.answer, "Your password is saved"));
    CHECK(carol.session_cookie().empty());  // no session comes out of a link
    std::string sign_in;
    for (const Attributes& anchor : find_tags(done.answer.body, "a"))
        if (anchor.contains("id") && anchor.at("id") == "sign-in") sign_in = anchor.at("href");
    CHECK(sign_in == op.url("account"));
    const Landing login = carol.open(sign_in);
    CHECK(login.verdict() == "login");
    CHECK(carol.log_in(login, "carol", kNew).url == op.url("account"));
    CHECK(is_gone(op, link));
}

TEST_CASE("link: without pages of an account the user is sent to an application [LINK-7]") {
    Deployment op;
    op.configure("paths", postern::json::Object{{"account", nullptr}});
    const Landing done = use(op, invitation(op));
    CHECK(says(done.answer, "Open the application that you want to use"));
    CHECK(find_tags(done.answer.body, "a").empty());
}

TEST_CASE("link: another password ends every session and token, and second factors stay [LINK-6, ACCOUNT-6]") {
    const SignedIn before;
    const Deployment& op = before.op;
    UserAgent elsewhere(op);
    elsewhere.log_in(elsewhere.open(op.url("account")));
    REQUIRE(elsewhere.open(op.url("account")).answer.status == 200);
    const std::string link = reset_link(op);
    // Nothing has changed by its making or by looking at it.
    UserAgent looking(op);
    looking.fetch(link);
    CHECK(is_active(op, before.access_token()));
    CHECK(elsewhere.open(op.url("account")).verdict() == "page 200");
    const Landing done = use(op, link);
    CHECK(says(done.answer, "Your password is saved"));
    CHECK(elsewhere.open(op.url("account")).verdict() == "login");
    CHECK_FALSE(is_active(op, before.access_token()));
    CHECK(redeem(op, {{"grant_type", "refresh_token"}, {"refresh_token", before.refresh_token()}}).status == 400);
    CHECK_FALSE(can_log_in(op, kAlice, kAlicePassword));
    CHECK(can_log_in(op, kAlice, kNew));
    CHECK(can_log_in(op, kBob, kBobPassword));
}

TEST_CASE("link: whether the second factors go is what its purpose says [LINK-6, LINK-11]") {
    for (const bool removes : {false, true}) {
        CAPTURE(removes);
        const Deployment op;
        UserAgent alice(op);
        alice.log_in(alice.open(op.url("account")));
        const std::string app = op.url("account") + "/app";
        const SetUp key(alice.fetch(app));
        REQUIRE(alice.send(app, key.form(key.code(op)).text()).status == 200);
        REQUIRE(op.count_rows("totp_secrets") == 1);
        const Landing done = use(op, removes ? factors_link(op) : reset_link(op));
        CHECK(done.answer.status == 200);
        CHECK(says(done.answer, "are removed") == removes);
        CHECK(op.count_rows("totp_secrets") == (removes ? 0 : 1));
        CHECK((op.count_rows("recovery_codes") == 0) == removes);
        UserAgent again(op);
        const Landing next = again.log_in(again.open(op.url("account")), kAlice, kNew);
        CHECK(next.verdict() == (removes ? "page 200" : "second step"));
        CHECK(done.answer.log.find("link_used") != std::string::npos);
        CHECK((done.answer.log.find("app_removed") != std::string::npos) == removes);
    }
}

TEST_CASE("link: what mail scanners do spends nothing [LINK-3, L28]") {
    const Deployment op;
    const std::string link = reset_link(op);
    for (int i = 0; i < 3; ++i) {
        UserAgent scanner(op, "203.0.113." + std::to_string(i + 1));
        CHECK(scanner.fetch(link).status == 200);
        CgiRequest head = get_request(link.substr(link.find('?') + 1));
        head.method = "HEAD";
        CHECK(op.cgi("recover", head).status == 405);
        // A form without what the page had.
        CHECK(scanner.send(link, "").status == 403);
        CHECK(scanner.send(link, Query{{"new", kNew}, {"again", kNew}}.text()).status == 403);
    }
    CHECK(can_log_in(op, kAlice, kAlicePassword));
    CHECK(says(use(op, link).answer, "Your password is saved"));
}

TEST_CASE("a link that was copied with something around it is good: a full stop, brackets, quotes, blanks [LINK-1]") {
    const Deployment op;
    for (const char* behind :
         {".", ",", ")", ");", "%3E", "&gt;", "%22", "'", "%20", "%0A", "%E2%80%8B", "*", "!", "].", "%E3%80%82"}) {
        CAPTURE(std::string(behind));
        UserAgent browser(op);
        CHECK(browser.fetch(reset_link(op) + behind).status == 200);
    }
}

TEST_CASE("link: one that is no longer good gets one page, whatever is wrong with it [LINK-4, LINK-5, L28]") {
    struct Row {
        const char* when;
        std::string (*make)(Deployment& op);  ///< the address that is opened
    };
    const Row rows[] = {
        {"used",
         [](Deployment& op) {
             const std::string link = reset_link(op);
             use(op, link, kOtherNew);
             return link;
         }},
        {"a newer one was made",
         [](Deployment& op) {
             const std::string link = reset_link(op);
             reset_link(op);
             return link;
         }},
        {"a disabled user",
         [](Deployment& op) {
             const std::string link = reset_link(op);
             op.must({"user", "disable", kAlice});
             return link;
         }},
        {"expired to the second",
         [](Deployment& op) {
             const std::string link = link_of(op, {"user", "reset-link", kAlice, "--expires", "5m"});
             op.advance(seconds(300));
             return link;
         }},
        {"one character changed",
         [](Deployment& op) {
             std::string link = reset_link(op);
             link[link.size() - 20] = static_cast<char>(link[link.size() - 20] == 'A' ? 'B' : 'A');
             return link;
         }},
        {"too long", [](Deployment& op) { return reset_link(op) + "A"; }},
        {"twice in the query",
         [](Deployment& op) {
             const std::string link = reset_link(op);
             return link + "&" + link.substr(link.find("t="));
         }},
        {"with another one in the query", [](Deployment& op) { return reset_link(op) + "&t=A"; }},
        {"empty", [](Deployment& op) { return op.url("recover") + "?t="; }},
        {"none", [](Deployment& op) { return op.url("recover"); }},
        {"badly encoded", [](Deployment& op) { return op.url("recover") + "?t=%zz"; }},
    };
    std::set<std::string> bodies;
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Deployment op;
        const std::string link = row.make(op);
        UserAgent browser(op);
        const Answer page = browser.fetch(link);
        CHECK(page.status == 400);
        CHECK(says(page, kGone));
        CHECK(browser.cookies().empty());
        CHECK(page.log.find("link_refused") != std::string::npos);
        // What a form would do.
        const Answer sent = browser.send(link, Query{{"new", kNew}, {"again", kNew}, {"csrf", "x"}}.text());
        CHECK(sent.status == 400);
        CHECK_FALSE(can_log_in(op, kAlice, kNew));
        std::string body = visible_text(page.body);
        const auto id = body.find("Request id");
        REQUIRE(id != std::string::npos);
        bodies.insert(body.substr(0, id));
    }
    CHECK(bodies.size() == 1);
}

TEST_CASE("link: good in its last second [LINK-1]") {
    struct Row {
        std::vector<std::string> arguments;
        int seconds;
    };
    const Row rows[] = {{{"user", "invite", "carol"}, 7 * 86400},
                        {{"user", "reset-link", kAlice}, 86400},
                        {{"user", "reset-link", kAlice, "--factors"}, 86400},
                        {{"user", "reset-link", kAlice, "--expires", "5m"}, 300}};
    for (const Row& row : rows) {
        CAPTURE(row.seconds);
        Deployment op;
        const std::string link = link_of(op, row.arguments);
        op.advance(seconds(row.seconds - 1));
        UserAgent browser(op);
        const Landing page = browser.open(link);
        CHECK(page.answer.status == 200);
        op.advance(seconds(1));
        CHECK(says(save(browser, page).answer, kGone));
        CHECK(is_gone(op, link));
    }
}

TEST_CASE("link: a form must be of this browser and this link, and any browser may open it [LINK-3]") {
    const Deployment op;
    const std::string link = reset_link(op);
    UserAgent alice(op);
    UserAgent attacker(op);
    const Landing page = alice.open(link);
    const std::string form = alice.form_of(page, "save", {{"new", kNew}, {"again", kNew}});
    // Of another browser, with its own cookie and without one.
    attacker.fetch(link);
    CHECK(attacker.send(link, form).status == 403);
    attacker.cookies().clear();
    CHECK(attacker.send(link, form).status == 403);
    // By GET nothing happens at all.
    CHECK(alice.fetch(link + "&" + form).status == 200);
    CHECK(can_log_in(op, kAlice, kAlicePassword));
    // Another browser that has opened it itself is as good.
    CHECK(says(use(op, link).answer, "Your password is saved"));
    CHECK(says(alice.follow(link, alice.send(link, form)).answer, kGone));
    CHECK(can_log_in(op, kAlice, kNew));
}

TEST_CASE("link: who is signed in in that browser does not count, and stays signed in [LINK-3, LINK-7]") {
    const Deployment op;
    UserAgent bob(op);
    bob.log_in(bob.open(op.url("account")), kBob, kBobPassword);
    const std::string cookie = bob.session_cookie();
    REQUIRE_FALSE(cookie.empty());
    const Landing done = save(bob, bob.open(invitation(op)));
    CHECK(says(done.answer, "Your password is saved"));
    CHECK(bob.session_cookie() == cookie);
    CHECK(says(bob.open(op.url("account")).answer, kBob));
}

TEST_CASE("link: a password that may not be chosen leaves the link as it is [LINK-3, PASSWORD-1, PASSWORD-2, L36]") {
    const Deployment op;
    const std::string link = reset_link(op);
    UserAgent alice(op);
    const Landing page = alice.open(link);
    struct Row {
        const char* fresh;
        const char* again;
        const char* says;
        std::string flaw;
    };
    std::vector<Row> rows = {{"a brief one", "a brief one", "too short", "too_short"},
                             {kNew, kOtherNew, "are not the same", ""},
                             {"Alice@op.example", "Alice@op.example", "must not be your e-mail address", "email"}};
    if (postern::factor::estimates_password_strength())
        rows.push_back({"wonderland wonderland", "wonderland wonderland",
                        "Too easy to guess: it is made of common words or patterns.", "guessable"});
    for (const Row& row : rows) {
        CAPTURE(row.fresh);
        const Landing again = alice.submit(page, "save", {{"new", row.fresh}, {"again", row.again}});
        CHECK(again.answer.status == 200);
        CHECK(says(again.answer, row.says));
        if (row.flaw.empty()) {
            CHECK(audit_lines(again.answer.log).empty());
        } else {
            const auto refused = line_of(again.answer.log, "password_refused");
            CHECK(text_of(refused, "reason") == "new password: " + row.flaw);
            CHECK(text_of(refused, "subject") == subject_of(op, kAlice));
            CHECK_FALSE(text_of(refused, "link").empty());
            CHECK(again.answer.log.find(row.fresh) == std::string::npos);
        }
        for (const Attributes& input : find_tags(again.answer.body, "input"))
            if (input.at("type") == "password") CHECK_FALSE(input.contains("value"));
        CHECK(value_of(again.answer, "username") == kAlice);
    }
    const std::string csrf = value_of(page.answer, "csrf");
    CHECK(alice.send(link, Query{{"csrf", csrf}, {"new", kNew}, {"new", kNew}, {"again", kNew}}.text()).status == 400);
    CHECK(can_log_in(op, kAlice, kAlicePassword));
    CHECK(says(save(alice, page).answer, "Your password is saved"));
}

TEST_CASE("link: a password is judged without a hash slot, and waits for one to be kept [LINK-3, PASSWORD-7]") {
    const Deployment op(Deployment::Options{.config = {{"login", postern::json::Object{{"hashSlots", 1}}}}});
    const std::string link = reset_link(op);
    UserAgent alice(op);
    const Landing page = alice.open(link);
    const auto files = is_on_postgresql() ? op.database_file().replace_extension() : op.database_file();
    {
        const auto slot = postern::os::Slot::acquire(files.string() + ".hash", 1, std::chrono::milliseconds(100));
        REQUIRE(slot);
        const Landing weak = save(alice, page, "a brief one");
        CHECK(weak.answer.status == 200);
        CHECK(says(weak.answer, "too short"));
        const Landing good = save(alice, page);
        CHECK(good.answer.status == 503);
        CHECK(good.answer.log.find("too_busy") != std::string::npos);
    }
    CHECK(alice.fetch(link).status == 200);
    CHECK(says(save(alice, page).answer, "Your password is saved"));
    CHECK(can_log_in(op, kAlice, kNew));
}

TEST_CASE("link: the outside addresses of its page are those of branding, to which no referrer goes [LINK-10]") {
    Deployment op;
    const auto outside = [&] {
        UserAgent browser(op);
        const Answer page = browser.fetch(reset_link(op));
        CHECK(page.status == 200);
        CHECK(page.header("Referrer-Policy") == "no-referrer");
        std::set<std::string> addresses;
        static const std::regex kAddress(R"re((?:href|src|srcset|action|formaction|data|content)="([^"]*//[^"]*)")re");
        for (std::sregex_iterator at(page.body.begin(), page.body.end(), kAddress), end; at != end; ++at)
            if (!(*at)[1].str().starts_with("https://op.example/")) addresses.insert((*at)[1]);
        return addresses;
    };
    CHECK(outside().empty());
    const auto branding = postern::json::parse(
        R"({"help": "https://example.org/help", "links": [{"text": {"": "Imprint"}, "url": "https://example.org/imprint"}]})");
    REQUIRE(branding);
    op.configure("branding", *branding);
    CHECK(outside() == std::set<std::string>{"https://example.org/help", "https://example.org/imprint"});
}

TEST_CASE("link: of two forms at the same moment one wins [STORE-2, L28]") {
    for (int round = 0; round < 5; ++round) {
        CAPTURE(round);
        const Deployment op;
        const std::string link = reset_link(op);
        UserAgent one(op);
        UserAgent two(op);
        const Landing page_one = one.open(link);
        const Landing page_two = two.open(link);
        Answer first;
        Answer second;
        std::thread here([&] { first = save(one, page_one, kNew).answer; });
        std::thread there([&] { second = save(two, page_two, kOtherNew).answer; });
        here.join();
        there.join();
        const bool first_won = says(first, "Your password is saved");
        CHECK(first_won != says(second, "Your password is saved"));
        CHECK(says(first_won ? second : first, kGone));
        CHECK(can_log_in(op, kAlice, first_won ? kNew : kOtherNew));
        CHECK_FALSE(can_log_in(op, kAlice, first_won ? kOtherNew : kNew));
    }
}

TEST_CASE(
    "link: the audit log has who made it, for whom, and what became of it, and never the link [LINK-10, LINK-11, L29]") {
    const Deployment op;
    const std::string subject = subject_of(op, kAlice);
    const std::string link = factors_link(op);
    const std::string token = link.substr(link.find("t=") + 2);
    const auto line_of_making = line_of(read_file(op.directory() / "syslog"), "link_made");
    CHECK(text_of(line_of_making, "purpose") == "factors");
    CHECK(text_of(line_of_making, "subject") == subject);
    CHECK_FALSE(text_of(line_of_making, "by").empty());
    const std::string id = text_of(line_of_making, "link");
    CHECK(id.size() == 16);

    const Landing done = use(op, link);
    const auto used = line_of(done.answer.log, "link_used");
    CHECK(text_of(used, "purpose") == "factors");
    CHECK(text_of(used, "subject") == subject);
    CHECK(text_of(used, "link") == id);
    CHECK(text_of(used, "made_by") == text_of(line_of_making, "by"));
    const auto changed = line_of(done.answer.log, "password_changed");
    CHECK(text_of(changed, "subject") == subject);
    CHECK(text_of(changed, "by") == "link");

    UserAgent late(op);
    const Answer refused = late.fetch(link);
    const auto line = line_of(refused.log, "link_refused");
    CHECK(text_of(line, "reason") == "used");
    CHECK(text_of(line, "link") == id);
    CHECK(text_of(line, "subject") == subject);
    for (const std::string& log : {done.answer.log, refused.log, read_file(op.directory() / "syslog"), refused.body})
        CHECK(log.find(token) == std::string::npos);
    CHECK(op.stored().find(token) == std::string::npos);
}

TEST_CASE("link: only its own path is answered, and none where it is not offered [MAIL-9]") {
    Deployment op;
    const auto status_at = [&](const std::string& path) {
        CgiRequest request;
        request.path = path;
        return op.cgi("recover", request).status;
    };
    CHECK(status_at("/recover/link") == 400);  // there is no link in the address
    for (const char* path : {"/recover", "/recover/", "/recover/link/", "/recover/Link", "/recover/links", "/link"}) {
        CAPTURE(std::string(path));
        CHECK(status_at(path) == 404);
    }
    op.configure("paths", postern::json::Object{{"recover", "/help"}});
    CHECK(status_at("/help/link") == 400);
    CHECK(status_at("/recover/link") == 404);
    op.configure("paths", postern::json::Object{{"recover", nullptr}});
    CHECK(status_at("/recover/link") == 404);
    op.configure("paths", postern::json::Object{});
    const std::string link = reset_link(op);
    op.configure("login", postern::json::Object{{"method", "remote_user"}});
    CHECK(status_at("/recover/link") == 404);
    CHECK(UserAgent(op).fetch(link).status == 404);
}

TEST_CASE("link: below the path of an issuer, too [LINK-1]") {
    const Deployment op({.issuer = "https://op.example/auth"});
    const std::string link = reset_link(op);
    CHECK(link.starts_with("https://op.example/auth/recover/link?t="));
    CHECK(says(use(op, link).answer, "Your password is saved"));
}
