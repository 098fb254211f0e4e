// The question of a web server: what it must say, and whom it is believed.
#include "gate/question.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;
using gate::Route;
using gate::Variables;
using gate::Way;

namespace {

constexpr gate::Proxy kBelieved{true, "/auth/gate/pages"};
constexpr gate::Proxy kStranger{false, "/auth/gate/pages"};

const Variables kRequest = {
    {"POSTERN_GATE_SITE", "https://wiki.example.org"}, {"REQUEST_URI", "/a?b=c"}, {"REQUEST_METHOD", "GET"}};
const Variables kSubrequest = {{"POSTERN_GATE_SITE", "https://wiki.example.org"},
                               {"POSTERN_GATE_URI", "/a?b=c"},
                               {"POSTERN_GATE_METHOD", "POST"},
                               {"REQUEST_URI", "/auth/gate"},
                               {"REQUEST_METHOD", "GET"}};
const Variables kForwarded = {{"HTTP_X_FORWARDED_METHOD", "PUT"},
                              {"HTTP_X_FORWARDED_PROTO", "https"},
                              {"HTTP_X_FORWARDED_HOST", "wiki.example.org"},
                              {"HTTP_X_FORWARDED_URI", "/a,b?c"},
                              {"REQUEST_URI", "/auth/gate"},
                              {"REQUEST_METHOD", "GET"}};
const Variables kProxiedPage = {{"HTTP_X_FORWARDED_PROTO", "https"},
                                {"HTTP_X_FORWARDED_HOST", "wiki.example.org"},
                                {"REQUEST_URI", "/auth/gate/pages/.postern/callback?code=x"},
                                {"REQUEST_METHOD", "GET"}};

Variables with(Variables variables, const char* name, const char* value) {
    variables[name] = value;
    return variables;
}
Variables without(Variables variables, const char* name) {
    variables.erase(name);
    return variables;
}

/// "METHOD ORIGIN PATH ?QUERY", or "refused".
std::string ask(Route route, const Variables& variables, const gate::Proxy& proxy = kStranger) {
    const auto question = gate::parse_question(route, variables, proxy);
    if (!question) return "refused";
    return question->method + " " + question->origin + " " + question->path + " ?" + question->query;
}

Way way(Route route, const Variables& variables, const gate::Proxy& proxy = kStranger) {
    return gate::parse_question(route, variables, proxy)->way;
}

}  // namespace

TEST_CASE("parse_question: one question behind every way in [GATE-10]") {
    CHECK(ask(Route::authorizer, kRequest) == "GET https://wiki.example.org /a ?b=c");
    CHECK(way(Route::authorizer, kRequest) == Way::authorizer);
    CHECK(ask(Route::gate, kSubrequest) == "POST https://wiki.example.org /a ?b=c");
    CHECK(way(Route::gate, kSubrequest) == Way::subrequest);
    CHECK(way(Route::gate, with(kSubrequest, "POSTERN_GATE_PAGE", "yes")) == Way::page);
    CHECK(ask(Route::gate, kForwarded, kBelieved) == "PUT https://wiki.example.org /a,b ?c");
    CHECK(way(Route::gate, kForwarded, kBelieved) == Way::forwarded);
    CHECK(ask(Route::gate, with(kForwarded, "HTTP_X_FORWARDED_HOST", "[2001:0DB8::0:1]:443"), kBelieved) ==
          "PUT https://[2001:db8::1] /a,b ?c");
    CHECK(ask(Route::gate, with(kSubrequest, "POSTERN_GATE_SITE", "https://[2001:DB8:0::1]:8443")) ==
          "POST https://[2001:db8::1]:8443 /a ?b=c");
}

TEST_CASE("parse_question: addresses below .postern come with the web server's own request [GATE-26]") {
    CHECK(ask(Route::pages, kRequest) == "GET https://wiki.example.org /a ?b=c");
    CHECK(way(Route::pages, kRequest) == Way::own);
    CHECK(ask(Route::pages, kProxiedPage, kBelieved) == "GET https://wiki.example.org /.postern/callback ?code=x");
    CHECK(ask(Route::pages, kProxiedPage) == "refused");
    CHECK(ask(Route::pages, with(kProxiedPage, "REQUEST_URI", "/.postern/callback"), kBelieved) == "refused");
}

