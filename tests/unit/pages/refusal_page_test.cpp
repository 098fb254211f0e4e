// Every way in which a request ends on a page: its status, its word for the log, and what the page may say.
#include "pages/refusal_page.h"

#include <set>

#include "unit/web/page_flow.h"

using namespace postern;
using pages::PageFault;

namespace {

struct Row {
    PageFault fault;
    int status;
    const char* error;
};
// clang-format off
const Row kRows[] = {
    {PageFault::request_malformed, 400, "request_malformed"},
    {PageFault::client_missing, 400, "client_missing"},
    {PageFault::client_unknown, 400, "client_unknown"},
    {PageFault::client_disabled, 400, "client_disabled"},
    {PageFault::redirect_missing, 400, "redirect_missing"},
    {PageFault::redirect_unregistered, 400, "redirect_unregistered"},
    {PageFault::document_refused, 400, "client_document_refused"},
    {PageFault::document_busy, 503, "client_document_busy"},
    {PageFault::document_changed, 400, "client_document_changed"},
    {PageFault::document_no_room, 503, "client_document_no_room"},
    {PageFault::document_error, 400, "client_document_error"},
    {PageFault::resume_missing, 400, "resume_missing"},
    {PageFault::resume_invalid, 400, "resume_invalid"},
    {PageFault::resume_expired, 400, "resume_expired"},
    {PageFault::cookie_missing, 400, "cookie_missing"},
    {PageFault::session_cookie_missing, 400, "session_cookie_missing"},
    {PageFault::other_browser, 400, "other_browser"},
    {PageFault::already_used, 400, "already_used"},
    {PageFault::form_foreign, 403, "form_foreign"},
    {PageFault::form_malformed, 400, "form_malformed"},
    {PageFault::too_busy, 503, "too_busy"},
    {PageFault::remote_user_missing, 403, "remote_user_missing"},
    {PageFault::remote_user_unusable, 403, "remote_user_unusable"},
    {PageFault::account_unknown, 403, "account_unknown"},
    {PageFault::account_disabled, 403, "account_disabled"},
    {PageFault::access_refused, 403, "access_refused"},
    {PageFault::second_factor_missing, 403, "second_factor_missing"},
    {PageFault::password_change_missing, 403, "password_change_missing"},
    {PageFault::passkey_suspended, 403, "passkey_suspended"},
    {PageFault::account_form_foreign, 403, "account_form_foreign"},
    {PageFault::account_form_malformed, 400, "account_form_malformed"},
    {PageFault::link_not_good, 400, "link_not_good"},
    {PageFault::link_form_foreign, 403, "link_form_foreign"},
    {PageFault::link_form_malformed, 400, "link_form_malformed"},
    {PageFault::logout_malformed, 400, "logout_malformed"},
    {PageFault::logout_hint_invalid, 400, "logout_hint_invalid"},
    {PageFault::logout_client_mismatch, 400, "logout_client_mismatch"},
    {PageFault::logout_redirect_unregistered, 400, "logout_redirect_unregistered"},
    {PageFault::logout_resume_invalid, 400, "logout_resume_invalid"},
    {PageFault::logout_resume_expired, 400, "logout_resume_expired"},
    {PageFault::logout_form_foreign, 403, "logout_form_foreign"},
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
            pages, request, row.fault, {"app", "for the operator", "https://op.example", "https://op.example/again"});
        CHECK(answer.status == row.status);
        REQUIRE(answer.refusal);
        CHECK(answer.refusal->error == row.error);
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
    CHECK(std::size(kRows) == static_cast<std::size_t>(PageFault::logout_form_foreign) + 1);  // the last one
}

TEST_CASE("refusal_page: a name that looks like a mark is shown as it is") {
    test::RecordedPages pages;
    http::Request request = test::get("");
    pages::RefusalFacts facts;
    facts.client_name = "{user} of {issuer}";
    facts.username = "alice";
    facts.issuer = "https://op.example";
    pages::refusal_page(pages, request, pages::PageFault::access_refused, facts);
    CHECK(pages.last_error.title == "alice may not use {user} of {issuer}");
}

TEST_CASE("refusal_page: before a redirect_uri is verified, its fault is a page [RFC 6749 §4.1.2.1a]") {
    using oauth::RedirectFault;
    const struct {
        RedirectFault fault;
        const char* error;
    } rows[] = {
        {RedirectFault::malformed, "request_malformed"},
        {RedirectFault::client_missing, "client_missing"},
        {RedirectFault::client_unknown, "client_unknown"},
        {RedirectFault::client_disabled, "client_disabled"},
        {RedirectFault::redirect_missing, "redirect_missing"},
        {RedirectFault::redirect_unregistered, "redirect_unregistered"},
    };
    test::RecordedPages pages;
    for (const auto& row : rows) {
        CAPTURE(std::string(row.error));
        const auto answer = pages::refusal_page(pages, test::get(""), {row.fault, "app", "detail"});
        CHECK(answer.refusal->error == row.error);
        CHECK(answer.refusal->client_id == "app");
        CHECK(answer.status == 400);
    }
}

TEST_CASE("refusal_page: the page about a missing cookie names the address that the browser has to use") {
    test::RecordedPages pages;
    for (const auto fault : {PageFault::cookie_missing, PageFault::session_cookie_missing}) {
        pages::refusal_page(pages, test::get(""), fault, {"", "", "https://op.example/base", ""});
        CHECK(text::Catalogue().say(pages.last_error.message).find("https://op.example/base (") != std::string::npos);
    }
}

TEST_CASE(
    "refusal_page: a sign-in started elsewhere is named as that first, and a person who did not start it is warned") {
    test::RecordedPages pages;
    for (const auto fault : {PageFault::cookie_missing, PageFault::other_browser}) {
        pages::refusal_page(pages, test::get(""), fault, {"", "", "https://op.example", "https://op.example/again"});
        CHECK(text::Catalogue().say(pages.last_error.message).starts_with("It was started in another browser "));
        CHECK(text::Catalogue().say(pages.last_error.who).find("do not continue") != std::string::npos);
    }
}
