// `postern group`, and the options of clients and users about groups.
#include <doctest/doctest.h>

#include <string>

#include "installation.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr const char* kUri = "https://app.example.org/callback";

struct Fixture : Installation {
    Fixture() {
        for (const char* name : {"ada", "grace"})
            must({"user", "add", name, "--password-stdin"}, "a long enough password\n");
        must({"client", "add", "wiki", "--redirect-uri", kUri});
    }
};

}  // namespace

TEST_CASE("group: made, listed, shown, described and removed [GROUP-1, GROUP-2]") {
    const Fixture f;
    f.must({"group", "add", "staff", "--description", "All employees"});
    f.must({"group", "add", "admins"});
    CHECK(has(f.refused({"group", "add", "staff"}), "exists"));
    f.must({"group", "member", "add", "staff", "ada", "grace"});
    f.must({"group", "member", "add", "staff", "ada"});  // is one already
    const auto shown = f.must_json({"group", "show", "staff"});
    CHECK(text_of(shown, "description") == "All employees");
    CHECK(words_of(shown, "members") == "ada grace");
    CHECK(words_of(shown, "clients").empty());
    CHECK(member_of(shown, "created_at").if_integer());

    const auto listed = f.must_json({"group", "list"});
    REQUIRE(listed.if_array()->size() == 2);
    CHECK(text_of((*listed.if_array())[0], "name") == "admins");
    CHECK(integer_of((*listed.if_array())[1], "members") == 2);
    CHECK(has(f.must({"group", "list"}), "All employees"));

    f.must({"group", "set", "staff", "--description", "Everybody"});
    CHECK(text_of(f.must_json({"group", "show", "staff"}), "description") == "Everybody");
    CHECK(words_of(f.must_json({"user", "show", "ada"}), "groups") == "staff");
    CHECK(has(f.must({"user", "show", "ada"}), "staff"));
    f.must({"group", "member", "remove", "staff", "grace"});
    CHECK(words_of(f.must_json({"group", "show", "staff"}), "members") == "ada");
    f.must({"group", "remove", "staff"});
    CHECK(words_of(f.must_json({"user", "show", "ada"}), "groups").empty());
}

TEST_CASE("group: --second-factor is shown, and is not taken by another change [POLICY-1]") {
    const Fixture f;
    for (const char* name : {"staff", "admins"}) f.must({"group", "add", name});
    const auto flag = [&](const char* name) { return text_of(f.must_json({"group", "show", name}), "second_factor"); };
    CHECK(flag("staff") == "default");
    const auto set = f.must_json({"group", "set", "staff", "--second-factor", "required"});
    CHECK(text_of(set, "second_factor") == "required");
    CHECK(text_of(f.must_json({"group", "set", "staff", "--description", "All"}), "second_factor") == "required");
    CHECK(flag("staff") == "required");
    CHECK(flag("admins") == "default");
    CHECK(has(f.must({"group", "show", "staff"}), "second factor  required"));
    CHECK(has(f.must({"group", "set", "admins", "--second-factor", "required"}),
              "members of \"admins\" must log in with a second factor"));
    CHECK(text_of(f.must_json({"user", "show", "ada"}), "second_factor") == "default");  // of the user alone
    for (const char* value : {"", "mfa"})
        CHECK(f.postern({"group", "set", "staff", "--second-factor", value}).exit_code == 2);
    CHECK(f.postern({"group", "set", "nogroup", "--second-factor", "required"}).exit_code == 1);
    CHECK(f.postern({"group", "set", "staff"}).exit_code == 2);
    f.must({"group", "set", "staff", "--second-factor", "default"});
    CHECK(flag("staff") == "default");
    CHECK(flag("admins") == "required");
}

TEST_CASE("group: what cannot be one, and who cannot be in it, is refused and nothing is changed [GROUP-1, GROUP-2]") {
    const Fixture f;
    for (const std::string name : {"", "two words", "a,b", "a/b", "gr\xc3\xbcppe", "a\nb",
                                   "a\xe2\x80\xae"
                                   "b",
                                   "-", "-staff", "--staff"}) {
        CAPTURE(name);
        CHECK(has(f.refused({"group", "add", "--", name}), "1 to 64 of the characters"));
    }
    CHECK(has(f.refused({"group", "add", std::string(65, 'x')}), "1 to 64"));
    CHECK(has(f.refused({"group", "add", "staff", "--description", "a\nb"}), "description"));
    CHECK(has(f.refused({"group", "add", "staff", "--description", std::string(257, 'x')}), "256"));
    CHECK(has(f.refused({"group", "show", "staff"}), "there is no group"));
    CHECK(has(f.refused({"group", "remove", "staff"}), "there is no group"));
    CHECK(has(f.refused({"group", "set", "staff", "--description", "x"}), "there is no group"));
    f.must({"group", "add", "staff"});
    CHECK(has(f.refused({"group", "member", "add", "staff", "ada", "nobody"}), "there is no user"));
    CHECK(words_of(f.must_json({"group", "show", "staff"}), "members").empty());
    CHECK(has(f.refused({"group", "member", "add", "nobody", "ada"}), "there is no group"));
    CHECK(f.postern({"group", "member", "add", "staff"}).exit_code == 2);
}

