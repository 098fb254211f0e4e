// `postern user invite` and `postern user reset-link`: whom they are for, what they print, and what they refuse.
#include <doctest/doctest.h>

#include "installation.h"
#include "oauth/access_token.h"
#include "preconditions.h"
#include "store/groups.h"
#include "store/links.h"
#include "store/users.h"
#include "support/audit_log.h"
#include "support/deployment.h"
#include "support/query.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr int kDay = 86400;

/// Ada has a password; bob, as an import without a hash makes users, has none.
struct Fixture {
    Installation installation;

    Fixture() {
        installation.must({"user", "add", "ada", "--password-stdin"}, "secret boats of ada\n");
        put_user(installation, "bob");
        installation.must({"group", "add", "staff"});
    }
    /// The row of the link that the command printed.
    store::FoundLink stored(const json::Value& printed) const {
        const auto token = query_parameter(text_of(printed, "link"), "t");
        REQUIRE(token);
        CHECK(token->size() == 43);
        auto database = installation.open();
        const auto found = store::find_link(database, oauth::hash_of(*token));
        REQUIRE(found);
        return *found;
    }
    std::int64_t links() const { return count_rows(installation, "links"); }
    std::string log() const { return read_file(installation.syslog_file()); }
};

Words with_expiry(Words command, const std::string& time) {
    command.insert(command.end(), {"--expires", time});
    return command;
}

}  // namespace

TEST_CASE(
    "user invite: makes the user as `user add` does, without a password, and prints the link once [LINK-1, LINK-2]") {
    Fixture f;
    const auto printed = f.installation.must_json(
        {"user", "invite", "grace", "--claim", "email=grace@example.org", "--email-verified", "--group", "staff"});
    CHECK(text_of(printed, "username") == "grace");
    CHECK(text_of(printed, "link").starts_with("https://"));
    CHECK(has(text_of(printed, "link"), "/recover/link?t="));
    const auto found = f.stored(printed);
    CHECK(found.link.purpose == model::LinkPurpose::invite);
    CHECK(found.username == "grace");
    CHECK_FALSE(found.link.made_by.empty());
    CHECK(found.link.expires_at - found.link.created_at == util::Seconds(7 * kDay));
    CHECK(integer_of(printed, "expires_at") == util::to_epoch(found.link.expires_at));
    const model::Subject subject(text_of(printed, "sub"));
    CHECK(found.link.subject == subject);
    auto database = f.installation.open();
    CHECK(store::find_password_hash(database, subject).empty());
    CHECK(store::groups_of(database, subject) == Words{"staff"});
    const auto shown = f.installation.must_json({"user", "show", "grace"});
    CHECK(text_of(member_of(shown, "claims"), "email") == "grace@example.org");
}

TEST_CASE(
    "user invite: a user who has no password is invited again, and the first link does nothing [LINK-2, LINK-4]") {
    Fixture f;
    const auto first = f.installation.must_json({"user", "invite", "bob"});
    const auto second = f.installation.must_json({"user", "invite", "bob"});
    CHECK(text_of(first, "sub") == text_of(second, "sub"));
    CHECK(text_of(first, "link") != text_of(second, "link"));
    CHECK(f.stored(second).username == "bob");
    CHECK(f.links() == 1);
}

TEST_CASE("user reset-link: for any user, by name or sub, and --factors is another purpose [LINK-2, LINK-6]") {
    Fixture f;
    const auto reset = f.installation.must_json({"user", "reset-link", "ada"});
    CHECK(f.stored(reset).link.purpose == model::LinkPurpose::password);
    CHECK(f.stored(reset).link.expires_at - f.stored(reset).link.created_at == util::Seconds(kDay));
    const auto factors = f.installation.must_json({"user", "reset-link", text_of(reset, "sub"), "--factors"});
    CHECK(f.stored(factors).link.purpose == model::LinkPurpose::factors);
    CHECK(f.stored(reset).username == "ada");
    CHECK(f.installation.must_json({"user", "reset-link", "bob"}).if_object());
    CHECK(f.links() == 3);
    // Nothing has changed for the user.
    auto database = f.installation.open();
    CHECK_FALSE(store::find_password_hash(database, model::Subject(text_of(reset, "sub"))).empty());
}

TEST_CASE("user invite, user reset-link: the text for people has the link, and a note on standard error [LINK-2]") {
    Fixture f;
    for (const Words& command : {Words{"user", "invite", "grace"}, Words{"user", "reset-link", "ada"}}) {
        const auto result = f.installation.postern(command);
        CHECK(result.exit_code == 0);
        CHECK(has(result.out, "/recover/link?t="));
        CHECK(has(result.out, "expires"));
        CHECK(has(result.err, "only once"));
        CHECK_FALSE(has(result.err, "?t="));
    }
}

