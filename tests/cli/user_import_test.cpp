// `postern user import`: people taken over from elsewhere, all of a file or nobody.
#include <doctest/doctest.h>

#include <fstream>

#include "json/reader.h"
#include "json/writer.h"
#include "preconditions.h"
#include "store/users.h"
#include "support/rows.h"

using namespace postern;
using namespace postern::test;

namespace {

// crypt(3) of "secret" and of "other".
const std::string kBcrypt = "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";
const std::string kSha512 =
    "$6$saltstring$AIsRs/Ee56G/tC8MEHhvReZTfx8u3rXXMl6eYrjCG9ibix19DxoMBLogdTET5Ukw9Sf7eZTITsuk0Ry5qulYz.";

std::size_t count(const Installation& installation) {
    auto database = installation.open();
    return test::all_of(store::list_users(database)).size();
}

std::int64_t number_of(const json::Value& result, const char* member) { return integer_of(result, member); }

/// The --json result of an import that is refused.
json::Value refused_json(const Installation& installation, const std::string& input, Words options = {}) {
    const auto result = installation.postern(joined({"user", "import", "-", "--json"}, options), input);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 1);
    CHECK(is_one_plain_line(result.err));
    auto value = json::parse(result.out);
    REQUIRE(value);
    return *std::move(value);
}

}  // namespace

TEST_CASE("user import: htpasswd lines become users, who log in with their existing passwords") {
    const Installation installation;
    const auto result = installation.must_json(
        {"user", "import", "-"}, "# made by htpasswd\r\n\r\nada:" + kBcrypt + "\r\n" + "Grace Hopper:{crypt}" +
                                     kSha512 + ":19000:0:99999:7:::\n  \nold:$2a$" + kBcrypt.substr(4));
    CHECK(number_of(result, "added") == 3);
    CHECK(number_of(result, "updated") == 0);
    CHECK(member_of(result, "refused").if_array()->empty());
    for (const char* name : {"ada", "Grace Hopper", "old"}) {
        CHECK(opens_with(installation, name, "secret"));
        CHECK_FALSE(opens_with(installation, name, "Secret"));
        CHECK(stored_user(installation, name).enabled);
    }
    CHECK(stored_user(installation, "ada").subject != stored_user(installation, "old").subject);
    CHECK(stored_user(installation, "ada").subject.str().size() == 22);
}

TEST_CASE("user import: JSON lines bring hash or password, claims and state; a file is read like standard input") {
    const Installation installation;
    const auto file = installation.directory() / "people.jsonl";
    std::ofstream(file) << "\xef\xbb\xbf{\"username\":\"ada\",\"password_hash\":\"" << kBcrypt
                        << "\",\"claims\":{\"email\":\"ada@example.org\",\"address\":{\"country\":\"UK\"}}}\n"
                        << "\n{\"username\":\"bob\",\"password\":\"p\xc3\xa4ssword\",\"enabled\":false}\n"
                        << "{\"username\":\"eve\"}\n";
    const auto result = installation.must({"user", "import", file.string()});
    CHECK(result == "3 added, 0 updated, 0 unchanged, 0 refused\n");
    CHECK(opens_with(installation, "ada", "secret"));
    CHECK(json::write(stored_user(installation, "ada").claims) ==
          "{\"email\":\"ada@example.org\",\"address\":{\"country\":\"UK\"}}");
    CHECK(opens_with(installation, "bob", "p\xc3\xa4ssword"));
    CHECK(hash_of(installation, "bob").starts_with("$y$"));
    CHECK_FALSE(stored_user(installation, "bob").enabled);
    CHECK(hash_of(installation, "eve").empty());  // no password opens it
    CHECK(stored_user(installation, "eve").enabled);
}

