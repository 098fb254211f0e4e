// Which way an answer takes: a row per combination (OAuth 2.0 Multiple Response Types §2.1, §3, §5; Form Post §2).
#include "oauth/response_mode.h"

#include <doctest/doctest.h>

#include "support/rules_fixture.h"

using namespace postern;

namespace {

const char* name_of(model::ResponseMode mode) {
    switch (mode) {
        case model::ResponseMode::query:
            return "query";
        case model::ResponseMode::fragment:
            return "fragment";
        case model::ResponseMode::form_post:
            return "form_post";
    }
    return "?";
}

}  // namespace

TEST_CASE(
    "response mode: what was asked for where that is possible, else the response type's own [Multiple Response Types "
    "§2.1b, A23]") {
    struct Row {
        const char* request;
        const char* answer;  ///< "" when the request is refused
        const char* errors;
    };
    const Row rows[] = {
        {"", "query", "query"},
        {"response_type=code", "query", "query"},
        {"response_type=none", "query", "query"},
        {"response_type=tokens", "query", "query"},
        {"response_type=token", "fragment", "fragment"},
        {"response_type=id_token", "fragment", "fragment"},
        {"response_type=code+token", "fragment", "fragment"},
        {"response_type=id_token+token", "fragment", "fragment"},
        {"response_type=code&response_mode=query", "query", "query"},
        {"response_type=code&response_mode=fragment", "fragment", "fragment"},
        {"response_type=code&response_mode=form_post", "form_post", "form_post"},
        {"response_type=token&response_mode=fragment", "fragment", "fragment"},
        {"response_type=token&response_mode=form_post", "form_post", "form_post"},
        {"response_mode=form_post", "form_post", "form_post"},
        {"response_type=token&response_mode=query", "", "fragment"},
        {"response_type=code+token&response_mode=query", "", "fragment"},
        {"response_type=code&response_mode=web_message", "", "query"},
        {"response_type=code&response_mode=FRAGMENT", "", "query"},
        {"response_type=code&response_mode=form_post+", "", "query"},
        {"response_type=code&response_mode=query.jwt", "", "query"},
        {"response_type=token&response_mode=web_message", "", "fragment"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.request);
        const auto params = test::params(row.request);
        const auto mode = oauth::parse_response_mode(params);
        CHECK((mode ? name_of(*mode) : "") == std::string(row.answer));
        if (!mode) CHECK(mode.error().code == oauth::ErrorCode::invalid_request);
        CHECK(name_of(oauth::response_mode_of_errors(params)) == std::string(row.errors));
    }
}
