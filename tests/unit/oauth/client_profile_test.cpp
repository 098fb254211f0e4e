// The rules of a FAPI 2.0 profile about a registration, one row each.
#include "oauth/client_profile.h"

#include <doctest/doctest.h>

#include <functional>

#include "json/reader.h"
#include "oauth/client_demands.h"
#include "oauth/registration.h"
#include "oauth/registration_request.h"
#include "oauth/signed_response.h"

using namespace postern;
using crypto::Algorithm;
using model::AuthMethod;
using model::Client;
using model::GrantType;
using model::SecurityProfile;

namespace {

std::string key_set(const std::string& members) { return R"({"keys":[{)" + members + "}]}"; }

const std::string kEcKey =
    R"("kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")";
const std::string kRsaKey =
    R"("kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB")";

Client fitting_client() {
    Client client;
    client.id = model::ClientId("bank");
    client.name = "Bank";
    client.security_profile = SecurityProfile::fapi2;
    client.auth_method = AuthMethod::private_key_jwt;
    client.keys = model::ClientKeys{};
    client.keys->jwks = key_set(kEcKey + R"(,"kid":"one")");
    client.dpop_bound = true;
    client.pkce = model::Pkce::required;
    client.grants = {GrantType::authorization_code, GrantType::refresh_token, GrantType::client_credentials};
    client.scope = *model::Scope::parse("openid");
    client.redirect_uris = {"https://bank.example/cb"};
    return client;
}

oauth::Settings fitting_settings() {
    oauth::Settings settings;
    settings.issuer = "https://id.example.org";
    settings.oidc = true;
    settings.paths.par = "/par";
    settings.dpop = true;
    settings.assertions.enabled = true;
    settings.jarm = true;
    settings.id_token_algorithms = {Algorithm::RS256, Algorithm::PS256, Algorithm::ES256};
    return settings;
}

bool mentions(const std::vector<std::string>& sentences, std::string_view words) {
    for (const std::string& sentence : sentences)
        if (sentence.find(words) != std::string::npos) return true;
    return false;
}

}  // namespace

