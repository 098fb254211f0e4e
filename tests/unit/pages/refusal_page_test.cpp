// Every way in which a request ends on a page: its status, its word for the log, and what the page may say.
#include "pages/refusal_page.h"

#include <doctest/doctest.h>

#include <set>

#include "refusal/reason.h"
#include "support/rules_fixture.h"
#include "unit/pages/recorded_pages.h"
#include "unit/text/said.h"

using namespace postern;
using refusal::Reason;

namespace {

struct Row {
    Reason reason;
    int status;
    const char* error;
};
// clang-format off
const Row kRows[] = {
    {Reason::request_malformed, 400, "request_malformed"},
    {Reason::client_missing, 400, "client_missing"},
    {Reason::client_unknown, 400, "client_unknown"},
    {Reason::client_disabled, 400, "client_disabled"},
    {Reason::redirect_missing, 400, "redirect_missing"},
    {Reason::redirect_unregistered, 400, "redirect_unregistered"},
    {Reason::client_document_refused, 400, "client_document_refused"},
    {Reason::client_document_busy, 503, "client_document_busy"},
    {Reason::client_document_changed, 400, "client_document_changed"},
    {Reason::client_document_no_room, 503, "client_document_no_room"},
    {Reason::client_document_error, 400, "client_document_error"},
    {Reason::invalid_request_uri, 400, "invalid_request_uri"},
    {Reason::invalid_request_uri_expired, 400, "invalid_request_uri_expired"},
    {Reason::invalid_request_uri_used, 400, "invalid_request_uri_used"},
    {Reason::resume_missing, 400, "resume_missing"},
    {Reason::resume_invalid, 400, "resume_invalid"},
    {Reason::resume_expired, 400, "resume_expired"},
    {Reason::cookie_missing, 400, "cookie_missing"},
    {Reason::session_cookie_missing, 400, "session_cookie_missing"},
    {Reason::other_browser, 400, "other_browser"},
    {Reason::already_used, 400, "already_used"},
    {Reason::form_foreign, 403, "form_foreign"},
    {Reason::form_malformed, 400, "form_malformed"},
    {Reason::too_busy, 503, "too_busy"},
    {Reason::remote_user_missing, 403, "remote_user_missing"},
    {Reason::remote_user_unusable, 403, "remote_user_unusable"},
    {Reason::account_unknown, 403, "account_unknown"},
    {Reason::account_disabled, 403, "account_disabled"},
    {Reason::access_refused, 403, "access_refused"},
    {Reason::second_factor_missing, 403, "second_factor_missing"},
    {Reason::password_change_missing, 403, "password_change_missing"},
    {Reason::passkey_suspended, 403, "passkey_suspended"},
    {Reason::account_form_foreign, 403, "account_form_foreign"},
    {Reason::account_form_malformed, 400, "account_form_malformed"},
    {Reason::link_not_good, 400, "link_not_good"},
    {Reason::link_form_foreign, 403, "link_form_foreign"},
    {Reason::link_form_malformed, 400, "link_form_malformed"},
    {Reason::unmet_authentication_requirements, 403, "unmet_authentication_requirements"},
    {Reason::gate_user_untold, 403, "gate_user_untold"},
    {Reason::gate_form_lost, 401, "gate_form_lost"},
    {Reason::device_login_unproved, 403, "device_login_unproved"},
    {Reason::logout_malformed, 400, "logout_malformed"},
    {Reason::logout_hint_invalid, 400, "logout_hint_invalid"},
    {Reason::logout_client_mismatch, 400, "logout_client_mismatch"},
    {Reason::logout_redirect_unregistered, 400, "logout_redirect_unregistered"},
    {Reason::logout_resume_invalid, 400, "logout_resume_invalid"},
    {Reason::logout_resume_expired, 400, "logout_resume_expired"},
    {Reason::logout_form_foreign, 403, "logout_form_foreign"},
};
// clang-format on

}  // namespace

