// `postern passwords build`, and which passwords the command gives users.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "crypto/digest.h"
#include "crypto/password.h"
#include "factor/password_list.h"
#include "factor/password_quality.h"
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

/// The findings of doctor about it, with their fixes.
std::string said_of(const Installation& installation) {
    std::string said;
    const auto findings = json::parse(installation.postern({"doctor", "--json"}).out);
    REQUIRE(findings);
    for (const json::Value& finding : *findings->if_array())
        if (text_of(finding, "check") == "passwords")
            said += text_of(finding, "state") + ": " + text_of(finding, "detail") + "\n";
    return said;
}

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
    CHECK(said_of(installation) ==
          (factor::estimates_password_strength()
               ? ""
               : "warning: this build was made without libzxcvbn: login.passwordMinStrength is "
                 "not looked at\n"));
    const fs::path file = installation.directory() / "passwords.list";
    installation.reconfigure("login", json::Object{{"passwordBlocklist", file.string()}, {"passwordMinStrength", 0}});
    CHECK(said_of(installation).find("error: login.passwordBlocklist: " + file.string() + " cannot be opened") == 0);
    installation.must({"passwords", "build", file.string()}, "one\ntwo\nthree\n");
    CHECK(said_of(installation) == "ok: " + file.string() + " has 3 passwords\n");
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
        CHECK(said_of(installation).starts_with(row.state));
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
