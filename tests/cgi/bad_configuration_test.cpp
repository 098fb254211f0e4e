// A program that cannot work properly does not start: one line for the operator, a bare 500 for everybody else.
#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "../unit/crypto/refused_keys.h"
#include "crypto/key.h"
#include "json/writer.h"
#include "support/flow.h"
#include "util/text.h"

namespace {

using namespace postern::test;
namespace fs = std::filesystem;
namespace json = postern::json;

const std::vector<std::string> kAll = {"authorize", "login",    "scopes",    "token", "introspect",
                                       "revoke",    "userinfo", "discovery", "jwks"};
const std::vector<std::string> kWithDatabase = {"authorize",  "login",  "scopes",  "token",
                                                "introspect", "revoke", "userinfo"};
const std::vector<std::string> kPages = {"authorize", "login", "scopes"};

struct Row {
    std::string when;
    std::vector<std::string> affected;
    void (*sabotage)(Deployment& op);
    std::string named;  ///< what the line names: the file or the key
    std::string fix;    ///< and what it advises
};

bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

/// No answer shows SQL, paths or library text.
void check_mute(const Deployment& op, const Answer& answer) {
    const std::string text = postern::util::to_lower(answer.raw);
    for (const std::string word : {"sqlite", "select ", "pragma ", "openssl", ".cpp", "std::", "postern.json",
                                   "rapidjson", "terminate", "errno"})
        CHECK_MESSAGE(text.find(word) == std::string::npos, word);
    CHECK(answer.raw.find(op.directory().string()) == std::string::npos);
}

void check_rows(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        Deployment op;
        row.sabotage(op);
        for (const std::string& endpoint : kAll) {
            CAPTURE(row.when);
            CAPTURE(endpoint);
            CgiRequest request;
            request.obeys_modes = true;
            if (endpoint == "token") request = with_basic("grant_type=authorization_code&code=x");
            if (endpoint == "introspect" || endpoint == "revoke") request = with_basic("token=x");
            request.obeys_modes = true;
            const Answer answer = op.cgi(endpoint, request);
            check_mute(op, answer);
            CHECK(answer.log.find('\n') != std::string::npos);
            if (contains(row.affected, endpoint)) {
                CAPTURE(answer.log);
                CHECK(answer.exit_code == 1);
                CHECK(answer.status == 500);
                CHECK(answer.body == "Internal Server Error\n");
                CHECK(answer.log.starts_with("postern " + endpoint + ": "));
                CHECK(answer.log.find(row.named) != std::string::npos);
                CHECK(answer.log.find(row.fix) != std::string::npos);
                CHECK(std::count(answer.log.begin(), answer.log.end(), '\n') == 1);
            } else {
                CHECK(answer.exit_code == 0);
                CHECK(answer.status != 500);
            }
        }
    }
}

void overwrite(const Deployment& op, const std::string& text) { op.write_config(text); }

void set_member(Deployment& op, const std::string& name, json::Value value) { op.configure(name, std::move(value)); }

void execute(const fs::path& file, const char* sql) {
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &connection) == SQLITE_OK);
    CHECK(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(connection);
}

fs::path a_private_key(const Deployment& op, const std::string& algorithm) {
    for (const auto& entry : fs::directory_iterator(op.keys_directory())) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(algorithm) && name.ends_with(".pem")) return entry.path();
    }
    FAIL("no key of that algorithm");
    return {};
}

void drop_database(const Deployment& op) {
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(op.database_file().string() + suffix);
}