TEST_CASE(
    "profiles: a change breaks its rule, when saved and at a request [F2-R1, F2-R2, F2-R3, F2-R4, F2-R5, F2-R6, F2-R7, F2-R8, F2-R9, F2-R10, F2-R11, F2-50, F2-S2, HYB-8, F2-21]") {
    struct Row {
        const char* rule;
        std::function<void(Client&, oauth::Settings&)> change;
        const char* words;  ///< a part of the sentence; "": it fits
    };
    const Row rows[] = {
        {"fits", [](Client&, oauth::Settings&) {}, ""},
        {"F2-R1",
         [](Client& c, oauth::Settings&) {
             c.type = model::ClientType::public_;
             c.auth_method = AuthMethod::none;
             c.keys.reset();
         },
         "clients that authenticate"},
        {"F2-R2",
         [](Client& c, oauth::Settings&) {
             c.auth_method = AuthMethod::client_secret_basic;
             c.keys.reset();
         },
         "no client secrets"},
        {"F2-R2",
         [](Client& c, oauth::Settings&) {
             c.auth_method = AuthMethod::client_secret;
             c.keys.reset();
         },
         "no client secrets"},
        {"F2-R3", [](Client& c, oauth::Settings&) { c.keys->jwks = key_set(kEcKey); }, "no \"kid\""},
        {"F2-R3", [](Client& c, oauth::Settings&) { c.keys->jwks = key_set(kRsaKey + R"(,"kid":"r","alg":"RS256")"); },
         "a key of the client is for RS256"},
        {"F2-R3", [](Client& c, oauth::Settings&) { c.keys->jwks = key_set(kRsaKey + R"(,"kid":"r","alg":"PS256")"); },
         ""},
        {"F2-R3, for PS256", [](Client& c, oauth::Settings&) { c.keys->jwks = key_set(kRsaKey + R"(,"kid":"r")"); },
         ""},
        {"F2-R3",
         [](Client& c, oauth::Settings&) {
             c.keys->jwks = key_set(kRsaKey + R"(,"kid":"r")");
             c.keys->alg = "RS256";
         },
         "no signatures by RS256; use --token-endpoint-auth-signing-alg"},
        {"F2-R3",
         [](Client& c, oauth::Settings&) {
             c.keys->jwks = key_set(kRsaKey + R"(,"kid":"r")");
             c.request_object_alg = "RS256";
         },
         "--request-object-signing-alg"},
        {"F2-R4", [](Client& c, oauth::Settings&) { c.dpop_bound = false; }, "--dpop-bound-access-tokens"},
        {"F2-R4, bound twice",
         [](Client& c, oauth::Settings& s) {
             s.mtls.emplace();
             c.tls_bound = true;
         },
         "one way to bind them"},
        {"F2-R4, by a certificate",
         [](Client& c, oauth::Settings& s) {
             s.mtls.emplace();
             c.dpop_bound = false;
             c.tls_bound = true;
         },
         ""},
        {"F2-R5", [](Client& c, oauth::Settings&) { c.grants.insert(GrantType::device_code); }, "alone; name those"},
        {"F2-R5, F2-R6",
         [](Client& c, oauth::Settings& s) {
             c.grants.insert(GrantType::implicit);
             s.response_types = {model::ResponseType::code, model::ResponseType::token};
         },
         "alone; name those"},
        {"F2-R6",
         [](Client& c, oauth::Settings& s) {
             c.grants.insert(GrantType::implicit);
             c.response_types = {model::ResponseType::code_id_token};
             s.response_types = {model::ResponseType::code, model::ResponseType::code_id_token};
         },
         "the response type code alone"},
        {"F2-R5, machine",
         [](Client& c, oauth::Settings&) {
             c.grants = {GrantType::client_credentials};
             c.redirect_uris.clear();
         },
         ""},
        {"F2-R7", [](Client& c, oauth::Settings&) { c.pkce = model::Pkce::optional; }, "wants PKCE"},
        {"F2-R8", [](Client& c, oauth::Settings&) { c.redirect_uris = {"http://127.0.0.1/cb"}; },
         "redirect URIs of https alone"},
        {"F2-R8, native",
         [](Client& c, oauth::Settings&) {
             c.native = true;
             c.redirect_uris = {"http://127.0.0.1/cb", "https://bank.example/cb"};
         },
         ""},
        {"F2-R8",
         [](Client& c, oauth::Settings&) {
             c.native = true;
             c.redirect_uris = {"com.example.bank:/cb"};
         },
         "redirect URIs of https alone"},
        {"F2-R9", [](Client& c, oauth::Settings&) { c.id_token_algorithm = Algorithm::RS256; },
         "--id-token-signed-response-alg"},
        {"F2-R9", [](Client& c, oauth::Settings&) { c.response_algorithm = Algorithm::RS256; },
         "--authorization-signed-response-alg"},
        {"F2-R9", [](Client& c, oauth::Settings&) { c.id_token_algorithm = Algorithm::ES256; }, ""},
        {"F2-R9", [](Client&, oauth::Settings& s) { s.id_token_algorithms = {Algorithm::RS256}; },
         "to \"idTokenAlgorithms\""},
        {"F2-50", [](Client&, oauth::Settings& s) { s.access_token_algorithm = Algorithm::RS256; },
         "\"accessTokenAlgorithm\""},
        {"F2-50", [](Client&, oauth::Settings& s) { s.access_token_algorithm = Algorithm::PS256; }, ""},
        {"F2-50, of rfc9068",
         [](Client& c, oauth::Settings& s) {
             c.access_token_profile = model::TokenProfile::rfc9068;
             c.default_resource = "https://api.example/";
             s.id_token_algorithms = {Algorithm::RS256, Algorithm::ES256};
         },
         "\"accessTokenAlgorithm\""},
        {"F2-R10", [](Client&, oauth::Settings& s) { s.paths.par.reset(); }, "\"paths.par\""},
        {"F2-R11", [](Client& c, oauth::Settings&) { c.security_profile = SecurityProfile::fapi2_message_signing; },
         "signed requests alone"},
        {"F2-R11",
         [](Client& c, oauth::Settings& s) {
             c.security_profile = SecurityProfile::fapi2_message_signing;
             s.jarm = false;
         },
         "signed answers alone"},
        {"F2-R11",
         [](Client& c, oauth::Settings&) {
             c.security_profile = SecurityProfile::fapi2_message_signing;
             c.response_modes = {"jwt", "query.jwt"};
         },
         "the response mode jwt alone"},
        {"F2-S1, a part of Message Signing", [](Client& c, oauth::Settings&) { c.response_modes = {"jwt"}; }, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.rule);
        CAPTURE(row.words);
        Client client = fitting_client();
        oauth::Settings settings = fitting_settings();
        row.change(client, settings);
        const auto saved = oauth::registration_problems(client, settings);
        const auto met = oauth::check_demands(settings, client);
        if (std::string(row.words).empty()) {
            CHECK(saved.empty());
            CHECK(met);
        } else {
            CHECK(mentions(saved, row.words));
            REQUIRE_FALSE(met);
            CHECK(met.error().code == oauth::ErrorCode::unauthorized_client);
        }
        // The same client without the profile breaks none of these rules.
        client.security_profile = SecurityProfile::none;
        CHECK(oauth::profile_problems(client, settings).empty());
        // An issuer-wide profile holds it to them all the same, and the stricter of both counts.
        if (!std::string(row.words).empty()) {
            settings.security_profile = SecurityProfile::fapi2_message_signing;
            CHECK(mentions(oauth::profile_problems(client, settings), row.words));
            client.security_profile = SecurityProfile::fapi2;
            CHECK(mentions(oauth::profile_problems(client, settings), "signed requests alone"));
        }
    }
}