TEST_CASE("user import: each faulty line is named with its reason, and no user is imported") {
    const Installation installation;
    installation.must({"user", "add", "taken", "--password-stdin"}, "quiet boats remember\n");
    struct Row {
        std::string line;
        const char* word;
    };
    const auto json_user = [](const std::string& members) { return "{\"username\":\"x\"," + members + "}"; };
    const std::vector<Row> htpasswd = {
        {"nothing", "name:hash"},
        {"x:$apr1$abcdefgh$ABCDEFGHIJKLMNOPQRSTUV", "$apr1$"},
        {"x:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "{SHA}"},
        {"x:!:19000:::::", "locked"},
        {"x:", "no hash"},
        {"x:plain", "of an unknown kind"},
        {"x:{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "salted SHA-1 ({SSHA})"},
        {"x:{PLAIN}tops3cret", "the password itself"},
        {"x:" + kBcrypt.substr(0, 59), "not complete"},
        {"x:$2y$20" + kBcrypt.substr(6), "cost 20"},
        {":" + kBcrypt, "user name"},
        {" x:" + kBcrypt, "begins or ends with a space"},
        {std::string(129, 'x') + ":" + kBcrypt, "128 bytes"},
        {"x\xff:" + kBcrypt, "UTF-8"},
        {"x\x01:" + kBcrypt, "control"},
        {std::string("x\0y:", 4) + kBcrypt, "control"},
        {"x:" + kBcrypt.substr(0, 30) + std::string(1, '\0') + kBcrypt.substr(31), "not complete"},
        {"x:" + kBcrypt + ":" + std::string(70000, 'x'), "65536"},
        {"taken:" + kBcrypt, "--update"},
        {"good:" + kBcrypt, "already in line 1"},
    };
    const std::vector<Row> lines = {
        {"good:" + kBcrypt, "not JSON"},
        {"{\"username\":\"x\"", "not JSON"},
        {"[\"x\"]", "object"},
        {"{\"password\":\"secret\"}", "missing"},
        {"{\"username\":7}", "text"},
        {"{\"username\":\"\"}", "user name"},
        {"{\"username\":\"x\",\"username\":\"y\"}", "not JSON"},
        {json_user("\"password\":\"a\",\"password_hash\":\"" + kBcrypt + "\""), "one of them"},
        {json_user("\"password\":\"\""), "empty"},
        {json_user("\"password\":\"" + std::string(512, 'a') + "\""), "511"},
        {json_user("\"password\":\"a\\tb\""), "control"},
        {json_user("\"password\":\"a\\u0000b\""), "not JSON"},
        {json_user("\"password\":\"a\xff\""), "not JSON"},
        {json_user("\"password\":1"), "text"},
        {json_user("\"password_hash\":\"\""), "no hash"},
        {json_user("\"claims\":{\"email\":\"nobody\"}"), "email"},
        {json_user("\"claims\":{\"sub\":\"me\"}"), "server itself"},
        {json_user("\"claims\":[]"), "object"},
        {json_user("\"enabled\":\"no\""), "true or false"},
        {json_user("\"sub\":\"me\""), "is not a member of a user"},
        {"{\"username\":\"taken\"}", "--update"},
        {"{\"username\":\"good\"}", "already in line 1"},
    };
    const auto check = [&](const std::string& good, const Row& row) {
        CAPTURE(row.line);
        const auto result = installation.postern({"user", "import", "-"}, good + "\n" + row.line + "\n");
        CAPTURE(result.err);
        CHECK(result.exit_code == 1);
        CHECK(result.out == "0 added, 0 updated, 0 unchanged, 1 refused\n");
        CHECK(result.err.starts_with("postern: line 2"));
        CHECK(has(result.err, row.word));
        CHECK_FALSE(has(result.err, kBcrypt));
        CHECK(has(result.err, "no user was imported"));
        CHECK(count(installation) == 1);
    };
    for (const Row& row : htpasswd) check("good:" + kBcrypt, row);
    for (const Row& row : lines) check("{\"username\":\"good\"}", row);
}

TEST_CASE("user import: all faults of a file are reported at once, in the order of its lines, for programs too") {
    const Installation installation;
    installation.must({"user", "add", "b", "--password-stdin"}, "quiet boats remember\n");
    const std::string input = "a:" + kBcrypt + "\nb:" + kBcrypt + "\n\nc:x\na:" + kBcrypt + "\n";
    const auto result = refused_json(installation, input);
    const json::Array& refused = *member_of(result, "refused").if_array();
    REQUIRE(refused.size() == 3);
    const char* names[] = {"b", "c", "a"};
    const int lines[] = {2, 4, 5};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(number_of(refused[i], "line") == lines[i]);
        CHECK(text_of(refused[i], "username") == names[i]);
        CHECK_FALSE(text_of(refused[i], "reason").empty());
    }
    CHECK(count(installation) == 1);
}

TEST_CASE("user import: --skip-faulty takes the good lines, and still exits 1") {
    const Installation installation;
    const auto result = refused_json(installation, "a:" + kBcrypt + "\nb:x\nc:" + kBcrypt + "\n", {"--skip-faulty"});
    CHECK(number_of(result, "added") == 2);
    CHECK(member_of(result, "refused").if_array()->size() == 1);
    CHECK(count(installation) == 2);
    CHECK(opens_with(installation, "c", "secret"));
}

TEST_CASE("user import: --dry-run finds what the import would, and writes nothing") {
    const Installation installation;
    installation.must({"user", "import", "-"}, "a:" + kBcrypt + "\n");
    const std::string input = "a:" + kSha512 + "\nb:" + kSha512 + "\n";
    const auto result = installation.must_json({"user", "import", "-", "--dry-run", "--update"}, input);
    CHECK(number_of(result, "added") == 1);
    CHECK(number_of(result, "updated") == 1);
    CHECK(flag_of(result, "dry_run"));
    CHECK(count(installation) == 1);
    CHECK(hash_of(installation, "a") == kBcrypt);
    CHECK(number_of(refused_json(installation, input, {"--dry-run", "--skip-faulty"}), "added") == 1);
    CHECK(count(installation) == 1);
    CHECK(installation.postern({"user", "import", "-", "--dry-run"}, "a:x\n").exit_code == 1);
}

TEST_CASE("user import: --update changes what the file has and leaves the rest; what is equal is not touched") {
    const Installation installation;
    installation.must({"user", "add", "ada", "--password-stdin", "--claim", "name=Ada", "--claim", "nickname=A"},
                      "quiet boats remember\n");
    const auto before = stored_user(installation, "ada");
    const std::string hash_before = hash_of(installation, "ada");
    const auto update = [&](const std::string& line) {
        const auto result = installation.must_json({"user", "import", "-", "--update"}, line + "\n");
        return std::pair(number_of(result, "updated"), number_of(result, "unchanged"));
    };
    using Counts = std::pair<std::int64_t, std::int64_t>;
    log_in(installation, before.subject);
    CHECK(update("{\"username\":\"ada\"}") == Counts{0, 1});
    CHECK(update("{\"username\":\"ada\",\"password\":\"quiet boats remember\"}") ==
          Counts{0, 1});  // the one that she has
    CHECK(update("{\"username\":\"ada\",\"enabled\":true,\"claims\":{\"name\":\"Ada\",\"nickname\":\"A\"}}") ==
          Counts{0, 1});
    CHECK(hash_of(installation, "ada") == hash_before);
    CHECK(update("{\"username\":\"ada\",\"claims\":{\"name\":\"Lovelace\"}}") == Counts{1, 0});
    CHECK(json::write(stored_user(installation, "ada").claims) == "{\"name\":\"Lovelace\"}");  // all of them
    CHECK(is_logged_in(installation));

    CHECK(update("ada:" + kBcrypt) == Counts{1, 0});
    CHECK(opens_with(installation, "ada", "secret"));
    CHECK(stored_user(installation, "ada").subject == before.subject);
    CHECK(json::write(stored_user(installation, "ada").claims) == "{\"name\":\"Lovelace\"}");
    CHECK_FALSE(is_logged_in(installation));  // as after `user passwd`

    log_in(installation, before.subject);
    CHECK(update("{\"username\":\"ada\",\"enabled\":false}") == Counts{1, 0});
    CHECK_FALSE(is_logged_in(installation));  // as after `user disable`
    CHECK(update("ada:" + kBcrypt) == Counts{0, 1});
    CHECK_FALSE(stored_user(installation, "ada").enabled);
}

TEST_CASE("user import: --email-verified speaks where there is an email and nothing is said about it") {
    const Installation installation;
    const auto claims_of = [&](const std::string& name) { return json::write(stored_user(installation, name).claims); };
    const std::string ada = R"({"username":"ada","claims":{"email":"ada@example.org"}})";
    installation.must({"user", "import", "-", "--email-verified"},
                      ada + "\n" +
                          R"({"username":"bob","claims":{"email":"bob@example.org","email_verified":false}})"
                          "\n"
                          R"({"username":"eve","claims":{"name":"Eve"}})"
                          "\n"
                          R"({"username":"kim"})");
    CHECK(claims_of("ada") == R"({"email":"ada@example.org","email_verified":true})");
    CHECK(claims_of("bob") == R"({"email":"bob@example.org","email_verified":false})");
    CHECK(claims_of("eve") == R"({"name":"Eve"})");
    CHECK(claims_of("kim") == "{}");

    // Claims of the file replace all; a line without claims keeps them.
    CHECK(installation.must({"user", "import", "-", "--update"}, ada) ==
          "0 added, 1 updated, 0 unchanged, 0 refused\n");
    CHECK(claims_of("ada") == R"({"email":"ada@example.org"})");
    const std::string names = "{\"username\":\"ada\"}\n{\"username\":\"bob\"}\n{\"username\":\"eve\"}\n";
    for (const char* result :
         {"0 added, 1 updated, 2 unchanged, 0 refused\n", "0 added, 0 updated, 3 unchanged, 0 refused\n"})
        CHECK(installation.must({"user", "import", "-", "--update", "--email-verified"}, names) == result);
    CHECK(claims_of("ada") == R"({"email":"ada@example.org","email_verified":true})");
    CHECK(claims_of("bob") == R"({"email":"bob@example.org","email_verified":false})");
    CHECK(claims_of("eve") == R"({"name":"Eve"})");
}

TEST_CASE("user import: more users than one transaction takes, each of them once") {
    const Installation installation;
    std::string input;
    for (int i = 0; i < 1001; ++i) input += "user" + std::to_string(i) + ":" + kBcrypt + "\n";
    CHECK(number_of(installation.must_json({"user", "import", "-"}, input), "added") == 1001);
    CHECK(count(installation) == 1001);
    CHECK(opens_with(installation, "user1000", "secret"));
    CHECK(number_of(installation.must_json({"user", "import", "-", "--update"}, input), "unchanged") == 1001);
    CHECK(installation.postern({"user", "import", "-"}, input).exit_code == 1);
    CHECK(count(installation) == 1001);
}

TEST_CASE("user import: files that are none are refused in one line") {
    const Installation installation;
    for (const std::string& file :
         {std::string("/nonexistent/users"), installation.directory().string(), std::string("/dev/null"),
          std::string("/dev/zero"), std::string("/dev/urandom"), std::string("-")}) {
        CAPTURE(file);
        installation.refused({"user", "import", file});
    }
}

TEST_CASE("user import: standard input that is one line without end is refused, and no user is imported") {
    const Installation installation;
    const auto result = run({"/bin/sh", "-c", "exec \"$0\" user import - < /dev/zero", postern_program()},
                            {{"PATH", "/usr/bin:/bin"}, {"POSTERN_CONFIG", installation.config_file().string()}});
    CHECK(result.exit_code == 1);
    CHECK(is_one_plain_line(result.err));
    CHECK(has(result.err, "16 MiB"));
    CHECK(count(installation) == 0);
}

TEST_CASE("user import: a user name that cannot be seen is refused in each format") {
    const Installation installation;
    for (const std::string name : {"\u200b", "\u00ad", "ada\u200b", "\u00a0ada"}) {
        CAPTURE(name);
        for (const std::string& line : {name + ":" + kBcrypt, "{\"username\":\"" + name + "\"}"}) {
            const auto result = installation.postern({"user", "import", "-"}, "good:" + kBcrypt + "\n" + line + "\n");
            CHECK(result.exit_code == 1);
        }
        const auto import = installation.postern({"user", "import", "-"}, name + ":" + kBcrypt + "\n");
        CHECK(import.exit_code == 1);
        CHECK(has(import.err, "has an invisible character"));
    }
    CHECK(count(installation) == 0);
}

TEST_CASE("user import: a terminal sees how far it is, anything else sees no bar and no control character") {
    const Installation installation;
    const auto file = installation.directory() / "people.jsonl";
    std::ofstream(file)
        << "{\"username\":\"a\",\"password\":\"secret\"}\n{\"username\":\"b\",\"password\":\"secret\"}\n";
    const std::string quiet = installation.noted({"user", "import", "--dry-run", file.string()});
    CHECK(quiet.empty());
    const auto shown =
        run({"/usr/bin/script", "-qec", postern_program() + " user import " + file.string(), "/dev/null"},
            {{"PATH", "/usr/bin:/bin"}, {"POSTERN_CONFIG", installation.config_file().string()}});
    CHECK(shown.exit_code == 0);
    CHECK(has(shown.out, "hashing [###############---------------] 1/2"));
    CHECK(has(shown.out, "writing [##############################] 2/2"));
    CHECK(has(shown.out, "\r2 added"));  // the bar is gone
    CHECK(count(installation) == 2);
    const auto again = installation.postern({"user", "import", "--update", file.string()});
    CHECK(again.err.empty());
}
