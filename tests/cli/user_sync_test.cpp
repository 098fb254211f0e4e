// `postern user import --sync`: the users of a source are those of a file.
#include <doctest/doctest.h>

#include "json/writer.h"
#include "preconditions.h"
#include "support/audit_log.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;

namespace {

/// A line without claims and groups for each name.
std::string people(std::initializer_list<const char*> names) {
    std::string lines;
    for (const std::string name : names) lines += "{\"username\":\"" + name + "\"}\n";
    return lines;
}

/// "user1" to "user`last`", without those from `gap` on.
std::string many(int last, int gap = 100000, int width = 0) {
    std::string lines;
    for (int i = 1; i <= last; ++i)
        if (i < gap || i >= gap + width) lines += "{\"username\":\"user" + std::to_string(i) + "\"}\n";
    return lines;
}

struct Fixture {
    Installation installation;

    Words command(const Words& options) const { return joined({"user", "import", "-", "--sync", "ldap"}, options); }
    /// "added updated enabled disabled unchanged"
    std::string sync(const std::string& file, const Words& options = {}) const {
        const auto result = installation.must_json(command(options), file);
        std::string counts;
        for (const char* member : {"added", "updated", "enabled", "disabled", "unchanged"})
            counts += std::to_string(integer_of(result, member)) + " ";
        return counts;
    }
    /// Returns the message of a refused run, which has changed nothing.
    std::string refused(const std::string& file, const Words& options = {}, int exit_code = 1) const {
        const std::string before = installation.must({"user", "list", "--json"});
        const auto result = installation.postern(command(options), file);
        CHECK(result.exit_code == exit_code);
        CHECK(installation.must({"user", "list", "--json"}) == before);
        return result.err;
    }
    json::Value user(const std::string& name) const { return installation.must_json({"user", "show", name}); }
    bool is_enabled(const std::string& name) const { return flag_of(user(name), "enabled"); }
    std::string source(const std::string& name) const { return text_of(user(name), "source"); }
};

}  // namespace

TEST_CASE("user import --sync: users are added, follow the file, and stay as they are when it does [SOURCE-6]") {
    const Fixture f;
    for (const char* group : {"staff", "admins", "others"}) f.installation.must({"group", "add", group});
    const std::string ada =
        R"({"username":"ada","claims":{"name":"Ada","email":"ada@example.org"},"groups":["staff","admins"]})";
    CHECK(f.sync(ada + "\n" + people({"bob"})) == "2 0 0 0 0 ");
    CHECK(f.source("ada") == "ldap");
    CHECK(words_of(f.user("ada"), "groups") == "admins staff");
    CHECK(has(f.installation.must({"user", "show", "ada"}), "source"));
    const auto listed = f.installation.must_json({"user", "list"});
    CHECK(text_of((*listed.if_array())[1], "source") == "ldap");
    const auto subject = text_of(f.user("ada"), "sub");
    CHECK(f.sync(ada + "\n" + people({"bob"})) == "0 0 0 0 2 ");

    // Claims and groups that the line does not have go, groups of an operator as well.
    f.installation.must({"group", "member", "add", "others", "ada"});
    CHECK(f.sync(R"({"username":"ada","claims":{"name":"Lovelace"},"groups":["staff"]})"
                 "\n" +
                 people({"bob"})) == "0 1 0 0 1 ");
    CHECK(words_of(f.user("ada"), "groups") == "staff");
    CHECK(json::write(member_of(f.user("ada"), "claims")) == R"({"name":"Lovelace"})");
    CHECK(f.sync(people({"ada", "bob"}), {"--email-verified"}) == "0 1 0 0 1 ");
    CHECK(words_of(f.user("ada"), "groups").empty());
    CHECK(json::write(member_of(f.user("ada"), "claims")) == "{}");
    CHECK(text_of(f.user("ada"), "sub") == subject);

    // A password stays unless the line has one.
    f.installation.must({"user", "passwd", "ada", "--password-stdin"}, "a long enough password\n");
    CHECK(f.sync(people({"ada", "bob"})) == "0 0 0 0 2 ");
    const std::string with_password = R"({"username":"ada","password":"a long enough password"})";
    CHECK(f.sync(with_password + "\n" + people({"bob"})) == "0 0 0 0 2 ");
    CHECK(f.sync(R"({"username":"ada","password":"another long password"})"
                 "\n" +
                 people({"bob"})) == "0 1 0 0 1 ");
}

