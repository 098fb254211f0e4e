#include "login/remote_user.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "json/writer.h"

using namespace postern;

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

constexpr util::Time kNow = util::from_epoch(1'800'000'000);

login::Settings remote() {
    login::Settings login;
    login.method = login::Method::remote_user;
    return login;
}

/// The name, or "missing" or "unusable".
std::string read(const login::Settings& login, const Variables& variables) {
    const auto user = login::read_remote_user(login, variables, kNow);
    if (user) return user->username;
    CHECK_FALSE(user.error().detail.empty());
    return user.error().reason == refusal::Reason::remote_user_missing ? "(missing)" : "(unusable)";
}

TEST_CASE("read_remote_user: REMOTE_USER counts with a non-empty AUTH_TYPE only [RFC 3875 §4.1.1, §4.1.11]") {
    struct Row {
        Variables variables;
        const char* expected;
    };
    const Row rows[] = {
        {{{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "Basic"}}, "alice"},
        {{{"REMOTE_USER", "alice@REALM"}, {"AUTH_TYPE", "Negotiate"}}, "alice@REALM"},
        {{{"REMOTE_USER", "alice"}}, "(missing)"},
        {{{"REMOTE_USER", "alice"}, {"AUTH_TYPE", ""}}, "(missing)"},
        {{{"AUTH_TYPE", "Basic"}}, "(missing)"},
        {{{"REMOTE_USER", ""}, {"AUTH_TYPE", "Basic"}}, "(missing)"},
        {{{"HTTP_REMOTE_USER", "alice"}, {"AUTH_TYPE", "Basic"}}, "(missing)"},
        {{}, "(missing)"},
        {{{"REMOTE_USER", "al\nice"}, {"AUTH_TYPE", "Basic"}}, "(unusable)"},
        {{{"REMOTE_USER", "J\xf6rg"}, {"AUTH_TYPE", "Basic"}}, "(unusable)"},
        {{{"REMOTE_USER", std::string(129, 'a')}, {"AUTH_TYPE", "Basic"}}, "(unusable)"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.expected);
        CHECK(read(remote(), row.variables) == row.expected);
    }
}

TEST_CASE("read_remote_user: a variable of the operator's choice is believed alone, and nothing else then") {
    login::Settings login = remote();
    login.remote_user_variable = "UID";
    CHECK(read(login, {{"UID", "alice"}}) == "alice");
    CHECK(read(login, {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "Basic"}}) == "(missing)");
    CHECK(read(login, {{"UID", "alice"}, {"REMOTE_USER", "bob"}, {"AUTH_TYPE", "Basic"}}) == "alice");
}

