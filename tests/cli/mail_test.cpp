// `postern mail`: what is sent when, what a failing, deaf or hanging command costs, and what two deliverers do.
// docs/decisions/0080-mail.md
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "crypto/digest.h"
#include "db/maintenance.h"
#include "db/write.h"
#include "json/reader.h"
#include "preconditions.h"
#include "store/mail_requests.h"
#include "store/users.h"
#include "support/deployment.h"
#include "support/preload.h"
#include "support/sendmail.h"

using namespace postern;
using namespace postern::test;

namespace {

struct Fixture {
    Installation installation;
    Sendmail sendmail{installation.directory()};

    Fixture() {
        installation.reconfigure("mail", sendmail.config());
        installation.must({"user", "add", "ada", "--password-stdin", "--claim", "email=ada@example.org"},
                          "secret boats of ada\n");
        installation.must({"user", "add", "bob", "--password-stdin"}, "secret boats of bob\n");
    }
    void ask() const { installation.must({"user", "reset-link", "ada", "--mail"}); }
    ProcessResult deliver() const { return installation.postern({"mail", "deliver", "--json"}); }
    std::int64_t delivered(const char* member) const {
        const auto run = deliver();
        REQUIRE_MESSAGE(run.exit_code == 0, run.err);
        const auto printed = json::parse(run.out);
        REQUIRE(printed);
        return integer_of(*printed, member);
    }
    /// As when time has passed: every row may be tried again.
    void make_due() const {
        auto database = installation.open();
        database.prepare("UPDATE mail_requests SET not_before = 1").execute();
    }
    store::MailCounts counts() const {
        auto database = installation.open();
        return store::count_mail(database, util::Time{});
    }
    json::Value listed() const { return installation.must_json({"mail", "list"}); }
    std::string log() const { return read_file(installation.syslog_file()); }
};

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// In no order, as names of requests are.
std::string sha1_name(std::int64_t number) { return crypto::hex(crypto::sha1(std::to_string(number))); }

}  // namespace

TEST_CASE("mail deliver: a link of the operator is made when it is sent, and printed nowhere [LINK-2, MAIL-3]") {
    Fixture f;
    const auto asked =
        f.installation.must_json({"user", "reset-link", "ada", "--factors", "--expires", "2h", "--mail"});
    CHECK(asked.if_object()->find("link") == nullptr);
    CHECK(text_of(asked, "mail") == "waiting");
    CHECK(count_rows(f.installation, "links") == 0);
    CHECK(count_of(f.log(), "mail_asked") == 1);
    CHECK(f.delivered("sent") == 1);
    const ReceivedMail mail = f.sendmail.only_new();
    CHECK(mail.is_sound);
    CHECK(has(mail.body, "removes your authenticator app"));
    CHECK(has(mail.link(), "/recover/link?t="));
    auto database = f.installation.open();
    auto row = database.prepare("SELECT purpose, email, expires_at - created_at, made_by FROM links");
    REQUIRE(row.step());
    CHECK(row.text(0) == "factors");
    CHECK(row.text(1) == "ada@example.org");
    CHECK(row.integer(2) == 7200);
    CHECK_FALSE(row.text(3).empty());
    CHECK(f.counts().waiting == 0);
    CHECK(count_of(f.log(), "mail_sent") == 1);
}

TEST_CASE("user invite --mail, reset-link --mail: refused where no mail can come of it, and nothing is made [LINK-2]") {
    Fixture f;
    CHECK(has(f.installation.refused({"user", "reset-link", "bob", "--mail"}), "has no e-mail address"));
    const auto carol = f.installation.postern({"user", "invite", "carol", "--mail"});
    CHECK(carol.exit_code == 1);
    CHECK(f.installation.postern({"user", "show", "carol"}).exit_code == 1);
    f.installation.reconfigure("mail", nullptr);
    for (const Words& command : {Words{"user", "reset-link", "ada", "--mail"},
                                 {"user", "invite", "carol", "--claim", "email=carol@example.org", "--mail"}}) {
        CHECK(has(f.installation.refused(command), "no mail is configured"));
    }
    CHECK(f.installation.postern({"mail", "deliver"}).exit_code == 1);
    CHECK(f.counts().waiting == 0);
}

