// `postern doctor`: a healthy installation has no finding, and each thing that is broken is found with its fix.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "installation.h"
#include "json/reader.h"
#include "preconditions.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

struct Diagnosis {
    int exit_code = -1;
    json::Array findings;
};

Diagnosis diagnose(const Installation& installation) {
    const auto result = installation.postern({"doctor", "--json"});
    auto value = json::parse(result.out);
    REQUIRE(value);
    REQUIRE(value->if_array());
    return {result.exit_code, *value->if_array()};
}

/// The worst state that `check` got, "" when it has no finding.
std::string state_of(const Diagnosis& diagnosis, std::string_view check) {
    std::string worst;
    for (const json::Value& finding : diagnosis.findings) {
        if (text_of(finding, "check") != check) continue;
        const std::string state = text_of(finding, "state");
        if (worst.empty() || worst == "ok" || state == "error") worst = state;
    }
    return worst;
}

void chmod(const fs::path& path, unsigned mode) { fs::permissions(path, fs::perms(mode)); }

void set_age(const fs::path& path, std::chrono::hours age) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

/// Three users of one name in different case, and one of another.
void put_names(const Installation& installation) {
    for (const char* name : {"ada", "ADA", "Ada", "bob"})
        installation.must({"user", "add", name, "--password-stdin"}, "quiet boats remember\n");
}

}  // namespace

TEST_CASE("doctor: a new installation is well, and says so") {
    const Installation installation;
    const Diagnosis diagnosis = diagnose(installation);
    CHECK(diagnosis.exit_code == 0);
    for (const char* check : {"config", "database directory", "file system", "database files", "key files", "database",
                              "keys", "templates", "clock"}) {
        if (is_on_postgresql() && std::string_view(check) == "database files") continue;
        CAPTURE(check);
        CHECK(state_of(diagnosis, check) == "ok");
    }
    for (const json::Value& finding : diagnosis.findings) {
        CHECK_FALSE(text_of(finding, "detail").empty());
        CHECK(member_of(finding, "fix").if_string());
    }
    const std::string text = installation.must({"doctor"});
    CHECK(has(text, "ok       keys: RS256 signs with "));
    CHECK(has(text, "ok       disk: there is enough space in "));
}