TEST_CASE("user invite, user reset-link: --expires takes minutes, hours and days from 5m to 30d [LINK-1]") {
    struct Row {
        const char* time;
        int seconds;  ///< 0: wrong usage
    };
    const Row rows[] = {
        {"5m", 300},
        {"300m", 18000},
        {"1h", 3600},
        {"24h", kDay},
        {"30d", 30 * kDay},
        {"720h", 30 * kDay},
        {"43200m", 30 * kDay},
        {"05m", 300},
        {"4m", 0},
        {"0m", 0},
        {"0d", 0},
        {"31d", 0},
        {"721h", 0},
        {"43201m", 0},
        {"300", 0},
        {"300s", 0},
        {"5 m", 0},
        {"5M", 0},
        {"-5m", 0},
        {"+5m", 0},
        {"5.5h", 0},
        {"m", 0},
        {"", 0},
        {"1w", 0},
        {"5m5m", 0},
        {"1d12h", 0},
        {"0x5h", 0},
        {"99999999999999999999d", 0},
        {"9223372036854775807d", 0},
    };
    Fixture f;
    const Words commands[] = {{"user", "invite", "bob"}, {"user", "reset-link", "ada"}};
    for (const auto& command : commands)
        for (const Row& row : rows) {
            CAPTURE(std::string(row.time));
            const auto before = f.links();
            if (row.seconds == 0) {
                const auto result = f.installation.postern(with_expiry(command, row.time));
                CHECK(result.exit_code == 2);
                CHECK(result.out.empty());
                CHECK(f.links() == before);
                continue;
            }
            const auto found = f.stored(f.installation.must_json(with_expiry(command, row.time)));
            CHECK(found.link.expires_at - found.link.created_at == util::Seconds(row.seconds));
        }
}

TEST_CASE("user invite, user reset-link: what they refuse, and then nothing is made [LINK-2, MAIL-10]") {
    struct Row {
        const char* when;
        Words command;
        const char* says;
        void (*before)(const Installation& installation) = nullptr;
    };
    const auto remote = [](const Installation& i) { i.reconfigure("login", json::Object{{"method", "remote_user"}}); };
    const auto off = [](const Installation& i) { i.reconfigure("paths", json::Object{{"recover", nullptr}}); };
    const auto disabled = [](const Installation& i) {
        for (const char* name : {"ada", "bob"}) i.must({"user", "disable", name});
    };
    const Row rows[] = {
        {"has a password", {"user", "invite", "ada"}, "user reset-link"},
        {"is there, with claims", {"user", "invite", "bob", "--claim", "name=Bob"}, "user set"},
        {"is there, with a group", {"user", "invite", "bob", "--group", "staff"}, "group member"},
        {"a group that is not there", {"user", "invite", "grace", "--group", "none"}, "none"},
        {"a claim that is none", {"user", "invite", "grace", "--claim", "name"}, "NAME=TEXT"},
        {"a name that cannot be typed",
         {"user", "invite",
          "gra\xe2\x80\x8b"
          "ce"},
         "invisible"},
        {"no such user", {"user", "reset-link", "grace"}, "grace"},
        {"a disabled user is invited", {"user", "invite", "bob"}, "disabled", disabled},
        {"a disabled user gets no link", {"user", "reset-link", "ada"}, "disabled", disabled},
        {"remote_user", {"user", "invite", "grace"}, "remote_user", remote},
        {"remote_user, reset", {"user", "reset-link", "ada"}, "remote_user", remote},
        {"no page", {"user", "invite", "grace"}, "paths.recover", off},
        {"no page, reset", {"user", "reset-link", "ada", "--factors"}, "paths.recover", off},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        if (row.before) row.before(f.installation);
        const auto result = f.installation.postern(row.command);
        CHECK(result.exit_code != 0);
        CHECK(result.out.empty());
        CHECK(is_one_plain_line(result.err));
        CHECK(has(result.err, row.says));
        CHECK(f.links() == 0);
        auto database = f.installation.open();
        CHECK_FALSE(store::find_user_by_name(database, "grace"));
        CHECK_FALSE(has(f.log(), "link_made"));
    }
}

TEST_CASE(
    "user invite, user reset-link: the audit log says by whom and for what, and has no link [LINK-10, LINK-11, L29]") {
    Fixture f;
    struct Row {
        Words command;
        const char* purpose;
        const char* events;
    };
    const Row rows[] = {
        {{"user", "invite", "grace"}, "invite", "admin_command link_made"},
        {{"user", "invite", "bob"}, "invite", "link_made"},
        {{"user", "reset-link", "ada"}, "password", "link_made"},
        {{"user", "reset-link", "ada", "--factors"}, "factors", "link_made"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.purpose));
        const std::string before = f.log();
        const auto printed = f.installation.must_json(row.command);
        const std::string log = f.log().substr(before.size());
        CHECK(audit_events(log) == row.events);
        const auto line = audit_lines(log).back();
        CHECK(text_of(line, "purpose") == row.purpose);
        CHECK(text_of(line, "subject") == text_of(printed, "sub"));
        CHECK(text_of(line, "by") == f.stored(printed).link.made_by);
        CHECK(f.stored(printed).link.token_hash.str().starts_with(text_of(line, "link")));
        CHECK(text_of(line, "link").size() == 16);
        CHECK(text_of(line, "expires_at").ends_with("Z"));
        CHECK_FALSE(has(log, *query_parameter(text_of(printed, "link"), "t")));
    }
}
