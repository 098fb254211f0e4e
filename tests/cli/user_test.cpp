// `postern user`: who can log in, with which claims, and what ends when that changes.
#include <doctest/doctest.h>

#include <regex>

#include "json/writer.h"
#include "preconditions.h"

using namespace postern;
using namespace postern::test;

namespace {

std::string add(const Installation& installation, const std::string& name) {
    return add_user(installation, name).str();
}

}  // namespace

TEST_CASE("user add: prints sub and username; the password is kept as a yescrypt hash") {
    const Installation installation;
    const std::string password = "correct horse battery \xc3\xa9";
    const auto added = installation.must_json({"user", "add", "ada", "--password-stdin"}, password + "\nignored\n");
    CHECK(text_of(added, "username") == "ada");
    CHECK(text_of(added, "sub").size() == 22);
    const auto user = stored_user(installation, "ada");
    CHECK(user.subject.str() == text_of(added, "sub"));
    CHECK(user.enabled);
    CHECK(hash_of(installation, "ada").starts_with("$y$"));
    CHECK(opens_with(installation, "ada", password));
    CHECK_FALSE(opens_with(installation, "ada", password + "\n"));
    CHECK_FALSE(has(installation.must({"user", "show", "ada", "--json"}), "$y$"));
    CHECK_FALSE(has(installation.must({"user", "show", "ada"}), "$y$"));
}

TEST_CASE("user add: a CR LF line end belongs to the line, not to the password; the last line needs no end") {
    const Installation installation;
    installation.must({"user", "add", "a", "--password-stdin"}, "quiet boats remember\r\n");
    installation.must({"user", "add", "b", "--password-stdin"}, "quiet boats remember");
    CHECK(opens_with(installation, "a", "quiet boats remember"));
    CHECK(opens_with(installation, "b", "quiet boats remember"));
}

TEST_CASE("user add: passwords that cannot be typed into the form are refused") {
    const Installation installation;
    for (const std::string& password :
         {std::string(), std::string(512, 'a'), std::string("a\tb"), std::string("a\xff"), std::string("a\0b", 3),
          std::string("quiet boats remember\r\r"), std::string("quiet boats remember\t"),
          std::string("\ufeffquiet boats remember"), std::string("quiet boats remember\u200b")}) {
        installation.refused({"user", "add", "ada", "--password-stdin"}, password + "\n");
    }
    installation.must({"user", "add", "ada", "--password-stdin", "--weak"}, std::string(511, 'a') + "\n");
}

TEST_CASE("user add: user names are 1 to 128 bytes of clean UTF-8, and unique") {
    const Installation installation;
    for (const std::string& name : {std::string(), std::string(129, 'a'), std::string("a\nb")}) {
        CAPTURE(name);
        installation.refused({"user", "add", name, "--password-stdin"}, "quiet boats remember\n");
    }
    for (const std::string& name : {std::string(128, 'a'), std::string("Ada Lovelace"), std::string("ada@example.org")})
        add(installation, name);
    installation.refused({"user", "add", "ada@example.org", "--password-stdin"}, "other boats remember\n");
    CHECK(opens_with(installation, "ada@example.org", "quiet boats remember"));
}

