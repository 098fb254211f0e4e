// The audit log has a line for each change of the command, with what was changed and who did it.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "preconditions.h"
#include "store/login_attempts.h"
#include "support/audit_log.h"
#include "support/deployment.h"
#include "support/preload.h"

namespace {

using namespace postern::test;
namespace json = postern::json;
namespace fs = std::filesystem;

/// Returns what the file got since the last call.
class News {
public:
    explicit News(fs::path file) : file_(std::move(file)), seen_(read_file(file_).size()) {}
    std::string operator()() {
        const std::string all = read_file(file_);
        const std::string fresh = all.substr(seen_);
        seen_ = all.size();
        return fresh;
    }

private:
    fs::path file_;
    std::size_t seen_;
};

/// "event command members=..." without time, program and who it was.
std::string summary(const json::Object& line) {
    std::string text = text_of(line, "event");
    for (const auto& [name, value] : line.members())
        if (!std::ranges::count(std::initializer_list<std::string_view>{"time", "level", "program", "event", "by",
                                                                        "sudo_user", "kid", "signs_from"},
                                name))
            text += " " + name + "=" + text_of(line, name);
    return text;
}

TEST_CASE("audit: every command that changes something says so, and those that only look say nothing") {
    const Installation op;
    put_sample(op);
    put_session(op, "s-1", "ada");
    put_consent(op, "wiki", "ada", "openid");
    News news(op.syslog_file());
    const std::string secret(40, 's');
    const std::string backup = (op.directory() / "copy.db").string();
    std::ofstream(op.directory() / "people.jsonl") << "{\"username\":\"eve\"}\n{\"username\":\"dan\"}\n";
    struct Row {
        Words command;
        std::string input;
        std::string said;  ///< a subject that the command makes is `*`
    };
    const Row rows[] = {
        {{"client", "add", "new", "--redirect-uri", "https://new.example/cb"},
         "",
         "admin_command command=client add client_id=new"},
        {{"client", "set", "new", "--name", "New"}, "", "admin_command command=client set client_id=new"},
        {{"client", "secret", "new", "--secret-stdin"},
         secret + "\n",
         "admin_command command=client secret client_id=new"},
        {{"client", "disable", "new"}, "", "admin_command command=client disable client_id=new"},
        {{"client", "enable", "new"}, "", "admin_command command=client enable client_id=new"},
        {{"client", "remove", "new"}, "", "admin_command command=client remove client_id=new"},
        {{"user", "add", "carol", "--password-stdin"},
         "the one password of carol\n",
         "admin_command command=user add subject=*"},
        {{"user", "set", "ada", "--claim", "name=Ada"}, "", "admin_command command=user set subject=sub of ada"},
        {{"user", "passwd", "bob", "--password-stdin"},
         "the one password of bob\n",
         "admin_command command=user passwd subject=sub of bob"},
        {{"user", "import", (op.directory() / "people.jsonl").string()},
         "",
         "admin_command command=user import rows=2"},
        {{"user", "import", "--update", (op.directory() / "people.jsonl").string()}, "", ""},
        {{"user", "import", "--sync", "hr", "--adopt", (op.directory() / "people.jsonl").string()},
         "",
         "admin_command command=user import rows=2 source=hr"},
        {{"user", "import", "--sync", "hr", (op.directory() / "people.jsonl").string()}, "", ""},
        {{"consent", "revoke", "--user", "ada"},
         "",
         "consent_withdrawn subject=sub of ada client_id=wiki grants_ended=1"},
        {{"session", "end", "--user", "ada"},
         "",
         "admin_command command=session end subject=sub of ada sessions_ended=1 grants_ended=0"},
        {{"token", "revoke", "--client", "mail", "--before", "2033-05-18T03:33:20Z"},
         "",
         "admin_command command=token revoke client_id=mail before=2033-05-18T03:33:20Z grants_ended=2"},
        {{"user", "disable", "ada"}, "", "admin_command command=user disable subject=sub of ada"},
        {{"user", "enable", "ada"}, "", "admin_command command=user enable subject=sub of ada"},
        {{"user", "remove", "ada"}, "", "admin_command command=user remove subject=sub of ada"},
        {{"key", "rotate", "--alg", "ES256", "--lead", "0"}, "", "key_rotated alg=ES256"},
        {{"key", "rotate", "--seal"}, "", "seal_renewed"},
        {{"backup", backup}, "", "admin_command command=backup file=" + backup},
        {{"session", "end", "--user", "bob"}, "", ""},  // who is logged in nowhere
        {{"token", "revoke", "--client", "mail", "--before", "2033-05-18T03:33:20Z"}, "", ""},  // ended above
        {{"client", "list"}, "", ""},
        {{"user", "list"}, "", ""},
        {{"key", "list"}, "", ""},
        {{"token", "list"}, "", ""},
        {{"session", "list"}, "", ""},
        {{"consent", "list"}, "", ""},
        {{"stats"}, "", ""},
        {{"migrate"}, "", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.command.at(0));
        CAPTURE(row.command.back());
        op.must(row.command, row.input);
        const std::string text = news();
        CHECK_FALSE(has(text, secret));
        CHECK_FALSE(has(text, "a password"));
        const auto lines = audit_lines(text);
        REQUIRE(lines.size() == (row.said.empty() ? 0 : 1));
        if (lines.empty()) continue;
        const auto star = row.said.find('*');
        CHECK(summary(lines[0]).substr(0, star) == row.said.substr(0, star));
        CHECK(text_of(lines[0], "program") == "postern");
        CHECK(!text_of(lines[0], "by").empty());
    }
}

TEST_CASE("audit: publish names each file that it has made public, those before a failure too") {
    const Installation op;
    const fs::path pages = op.directory() / "published";
    const auto line_of = [&](const char* file) {
        return "admin_command command=publish file=" + (pages / file).string();
    };
    News news(op.syslog_file());
    op.must({"publish", pages.string()});
    const auto all = audit_lines(news());
    REQUIRE(all.size() == 3);
    CHECK(summary(all[0]) == line_of("jwks.json"));
    CHECK(summary(all[1]) == line_of("oauth-authorization-server"));
    CHECK(summary(all[2]) == line_of("openid-configuration"));
    fs::remove(pages / "oauth-authorization-server");
    fs::create_directory(pages / "oauth-authorization-server");
    CHECK(op.postern({"publish", pages.string()}).exit_code == 1);
    const auto before_failure = audit_lines(news());
    REQUIRE(before_failure.size() == 1);
    CHECK(summary(before_failure[0]) == line_of("jwks.json"));
}

TEST_CASE("audit: the user who called sudo is recorded when root runs the command, and is only a claim otherwise") {
    const Installation op;
    News news(op.syslog_file());
    std::map<std::string, std::string> environment = {{"PATH", "/usr/bin:/bin"},
                                                      {"POSTERN_CONFIG", op.config_file().string()},
                                                      {"POSTERN_TEST_SYSLOG", op.syslog_file().string()},
                                                      {"SUDO_USER", "mallory"}};
    preload(environment, build_directory() / "tests" / "fake_clock_preload.so");
    const auto done =
        run({postern_program(), "client", "add", "new", "--redirect-uri", "https://new.example/cb"}, environment);
    CHECK(done.exit_code == 0);
    const json::Object line = audit_line(news(), "admin_command");
    CHECK(text_of(line, "sudo_user") == (::getuid() == 0 ? "mallory" : ""));
}

TEST_CASE("audit: init, retire and purge too, and what was refused is none") {
    const Installation op(Installation::Start::configured);
    News news(op.syslog_file());
    op.must({"init"});
    CHECK(audit_events(news()) == "admin_command");
    CHECK(op.postern({"init"}).exit_code == 1);
    CHECK(op.postern({"user", "disable", "nobody"}).exit_code == 1);
    op.must({"purge"});  // nothing there to delete
    CHECK(news().empty());
    op.must({"key", "rotate", "--lead", "0"});
    news();
    const auto keys = op.must_json({"key", "list"});
    for (const json::Value& key : *keys.if_array()) {
        if (text_of(key, "state") != "retired") continue;
        op.must({"key", "retire", "--force", "--", text_of(key, "kid")});
        const json::Object line = audit_line(news(), "key_retired");
        CHECK(text_of(line, "kid") == text_of(key, "kid"));
    }
    {
        auto database = op.open();
        postern::db::Transaction transaction(database, postern::db::Durability::lazy);
        for (int i = 0; i < 100; ++i)
            postern::store::count_failures(transaction, {std::to_string(i)}, given_at() - postern::util::Seconds{1000},
                                           postern::util::Seconds{900});
        transaction.commit();
    }
    op.must({"purge"});
    // A line of several sweeps, and another one after each second.
    int rows = 0;
    for (const json::Object& purged : postern::test::audit_lines(news())) {
        CHECK(text_of(purged, "event") == "admin_command");
        CHECK(text_of(purged, "command") == "purge");
        rows += std::stoi(text_of(purged, "rows"));
    }
    CHECK(rows == 100);
}

TEST_CASE(
    "audit: a file that is configured for the log gets the command's lines too, and is made for the serving processes") {
    Installation op;
    const fs::path logs = op.directory() / "logs";
    const fs::path file = logs / "postern.log";
    fs::create_directory(logs);
    if (geteuid() == 0) REQUIRE(::chown(logs.c_str(), 1, 1) == 0);
    const auto configure = [&](const fs::path& target) {
        op.reconfigure("log", json::Object{{"target", target.string()}, {"level", "error"}});
    };
    configure(file);
    News file_news(file);
    News system(op.syslog_file());
    const auto add = [&, number = std::make_shared<int>()] {
        return op.postern({"user", "import", "--update", "-"},
                          "{\"username\":\"user" + std::to_string(++*number) + "\"}\n");
    };
    CHECK(add().err.empty());
    CHECK(audit_events(file_news()) == "admin_command");
    CHECK(system().empty());
    struct stat made {};
    REQUIRE(::stat(file.c_str(), &made) == 0);
    CHECK((made.st_mode & 07777) == 0640);
    struct stat directory {};
    REQUIRE(::stat(logs.c_str(), &directory) == 0);
    CHECK(made.st_uid == directory.st_uid);
    CHECK(made.st_gid == directory.st_gid);

    // Who may write in the directory leads the command nowhere else, and does not make it wait.
    const fs::path victim = op.directory() / "victim";
    std::ofstream(victim) << "untouched";
    fs::create_symlink(victim, logs / "link");
    REQUIRE(::mkfifo((logs / "pipe").c_str(), 0600) == 0);
    for (const char* trap : {"link", "pipe"}) {
        CAPTURE(trap);
        configure(logs / trap);
        CHECK(add().exit_code == 0);
        CHECK(audit_events(system()) == "admin_command");
    }
    CHECK(read_file(victim) == "untouched");

    {  // a disk that takes no more of it
        const fs::path full = logs / "full.log";
        std::ofstream(full).put('\n');
        fs::resize_file(full, 64 << 20);
        configure(full);
        rlimit old{};
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
        const auto handler = ::signal(SIGXFSZ, SIG_IGN);
        rlimit small = old;
        small.rlim_cur = 32 << 20;
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
        const auto done = add();
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
        ::signal(SIGXFSZ, handler);
        CHECK(done.exit_code == 0);
        CHECK(has(done.err, "cannot be written"));
        CHECK(audit_events(system()) == "admin_command");
    }

    configure(op.directory() / "missing" / "log");
    const auto elsewhere = add();
    CHECK(elsewhere.exit_code == 0);
    CHECK(has(elsewhere.err, "cannot be written"));
    CHECK(audit_events(system()) == "admin_command");
}

}  // namespace
