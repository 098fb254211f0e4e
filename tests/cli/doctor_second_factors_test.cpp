// `postern doctor`: second factors that are not asked for, or asked for and not to be had, are findings with a fix.
#include <doctest/doctest.h>

#include <map>

#include "json/reader.h"
#include "preconditions.h"
#include "store/factors.h"

using namespace postern;
using namespace postern::test;

namespace {

/// "state check: detail | fix" of the warnings and errors about second factors and clients, a line each.
std::string found(const Installation& installation) {
    const auto result = installation.postern({"doctor", "--json"});
    CAPTURE(result.err);
    const auto findings = json::parse(result.out);
    REQUIRE(findings);
    std::string lines;
    for (const json::Value& finding : *findings->if_array()) {
        const std::string check = text_of(finding, "check");
        if (text_of(finding, "state") == "ok" || (check != "second factors" && check != "clients")) continue;
        lines += text_of(finding, "state") + " " + check + ": " + text_of(finding, "detail") + " | " +
                 text_of(finding, "fix") + "\n";
    }
    return lines;
}

const json::Object kOff{{"secondFactor", "off"}};
const json::Object kRemote{{"method", "remote_user"}};
const json::Object kByLink{{"enrolment", "link"}};
const json::Object kAllByLink{{"secondFactor", "required"}, {"enrolment", "link"}};

/// An installation, and the parts of its findings in their order; none: nothing is found.
struct Row {
    const char* when;
    std::vector<const char*> said;
    json::Object login = {};
    const char* no_path = nullptr;  ///< set to null below `paths`
    Words apps = {};                ///< users with an app
    Words codes = {};               ///< users with a recovery code alone
    Words marked = {};              ///< users of whom a second factor is required
    Words others = {};
    std::map<std::string, Words> groups = {};         ///< groups of which it is required, with their members
    std::map<std::string, std::string> clients = {};  ///< with their --acr
    std::vector<Words> then = {};                     ///< commands
};

void prepare(const Installation& i, const Row& row) {
    for (const std::string& name : row.apps) put_app(i, name);
    for (const std::string& name : row.codes) {
        const model::Subject subject(put_user(i, name));
        write(i, [&](db::Transaction& transaction) {
            store::replace_recovery_codes(transaction, subject, {"one"}, given_at());
        });
    }
    for (const std::string& name : joined(row.marked, row.others)) put_user(i, name);
    for (const std::string& name : row.marked) i.must({"user", "set", name, "--second-factor", "required"});
    for (const auto& [name, members] : row.groups) {
        i.must({"group", "add", name});
        i.must({"group", "set", name, "--second-factor", "required"});
        for (const std::string& member : members) i.must({"group", "member", "add", name, member});
    }
    for (const auto& [id, acr] : row.clients)
        i.must({"client", "add", id, "--redirect-uri", "https://" + id + ".example/cb", "--acr", acr});
    for (const Words& command : row.then) i.must(command);
    i.reconfigure("login", row.login);
    if (row.no_path != nullptr) i.reconfigure("paths", json::Object{{row.no_path, nullptr}});
}

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Installation installation;
        prepare(installation, row);
        const std::string text = found(installation);
        CAPTURE(text);
        CHECK(text.empty() == row.said.empty());
        std::size_t at = 0;
        for (const char* part : row.said) {
            CAPTURE(part);
            at = text.find(part, at);
            REQUIRE(at != std::string::npos);
        }
        CHECK_FALSE(has(text, "error "));  // the rest of an installation has its own tests
    }
}

}  // namespace

