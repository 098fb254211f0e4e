// Which way an answer takes: a row per combination (OAuth 2.0 Multiple Response Types §2.1, §3, §5; Form Post §2).
#include "oauth/response_mode.h"

#include <doctest/doctest.h>

#include "support/rules_fixture.h"
#include "util/base64.h"

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

TEST_CASE("response mode: errors take the one that only a request object names [OpenID Connect Core §6.1]") {
    const auto object = [](const std::string& payload, const std::string& tail = ".") {
        return "request=" + util::base64url_encode(R"({"alg":"none"})") + "." + util::base64url_encode(payload) + tail;
    };
    const std::string form_post = R"({"response_mode":"form_post","state":"x"})";
    const std::pair<std::string, const char*> rows[] = {
        {object(form_post), "form_post"},
        {object(form_post, ".c2lnbmVk"), "form_post"},
        {"response_type=code&" + object(R"({"response_mode":"fragment"})"), "fragment"},
        {"response_type=token&" + object(R"({"response_mode":"query"})"), "fragment"},
        {"response_mode=query&" + object(form_post), "query"},  // what stands outside was said plainly
        {"response_mode=jwt&" + object(form_post), "query"},
        {object(R"({"response_mode":"web_message"})"), "query"},
        {object(R"({"response_mode":7})"), "query"},
        {object(R"({"response_mode":"form_post","response_mode":"fragment"})"), "query"},
        {object(R"(["response_mode","form_post"])"), "query"},
        {object(R"({"response_mode":"form_post")"), "query"},
        {object(form_post, ""), "query"},
        {object(form_post, "..."), "query"},
        {object(R"({"response_mode":"form_post","pad":")" + std::string(4864, 'x') + "\"}"), "query"},
        {"request=" + util::base64url_encode(form_post), "query"},
        {"request=..", "query"},
        {"request=", "query"},
    };
    for (const auto& row : rows) {
        const auto& request = row.first;
        const auto& errors = row.second;
        CAPTURE(request);
        CHECK(name_of(oauth::response_mode_of_errors(test::params(request))) == std::string(errors));
    }
}