TEST_CASE("doctor: what is broken is an error with a fix, and exit 1; what is doubtful is a warning [BRAND-3]") {
    struct Row {
        const char* when;
        std::function<void(const Installation&)> damage;
        const char* check;
        const char* state;
    };
    const Row rows[] = {
        {"key readable by others", [](const Installation& i) { chmod(i.private_keys("ES256").front(), 0644); },
         "key files", "error"},
        {"seal.key readable by others", [](const Installation& i) { chmod(i.keys_directory() / "seal.key", 0604); },
         "key files", "error"},
        {"jwks.json writable by others", [](const Installation& i) { chmod(i.keys_directory() / "jwks.json", 0666); },
         "key files", "error"},
        {"key directory writable by its group", [](const Installation& i) { chmod(i.keys_directory(), 0770); },
         "key files", "warning"},
        {"key directory writable by others", [](const Installation& i) { chmod(i.keys_directory(), 0752); },
         "key files", "error"},
        {"key is a link",
         [](const Installation& i) {
             const fs::path key = i.private_keys("ES256").front();
             fs::rename(key, i.directory() / "moved");
             fs::create_symlink(i.directory() / "moved", key);
         },
         "key files", "error"},
        {"signing key missing", [](const Installation& i) { fs::remove(i.private_keys("RS256").front()); }, "keys",
         "error"},
        {"seal.key missing", [](const Installation& i) { fs::remove(i.keys_directory() / "seal.key"); }, "keys",
         "error"},
        {"factor.key readable by others", [](const Installation& i) { chmod(i.keys_directory() / "factor.key", 0604); },
         "key files", "error"},
        {"factor.key missing", [](const Installation& i) { fs::remove(i.keys_directory() / "factor.key"); }, "factors",
         "warning"},
        {"factor.key missing, and required of all",
         [](const Installation& i) {
             fs::remove(i.keys_directory() / "factor.key");
             i.reconfigure("login", json::Object{{"secondFactor", "required"}});
         },
         "factors", "error"},
        {"factor.key is another one, and an app was set up before",
         [](const Installation& i) {
             put_app(i, "ada");
             std::ofstream(i.keys_directory() / "factor.key") << std::string(32, 'x');
         },
         "factors", "error"},
        {"factor.key is another one, and there are recovery codes alone",
         [](const Installation& i) {
             put_codes(i, "ada");
             std::ofstream(i.keys_directory() / "factor.key") << std::string(32, 'x');
         },
         "factors", "error"},
        {"factor.key is another one, and a user has made recovery codes since",
         [](const Installation& i) {
             put_codes(i, "ada");
             std::ofstream(i.keys_directory() / "factor.key") << std::string(32, 'x');
             put_codes(i, "bob");
         },
         "factors", "warning"},
        {"recovery codes under this factor.key", [](const Installation& i) { put_codes(i, "ada"); }, "factors", ""},
        {"names that differ in their case, and the web server signs users in",
         [](const Installation& i) {
             put_names(i);
             i.reconfigure("login", json::Object{{"method", "remote_user"}});
         },
         "users", "warning"},
        {"names that differ in their case, and passwords", put_names, "users", "ok"},
        {"jwks.json damaged", [](const Installation& i) { std::ofstream(i.keys_directory() / "jwks.json") << "{"; },
         "keys", "error"},
        {"database readable by others", [](const Installation& i) { chmod(i.database_file(), 0664); }, "database files",
         "error"},
        {"log readable by others", [](const Installation& i) { chmod(i.database_file().string() + "-wal", 0664); },
         "database files", "error"},
        {"ring readable by others",
         [](const Installation& i) { chmod(i.database_file().parent_path() / "refusals.ring", 0664); },
         "database files", "error"},
        {"log missing", [](const Installation& i) { fs::remove(i.database_file().string() + "-wal"); },
         "database files", "warning"},
        {"file of the shared sync missing",
         [](const Installation& i) { fs::remove(i.database_file().string() + ".sync"); }, "database files", "warning"},
        {"file of the shared sync is none",
         [](const Installation& i) {
             fs::remove(i.database_file().string() + ".sync");
             fs::create_directory(i.database_file().string() + ".sync");
             chmod(i.database_file().string() + ".sync", 0770);
         },
         "database files", "error"},
        {"database missing", [](const Installation& i) { fs::remove_all(i.database_file().parent_path()); }, "database",
         "error"},
        {"database directory writable by others",
         [](const Installation& i) { chmod(i.database_file().parent_path(), 02777); }, "database directory", "error"},
        {"database directory readable by others",
         [](const Installation& i) { chmod(i.database_file().parent_path(), 02775); }, "database directory", "warning"},
        {"database directory without set-group-id",
         [](const Installation& i) { chmod(i.database_file().parent_path(), 0770); }, "database directory", "warning"},
        {"configuration writable by others", [](const Installation& i) { chmod(i.config_file(), 0666); }, "config",
         "error"},
        {"log is a FIFO",
         [](const Installation& i) {
             const fs::path fifo = i.directory() / "fifo";
             REQUIRE(::mkfifo(fifo.c_str(), 0660) == 0);
             i.reconfigure("log", json::Object{{"target", fifo.string()}});
         },
         "log", "error"},
        {"log in a directory that is missing",
         [](const Installation& i) {
             i.reconfigure("log", json::Object{{"target", (i.directory() / "missing" / "log").string()}});
         },
         "log", "error"},
        {"log is a symbolic link to itself",
         [](const Installation& i) {
             fs::create_symlink(i.directory() / "loop", i.directory() / "loop");
             i.reconfigure("log", json::Object{{"target", (i.directory() / "loop").string()}});
         },
         "log", "error"},
        {"a legal but doubtful setting", [](const Installation& i) { i.reconfigure("authenticateRevoke", false); },
         "config", "warning"},
        {"no templates", [](const Installation& i) { i.reconfigure("templates", "/nonexistent"); }, "templates",
         "error"},
        {"a logo that browsers would not show",
         [](const Installation& i) {
             std::ofstream(i.directory() / "logo.svg") << "our logo";
             const std::string logo = (i.directory() / "logo.svg").string();
             i.reconfigure("branding", json::Object{{"name", "A"}, {"logo", logo}});
         },
         "templates", "error"},
        {"an algorithm that came into the configuration later has no key",
         [](const Installation& i) { i.reconfigure("accessTokenAlgorithm", "EdDSA"); }, "keys", "error"},
        {"clock behind the files", [](const Installation& i) { set_age(i.database_file(), std::chrono::hours(-2)); },
         "clock", "error"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Installation installation;
        row.damage(installation);
        const Diagnosis diagnosis = diagnose(installation);
        CHECK(state_of(diagnosis, row.check) == row.state);
        CHECK((diagnosis.exit_code == 1) == (std::string_view(row.state) == "error"));
        for (const json::Value& finding : diagnosis.findings)
            CHECK((text_of(finding, "state") == "ok") == text_of(finding, "fix").empty());
    }
}

TEST_CASE("doctor: of what is in a directory that cannot be looked into, nothing is said") {
    const Installation installation;
    fs::remove_all(installation.database_file().parent_path());
    fs::remove_all(installation.keys_directory());
    const Diagnosis diagnosis = diagnose(installation);
    for (const char* check : {"database files", "key files"}) {
        CAPTURE(check);
        std::string details;
        for (const json::Value& finding : diagnosis.findings) {
            if (text_of(finding, "check") == check) details += text_of(finding, "detail") + "\n";
        }
        CHECK(state_of(diagnosis, check) == "error");
        CHECK(details.ends_with(" cannot be listed (No such file or directory)\n"));
        CHECK(std::count(details.begin(), details.end(), '\n') == 1);
    }
}

TEST_CASE(
    "doctor: before init, with the directories that a package makes, what is missing is said once and nothing is a "
    "repair") {
    const Installation installation(Installation::Start::configured);
    fs::create_directory(installation.database_file().parent_path());
    fs::create_directory(installation.keys_directory());
    fs::permissions(installation.database_file().parent_path(), fs::perms(0750));
    fs::permissions(installation.keys_directory(), fs::perms(0751));
    const Diagnosis diagnosis = diagnose(installation);
    CHECK(diagnosis.exit_code == 1);
    std::string unwell;
    for (const json::Value& finding : diagnosis.findings) {
        const std::string detail = text_of(finding, "detail");
        const bool is_sanitizers = has(detail, "this is a build with sanitizers");
        if (text_of(finding, "state") == "ok" || is_sanitizers) continue;
        unwell += text_of(finding, "check") + ", ";
        CHECK(has(detail, "`postern init`"));
    }
    CHECK(unwell == "database, keys, ");
}

TEST_CASE("doctor: every problem of the configuration is a finding of its own, and nothing else is judged") {
    const Installation installation;
    installation.write_config({{"issuer", "http://id.example.org"}, {"isuer", "x"}, {"implicit", "yes"}});
    const Diagnosis diagnosis = diagnose(installation);
    CHECK(diagnosis.exit_code == 1);
    CHECK(diagnosis.findings.size() == 3);
    for (const json::Value& finding : diagnosis.findings) CHECK(text_of(finding, "check") == "config");
    CHECK(installation.postern({"doctor", "--config", "/nonexistent.json"}).exit_code == 1);
}

TEST_CASE("doctor: of metadata only what the server computes is a problem, and the advice is to remove it") {
    const Installation installation;
    installation.reconfigure("metadata", json::Object{{"registration_endpoint", "https://register.example.org"},
                                                      {"token_endpoint", "https://elsewhere.example.org"}});
    const Diagnosis diagnosis = diagnose(installation);
    CHECK(diagnosis.exit_code == 1);
    REQUIRE(diagnosis.findings.size() == 1);
    CHECK(text_of(diagnosis.findings[0], "detail").starts_with("metadata.token_endpoint "));
    CHECK(text_of(diagnosis.findings[0], "fix").starts_with("remove"));
}

TEST_CASE("doctor: says which methods OpenID Connect wants at authorize, as information [OIDC Core §3.1.2.1]") {
    const Installation installation;
    const Diagnosis diagnosis = diagnose(installation);
    CHECK(diagnosis.exit_code == 0);
    CHECK(state_of(diagnosis, "authorize methods") == "ok");
    CHECK(has(installation.must({"doctor"}), "\"authorizeMethods\": [\"GET\", \"POST\"]"));
    installation.reconfigure("authorizeMethods", json::strings({"GET", "POST"}));
    CHECK(state_of(diagnose(installation), "authorize methods").empty());
}

TEST_CASE("doctor: counts emails that nothing says verified about, as information [OIDC Core §5.1]") {
    const Installation installation;
    const auto users = [&] {
        const Diagnosis diagnosis = diagnose(installation);
        CHECK(diagnosis.exit_code == 0);
        return state_of(diagnosis, "users");
    };
    CHECK(users().empty());
    const auto add = [&](const char* name, const std::string& claims) {
        installation.must({"user", "import", "-"},
                          std::string(R"({"username":")") + name + R"(","claims":)" + claims + "}");
    };
    add("ada", R"({"email":"ada@example.org","email_verified":true})");
    add("bob", R"({"email_verified":false,"email":"bob@example.org"})");
    add("eve", R"({"name":"\"email\":"})");
    CHECK(users().empty());
    add("kim", R"({"email":"kim@example.org"})");
    add("lee", R"({"email":"lee@example.org","name":"\"email_verified\":true"})");
    add("max", R"({"email":"max@example.org","emailXverified":true})");  // another claim, one character off
    CHECK(users() == "ok");
    const std::string text = installation.must({"doctor"});
    CHECK(has(text, "3 of 6 users have an `email` without `email_verified`"));
    CHECK(has(text, "postern user set NAME --claim email_verified=true"));
    installation.must({"user", "import", "-", "--update", "--email-verified"},
                      "{\"username\":\"kim\"}\n{\"username\":\"lee\"}\n{\"username\":\"max\"}\n");
    CHECK(users().empty());
}

