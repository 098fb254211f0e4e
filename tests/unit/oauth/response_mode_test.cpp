// Which way an answer takes: a row per combination (OAuth 2.0 Multiple Response Types §2.1, §3, §5; Form Post §2).
#include "oauth/response_mode.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "refusal/reason.h"
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
        case model::ResponseMode::query_jwt:
            return "query.jwt";
        case model::ResponseMode::fragment_jwt:
            return "fragment.jwt";
        case model::ResponseMode::form_post_jwt:
            return "form_post.jwt";
    }
    return "?";
}

const oauth::Settings kPlain;
const oauth::Settings kSigned = [] {
    oauth::Settings settings;
    settings.jarm = true;
    return settings;
}();
const model::Client kAnyMode;

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
        const auto mode = oauth::parse_response_mode(kPlain, kAnyMode, params);
        CHECK((mode ? name_of(*mode) : "") == std::string(row.answer));
        if (!mode) CHECK(mode.error().code == oauth::ErrorCode::invalid_request);
        CHECK(name_of(oauth::response_mode_of_errors(kPlain, kAnyMode, params)) == std::string(row.errors));
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
        CHECK(name_of(oauth::response_mode_of_errors(kPlain, kAnyMode, test::params(request))) == std::string(errors));
    }
}

TEST_CASE("response mode: signed ones, where answers are signed [JARM-1, JARM-3, CVE-2023-6927]") {
    struct Row {
        const char* request;
        const char* answer;  ///< "" when the request is refused
        const char* errors;
    };
    const Row rows[] = {
        {"response_type=code", "query", "query"},
        {"response_type=code&response_mode=jwt", "query.jwt", "query.jwt"},
        {"response_type=token&response_mode=jwt", "fragment.jwt", "fragment.jwt"},
        {"response_type=code+id_token&response_mode=jwt", "fragment.jwt", "fragment.jwt"},
        {"response_type=code&response_mode=query.jwt", "query.jwt", "query.jwt"},
        {"response_type=code&response_mode=fragment.jwt", "fragment.jwt", "fragment.jwt"},
        {"response_type=code&response_mode=form_post.jwt", "form_post.jwt", "form_post.jwt"},
        {"response_type=id_token&response_mode=form_post.jwt", "form_post.jwt", "form_post.jwt"},
        {"response_type=token&response_mode=query.jwt", "", "fragment"},
        {"response_type=token&response_mode=query", "", "fragment"},
        {"response_type=code&response_mode=JWT", "", "query"},
        {"response_type=code&response_mode=.jwt", "", "query"},
        {"response_type=code&response_mode=web_message.jwt", "", "query"},
        {"response_mode=jwt", "query.jwt", "query.jwt"},
        {"response_type=pigeon&response_mode=jwt", "query.jwt", "query.jwt"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.request);
        const auto params = test::params(row.request);
        const auto mode = oauth::parse_response_mode(kSigned, kAnyMode, params);
        CHECK((mode ? name_of(*mode) : "") == std::string(row.answer));
        if (!mode) CHECK(mode.error().code == oauth::ErrorCode::invalid_request);
        CHECK(name_of(oauth::response_mode_of_errors(kSigned, kAnyMode, params)) == std::string(row.errors));
    }
}

TEST_CASE("response mode: a client has those that it is registered for, by their names [JARM-6, F2-67]") {
    struct Row {
        std::set<std::string> registered;
        const char* request;
        bool is_good;
    };
    const Row rows[] = {
        {{"jwt"}, "response_type=code&response_mode=jwt", true},
        {{"jwt"}, "response_type=token&response_mode=jwt", true},
        {{"jwt"}, "response_type=code&response_mode=query.jwt", false},
        {{"jwt"}, "response_type=code&response_mode=form_post", false},
        {{"jwt"}, "response_type=code", false},
        {{"query.jwt"}, "response_type=code&response_mode=jwt", false},
        {{"query"}, "response_type=code", true},
        {{"query"}, "response_type=code&response_mode=query", true},
        {{"query"}, "response_type=token", false},
        {{"fragment"}, "response_type=token", true},
        {{"form_post", "jwt"}, "response_type=code&response_mode=form_post", true},
        {{"form_post", "jwt"}, "response_type=code", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.request);
        model::Client client;
        client.response_modes = row.registered;
        const auto mode = oauth::parse_response_mode(kSigned, client, test::params(row.request));
        CHECK(bool(mode) == row.is_good);
        if (!mode) CHECK(mode.error().reason == refusal::Reason::invalid_request_response_mode);
    }
}

TEST_CASE(
    "check_response_mode: what is off or not registered any more is refused when the request comes back [PAR-16]") {
    model::AuthorizationRequest request;
    model::Client client;
    const auto is_good = [&](const oauth::Settings& settings) {
        return bool(oauth::check_response_mode(settings, client, request));
    };
    CHECK(is_good(kPlain));
    request.response_mode = model::ResponseMode::query_jwt;
    CHECK(is_good(kSigned));
    CHECK_FALSE(is_good(kPlain));
    client.response_modes = {"jwt"};
    CHECK(is_good(kSigned));
    client.response_modes = {"query.jwt"};
    CHECK(is_good(kSigned));
    client.response_modes = {"form_post.jwt", "query"};
    CHECK_FALSE(is_good(kSigned));
}
