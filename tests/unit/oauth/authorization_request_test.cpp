// The parameters of an authorization request, a row per clause (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, RFC 7636
// §4.3).
#include "oauth/authorization_request.h"

#include <doctest/doctest.h>

#include "store/clients.h"
#include "support/rules_fixture.h"

using namespace postern;
using oauth::ErrorCode;

namespace {

const std::string kBase = "client_id=app&redirect_uri=https://app.example/cb&response_type=code";
const std::string kChallenge = "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    Fixture() { fixture.add_confidential("app", "https://app.example/cb", "s"); }

    oauth::Outcome<model::AuthorizationRequest> ask(const std::string& query) {
        const http::Params params = test::params(query);
        const auto target = oauth::verify_redirect(context, params);
        REQUIRE(target);
        return oauth::parse_authorization_request(context, *target, params);
    }
};

}  // namespace

TEST_CASE("parse_authorization_request: everything that was asked is recorded exactly [IF24, IF25, IF26, IF30, IF31]") {
    Fixture f;
    const auto asked = f.ask(kBase +
                             "&scope=email+openid+offline_access&state=a+b%26c%3Dd&nonce=n%22&prompt=login+unknown&max_"
                             "age=2147483647&audience=https://api.example&" +
                             kChallenge + "&code_challenge_method=S256&foo=bar&foo=baz");
    REQUIRE(asked);
    CHECK(asked->client_id.str() == "app");
    CHECK(asked->redirect_uri == "https://app.example/cb");
    CHECK(asked->redirect_uri_sent);
    CHECK(asked->scope.to_string() == "email openid offline_access");
    CHECK(asked->state == "a b&c=d");
    CHECK(asked->nonce == "n\"");
    CHECK(asked->prompt == std::set{model::Prompt::login});
    CHECK(asked->max_age == util::Seconds{2147483647});
    CHECK(asked->audience == "https://api.example");
    CHECK(asked->code_challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    CHECK(asked->expires_at == f.fixture.clock.now() + util::Seconds{600});
    CHECK(asked->id.size() == 43);
    CHECK(f.ask(kBase)->id != asked->id);
}

TEST_CASE("parse_authorization_request: with OpenID Connect off its scopes are unknown") {
    Fixture f;
    f.fixture.settings.oidc = false;
    for (const char* scope : {"openid", "profile", "email", "offline_access"}) {
        CAPTURE(scope);
        const auto asked = f.ask(kBase + "&scope=" + scope);
        REQUIRE_FALSE(asked);
        CHECK(asked.error().code == ErrorCode::invalid_scope);
    }
}

TEST_CASE("check_registration: what a client has lost since it asked is refused when the request comes back") {
    Fixture f;
    const auto asked = f.ask(kBase + "&scope=openid+email");
    REQUIRE(asked);
    const model::Client client = *store::find_client(f.fixture.database, model::ClientId("app"), f.fixture.clock.now());
    const auto check = [&](auto change) {
        model::Client changed = client;
        change(changed);
        const auto result = oauth::check_registration(f.fixture.settings, changed, *asked);
        return result ? std::string() : std::string(oauth::wire_name(result.error().code));
    };
    CHECK(check([](model::Client&) {}) == "");
    CHECK(check([](model::Client& c) { c.grants.clear(); }) == "unauthorized_client");
    CHECK(check([](model::Client& c) { c.scope.remove("email"); }) == "invalid_scope");
    CHECK(check([](model::Client& c) { c.pkce = model::Pkce::required; }) == "invalid_request");
    const auto with_challenge = f.ask(kBase + "&" + kChallenge + "&code_challenge_method=S256");
    REQUIRE(with_challenge);
    model::Client strict = client;
    strict.pkce = model::Pkce::required;
    strict.scope = model::Scope();
    CHECK(oauth::check_registration(f.fixture.settings, strict, *with_challenge));
}

TEST_CASE("parse_authorization_request: response_type=token is for clients of the implicit grant, while it is on") {
    const std::string request = "client_id=app&response_type=token&scope=openid+offline_access";
    Fixture f;
    const auto verdict = [&](const std::string& more) {
        const auto asked = f.ask(request + more);
        return asked ? std::string() : std::string(oauth::wire_name(asked.error().code));
    };
    CHECK(verdict("") == "unsupported_response_type");
    f.fixture.settings.response_types.push_back(model::ResponseType::token);
    CHECK(verdict("") == "unauthorized_client");
    {
        db::Transaction transaction(f.fixture.database, db::Durability::lazy);
        model::Client client = *store::find_client(f.fixture.database, model::ClientId("app"), f.fixture.clock.now());
        client.grants = {model::GrantType::implicit};
        client.pkce = model::Pkce::required;
        REQUIRE(store::update_client(transaction, client));
        transaction.commit();
    }
    CHECK(verdict("") == "");  // a challenge would have no code to protect
    CHECK(verdict("&response_mode=form_post") == "");
    CHECK(verdict("&response_mode=query") == "invalid_request");
    const auto asked = f.ask(request);
    REQUIRE(asked);
    CHECK(asked->response_type == model::ResponseType::token);
    CHECK(asked->response_mode == model::ResponseMode::fragment);
    CHECK(asked->scope.to_string() == "openid");  // OpenID Connect Core §11: ignored where no code is returned
    const auto code = f.ask("client_id=app&response_type=code");
    REQUIRE_FALSE(code);
    CHECK(code.error().code == ErrorCode::unauthorized_client);
}

TEST_CASE("check_registration: the implicit grant may be switched off or taken away while a request is under way") {
    Fixture f;
    f.fixture.settings.response_types.push_back(model::ResponseType::token);
    model::Client client = *store::find_client(f.fixture.database, model::ClientId("app"), f.fixture.clock.now());
    client.grants = {model::GrantType::implicit};
    model::AuthorizationRequest asked;
    asked.response_type = model::ResponseType::token;
    asked.response_mode = model::ResponseMode::fragment;
    const auto verdict = [&] {
        const auto ok = oauth::check_registration(f.fixture.settings, client, asked);
        return ok ? std::string() : std::string(oauth::wire_name(ok.error().code));
    };
    CHECK(verdict() == "");
    client.grants = {model::GrantType::authorization_code};
    CHECK(verdict() == "unauthorized_client");
    f.fixture.settings.response_types = {model::ResponseType::code};
    CHECK(verdict() == "unsupported_response_type");
}

TEST_CASE(
    "parse_authorization_request: the user and claims that the client asks for by name are recorded [OIDC Core §5.5]") {
    Fixture f;
    const std::string claims =
        R"(&claims={"userinfo":{"name":null,"email":null},"id_token":{"email":null,"sub":{"value":"alice"}}})";
    const auto asked = f.ask(kBase + "&scope=openid+email&login_hint=al" + claims);
    REQUIRE(asked);
    CHECK(model::to_string(asked->claims.userinfo) == "name");
    CHECK(model::to_string(asked->claims.id_token) == "email");
    CHECK(asked->hinted_subject == model::Subject("alice"));
    CHECK(asked->login_hint == "al");
    // Nothing of it without the scope openid, but for the hint that every login form can use.
    for (const char* scope : {"&scope=email", ""}) {
        const auto plain = f.ask(kBase + scope + "&login_hint=al" + claims);
        REQUIRE(plain);
        CHECK(plain->claims.empty());
        CHECK_FALSE(plain->hinted_subject.has_value());
        CHECK(plain->login_hint == "al");
    }
    const auto refused = f.ask(kBase + "&scope=openid&id_token_hint=alice");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_request);
}

