// Makes the sample installation, and reads what has become of it.
#include "faults/sample_installation.h"

#include <crypt.h>
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <set>

#include "faults/disk.h"
#include "json/reader.h"
#include "support/app_set_up.h"
#include "support/html.h"
#include "support/passkey_set_up.h"
#include "support/test_authenticator.h"
#include "util/base64.h"

namespace postern::test {
namespace {

namespace fs = std::filesystem;

// bcrypt at its least cost: these tests log in thousands of times, and the password is not what they are about.
constexpr const char* kCheapSalt = "$2b$04$abcdefghijklmnopqrstuu";

struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};
using Connection = std::unique_ptr<sqlite3, Close>;

Connection open_raw(const std::string& path) {
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
    Connection connection(opened);
    REQUIRE(result == SQLITE_OK);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    return connection;
}

/// Each row's columns, NULL as "NULL". Stops at an error and gives it as a row of its own.
std::vector<std::vector<std::string>> query(sqlite3* connection, const std::string& sql) {
    std::vector<std::vector<std::string>> rows;
    sqlite3_stmt* statement = nullptr;
    int result = sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr);
    while (result == SQLITE_OK || result == SQLITE_ROW) {
        result = sqlite3_step(statement);
        if (result != SQLITE_ROW) break;
        auto& row = rows.emplace_back();
        for (int i = 0; i < sqlite3_column_count(statement); ++i) {
            const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
            row.emplace_back(text ? text : "NULL");
        }
    }
    sqlite3_finalize(statement);
    if (result != SQLITE_DONE) rows.push_back({sqlite3_errmsg(connection)});
    return rows;
}

bool looks_random(const std::string& value) { return value.size() >= 20 && value.find(' ') == std::string::npos; }

/// Every long value that the sample installation has: what is not among them was made by the operation.
std::set<std::string>& known_values() {
    static std::set<std::string> known;
    return known;
}

