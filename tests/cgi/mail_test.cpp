// Mail as users meet it: a link that is asked for on a page, and the messages that come. docs/decisions/0080-mail.md
#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "db/write.h"
#include "json/reader.h"
#include "store/login_attempts.h"
#include "store/mail_requests.h"
#include "store/users.h"
#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/sendmail.h"
#include "support/whole_answer.h"

namespace {

using namespace postern::test;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kNew = "four words in a row";
constexpr const char* kSentence = "If there is such an account with an address, a message is on its way.";

struct Office {
    Deployment op;
    Sendmail sendmail{op.directory()};

    explicit Office(int per_hour = 200) {
        op.configure("mail", sendmail.config(per_hour));
        op.configure("log", postern::json::Object{{"target", (op.directory() / "log").string()}});
    }

    std::string page() const { return op.url("login").substr(0, op.url("login").size() - 5) + "recover"; }
    Landing ask(const std::string& name, const std::string& address = "192.0.2.7") const {
        UserAgent browser(op, address);
        const Landing form = browser.open(page());
        REQUIRE(form.answer.status == 200);
        return browser.submit(form, "send", {{"name", name}});
    }
    postern::json::Object deliver() const {
        const auto printed = postern::json::parse(op.must({"mail", "deliver", "--json"}));
        REQUIRE(printed);
        return *printed->if_object();
    }
    std::int64_t sent() const { return *deliver().find("sent")->if_integer(); }
    std::int64_t waiting() const { return op.count_rows("mail_requests"); }
    std::string log() const { return read_file(op.directory() / "log"); }
};

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE(
    "mail: who has forgotten the password asks for a link, gets it, and signs in with a new one [MAIL-1, MAIL-4]") {
    Office office;
    UserAgent browser(office.op);
    const Landing login = browser.open(office.op.url("account"));
    CHECK(link_in(login.answer.body, "forgot") == office.page());
    CHECK(says(office.ask(kAlice).answer, kSentence));
    CHECK(office.waiting() == 1);
    CHECK(office.sendmail.received().empty());
    CHECK(office.sent() == 1);
    CHECK(office.waiting() == 0);
    const ReceivedMail mail = office.sendmail.only_new();
    CHECK(mail.headers.at("To") == "alice@op.example");
    CHECK(mail.link().starts_with("https://op.example/recover/link?t="));
    CHECK(office.op.stored().find(mail.link().substr(mail.link().find("t=") + 2)) == std::string::npos);
    office.op.advance(hours(1) - seconds(1));
    Landing link = browser.open(mail.link());
    CHECK(says(link.answer, "Choose a new password"));
    CHECK(says(browser.submit(link, "save", {{"new", kNew}, {"again", kNew}}).answer, "Your password is saved"));
    CHECK(can_log_in(office.op, kAlice, kNew));
    CHECK_FALSE(can_log_in(office.op, kAlice, kAlicePassword));
    CHECK(says(browser.open(mail.link()).answer, "This link is no longer good"));
}

TEST_CASE(
    "mail: wrong codes count on behind a link that came by mail, and not behind the operator's [TOTP-9, LINK-6]") {
    struct Row {
        bool mailed;
        std::int64_t left;  ///< of the counter and the wait
    };
    for (const Row& row : {Row{true, 2}, Row{false, 0}}) {
        CAPTURE(row.mailed);
        Office office;
        const auto count = [&] {
            postern::db::Database database(office.op.database(), postern::db::Access::query_only);
            auto found = database.prepare("SELECT count(*) FROM login_attempts WHERE attempt_key LIKE '%:other:%'");
            return found.step() ? found.integer(0) : -1;
        };
        {
            postern::db::Database database(office.op.database(), postern::db::Access::read_write);
            postern::db::write(database, postern::db::Durability::full, [&](postern::db::Transaction& transaction) {
                const auto alice = *postern::store::find_subject(database, kAlice);
                for (int i = 0; i < 100; ++i)
                    postern::store::count_code_failure(transaction, alice, postern::store::CodePlace::other);
                postern::store::delay_codes(transaction, alice, postern::store::CodePlace::other,
                                            postern::util::SystemClock().now() + hours(24));
                transaction.commit();
            });
        }
        std::string link;
        if (row.mailed) {
            office.ask(kAlice);
            REQUIRE(office.sent() == 1);
            link = office.sendmail.only_new().link();
        } else {
            link = link_of(office.op, {"user", "reset-link", kAlice});
        }
        UserAgent browser(office.op);
        Landing page = browser.open(link);
        REQUIRE(says(browser.submit(page, "save", {{"new", kNew}, {"again", kNew}}).answer, "Your password is saved"));
        CHECK(count() == row.left);
    }
}

TEST_CASE("mail: a link that is no longer good leads to the page that mails another [LINK-5, MAIL-9]") {
    {
        Office office;
        UserAgent browser(office.op);
        office.ask(kAlice);
        office.deliver();
        const std::string expired = office.sendmail.only_new().link();
        office.op.advance(hours(1));
        for (const std::string& link : {expired, expired.substr(0, 60), office.page() + "/link"}) {
            CAPTURE(link);
            const Answer page = browser.fetch(link);
            CHECK(page.status == 400);
            REQUIRE(link_in(page.body, "recover") == office.page());
        }
        const Landing form = browser.open(office.page());
        CHECK(says(browser.submit(form, "send", {{"name", kAlice}}).answer, kSentence));
        office.deliver();
        CHECK(says(browser.fetch(office.sendmail.only_new().link()), "Choose a new password"));
    }
    const Deployment without;  // `/recover` is 404 there
    const Answer page = UserAgent(without).fetch(without.url("recover"));
    CHECK(says(page, "This link is no longer good"));
    CHECK(page.body.find("id=\"recover\"") == std::string::npos);
}

TEST_CASE("mail: the page is the same byte for byte whatever was typed, and so is the work [MAIL-4, L30]") {
    Office office;
    office.op.must({"user", "disable", kBob});
    office.op.must({"user", "add", "twin", "--password-stdin", "--claim", "email=alice@op.example"},
                   "boats of a twin at sea\n");
    office.op.must({"user", "add", "nomail", "--password-stdin"}, "boats of another at sea\n");
    std::set<std::string> answers;
    std::int64_t rows = 0;
    int address = 0;
    for (const std::string& name :
         {std::string(kAlice), std::string(kBob), std::string("nobody"), std::string("nomail"),
          std::string("alice@op.example"), std::string("ALICE@OP.Example"), std::string("nobody@example.org"),
          std::string("\xc3\xa9 at 100% <&>"), std::string(5000, 'x')}) {
        CAPTURE(name);
        Answer page = office.ask(name, "192.0.2." + std::to_string(++address)).answer;
        CHECK(page.status == 200);
        answers.insert(whole(page));
        CHECK(office.waiting() == ++rows);
        CHECK(page.header("Set-Cookie").empty());
    }
    CHECK(answers.size() == 1);
    CHECK(answers.begin()->find(kSentence) != std::string::npos);
    // Nothing of what was typed is kept, but digests.
    for (const char* typed : {"nobody@example.org", "xxxxxxxx", "at 100%"})
        CHECK(office.op.stored().find(typed) == std::string::npos);
}

TEST_CASE("mail: the page is the same byte for byte when as many requests wait as may [MAIL-4, MAIL-6]") {
    Office office;
    std::set<std::string> answers = {whole(office.ask(kAlice, "192.0.2.1").answer),
                                     whole(office.ask("nobody", "192.0.2.2").answer)};
    change_database(office.op,
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9998) INSERT INTO"
                    " mail_requests SELECT 'id ' || i, 'reset', NULL, 'key', '', 'en', 1, 1, 0, NULL FROM n");
    REQUIRE(office.waiting() == postern::store::kMaxWaitingResets);
    int address = 2;
    for (const char* name : {kAlice, "nobody", "alice@op.example", "nobody@example.org"})
        answers.insert(whole(office.ask(name, "192.0.2." + std::to_string(++address)).answer));
    CHECK(count_of(office.log(), "10000 requests wait already") == 4);
    CHECK(answers.size() == 1);
    CHECK(answers.begin()->find(kSentence) != std::string::npos);
    CHECK(office.waiting() == postern::store::kMaxWaitingResets);
}