TEST_CASE("parse_authorization_request: where no ID token is issued, nothing is asked for it [OIDC Core §5.5]") {
    Fixture f;
    f.fixture.settings.response_types.push_back(model::ResponseType::token);
    {
        db::Transaction transaction(f.fixture.database, db::Durability::lazy);
        model::Client client = *store::find_client(f.fixture.database, model::ClientId("app"), f.fixture.clock.now());
        client.grants = {model::GrantType::implicit};
        REQUIRE(store::update_client(transaction, client));
        transaction.commit();
    }
    const auto asked = f.ask(
        R"(client_id=app&response_type=token&scope=openid&claims={"userinfo":{"name":null},"id_token":{"email":null}})");
    REQUIRE(asked);
    CHECK(model::to_string(asked->claims.userinfo) == "name");
    CHECK(asked->claims.id_token.empty());
}

TEST_CASE("check_registration: a claim whose scope the client has lost is refused when the request comes back") {
    Fixture f;
    const auto asked = f.ask(kBase + R"(&scope=openid&claims={"id_token":{"email":null}})");
    REQUIRE(asked);
    model::Client client = *store::find_client(f.fixture.database, model::ClientId("app"), f.fixture.clock.now());
    CHECK(oauth::check_registration(f.fixture.settings, client, *asked));
    client.scope.remove("email");
    const auto lost = oauth::check_registration(f.fixture.settings, client, *asked);
    REQUIRE_FALSE(lost);
    CHECK(lost.error().code == ErrorCode::invalid_scope);
}
