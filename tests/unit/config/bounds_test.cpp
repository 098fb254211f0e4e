// What this server puts out, it takes back: each limit on input against the largest output that comes there.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "config/config.h"
#include "http/headers.h"
#include "http/url.h"
#include "jose/jws.h"
#include "json/writer.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/audience.h"
#include "oauth/authorization_request.h"
#include "oauth/client_id_url.h"
#include "oauth/expected_subject.h"
#include "oauth/pushed_request.h"
#include "oauth/redirect_rules.h"
#include "oauth/refresh_token.h"
#include "oauth/registration.h"
#include "oauth/sealed_request.h"
#include "oidc/id_token.h"
#include "oidc/logout_request.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

/// Of a line "Location: ..." that a program may write under Apache.
constexpr std::size_t kApacheLine = 8190;

std::string words(std::size_t bytes) {
    std::string text;
    for (int i = 0; text.size() < bytes; ++i) text += (i ? " w" : "w") + std::to_string(i) + std::string(48, 'x');
    return text.substr(0, bytes);
}

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Grant grant;

    Fixture() {
        fixture.settings.issuer = "https://" + std::string(180, 'o') + ".example";
        grant.id = oauth::make_grant_id(fixture.random, fixture.clock.now());
        grant.created_at = fixture.clock.now();
        grant.client_id = model::ClientId("https://" + std::string(oauth::kMaxClientIdUrlBytes - 8, 'c'));
        grant.subject = model::Subject(crypto::random_id(fixture.random));
        grant.scope = *model::Scope::parse("openid " + words(oauth::kMaxScopeBytes - 7));
        grant.auth_time = fixture.clock.now();
        grant.sid = model::Sid(crypto::random_id(fixture.random));
        grant.acr = std::string(100, 'a');
        grant.amr = "pwd otp hwk user mfa";
    }

    std::string id_token(const std::string& nonce, json::Object claims) {
        return oidc::make_id_token(context, crypto::Algorithm::RS256,
                                   {grant, nonce, std::string(43, 'h'), std::move(claims)});
    }
    /// As text of the longest claim that a user can have, and more groups than a user has.
    static json::Object longest_claims() {
        json::Object claims{{"name", std::string(4096, 'n')}};
        std::vector<std::string> groups;
        for (int i = 0; i < 250; ++i) groups.push_back(std::to_string(i) + std::string(60, 'g'));
        claims.set("groups", json::strings(groups));
        return claims;
    }
    std::string access_token() {
        const oauth::Target target{.audience = std::string(oauth::kMaxAudienceBytes, 'a')};
        return oauth::make_access_token(
                   context, {grant, grant.scope, target, std::string(128, 'u'), model::TokenProfile::rfc9068, false})
            .value;
    }

    /// Everything that travels, at its longest.
    model::AuthorizationRequest request() {
        model::AuthorizationRequest asked;
        asked.id = crypto::random_token(fixture.random);
        asked.client_id = model::ClientId(std::string(64, 'c'));
        asked.redirect_uri = "https://app.example/" + std::string(180, 'r');
        asked.redirect_uri_sent = false;
        asked.scope = *model::Scope::parse("openid email");
        asked.state = std::string(oauth::kMaxStateBytes, 's');
        asked.nonce = std::string(
            oauth::kMaxRequestBytes - oauth::kMaxStateBytes - 64 - 200 - 12 - 43 - oauth::kMaxClientNameBytes, 'n');
        asked.code_challenge = std::string(43, 'c');
        asked.prompt = {model::Prompt::login, model::Prompt::consent, model::Prompt::select_account};
        asked.max_age = util::Seconds{2147483647};
        asked.ui_locales = words(5 * 36);
        asked.hinted_subject = grant.subject;
        asked.expires_at = fixture.clock.now() + util::Seconds{600};
        asked.session_sent = true;
        asked.document = model::SeenDocument{std::string(43, 'd'), std::string(oauth::kMaxClientNameBytes, 'n')};
        asked.login_hint = std::string(oauth::kMaxLoginHintBytes, 'l');  // typed on the page of before
        asked.pushed = model::Pushed{std::string(43, 'p'), asked.expires_at};
        asked.request_object = std::string(16, '0');
        asked.half_login =
            model::HalfLogin{grant.subject, 2147483647, asked.expires_at,   {model::Level::password, "pwd user", false},
                             grant.sid,     true,       fixture.clock.now()};
        return asked;
    }

    /// The same as it is pushed, before any page.
    model::AuthorizationRequest pushed() {
        model::AuthorizationRequest asked = request();
        asked.session_sent = false;
        asked.half_login.reset();
        return asked;
    }

    /// The request line of the browser that opens it.
    std::string opening(const std::string& address) const {
        const std::string id = "https://" + std::string(oauth::kMaxClientIdUrlBytes - 8, 'c');
        return "GET " + http::with_query("/authorize", {{"client_id", id}, {"request_uri", address}}) + " HTTP/1.1";
    }
};

}  // namespace