TEST_CASE(
    "start: a configuration that is missing or wrong stops every program, and every problem is named [G03, G04]") {
    check_rows({
        {"no such file", kAll, [](Deployment& op) { fs::remove(op.config_file()); }, "postern.json", ""},
        {"a directory", kAll,
         [](Deployment& op) {
             fs::remove(op.config_file());
             fs::create_directory(op.config_file());
         },
         "postern.json", ""},
        {"unreadable", kAll, [](Deployment& op) { ::chmod(op.config_file().c_str(), 0); }, "postern.json", ""},
    });
    struct Text {
        std::string when;
        void (*sabotage)(Deployment& op);
        std::vector<std::string> named;
    };
    const std::vector<Text> rows = {
        {"cut", [](Deployment& op) { overwrite(op, R"({"issuer":"https://op.example")"); }, {}},
        {"several at once",
         [](Deployment& op) {
             set_member(op, "issuer", "ftp://x");
             set_member(op, "frobnicate", true);
             set_member(op, "idTokenTTL", -1);
         },
         {"issuer", "frobnicate", "idTokenTTL"}},
    };
    for (const Text& row : rows) {
        Deployment op;
        row.sabotage(op);
        for (const std::string endpoint : {"authorize", "token", "jwks"}) {
            CAPTURE(row.when);
            CAPTURE(endpoint);
            const Answer answer = op.cgi(endpoint);
            CHECK(answer.exit_code == 1);
            CHECK(answer.status == 500);
            CHECK(answer.body == "Internal Server Error\n");
            CHECK(answer.log.find(op.config_file().string()) != std::string::npos);
            for (const std::string& name : row.named) CHECK(answer.log.find(name) != std::string::npos);
            check_mute(op, answer);
        }
    }
}

TEST_CASE("start: a database that is not this program's stops what needs one [S10, S11]") {
    check_rows({
        {"missing", kWithDatabase, [](Deployment& op) { drop_database(op); }, "data/postern.db", "postern init"},
        {"of a later version", kWithDatabase,
         [](Deployment& op) { execute(op.database_file(), "PRAGMA user_version = 999"); }, "data/postern.db", "999"},
        {"of no version", kWithDatabase, [](Deployment& op) { execute(op.database_file(), "PRAGMA user_version = 0"); },
         "data/postern.db", "version"},
        {"of another program", kWithDatabase,
         [](Deployment& op) {
             drop_database(op);
             execute(op.database_file(), "CREATE TABLE notes (text); PRAGMA user_version = 1");
         },
         "data/postern.db", ""},
        {"empty", kWithDatabase,
         [](Deployment& op) {
             drop_database(op);
             write_file(op.database_file(), "");
         },
         "data/postern.db", ""},
        {"text", kWithDatabase,
         [](Deployment& op) {
             drop_database(op);
             write_file(op.database_file(), std::string(10000, 'x'));
         },
         "data/postern.db", ""},
        {"a directory", kWithDatabase,
         [](Deployment& op) {
             drop_database(op);
             fs::create_directory(op.database_file());
         },
         "data/postern.db", ""},
        {"unreadable", kWithDatabase, [](Deployment& op) { ::chmod(op.database_file().c_str(), 0); }, "data/postern.db",
         ""},
    });
    // Nothing was made in its place.
    Deployment op;
    drop_database(op);
    op.cgi("token", with_basic("grant_type=authorization_code&code=x"));
    CHECK_FALSE(fs::exists(op.database_file()));
}

TEST_CASE("start: keys that are missing, damaged or badly protected stop the programs that need them [S12, S13]") {
    check_rows({
        {"signing key readable by others",
         {"token"},
         [](Deployment& op) { ::chmod(a_private_key(op, "ES256").c_str(), 0644); },
         "ES256",
         "chmod"},
        {"signing key executable by others",
         {"token"},
         [](Deployment& op) { ::chmod(a_private_key(op, "RS256").c_str(), 0601); },
         "RS256",
         "chmod"},
        {"signing key unreadable",
         {"token"},
         [](Deployment& op) { ::chmod(a_private_key(op, "ES256").c_str(), 0); },
         "ES256",
         "mode"},
        {"no key for the access token",
         {"token"},
         [](Deployment& op) { fs::remove(a_private_key(op, "ES256")); },
         "ES256",
         "postern key list"},
        {"no key for the ID token",
         {"token"},
         [](Deployment& op) { fs::remove(a_private_key(op, "RS256")); },
         "RS256",
         "postern key list"},
        {"signing key unreadable, with the implicit grant",
         {"token", "authorize"},
         [](Deployment& op) {
             op.configure("implicit", true);
             ::chmod(a_private_key(op, "ES256").c_str(), 0);
         },
         "ES256",
         "mode"},
        {"no key for the access token, with the implicit grant",
         {"token", "authorize"},
         [](Deployment& op) {
             op.configure("implicit", true);
             fs::remove(a_private_key(op, "ES256"));
         },
         "ES256",
         "postern key list"},
        {"no key for the ID token, with the implicit grant",
         {"token"},
         [](Deployment& op) {
             op.configure("implicit", true);
             fs::remove(a_private_key(op, "RS256"));
         },
         "RS256",
         "postern key list"},
        {"no key for the ID token, with a response type that has one",
         {"token", "authorize"},
         [](Deployment& op) {
             op.configure("responseTypes", postern::json::strings({"code", "id_token"}));
             fs::remove(a_private_key(op, "RS256"));
         },
         "RS256",
         "postern key list"},
        {"no key for the access token, with ID tokens alone at authorize",
         {"token"},
         [](Deployment& op) {
             op.configure("responseTypes", postern::json::strings({"code", "id_token"}));
             fs::remove(a_private_key(op, "ES256"));
         },
         "ES256",
         "postern key list"},
        {"signing key garbage",
         {"token"},
         [](Deployment& op) { write_file(a_private_key(op, "ES256"), "garbage"); },
         "ES256",
         ""},
        {"signing key encrypted",
         {"token"},
         [](Deployment& op) {
             write_file(a_private_key(op, "ES256"),
                        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n");
         },
         "ES256",
         "OpenSSL error "},
        {"signing key a FIFO",
         {"token"},
         [](Deployment& op) {
             const fs::path key = a_private_key(op, "ES256");
             fs::remove(key);
             REQUIRE(::mkfifo(key.c_str(), 0600) == 0);
         },
         "ES256",
         "regular"},
        {"signing key a link",
         {"token"},
         [](Deployment& op) {
             const fs::path key = a_private_key(op, "ES256");
             fs::rename(key, op.directory() / "elsewhere.pem");
             fs::create_symlink(op.directory() / "elsewhere.pem", key);
         },
         "ES256",
         "link"},
        {"signing key of nobody's set",
         {"token"},
         [](Deployment& op) {
             Deployment::Options options;
             options.config = {{"accessTokenAlgorithm", "ES256"}};
             const Deployment other(options);
             fs::copy_file(a_private_key(other, "ES256"),
                           op.keys_directory() / a_private_key(other, "ES256").filename());
         },
         "ES256",
         "jwks.json"},
        {"seal key missing", kPages, [](Deployment& op) { fs::remove(op.keys_directory() / "seal.key"); }, "seal.key",
         ""},
        {"seal key readable by others", kPages,
         [](Deployment& op) { ::chmod((op.keys_directory() / "seal.key").c_str(), 0644); }, "seal.key", "chmod"},
        {"seal key cut", kPages, [](Deployment& op) { write_file(op.keys_directory() / "seal.key", "short"); },
         "seal.key", ""},
        {"key set missing", kAll, [](Deployment& op) { fs::remove(op.keys_directory() / "jwks.json"); }, "jwks.json",
         ""},
        {"key set garbage", kAll, [](Deployment& op) { write_file(op.keys_directory() / "jwks.json", "{"); },
         "jwks.json", ""},
        {"key set with a private member", kAll,
         [](Deployment& op) {
             std::string text = read_file(op.keys_directory() / "jwks.json");
             text.insert(text.find("\"kty\""), "\"d\":\"AAAA\",");
             write_file(op.keys_directory() / "jwks.json", text);
         },
         "jwks.json", ""},
    });
}

TEST_CASE(
    "start: signing keys that are weak, of another kind or not the published one stop the token endpoint, and not the "
    "key set [J16]") {
    static const auto generated = [](postern::crypto::Algorithm algorithm) {
        return std::string(postern::crypto::PrivateKey::generate(algorithm).to_pem().reveal());
    };
    using postern::crypto::Algorithm;
    struct Replaced {
        std::string what;
        std::string algorithm;
        std::string pem;
    };
    const std::vector<Replaced> rows = {
        {"1024 bits", "RS256", refused_keys::kRsa1024},
        {"exponent 3", "RS256", refused_keys::kRsaExponent3},
        {"an EC key", "RS256", generated(Algorithm::ES256)},
        {"RSA-PSS", "RS256", refused_keys::kRsaPss},
        {"P-384", "ES256", refused_keys::kP384},
        {"secp256k1", "ES256", refused_keys::kSecp256k1},
        {"an RSA key", "ES256", generated(Algorithm::RS256)},
        {"Ed25519", "ES256", generated(Algorithm::EdDSA)},
        {"another key than the published one", "ES256", generated(Algorithm::ES256)},
    };
    const Deployment op;
    const Query request{{"grant_type", "client_credentials"}};
    CHECK(redeem(op, request, kMachine).verdict() == "200");
    for (const Replaced& row : rows) {
        CAPTURE(row.what);
        const fs::path file = a_private_key(op, row.algorithm);
        const std::string good = read_file(file);
        write_file(file, row.pem);  // in place: owner and mode stay
        const Answer answer = redeem(op, request, kMachine);
        CHECK(answer.status == 500);
        CHECK(answer.body == "Internal Server Error\n");
        CHECK(answer.log.find(file.string()) != std::string::npos);
        CHECK(op.cgi("jwks").status == 200);
        write_file(file, good);
    }
    CHECK(redeem(op, request, kMachine).verdict() == "200");
}

TEST_CASE("start: templates that are missing or would not escape stop the pages") {
    static const auto own_templates = [](Deployment& op) {
        fs::copy(source_directory() / "templates", op.directory() / "templates");
        op.configure("templates", (op.directory() / "templates").string());
    };
    check_rows({
        {"no directory", kPages,
         [](Deployment& op) { op.configure("templates", (op.directory() / "nowhere").string()); }, "nowhere", ""},
        {"login.html missing", kPages,
         [](Deployment& op) {
             own_templates(op);
             fs::remove(op.directory() / "templates" / "login.html");
         },
         "login.html", ""},
        {"form_post.html missing, as in templates of an earlier version", kPages,
         [](Deployment& op) {
             own_templates(op);
             fs::remove(op.directory() / "templates" / "form_post.html");
         },
         "templates/form_post.html", "No such file"},
        {"a script where none may run", kPages,
         [](Deployment& op) {
             own_templates(op);
             const fs::path page = op.directory() / "templates" / "error.html";
             write_file(page, read_file(page) + "<script>a()</script>");
         },
         "error.html", "script"},
        {"style.css missing", kPages,
         [](Deployment& op) {
             own_templates(op);
             fs::remove(op.directory() / "templates" / "style.css");
         },
         "style.css", ""},
        {"an unescaped value", kPages,
         [](Deployment& op) {
             own_templates(op);
             const fs::path page = op.directory() / "templates" / "consent.html";
             write_file(page, read_file(page) + "{{{client_name}}}");
         },
         "consent.html", "{{"},
        {"a page of a megabyte", kPages,
         [](Deployment& op) {
             own_templates(op);
             write_file(op.directory() / "templates" / "error.html", std::string(1 << 20, 'x'));
         },
         "error.html", ""},
    });
}

TEST_CASE("start: a log file that cannot be written stops every program") {
    check_rows({
        {"no such directory", kAll,
         [](Deployment& op) {
             op.configure("log", json::Object{{"target", (op.directory() / "no" / "log").string()}});
         },
         "no/log", ""},
        {"a directory", kAll,
         [](Deployment& op) {
             op.configure("log", json::Object{{"target", op.directory().string()}});
         },
         "postern-test", ""},
    });
}

TEST_CASE("start: what is legal but doubtful is said in the log, and served") {
    Deployment op;
    op.configure("authenticateIntrospect", false);
    const Answer answer = op.cgi("jwks");
    CHECK(answer.status == 200);
    CHECK(answer.log.find("\"level\":\"warn\"") != std::string::npos);
    CHECK(answer.log.find("authenticateIntrospect") != std::string::npos);
}

TEST_CASE("start: a log that is a FIFO stops every program at once, without a reader to wait for") {
    Deployment op;
    const std::string fifo = (op.directory() / "fifo").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0666) == 0);
    op.configure("log", json::Object{{"target", fifo}});
    for (const std::string& endpoint : kAll) {
        CAPTURE(endpoint);
        const Answer answer = op.cgi(endpoint);
        CHECK(answer.exit_code == 1);
        CHECK(answer.status == 500);
        CHECK(answer.log.find(fifo + " is not a regular file") != std::string::npos);
        check_mute(op, answer);
    }
}

TEST_CASE("start: why a program is refused stands in log.target, too, a line for each problem") {
    struct TargetRow {
        std::string when;
        void (*sabotage)(Deployment& op);
        std::vector<std::string> told;
    };
    const std::vector<TargetRow> rows = {
        {"a key that is not known",
         [](Deployment& op) { set_member(op, "isuer", "x"); },
         {"isuer", "correct the following"}},
        {"two problems",
         [](Deployment& op) {
             set_member(op, "isuer", "x");
             set_member(op, "idTokenTTL", -1);
         },
         {"isuer", "idTokenTTL"}},
        {"no keys", [](Deployment& op) { fs::remove_all(op.keys_directory()); }, {"keys"}},
    };
    for (const TargetRow& row : rows) {
        CAPTURE(row.when);
        Deployment op;
        const fs::path log = op.directory() / "postern.log";
        set_member(op, "log", json::Object{{"target", log.string()}});
        row.sabotage(op);
        const Answer answer = op.cgi("token", with_basic("grant_type=authorization_code&code=x"));
        CHECK(answer.exit_code == 1);
        CHECK(answer.log.starts_with("postern token: "));
        const std::string written = read_file(log);
        for (const std::string& told : row.told) {
            CAPTURE(told);
            CHECK(written.find(told) != std::string::npos);
        }
        for (const std::string_view line : postern::util::split(written, '\n')) {
            if (line.empty()) continue;
            CHECK(line.find(R"("event":"start_refused")") != std::string::npos);
            CHECK(line.find(R"("program":"token")") != std::string::npos);
        }
    }
    // Where the log itself cannot be opened, or the file cannot be read as JSON, standard error has it alone.
    Deployment op;
    set_member(op, "log", json::Object{{"target", (op.directory() / "missing" / "postern.log").string()}});
    set_member(op, "isuer", "x");
    CHECK(op.cgi("token").log.find("isuer") != std::string::npos);
}

}  // namespace
