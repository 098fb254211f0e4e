// Whom the client expects to meet (OpenID Connect Core §3.1.2.1).
#include "oauth/expected_subject.h"

#include <doctest/doctest.h>

#include "oidc/id_token.h"
#include "support/rules_fixture.h"
#include "util/percent.h"

using namespace postern;
using model::Subject;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();

    std::string hint_of(const char* subject) {
        model::Grant grant;
        grant.subject = Subject(subject);
        grant.client_id = model::ClientId("any");
        return "id_token_hint=" + oidc::make_id_token(context, {grant, std::nullopt, "access"});
    }
    oauth::Outcome<std::optional<Subject>> ask(const std::string& query, std::optional<Subject> claimed) {
        return oauth::parse_expected_subject(context, test::params(query), std::move(claimed));
    }
};

}  // namespace

TEST_CASE("parse_expected_subject: the hint's user, the claimed one, or both when they agree [OIDC Core §3.1.2.2]") {
    Fixture f;
    const std::string alice = f.hint_of("alice");
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
