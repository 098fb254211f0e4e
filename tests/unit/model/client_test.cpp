#include "model/client.h"

#include <doctest/doctest.h>

using namespace postern::model;

TEST_CASE("client properties: each value has one registered name [RFC 7591 §2]") {
    const std::pair<GrantType, const char*> grants[] = {
        {GrantType::authorization_code, "authorization_code"},
        {GrantType::refresh_token, "refresh_token"},
        {GrantType::client_credentials, "client_credentials"},
        {GrantType::implicit, "implicit"},
        {GrantType::device_code, "urn:ietf:params:oauth:grant-type:device_code"},
    };
    for (const auto& [value, name] : grants) {
        CHECK(to_string(value) == name);
        CHECK(parse_grant_type(name) == value);
    }
    const std::pair<AuthMethod, const char*> methods[] = {
        {AuthMethod::client_secret, "client_secret"},
        {AuthMethod::client_secret_basic, "client_secret_basic"},
        {AuthMethod::client_secret_post, "client_secret_post"},
        {AuthMethod::none, "none"},
    };
    for (const auto& [value, name] : methods) {
        CHECK(to_string(value) == name);
        CHECK(parse_auth_method(name) == value);
    }
    const std::pair<Pkce, const char*> pkce[] = {{Pkce::required, "required"}, {Pkce::optional, "optional"}};
    for (const auto& [value, name] : pkce) {
        CHECK(to_string(value) == name);
        CHECK(parse_pkce(name) == value);
    }
}

TEST_CASE("client properties: no other spelling is understood") {
    for (const char* name : {"", "Authorization_code", "authorization_code ", "authorization-code", "password", "code",
                             "client_secret_jwt", "None", "REQUIRED", "plain"}) {
        CAPTURE(name);
        CHECK_FALSE(parse_grant_type(name));
        CHECK_FALSE(parse_auth_method(name));
        CHECK_FALSE(parse_pkce(name));
    }
}

TEST_CASE("client: the response types that it may ask for are those it names, else those of its grants [HYB-1]") {
    using enum ResponseType;
    using Types = std::set<ResponseType>;
    struct Row {
        std::set<GrantType> grants;
        Types named;
        Types expected;
    };
    const std::set<GrantType> both = {GrantType::authorization_code, GrantType::implicit};
    const Row rows[] = {
        {{GrantType::authorization_code, GrantType::refresh_token}, {}, {code}},
        {{GrantType::implicit}, {}, {token}},
        {both, {}, {code, token}},
        {{GrantType::client_credentials}, {}, {}},
        {both, {code_id_token, id_token}, {code_id_token, id_token}},
        {{GrantType::implicit}, {code_id_token, id_token, code_token}, {id_token}},
        {{GrantType::authorization_code}, {code, code_id_token, id_token, code_token}, {code}},
    };
    for (const Row& row : rows) {
        Client client;
        client.grants = row.grants;
        client.response_types = row.named;
        CHECK(response_types_of(client) == row.expected);
    }
}
