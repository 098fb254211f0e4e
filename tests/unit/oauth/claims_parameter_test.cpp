// The claims parameter, taken apart (OpenID Connect Core §5.5).
#include "oauth/claims_parameter.h"

#include <doctest/doctest.h>

#include "oauth/acr.h"

using namespace postern;
using oauth::ErrorCode;

namespace {

model::Client client() {
    model::Client c;
    c.id = model::ClientId("app");
    c.scope = *model::Scope::parse("openid profile email");  // neither address nor phone
    return c;
}

oauth::Outcome<oauth::ClaimsParameter> parse(const std::string& text, const char* scope = "openid") {
    return oauth::parse_claims_parameter(oauth::Settings{}, client(), *model::Scope::parse(scope), text);
}

/// More values than any request needs, in few bytes.
std::string many_zeros() {
    std::string text = "0";
    for (int i = 0; i < 600; ++i) text += ",0";
    return text;
}

const std::string kOurs(oauth::kPasswordAcr);

}  // namespace

TEST_CASE("claims: which names are taken over, and for which place [OIDC Core §5.5, §5.5.1a]") {
    struct Row {
        const char* when;
        std::string text;
        const char* scope;
        const char* userinfo;
        const char* id_token;
    };
    const Row rows[] = {
        {"nothing", "{}", "openid", "", ""},
        {"empty places", R"({"userinfo":{},"id_token":{}})", "openid", "", ""},
        {"null: in the default manner", R"({"userinfo":{"email":null}})", "openid", "email", ""},
        {"essential", R"({"userinfo":{"email":{"essential":true}}})", "openid", "email", ""},
        {"voluntary", R"({"userinfo":{"email":{"essential":false}}})", "openid", "email", ""},
        {"an empty object", R"({"userinfo":{"email":{}}})", "openid", "email", ""},
        {"with a value", R"({"userinfo":{"email":{"value":"a@example"}}})", "openid", "email", ""},
        {"with values", R"({"userinfo":{"email":{"values":["a@example",1,null]}}})", "openid", "email", ""},
        {"unknown ways of asking", R"({"userinfo":{"email":{"purpose":"x","essential":true}}})", "openid", "email", ""},
        {"in the ID token", R"({"id_token":{"name":null}})", "openid", "", "name"},
        {"in both", R"({"userinfo":{"name":null,"email":null},"id_token":{"name":null}})", "openid", "email name",
         "name"},
        {"unknown claims", R"({"userinfo":{"shoe_size":{"essential":true},"http://x/y":null}})", "openid", "", ""},
        {"language tags", R"({"userinfo":{"name#de":null}})", "openid", "", ""},
        {"protocol claims", R"({"id_token":{"auth_time":{"essential":true},"iss":null,"acr":null,"nonce":null}})",
         "openid", "", ""},
        {"unknown places", R"({"access_token":{"email":null},"verified_claims":7,"userinfo":{}})", "openid", "", ""},
        {"not registered for the scope", R"({"userinfo":{"phone_number":null,"address":{"essential":true}}})", "openid",
         "", ""},
        {"UserInfo has it by scope", R"({"userinfo":{"email":null,"name":null}})", "openid email", "name", ""},
        {"by scope in UserInfo only", R"({"id_token":{"email":null}})", "openid email", "", "email"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto parsed = parse(row.text, row.scope);
        REQUIRE(parsed);
        CHECK(model::to_string(parsed->claims.userinfo) == row.userinfo);
        CHECK(model::to_string(parsed->claims.id_token) == row.id_token);
        CHECK_FALSE(parsed->subject.has_value());
    }
}

TEST_CASE("claims: what is not a claims request [OIDC Core §5.5a, RFC 8259]") {
    const std::string rows[] = {
        // clang-format off
        "", "{", "{}{}", "null", "[]", "\"userinfo\"", "1", "{'userinfo':{}}", R"({"userinfo":{},})",
        R"({"userinfo":{},"userinfo":{}})", R"({"userinfo":{"email":null,"email":null}})", R"({"userinfo":null})",
        R"({"userinfo":[]})", R"({"userinfo":"email"})", R"({"id_token":true})", R"({"id_token":["email"]})",
        R"({"userinfo":{"email":true}})", R"({"userinfo":{"email":"x"}})", R"({"userinfo":{"email":[]}})",
        R"({"userinfo":{"unknown":1}})", R"({"userinfo":{"email":{"essential":"true"}}})",
        R"({"userinfo":{"email":{"essential":1}}})", R"({"userinfo":{"email":{"essential":null}}})",
        R"({"userinfo":{"email":{"values":"x"}}})", R"({"userinfo":{"email":{"values":{}}}})",
        R"({"id_token":{"acr":{"values":null}}})",
        // clang-format on
        "{\"userinfo\":{\"a\":{\"x\":" + std::string(20, '[') + std::string(20, ']') + "}}}",
        R"({"x":[)" + many_zeros() + "]}",
        "{\"x\":\"" + std::string(4100, 'x') + "\"}",
    };
    for (const std::string& text : rows) {
        CAPTURE(text.substr(0, 60));
        const auto parsed = parse(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == ErrorCode::invalid_request);
    }
}

TEST_CASE("claims: sub with a value is the one acceptable user [OIDC Core §3.1.2.2, §5.5.1]") {
    struct Row {
        const char* text;
        const char* subject;  ///< nullptr: invalid_request
    };
    const Row rows[] = {
        {R"({"id_token":{"sub":null}})", ""},
        {R"({"id_token":{"sub":{"essential":true}}})", ""},
        {R"({"id_token":{"sub":{"value":"248289761001"}}})", "248289761001"},
        {R"({"id_token":{"sub":{"value":"248289761001","essential":false}}})", "248289761001"},
        {R"({"userinfo":{"sub":{"value":"248289761001"}}})", "248289761001"},
        {R"({"id_token":{"sub":{"values":["248289761001"]}}})", "248289761001"},
        {R"({"id_token":{"sub":{"value":"1","values":["1","1"]}},"userinfo":{"sub":{"value":"1"}}})", "1"},
        {R"({"id_token":{"sub":{"values":["1","2"]}}})", nullptr},
        {R"({"id_token":{"sub":{"value":"1","values":["2"]}}})", nullptr},
        {R"({"id_token":{"sub":{"value":"1"}},"userinfo":{"sub":{"value":"2"}}})", nullptr},
        {R"({"id_token":{"sub":{"values":[]}}})", nullptr},
        {R"({"id_token":{"sub":{"value":""}}})", nullptr},
        {R"({"id_token":{"sub":{"value":248289761001}}})", nullptr},
        {R"({"id_token":{"sub":{"value":null}}})", nullptr},
        {R"({"access_token":{"sub":{"value":"1"}}})", ""},
        {R"({"id_token":{"Sub":{"value":"1"}}})", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto parsed = parse(row.text);
        REQUIRE(static_cast<bool>(parsed) == (row.subject != nullptr));
        if (!parsed) CHECK(parsed.error().code == ErrorCode::invalid_request);
        if (parsed) CHECK(parsed->subject.value_or(model::Subject("")) == model::Subject(row.subject));
        if (parsed) CHECK(parsed->claims.empty());
    }
}

TEST_CASE(
    "claims: an essential acr that this server cannot meet ends the request, and nothing else does [OIDC Core §5.5.1.1a]") {
    struct Row {
        std::string how;
        bool met;
    };
    const Row rows[] = {
        {"null", true},
        {R"({"essential":true})", true},
        {R"({"value":"urn:x"})", true},
        {R"({"values":["urn:x"]})", true},
        {R"({"essential":false,"values":["urn:x"]})", true},
        {R"({"essential":true,"value":")" + kOurs + "\"}", true},
        {R"({"essential":true,"values":["urn:x",")" + kOurs + "\"]}", true},
        {R"({"essential":true,"value":"urn:x","values":[")" + kOurs + "\"]}", true},
        {R"({"essential":true,"value":"urn:x"})", false},
        {R"({"essential":true,"values":["urn:x","urn:y"]})", false},
        {R"({"essential":true,"values":[]})", false},
        {R"({"essential":true,"value":1})", false},
        {R"({"essential":true,"value":")" + kOurs + "x\"}", false},
        {R"({"essential":true,"value":"pwd"})", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.how);
        const auto parsed = parse("{\"id_token\":{\"acr\":" + row.how + "}}");
        CHECK(static_cast<bool>(parsed) == row.met);
        if (!parsed) CHECK(parsed.error().code == ErrorCode::unmet_authentication_requirements);
        // UserInfo says nothing about how somebody logged in, so it is no requirement there.
        CHECK(parse("{\"userinfo\":{\"acr\":" + row.how + "}}"));
    }
}