std::vector<std::string> tables_of(sqlite3* connection) {
    std::vector<std::string> tables;
    for (const auto& row : query(connection, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"))
        tables.push_back(row.front());
    return tables;
}

void remember_values(const std::string& path) {
    const Connection connection = open_raw(path);
    for (const std::string& table : tables_of(connection.get()))
        for (const auto& row : query(connection.get(), "SELECT * FROM " + table))
            known_values().insert(row.begin(), row.end());
}

std::string line_of(const std::string& table, const std::vector<std::string>& row) {
    std::string line = table;
    for (const std::string& value : row)
        line += "|" + (looks_random(value) && !known_values().contains(value) ? "*" : value);
    return line + "\n";
}

void make_passwords_cheap(const std::string& path) {
    const Connection connection = open_raw(path);
    for (const auto& [name, password] : {std::pair{kAlice, kAlicePassword}, {kBob, kBobPassword}}) {
        crypt_data work{};
        const std::string hash = crypt_r(password, kCheapSalt, &work);
        REQUIRE(hash.starts_with(kCheapSalt));
        query(connection.get(), "UPDATE users SET password_hash = '" + hash + "' WHERE username = '" + name + "'");
    }
}

/// The log is short then, and opening the database cheap; what comes after is in the log alone.
void try_checkpoint(const std::string& path) {
    const Connection connection = open_raw(path);
    query(connection.get(), "PRAGMA wal_checkpoint(TRUNCATE)");
}

/// The pages without their looks, which take most of the time that a start takes.
void use_plain_templates(Deployment& op) {
    const fs::path directory = op.directory() / "templates";
    fs::copy(source_directory() / "templates", directory);
    for (const char* name : {"style.css", "mark.svg"}) write_file(directory / name, " ");
    op.configure("templates", directory.string());
}

Deployment::Options options() {
    Deployment::Options options;
    options.config = {{"refreshReuseGrace", 0}, {"log", json::Object{{"target", "/dev/null"}}}};
    return options;
}

SampleInstallation::Held hold(const Deployment& op, UserAgent& browser) {
    SampleInstallation::Held held;
    held.code = browser.obtain_code(authorization_request());
    const Answer answer = redeem(op, token_request(held.code));
    REQUIRE(answer.status == 200);
    held.access_token = answer.member("access_token");
    held.refresh_token = answer.member("refresh_token");
    held.id_token = answer.member("id_token");
    return held;
}

/// What an authenticator answers to the options of a login form, in the fields of that form.
std::map<std::string, std::string> use(const TestAuthenticator& passkey, const Landing& page) {
    const auto forms = find_tags(page.answer.body, "form");
    REQUIRE(!forms.empty());
    const auto options = json::parse(forms.front().at("data-options"));
    REQUIRE(options);
    const auto challenge = util::base64url_decode(text_of(*options->if_object(), "challenge"));
    REQUIRE(challenge);
    const Assertion made = passkey.use({*challenge, "https://op.example", "op.example"});
    return {{"id", util::base64url_encode(made.id)},
            {"client_data", util::base64url_encode(made.client_data)},
            {"authenticator_data", util::base64url_encode(made.authenticator_data)},
            {"signature", util::base64url_encode(made.signature)},
            {"user_handle", util::base64url_encode(made.user_handle)}};
}

}  // namespace

SampleInstallation::SampleInstallation() : op(options()) {
    use_plain_templates(op);
    make_passwords_cheap(op.database_file().string());
    Host host(Host::Life::long_one);
    host.take(op);
    held = hold(op, alice);
    rotated = hold(op, alice);
    const Answer next =
        as_client(op, "token", {{"grant_type", "refresh_token"}, {"refresh_token", rotated.refresh_token}});
    REQUIRE(next.status == 200);
    successor = next.member("refresh_token");
    code = alice.obtain_code(authorization_request());
    login = visitor.authorize(authorization_request().with("prompt", "login"));
    REQUIRE(login.verdict() == "login");
    const auto made = json::parse(op.must({"user", "reset-link", kAlice, "--json"}));
    REQUIRE(made);
    link = invited.open(text_of(*made->if_object(), "link"));
    REQUIRE(has_id(link.answer.body, "save"));
    set_up_factors();
    try_checkpoint(op.database_file().string());
    consent = undecided.log_in(undecided.authorize(authorization_request(kOther)));
    REQUIRE(consent.verdict() == "consent");
}

void SampleInstallation::set_up_factors() {
    const std::string account = op.url("account");
    REQUIRE(bob.log_in(bob.open(account), kBob, kBobPassword).url == account);
    std::vector<std::string> recovery_codes;
    const SetUp in_app = set_up_app(op, bob, &recovery_codes);
    app_code = in_app.code(op, 1);  // the present one was spent
    recovery_code = recovery_codes.at(0);
    const Adding adding(bob.fetch(account + "/passkeys?add=yes"));
    const TestAuthenticator passkey(crypto::Algorithm::ES256, "Bob's", adding.handle);
    REQUIRE(bob.send(account + "/passkeys", adding.form(passkey).text()).status == 303);
    passkey_login = visitor.form_of(login, "use-passkey", use(passkey, login));
    app = bob.open(account + "/app");
    password = bob.open(account + "/password");
    second_step = half_way.log_in(half_way.authorize(authorization_request()), kBob, kBobPassword);
    REQUIRE(second_step.verdict() == "second step");
    const Adding first(alice.fetch(account + "/passkeys?add=yes"));
    first_passkey = first.form(TestAuthenticator(crypto::Algorithm::ES256, "Alice's", first.handle)).text();
}

std::vector<std::string> SampleInstallation::secrets() const {
    return {code, held.access_token, held.refresh_token, held.code, rotated.refresh_token, successor, recovery_code};
}

Files SampleInstallation::files() const {
    Files files;
    for (const char* suffix : {"", "-wal"}) {
        const std::string path = op.database_file().string() + suffix;
        if (fs::exists(path)) files[path] = read_file(path);
    }
    return files;
}

void SampleInstallation::put(const Files& files) const {
    const std::string database = op.database_file().string();
    for (const char* suffix : {"", "-wal", "-shm"}) {
        const auto kept = files.find(database + suffix);
        if (kept != files.end())
            write_file(kept->first, kept->second);
        else
            fs::remove(database + suffix);
    }
}

SampleInstallation& unrestored_installation() {
    static SampleInstallation one;
    static const bool is_made = [] {
        const std::string path = one.op.database_file().string();
        remember_values(path);
        one.keep();
        return true;
    }();
    static_cast<void>(is_made);
    return one;
}

SampleInstallation& sample_installation() {
    SampleInstallation& one = unrestored_installation();
    one.restore();
    return one;
}

Contents read_contents(const std::string& database) {
    const Disk::Pause pause;
    const Connection connection = open_raw(database);
    Contents contents;
    for (const char* check : {"PRAGMA integrity_check", "PRAGMA foreign_key_check"})
        for (const auto& row : query(connection.get(), check))
            for (const std::string& value : row)
                if (value != "ok") contents.problem += value + "; ";
    std::vector<std::string> lines = {line_of("version", query(connection.get(), "PRAGMA user_version").front())};
    for (const std::string& table : tables_of(connection.get()))
        for (const auto& row : query(connection.get(), "SELECT * FROM " + table)) lines.push_back(line_of(table, row));
    std::ranges::sort(lines);
    for (const std::string& line : lines) contents.rows += line;
    return contents;
}

}  // namespace postern::test