TEST_CASE(
    "mail: sent to the address in the claims and never to what was typed; users who share one get one each [MAIL-5, L30]") {
    Office office;
    office.op.must({"user", "add", "twin", "--password-stdin", "--claim", "email=Alice@op.example"},
                   "boats of a twin at sea\n");
    office.op.must({"user", "add", "off", "--password-stdin", "--claim", "email=alice@op.example"},
                   "boats of a third at sea\n");
    office.op.must({"user", "disable", "off"});
    office.ask("ALICE@op.example");
    office.ask("stranger@example.org");
    office.ask(kBob);  // has no address
    office.ask("off");
    CHECK(office.sent() == 2);
    std::set<std::string> recipients;
    std::set<std::string> greeted;
    for (const ReceivedMail& mail : office.sendmail.received()) {
        recipients.insert(mail.headers.at("To"));
        greeted.insert(mail.body.substr(0, mail.body.find('\n')));
    }
    CHECK(recipients == std::set<std::string>{"alice@op.example", "Alice@op.example"});
    CHECK(greeted == std::set<std::string>{"Hello alice,", "Hello twin,"});
    CHECK(office.waiting() == 0);
}

TEST_CASE(
    "mail: a message is one that Python's email package reads without a defect [MAIL-7, RFC 3834 §5, RFC 5322 §3.3]") {
    Office office;
    const std::string name =
        "\xc3\xa9mile = \xe2\x82\xac of a name that is long enough to make its line break more than once";
    office.op.must({"user", "add", name, "--password-stdin", "--claim", "email=emile@example.org"},
                   "boats of emile at sea\n");
    office.ask(name);
    CHECK(office.sent() == 1);
    const ReceivedMail mail = office.sendmail.only_new();
    CHECK(mail.is_sound);
    CHECK(mail.headers.at("From") == "Example ID <id@example.org>");
    CHECK(mail.headers.at("To") == "emile@example.org");
    CHECK(mail.headers.at("Subject") == "Choose a new password for op.example");
    CHECK(mail.headers.at("Auto-Submitted") == "auto-generated");
    CHECK(mail.headers.at("Content-Type") == "text/plain; charset=\"utf-8\"");
    CHECK(mail.headers.at("Content-Transfer-Encoding") == "quoted-printable");
    CHECK(mail.headers.at("Message-ID").ends_with("@op.example>"));
    CHECK(mail.headers.contains("Date"));
    CHECK(mail.headers.size() == 10);
    CHECK(mail.body.starts_with("Hello " + name + ",\n"));
    CHECK(count_of(mail.body, "https://") == 1);
    for (const std::string& line : {mail.raw}) {
        std::size_t longest = 0;
        for (std::size_t begin = 0, end = 0; (end = line.find('\n', begin)) != line.npos; begin = end + 1)
            longest = std::max(longest, end - begin);
        CHECK(longest <= 76);
    }
}

