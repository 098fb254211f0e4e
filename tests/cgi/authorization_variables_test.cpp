// The Authorization header is found in the CGI variables that are configured and in no other, at every endpoint that
// takes credentials in it.
#include <doctest/doctest.h>

#include "support/flow.h"

namespace {

using namespace postern::test;
namespace json = postern::json;

const std::string kStandard = "HTTP_AUTHORIZATION";
const std::string kOnce = "REDIRECT_HTTP_AUTHORIZATION";
const std::string kTwice = "REDIRECT_REDIRECT_HTTP_AUTHORIZATION";
const std::string kOwn = "MY_AUTHORIZATION";

using Variables = std::map<std::string, std::optional<std::string>>;

Deployment::Options reading(const std::vector<std::string>& names) {
    Deployment::Options options;
    options.config.set("authorizationVariables", json::strings(names));
    return options;
}

std::string secret_bearer(const Deployment& op) {
    const Query request = {
        {"grant_type", "client_credentials"}, {"client_id", kMachine}, {"client_secret", secret_of(kMachine)}};
    const Answer answer = op.cgi("token", post_form(request.text()));
    return "Bearer " + answer.member("access_token");
}

/// What each endpoint says to a request with those variables: whether the credentials were found.
struct Endpoint {
    std::string name;
    CgiRequest request;
    std::string credential;
    std::string found;    ///< the verdict with the credential
    std::string missing;  ///< and without
};

std::vector<Endpoint> endpoints(const Deployment& op) {
    const std::string client = basic(kMachine, secret_of(kMachine));
    return {
        {"token", post_form("grant_type=client_credentials"), client, "200", "401 invalid_client"},
        {"introspect", post_form("token=x"), client, "200", "401 invalid_client"},
        {"revoke", post_form("token=x"), client, "200", "401 invalid_client"},
        // A token without openid: that it was read is what counts here.
        {"userinfo", get_request(), secret_bearer(op), "403 insufficient_scope", "401 invalid_token"},
    };
}

Answer ask(const Deployment& op, const Endpoint& endpoint, const Variables& variables) {
    CgiRequest request = endpoint.request;
    request.variables = variables;
    return op.cgi(endpoint.name, request);
}

TEST_CASE("Authorization header: arrives in each configured spelling, and in none that is not configured [X20]") {
    const std::vector<std::string> every = {kStandard, kOnce, kTwice, kOwn};
    const Deployment strict;
    const Deployment lenient(reading(every));
    for (const std::string& name : every) {
        CAPTURE(name);
        for (const Endpoint& endpoint : endpoints(strict)) {
            CAPTURE(endpoint.name);
            const Answer answer = ask(strict, endpoint, {{name, endpoint.credential}});
            CHECK(answer.verdict() == (name == kStandard ? endpoint.found : endpoint.missing));
            // RFC 6749 §5.2: the challenge of a refusal tells that the header was there.
            if (endpoint.name != "userinfo") CHECK_FALSE(answer.has("WWW-Authenticate"));
        }
        for (const Endpoint& endpoint : endpoints(lenient)) {
            CAPTURE(endpoint.name);
            CHECK(ask(lenient, endpoint, {{name, endpoint.credential}}).verdict() == endpoint.found);
        }
    }
}

TEST_CASE("Authorization header: a variable that is not listed is not looked at, the standard one included [X20]") {
    const Deployment op(reading({kOnce}));
    for (const Endpoint& endpoint : endpoints(op)) {
        CAPTURE(endpoint.name);
        CHECK(ask(op, endpoint, {{kStandard, endpoint.credential}}).verdict() == endpoint.missing);
        CHECK(ask(op, endpoint, {{kStandard, "Basic a, Bearer b"}, {kOnce, endpoint.credential}}).verdict() ==
              endpoint.found);
    }
}

TEST_CASE("Authorization header: configured variables that contradict each other are refused, equal ones are one") {
    const Deployment op(reading({kStandard, kOnce}));
    for (const Endpoint& endpoint : endpoints(op)) {
        CAPTURE(endpoint.name);
        const std::string& good = endpoint.credential;
        CHECK(ask(op, endpoint, {{kStandard, good}, {kOnce, good}}).verdict() == endpoint.found);
        CHECK(ask(op, endpoint, {{kStandard, ""}, {kOnce, good}}).verdict() == endpoint.found);
        for (const Variables& bad :
             {Variables{{kStandard, good}, {kOnce, "Basic eDp5"}}, Variables{{kStandard, "Basic eDp5"}, {kOnce, good}},
              Variables{{kStandard, good}, {kOnce, good + ", Basic eDp5"}}, Variables{{kOnce, good + "," + good}}}) {
            const Answer refused = ask(op, endpoint, bad);
            CHECK(refused.verdict() == "400 invalid_request");
            const std::string told = op.must({"why", refused.header("X-Request-Id")}) + refused.raw + refused.log;
            for (const std::string& secret : {good, std::string("eDp5")}) CHECK(told.find(secret) == told.npos);
        }
    }
}

TEST_CASE("Authorization header: endpoints without credentials do not look at it, however broken it is") {
    const Deployment op(reading({kStandard, kOnce}));
    const Variables broken = {{kStandard, "Digest a=\"b\", c=\"d\""}, {kOnce, "Basic \x01"}};
    for (const std::string name : {"jwks", "discovery"}) {
        CAPTURE(name);
        CHECK(ask(op, {name, get_request(), "", "", ""}, broken).status == 200);
    }
    CHECK(ask(op, {"authorize", get_request(authorization_request().text()), "", "", ""}, broken).status == 303);
    for (const std::string name : {"login", "scopes"}) {
        CAPTURE(name);
        const Answer page = ask(op, {name, get_request(), "", "", ""}, broken);
        CHECK(page.status == 400);
        CHECK(page.body.find("There is nothing to sign in to yet") != std::string::npos);
    }
}

TEST_CASE("Authorization header: when the web server keeps it, log and `postern why` name the directive [X20]") {
    const Deployment op;
    struct Row {
        std::string when;
        Variables variables;
        std::string told;
    };
    const std::string credential = basic(kWeb, secret_of(kWeb));
    const Row rows[] = {
        {"Apache", {{"SERVER_SOFTWARE", "Apache/2.4.71 (Debian)"}}, "`CGIPassAuth On`"},
        {"nginx", {{"SERVER_SOFTWARE", "nginx/1.22.1"}}, "`fastcgi_param HTTP_AUTHORIZATION $http_authorization;`"},
        {"lighttpd", {{"SERVER_SOFTWARE", "lighttpd/1.4.69"}}, "a proxy in front"},
        {"nobody says", {{"SERVER_SOFTWARE", std::nullopt}}, "`CGIPassAuth On`"},
        {"read by the web server itself", {{"REMOTE_USER", kWeb}, {"AUTH_TYPE", "Basic"}}, "own authentication"},
        {"redirected", {{kOnce, credential}}, R"("authorizationVariables": ["HTTP_AUTHORIZATION", ")" + kOnce + "\"]"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        for (const Endpoint& endpoint : endpoints(op)) {
            CAPTURE(endpoint.name);
            const Answer answer = ask(op, endpoint, row.variables);
            CHECK(answer.verdict() == endpoint.missing);
            CHECK(answer.member("error_description").find("CGIPassAuth On") != std::string::npos);
            const std::string why = op.must({"why", answer.header("X-Request-Id")});
            CHECK(why.find(row.told) != std::string::npos);
            CHECK(answer.log.find(row.told.substr(1, 12)) != std::string::npos);
            CHECK((answer.log + why).find(credential) == std::string::npos);
        }
    }
    CgiRequest id_alone = post_form(token_request("x").with("client_id", kWeb).text());
    id_alone.variables = {{"SERVER_SOFTWARE", "nginx/1.22.1"}};
    const Answer answer = op.cgi("token", id_alone);
    CHECK(answer.member("error_description") == "client authentication failed");
    CHECK(op.must({"why", answer.header("X-Request-Id")}).find("$http_authorization") != std::string::npos);
}

}  // namespace