TEST_CASE("profiles: two keys with one kid are advised against, and taken [F2-54]") {
    Client client = fitting_client();
    client.keys->jwks = R"({"keys":[{)" + kEcKey + R"(,"kid":"one"},{)" + kRsaKey + R"(,"kid":"one"}]})";
    CHECK(oauth::registration_problems(client, fitting_settings()).empty());
    CHECK(mentions(oauth::registration_advice(client, fitting_settings()), "the same \"kid\""));
    client.security_profile = SecurityProfile::none;
    CHECK_FALSE(mentions(oauth::registration_advice(client, fitting_settings()), "the same \"kid\""));
}

TEST_CASE("profiles: all problems are in one list [F2-S2]") {
    Client client = fitting_client();
    client.pkce = model::Pkce::optional;
    client.dpop_bound = false;
    client.redirect_uris = {"http://localhost/cb"};
    CHECK(oauth::profile_problems(client, fitting_settings()).size() == 3);
}

TEST_CASE("profiles: the algorithm of a client with a profile is the first that it may have [F2-R9, ALG-1]") {
    const oauth::Settings settings = fitting_settings();
    Client client = fitting_client();
    CHECK(oauth::wanted_id_token_algorithm(settings, client) == Algorithm::PS256);
    CHECK(oauth::wanted_response_algorithm(settings, client) == Algorithm::PS256);
    client.id_token_algorithm = Algorithm::ES256;
    client.response_algorithm = Algorithm::ES256;
    CHECK(oauth::wanted_id_token_algorithm(settings, client) == Algorithm::ES256);
    CHECK(oauth::wanted_response_algorithm(settings, client) == Algorithm::ES256);
    const Client other;
    CHECK(oauth::wanted_id_token_algorithm(settings, other) == Algorithm::RS256);
    CHECK(oauth::wanted_response_algorithm(settings, other) == Algorithm::RS256);
}

TEST_CASE("profiles: who is told sid [F2-35]") {
    const oauth::Settings settings = fitting_settings();
    Client client = fitting_client();
    CHECK_FALSE(oauth::is_told_sid(settings, client));
    client.logout.frontchannel = "https://bank.example/out";
    CHECK(oauth::is_told_sid(settings, client));
    client.logout = {.backchannel = "https://bank.example/out"};
    CHECK(oauth::is_told_sid(settings, client));
    client.logout = {};
    client.security_profile = SecurityProfile::none;
    CHECK(oauth::is_told_sid(settings, client));
}

TEST_CASE("profiles: the response modes of Message Signing are jwt alone, and its answers are signed [F2-R11, F2-67]") {
    oauth::Settings settings = fitting_settings();
    Client client = fitting_client();
    CHECK(oauth::response_modes_of(settings, client).empty());
    CHECK_FALSE(oauth::demands_signed_answers(settings, client));
    settings.security_profile = SecurityProfile::fapi2_message_signing;
    CHECK(oauth::response_modes_of(settings, client) == std::set<std::string>{"jwt"});
    CHECK(oauth::demands_signed_answers(settings, client));
    settings.request_objects = true;
    CHECK(oauth::profile_problems(client, settings).empty());
    CHECK(oauth::check_demands(settings, client));
    CHECK(oauth::check_is_signed(settings, client, true));
    CHECK_FALSE(oauth::check_is_signed(settings, client, false));
    CHECK_FALSE(oauth::check_may_be_direct(settings, client));
    settings.security_profile = SecurityProfile::fapi2;
    CHECK(oauth::check_is_signed(settings, client, false));
}

TEST_CASE(
    "profiles: who registers itself under a profile of the configuration must fit it, and names none [F2-S5, REG-18]") {
    oauth::Settings settings = fitting_settings();
    settings.registration.mode = oauth::RegistrationMode::token;
    settings.security_profile = SecurityProfile::fapi2;
    settings.id_token_algorithms = {Algorithm::ES256};
    const std::string uris = R"("redirect_uris":["https://bank.example/cb"])";
    const std::string keys =
        R"(,"token_endpoint_auth_method":"private_key_jwt","jwks":)" + key_set(kEcKey + R"(,"kid":"one")");
    const std::string bound = R"(,"dpop_bound_access_tokens":true)";
    struct Row {
        const char* when;
        std::string members;
        bool is_taken;
    };
    const Row rows[] = {
        {"fits", uris + keys + bound, true},
        {"names a profile", uris + keys + bound + R"(,"profile":"none")", true},
        {"bearer tokens", uris + keys, false},
        {"a secret", uris + bound, false},
        {"public", uris + bound + R"(,"token_endpoint_auth_method":"none")", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto body = json::parse("{" + row.members + "}");
        REQUIRE(body);
        const auto client = oauth::read_registration(*body->if_object(), settings, oauth::Registrant::token_holder);
        CHECK(static_cast<bool>(client) == row.is_taken);
        if (!client) continue;
        CHECK(client->pkce == model::Pkce::required);
        CHECK(client->security_profile == SecurityProfile::none);  // the operator's to give
    }
}