TEST_CASE("check_claims: a claim whose scope the client has lost is refused") {
    CHECK(oauth::check_claims({}, client(), {}));
    CHECK(oauth::check_claims({}, client(), {{"email"}, {"name"}}));
    for (const model::RequestedClaims& lost :
         {model::RequestedClaims{{"phone_number"}, {}}, model::RequestedClaims{{"email"}, {"address"}}}) {
        const auto checked = oauth::check_claims({}, client(), lost);
        REQUIRE_FALSE(checked);
        CHECK(checked.error().code == ErrorCode::invalid_scope);
    }
}

TEST_CASE(
    "claims: where the web server authenticates users, no essential acr value can be met, this server's included [OIDC Core §5.5.1.1]") {
    oauth::Settings settings;
    settings.login.method = login::Method::remote_user;
    const auto verdict = [&](const std::string& acr) {
        const auto parsed = oauth::parse_claims_parameter(settings, client(), *model::Scope::parse("openid"),
                                                          R"({"id_token":{"acr":)" + acr + "}}");
        return parsed ? "" : std::string(oauth::wire_name(parsed.error().code));
    };
    CHECK(verdict(R"({"essential":true,"value":")" + kOurs + "\"}") == "unmet_authentication_requirements");
    CHECK(verdict(R"({"essential":true,"values":[")" + kOurs + "\"]}") == "unmet_authentication_requirements");
    CHECK(verdict(R"({"value":")" + kOurs + "\"}").empty());
    CHECK(verdict(R"({"essential":true})").empty());
    CHECK(verdict("null").empty());
}
