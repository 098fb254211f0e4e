// The state of a sign-in: who may have begun it, and where it leads.
#include "gate/state.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/digest.h"
#include "gate/cookies.h"
#include "gate/sign_in.h"
#include "http/url.h"
#include "support/rules_fixture.h"
#include "util/base64.h"

using namespace postern;

namespace {

const gate::SiteUrl kSite{"https://wiki.example", "/"};
const std::string kVerifier(43, 'v');

model::Client wiki() {
    model::Client client;
    client.id = model::ClientId("wiki");
    client.type = model::ClientType::public_;
    client.grants = {model::GrantType::authorization_code};
    client.scope = *model::Scope::parse("openid profile email groups");
    client.redirect_uris = {kSite.own("callback")};
    client.site = model::Site{.url = kSite.str(), .max_age = {}, .session_ttl = {}};
    return client;
}

gate::State begun(util::Time expires_at) {
    return {model::ClientId("wiki"), "/a?b=c", kVerifier, "n", gate::browser_mark("browser"), expires_at};
}

/// The query of a request for the site; `more` behind it.
std::string query_with(const std::string& state, const std::string& more = {},
                       const std::string& verifier = kVerifier) {
    return "response_type=code&state=" + state + "&code_challenge=" + util::base64url_encode(crypto::sha256(verifier)) +
           more;
}

/// The parameter of the Location of a sign-in.
std::string parameter(const gate::SignIn& begun, const std::string& name) {
    http::Response response;
    response.set("Location", begun.location);
    return test::location_parameter(response, name);
}

}  // namespace

TEST_CASE("seal_state, open_state: every member survives, and nothing else opens [GATE-15]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto state = begun(fixture.clock.now());
    const std::string sealed = gate::seal_state(context, state);
    CHECK(gate::open_state(context, sealed) == state);
    CHECK(sealed.find("/a") == std::string::npos);
    CHECK_FALSE(gate::open_state(context, ""));
    CHECK_FALSE(gate::open_state(context, sealed.substr(1)));
    CHECK_FALSE(gate::open_state(context, sealed + "A"));
    CHECK_FALSE(gate::open_state(context, gate::seal_signed_in(context, {state.client, model::Sid("s"),
                                                                         model::Subject("u"), state.expires_at})));
}

TEST_CASE("foreign_request_problem: no foreign request ever makes a code for a site [GATE-4]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const model::Client site = wiki();
    const auto later = fixture.clock.now() + util::Seconds{60};
    const std::string good = gate::seal_state(context, begun(later));
    auto of_other = begun(later);
    of_other.client = model::ClientId("wiki2");
    const auto passes = [&](const std::string& query) {
        return !gate::foreign_request_problem(context, site, test::params(query));
    };
    CHECK(passes(query_with(good)));
    CHECK(passes(query_with(good, "&response_mode=query")));

    struct Row {
        const char* when;
        std::string query;
    };
    const Row rows[] = {
        {"nothing", ""},
        {"no state", query_with("")},
        {"another client's state", query_with("af0ifjsldkj")},
        {"an expired state", query_with(gate::seal_state(context, begun(fixture.clock.now())))},
        {"the state of another site", query_with(gate::seal_state(context, of_other))},
        {"two states", query_with(good, "&state=" + good)},
        {"another challenge", query_with(good, "", std::string(43, 'w'))},
        {"two challenges", query_with(good, "&code_challenge=x")},
        {"no challenge", "response_type=code&state=" + good},
        {"no response_type", query_with(good).substr(std::string("response_type=code&").size())},
        {"two response_types", query_with(good, "&response_type=code")},
        {"a hybrid response_type", "response_type=code%20id_token" + query_with(good).substr(18)},
        {"the fragment", query_with(good, "&response_mode=fragment")},
        {"a form", query_with(good, "&response_mode=form_post")},
        {"an unknown mode", query_with(good, "&response_mode=web_message")},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK_FALSE(passes(row.query));
    }

    model::Client application = site;
    application.site.reset();
    CHECK_FALSE(gate::foreign_request_problem(context, application, test::params("")));
}

