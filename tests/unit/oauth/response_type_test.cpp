// The response types that are offered, those that a client is registered for, and the demands of an ID token in the
// answer (OpenID Connect Core §3.2.2.1, §3.3.2.1).
#include "oauth/response_type.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "oauth/authorization_request.h"
#include "refusal/rows.h"
#include "store/clients.h"
#include "support/rules_fixture.h"

using namespace postern;
using model::GrantType;
using model::ResponseType;

namespace {

/// A server that offers every response type, and a client of all grants.
struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client client = fixture.add_confidential("app", "https://app.example/cb", "s");

    Fixture() {
        fixture.settings.oidc = true;
        fixture.settings.response_types.assign(model::kResponseTypes.begin(), model::kResponseTypes.end());
        client.grants = {GrantType::authorization_code, GrantType::refresh_token, GrantType::implicit};
        client.response_types.insert(model::kResponseTypes.begin(), model::kResponseTypes.end());
        save();
    }

    void save() {
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        REQUIRE(store::update_client(transaction, client));
        transaction.commit();
    }

    oauth::Outcome<model::AuthorizationRequest> ask(const std::string& query) {
        const http::Params params = test::params("client_id=app&" + query);
        const auto target = oauth::verify_redirect(context, params);
        REQUIRE(target);
        return oauth::parse_authorization_request(context, *target, params);
    }

    /// The word of the reason; "" for a request that is in order.
    std::string verdict(const std::string& query) {
        const auto asked = ask(query);
        return asked ? "" : refusal::row_of(asked.error().reason).word;
    }
};

const std::string kGood = "&scope=openid&nonce=n";

}  // namespace

TEST_CASE("response types: an unknown one, one that is off and one of others are told apart [HYB-1]") {
    Fixture f;
    for (const ResponseType type : model::kResponseTypes) {
        CAPTURE(to_string(type));
        std::string words(to_string(type));
        std::replace(words.begin(), words.end(), ' ', '+');
        const std::string request = "response_type=" + words + kGood;
        CHECK(f.verdict(request) == "");
        const auto all = f.fixture.settings.response_types;
        std::erase(f.fixture.settings.response_types, type);
        CHECK(f.verdict(request) == "unsupported_response_type_off");
        f.fixture.settings.response_types = all;
        f.client.response_types.erase(type);
        f.save();
        CHECK(f.verdict(request) == "unauthorized_client_response_type");
        f.client.response_types.insert(type);
        for (const GrantType grant : {GrantType::authorization_code, GrantType::implicit}) {
            f.client.grants = {grant};
            f.save();
            const bool needs_another =
                grant == GrantType::implicit ? model::yields_code(type) : model::yields_any_token(type);
            CHECK(f.verdict(request) == (needs_another ? "unauthorized_client" : ""));
        }
        f.client.grants = {GrantType::authorization_code, GrantType::implicit};
        f.save();
    }
    for (const char* type : {"none", "code+none", "code+code", "Code", "code++token", "id_token+"})
        CHECK(f.verdict("response_type=" + std::string(type) + kGood) == "unsupported_response_type");
    const auto any_order = f.ask("response_type=token+id_token+code" + kGood);
    REQUIRE(any_order);
    CHECK(any_order->response_type == ResponseType::code_id_token_token);
}

TEST_CASE(
    "response types: an ID token needs openid and a nonce, a token beside a code needs neither [HYB-2, OIDC Core "
    "§3.2.2.1b, §3.3.2.1]") {
    Fixture f;
    struct Row {
        const char* type;
        const char* rest;
        const char* verdict;
    };
    const Row rows[] = {
        {"id_token", "&scope=openid", "invalid_request_nonce_required"},
        {"id_token", "&scope=openid&nonce=", "invalid_request_nonce_required"},
        {"id_token", "&scope=email&nonce=n", "invalid_request_id_token_without_openid"},
        {"id_token", "&nonce=n", "invalid_request_id_token_without_openid"},
        {"id_token", "&scope=email", "invalid_request_id_token_without_openid"},
        {"id_token+token", "&scope=openid", "invalid_request_nonce_required"},
        {"code+id_token", "&scope=openid", "invalid_request_nonce_required"},
        {"code+id_token+token", "&scope=openid", "invalid_request_nonce_required"},
        {"code+token", "&scope=openid", ""},
        {"code+token", "&scope=email", ""},
        {"token", "&scope=openid", ""},
        {"code", "&scope=openid", ""},
        // What is wrong before it is said first: the suite sends the nonce in the request object alone.
        {"id_token", "&scope=openid&request=e30.e30.", "request_not_supported"},
        {"code+id_token", "&scope=openid&response_mode=query", "invalid_request_query_mode"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.type);
        CAPTURE(row.rest);
        CHECK(f.verdict("response_type=" + std::string(row.type) + row.rest) == row.verdict);
    }
}

