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

model::AuthorizationRequest request_with(std::string state) {
    model::AuthorizationRequest request;
    request.client_id = model::ClientId("wiki");
    request.state = std::move(state);
    request.code_challenge = util::base64url_encode(crypto::sha256(kVerifier));
    return request;
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

TEST_CASE("check_begun_by_gate: no foreign request ever makes a code for a site [GATE-4]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const model::Client site = wiki();
    const std::string good = gate::seal_state(context, begun(fixture.clock.now() + util::Seconds{60}));
    const auto passes = [&](const model::AuthorizationRequest& request) {
        return bool(gate::check_begun_by_gate(context, site, request));
    };
    CHECK(passes(request_with(good)));

    CHECK_FALSE(passes(request_with("")));
    CHECK_FALSE(passes(request_with("af0ifjsldkj")));
    CHECK_FALSE(passes(request_with(gate::seal_state(context, begun(fixture.clock.now())))));
    auto of_other = begun(fixture.clock.now() + util::Seconds{60});
    of_other.client = model::ClientId("wiki2");
    CHECK_FALSE(passes(request_with(gate::seal_state(context, of_other))));
    auto without_state = request_with(good);
    without_state.state.reset();
    CHECK_FALSE(passes(without_state));
    auto without_challenge = request_with(good);
    without_challenge.code_challenge.reset();
    CHECK_FALSE(passes(without_challenge));
    auto other_challenge = request_with(good);
    other_challenge.code_challenge = util::base64url_encode(crypto::sha256(std::string(43, 'w')));
    CHECK_FALSE(passes(other_challenge));
    auto of_token = request_with(good);
    of_token.response_type = model::ResponseType::code_id_token;
    CHECK_FALSE(passes(of_token));
    for (const auto mode : {model::ResponseMode::fragment, model::ResponseMode::form_post}) {
        auto other_mode = request_with(good);
        other_mode.response_mode = mode;
        CHECK_FALSE(passes(other_mode));
    }

    model::Client application = site;
    application.site.reset();
    CHECK(bool(gate::check_begun_by_gate(context, application, request_with(""))));
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
    auto request = request_with(sealed);
    request.code_challenge = parameter(sign_in, "code_challenge");
    CHECK(bool(gate::check_begun_by_gate(context, site, request)));

    const auto other = gate::begin_sign_in(context, site, kSite, {"/", ""}, "", gate::Account::other);
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