TEST_CASE("read_remote_user: a certificate names a user when it was verified, and not before [CWE-295]") {
    login::Settings login = remote();
    login.remote_user_variable = "SSL_CLIENT_S_DN_CN";
    for (const char* verify : {"", "NONE", "GENEROUS", "FAILED:self-signed certificate", "success", "SUCCESS "}) {
        CAPTURE(verify);
        CHECK(read(login, {{"SSL_CLIENT_S_DN_CN", "alice"}, {"SSL_CLIENT_VERIFY", verify}}) == "(missing)");
    }
    CHECK(read(login, {{"SSL_CLIENT_S_DN_CN", "alice"}}) == "(missing)");
    CHECK(read(login, {{"SSL_CLIENT_S_DN_CN", "alice"}, {"SSL_CLIENT_VERIFY", "SUCCESS"}}) == "alice");

    // Apache's SSLUserName: the name of a certificate, and a word that does not say whether it was verified.
    for (const char* type : {"ClientCert", "CLIENT_CERT"}) {
        CHECK(read(remote(), {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", type}}) == "(missing)");
        CHECK(read(remote(), {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", type}, {"SSL_CLIENT_VERIFY", "FAILED:x"}}) ==
              "(missing)");
        CHECK(read(remote(), {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", type}, {"SSL_CLIENT_VERIFY", "SUCCESS"}}) ==
              "alice");
    }

    // A claim of it beside a name from elsewhere is no better.
    login = remote();
    login.claims_from_environment = {{"email", "SSL_CLIENT_S_DN_Email"}};
    Variables variables = {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "Basic"}, {"SSL_CLIENT_S_DN_Email", "a@b"}};
    CHECK_FALSE(login::read_remote_user(login, variables, kNow)->claims.at("email"));
    variables["SSL_CLIENT_VERIFY"] = "SUCCESS";
    CHECK(login::read_remote_user(login, variables, kNow)->claims.at("email"));
}

TEST_CASE("read_remote_user: the time of the login is epoch seconds of the past, or not known") {
    login::Settings login = remote();
    const std::pair<const char*, std::int64_t> rows[] = {
        {"1799999999", 1'799'999'999},
        {"1800000000", 1'800'000'000},
        {"1800000001", -1},
        {"", -1},
        {"0", -1},
        {"-5", -1},
        {"1799999999.5", -1},
        {" 1799999999", -1},
        {"0x10", -1},
        {"2026-01-01T00:00:00Z", -1},
        {"99999999999999999999", -1},
    };
    for (const auto& row : rows) {
        const std::string text = row.first;
        const std::int64_t expected = row.second;
        CAPTURE(text);
        const Variables variables = {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "x"}, {"T", text}};
        CHECK_FALSE(login::read_remote_user(login, variables, kNow)->auth_time);
        login::Settings told = login;
        told.auth_time_variable = "T";
        const auto time = login::read_remote_user(told, variables, kNow)->auth_time;
        CHECK((time ? util::to_epoch(*time) : -1) == expected);
    }
}

TEST_CASE("read_remote_user: the values of the variable are split and compared whole, byte by byte [GROUP-8]") {
    login::Settings login = remote();
    login.groups_from_environment = login::GroupsFromEnvironment{
        "MEMBEROF", ";", {{"cn=staff,dc=example", "staff"}, {"cn=all,dc=example", "staff"}, {"cn=it", "admins"}}};
    std::string thousands;
    for (int i = 0; i < 5000; ++i) thousands += "cn=" + std::to_string(i) + ";";
    struct Row {
        const char* when;
        std::string text;
        std::set<std::string> groups;
    };
    const Row rows[] = {
        {"none", "", {}},
        {"one", "cn=it", {"admins"}},
        {"values hold commas", "cn=staff,dc=example", {"staff"}},
        {"two", "cn=staff,dc=example;cn=it", {"admins", "staff"}},
        {"two values of one group", "cn=staff,dc=example;cn=all,dc=example", {"staff"}},
        {"separators at the ends and together", ";;cn=it;;", {"admins"}},
        {"other letters", "CN=it;cn=IT", {}},
        {"a beginning", "cn=i;cn=its;xcn=it", {}},
        {"a blank is part of a value", "cn=it ; cn=it", {}},
        {"another separator", "cn=staff,dc=example,cn=it", {}},
        {"control characters", "cn=it\n;\x01;cn=it\x7f;\t", {}},
        {"bytes that are no text", "\xff\xfe;cn=it", {"admins"}},
        {"thousands", thousands + "cn=it", {"admins"}},
        {"as long as is read", "cn=it;" + std::string(65530, 'x'), {"admins"}},
    };
    const auto read_groups = [&](const Variables& more) {
        Variables variables = {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "x"}};
        variables.insert(more.begin(), more.end());
        return *login::read_remote_user(login, variables, kNow);
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        const login::RemoteUser user = read_groups({{"MEMBEROF", row.text}});
        REQUIRE(user.groups);
        CHECK(*user.groups == row.groups);
        CHECK(user.groups_fault.empty());
    }
    CHECK(read_groups({}).groups->empty());
    const login::RemoteUser too_long = read_groups({{"MEMBEROF", "cn=it;" + std::string(65531, 'x')}});
    CHECK(too_long.groups->empty());
    CHECK(too_long.groups_fault == "longer than 65536 bytes");

    // What a certificate says counts when it was verified.
    login.groups_from_environment->variable = "SSL_CLIENT_S_DN_OU";
    CHECK(read_groups({{"SSL_CLIENT_S_DN_OU", "cn=it"}}).groups->empty());
    CHECK(read_groups({{"SSL_CLIENT_S_DN_OU", "cn=it"}, {"SSL_CLIENT_VERIFY", "SUCCESS"}}).groups->size() == 1);

    login.groups_from_environment->separator = "; ";
    login.groups_from_environment->variable = "MEMBEROF";
    CHECK(read_groups({{"MEMBEROF", "cn=it; cn=all,dc=example"}}).groups->size() == 2);
    CHECK(read_groups({{"MEMBEROF", "cn=it;"}}).groups->empty());
    oauth::Settings settings;
    settings.login = login;
    CHECK(std::ranges::count(login::remote_variables(settings), "MEMBEROF") == 1);
    CHECK_FALSE(login::read_remote_user(remote(), {{"REMOTE_USER", "a"}, {"AUTH_TYPE", "x"}}, kNow)->groups);
}

TEST_CASE("remote claims: typed, updated when they changed, gone when their variable is empty or unfit") {
    login::Settings login = remote();
    login.claims_from_environment = {{"email", "MAIL"}, {"email_verified", "OK"}, {"name", "CN"}};
    struct Row {
        const char* when;
        Variables variables;
        const char* before;
        const char* after;
        bool changed;
        std::size_t unusable;
    };
    const Row rows[] = {
        {"all new",
         {{"MAIL", "a@b"}, {"OK", "TRUE"}, {"CN", "Al"}},
         "",
         R"({"email":"a@b","email_verified":true,"name":"Al"})",
         true,
         0},
        {"the same",
         {{"MAIL", "a@b"}, {"OK", "1"}, {"CN", "Al"}},
         "a@b",
         R"({"email":"a@b","email_verified":true,"name":"Al"})",
         false,
         0},
        {"one other",
         {{"MAIL", "c@d"}, {"OK", "0"}, {"CN", "Al"}},
         "a@b",
         R"({"email":"c@d","email_verified":false,"name":"Al"})",
         true,
         0},
        {"absent and empty", {{"MAIL", ""}, {"CN", "Al"}}, "a@b", R"({"name":"Al"})", true, 0},
        {"unfit", {{"MAIL", "nobody"}, {"OK", "perhaps"}, {"CN", "A\nl"}}, "a@b", "{}", true, 3},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        model::User user;
        if (*row.before) user.claims = {{"email", "a@b"}, {"email_verified", true}, {"name", "Al"}};
        Variables variables = row.variables;
        variables.insert({{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "x"}});
        const auto read = login::read_remote_user(login, variables, kNow);
        REQUIRE(read);
        CHECK(login::update_claims(user, *read) == row.changed);
        CHECK(json::write(user.claims) == row.after);
        CHECK(read->unusable.size() == row.unusable);
    }
}

TEST_CASE("remote claims: a new address is not verified because the old one was; other claims stay") {
    login::Settings login = remote();
    login.claims_from_environment = {{"email", "MAIL"}};
    const auto with = [&](const char* mail) {
        model::User user;
        user.claims = {{"email", "a@b"}, {"email_verified", true}, {"nickname", "Al"}, {"phone_number_verified", true}};
        const auto read =
            login::read_remote_user(login, {{"REMOTE_USER", "alice"}, {"AUTH_TYPE", "x"}, {"MAIL", mail}}, kNow);
        login::update_claims(user, *read);
        return json::write(user.claims);
    };
    CHECK(with("a@b") == R"({"email":"a@b","email_verified":true,"nickname":"Al","phone_number_verified":true})");
    CHECK(with("c@d") == R"({"email":"c@d","nickname":"Al","phone_number_verified":true})");
    CHECK(with("") == R"({"nickname":"Al","phone_number_verified":true})");
}

TEST_CASE("remote_variables: none is read where users log in by password") {
    oauth::Settings settings;
    settings.login = remote();
    settings.login.claims_from_environment = {{"email", "MAIL"}};
    settings.login.auth_time_variable = "T";
    CHECK(login::remote_variables(settings) ==
          std::vector<std::string>{"REMOTE_USER", "AUTH_TYPE", "SSL_CLIENT_VERIFY", "T", "MAIL"});
    settings.login.method = login::Method::password;
    CHECK(login::remote_variables(settings).empty());
}

}  // namespace
