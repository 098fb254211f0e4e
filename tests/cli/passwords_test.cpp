// `postern passwords build`, which passwords the command gives users, and the prompt for them on a terminal.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "crypto/digest.h"
#include "crypto/password.h"
#include "factor/password_list.h"
#include "factor/password_quality.h"
#include "installation.h"
#include "json/reader.h"
#include "preconditions.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

std::string sha1_hex(const std::string& password) { return crypto::hex(crypto::sha1(password)); }

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

struct Built {
    Installation installation{Installation::Start::configured};
    fs::path file = installation.directory() / "passwords.list";

    std::string build(const std::string& lines) {
        return installation.must({"passwords", "build", file.string()}, lines);
    }
    std::set<std::string> names() const {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(installation.directory()))
            names.insert(entry.path().filename().string());
        return names;
    }
};

std::string entries(std::initializer_list<factor::PasswordEntry> all) {
    std::string bytes;
    for (const auto entry : all) factor::write_password_entry(bytes, entry);
    return bytes;
}

}  // namespace

TEST_CASE("passwords build: lines with passwords and with hashes of collections, each once and in order [PASSWORD-3]") {
    Built b;
    const std::string out = b.build("\xef\xbb\xbfplain one\nwith crlf\r\n\nplain one\n" + sha1_hex("hashed") + "\n" +
                                    upper(sha1_hex("counted")) + ":12345\r\n" + sha1_hex("plain one") + ":2\n" +
                                    "a:b\n" + "caf\xc3\xa9\n" + "39 digits are a password " + "\n" + "no end");
    CHECK(out == b.file.string() + ": 8 passwords of 10 lines\n");
    const factor::PasswordList list(b.file.string());
    REQUIRE(list.size() == 8);
    for (const char* password : {"plain one", "with crlf", "hashed", "counted", "a:b", "caf\xc3\xa9", "no end"}) {
        CAPTURE(password);
        CHECK(list.contains(password));
    }
    for (const char* password : {"", "plain", "plain one ", "with crlf\r", "12345", "Hashed", "a", "b"}) {
        CAPTURE(password);
        CHECK_FALSE(list.contains(password));
    }
    for (std::uint64_t i = 1; i < list.size(); ++i) CHECK(list.at(i - 1) < list.at(i));
    CHECK(mode_of(b.file) == 0644);
}

TEST_CASE("passwords build: what is nearly a hash is a password, or refused where that cannot be meant [PASSWORD-3]") {
    Built b;
    const std::string hash = sha1_hex("x");
    b.build(hash.substr(1) + "\n" + hash + "0\n" + hash + ":\n" + hash + ":x\n" + "g" + hash.substr(1) + "\n");
    const factor::PasswordList list(b.file.string());
    CHECK(list.size() == 5);
    CHECK_FALSE(list.contains("x"));
    CHECK(list.contains(hash.substr(1)));
    const std::string before = read_file(b.file);
    for (const std::size_t digits : {32, 35, 39, 41, 64}) {
        CAPTURE(digits);
        CHECK(has(b.installation.refused({"passwords", "build", b.file.string()},
                                         "good\n" + std::string(digits, 'a') + ":7\n"),
                  "line 2 "));
        CHECK(read_file(b.file) == before);
    }
    CHECK(b.names() == std::set<std::string>{"passwords.list", "postern.json"});
}

TEST_CASE("passwords build: lines that no user can have are left out, and none of any length is kept [PASSWORD-3]") {
    Built b;
    const auto result = b.installation.postern({"passwords", "build", b.file.string(), "--json"},
                                               std::string(511, 'a') + "\n" + std::string(512, 'b') + "\r\n" +
                                                   std::string(1 << 20, 'c') + "\n" + std::string(511, 'd') + "\r\n");
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "2 lines longer than 511 bytes"));
    const auto printed = json::parse(result.out);
    REQUIRE(printed);
    CHECK(integer_of(*printed, "lines") == 4);
    CHECK(integer_of(*printed, "passwords") == 2);
    const factor::PasswordList list(b.file.string());
    CHECK(list.contains(std::string(511, 'a')));
    CHECK(list.contains(std::string(511, 'd')));
}