TEST_CASE("refusal_page: each fault has its status and its word, and a page that says what happened and who can act") {
    test::RecordedPages pages;
    http::Request request = test::get("");
    request.id = "abc123";
    std::set<std::string> words;
    for (const Row& row : kRows) {
        CAPTURE(std::string(row.error));
        const auto answer = pages::refusal_page(
            pages, request, row.reason, {"app", "for the operator", "https://op.example", "https://op.example/again"});
        CHECK(answer.status == row.status);
        REQUIRE(answer.refusal);
        CHECK(answer.refusal->reason == row.reason);
        CHECK(refusal::row_of(row.reason).word == std::string(row.error));
        CHECK(answer.refusal->client_id == "app");
        CHECK(answer.refusal->detail == "for the operator");
        CHECK((answer.find("Retry-After") != nullptr) == (row.status == 503));
        CHECK(answer.find("Location") == nullptr);
        CHECK(pages.last_error.status == row.status);
        CHECK(pages.last_error.request_id == "abc123");
        CHECK(pages.last_error.try_again == "https://op.example/again");
        for (const text::Message& said : {pages.last_error.title, pages.last_error.message, pages.last_error.who}) {
            const std::string text = text::Catalogue().say(said);
            CHECK(text != "");
            CHECK(text.find('{') == std::string::npos);                 // every mark is filled in
            CHECK(text.find("for the operator") == std::string::npos);  // a detail is for the log alone
        }
        words.insert(row.error);
    }
    CHECK(words.size() == std::size(kRows));
    CHECK(std::size(kRows) == pages::reasons_with_page().size());
}

TEST_CASE("refusal_page: a name that looks like a mark is shown as it is") {
    test::RecordedPages pages;
    http::Request request = test::get("");
    pages::RefusalFacts facts;
    facts.client_name = "{user} of {issuer}";
    facts.username = "alice";
    facts.issuer = "https://op.example";
    pages::refusal_page(pages, request, Reason::access_refused, facts);
    CHECK(pages.last_error.title == "alice may not use {user} of {issuer}");
}

TEST_CASE("refusal_page: before a redirect_uri is verified, its fault is a page [RFC 6749 §4.1.2.1a]") {
    test::RecordedPages pages;
    const auto answer = pages::refusal_page(pages, test::get(""), {Reason::redirect_unregistered, "app", "detail"});
    CHECK(answer.refusal->reason == Reason::redirect_unregistered);
    CHECK(answer.refusal->client_id == "app");
    CHECK(answer.status == 400);
}

TEST_CASE("refusal_page: a case of an error has the page of the error, and is recorded as what it is") {
    test::RecordedPages pages;
    const auto answer = pages::refusal_page(pages, test::get(""), Reason::client_document_busy_slots, {});
    CHECK(answer.status == 503);
    CHECK(answer.refusal->reason == Reason::client_document_busy_slots);
    pages::refusal_page(pages, test::get(""), Reason::client_document_busy, {});
    CHECK(text::Catalogue().say(pages.last_error.title) == answer.refusal->description);
    CHECK_THROWS_AS(pages::refusal_page(pages, test::get(""), Reason::invalid_grant, {}), std::logic_error);
}

TEST_CASE("refusal_page: the page about a missing cookie names the address that the browser has to use") {
    test::RecordedPages pages;
    for (const auto reason : {Reason::cookie_missing, Reason::session_cookie_missing}) {
        pages::refusal_page(pages, test::get(""), reason, {"", "", "https://op.example/base", ""});
        CHECK(text::Catalogue().say(pages.last_error.message).find("https://op.example/base (") != std::string::npos);
    }
}

TEST_CASE(
    "refusal_page: a sign-in started elsewhere is named as that first, and a person who did not start it is warned") {
    test::RecordedPages pages;
    for (const auto reason : {Reason::cookie_missing, Reason::other_browser}) {
        pages::refusal_page(pages, test::get(""), reason, {"", "", "https://op.example", "https://op.example/again"});
        CHECK(text::Catalogue().say(pages.last_error.message).starts_with("It was started in another browser "));
        CHECK(text::Catalogue().say(pages.last_error.who).find("do not continue") != std::string::npos);
    }
}