TEST_CASE("mail deliver: what fails is tried again after 1, 5 and 30 minutes and 4 hours, then given up [MAIL-2]") {
    Fixture f;
    f.ask();
    f.sendmail.behave("fail");
    const int waits[] = {60, 300, 1800, 14400};
    for (const int wait : waits) {
        CAPTURE(wait);
        const auto before = util::to_epoch(util::SystemClock().now());
        CHECK(f.delivered("failed") == 1);
        CHECK(f.delivered("failed") == 0);  // not yet
        const auto next = integer_of((*f.listed().if_array())[0], "not_before");
        CHECK(next >= before + wait);
        CHECK(next <= util::to_epoch(util::SystemClock().now()) + wait);
        CHECK_FALSE(has(f.log(), "mail_failed"));
        f.make_due();
    }
    const auto last = f.deliver();
    CHECK(has(last.err, "status 75"));
    CHECK_FALSE(has(last.err, "no route"));  // what the command says may name an address
    CHECK(f.counts().failed == 1);
    CHECK(f.counts().waiting == 0);
    CHECK(count_of(f.log(), "mail_failed") == 1);
    CHECK(has(f.log(), "the command ended with status 75"));
    CHECK(text_of((*f.listed().if_array())[0], "state") == "failed");
    f.make_due();
    f.sendmail.behave("keep");
    CHECK(f.delivered("sent") == 0);
}

TEST_CASE(
    "mail deliver: a try that succeeds later brings a new link, and the one before it does nothing [LINK-4, MAIL-3]") {
    Fixture f;
    f.ask();
    f.sendmail.behave("fail");
    f.deliver();
    auto database = f.installation.open();
    const auto token_of_row = [&] {
        auto row = database.prepare("SELECT token_hash FROM links");
        REQUIRE(row.step());
        std::string hash = row.text(0);
        CHECK_FALSE(row.step());
        return hash;
    };
    const std::string first = token_of_row();
    f.sendmail.behave("keep");
    f.make_due();
    CHECK(f.delivered("sent") == 1);
    CHECK(token_of_row() != first);
}

TEST_CASE("mail deliver: a command that does not read, that cannot be started or is no program [MAIL-2]") {
    Fixture f;
    f.ask();
    f.sendmail.behave("deaf");
    CHECK(f.delivered("sent") == 1);
    f.ask();
    json::Object config = f.sendmail.config();
    for (const char* program : {"/nonexistent/sendmail", "/etc/passwd", "/"}) {
        CAPTURE(program);
        config.set("command", json::Array{json::Value(program)});
        f.installation.reconfigure("mail", config);
        const auto run = f.deliver();
        CHECK(run.exit_code == 0);
        CHECK(has(run.err, "cannot be started"));
        f.make_due();
    }
}

TEST_CASE("mail deliver: a command that does not end is killed after 30 s, and tried again [MAIL-2]") {
    Fixture f;
    f.ask();
    f.sendmail.behave("hang");
    std::map<std::string, std::string> environment = {{"PATH", "/usr/bin:/bin"},
                                                      {"POSTERN_CONFIG", f.installation.config_file().string()},
                                                      {"POSTERN_TEST_SYSLOG", f.installation.syslog_file().string()},
                                                      {"POSTERN_TEST_HASTE", "60"}};
    preload(environment, build_directory() / "tests" / "fake_clock_preload.so");
    const auto run = test::run({postern_program(), "mail", "deliver"}, environment);
    CHECK(run.exit_code == 0);
    CHECK(has(run.err, "a message of kind password was not sent: the command took longer than 30 s"));
    CHECK(f.counts().waiting == 1);
    f.sendmail.behave("keep");
    f.make_due();
    CHECK(f.delivered("sent") == 1);
}

TEST_CASE("mail deliver: a shell sees nothing of the arguments [MAIL-2, L32]") {
    Fixture f;
    json::Object config = f.sendmail.config();
    const auto kept = f.installation.directory() / "arguments";
    json::Array command;
    for (const std::string& word :
         {std::string("/bin/sh"), std::string("-c"), "cat > /dev/null; printf '%s\\n' \"$1\" > " + kept.string(),
          std::string("sh"), std::string("$(touch /tmp/x); `id` > * | &")})
        command.emplace_back(word);
    config.set("command", std::move(command));
    f.installation.reconfigure("mail", config);
    f.ask();
    CHECK(f.delivered("sent") == 1);
    CHECK(read_file(kept) == "$(touch /tmp/x); `id` > * | &\n");
}

