// What a value is that somebody shows to introspection or revocation (RFC 7662 §2.1, RFC 7009 §2.1).
#include "oauth/presented_token.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "issued_tokens.h"

using namespace postern;

namespace {

constexpr std::size_t kMax = 100;

std::string name_of(oauth::TokenTypeHint hint) {
    switch (hint) {
        case oauth::TokenTypeHint::none:
            return "none";
        case oauth::TokenTypeHint::access_token:
            return "access_token";
        case oauth::TokenTypeHint::refresh_token:
            return "refresh_token";
        case oauth::TokenTypeHint::auth_code:
            return "auth_code";
    }
    return "";
}

/// "<value> <hint>", "? <hint>" for a value that cannot be ours, or the error.
std::string token_of(const http::Request& request) {
    const auto asked = oauth::parse_presented_token(request, kMax);
    if (!asked) return "request: " + std::string(oauth::wire_name(asked.error().code));
    if (!asked->token) return std::string(oauth::wire_name(asked->token.error().code));
    return std::string(asked->token->value.value_or("?")) + " " + name_of(asked->token->hint);
}

std::string credentials_of(const http::Request& request) {
    const auto asked = oauth::parse_presented_token(request, kMax);
    REQUIRE(asked);
    if (!asked->credentials) return std::string(oauth::wire_name(asked->credentials.error().code));
    if (asked->credentials->readings.empty()) return "none";
    return asked->credentials->readings.front().client_id.str();
}

/// "access", "access without record", "refresh", "nothing".
std::string kind_of(test::IssuedTokens& fixture, const std::string& value,
                    oauth::TokenTypeHint hint = oauth::TokenTypeHint::none,
                    jose::Expiry expiry = jose::Expiry::enforced) {
    const auto known = oauth::find_presented_token(fixture.context, {value, hint}, expiry);
    if (const auto* access = std::get_if<oauth::VerifiedAccessToken>(&known))
        return store::find_access_token(fixture.context.store, access->key) ? "access" : "access without record";
    return std::holds_alternative<oauth::KnownRefreshToken>(known) ? "refresh" : "nothing";
}

}  // namespace

TEST_CASE(
    "presented token: token once, hint from a short list, both from the body [RFC 7662 §2.1, RFC 7009 §2.1a, §4.1.2]") {
    struct Row {
        const char* when;
        std::string form;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"no hint", "token=abc", "abc none"},
        {"empty hint", "token=abc&token_type_hint=", "abc none"},
        {"access token", "token=abc&token_type_hint=access_token", "abc access_token"},
        {"refresh token", "token=abc&token_type_hint=refresh_token", "abc refresh_token"},
        {"code", "token=abc&token_type_hint=auth_code", "abc auth_code"},
        {"unknown parameters", "token=abc&resource=x&resource=y", "abc none"},
        {"unknown hint", "token=abc&token_type_hint=id_token", "unsupported_token_type"},
        {"capitals", "token=abc&token_type_hint=ACCESS_TOKEN", "unsupported_token_type"},
        {"a blank behind", "token=abc&token_type_hint=access_token%20", "unsupported_token_type"},
        {"RFC 6749's word", "token=abc&token_type_hint=authorization_code", "unsupported_token_type"},
        {"hint twice", "token=abc&token_type_hint=access_token&token_type_hint=access_token", "invalid_request"},
        {"hint with NUL", "token=abc&token_type_hint=access_token%00", "invalid_request"},
        {"token twice", "token=abc&token=abc", "invalid_request"},
        {"token once empty", "token=abc&token=", "invalid_request"},
        {"no token", "token_type_hint=access_token", "invalid_request"},
        {"empty token", "token=", "invalid_request"},
        {"no token and an unknown hint", "token_type_hint=x", "invalid_request"},
        {"nothing", "", "invalid_request"},
        {"not percent-encoding", "token=%zz", "? none"},
        {"NUL", "token=abc%00", "? none"},
        {"not UTF-8", "token=%ff", "? none"},
        {"the longest", "token=" + std::string(kMax, 'a'), std::string(kMax, 'a') + " none"},
        {"one byte more", "token=" + std::string(kMax + 1, 'a'), "? none"},
        {"one byte more, as a code", "token_type_hint=auth_code&token=" + std::string(kMax + 1, 'a'), "? auth_code"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(token_of(test::post(row.form)) == row.expected);
    }
    CHECK(token_of(test::post("", "token=abc")) == "invalid_request");
    CHECK(token_of(test::post("token=abc", "token=x&token_type_hint=x")) == "abc none");
}

