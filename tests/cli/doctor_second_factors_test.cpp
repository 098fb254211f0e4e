// `postern doctor`: second factors that are not asked for, or asked for and not to be had, are findings with a fix.
#include <doctest/doctest.h>

#include <functional>

#include "json/reader.h"
#include "preconditions.h"
#include "second_factors.h"
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

void set_login(const Installation& installation, json::Object login) {
    installation.reconfigure("login", std::move(login));
}

void add_client(const Installation& installation, const std::string& id, const char* acr) {
    installation.must({"client", "add", id, "--redirect-uri", "https://" + id + ".example/cb", "--acr", acr});
}

void put_dead_code(const Installation& installation, const std::string& name) {
    const model::Subject subject(put_user(installation, name));
    auto database = installation.open();
    db::Transaction transaction(database, db::Durability::lazy);
    store::replace_recovery_codes(transaction, subject, {"one"}, given_at());
    transaction.commit();
}

void mark_user(const Installation& installation, const std::string& name) {
    put_user(installation, name);
    installation.must({"user", "set", name, "--second-factor", "required"});
}

void mark_group(const Installation& installation, const std::string& name, const Words& members) {
    installation.must({"group", "add", name});
    installation.must({"group", "set", name, "--second-factor", "required"});
    for (const std::string& member : members) installation.must({"group", "member", "add", name, member});
}

const json::Object kOff{{"secondFactor", "off"}};
const json::Object kRemote{{"method", "remote_user"}};
const json::Object kByLink{{"enrolment", "link"}};
const json::Object kAllByLink{{"secondFactor", "required"}, {"enrolment", "link"}};

struct Row {
    const char* when;
    std::function<void(const Installation&)> prepare;
    std::vector<const char*> said;  ///< in this order; none: nothing is found
};

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Installation installation;
        row.prepare(installation);
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
        {"off, and no factor", [](const Installation& i) { set_login(i, kOff); }, {}},
        {"offered, and an app", [](const Installation& i) { put_app(i, "ada"); }, {}},
        {"off, and an app",
         [](const Installation& i) {
             put_app(i, "ada");
             set_login(i, kOff);
         },
         {"warning second factors: 1 user with a second factor, and login.secondFactor is \"off\"",
          "they sign in without it", "\"secondFactor\": \"offered\""}},
        {"off, and recovery codes alone",
         [](const Installation& i) {
             put_dead_code(i, "ada");
             put_dead_code(i, "bob");
             set_login(i, kOff);
         },
         {"2 users with a second factor"}},
        {"off, and the user is disabled",
         [](const Installation& i) {
             put_app(i, "ada");
             i.must({"user", "disable", "ada"});
             set_login(i, kOff);
         },
         {}},
        {"remote_user, and an app",
         [](const Installation& i) {
             put_app(i, "ada");
             set_login(i, kRemote);
         },
         {"1 user with a second factor, and login.method is \"remote_user\"", "\"method\": \"password\""}},
        {"off, and required of a user and two groups",
         [](const Installation& i) {
             mark_user(i, "ada");
             mark_group(i, "staff", {});
             mark_group(i, "root", {"ada"});
             set_login(i, kOff);
         },
         {"1 user and 2 groups of which a second factor is required", "none of them is asked for it",
          "--second-factor default"}},
    });
}

TEST_CASE("doctor: a level that no login here can have is a warning [LEVEL-8, POLICY-6]") {
    check({
        {"a client, and a factor can be had", [](const Installation& i) { add_client(i, "wiki", "mfa"); }, {}},
        {"a client that demands nothing",
         [](const Installation& i) {
             add_client(i, "wiki", "any");
             set_login(i, kOff);
         },
         {}},
        {"clients, and off",
         [](const Installation& i) {
             for (const char* id : {"wiki", "mail", "shop"}) add_client(i, id, "mfa");
             i.must({"client", "disable", "mail"});
             set_login(i, kOff);
         },
         {"warning clients: 2 clients with --acr mfa or phr, and login.secondFactor is \"off\"",
          "no user can sign in to them", "\"shop\"", "postern client set --acr any shop"}},
        {"a client, and remote_user",
         [](const Installation& i) {
             add_client(i, "wiki", "mfa");
             set_login(i, kRemote);
         },
         {"1 client with --acr mfa or phr, and login.method is \"remote_user\"", "no user can sign in to it"}},
        {"a client that wants a passkey, and passkeys are off",
         [](const Installation& i) {
             add_client(i, "wiki", "mfa");
             add_client(i, "shop", "phr");
             set_login(i, {{"passkeys", "off"}});
         },
         {"1 client with --acr phr, and login.passkeys is \"off\"", "no user can sign in to it", "\"shop\"",
          "\"passkeys\": \"login\""}},
        {"names of levels that can be had",
         [](const Installation& i) {
             set_login(i, {{"acrNames", json::Object{{"gold", 2}, {"tin", 1}}}});
         },
         {}},
        {"a name of passkeys",
         [](const Installation& i) {
             set_login(i, {{"passkeys", "off"}, {"acrNames", json::Object{{"gold", 2}, {"platinum", 3}}}});
         },
         {"warning second factors: login.acrNames has 1 name of a level", "\"platinum\"", "acr_values_supported"}},
        {"a name of a second factor, and off",
         [](const Installation& i) {
             set_login(i, {{"secondFactor", "off"}, {"acrNames", json::Object{{"gold", 2}, {"tin", 1}}}});
         },
         {"login.acrNames has 1 name of a level", "\"gold\""}},
    });
}

TEST_CASE("doctor: users who must have a second factor and cannot set one up are a warning [POLICY-4]") {
    check({
        {"required of all, and set up after the password",
         [](const Installation& i) {
             put_user(i, "ada");
             set_login(i, {{"secondFactor", "required"}});
         },
         {}},
        {"required of all, by link",
         [](const Installation& i) {
             put_app(i, "ada");
             put_dead_code(i, "bob");
             put_user(i, "carol");
             put_user(i, "dan");
             i.must({"user", "disable", "dan"});
             set_login(i, kAllByLink);
         },
         {"warning second factors: 1 user who must have a second factor and has none, and login.enrolment is \"link\"",
          "cannot sign in without a link", "`postern user reset-link NAME`", "`user invite NAME`"}},
        {"required of no user, by link",
         [](const Installation& i) {
             put_user(i, "ada");
             set_login(i, kByLink);
         },
         {}},
        {"required of a user and of the members of a group, by link",
         [](const Installation& i) {
             mark_user(i, "ada");
             put_user(i, "bob");
             put_user(i, "carol");
             mark_group(i, "staff", {"ada", "bob"});
             set_login(i, kByLink);
         },
         {"2 users who must have a second factor and have none"}},
        {"required of a user, and there is no account",
         [](const Installation& i) {
             mark_user(i, "ada");
             i.reconfigure("paths", json::Object{{"account", nullptr}});
         },
         {"1 user who must have a second factor and has none, and paths.account is null", "route paths.account"}},
        {"required of a user, by link, and there is no page of links",
         [](const Installation& i) {
             mark_user(i, "ada");
             set_login(i, kByLink);
             i.reconfigure("paths", json::Object{{"recover", nullptr}});
         },
         {"login.enrolment is \"link\", and paths.recover is null", "they cannot sign in", "route paths.recover"}},
    });
}