TEST_CASE("mail deliver: two at the same moment send each message once [MAIL-3, L33]") {
    Fixture f;
    for (int i = 0; i < 12; ++i) {
        const std::string name = "user" + std::to_string(i);
        f.installation.must({"user", "invite", name, "--claim", "email=" + name + "@example.org", "--mail"});
    }
    std::vector<std::thread> deliverers;
    for (int i = 0; i < 2; ++i) deliverers.emplace_back([&] { f.deliver(); });
    for (std::thread& each : deliverers) each.join();
    std::multiset<std::string> recipients;
    for (const ReceivedMail& mail : f.sendmail.received()) recipients.insert(mail.headers.at("To"));
    CHECK(recipients.size() == 12);
    CHECK(std::set<std::string>(recipients.begin(), recipients.end()).size() == 12);
    CHECK(f.counts().waiting == 0);
}

TEST_CASE("mail deliver: a message whose sender died before it said so is sent again, with another link [MAIL-2]") {
    Fixture f;
    f.ask();
    {
        auto database = f.installation.open();
        const auto due = store::find_due_mail(database, util::SystemClock().now(), 10);
        REQUIRE(due.size() == 1);
        db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
            CHECK(store::claim_mail(transaction, due[0], util::SystemClock().now() + util::Seconds(60)));
            CHECK_FALSE(store::claim_mail(transaction, due[0], util::SystemClock().now() + util::Seconds(60)));
            transaction.commit();
        });
    }
    CHECK(f.delivered("sent") == 0);
    f.make_due();
    CHECK(f.delivered("sent") == 1);
}

TEST_CASE("mail deliver: a user gets three an hour, under whatever name they are asked for [MAIL-6, L31]") {
    Fixture f;
    auto database = f.installation.open();
    db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        for (const char* typed : {"ada", "ada@example.org"})
            for (int i = 0; i < 2; ++i) {
                model::MailRequest request;
                request.id = typed + std::to_string(i);
                request.kind = model::MailKind::reset;
                if (typed == std::string("ada")) request.subject = store::find_subject(database, "ada");
                request.email_key = model::email_key(typed);  // "" for the name, as that of no user
                request.created_at = request.not_before = util::SystemClock().now();
                store::insert_mail(transaction, request);
            }
        transaction.commit();
    });
    const auto run = json::parse(f.deliver().out);
    REQUIRE(run);
    CHECK(integer_of(*run, "sent") == 3);
    CHECK(integer_of(*run, "dropped") == 1);
    CHECK(f.counts().waiting == 0);
}

TEST_CASE(
    "mail deliver: thousands of requests that strangers left do not make the log of the database grow [MAIL-6, L31]") {
    if (is_on_postgresql()) return;  // the server keeps its own
    Fixture f;
    const auto log_bytes = [&] { return integer_of(member_of(f.installation.must_json({"stats"}), "bytes"), "log"); };
    constexpr std::int64_t kRequests = 10000;
    {
        auto database = f.installation.open();
        db::write(database, db::Durability::lazy, [&](db::Transaction& transaction) {
            for (std::int64_t i = 0; i < kRequests; ++i) {
                model::MailRequest request;
                request.id = sha1_name(i);
                request.kind = model::MailKind::reset;
                request.email_key = sha1_name(-i);
                request.created_at = request.not_before = util::SystemClock().now();
                store::insert_mail(transaction, request);
            }
            transaction.commit();
        });
        db::checkpoint(database);
    }
    CHECK(f.delivered("dropped") == kRequests);
    CHECK(f.counts().waiting == 0);
    CHECK(log_bytes() < 6 * 1024 * 1024);
}