TEST_CASE(
    "mail: a flood from one address or for one name writes no more than the limits, and looks the same [MAIL-6, L31]") {
    Office office;
    std::string first;
    for (int i = 0; i < 12; ++i) {
        const Answer page = office.ask("name" + std::to_string(i), "203.0.113.9").answer;
        if (first.empty()) first = page.body;
        CHECK(page.body == first);
        CHECK(page.status == 200);
    }
    CHECK(office.waiting() == 5);
    for (int i = 0; i < 8; ++i) CHECK(office.ask(kAlice, "198.51.100." + std::to_string(i)).answer.body == first);
    CHECK(office.waiting() == 5 + 3);
    CHECK(office.sent() == 3);
    office.op.advance(hours(1));
    CHECK(office.ask("name", "203.0.113.9").answer.body == first);
    CHECK(office.waiting() == 1);  // the windows are over
    const std::string log = office.log();
    CHECK(count_of(log, "mail_limited") == 7 + 5);
}

TEST_CASE("mail: who asks for another spelling of a name takes nothing from its owner [MAIL-6]") {
    Office office;
    for (const char* name : {"ada", "grace"})
        office.op.must(
            {"user", "add", name, "--password-stdin", "--claim", std::string("email=") + name + "@op.example"},
            "boats of a user at sea\n");
    office.op.must({"user", "add", "GRACE", "--password-stdin", "--claim", "email=other@op.example"},
                   "boats of a user at sea\n");
    // ADA is the name of nobody, GRACE that of another user.
    for (const auto& [stranger, owner] : {std::pair{"ADA", "ada"}, std::pair{"GRACE", "grace"}}) {
        CAPTURE(stranger);
        for (int i = 0; i < 4; ++i) office.ask(stranger, "203.0.113." + std::to_string(i));
        office.deliver();
        office.ask(owner, "192.0.2.9");
        CHECK(office.waiting() == 1);
        CHECK(office.sent() == 1);
    }
}