TEST_CASE("user import --sync: who is not in the file is disabled, and enabled when back, unless by hand [SOURCE-6]") {
    const Fixture f;
    f.installation.must({"user", "add", "root", "--password-stdin"}, "a long enough password\n");
    f.installation.must({"user", "import", "-", "--sync", "hr"}, people({"hanna"}));
    CHECK(f.sync(people({"ada", "bob", "eve"})) == "3 0 0 0 0 ");
    log_in(f.installation, model::Subject(text_of(f.user("bob"), "sub")));
    CHECK(f.sync(people({"ada", "eve"}), {"--at-most", "40%"}) == "0 0 0 1 2 ");
    CHECK_FALSE(f.is_enabled("bob"));
    CHECK(member_of(f.user("bob"), "left_at").if_integer());
    CHECK(has(f.installation.must({"user", "show", "bob"}), "left source"));
    CHECK(f.is_enabled("root"));   // of no source
    CHECK(f.is_enabled("hanna"));  // of another one
    CHECK_FALSE(is_logged_in(f.installation));
    CHECK(f.sync(people({"ada", "eve"})) == "0 0 0 0 2 ");
    CHECK(f.sync(people({"ada", "eve", "bob"})) == "0 0 1 0 2 ");
    CHECK(f.is_enabled("bob"));

    // The operator's word stays, whether it was said before or after the user had left.
    f.installation.must({"user", "disable", "bob"});
    CHECK(f.sync(people({"ada", "eve", "bob"})) == "0 0 0 0 3 ");
    CHECK(f.sync(people({"ada", "eve"})) == "0 0 0 0 2 ");
    CHECK(f.sync(people({"ada", "eve", "bob"})) == "0 0 0 0 3 ");
    CHECK_FALSE(f.is_enabled("bob"));
    f.sync(people({"ada"}), {"--at-most", "50%"});
    CHECK_FALSE(f.is_enabled("eve"));
    f.installation.must({"user", "disable", "eve"});
    CHECK(f.sync(people({"ada", "eve"})) == "0 0 0 0 2 ");
    CHECK_FALSE(f.is_enabled("eve"));
    f.installation.must({"user", "enable", "eve"});
    CHECK(f.sync(people({"ada", "eve"})) == "0 0 0 0 2 ");
    CHECK(f.is_enabled("eve"));

    // So does the file's, where it has one.
    const std::string off = R"({"username":"eve","enabled":false})";
    CHECK(f.sync(people({"ada"}) + off, {"--at-most", "50%"}) == "0 0 0 1 1 ");
    CHECK(f.sync(people({"ada", "eve"})) == "0 0 0 0 2 ");
    CHECK_FALSE(f.is_enabled("eve"));
    CHECK(f.sync(people({"ada"}) + R"({"username":"eve","enabled":true})") == "0 0 1 0 1 ");
    f.sync(people({"ada"}), {"--at-most", "50%"});
    CHECK(f.sync(people({"ada"}) + off) == "0 1 0 0 1 ");  // now by the file
    CHECK(f.sync(people({"ada", "eve"})) == "0 0 0 0 2 ");
}