TEST_CASE("begin_sign_in: the request is one that authorize accepts of the site [GATE-4, GATE-15]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    model::Client site = wiki();
    site.site->max_age = util::Seconds{900};
    const auto sign_in = gate::begin_sign_in(context, site, kSite, {"/a b", "c=d#e"}, "");
    CHECK(sign_in.location.starts_with(fixture.settings.url(fixture.settings.paths.authorize) + "?"));
    CHECK(parameter(sign_in, "response_type") == "code");
    CHECK(parameter(sign_in, "client_id") == "wiki");
    CHECK(parameter(sign_in, "redirect_uri") == "https://wiki.example/.postern/callback");
    CHECK(parameter(sign_in, "scope") == "openid profile email groups");
    CHECK(parameter(sign_in, "code_challenge_method") == "S256");
    CHECK(parameter(sign_in, "max_age") == "900");
    CHECK(parameter(sign_in, "prompt") == "");
    CHECK(parameter(sign_in, "nonce") != "");

    const std::string sealed = parameter(sign_in, "state");
    const auto state = gate::open_state(context, sealed);
    REQUIRE(state);
    CHECK(state->target == "/a%20b?c=d%23e");
    CHECK(state->nonce == parameter(sign_in, "nonce"));
    const std::string query = sign_in.location.substr(sign_in.location.find('?') + 1);
    CHECK_FALSE(gate::foreign_request_problem(context, site, test::params(query)));

    const auto other = gate::begin_sign_in(context, site, kSite, {"/", ""}, "", {.account = gate::Account::other});
    CHECK(parameter(other, "prompt") == "select_account");
    CHECK(parameter(other, "state") != sealed);
}

TEST_CASE("begin_sign_in: the browser cookie is set once, and the state is bound to it [GATE-15, GATE-23]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto names = gate::cookie_names(fixture.settings, kSite);
    const auto first = gate::begin_sign_in(context, wiki(), kSite, {"/", ""}, "other=1");
    REQUIRE(first.set_cookie);
    CHECK(first.set_cookie->starts_with(names.browser + "="));
    const std::string value = first.set_cookie->substr(names.browser.size() + 1, 43);
    CHECK(gate::open_state(context, parameter(first, "state"))->browser == gate::browser_mark(value));

    const auto second = gate::begin_sign_in(context, wiki(), kSite, {"/b", ""}, names.browser + "=" + value);
    CHECK_FALSE(second.set_cookie);
    CHECK(gate::open_state(context, parameter(second, "state"))->browser == gate::browser_mark(value));
}

TEST_CASE("begin_sign_in: a target that is too long is cut to its path, then to the site [GATE-15]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const gate::SiteUrl inner{"https://wiki.example", "/a/"};
    const std::string path = "/a/" + std::string(1000, 'p');
    struct Row {
        std::string path;
        std::string query;
        std::string target;
    };
    const Row rows[] = {
        {path, std::string(1000, 'q'), path + "?" + std::string(1000, 'q')},
        {path, std::string(4000, 'q'), path},
        {"/a/" + std::string(4000, 'p'), "q", "/a/"},
        {"/a/" + std::string(15000, 'p'), std::string(15000, 'q'), "/a/"},
        {"/a/" + std::string(2000, '\xff'), "", "/a/"},  // three times as long when it is encoded
    };
    for (const Row& row : rows) {
        CAPTURE(row.path.size());
        const auto sign_in = gate::begin_sign_in(context, wiki(), inner, {row.path, row.query}, "");
        const std::string sealed = parameter(sign_in, "state");
        CHECK(sealed.size() <= oauth::kMaxStateBytes);
        CHECK(sign_in.location.size() <= oauth::kMaxAnswerBytes);
        CHECK(gate::open_state(context, sealed)->target == row.target);
    }
}

TEST_CASE("begin_sign_in: a target never names another host [GATE-11, GATE-15]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    for (const char* path : {"//evil.test/", "/\\evil.test", "///evil.test", "/\t/evil.test", "/\r\nLocation: x"}) {
        CAPTURE(path);
        const auto sign_in = gate::begin_sign_in(context, wiki(), kSite, {path, ""}, "");
        const std::string target = gate::open_state(context, parameter(sign_in, "state"))->target;
        CHECK(target.starts_with("/"));
        CHECK_FALSE(target.starts_with("//"));
        CHECK(target.find_first_of("\\\r\n\t") == std::string::npos);
        CHECK(http::parse_url(kSite.origin + target)->host == "wiki.example");
    }
}