TEST_CASE("mail: mail.perHour holds for all messages, and the rest waits [MAIL-6, L31]") {
    Office office(2);
    for (int i = 0; i < 4; ++i) {
        const std::string name = "user" + std::to_string(i);
        office.op.must({"user", "add", name, "--password-stdin", "--claim", "email=" + name + "@example.org"},
                       "boats of a user at sea\n");
        office.ask(name, "192.0.2." + std::to_string(i + 1));
    }
    const auto first = office.deliver();
    CHECK(*first.find("sent")->if_integer() == 2);
    CHECK(*first.find("limited")->if_bool());
    CHECK(office.sent() == 0);
    CHECK(office.waiting() == 2);
    office.op.advance(hours(1));
    CHECK(office.sent() == 2);
    CHECK(office.waiting() == 0);
}

TEST_CASE(
    "mail: where mail.perHour is scarce, an owner is told before a link is sent that was asked for earlier [MAIL-6, L31]") {
    Office office(1);
    office.ask("alice@op.example");
    office.op.must({"user", "passwd", kAlice, "--password-stdin"}, "another of her passwords\n");
    CHECK(office.waiting() == 2);
    const auto first = office.deliver();
    CHECK(*first.find("sent")->if_integer() == 1);
    CHECK(*first.find("limited")->if_bool());
    CHECK(office.sendmail.only_new().headers.at("Subject") == "Your account at op.example has changed");
    CHECK(office.waiting() == 1);
}

TEST_CASE(
    "mail: the notices of one user take a share of mail.perHour, and a link that another asked for is sent first [MAIL-6, L31, Q10]") {
    Office office(8);
    office.op.must({"user", "add", "carol", "--password-stdin", "--claim", "email=carol@op.example"},
                   "boats of a user at sea\n");
    change_database(office.op,
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 260) INSERT INTO"
                    " mail_requests SELECT 'id ' || i, 'notice', '" +
                        subject_of(office.op, kAlice) +
                        "', NULL, 'recovery_codes_made alice@op.example', '', 1, 1, 0, NULL FROM n");
    office.ask("carol");
    const auto first = office.deliver();
    CHECK(*first.find("sent")->if_integer() == 1 + 3);
    CHECK(*first.find("limited")->if_bool());
    const auto received = office.sendmail.received();
    REQUIRE(received.size() == 4);
    CHECK(received[0].headers.at("To") == "carol@op.example");
    for (std::size_t i = 1; i < 4; ++i) CHECK(received[i].headers.at("To") == "alice@op.example");
    // What is left of the hour is another's.
    office.ask("carol", "192.0.2.8");
    CHECK(office.sent() == 1);
}

TEST_CASE("mail: what was asked for more than an hour ago is not sent, because the user has stopped waiting [MAIL-6]") {
    Office office;
    office.ask(kAlice);
    office.op.advance(hours(1) + seconds(1));
    CHECK(office.sent() == 0);
    CHECK(office.waiting() == 0);
}