TEST_CASE(
    "bounds: each output fits into the limit of where it comes back [OIDC Core §3.1.2.1, RP-Initiated Logout §2b]") {
    Fixture f;
    const config::Limits limits;
    const std::string quotes(oauth::kMaxRequestBytes, '"');
    const std::string browser = crypto::random_token(f.fixture.random);
    const auto url_of = [&](const std::string& sealed) {
        return "Location: " + http::with_query(f.fixture.settings.issuer + "/second-step", {{"resume", sealed}});
    };
    oidc::LogoutRequest logout;
    logout.id = crypto::random_id(f.fixture.random);
    logout.hinted_subject = f.grant.subject;
    logout.client_id = model::ClientId(std::string(64, 'c'));
    logout.state = std::string(oauth::kMaxStateBytes, 's');
    logout.redirect_uri = "https://" + std::string(oauth::kMaxRequestBytes - oauth::kMaxStateBytes - 64 - 8, 'r');

    struct Row {
        const char* what;
        std::size_t output;
        std::size_t input;
    };
    const Row rows[] = {
        {"the longest ID token, as a hint", f.id_token(quotes, Fixture::longest_claims()).size(), jose::kMaxTokenBytes},
        {"an ID token with a usual nonce and every claim that fits, in a request line of a shared host",
         f.id_token(std::string(128, 'n'), Fixture::longest_claims()).size(), 8190 - 1024},
        {"an access token, at UserInfo, introspection and revocation", f.access_token().size(), limits.token},
        {"a refresh token, likewise", oauth::make_refresh_token(f.context, f.grant, std::nullopt).value.size(),
         limits.token},
        {"a sealed request, in a header line of Apache",
         url_of(oauth::seal_request(f.context, f.request(), browser)).size(), kApacheLine},
        {"the address of a pushed request, in a request line [PAR-20]",
         f.opening(std::string(oauth::kRequestUriPrefix) + oauth::seal_pushed(f.context, f.pushed())).size(),
         kApacheLine},
        {"a sealed logout, likewise", url_of(oidc::seal_logout(f.context, {logout, browser})).size(), kApacheLine},
        {"a sealed request, in a query", oauth::seal_request(f.context, f.request(), browser).size(), limits.body},
        {"a user name, as login_hint", 128, oauth::kMaxLoginHintBytes},
        {"a registered redirect_uri with the longest state, in an answer's line", oauth::kMaxAnswerBytes + 10,
         kApacheLine},
        {"a registered redirect_uri, in a request", oauth::kMaxRedirectUriBytes, oauth::kMaxRequestBytes},
        {"an audience, in a request", oauth::kMaxAudienceBytes, oauth::kMaxRequestBytes},
        {"a client's scope, in a request", oauth::kMaxScopeBytes, oauth::kMaxRequestBytes},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(row.output <= row.input);
    }
}

TEST_CASE("bounds: what is at its longest is also accepted") {
    Fixture f;
    const std::string quotes(oauth::kMaxRequestBytes, '"');
    const auto hint = oauth::verify_id_token_hint(f.context, f.id_token(quotes, Fixture::longest_claims()));
    REQUIRE(hint);
    CHECK(hint->subject == f.grant.subject);
    CHECK(oauth::verify_access_token(f.context, f.access_token(), jose::Expiry::enforced));
    const auto sent = f.request();
    const auto opened = oauth::open_request(f.context, oauth::seal_request(f.context, sent, "browser"));
    REQUIRE(opened);
    CHECK(opened->request.state == sent.state);
    const std::string cookie = crypto::random_token(f.fixture.random);
    CHECK(http::find_cookie("a=" + cookie, "a") == cookie);
}

TEST_CASE("id_token_claims: the user's claims are left out, the longest first, where all are too long") {
    Fixture f;
    f.grant.client_id = model::ClientId("app");
    struct Row {
        const char* when;
        std::size_t name;
        int groups;
        const char* kept;
    };
    const Row rows[] = {
        {"all fit", 100, 30, "email groups name"},
        {"many groups", 100, 70, "email name"},
        {"a long name", 3500, 10, "email groups"},
        {"both too long", 4000, 250, "email"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        json::Object told{{"email", "alice@op.example"}, {"name", std::string(row.name, 'n')}};
        std::vector<std::string> groups;
        for (int i = 0; i < row.groups; ++i) groups.push_back(std::to_string(i) + std::string(60, 'g'));
        told.set("groups", json::strings(groups));
        const auto claims = oidc::id_token_claims(f.context, {f.grant, "nonce", "hash", told});
        std::string kept;
        for (const char* name : {"email", "groups", "name"})
            if (claims.find(name)) kept += (kept.empty() ? "" : " ") + std::string(name);
        CHECK(kept == row.kept);
        CHECK(json::write(claims).size() <= oauth::kMaxClaimBytes);
        CHECK(claims.find("nonce"));
    }
}