TEST_CASE("user: memberships at add and at import; a claim groups is refused [GROUP-2, CLAIM-1]") {
    const Fixture f;
    f.must({"group", "add", "staff"});
    f.must({"group", "add", "admins"});
    f.must({"user", "add", "linus", "--password-stdin", "--group", "staff", "--group", "admins"},
           "a long enough password\n");
    const auto groups = [&](const char* name) { return words_of(f.must_json({"user", "show", name}), "groups"); };
    CHECK(groups("linus") == "admins staff");
    CHECK(has(f.refused({"user", "add", "ken", "--password-stdin", "--group", "nobody"}, "a long enough password\n"),
              "there is no group"));
    CHECK(has(f.refused({"user", "show", "ken"}), "there is no user"));
    CHECK(has(f.refused({"user", "set", "ada", "--claim", "groups=staff"}), "memberships"));

    f.must({"user", "import", "-"}, "{\"username\": \"ken\", \"groups\": [\"staff\", \"staff\"]}\n");
    CHECK(groups("ken") == "staff");
    f.must({"user", "import", "-", "--update"},
           "{\"username\": \"ken\", \"groups\": [\"admins\"]}\n{\"username\": \"linus\"}\n");
    CHECK(groups("ken") == "admins");
    CHECK(groups("linus") == "admins staff");  // the line did not say
    const auto unchanged =
        f.must_json({"user", "import", "-", "--update"}, "{\"username\": \"ken\", \"groups\": [\"admins\"]}\n");
    CHECK(integer_of(unchanged, "unchanged") == 1);
    for (const char* line :
         {R"({"username": "dennis", "groups": ["nobody"]})", R"({"username": "dennis", "groups": "staff"})",
          R"({"username": "dennis", "groups": [1]})", R"({"username": "dennis", "claims": {"groups": ["staff"]}})"}) {
        CAPTURE(line);
        CHECK(f.postern({"user", "import", "-"}, line).exit_code == 1);
    }
    CHECK(has(f.refused({"user", "show", "dennis"}), "there is no user"));
}

TEST_CASE("client: allowed groups and users are added one by one, and shown; everyone forgets them [GROUP-3]") {
    const Fixture f;
    f.must({"group", "add", "staff"});
    f.must({"group", "add", "admins"});
    CHECK(has(f.must({"client", "show", "wiki"}), "all users"));
    f.must({"client", "set", "wiki", "--allow-group", "staff", "--allow-user", "ada"});
    f.must({"client", "set", "wiki", "--allow-group", "admins", "--allow-group", "staff"});
    const auto shown = f.must_json({"client", "show", "wiki"});
    CHECK(flag_of(shown, "restricted"));
    CHECK(words_of(shown, "allowed_groups") == "admins staff");
    CHECK(words_of(shown, "allowed_users") == "ada");
    CHECK(text_of(shown, "groups") == "all");
    CHECK(has(f.must({"client", "show", "wiki"}), "group admins, group staff, user ada"));
    CHECK(words_of(f.must_json({"group", "show", "staff"}), "clients") == "wiki");
    const auto listed = f.must_json({"client", "list"});
    CHECK(words_of((*listed.if_array())[0], "allowed_users") == "ada");

    CHECK(has(f.refused({"client", "set", "wiki", "--disallow-user", "grace"}), "does not name the user"));
    CHECK(has(f.refused({"client", "set", "wiki", "--disallow-group", "nobody"}), "does not name the group"));
    CHECK(has(f.refused({"client", "set", "wiki", "--allow-group", "nobody"}), "there is no group"));
    CHECK(has(f.refused({"client", "set", "wiki", "--allow-user", "nobody"}), "there is no user"));
    CHECK(f.postern({"client", "set", "wiki", "--allow-everyone", "--allow-group", "staff"}).exit_code == 2);
    CHECK(words_of(f.must_json({"client", "show", "wiki"}), "allowed_groups") == "admins staff");

    f.must({"client", "set", "wiki", "--groups", "own", "--name", "Wiki"});  // nothing else changes
    CHECK(words_of(f.must_json({"client", "show", "wiki"}), "allowed_groups") == "admins staff");
    f.must({"client", "set", "wiki", "--allow-everyone"});
    const auto everyone = f.must_json({"client", "show", "wiki"});
    CHECK_FALSE(flag_of(everyone, "restricted"));
    CHECK(words_of(everyone, "allowed_groups").empty());
    CHECK(text_of(everyone, "groups") == "own");

    f.must({"client", "add", "intranet", "--redirect-uri", kUri, "--allow-group", "staff"});
    CHECK(words_of(f.must_json({"client", "show", "intranet"}), "allowed_groups") == "staff");
    CHECK(has(f.refused({"client", "add", "third", "--redirect-uri", kUri, "--allow-group", "nobody"}), "no group"));
    CHECK(has(f.refused({"client", "show", "third"}), "there is no client"));
}

TEST_CASE("client: removing the last group or user says whom it leaves so [GROUP-3]") {
    const Fixture f;
    f.must({"group", "add", "staff"});
    f.must({"client", "set", "wiki", "--allow-group", "staff"});
    CHECK(has(f.noted({"group", "remove", "staff"}), "client \"wiki\" names no group and no user"));
    CHECK(has(f.must({"client", "show", "wiki"}), "no user"));
    const auto doctor = f.postern({"doctor"});
    CHECK(has(doctor.out, "client \"wiki\" is for no group and no user"));
    f.must({"client", "set", "wiki", "--allow-user", "ada"});
    CHECK_FALSE(has(f.postern({"doctor"}).out, "no group and no user"));
    const auto user = f.postern({"user", "remove", "ada"});
    CHECK(user.exit_code == 0);
    CHECK(has(user.err, "client \"wiki\" names no group and no user"));
}