TEST_CASE("mail: the form is this browser's, and what is no form of ours writes nothing [MAIL-4]") {
    Office office;
    UserAgent browser(office.op);
    const Landing form = browser.open(office.page());
    CHECK(form.answer.header("Cache-Control") == "no-store");
    CHECK(form.answer.header("Referrer-Policy") == "no-referrer");
    const std::string good = browser.form_of(form, "send", {{"name", kAlice}});
    UserAgent other(office.op, "192.0.2.8");
    CHECK(other.send(office.page(), good).status == 403);
    CHECK(browser.send(office.page(), "name=alice").status == 403);
    CHECK(browser.send(office.page(), good, {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
    CHECK(browser.send(office.page(), good + "&name=bob").status == 400);
    CHECK(office.waiting() == 0);
    CHECK(says(browser.submit(form, "send", {{"name", "  "}}).answer, "Enter your user name or your e-mail address."));
    CHECK(office.waiting() == 0);
    CHECK(browser.send(office.page(), good).status == 200);
    CHECK(office.waiting() == 1);
}

TEST_CASE("mail: without it nothing is offered, and nothing is made [MAIL-9, MAIL-10]") {
    const auto status_at = [](const Deployment& op) {
        CgiRequest request;
        request.path = "/recover";
        return op.cgi("recover", request).status;
    };
    const Deployment op;
    UserAgent browser(op);
    CHECK(link_in(browser.open(op.url("account")).answer.body, "forgot").empty());
    CHECK(status_at(op) == 404);
    CHECK_FALSE(std::filesystem::exists(op.directory() / "data" / "mail.wake"));
    CHECK(op.postern({"mail", "deliver"}).exit_code == 1);
    Office office;
    CHECK(status_at(office.op) == 200);
    CHECK(std::filesystem::exists(office.op.directory() / "data" / "mail.wake"));
    office.op.configure("login", postern::json::Object{{"method", "remote_user"}});
    CHECK(status_at(office.op) == 404);
    office.op.configure("login", postern::json::Object{{"method", "saslauthd"}});
    CHECK(status_at(office.op) == 404);
    office.op.configure("login", postern::json::Object{});
    office.op.configure("paths", postern::json::Object{{"recover", nullptr}});
    CHECK(status_at(office.op) == 404);
}

TEST_CASE("mail: each request that is kept changes mail.wake, which starts the deliverer; nothing else does [MAIL-1]") {
    Office office;
    const auto wake = office.op.directory() / "data" / "mail.wake";
    const auto unit = read_file(source_directory() / "examples/systemd/postern-mail.path");
    CHECK(unit.find("\nPathModified=/var/lib/postern/" + wake.filename().string() + "\n") != std::string::npos);
    const auto has_changed = [&] {
        const bool changed = read_file(wake) == "\n";
        std::ofstream(wake, std::ios::trunc).flush();
        return changed;
    };
    CHECK_FALSE(has_changed());
    UserAgent browser(office.op);
    const Landing form = browser.open(office.page());
    CHECK_FALSE(has_changed());
    for (const std::string name : {"nobody", kAlice}) {
        CAPTURE(name);
        browser.submit(form, "send", {{"name", name}});
        CHECK(has_changed());
    }
    CHECK(browser.send(office.page(), "name=alice").status == 403);
    CHECK_FALSE(has_changed());
    CHECK(browser.submit(form, "send", {{"name", " "}}).answer.status == 200);
    CHECK_FALSE(has_changed());
    for (int i = 0; i < 4; ++i) office.ask("name" + std::to_string(i));
    CHECK(office.waiting() == 5);
    CHECK(has_changed());
    office.ask("one too many");
    CHECK(office.waiting() == 5);
    CHECK(count_of(office.log(), "mail_limited") == 2);
    CHECK_FALSE(has_changed());
}

TEST_CASE("mail: an invited user's address is verified by the link that came there [LINK-9]") {
    for (const bool by_mail : {true, false}) {
        CAPTURE(by_mail);
        Office office;
        std::vector<std::string> command = {"user", "invite", "carol", "--claim", "email=carol@example.org", "--json"};
        if (by_mail) command.emplace_back("--mail");
        const auto printed = postern::json::parse(office.op.must(command));
        std::string link = text_of(*printed->if_object(), "link");
        CHECK(link.empty() == by_mail);
        if (by_mail) {
            CHECK(office.sent() == 1);
            const ReceivedMail mail = office.sendmail.only_new();
            CHECK(mail.headers.at("To") == "carol@example.org");
            CHECK(mail.headers.at("Subject") == "Your account at op.example");
            link = mail.link();
        }
        UserAgent carol(office.op);
        const Landing page = carol.open(link);
        CHECK(says(page.answer, "Welcome, carol"));
        CHECK(says(carol.submit(page, "save", {{"new", kNew}, {"again", kNew}}).answer, "Your password is saved"));
        const std::string shown = office.op.must({"user", "show", "carol", "--json"});
        CHECK((shown.find("email_verified") != std::string::npos) == by_mail);
        CHECK(can_log_in(office.op, "carol", kNew));
        CHECK(office.waiting() == 0);  // the first password is no change
    }
}

TEST_CASE("mail: a link is void when the user has another address than the one it was sent to [LINK-4, LINK-9]") {
    struct Row {
        const char* what;
        std::vector<std::string> change;
        bool is_good;
    };
    const Row rows[] = {
        {"another address", {"--claim", "email=new@example.org"}, false},
        {"none", {"--unset-claim", "email"}, false},
        {"the same, written otherwise", {"--claim", "email=ALICE@op.example"}, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Office office;
        office.ask(kAlice);
        CHECK(office.sent() == 1);
        const std::string link = office.sendmail.only_new().link();
        UserAgent browser(office.op);
        const Landing form = browser.open(link);
        REQUIRE(form.answer.status == 200);
        std::vector<std::string> command = {"user", "set", kAlice};
        command.insert(command.end(), row.change.begin(), row.change.end());
        office.op.must(command);
        CHECK(browser.fetch(link).status == (row.is_good ? 200 : 400));
        const Answer sent = browser.submit(form, "save", {{"new", kNew}, {"again", kNew}}).answer;
        CHECK(says(sent, row.is_good ? "Your password is saved" : "This link is no longer good"));
        CHECK(can_log_in(office.op, kAlice, kNew) == row.is_good);
    }
}

TEST_CASE("mail: a change of the password is told to the owner, without a link [POLICY-5, MAIL-8, L34]") {
    Office office;
    office.op.must({"user", "passwd", kAlice, "--password-stdin"}, "another of her passwords\n");
    CHECK(office.sent() == 1);
    ReceivedMail mail = office.sendmail.only_new();
    CHECK(mail.headers.at("To") == "alice@op.example");
    CHECK(mail.headers.at("Subject") == "Your account at op.example has changed");
    CHECK(mail.body.find("The password was changed.") != std::string::npos);
    CHECK(mail.link().empty());
    // With a link: the message goes to the address of before.
    office.ask(kAlice);
    office.deliver();
    const std::string link = office.sendmail.only_new().link();
    UserAgent browser(office.op);
    browser.submit(browser.open(link), "save", {{"new", kNew}, {"again", kNew}});
    office.op.must({"user", "set", kAlice, "--claim", "email=new@example.org"});
    CHECK(office.sent() == 1);
    mail = office.sendmail.only_new();
    CHECK(mail.headers.at("To") == "alice@op.example");
    CHECK(mail.body.find("A password was chosen with a link.") != std::string::npos);
    office.op.must({"user", "passwd", kBob, "--password-stdin"}, "another of his passwords\n");
    CHECK(office.waiting() == 0);  // bob has no address
}

TEST_CASE("mail: the audit log has what was asked for and sent, and neither address nor link [AUDIT-1]") {
    Office office;
    office.ask("alice@op.example");
    office.deliver();
    const std::string link = office.sendmail.only_new().link();
    const std::string log = office.log();
    CHECK(count_of(log, "mail_asked") == 1);
    CHECK(count_of(log, "mail_sent") == 1);
    for (const std::string& secret : {link.substr(link.find("t=") + 2), std::string("alice@op.example")})
        CHECK(log.find(secret) == std::string::npos);
}

TEST_CASE(
    "mail: a new address counts once its link was opened and confirmed, and the old one is told [ACCOUNT-11, LINK-9, L34]") {
    Office office;
    office.op.configure("account", postern::json::Object{{"editableClaims", postern::json::Array{"name", "email"}}});
    UserAgent alice(office.op);
    const std::string page = office.op.url("account") + "/profile";
    alice.log_in(alice.open(page));
    const auto change_to = [&](const std::string& address) {
        return alice.submit(alice.open(page + "?edit=yes"), "save", {{"email", address}, {"name", "Alice"}});
    };
    const auto claims = [&] { return office.op.must({"user", "show", kAlice, "--json"}); };
    CHECK(change_to("no address").url == page);
    CHECK(office.waiting() == 0);
    CHECK(change_to("new@op.example").url == page + "?done=email-asked");
    CHECK(claims().find("new@op.example") == std::string::npos);
    CHECK(claims().find("alice@op.example") != std::string::npos);
    CHECK(office.sent() == 1);
    const ReceivedMail mail = office.sendmail.only_new();
    CHECK(mail.headers.at("To") == "new@op.example");
    CHECK(mail.headers.at("Subject") == "Confirm your e-mail address for op.example");
    UserAgent other(office.op, "198.51.100.9");  // mail is read elsewhere
    for (int i = 0; i < 3; ++i)
        CHECK(says(other.fetch(mail.link()), "The account alice gets the address new@op.example"));
    CHECK(claims().find("new@op.example") == std::string::npos);
    CHECK(other.send(mail.link(), "csrf=x").status == 403);
    CHECK(says(other.submit(other.open(mail.link()), "confirm").answer, "Your e-mail address is confirmed"));
    CHECK(claims().find("new@op.example") != std::string::npos);
    CHECK(claims().find("alice@op.example") == std::string::npos);
    CHECK(claims().find("email_verified") != std::string::npos);
    CHECK(says(other.fetch(mail.link()), "This link is no longer good"));
    CHECK(office.sent() == 1);
    const ReceivedMail notice = office.sendmail.only_new();
    CHECK(notice.headers.at("To") == "alice@op.example");
    CHECK(notice.body.find("The e-mail address was changed.") != std::string::npos);
    CHECK(can_log_in(office.op, kAlice, kAlicePassword));  // nothing has ended
    office.ask("new@op.example");
    CHECK(office.sent() == 1);
    CHECK(office.sendmail.only_new().headers.at("To") == "new@op.example");
}

TEST_CASE("mail: a user has no more than three messages an hour sent to addresses of others [MAIL-6, ACCOUNT-11]") {
    Office office;
    office.op.configure("account", postern::json::Object{{"editableClaims", postern::json::Array{"email"}}});
    UserAgent alice(office.op);
    const std::string page = office.op.url("account") + "/profile";
    alice.log_in(alice.open(page));
    for (int i = 0; i < 5; ++i) {
        const Landing answer = alice.submit(alice.open(page + "?edit=yes"), "save",
                                            {{"email", "victim" + std::to_string(i) + "@op.example"}});
        CHECK(says(answer.answer, "You have asked for several messages already.") == (i >= 3));
    }
    CHECK(office.waiting() == 3);
    // Taken away at once, and the old one is told.
    CHECK(alice.submit(alice.open(page + "?edit=yes"), "save", {{"email", ""}}).url == page + "?done=profile-changed");
    CHECK(office.op.must({"user", "show", kAlice, "--json"}).find("alice@op.example") == std::string::npos);
    CHECK(office.sent() == 4);
}

TEST_CASE("mail: one message a day when a password was right in a new place and the second step failed [TOTP-10]") {
    Office office;
    UserAgent alice(office.op);
    const Landing page = alice.log_in(alice.open(office.op.url("account") + "/app"));
    alice.submit(page, "turn-on", {{"code", SetUp(page.answer).code(office.op)}});
    office.deliver();
    std::string told;
    for (const ReceivedMail& mail : office.sendmail.received()) told += mail.body;
    CHECK(told.find("An authenticator app was turned on.") != std::string::npos);
    CHECK(told.find("New recovery codes were made.") != std::string::npos);
    const std::size_t before = office.sendmail.received().size();
    const auto fail = [&](const std::string& address) {
        UserAgent thief(office.op, address);
        const Landing half = thief.log_in(thief.authorize(authorization_request(kTrusted)), kAlice, kAlicePassword);
        REQUIRE(half.verdict() == "second step");
        thief.submit(half, "verify", {{"code", "0000 0000 0000 0000"}});
    };
    for (int i = 0; i < 3; ++i) fail("203.0.113." + std::to_string(i + 1));
    CHECK(office.sent() == 1);
    const auto all = office.sendmail.received();
    REQUIRE(all.size() == before + 1);
    CHECK(all.back().headers.at("Subject") == "Somebody knows your password for op.example");
    CHECK(all.back().headers.at("To") == "alice@op.example");
    CHECK(all.back().link().empty());
    office.op.advance(hours(24) + seconds(1));
    fail("203.0.113.9");
    CHECK(office.sent() == 1);
}
