// Sites at the authorization endpoint and at the token endpoint: their codes are made and spent for the gate alone.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "gate/sign_in.h"
#include "gate/site.h"
#include "gate/state.h"
#include "oauth/grant_authorization_code.h"
#include "oauth/token_response.h"
#include "store/clients.h"
#include "unit/web/page_flow.h"
#include "util/percent.h"
#include "util/text.h"
#include "web/authorization.h"

using namespace postern;

namespace {

const gate::SiteUrl kWiki{"http://127.0.0.1:8081", "/"};

struct Fixture : test::PageFlow {
    Fixture() {
        fixture.settings.paths.gate = "/gate";
        fixture.add(gate::new_site("wiki", kWiki));
    }
    model::Client site() { return *store::find_client(fixture.database, model::ClientId("wiki")); }

    /// The parameters of the request that the gate begins.
    std::map<std::string, std::string> begun() {
        oauth::Context context = fixture.context();
        const auto sign_in = gate::begin_sign_in(context, site(), kWiki, {"/a", ""}, "");
        std::map<std::string, std::string> parameters;
        const std::string query = sign_in.location.substr(sign_in.location.find('?') + 1);
        for (const std::string_view pair : util::split(query, '&')) {
            const std::size_t equals = pair.find('=');
            parameters[std::string(pair.substr(0, equals))] = *util::form_decode(pair.substr(equals + 1));
        }
        return parameters;
    }
    http::Response authorize(const std::map<std::string, std::string>& parameters) {
        return visit([](web::Interaction& interaction) { return web::start_authorization(interaction); }, parameters);
    }
};

}  // namespace

TEST_CASE("authorize: a request for a site that the gate has not begun is a page, never a code [GATE-4]") {
    Fixture f;
    f.sign_in(f.fixture.add_user("alice"), "cookie");
    const auto good = f.begun();
    struct Row {
        const char* name;
        const char* value;  ///< "": left out
    };
    const Row rows[] = {
        {"state", "af0ifjsldkj"},
        {"state", ""},
        {"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
        {"code_challenge", ""},
        {"response_mode", "fragment"},
        {"response_mode", "form_post"},
        {"response_type", "code id_token"},
        {"response_type", "token"},
        {"response_type", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CAPTURE(row.value);
        auto foreign = good;
        foreign[row.name] = row.value;
        const auto answer = f.authorize(foreign);
        CHECK(answer.status == 400);
        CHECK(answer.find("Location") == nullptr);
        CHECK(test::refusal_of(answer) == "request_malformed");
    }
}

TEST_CASE("authorize: the gate's own request asks for a login and for no consent, on loopback too [GATE-1, GATE-4]") {
    Fixture f;
    CHECK(test::place_of(f.authorize(f.begun())) == "https://op.example/login");
    f.sign_in(f.fixture.add_user("alice"), "cookie");
    const auto answered = f.authorize(f.begun());
    CHECK(test::place_of(answered) == "http://127.0.0.1:8081/.postern/callback");
    CHECK_FALSE(test::location_parameter(answered, "code").empty());
}

TEST_CASE("token: a site is refused before its code is looked at, which works on at the gate [GATE-4]") {
    Fixture f;
    f.sign_in(f.fixture.add_user("alice"), "cookie");
    const auto answered = f.authorize(f.begun());
    oauth::Context context = f.fixture.context();
    const auto state = gate::open_state(context, test::location_parameter(answered, "state"));
    REQUIRE(state);
    const oauth::AuthorizationCodeGrant grant{
        test::location_parameter(answered, "code"), kWiki.own("callback"), state->code_verifier, {}};
    const auto refused = oauth::redeem_grant(context, f.site(), grant, {});
    REQUIRE_FALSE(bool(refused));
    CHECK(oauth::wire_name(refused.error().code) == "unauthorized_client");

    const auto usable = oauth::find_usable_code(context, f.site(), grant);
    REQUIRE(usable);
    CHECK(bool(oauth::spend_code(context, usable->stored)));
    CHECK_FALSE(bool(oauth::spend_code(context, usable->stored)));
    CHECK_FALSE(bool(oauth::find_usable_code(context, f.site(), grant)));
}