TEST_CASE("doctor: branding that the templates do not show is a warning that names the file [BRAND-4]") {
    const Installation installation;
    const std::filesystem::path own = installation.directory() / "templates";
    std::filesystem::copy("templates", own);
    std::filesystem::remove(own / "foot.html");
    installation.reconfigure("templates", own.string());
    CHECK(state_of(diagnose(installation), "templates") == "ok");
    installation.reconfigure("branding", json::Object{{"help", "https://help.example"}});
    const Diagnosis diagnosis = diagnose(installation);
    CHECK(diagnosis.exit_code == 0);
    CHECK(state_of(diagnosis, "branding") == "warning");
}

TEST_CASE(
    "doctor: a catalogue of another release, or of a language that is not offered, is a warning [I18N-4, I18N-9]") {
    const fs::path shipped = build_directory() / "templates";
    if (!fs::exists(shipped / "languages.mo")) return;  // built without gettext
    const Installation installation;
    const fs::path own = installation.directory() / "templates";
    fs::copy(shipped, own);
    installation.reconfigure("templates", own.string());
    CHECK(state_of(diagnose(installation), "templates") == "ok");
    std::string catalogue = read_file(own / "languages.mo");
    const auto digest = catalogue.find("X-Messages: ");
    REQUIRE(digest != std::string::npos);
    catalogue.replace(digest + 12, 4, "zzzz");
    std::ofstream(own / "languages.mo", std::ios::binary) << catalogue;
    const Diagnosis older = diagnose(installation);
    CHECK(older.exit_code == 0);
    CHECK(state_of(older, "templates") == "warning");

    fs::copy_file(shipped / "languages.mo", own / "languages.mo", fs::copy_options::overwrite_existing);
    CHECK(state_of(diagnose(installation), "templates") == "ok");
    fs::create_directory(own / "po");
    fs::copy_file(shipped / "languages.mo", own / "po/fi.mo");
    CHECK(state_of(diagnose(installation), "templates") == "warning");
}

