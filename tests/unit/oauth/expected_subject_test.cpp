// Whom the client expects to meet (OpenID Connect Core §3.1.2.1).
#include "oauth/expected_subject.h"

#include <doctest/doctest.h>

#include "json/writer.h"
#include "oauth/access_token.h"
#include "support/rules_fixture.h"
#include "util/percent.h"

using namespace postern;
using model::Subject;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();

    std::string id_token(const char* subject = "alice-sub") {
        const keys::SigningKey& key = context.keys.signing_key(crypto::Algorithm::RS256, context.now());
        const json::Object claims{{"iss", fixture.settings.issuer},
                                  {"sub", subject},
                                  {"aud", "app"},
                                  {"exp", util::to_epoch(context.now() + util::Seconds{3600})},
                                  {"iat", util::to_epoch(context.now())},
                                  {"sid", "sid-1"}};
        return jose::sign_compact(key.key, key.kid, jose::TokenType::id_token, json::write(claims));
    }
    oauth::Outcome<std::optional<Subject>> ask(const std::string& query, std::optional<Subject> claimed) {
        return oauth::parse_expected_subject(context, test::params(query), std::move(claimed));
    }
};

std::string with_byte_changed(std::string token, std::size_t at) {
    token[at] = token[at] == 'A' ? 'B' : 'A';
    return token;
}

}  // namespace

TEST_CASE(
    "verify_id_token_hint: our own ID token names user, client and session, expired or not [OIDC Core §3.1.2.1, "
    "§3.1.2.2e]") {
    Fixture f;
    const std::string token = f.id_token();
    for (const util::Seconds age : {util::Seconds{0}, util::Seconds{3600}, util::Seconds{100'000'000}}) {
        f.fixture.clock.advance(age);
        const auto hint = oauth::verify_id_token_hint(f.context, token);
        REQUIRE(hint.has_value());
        CHECK(hint->subject == model::Subject("alice-sub"));
        CHECK(hint->client_id == model::ClientId("app"));
        CHECK(hint->sid == model::Sid("sid-1"));
    }
}

TEST_CASE(
    "verify_id_token_hint: what this server did not sign as an ID token names no user [RFC 8725 §3.12, OIDC Core §3.1.2.2d]") {
    Fixture f;
    const std::string token = f.id_token();
    const std::size_t payload = token.find('.') + 1;
    const std::size_t signature = token.rfind('.') + 1;
    const std::string access = oauth::make_access_token(f.context, {model::Grant(), {}, {}, "alice"}).value;
    f.fixture.settings.issuer = "https://other.example";
    const std::string foreign = f.id_token();
    f.fixture.settings.issuer = "https://op.example";
    const std::string rows[] = {
        "",
        "alice-sub",
        "e30.e30.",
        "eyJhbGciOiJub25lIn0" + token.substr(payload - 1, signature - payload + 1),  // {"alg":"none"}
        token.substr(0, signature),
        token + ".",
        with_byte_changed(token, payload + 10),
        with_byte_changed(token, signature + 10),
        access,
        foreign,
    };
    for (const std::string& row : rows) {
        CAPTURE(row);
        CHECK_FALSE(oauth::verify_id_token_hint(f.context, row).has_value());
    }
}

TEST_CASE("parse_expected_subject: the hint's user, the claimed one, or both when they agree [OIDC Core §3.1.2.2]") {
    Fixture f;
    const std::string alice = "id_token_hint=" + f.id_token("alice");
    struct Row {
        const char* when;
        std::string query;
        std::optional<Subject> claimed;
        std::string expected;  ///< "": anybody, "!": invalid_request
    };
    const Row rows[] = {
        {"neither", "", {}, ""},
        {"an empty parameter is none", "id_token_hint=", {}, ""},
        {"a hint", alice, {}, "alice"},
        {"a claim", "", Subject("bob"), "bob"},
        {"both", alice, Subject("alice"), "alice"},
        {"two users", alice, Subject("bob"), "!"},
        {"no ID token", "id_token_hint=alice", {}, "!"},
        {"no ID token, and a claim", "id_token_hint=alice", Subject("alice"), "!"},
        {"one byte more", alice + "A", {}, "!"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto subject = f.ask(row.query, row.claimed);
        if (row.expected == "!") {
            REQUIRE_FALSE(subject);
            CHECK(subject.error().code == oauth::ErrorCode::invalid_request);
        } else {
            REQUIRE(subject);
            CHECK(subject->value_or(Subject("")).str() == row.expected);
        }
    }
    f.fixture.settings.oidc = false;
    CHECK_FALSE((*f.ask(alice, std::nullopt)).has_value());
    CHECK_FALSE((*f.ask("id_token_hint=garbage", std::nullopt)).has_value());
}

TEST_CASE("parse_login_hint: what a form can show, up to 256 bytes; anything else is ignored [OIDC Core §3.1.2.1]") {
    struct Row {
        std::string hint;
        bool taken;
    };
    const Row rows[] = {
        {"alice", true},
        {"buffy@op.example", true},
        {"tel:+31 20 1234567", true},
        {"Zo\xc3\xab \"<b>\" {{csrf}}", true},
        {std::string(256, 'a'), true},
        {std::string(257, 'a'), false},
        {"alice\xe2\x80\xae", false},  // U+202E RIGHT-TO-LEFT OVERRIDE
        {"alice\xc2\x85", false},      // U+0085 NEXT LINE
    };
    for (const Row& row : rows) {
        CAPTURE(row.hint);
        const auto hint = oauth::parse_login_hint(test::params("login_hint=" + util::percent_encode(row.hint)));
        CHECK(hint.has_value() == row.taken);
        if (row.taken) CHECK(hint == row.hint);
    }
    CHECK_FALSE(oauth::parse_login_hint(test::params("login_hint=")).has_value());
    CHECK_FALSE(oauth::parse_login_hint(test::params("login_hint_=x")).has_value());
}