TEST_CASE("presented token: another content type is refused, an empty body lacks the token") {
    http::Request request = test::post("");
    request.body = http::BodyKind::other;
    CHECK(token_of(request) == "request: invalid_request");
    request.body = http::BodyKind::none;
    CHECK(token_of(request) == "invalid_request");
}

TEST_CASE("presented token: the token waits for the credentials and they for being wanted [C12, RFC 7009 §2.1f]") {
    CHECK(credentials_of(test::post("token=abc")) == "none");
    CHECK(credentials_of(test::post("client_id=app&client_secret=s")) == "app");
    CHECK(credentials_of(test::post("client_id=app&client_id=app&token=abc")) == "invalid_request");
    CHECK(credentials_of(test::post("client_id=app&client_secret=s&client_secret=s")) == "invalid_request");
    CHECK(token_of(test::post("client_id=app&client_id=app&token=abc")) == "abc none");
    CHECK(credentials_of(test::post("", "client_id=app&client_secret=s")) == "none");

    http::Request header = test::post("token=abc");
    header.authorization = test::basic_header("app", "s");
    CHECK(credentials_of(header) == "app");
    header.authorization = "Basic !";
    CHECK(credentials_of(header) == "invalid_client");
    CHECK(token_of(header) == "abc none");
}

TEST_CASE("presented token: the kind is in the header and the table, under any hint and claims [IF118]") {
    test::IssuedTokens fixture;
    const model::Grant grant = fixture.add_grant(fixture.app);
    const std::string access = fixture.add_access(grant);
    const std::string signed_refresh = fixture.add_refresh(grant);
    fixture.fixture.settings.use_opaque_refresh_tokens = true;
    const std::string opaque_refresh = fixture.add_refresh(grant);
    using Hint = oauth::TokenTypeHint;
    for (const auto hint : {Hint::none, Hint::access_token, Hint::refresh_token}) {
        CHECK(kind_of(fixture, access, hint) == "access");
        CHECK(kind_of(fixture, signed_refresh, hint) == "refresh");
        CHECK(kind_of(fixture, opaque_refresh, hint) == "refresh");
    }
    // The option changes what is issued, not what is known.
    fixture.fixture.settings.use_opaque_refresh_tokens = false;
    CHECK(kind_of(fixture, opaque_refresh) == "refresh");

    using Kind = jose::TokenType;
    const auto recorded_as_access = [&](const std::string& value) {
        fixture.record_access(value, grant);
        return kind_of(fixture, value);
    };
    const auto recorded_as_refresh = [&](const std::string& value) {
        fixture.record_refresh(value, grant);
        return kind_of(fixture, value);
    };
    CHECK(recorded_as_access(fixture.sign(Kind::access_token, fixture.claims())) == "access");
    CHECK(recorded_as_refresh(fixture.sign(Kind::refresh_token, fixture.claims("n", 1))) == "refresh");
    // Every claim of an access token, in a token of another kind or with a record in another table.
    CHECK(recorded_as_access(fixture.sign(Kind::id_token, fixture.claims("n", 2))) == "nothing");
    CHECK(recorded_as_refresh(fixture.sign(Kind::id_token, fixture.claims("n", 3))) == "nothing");
    CHECK(recorded_as_access(fixture.sign(Kind::refresh_token, fixture.claims("n", 4))) == "nothing");
    CHECK(recorded_as_refresh(fixture.sign(Kind::access_token, fixture.claims("n", 5))) == "access without record");
    CHECK(recorded_as_access("opaque") == "nothing");
}