TEST_CASE("parse_question: a question that is incomplete or contradicts itself is refused [GATE-10]") {
    struct Row {
        const char* when;
        Route route;
        Variables variables;
        gate::Proxy proxy = kStranger;
    };
    const Row rows[] = {
        {"no site", Route::authorizer, without(kRequest, "POSTERN_GATE_SITE")},
        {"an empty site", Route::authorizer, with(kRequest, "POSTERN_GATE_SITE", "")},
        {"no address", Route::authorizer, without(kRequest, "REQUEST_URI")},
        {"no method", Route::authorizer, without(kRequest, "REQUEST_METHOD")},
        {"two addresses", Route::authorizer, with(kRequest, "POSTERN_GATE_URI", "/b")},
        {"two methods", Route::authorizer, with(kRequest, "POSTERN_GATE_METHOD", "GET")},
        {"the page of an authorizer", Route::authorizer, with(kRequest, "POSTERN_GATE_PAGE", "yes")},
        {"headers for an authorizer", Route::authorizer, kForwarded, kBelieved},
        {"no site of a sub-request", Route::gate, without(kSubrequest, "POSTERN_GATE_SITE")},
        {"no address of a sub-request", Route::gate, without(kSubrequest, "POSTERN_GATE_URI")},
        {"no method of a sub-request", Route::gate, without(kSubrequest, "POSTERN_GATE_METHOD")},
        {"a page that is not yes", Route::gate, with(kSubrequest, "POSTERN_GATE_PAGE", "no")},
        {"headers beside a site", Route::gate, with(kForwarded, "POSTERN_GATE_SITE", "https://x.example"), kBelieved},
        {"a site with a path", Route::gate, with(kSubrequest, "POSTERN_GATE_SITE", "https://wiki.example.org/a")},
        {"a host", Route::gate, with(kSubrequest, "POSTERN_GATE_SITE", "wiki.example.org")},
        {"no method at all", Route::gate, with(kSubrequest, "POSTERN_GATE_METHOD", "G T")},
        {"a stranger's headers", Route::gate, kForwarded, kStranger},
        {"no proto", Route::gate, without(kForwarded, "HTTP_X_FORWARDED_PROTO"), kBelieved},
        {"no host", Route::gate, without(kForwarded, "HTTP_X_FORWARDED_HOST"), kBelieved},
        {"no uri", Route::gate, without(kForwarded, "HTTP_X_FORWARDED_URI"), kBelieved},
        {"no forwarded method", Route::gate, without(kForwarded, "HTTP_X_FORWARDED_METHOD"), kBelieved},
        {"two hosts", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_HOST", "wiki.example.org, evil.test"), kBelieved},
        {"two hosts, no blank", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_HOST", "a.example,evil.test"),
         kBelieved},
        {"two protos", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_PROTO", "https, http"), kBelieved},
        {"another proto", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_PROTO", "wss"), kBelieved},
        {"two methods", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_METHOD", "GET, POST"), kBelieved},
        {"two uris", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_URI", "/a, /b"), kBelieved},
        {"a tab in the uri", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_URI", "/a\t/b"), kBelieved},
        {"a host with a path", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_HOST", "a.example/b"), kBelieved},
        {"a host with a user", Route::gate, with(kForwarded, "HTTP_X_FORWARDED_HOST", "a@evil.test"), kBelieved},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(ask(row.route, row.variables, row.proxy) == "refused");
    }
}

TEST_CASE("parse_question: hosts have no case and no default port, and Host is not read [GATE-10]") {
    CHECK(ask(Route::gate, with(kForwarded, "HTTP_X_FORWARDED_HOST", "WIKI.example.org:443"), kBelieved) ==
          "PUT https://wiki.example.org /a,b ?c");
    CHECK(ask(Route::gate, with(kForwarded, "HTTP_X_FORWARDED_HOST", "wiki.example.org."), kBelieved) ==
          "PUT https://wiki.example.org. /a,b ?c");
    for (const std::string& name : gate::question_variables()) {
        CHECK(name != "HTTP_HOST");
        CHECK(name != "SERVER_NAME");
        CHECK(name != "HTTP_X_ORIGINAL_URL");
    }
}