TEST_CASE("user import --sync: too many users who would be disabled are refused with the figures [SOURCE-6]") {
    const Fixture f;
    CHECK(f.sync(many(20)) == "20 0 0 0 0 ");
    const std::string message = f.refused(many(20, 5, 3));
    CHECK(has(message, "3 of 20 enabled users of the source \"ldap\" would be disabled"));
    CHECK(has(message, "more than 10%"));
    CHECK(has(message, "--at-most 15%"));
    CHECK(is_one_plain_line(message));
    CHECK(has(f.refused(many(20, 5, 3), {"--dry-run"}), "3 of 20"));
    CHECK(has(f.refused(many(19), {"--at-most", "0"}), "--at-most 5%"));
    CHECK(has(f.refused(many(18) +
                            R"({"username":"user19","enabled":false})"
                            "\n" +
                            R"({"username":"user20","enabled":false})",
                        {"--at-most", "9%"}),
              "2 of 20"));
    CHECK(f.sync(many(18)) == "0 0 0 2 18 ");  // 10%
    CHECK(has(f.refused(many(16)), "2 of 18"));
    CHECK(f.sync(many(16), {"--at-most", "12"}) == "0 0 0 2 16 ");
    CHECK(has(f.refused(people({"new"})), "16 of 16"));
    CHECK(f.sync(people({"new"}), {"--at-most", "100%"}) == "1 0 0 16 0 ");
    CHECK(f.sync(many(20) + people({"new"})) == "0 0 20 0 1 ");
    for (const char* text : {"", "%", "101%", "-1", "10.5%", "1e1", "ten", "10%%", "1 0%", "999999999999999999999"}) {
        CAPTURE(text);
        CHECK(has(f.refused(many(20), {"--at-most", text}, 2), "from 0 to 100"));
    }
}

TEST_CASE("user import --sync: adopted users who would be disabled count, and others make no room [SOURCE-6]") {
    const Fixture f;
    for (const char* name : {"user3", "user4", "user5"})
        f.installation.must({"user", "add", name, "--password-stdin"}, "a long enough password\n");
    f.sync(people({"user1", "user2"}));
    const std::string off = people({"user1", "user2", "user3", "user4"}) + R"({"username":"user5","enabled":false})";
    CHECK(has(f.refused(off, {"--adopt"}), "1 of 3 enabled users"));
    CHECK(f.is_enabled("user5"));
    // Three users who are adopted as they are do not dilute the one of the source who has gone.
    CHECK(has(f.refused(people({"user1", "user3", "user4", "user5"}), {"--adopt"}), "1 of 2 enabled users"));
    CHECK(f.sync(off, {"--adopt", "--at-most", "34%"}) == "0 2 0 1 2 ");
    CHECK_FALSE(f.is_enabled("user5"));
}

TEST_CASE("user import --sync: users of another source or of none are refused with their line [SOURCE-6]") {
    const Fixture f;
    f.installation.must({"group", "add", "staff"});
    f.installation.must({"user", "add", "ada", "--password-stdin", "--claim", "name=Ada", "--group", "staff"},
                        "a long enough password\n");
    f.installation.must({"user", "import", "-", "--sync", "hr"}, people({"hanna"}));
    const std::string file = people({"new", "ada", "hanna"});
    const std::string message = f.refused(file);
    CHECK(has(message, "line 2 (ada): a user of that name is there already and has no source; --adopt"));
    CHECK(has(message, "line 3 (hanna): a user of that name belongs to the source \"hr\""));
    CHECK(has(message, "nothing was changed because of 2 refused lines"));
    CHECK_FALSE(has(f.refused(file, {"--adopt"}), "ada"));
    CHECK(f.sync(people({"new", "ada"}), {"--adopt", "--dry-run"}) == "1 1 0 0 0 ");
    CHECK(f.source("ada").empty());
    const std::string subject = text_of(f.user("ada"), "sub");
    CHECK(f.sync(people({"new", "ada"}), {"--adopt"}) == "1 1 0 0 0 ");
    CHECK(f.source("ada") == "ldap");
    CHECK(text_of(f.user("ada"), "sub") == subject);
    CHECK(words_of(f.user("ada"), "groups").empty());

    f.installation.must({"user", "set", "hanna", "--source", "ldap"});
    CHECK(f.sync(file) == "0 0 0 0 3 ");
    f.installation.must({"user", "set", "hanna", "--source", ""});
    CHECK(f.source("hanna").empty());
    CHECK(f.sync(people({"new", "ada"})) == "0 0 0 0 2 ");
    CHECK(f.is_enabled("hanna"));
    for (const std::string name : {"two words", "a,b", "\xc3\xa4"}) {
        CHECK(has(f.installation.refused({"user", "set", "ada", "--source", name}),
                  "the name of a source must be 1 to 64"));
    }
}