TEST_CASE("doctor: second factors that nothing asks for are a warning [POLICY-10]") {
    check({
        {"off, and no factor", {}, kOff},
        {.when = "offered, and an app", .said = {}, .apps = {"ada"}},
        {.when = "off, and an app",
         .said = {"warning second factors: 1 user with a second factor, and login.secondFactor is \"off\"",
                  "they sign in without it", "\"secondFactor\": \"offered\""},
         .login = kOff,
         .apps = {"ada"}},
        {.when = "off, and recovery codes alone",
         .said = {"2 users with a second factor"},
         .login = kOff,
         .codes = {"ada", "bob"}},
        {.when = "off, and the user is disabled",
         .said = {},
         .login = kOff,
         .apps = {"ada"},
         .then = {{"user", "disable", "ada"}}},
        {.when = "remote_user, and an app",
         .said = {"1 user with a second factor, and login.method is \"remote_user\"", "\"method\": \"password\""},
         .login = kRemote,
         .apps = {"ada"}},
        {.when = "off, and required of a user and two groups",
         .said = {"1 user and 2 groups of which a second factor is required", "none of them is asked for it",
                  "--second-factor default"},
         .login = kOff,
         .marked = {"ada"},
         .groups = {{"staff", {}}, {"root", {"ada"}}}},
    });
}

TEST_CASE("doctor: a level that no login here can have is a warning [LEVEL-8, POLICY-6]") {
    check({
        {.when = "a client, and a factor can be had", .said = {}, .clients = {{"wiki", "mfa"}}},
        {.when = "a client that demands nothing", .said = {}, .login = kOff, .clients = {{"wiki", "any"}}},
        {.when = "clients, and off",
         .said = {"warning clients: 2 clients with --acr mfa or phr, and login.secondFactor is \"off\"",
                  "no user can sign in to them", "\"shop\"", "postern client set --acr any shop"},
         .login = kOff,
         .clients = {{"wiki", "mfa"}, {"mail", "mfa"}, {"shop", "mfa"}},
         .then = {{"client", "disable", "mail"}}},
        {.when = "a client, and remote_user",
         .said = {"1 client with --acr mfa or phr, and login.method is \"remote_user\"", "no user can sign in to it"},
         .login = kRemote,
         .clients = {{"wiki", "mfa"}}},
        {.when = "a client that wants a passkey, and passkeys are off",
         .said = {"1 client with --acr phr, and login.passkeys is \"off\"", "no user can sign in to it", "\"shop\"",
                  "\"passkeys\": \"login\""},
         .login = {{"passkeys", "off"}},
         .clients = {{"wiki", "mfa"}, {"shop", "phr"}}},
        {"names of levels that can be had", {}, {{"acrNames", json::Object{{"gold", 2}, {"tin", 1}}}}},
        {"a name of passkeys",
         {"warning second factors: login.acrNames has 1 name of a level", "\"platinum\"", "acr_values_supported"},
         {{"passkeys", "off"}, {"acrNames", json::Object{{"gold", 2}, {"platinum", 3}}}}},
        {"a name of a second factor, and off",
         {"login.acrNames has 1 name of a level", "\"gold\""},
         {{"secondFactor", "off"}, {"acrNames", json::Object{{"gold", 2}, {"tin", 1}}}}},
    });
}

TEST_CASE("doctor: users who must have a second factor and cannot set one up are a warning [POLICY-4]") {
    check({
        {.when = "required of all, and set up after the password",
         .said = {},
         .login = {{"secondFactor", "required"}},
         .others = {"ada"}},
        {.when = "required of all, by link",
         .said = {"warning second factors: 1 user who must have a second factor and has none, and login.enrolment is "
                  "\"link\"",
                  "cannot sign in without a link", "`postern user reset-link NAME`", "`user invite NAME`"},
         .login = kAllByLink,
         .apps = {"ada"},
         .codes = {"bob"},
         .others = {"carol", "dan"},
         .then = {{"user", "disable", "dan"}}},
        {.when = "required of no user, by link", .said = {}, .login = kByLink, .others = {"ada"}},
        {.when = "required of a user and of the members of a group, by link",
         .said = {"2 users who must have a second factor and have none"},
         .login = kByLink,
         .marked = {"ada"},
         .others = {"bob", "carol"},
         .groups = {{"staff", {"ada", "bob"}}}},
        {.when = "required of a user, and there is no account",
         .said = {"1 user who must have a second factor and has none, and paths.account is null",
                  "route paths.account"},
         .no_path = "account",
         .marked = {"ada"}},
        {.when = "required of a user, by link, and there is no page of links",
         .said = {"login.enrolment is \"link\", and paths.recover is null", "they cannot sign in",
                  "route paths.recover"},
         .login = kByLink,
         .no_path = "recover",
         .marked = {"ada"}},
    });
}
