// Where a client may be told that a session has ended.
#include "oauth/logout_uris.h"

#include <doctest/doctest.h>

#include <string>

#include "oauth/registration.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

oauth::Settings settings() {
    oauth::Settings settings = test::RulesFixture().settings;
    settings.oidc = true;
    settings.backchannel_logout = settings.frontchannel_logout = true;
    settings.outbound.enabled = true;
    settings.outbound.ports = {443, 8443};
    return settings;
}

model::Client client(const model::LogoutUris& uris) {
    model::Client client;
    client.id = model::ClientId("app");
    client.name = "app";
    client.grants = {model::GrantType::authorization_code};
    client.redirect_uris = {"https://app.example/cb", "https://app.example:8443/cb", "http://127.0.0.1/cb"};
    client.logout = uris;
    return client;
}

}  // namespace

TEST_CASE("backchannel_logout_uri_problem: https to a host of the public Internet [BCL-1, Back-Channel Logout §2.2a]") {
    struct Row {
        const char* uri;
        bool is_good;
    };
    const Row rows[] = {
        {"https://app.example/out", true},
        {"https://app.example/out?a=1", true},
        {"https://app.example:8443/out", true},
        {"https://198.51.101.7/out", true},
        {"", false},
        {"/out", false},
        {"http://app.example/out", false},
        {"https://app.example/out#x", false},
        {"https://app.example/out#", false},
        {"https://user@app.example/out", false},
        {"https://app.example:444/out", false},
        {"https://app.example/o ut", false},
        {"https://app.example/\xc3\xa9", false},
        {"https://127.0.0.1/out", false},
        {"https://10.0.0.1/out", false},
        {"https://[::1]/out", false},
        {"https://169.254.169.254/latest", false},
        {"javascript:alert(1)", false},
        {"com.example.app:/out", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        CHECK(oauth::backchannel_logout_uri_problem(row.uri, settings()).has_value() != row.is_good);
    }
    const std::string longest = "https://app.example/" + std::string(2028, 'x');
    CHECK_FALSE(oauth::backchannel_logout_uri_problem(longest, settings()));
    CHECK(oauth::backchannel_logout_uri_problem(longest + "x", settings()));
    oauth::Settings intranet = settings();
    intranet.outbound.allow = {fetch::parse_network("10.0.0.0/8").value()};
    CHECK_FALSE(oauth::backchannel_logout_uri_problem("https://10.0.0.1/out", intranet));
}

TEST_CASE("registration_problems: an address whose option is off is refused, and the key is named [BCL-1]") {
    oauth::Settings off = settings();
    off.backchannel_logout = off.frontchannel_logout = false;
    const auto problem = [](const model::LogoutUris& uris, const oauth::Settings& by) {
        std::string all;
        for (const std::string& each : oauth::registration_problems(client(uris), by)) all += each + "\n";
        return all;
    };
    const model::LogoutUris back{.backchannel = "https://app.example/out"};
    const model::LogoutUris front{.frontchannel = "https://app.example/out"};
    CHECK(problem({}, off) == "");
    CHECK(problem(back, settings()) == "");
    CHECK(problem(front, settings()) == "");
    CHECK(problem(back, off).find("\"backchannelLogout\"") != std::string::npos);
    CHECK(problem(front, off).find("\"frontchannelLogout\"") != std::string::npos);
    CHECK(problem({.backchannel_session_required = true}, settings()).find("--backchannel-logout-uri") !=
          std::string::npos);
    CHECK(problem({.backchannel = "https://app.example/out", .backchannel_session_required = true}, settings()) == "");
    CHECK(problem({.frontchannel = "https://else.example/out"}, settings()).find("no redirect URI") !=
          std::string::npos);
}

TEST_CASE("is_told_of_logouts: by a way that is on and an address for it [BCL-1, BCL-2]") {
    struct Row {
        bool back_on, front_on;
        const char* back;
        const char* front;
        bool told;
    };
    const Row rows[] = {
        {true, true, "", "", false},
        {true, true, "https://a/", "", true},
        {true, true, "", "https://a/", true},
        {false, true, "https://a/", "", false},
        {true, false, "", "https://a/", false},
        {true, false, "https://a/", "", true},
        {false, true, "", "https://a/", true},
        {false, false, "https://a/", "https://a/", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.back);
        CAPTURE(row.front);
        oauth::Settings by = settings();
        by.backchannel_logout = row.back_on;
        by.frontchannel_logout = row.front_on;
        CHECK(oauth::is_told_of_logouts(by, {.backchannel = row.back, .frontchannel = row.front}) == row.told);
    }
}