TEST_CASE("passwords build: refused in one line, the list of before stays, nothing else is left [PASSWORD-3]") {
    Built b;
    b.build("one\n");
    const std::string before = read_file(b.file);
    fs::create_directory(b.installation.directory() / "directory");
    struct Row {
        std::string out;
        std::string input;
    };
    const Row rows[] = {
        {b.file.string(), ""},
        {b.file.string(), "\n\r\n\n"},
        {b.file.string(), std::string(512, 'x') + "\n"},
        {(b.installation.directory() / "nowhere" / "list").string(), "one\n"},
        {(b.installation.directory() / "directory").string(), "one\n"},
        {"/dev/null", "one\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.out);
        b.installation.refused({"passwords", "build", row.out}, row.input);
        CHECK(read_file(b.file) == before);
    }
    CHECK(b.names() == std::set<std::string>{"directory", "passwords.list", "postern.json"});
    CHECK(b.installation.postern({"passwords", "build"}, "one\n").exit_code == 2);
}

TEST_CASE("passwords build: the hashes are in the audit log by their file alone [AUDIT-2]") {
    Built b;
    b.build("a phrase\n");
    const std::string said = read_file(b.installation.syslog_file());
    CHECK(has(said, "passwords build"));
    CHECK(has(said, b.file.string()));
    CHECK_FALSE(has(said, "phrase"));
}

TEST_CASE("doctor: the list of passwords is there, whole and in order, or said not to be [PASSWORD-3]") {
    const Installation installation;
    const auto said = [&] { return installation.findings("passwords"); };
    CHECK(said().empty() == factor::estimates_password_strength());
    CHECK(said().starts_with(
        factor::estimates_password_strength()
            ? ""
            : "warning: this build was made without libzxcvbn: login.passwordMinStrength is not looked at | "));
    const fs::path file = installation.directory() / "passwords.list";
    installation.reconfigure("login", json::Object{{"passwordBlocklist", file.string()}, {"passwordMinStrength", 0}});
    CHECK(said().starts_with("error: login.passwordBlocklist: " + file.string() + " cannot be opened"));
    installation.must({"passwords", "build", file.string()}, "one\ntwo\nthree\n");
    CHECK(said() == "ok: " + file.string() + " has 3 passwords | \n");
    struct Row {
        const char* what;
        std::string bytes;
        const char* state;
    };
    const Row rows[] = {
        {"one", entries({5}), "ok"},
        {"two in order", entries({5, 6}), "ok"},
        {"two, the same", entries({5, 5}), "error"},
        {"the wrong way round", entries({6, 5}), "error"},
        {"the last out of order", entries({5, 6, 7, 1}), "error"},
        {"the first out of order", entries({9, 6, 7, 8}), "error"},
        {"none", "", "warning"},
        {"cut", entries({5, 6}).substr(0, 15), "error"},
        {"text", "password\n123456\nqwerty\nletmein!\n", "error"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        write_file(file, row.bytes);
        CHECK(said().starts_with(row.state));
    }
}

TEST_CASE(
    "user add, user passwd: refuse what the pages refuse, unless the operator says --weak [PASSWORD-2, PASSWORD-4, L36]") {
    const Installation installation;
    const fs::path file = installation.directory() / "passwords.list";
    installation.must({"passwords", "build", file.string()}, "words that were published once\n");
    installation.reconfigure("login", json::Object{{"passwordBlocklist", file.string()}});
    installation.reconfigure("branding", json::Object{{"name", "Analytical Engines"}});
    installation.must({"user", "add", "ada", "--password-stdin", "--claim", "email=ada.lovelace@example.org"},
                      "quiet boats remember\n");
    struct Row {
        std::string password;
        const char* says;
        const char* word;
    };
    std::vector<Row> rows = {
        {"fourteen chars", "shorter than 15 characters", "too_short"},
        {"Ada.Lovelace@example.org", "the user's e-mail address", "email"},
        {"analytical engines", "is the name of this site (the issuer's host or branding.name)", "site_name"},
        {"words that were published once", "in the list ", "listed"},
    };
    if (factor::estimates_password_strength())
        rows.push_back({"passwordpassword", "too easy to guess: it is made of common words or patterns", "guessable"});
    for (const Row& row : rows) {
        CAPTURE(row.password);
        const std::string refused =
            installation.refused({"user", "passwd", "ada", "--password-stdin"}, row.password + "\n");
        CHECK(has(refused, row.says));
        CHECK(has(refused, "--weak"));
        CHECK_FALSE(has(refused, row.password));
        CHECK(opens_with(installation, "ada", "quiet boats remember"));
        const auto not_added = installation.postern(
            {"user", "add", "eve", "--password-stdin", "--claim", "email=ada.lovelace@example.org"},
            row.password + "\n");
        CHECK(not_added.exit_code == 1);
        CHECK(installation.postern({"user", "show", "eve"}).exit_code == 1);
    }
    for (const Row& row : rows) {
        CAPTURE(row.password);
        fs::remove(installation.syslog_file());
        installation.must({"user", "passwd", "ada", "--password-stdin", "--weak"}, row.password + "\n");
        CHECK(opens_with(installation, "ada", row.password));
        const std::string said = read_file(installation.syslog_file());
        CHECK(has(said, std::string("\"weak\":\"") + row.word + "\""));
        CHECK_FALSE(has(said, row.password));
    }
    // It says nothing of a password that needs it not, and takes none that cannot be typed.
    fs::remove(installation.syslog_file());
    installation.must({"user", "passwd", "ada", "--password-stdin", "--weak"}, "quiet boats remember\n");
    CHECK_FALSE(has(read_file(installation.syslog_file()), "weak\":"));
    CHECK(installation.postern({"user", "passwd", "ada", "--password-stdin", "--weak"}, "\n").exit_code == 1);
    CHECK(installation.postern({"user", "passwd", "ada", "--password-stdin", "--weak"}, std::string(512, 'x') + "\n")
              .exit_code == 1);
}

TEST_CASE("user import: a weak hash is taken as it is [PASSWORD-4]") {
    const Installation installation;
    const std::string hash = crypto::hash_password(util::Secret("1234"));
    const fs::path people = installation.directory() / "people.jsonl";
    write_file(people, R"({"username":"ada","password_hash":")" + hash + "\"}\n");
    installation.must({"user", "import", people.string()});
    CHECK(opens_with(installation, "ada", "1234"));
}

TEST_CASE("user add: without its list the command gives no password, in one line [PASSWORD-3, PASSWORD-4]") {
    const Installation installation;
    installation.reconfigure("login", json::Object{{"passwordBlocklist", "/nonexistent/list"}});
    CHECK(has(installation.refused({"user", "add", "ada", "--password-stdin"}, "quiet boats remember\n"),
              "/nonexistent/list"));
    CHECK(installation.postern({"user", "show", "ada"}).exit_code == 1);
}

namespace {

/// Reads until `wanted` has come, the other side has closed, or half a minute has passed.
std::string read_until(int descriptor, const std::string& wanted) {
    std::string text;
    std::array<char, 256> buffer{};
    pollfd waiting{descriptor, POLLIN, 0};
    while (!has(text, wanted) && ::poll(&waiting, 1, 30000) > 0) {
        const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

/// `postern user add NAME` with a terminal as standard input and a pipe as standard error.
class Prompted {
public:
    Prompted(const Installation& installation, const char* name) {
        terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        REQUIRE((terminal_ >= 0 && ::grantpt(terminal_) == 0 && ::unlockpt(terminal_) == 0));
        slave_ = ::open(::ptsname(terminal_), O_RDWR | O_NOCTTY | O_CLOEXEC);  // kept open: its settings are looked at
        std::array<int, 2> errors{};
        REQUIRE((slave_ >= 0 && ::pipe2(errors.data(), O_CLOEXEC) == 0));
        const std::string program = postern_program();
        const std::string config = installation.config_file().string();
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(slave_, 0);
            ::dup2(errors[1], 2);
            const int nowhere = ::open("/dev/null", O_WRONLY);
            ::dup2(nowhere, 1);
            ::execl(program.c_str(), "postern", "user", "add", name, "--config", config.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(errors[1]);
        errors_ = errors[0];
    }
    Prompted(const Prompted&) = delete;
    Prompted& operator=(const Prompted&) = delete;
    ~Prompted() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        for (const int descriptor : {terminal_, slave_, errors_}) ::close(descriptor);
    }

    void expect(const std::string& prompt) const { REQUIRE(has(read_until(errors_, prompt), prompt)); }
    void type(std::string_view text) const {
        REQUIRE(::write(terminal_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    void interrupt() const { ::kill(child_, SIGINT); }

    /// The wait status of the command, which must end.
    int finish() {
        read_until(errors_, "\x01 never said");
        pollfd ended{errors_, POLLIN, 0};
        REQUIRE(::poll(&ended, 1, 0) == 1);  // closed, rather than silent for half a minute
        int status = 0;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        return status;
    }

    bool echoes() const {
        termios settings{};
        REQUIRE(::tcgetattr(slave_, &settings) == 0);
        return (settings.c_lflag & ECHO) != 0;
    }
    /// Returns the text that the terminal has shown, up to `last`.
    std::string screen(const std::string& last) const { return read_until(terminal_, last); }

private:
    int terminal_ = -1, slave_ = -1, errors_ = -1;
    pid_t child_ = -1;
};

bool has_user(const Installation& installation, const char* name) {
    return installation.postern({"user", "show", name}).exit_code == 0;
}

}  // namespace

TEST_CASE("prompt: a password typed twice is taken, and is not seen on the terminal") {
    const Installation installation;
    Prompted prompted(installation, "ada");
    prompted.expect("Password: ");
    CHECK_FALSE(prompted.echoes());
    prompted.type("s3cret boats r3main\n");
    prompted.expect("Repeat the password: ");
    prompted.type("s3cret boats r3main\n");
    CHECK(prompted.finish() == 0);
    CHECK(prompted.echoes());
    CHECK(has_user(installation, "ada"));
    prompted.type("seen\n");  // echoed again, and so the end of what is to be read
    const std::string screen = prompted.screen("seen");
    CHECK(has(screen, "seen"));
    CHECK_FALSE(has(screen, "s3cret"));
}

TEST_CASE("prompt: two different answers are refused") {
    const Installation installation;
    Prompted prompted(installation, "ada");
    prompted.expect("Password: ");
    prompted.type("s3cret boats r3main\n");
    prompted.expect("Repeat the password: ");
    prompted.type("other boats remember\n");
    const int status = prompted.finish();
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
    CHECK_FALSE(has_user(installation, "ada"));
}

TEST_CASE("prompt: an interrupt ends the command and leaves a terminal that echoes") {
    const Installation installation;
    Prompted prompted(installation, "ada");
    prompted.expect("Password: ");
    CHECK_FALSE(prompted.echoes());
    prompted.interrupt();
    const int status = prompted.finish();
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
    CHECK(prompted.echoes());
    CHECK_FALSE(has_user(installation, "ada"));
}