TEST_CASE(
    "presented token: nothing is looked up before its signature is verified [IF42, RFC 7662 §4f, I01, V02, RFC 7009 "
    "§5a]") {
    test::IssuedTokens fixture;
    const model::Grant grant = fixture.add_grant(fixture.app);
    const std::string good = fixture.add_access(grant);
    const std::string refresh = fixture.add_refresh(grant);
    const auto with_last_changed = [](std::string value) {
        value[value.size() - 10] = value[value.size() - 10] == 'A' ? 'B' : 'A';
        return value;
    };
    const std::string head = good.substr(0, good.find('.') + 1);
    const std::string tail = good.substr(good.rfind('.'));
    const std::vector<std::string> forgeries = {
        with_last_changed(good),
        with_last_changed(refresh),
        head + good.substr(head.size(), 8) + tail,
        good.substr(0, good.rfind('.') + 1),
        "eyJhbGciOiJub25lIn0" + good.substr(head.size() - 1, good.rfind('.') - head.size() + 2),
        head + util::base64url_encode(R"({"scope":"openid email api","sub":"root","cid":"other"})") + tail,
        head + util::base64url_encode(R"({"scope":"openid email api"})") + ".",
        fixture.sign_again(good, jose::TokenType::access_token, true),
        fixture.sign_again(refresh, jose::TokenType::refresh_token, true),
        fixture.sign(jose::TokenType::access_token, fixture.claims("iss", "https://op.example/")),
        fixture.sign(jose::TokenType::access_token, fixture.claims("exp", "soon")),
    };
    for (const std::string& value : forgeries) {
        CAPTURE(value);
        // Even the record of this very value does not make it one of ours.
        fixture.record_access(value, grant);
        fixture.record_refresh(value, grant);
        CHECK(kind_of(fixture, value) == "nothing");
        CHECK(kind_of(fixture, value, oauth::TokenTypeHint::none, jose::Expiry::ignored) == "nothing");
    }
    for (const std::string& value : {good + ".", good + " ", "." + good, good.substr(1), std::string("."),
                                     std::string(".."), std::string("a.b.c"), std::string("unknown")}) {
        CAPTURE(value);
        CHECK(kind_of(fixture, value) == "nothing");
    }
    CHECK(std::holds_alternative<std::monostate>(
        oauth::find_presented_token(fixture.context, {}, jose::Expiry::ignored)));
}

TEST_CASE("presented token: expired ones are found by callers that ignore expiry") {
    test::IssuedTokens fixture;
    const std::string access = fixture.add_access(fixture.add_grant(fixture.app));
    fixture.fixture.clock.advance(fixture.fixture.settings.access_token_ttl - util::Seconds{1});
    CHECK(kind_of(fixture, access) == "access");
    fixture.fixture.clock.advance(util::Seconds{1});
    CHECK(kind_of(fixture, access) == "nothing");
    CHECK(kind_of(fixture, access, oauth::TokenTypeHint::none, jose::Expiry::ignored) == "access");
}

TEST_CASE("presented token: an opaque refresh token has the claims of a signed one, but for jti [IF132]") {
    test::IssuedTokens fixture;
    const model::Grant grant = fixture.add_grant(fixture.app);
    const auto claims = [&](bool opaque) {
        fixture.fixture.settings.use_opaque_refresh_tokens = opaque;
        const auto known =
            oauth::find_presented_token(fixture.context, {fixture.add_refresh(grant), {}}, jose::Expiry::enforced);
        return json::Object(*std::get<oauth::KnownRefreshToken>(known).claims);
    };
    json::Object of_signed = claims(false);
    const json::Object of_opaque = claims(true);
    CHECK(of_signed.find("jti") != nullptr);
    CHECK(of_opaque.find("jti") == nullptr);
    for (const char* name : {"iss", "sub", "iat", "exp"}) {
        CAPTURE(name);
        REQUIRE(of_signed.find(name) != nullptr);
        REQUIRE(of_opaque.find(name) != nullptr);
        CHECK(json::write(*of_signed.find(name)) == json::write(*of_opaque.find(name)));
    }
}
