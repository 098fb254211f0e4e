// What looks for secrets behind every deployment finds one that is there, in whatever form.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "db/database.h"
#include "json/writer.h"
#include "support/flow.h"
#include "support/process.h"
#include "support/secrets.h"
#include "util/base64.h"
#include "util/percent.h"

namespace {

using namespace postern::test;
namespace util = postern::util;
namespace fs = std::filesystem;

constexpr const char* kSecret = "p%w+d/\"41 &=\xc3\xa9 0123456789";

TEST_CASE("secret scan: a planted secret is found in every form and at every place [G01]") {
    Secrets secrets;
    secrets.remember("password", kSecret);
    secrets.remember("ID token", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4");
    std::string wide;
    for (const char c : std::string(kSecret)) (wide += c) += '\0';
    struct Row {
        const char* form;
        std::string planted;
        const char* kind;
    };
    const Row rows[] = {
        {"as it is", kSecret, "password"},
        {"percent-encoded", util::percent_encode(kSecret), "password"},
        {"as a form sends it", "password=p%25w%2Bd%2F%2241+%26%3D%C3%A9+0123456789", "password"},
        {"in JSON", postern::json::write(kSecret), "password"},
        {"in JSON of other programs", R"("p%w+d/\"41 &=é 0123456789")", "password"},
        {"in Basic, behind a short name", util::base64_encode(std::string("a:") + kSecret), "password"},
        {"in Basic, behind a longer name", util::base64_encode(std::string("ab:") + kSecret), "password"},
        {"in Basic, behind a name of three", util::base64_encode(std::string("abc:") + kSecret), "password"},
        {"in UTF-16", wide, "password"},
        {"a token's signature alone", "c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4", "ID token"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.form);
        for (const std::size_t before : {0u, 1u, 4090u, 4096u, 8191u}) {
            CAPTURE(before);
            const std::string nothing(before, '\0');
            CHECK(secrets.found_in(nothing + row.planted) == std::set<std::string>{row.kind});
            CHECK(secrets.found_in(nothing + row.planted + std::string(9000, '\0')) == std::set<std::string>{row.kind});
            CHECK(secrets.found_in(nothing + row.planted.substr(0, row.planted.size() / 2)).empty());
        }
    }
    CHECK(secrets.found_in("").empty());
}

TEST_CASE("secret scan: everything that a flow hands round is remembered [G01]") {
    Deployment op;
    Secrets secrets;
    UserAgent alice(op);
    const Landing form = alice.authorize(authorization_request());
    secrets.learn(form.answer);
    CgiRequest login = post_form(alice.form_of(form, "login", {{"username", kAlice}, {"password", kAlicePassword}}));
    login.headers = {{"Cookie", "a=1; " + std::string("postern=") + alice.browser_cookie()}};
    secrets.learn(login);
    const CgiRequest passkey =
        post_form(alice.form_of(form, "use-passkey", {{"signature", "signature-of-this-login"}}));
    secrets.learn(passkey);
    const Landing done = alice.approve(alice.log_in(form));
    secrets.learn(done.answer);
    CgiRequest exchange = with_basic(token_request(done.parameter("code")).text());
    secrets.learn(exchange);
    const Answer tokens = op.cgi("token", exchange);
    secrets.learn(tokens);
    secrets.learn_command(secret_of(kOther) + "\n", "{\"client_id\":\"x\",\"client_secret\":\"printed-this-once\"}");
    struct Row {
        const char* kind;
        std::string value;
    };
    const Row rows[] = {
        {"password", kAlicePassword},
        {"cookie", alice.browser_cookie()},
        {"form token", query_parameter("?" + login.body, "csrf").value_or("")},
        {"sealed request", query_parameter("?" + login.body, "resume").value_or("")},
        {"sealed challenge", query_parameter("?" + passkey.body, "challenge").value_or("")},
        {"signature of a passkey", "signature-of-this-login"},
        {"code", done.parameter("code")},
        {"code verifier", kVerifier},
        {"Authorization header", basic(kWeb, secret_of(kWeb)).substr(6)},
        {"access token", tokens.member("access_token")},
        {"refresh token", tokens.member("refresh_token")},
        {"ID token", tokens.member("id_token")},
        {"secret from standard input", secret_of(kOther)},
        {"client secret", "printed-this-once"},
    };
    for (const Row& row : rows) {
        const std::string kind = row.kind;
        CAPTURE(kind);
        REQUIRE(!row.value.empty());
        std::string found;
        for (const std::string& each : secrets.found_in("before " + row.value + " behind")) found += each + ";";
        CHECK(found == kind + ";");
    }
}

TEST_CASE(
    "secret scan: files below a directory are searched, and a finding names the file and never the secret [G01]") {
    const Deployment op;
    Secrets secrets;
    secrets.remember("password", kSecret);
    CHECK(secrets.found_below(op.directory()).empty());
    write_file(op.directory() / "data" / "core.1", std::string(5000, 'x') + kSecret);
    REQUIRE(secrets.found_below(op.directory()) == std::vector<std::string>{"data/core.1: password"});
    fs::remove(op.directory() / "data" / "core.1");
    const fs::path sparse = op.directory() / "data" / "sparse";
    for (const std::size_t hole : {std::size_t{1} << 20, (std::size_t{1} << 20) - 9}) {
        write_file(sparse, "");
        fs::resize_file(sparse, hole);
        std::ofstream(sparse, std::ios::binary | std::ios::app) << kSecret;
        fs::resize_file(sparse, std::size_t{4} << 20);
        CHECK(secrets.found_below(op.directory()) == std::vector<std::string>{"data/sparse: password"});
    }
}

// Those whose name begins with "planted" fail, each in the way that the last one of this file expects; nobody else runs
// them.

void append(const fs::path& file, const std::string& text) { write_file(file, read_file(file) + text); }

/// An endpoint that says to standard error and output what the script does.
void ask_script(const Deployment& op, const std::string& script) {
    CgiRequest request;
    request.program = "/bin/sh";
    request.arguments = {"-c", script};
    op.cgi("jwks", request);
}

TEST_CASE("planted: nothing" * doctest::skip()) { const Deployment op; }

TEST_CASE("planted: in syslog" * doctest::skip()) {
    const Deployment op;
    append(op.directory() / "syslog", "{\"secret\":" + postern::json::write(secret_of(kWeb)) + "}\n");
}

TEST_CASE("planted: in a log of its own" * doctest::skip()) {
    Deployment op;
    const fs::path log = op.directory() / "own.log";
    op.configure("log", postern::json::Object{{"target", log.string()}, {"level", "debug"}});
    append(log, kAlicePassword);
}

TEST_CASE("planted: in the database" * doctest::skip()) {
    const Deployment op;
    postern::db::Database database(op.database(), postern::db::Access::read_write);
    postern::db::Transaction transaction(database, postern::db::Durability::lazy);
    database.query("UPDATE clients SET name = $1", kBobPassword).execute();
    transaction.commit();
}

TEST_CASE("planted: beside the keys" * doctest::skip()) {
    const Deployment op;
    append(op.keys_directory() / "note", util::base64_encode(secret_of(kStrict)));
}

TEST_CASE("planted: on standard error" * doctest::skip()) {
    const Deployment op;
    ask_script(op, "echo '" + secret_of(kWeb) + "' >&2; printf 'Content-Type: text/plain\\r\\n\\r\\n'");
}

TEST_CASE("planted: in a page" * doctest::skip()) {
    const Deployment op;
    ask_script(op,
               "printf 'Status: 400\\r\\nContent-Type: text/html\\r\\n\\r\\n%s' '<p>" + secret_of(kOther) + "</p>'");
}

TEST_CASE(
    "secret scan: a deployment that leaves a secret anywhere fails its test, which says where and of what kind [G01]") {
    struct Row {
        const char* planted;
        const char* found;
    };
    const Row rows[] = {
        {"nothing", ""},
        {"in syslog", "client secret in syslog"},
        {"in a log of its own", "password in own.log"},
        {"in the database", "postern.db-wal: password"},
        {"beside the keys", "note: client secret"},
        {"on standard error", "client secret in standard error"},
        {"in a page", "client secret in an error of jwks"},
    };
    const std::map<std::string, std::string> environment = {{"PATH", "/usr/bin:/bin"},
                                                            {"POSTERN_BUILD", build_directory().string()}};
    for (const Row& row : rows) {
        CAPTURE(row.planted);
        const auto result = run({fs::read_symlink("/proc/self/exe").string(), "--no-skip", "--no-colors",
                                 std::string("--test-case=planted: ") + row.planted},
                                environment);
        const std::string_view found = row.found;
        CHECK(result.exit_code == (found.empty() ? 0 : 1));
        CHECK(result.out.find(found) != std::string::npos);
        CHECK(result.out.find(found.empty() ? "1 passed | 0 failed" : "0 passed | 1 failed") != std::string::npos);
        for (const std::string& secret : {secret_of(kWeb), secret_of(kOther), std::string(kAlicePassword)})
            CHECK(result.out.find(secret) == std::string::npos);
    }
}

}  // namespace