TEST_CASE("user import --sync: a faulty line, an unknown group or another format changes nothing [SOURCE-6]") {
    const Fixture f;
    CHECK(f.sync(people({"ada", "bob"})) == "2 0 0 0 0 ");
    struct Row {
        std::string file;
        const char* words;
    };
    const std::string good = people({"ada", "bob", "new"});
    const Row rows[] = {
        {good + "{\"username\":\"x\"", "line 4: this is not JSON"},
        {good + R"({"username":"x","group":["staff"]})", "is not a member of a user"},
        {good + R"({"username":"x","groups":["staff"]})", "there is no group \"staff\""},
        {good + R"({"username":"x","claims":{"sub":"x"}})", "server itself"},
        {good + people({"new"}), "already in line 3"},
        {good + "x:$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW", "not JSON"},
        {"", "contains no users"},
        {"\n\n", "contains no users"},
        {"ada:$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW\n", "--sync needs lines of JSON"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file);
        const std::string message = f.refused(row.file, {"--at-most", "100%"});
        CHECK(has(message, row.words));
    }
    for (const char* option : {"--update", "--skip-faulty"}) f.refused(good, {option}, 2);
    for (const char* name : {"", "two words", "a/b"}) {
        CHECK(has(f.installation.refused({"user", "import", "-", "--sync", name}, good),
                  "the name of a source must be 1 to 64"));
    }
    CHECK(f.installation.postern({"user", "import", "-", "--adopt"}, good).exit_code == 2);
    CHECK(f.installation.postern({"user", "import", "-", "--at-most", "5%"}, good).exit_code == 2);
}

TEST_CASE("user import --sync: --dry-run says what would change, and changes nothing [SOURCE-6]") {
    const Fixture f;
    f.installation.must({"group", "add", "staff"});
    f.sync(people({"ada", "bob", "eve", "kim"}));
    f.sync(people({"ada", "bob", "eve"}), {"--at-most", "25%"});
    const std::string before = f.installation.must({"user", "list", "--json"});
    const std::string file = R"({"username":"ada","claims":{"name":"Ada"},"groups":["staff"]})"
                             "\n" +
                             people({"bob", "kim", "new"});
    CHECK(
        f.installation.must(f.command({"--dry-run", "--at-most", "50%"}), file) ==
        "update ada: claims, groups\n"
        "enable kim: state\n"
        "add new\n"
        "disable eve\n"
        "nothing was written; the result would be: 1 added, 1 updated, 1 enabled, 1 disabled, 1 unchanged, 0 refused\n");
    const auto result = f.installation.must_json(f.command({"--dry-run", "--at-most", "50%"}), file);
    CHECK(member_of(result, "changes").if_array()->size() == 4);
    CHECK(text_of((*member_of(result, "changes").if_array())[3], "change") == "disable");
    CHECK(f.installation.must({"user", "list", "--json"}) == before);
    CHECK(f.sync(file, {"--at-most", "50%"}) == "1 1 1 1 1 ");
}

TEST_CASE("user import --sync: more users than one transaction takes, each of them once [SOURCE-6]") {
    const Fixture f;
    CHECK(f.sync(many(450)) == "450 0 0 0 0 ");
    CHECK(f.sync(many(700, 100, 200), {"--at-most", "50%"}) == "250 0 0 200 250 ");
    CHECK(f.sync(many(700)) == "0 0 200 0 500 ");
}

TEST_CASE("user import --sync: each user who is disabled or enabled has a line in the audit log [SOURCE-6]") {
    const Fixture f;
    f.sync(people({"ada", "bob"}));
    const std::string bob = text_of(f.user("bob"), "sub");
    f.sync(people({"ada"}), {"--at-most", "50%"});
    f.sync(people({"ada"}));
    f.sync(people({"ada", "bob"}));
    std::string seen;
    for (const json::Object& line : audit_lines(read_file(f.installation.syslog_file()))) {
        CHECK(text_of(line, "command") == "user import");
        CHECK(text_of(line, "source") == "ldap");
        seen += text_of(line, "rows") + text_of(line, "enabled") + " ";
        if (!text_of(line, "enabled").empty()) CHECK(text_of(line, "subject") == bob);
    }
    CHECK(seen == "2 1 no 1 yes ");
}