TEST_CASE("mail: no token is in the database, the log or what the command says [MAIL-3, L33]") {
    Fixture f;
    f.ask();
    const auto run = f.deliver();
    const std::string link = f.sendmail.only_new().link();
    const std::string token = link.substr(link.find("t=") + 2);
    CHECK(token.size() == 43);
    for (const std::string& text : {run.out, run.err, f.log()}) CHECK_FALSE(has(text, token));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(f.installation.directory() / "data"))
        if (entry.is_regular_file()) CHECK_FALSE(has(read_file(entry.path()), token));
}

TEST_CASE("mail list: kind, user, state and times, and no address [AUDIT-1]") {
    Fixture f;
    f.ask();
    const auto list = f.installation.must({"mail", "list"});
    CHECK(has(list, "password"));
    CHECK(has(list, "ada"));
    CHECK(has(list, "waiting"));
    CHECK_FALSE(has(list, "ada@example.org"));
    const auto listed = f.listed();
    REQUIRE(listed.if_array()->size() == 1);
    CHECK(text_of((*listed.if_array())[0], "kind") == "password");
    CHECK(text_of((*listed.if_array())[0], "username") == "ada");
    CHECK(text_of((*listed.if_array())[0], "state") == "waiting");
}

TEST_CASE("doctor: says what keeps mail from being sent, and nothing where it is not configured [MAIL-2]") {
    Fixture f;
    const auto states = [&] { return f.installation.findings("mail"); };
    CHECK(states().starts_with("ok: "));
    f.ask();
    CHECK(states().starts_with("ok: "));
    f.installation.open().prepare("UPDATE mail_requests SET created_at = created_at - 901").execute();
    CHECK(states().starts_with("warning: 1 message waiting for more than 15 minutes | "));
    f.installation.open().prepare("UPDATE mail_requests SET failed_at = created_at, tries = 5").execute();
    CHECK(states().starts_with("warning: 1 message of the last 7 days given up | "));
    json::Object config = f.sendmail.config();
    config.set("command", json::Array{json::Value("/nonexistent/sendmail")});
    f.installation.reconfigure("mail", config);
    CHECK(states().starts_with("error: /nonexistent/sendmail of mail.command cannot be run: "));
    f.installation.reconfigure("mail", nullptr);
    CHECK(states().empty());
}

TEST_CASE("doctor --mail: sends a message, and says what the command says [MAIL-10]") {
    Fixture f;
    const auto test_message = [&](const std::string& address) {
        const auto run = f.installation.postern({"doctor", "--mail", address, "--json"});
        const auto printed = json::parse(run.out);
        if (!printed) return run.err;
        for (const json::Value& finding : *printed->if_array())
            if (text_of(finding, "check") == "test message")
                return text_of(finding, "state") + ": " + text_of(finding, "detail");
        return std::string("nothing");
    };
    CHECK(test_message("you@example.org") == "ok: the command has taken a message to you@example.org");
    const ReceivedMail mail = f.sendmail.only_new();
    CHECK(mail.is_sound);
    CHECK(mail.headers.at("To") == "you@example.org");
    f.sendmail.behave("fail");
    const std::string failed = test_message("you@example.org");
    CHECK(failed.starts_with("error: the command ended with status 75; it said: no route to the host"));
    for (const char* address : {"you", "you@example.org\nBcc: eve@example.org", "-oX@example.org"})
        CHECK(has(test_message(address), "--mail must be an address like ada@example.org"));
    f.installation.reconfigure("mail", nullptr);
    CHECK(test_message("you@example.org") == "error: no mail is configured");
}

TEST_CASE("stats: counts messages that wait and that were given up") {
    Fixture f;
    f.ask();
    const auto counted = [&](const char* state) {
        const auto stats = f.installation.must_json({"stats"});
        return integer_of(member_of(stats, "mail"), state);
    };
    CHECK(counted("waiting") == 1);
    CHECK(counted("failed") == 0);
    f.installation.open().prepare("UPDATE mail_requests SET failed_at = created_at").execute();
    CHECK(counted("waiting") == 0);
    CHECK(counted("failed") == 1);
    CHECK(has(f.installation.must({"stats", "--prometheus"}), "postern_mail{state=\"failed\"} 1\n"));
    CHECK(has(f.installation.must({"stats"}), "0 waiting, 1 given up"));
}