TEST_CASE("doctor: a page of the operator's own that has no frames, or stays behind them, is an error [FCL-1, FCL-3]") {
    const Installation installation;
    const fs::path own = installation.directory() / "templates";
    fs::copy("templates", own);
    auto config = installation.least_config();
    config.set("oidc", json::Object());
    config.set("templates", own.string());
    const std::string shipped = read_file(own / "logged_out.html");
    struct Row {
        const char* lacks;
        bool is_offered;
        const char* state;
    };
    const Row rows[] = {{"", true, "ok"},
                        {"frames", true, "error"},
                        {"frames", false, "ok"},
                        {"goes_on", true, "error"},
                        {"goes_on", false, "ok"}};
    for (const Row& row : rows) {
        CAPTURE(row.lacks);
        CAPTURE(row.is_offered);
        config.set("frontchannelLogout", row.is_offered);
        installation.write_config(config);
        const std::string name = row.lacks;
        std::string page = shipped;
        for (auto at = page.find(name); !name.empty() && at != page.npos; at = page.find(name))
            page.replace(at, name.size(), "another");
        std::ofstream(own / "logged_out.html") << page;
        CHECK(state_of(diagnose(installation), "templates") == row.state);
    }
}

TEST_CASE("doctor: what clients are registered for and the configuration has no more is named [HYB-1, ALG-1]") {
    const Installation installation;
    const auto said = [&](const std::string& part) { return has(installation.postern({"doctor"}).out, part); };
    auto config = installation.least_config();
    config.set("oidc", json::Object());
    const auto configure = [&](const std::vector<std::string>& types, const std::vector<std::string>& algorithms) {
        config.set("responseTypes", json::strings(types));
        config.set("idTokenAlgorithms", json::strings(algorithms));
        installation.write_config(config);
    };
    const std::string off =
        "1 client with a response type that is switched off: requests for it are refused, first of "
        "all \"old\"";
    const std::string left = "1 client with ID tokens of an algorithm that idTokenAlgorithms has no more";
    configure({"code", "code id_token"}, {"RS256", "ES256"});
    installation.must({"client", "add", "plain", "--redirect-uri", "https://plain.example.org/cb"});
    installation.must({"client", "add", "old", "--redirect-uri", "https://old.example.org/cb", "--grant", "implicit",
                       "--grant", "authorization_code", "--response-type", "code id_token",
                       "--id-token-signed-response-alg", "ES256"});
    CHECK_FALSE(said("old"));
    configure({"code"}, {"RS256", "ES256"});
    CHECK(said(off));
    CHECK_FALSE(said(left));
    configure({"code", "code id_token"}, {"RS256"});
    CHECK(said(left));
    CHECK_FALSE(said(off));
    CHECK(installation.postern({"doctor"}).exit_code == 1);
    installation.must({"client", "disable", "old"});
    CHECK_FALSE(said("old"));
    configure({"code"}, {"RS256", "EdDSA"});
    CHECK(said("EdDSA"));  // there is no key of it
}