TEST_CASE("user: a name is found and made without what cannot be seen around it, and so are claims") {
    const Installation installation;
    for (const std::string around : {" ", "\t", "\r\n", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\u200e"}) {
        CAPTURE(around);
        installation.must({"user", "add", "ada" + around, "--password-stdin", "--claim",
                           "email=" + around + "ada@example.org" + around},
                          "quiet boats remember\n");
        const auto shown = installation.must_json({"user", "show", around + "ada"});
        CHECK(text_of(shown, "username") == "ada");
        CHECK(text_of(member_of(shown, "claims"), "email") == "ada@example.org");
        installation.must({"user", "remove", around + "ada" + around});
    }
    installation.must({"user", "add", "ada", "--claims-stdin", "--password-stdin"},
                      "quiet boats remember\r\n{\"name\": \"Ada\"}\r\n");
    installation.must({"user", "set", "ada", "--claims-stdin"}, "\ufeff{\"name\": \"Ada L\"}\r\n");
    CHECK(text_of(member_of(installation.must_json({"user", "show", "ada"}), "claims"), "name") == "Ada L");
}

TEST_CASE("user add: claims come as one JSON object after the password line, and single ones win") {
    const Installation installation;
    installation.must(
        {"user", "add", "ada", "--password-stdin", "--claims-stdin", "--claim", "email=ada@example.org", "--claim",
         "email_verified=true", "--claim", "updated_at=1700000000"},
        "quiet boats remember\n{\"name\":\"Ada\",\n \"email\":\"old@example.org\", \"address\":{\"formatted\":\"1 "
        "Road\\nTown\",\"country\":\"UK\"}}\n");
    const json::Object claims = stored_user(installation, "ada").claims;
    CHECK(*claims.find("name")->if_string() == "Ada");
    CHECK(*claims.find("email")->if_string() == "ada@example.org");
    CHECK(*claims.find("email_verified")->if_bool());
    CHECK(*claims.find("updated_at")->if_integer() == 1700000000);
    CHECK(*claims.find("address")->if_object()->find("country")->if_string() == "UK");
    CHECK(opens_with(installation, "ada", "quiet boats remember"));
}

TEST_CASE("user add: claims have the types of OpenID Connect Core 5.1 [OIDC Core §5.1, §5.1.1]") {
    const Installation installation;
    const Words refused = {
        R"({"email_verified":"true"})",
        R"({"address":{"planet":"Earth"}})",
        R"({"roles":[1]})",
        R"({"custom":null})",
        R"({"":"x"})",
        R"({"a b":"x"})",
        R"({"iss":"x"})",
        R"(["name"])",
        R"("name")",
        R"({"name":"Ada"} x)",
        R"({"name":"Ada","name":"Eve"})",
        "",
    };
    for (const std::string& claims : refused) {
        CAPTURE(claims);
        installation.refused({"user", "add", "ada", "--password-stdin", "--claims-stdin"},
                             "quiet boats remember\n" + claims);
    }
    installation.must(
        {"user", "add", "ada", "--password-stdin", "--claims-stdin"},
        "quiet boats remember\n"
        R"({"name":"Ada","email_verified":false,"updated_at":0,"birthdate":"0000-12-10","picture":"https://example.org/ada.png",)"
        R"("roles":["a","b"],"level":3,"ratio":0.5,"staff":true,"x":"y"})");
    CHECK(stored_user(installation, "ada").claims.size() == 10);
}

TEST_CASE("user add: --email-verified speaks where there is an email and nothing is said about it [OIDC Core §5.1]") {
    const Installation installation;
    struct Row {
        const char* name;
        Words claims;
        const char* stored;
    };
    const Row rows[] = {
        {"ada", {"email=ada@example.org"}, R"({"email":"ada@example.org","email_verified":true})"},
        {"bob",
         {"email_verified=false", "email=bob@example.org"},
         R"({"email_verified":false,"email":"bob@example.org"})"},
        {"eve", {"name=Eve"}, R"({"name":"Eve"})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        Words arguments = {"user", "add", row.name, "--password-stdin", "--email-verified"};
        for (const std::string& claim : row.claims) arguments.insert(arguments.end(), {"--claim", claim});
        installation.must(arguments, "quiet boats remember\n");
        CHECK(json::write(stored_user(installation, row.name).claims) == row.stored);
    }
}

TEST_CASE("user add: --claim without a name or with a value that the claim cannot have is refused") {
    const Installation installation;
    struct Row {
        const char* claim;
        int exit_code;
    };
    const Row rows[] = {{"name", 2},           {"=x", 2},
                        {"name=", 1},          {"email_verified=yes", 1},
                        {"updated_at=now", 1}, {"updated_at=-1", 1},
                        {"address=1 Road", 1}, {"sub=x", 1},
                        {"cid=x", 1},          {"scope=x", 1},
                        {"client_id=x", 1}};
    for (const Row& row : rows) {
        CAPTURE(row.claim);
        const auto result = installation.postern({"user", "add", "ada", "--password-stdin", "--claim", row.claim},
                                                 "quiet boats remember\n");
        CHECK(result.exit_code == row.exit_code);
        CHECK(is_one_plain_line(result.err));
    }
    installation.must({"user", "add", "ada", "--password-stdin", "--claim", "name=a=b", "--claim", "nickname=true"},
                      "quiet boats remember\n");
    CHECK(*stored_user(installation, "ada").claims.find("name")->if_string() == "a=b");
    CHECK(*stored_user(installation, "ada").claims.find("nickname")->if_string() == "true");
}

TEST_CASE("user set: another address is not verified because the former one was, and the command says so") {
    const Installation installation;
    installation.must(
        {"user", "add", "ada", "--password-stdin", "--claims-stdin"},
        "quiet boats remember\n"
        R"({"email":"ada@example.org","email_verified":true,"phone_number":"+1","phone_number_verified":true,)"
        R"("updated_at":7})");
    struct Row {
        Words options;
        const char* after;
        const char* note;
    };
    const Row rows[] = {
        {{"--claim", "email=ada@example.org"},
         R"({"email":"ada@example.org","email_verified":true,"phone_number":"+1","phone_number_verified":true,"updated_at":7})",
         ""},
        {{"--claim", "email=ada@example.com"},
         R"({"email":"ada@example.com","phone_number":"+1","phone_number_verified":true})",
         "email_verified was about the former value"},
        {{"--claim", "email=ada@example.net", "--claim", "email_verified=true"},
         R"({"email":"ada@example.net","phone_number":"+1","phone_number_verified":true,"email_verified":true})",
         ""},
        {{"--unset-claim", "phone_number"},
         R"({"email":"ada@example.net","email_verified":true})",
         "phone_number_verified was about the former value"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.after);
        const std::string result = installation.noted(joined({"user", "set", "ada"}, row.options));
        CHECK(json::write(stored_user(installation, "ada").claims) == row.after);
        CHECK(has(result, " was about ") == (*row.note != 0));
        CHECK(has(result, row.note));
    }
}

TEST_CASE("user list and show: by name or by sub, as JSON and as text") {
    const Installation installation;
    CHECK(installation.must_json({"user", "list"}).if_array()->empty());
    add(installation, "eve");
    const std::string sub =
        text_of(installation.must_json({"user", "add", "ada", "--password-stdin", "--claim", "email=ada@example.org"},
                                       "quiet boats remember\n"),
                "sub");
    const auto users = installation.must_json({"user", "list"});
    REQUIRE(users.if_array()->size() == 2);
    CHECK(text_of(users.if_array()->at(0), "username") == "ada");
    CHECK(text_of(users.if_array()->at(1), "username") == "eve");
    for (const std::string& name : {std::string("ada"), sub}) {
        const auto user = installation.must_json({"user", "show", name});
        CHECK(text_of(user, "sub") == sub);
        CHECK(flag_of(user, "enabled"));
        CHECK(text_of(member_of(user, "claims"), "email") == "ada@example.org");
        CHECK(member_of(user, "created_at").if_integer());
        CHECK(member_of(user, "updated_at").if_integer());
    }
    CHECK(has(installation.must({"user", "list"}), "ada       yes      " + sub));
    CHECK(has(installation.must({"user", "show", "ada"}), "claim email    ada@example.org"));
}

TEST_CASE("user set: changes single claims and the name, keeps sub, password and session") {
    const Installation installation;
    const std::string sub = add(installation, "ada");
    log_in(installation, model::Subject(sub));
    installation.must({"user", "set", "ada", "--claim", "name=Ada", "--claim", "nickname=A"});
    installation.must({"user", "set", "ada", "--unset-claim", "nickname", "--claims-stdin"},
                      R"({"email":"ada@example.org"})");
    installation.must({"user", "set", "ada", "--username", "lovelace"});
    const auto user = stored_user(installation, "lovelace");
    CHECK(user.subject.str() == sub);
    CHECK(user.claims.size() == 2);
    CHECK(*user.claims.find("name")->if_string() == "Ada");
    CHECK(*user.claims.find("email")->if_string() == "ada@example.org");
    CHECK(opens_with(installation, "lovelace", "quiet boats remember"));
    CHECK(is_logged_in(installation));
    CHECK(installation.postern({"user", "show", "ada"}).exit_code == 1);
}

TEST_CASE("user set: --second-factor is shown, and is not taken by another change [POLICY-1]") {
    const Installation installation;
    const std::string sub = add(installation, "ada");
    add(installation, "eve");
    log_in(installation, model::Subject(sub));
    const auto flag = [&](const char* name) {
        return text_of(installation.must_json({"user", "show", name}), "second_factor");
    };
    CHECK(flag("ada") == "default");
    const auto set = installation.must_json({"user", "set", "ada", "--second-factor", "required"});
    CHECK(text_of(set, "second_factor") == "required");
    CHECK(text_of(set, "username") == "ada");
    installation.must({"user", "set", "ada", "--claim", "name=Ada"});
    CHECK(flag("ada") == "required");
    CHECK(flag("eve") == "default");
    CHECK(std::regex_search(installation.must({"user", "show", "ada"}), std::regex("\nsecond factor +required\n")));
    CHECK(is_logged_in(installation));  // the next request counts
    for (const char* value : {"", "off", "Required"})
        CHECK(installation.postern({"user", "set", "ada", "--second-factor", value}).exit_code == 2);
    CHECK(installation.postern({"user", "set", "nobody", "--second-factor", "required"}).exit_code == 1);
    CHECK(flag("ada") == "required");
    installation.must({"user", "set", "ada", "--second-factor", "default"});
    CHECK(flag("ada") == "default");
}

TEST_CASE("user set: a change that is refused changes nothing") {
    const Installation installation;
    add(installation, "eve");
    add(installation, "ada");
    const auto before = installation.must({"user", "show", "ada", "--json"});
    const std::vector<Words> rows = {
        {"--claim", "name=Ada", "--username", "eve"},
        {"--username",
         "a\xe2\x80\x8b"
         "da"},
        {"--claim", "name=Ada", "--unset-claim", "nickname"},
        {"--claim", "name=Ada", "--claim", "sub=x"},
    };
    for (const auto& options : rows) {
        installation.refused(joined({"user", "set", "ada"}, options));
    }
    CHECK(installation.must({"user", "show", "ada", "--json"}) == before);
}

TEST_CASE("user passwd: the new password works, the old one and the sessions do not") {
    const Installation installation;
    log_in(installation, model::Subject(add(installation, "ada")));
    REQUIRE(is_logged_in(installation));
    installation.must({"user", "passwd", "ada", "--password-stdin"}, "other boats remember\n");
    CHECK(opens_with(installation, "ada", "other boats remember"));
    CHECK_FALSE(opens_with(installation, "ada", "quiet boats remember"));
    CHECK_FALSE(is_logged_in(installation));
}

TEST_CASE("user passwd: without a password nothing changes") {
    const Installation installation;
    log_in(installation, model::Subject(add(installation, "ada")));
    CHECK(installation.postern({"user", "passwd", "ada"}).exit_code == 2);
    CHECK(installation.postern({"user", "passwd", "ada", "--password-stdin"}).exit_code == 2);
    CHECK(installation.postern({"user", "passwd", "ada", "--password-stdin"}, "\n").exit_code == 1);
    CHECK(opens_with(installation, "ada", "quiet boats remember"));
    CHECK(is_logged_in(installation));
}

TEST_CASE("user disable: ends the sessions, and enabling does not bring them back") {
    const Installation installation;
    log_in(installation, model::Subject(add(installation, "ada")));
    installation.must({"user", "disable", "ada"});
    CHECK_FALSE(stored_user(installation, "ada").enabled);
    CHECK_FALSE(is_logged_in(installation));
    installation.must({"user", "enable", "ada"});
    CHECK(stored_user(installation, "ada").enabled);
    CHECK_FALSE(is_logged_in(installation));
}

TEST_CASE(
    "user remove: the user and the sessions are gone, others stay, and the name is free with a new sub [OIDC Core §2c, "
    "§5.7]") {
    const Installation installation;
    add(installation, "eve");
    const std::string sub = add(installation, "ada");
    log_in(installation, model::Subject(sub));
    CHECK(text_of(installation.must_json({"user", "remove", "ada"}), "sub") == sub);
    CHECK_FALSE(is_logged_in(installation));
    CHECK(stored_user(installation, "eve").enabled);
    CHECK(add(installation, "ada") != sub);
    CHECK_FALSE(is_logged_in(installation));
}

TEST_CASE("user: an unknown user is refused by every sub-command with one line") {
    const Installation installation;
    for (const char* command : {"show", "passwd", "disable", "enable", "remove"}) {
        Words arguments = {"user", command, "nobody"};
        if (std::string_view(command) == "passwd") arguments.emplace_back("--password-stdin");
        CAPTURE(command);
        installation.refused(arguments, "quiet boats remember\n");
    }
    CHECK(installation.postern({"user", "set", "nobody", "--claim", "name=x"}).exit_code == 1);
}