TEST_CASE("response types: no ID token can be signed, and the user is not asked first [ALG-1, RFC 6749 §4.1.2.1]") {
    Fixture f;
    f.client.id_token_algorithm = crypto::Algorithm::EdDSA;
    f.save();
    for (const std::string type : {"id_token", "code", "code+token", "code+id_token"})
        CHECK(f.verdict("response_type=" + type + kGood) == "server_error");
    CHECK(f.verdict("response_type=token" + kGood).empty());
    CHECK(f.verdict("response_type=code&scope=email").empty());
    f.fixture.settings.id_token_algorithms.push_back(crypto::Algorithm::EdDSA);
    CHECK(f.verdict("response_type=id_token" + kGood).empty());
}

TEST_CASE("response types: fragment or form, never the query [HYB-3, Multiple Response Types §5b]") {
    Fixture f;
    for (const char* type :
         {"token", "id_token", "id_token+token", "code+id_token", "code+token", "code+id_token+token"}) {
        CAPTURE(type);
        const std::string request = "response_type=" + std::string(type) + kGood;
        REQUIRE(f.ask(request));
        CHECK(f.ask(request)->response_mode == model::ResponseMode::fragment);
        CHECK(f.ask(request + "&response_mode=form_post")->response_mode == model::ResponseMode::form_post);
        CHECK(f.verdict(request + "&response_mode=query") == "invalid_request_query_mode");
    }
}

TEST_CASE("response types: a challenge binds a code, and is demanded for no other answer [HYB-1]") {
    Fixture f;
    f.client.pkce = model::Pkce::required;
    f.save();
    const std::string plain = "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=plain";
    for (const ResponseType type : model::kResponseTypes) {
        CAPTURE(to_string(type));
        std::string words(to_string(type));
        std::replace(words.begin(), words.end(), ' ', '+');
        const std::string request = "response_type=" + words + kGood;
        CHECK(f.verdict(request) == (model::yields_code(type) ? "invalid_request_pkce_required" : ""));
        CHECK(f.verdict(request + plain) == (model::yields_code(type) ? "invalid_request_challenge_not_s256" : ""));
    }
}

TEST_CASE("response types: offline access comes with a code only [OIDC Core §11c]") {
    Fixture f;
    const std::string rest = "&scope=openid+offline_access&nonce=n";
    for (const char* type : {"token", "id_token", "id_token+token"})
        CHECK(f.ask("response_type=" + std::string(type) + rest)->scope.to_string() == "openid");
    for (const char* type : {"code+id_token", "code+token", "code+id_token+token"})
        CHECK(f.ask("response_type=" + std::string(type) + rest)->scope.to_string() == "openid offline_access");
}

TEST_CASE("response types: claims are asked for where there is a place to tell them [OIDC Core §5.5, HYB-5]") {
    Fixture f;
    const std::string rest = kGood + R"(&claims={"userinfo":{"name":null},"id_token":{"email":null}})";
    const auto asked = [&](const char* type) {
        const auto request = f.ask("response_type=" + std::string(type) + rest);
        REQUIRE(request);
        return model::to_string(request->claims.userinfo) + "|" + model::to_string(request->claims.id_token);
    };
    CHECK(asked("token") == "name|");
    CHECK(asked("id_token") == "|email");
    for (const char* type : {"code", "id_token+token", "code+id_token", "code+token", "code+id_token+token"})
        CHECK(asked(type) == "name|email");
}

TEST_CASE("response types: a state or nonce with which an answer would be too long for a URL is refused [HYB-3]") {
    Fixture f;
    const auto request = [&](const char* type, std::size_t state, std::size_t nonce) {
        return "response_type=" + std::string(type) + "&scope=openid&nonce=" + std::string(nonce, 'n') +
               "&state=" + std::string(state, 's');
    };
    CHECK(f.verdict(request("id_token", 4000, 100)) == "");
    CHECK(f.verdict(request("id_token", 100, 3000)) == "");
    CHECK(f.verdict(request("code+id_token+token", 3000, 100)) == "");
    CHECK(f.verdict(request("code+id_token+token", 4096, 600)) == "invalid_request");
    CHECK(f.verdict(request("code+id_token+token", 4096, 600) + "&response_mode=form_post") == "");
}
