// Where answers of the authorization endpoint go: a row per response mode (OAuth 2.0 Multiple Response Types §2.1, Form
// Post §2; RFC 6749 §4.1.2, §4.2.2; RFC 9207 §2).
#include "web/authorization_response.h"

#include <doctest/doctest.h>

#include "refusal/reason.h"
#include "support/html.h"
#include "support/rules_fixture.h"
#include "unit/pages/shipped.h"

using namespace postern;

namespace {

const std::string kSent = "state=a+b%2Bc%26d%3De%23f%25%22%3C%3E%C3%A9%26code%3Devil";
const std::string kState = "a b+c&d=e#f%\"<>\xc3\xa9&code=evil";

const pages::Pages& shown() { return test::shipped_pages(); }

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    Fixture() { fixture.add_confidential("app", "https://app.example/cb?x=1", "s"); }

    oauth::VerifiedRedirect target(const std::string& more) {
        auto verified = oauth::verify_redirect(context, test::params("client_id=app" + more));
        REQUIRE(verified);
        return *verified;
    }
};

/// The parameters that came behind `mark` of the Location, which must begin with `before`.
http::Params sent_behind(const http::Response& response, const std::string& before, char mark) {
    CHECK(response.status == 303);
    const std::string location = *response.find("Location");
    const std::string start = before + mark;
    REQUIRE(location.starts_with(start));
    return test::params(location.substr(start.size()));
}

void check_values(const http::Params& sent, const std::string& code) {
    CHECK(sent.find("code") == code);
    CHECK(sent.find("state") == kState);
    CHECK(sent.find("iss") == "https://op.example");
}

}  // namespace

TEST_CASE("authorization_response: query, behind the one that is registered") {
    Fixture f;
    for (const char* mode : {"", "&response_mode=query"}) {
        const auto answer = web::authorization_response(
            f.context, shown(), f.target("&response_type=code&" + kSent + mode), {{"code", "C"}});
        check_values(sent_behind(answer, "https://app.example/cb?x=1", '&'), "C");
        CHECK(answer.find("Location")->find('#') == std::string::npos);
        CHECK_FALSE(answer.refusal);
    }
}

TEST_CASE("authorization_response: fragment, with the registered query left alone") {
    Fixture f;
    for (const char* request : {"&response_type=token&", "&response_type=code&response_mode=fragment&"}) {
        const auto answer = web::authorization_response(f.context, shown(), f.target(request + kSent), {{"code", "C"}});
        check_values(sent_behind(answer, "https://app.example/cb?x=1", '#'), "C");
    }
}

TEST_CASE("authorization_response: form_post, a page whose form goes to the registered address") {
    Fixture f;
    const auto answer =
        web::authorization_response(f.context, shown(), f.target("&response_mode=form_post&" + kSent), {{"code", "C"}});
    CHECK(answer.status == 200);
    CHECK(answer.find("Location") == nullptr);
    const auto form = test::find_form(answer.body);
    REQUIRE(form);
    CHECK(form->method == "post");
    CHECK(form->action == "https://app.example/cb?x=1");
    CHECK(form->fields ==
          std::map<std::string, std::string>{{"code", "C"}, {"state", kState}, {"iss", "https://op.example"}});
}

TEST_CASE("authorization_response: no state is returned when none was sent") {
    Fixture f;
    for (const char* mode : {"query", "fragment", "form_post"}) {
        CAPTURE(mode);
        const auto answer = web::authorization_response(
            f.context, shown(), f.target(std::string("&response_mode=") + mode), {{"code", "C"}});
        const std::string* location = answer.find("Location");
        CHECK((location ? *location : answer.body).find("state") == std::string::npos);
    }
}

TEST_CASE("authorization_error: the same ways, and the refusal is kept for the operator in every one") {
    Fixture f;
    struct Row {
        const char* mode;
        int status;
        const char* part;  ///< of the Location, or of the page
    };
    const Row rows[] = {
        {"query", 303, "?x=1&error=invalid_scope&error_description=words&state=s&iss="},
        {"fragment", 303, "?x=1#error=invalid_scope&error_description=words&state=s&iss="},
        {"form_post", 200, "name=\"error\" value=\"invalid_scope\">\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.mode);
        const auto target = f.target("&state=s&response_mode=" + std::string(row.mode));
        const auto answer =
            web::authorization_error(f.context, shown(), target, oauth::invalid_scope("words", "detail"));
        CHECK(answer.status == row.status);
        const std::string* location = answer.find("Location");
        CHECK((location ? *location : answer.body).find(row.part) != std::string::npos);
        REQUIRE(answer.refusal);
        CHECK(answer.refusal->reason == refusal::Reason::invalid_scope);
        CHECK(answer.refusal->description == "words");
        CHECK(answer.refusal->detail == "detail");
        CHECK(answer.refusal->client_id == "app");
    }
}
