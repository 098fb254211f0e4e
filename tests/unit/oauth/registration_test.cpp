#include "oauth/registration.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

using namespace postern;
using model::AuthMethod;
using model::Client;
using model::ClientType;
using model::GrantType;

namespace {

Client web_client() {
    Client client;
    client.id = model::ClientId("web");
    client.name = "Web";
    client.grants = {GrantType::authorization_code, GrantType::refresh_token};
    client.scope = *model::Scope::parse("openid profile email");
    client.redirect_uris = {"https://app.example.org/callback"};
    return client;
}

Client public_client() {
    Client client = web_client();
    client.type = ClientType::public_;
    client.auth_method = AuthMethod::none;
    client.pkce = model::Pkce::required;
    return client;
}

oauth::Settings settings() {
    oauth::Settings settings;
    settings.issuer = "https://id.example.org";
    settings.oidc = true;
    return settings;
}

bool mentions(const std::vector<std::string>& sentences, std::string_view words) {
    return std::ranges::any_of(sentences,
                               [&](const std::string& sentence) { return sentence.find(words) != sentence.npos; });
}

}  // namespace

TEST_CASE("registration: the two usual clients have no problem and need no advice") {
    for (const Client& client : {web_client(), public_client()}) {
        CHECK(oauth::registration_problems(client, settings()).empty());
        CHECK(oauth::registration_advice(client, settings()).empty());
    }
}

TEST_CASE(
    "registration: one change breaks one rule, and only that one is reported [RFC 6749 §2.1, §2.2c, §3.1.2.2ab, §4.4, "
    "§10.1, §A.1, RP-Initiated Logout §2h]") {
    struct Row {
        const char* when;
        Client (*start)();
        std::function<void(Client&)> change;
        const char* words;
    };
    const Row rows[] = {
        {"empty id", web_client, [](Client& c) { c.id = model::ClientId(""); }, "1 to 128"},
        {"id of 129", web_client, [](Client& c) { c.id = model::ClientId(std::string(129, 'a')); }, "1 to 128"},
        {"blank in the id", web_client, [](Client& c) { c.id = model::ClientId("a b"); }, "printable ASCII"},
        {"colon in the id", web_client, [](Client& c) { c.id = model::ClientId("a:b"); }, "printable ASCII"},
        {"quotation mark in the id", web_client, [](Client& c) { c.id = model::ClientId("a\"b"); }, "printable ASCII"},
        {"backslash in the id", web_client, [](Client& c) { c.id = model::ClientId("a\\b"); }, "printable ASCII"},
        {"newline in the id", web_client, [](Client& c) { c.id = model::ClientId("a\nb"); }, "printable ASCII"},
        {"non-ASCII id", web_client, [](Client& c) { c.id = model::ClientId("\xc3\xa4"); }, "printable ASCII"},
        {"empty name", web_client, [](Client& c) { c.name = ""; }, "the name"},
        {"blank name", web_client, [](Client& c) { c.name = "  "; }, "the name has no character that can be seen"},
        {"Hangul filler as the name", web_client, [](Client& c) { c.name = "\u3164"; }, "the name has no character"},
        {"zero width spaces as the name", web_client, [](Client& c) { c.name = "\u200b\u200b"; },
         "the name has no character"},
        {"braille blank as the name", web_client, [](Client& c) { c.name = "\u2800"; }, "the name has no character"},
        {"name of 257", web_client, [](Client& c) { c.name = std::string(257, 'a'); }, "the name"},
        {"control character in the name", web_client, [](Client& c) { c.name = "a\x1b[2J"; }, "the name"},
        {"text direction in the name", web_client, [](Client& c) { c.name = "a\xe2\x80\xae"; }, "the name"},
        {"name is not UTF-8", web_client, [](Client& c) { c.name = "a\xff"; }, "the name"},
        {"no grant", web_client, [](Client& c) { c.grants.clear(); }, "no grant"},
        {"device_code while off", web_client, [](Client& c) { c.grants.insert(GrantType::device_code); },
         "paths.device"},
        {"implicit while off", web_client, [](Client& c) { c.grants.insert(GrantType::implicit); }, "implicit"},
        {"public with client_credentials [RFC 6749 §4.4]", public_client,
         [](Client& c) { c.grants.insert(GrantType::client_credentials); }, "client_credentials"},
        {"refresh_token beside client_credentials only [§4.4.3]", web_client,
         [](Client& c) {
             c.grants = {GrantType::client_credentials, GrantType::refresh_token};
         },
         "authorization_code"},
        {"confidential with auth none", web_client, [](Client& c) { c.auth_method = AuthMethod::none; },
         "must use the method none"},
        {"public with a secret method", public_client,
         [](Client& c) { c.auth_method = AuthMethod::client_secret_basic; }, "must use the method none"},
        {"public without PKCE [RFC 9700 §2.1.1]", public_client, [](Client& c) { c.pkce = model::Pkce::optional; },
         "PKCE"},
        {"no redirect URI [RFC 6749 §3.1.2.2]", web_client, [](Client& c) { c.redirect_uris.clear(); }, "redirect URI"},
        {"a bad second URI", web_client, [](Client& c) { c.redirect_uris.push_back("https://h/*"); },
         "\"https://h/*\" contains a wildcard"},
        {"a bad post-logout URI", web_client, [](Client& c) { c.post_logout_redirect_uris = {"https://h/#x"}; },
         "post-logout redirect URI \"https://h/#x\""},
        {"private-use scheme without native", public_client, [](Client& c) { c.redirect_uris = {"com.example:/cb"}; },
         "--native"},
        {"first-party public on loopback [RFC 8252 §8.6]", public_client,
         [](Client& c) {
             c.first_party = true;
             c.redirect_uris.push_back("http://127.0.0.1/cb");
         },
         "first-party"},
        {"first-party public on localhost", public_client,
         [](Client& c) {
             c.first_party = true;
             c.redirect_uris = {"http://localhost:1/cb"};
         },
         "first-party"},
        {"first-party public with a private-use scheme", public_client,
         [](Client& c) {
             c.first_party = c.native = true;
             c.redirect_uris = {"com.example:/cb"};
         },
         "first-party"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Client client = row.start();
        row.change(client);
        const auto problems = oauth::registration_problems(client, settings());
        REQUIRE(problems.size() == 1);
        CAPTURE(problems[0]);
        CHECK(problems[0].find(row.words) != std::string::npos);
    }
}

TEST_CASE("registration: the neighbours of a refused registration are accepted [RFC 6749 §2.2c]") {
    struct Row {
        const char* when;
        Client (*start)();
        std::function<void(Client&)> change;
    };
    const Row rows[] = {
        {"id of 128", web_client, [](Client& c) { c.id = model::ClientId(std::string(128, 'a')); }},
        {"punctuation in the id", web_client, [](Client& c) { c.id = model::ClientId("https;//a.b/c?d=e&f'%~"); }},
        {"name of 256", web_client, [](Client& c) { c.name = std::string(256, 'a'); }},
        {"name in UTF-8", web_client,
         [](Client& c) {
             c.name =
                 "B\xc3\xbc"
                 "cherei";
         }},
        {"client_credentials alone needs no URI", web_client,
         [](Client& c) {
             c.grants = {GrantType::client_credentials};
             c.redirect_uris.clear();
         }},
        {"PKCE insisted on", web_client, [](Client& c) { c.pkce = model::Pkce::required; }},
        {"narrowed to post", web_client, [](Client& c) { c.auth_method = AuthMethod::client_secret_post; }},
        {"first-party confidential on loopback", web_client,
         [](Client& c) {
             c.first_party = true;
             c.redirect_uris = {"http://127.0.0.1/cb"};
         }},
        {"first-party public on https", public_client, [](Client& c) { c.first_party = true; }},
        {"native confidential", web_client,
         [](Client& c) {
             c.native = true;
             c.redirect_uris = {"com.example:/cb"};
         }},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Client client = row.start();
        row.change(client);
        CHECK(oauth::registration_problems(client, settings()).empty());
    }
}

TEST_CASE(
    "registration: the device grant is accepted once it is offered, alone and with refresh tokens [DEV-2, COM-10]") {
    Client client = web_client();
    client.redirect_uris.clear();
    client.grants = {GrantType::device_code, GrantType::refresh_token};
    oauth::Settings offered;
    offered.paths.device = "/device";
    CHECK(oauth::registration_problems(client, offered).empty());
    CHECK_FALSE(oauth::registration_problems(client, oauth::Settings()).empty());
}

TEST_CASE("registration: a demand for pushed requests needs the endpoint, and one that lets the client push [COM-10]") {
    Client client = web_client();
    client.require_par = true;
    CHECK(mentions(oauth::registration_problems(client, settings()), "paths.par"));
    oauth::Settings offered = settings();
    offered.paths.par = "/par";
    CHECK(oauth::registration_problems(client, offered).empty());
    Client without_secret = public_client();
    without_secret.require_par = true;
    CHECK(oauth::registration_problems(without_secret, offered).empty());
    offered.par_public_clients = false;
    CHECK(mentions(oauth::registration_problems(without_secret, offered), "par.publicClients"));
    CHECK(oauth::registration_problems(client, offered).empty());
}

TEST_CASE(
    "registration: a demand for signed requests needs the feature and keys, and so does an algorithm [JAR-13, COM-10]") {
    Client client = web_client();
    client.require_signed_request = true;
    CHECK(mentions(oauth::registration_problems(client, settings()), "requestObjects"));
    oauth::Settings offered = settings();
    offered.paths.par = "/par";
    offered.request_objects = true;
    offered.assertions.enabled = true;
    CHECK(mentions(oauth::registration_problems(client, offered), "a client without keys cannot sign"));
    client.auth_method = model::AuthMethod::private_key_jwt;
    offered.outbound.enabled = true;
    client.keys = model::ClientKeys{.jwks_uri = "https://app.example.org/jwks"};
    CHECK(oauth::registration_problems(client, offered).empty());
    client.request_object_alg = "HS256";
    CHECK(mentions(oauth::registration_problems(client, offered), "the algorithm of request objects must be"));
    Client one_algorithm = web_client();
    one_algorithm.request_object_alg = "ES256";
    CHECK(mentions(oauth::registration_problems(one_algorithm, offered), "a client without keys cannot sign"));
}

TEST_CASE(
    "registration: a front-channel logout URI stays at the origin of a redirect URI, whichever of them changes [FCL-1, "
    "Front-Channel Logout §2a]") {
    Client client = web_client();
    client.logout.frontchannel = "https://app.example.org/logout";
    client.logout.frontchannel_session_required = true;
    oauth::Settings offered = settings();
    offered.frontchannel_logout = true;
    CHECK(oauth::registration_problems(client, offered).empty());
    CHECK(mentions(oauth::registration_problems(client, settings()), "frontchannelLogout"));

    client.redirect_uris = {"https://app.example.org:8443/callback"};
    const auto moved = oauth::registration_problems(client, offered);
    REQUIRE(moved.size() == 1);
    CHECK(mentions(moved, "the front-channel logout URI \"https://app.example.org/logout\" is on another site"));
    client.redirect_uris.push_back("https://app.example.org/callback");
    CHECK(oauth::registration_problems(client, offered).empty());

    client.logout.frontchannel = "http://app.example.org/logout";
    CHECK(oauth::registration_problems(client, offered).size() == 1);
    client.logout.frontchannel = "";
    CHECK(mentions(oauth::registration_problems(client, offered), "--frontchannel-logout-session-required needs"));
}

TEST_CASE("registration: implicit is accepted once the configuration allows it, and needs a redirect URI too") {
    Client client = web_client();
    client.grants = {GrantType::implicit};
    oauth::Settings allowed = settings();
    allowed.response_types.push_back(model::ResponseType::token);
    Client trusted = web_client();
    trusted.grants.insert(GrantType::implicit);
    trusted.first_party = true;
    CHECK(oauth::registration_problems(trusted, allowed).empty());
    trusted.redirect_uris = {"http://127.0.0.1/cb"};
    CHECK(oauth::registration_problems(trusted, allowed).size() == 1);
    CHECK(oauth::registration_problems(client, allowed).empty());
    client.redirect_uris.clear();
    CHECK(mentions(oauth::registration_problems(client, allowed), "need a redirect URI"));
}

TEST_CASE("registration: response types that are offered, with the grants that they need [HYB-1]") {
    using enum model::ResponseType;
    using Types = std::set<model::ResponseType>;
    using Grants = std::set<GrantType>;
    const Grants both = {GrantType::authorization_code, GrantType::implicit};
    struct Row {
        const char* when;
        std::vector<model::ResponseType> offered;
        Grants grants;
        Types types;
        const char* says;  ///< "": nothing
    };
    const Row rows[] = {
        {"hybrid", {code, code_id_token}, both, {code_id_token}, ""},
        {"several", {code, code_id_token, id_token}, both, {code, code_id_token, id_token}, ""},
        {"an ID token alone", {code, id_token}, {GrantType::implicit}, {id_token}, ""},
        {"by the grants", {code, token}, both, {}, ""},
        {"off", {code, token}, both, {code_id_token}, "add it to \"responseTypes\""},
        {"one of two is off",
         {code, code_token},
         both,
         {code_token, code_id_token},
         "\"code id_token\" is switched off"},
        {"lacks the grant for the token",
         {code, code_token},
         {GrantType::authorization_code},
         {code_token},
         "--grant implicit"},
        {"lacks the grant for the code",
         {code, code_token},
         {GrantType::implicit},
         {code_token},
         "--grant authorization_code"},
        {"lacks the grant for the ID token",
         {id_token},
         {GrantType::authorization_code},
         {id_token},
         "--grant implicit"},
        {"lacks the grant for a code alone",
         {code, token},
         {GrantType::implicit},
         {code},
         "--grant authorization_code"},
        {"the default of implicit is off",
         {code, id_token},
         {GrantType::implicit},
         {},
         "name others with --response-type"},
        {"the default of codes is off", {token}, {GrantType::authorization_code}, {}, "\"code\" is switched off"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Client client = web_client();
        client.grants = row.grants;
        client.response_types = row.types;
        oauth::Settings offering = settings();
        offering.response_types = row.offered;
        const auto problems = oauth::registration_problems(client, offering);
        CHECK(problems.size() == (*row.says == '\0' ? 0 : 1));
        CHECK((*row.says == '\0' || mentions(problems, row.says)));
    }
    Client client = web_client();
    client.grants = both;
    client.response_types = {code_id_token};
    client.scope = *model::Scope::parse("email");
    CHECK(mentions(oauth::registration_advice(client, settings()), "needs the scope openid"));
}

TEST_CASE("registration: an algorithm of ID tokens is one that is configured [ALG-1]") {
    Client client = web_client();
    client.id_token_algorithm = crypto::Algorithm::ES256;
    CHECK(mentions(oauth::registration_problems(client, settings()), "\"idTokenAlgorithms\""));
    oauth::Settings several = settings();
    several.id_token_algorithms.push_back(crypto::Algorithm::ES256);
    CHECK(oauth::registration_problems(client, several).empty());
    CHECK(oauth::id_token_algorithm_of(several, client) == crypto::Algorithm::ES256);
    CHECK_THROWS_WITH(oauth::id_token_algorithm_of(settings(), client),
                      doctest::Contains("idTokenAlgorithms has no more"));
    client.id_token_algorithm.reset();
    CHECK(oauth::id_token_algorithm_of(several, client) == crypto::Algorithm::RS256);
}

TEST_CASE("registration: signed answers, and their algorithm, are what the configuration offers [JARM-6, COM-10]") {
    oauth::Settings signing = settings();
    signing.jarm = true;
    Client client = web_client();
    client.response_modes = {"query", "jwt"};
    CHECK(mentions(oauth::registration_problems(client, settings()), "\"jarm\""));
    CHECK(oauth::registration_problems(client, signing).empty());
    client.response_modes = {"query", "form_post"};
    CHECK(oauth::registration_problems(client, settings()).empty());
    client.response_algorithm = crypto::Algorithm::RS256;
    CHECK(mentions(oauth::registration_problems(client, settings()), "\"jarm\""));
    CHECK(oauth::registration_problems(client, signing).empty());
    client.response_algorithm = crypto::Algorithm::ES256;
    CHECK(mentions(oauth::registration_problems(client, signing), "\"idTokenAlgorithms\""));
}

TEST_CASE("registration: all problems are reported together") {
    Client client = public_client();
    client.id = model::ClientId("a:b");
    client.pkce = model::Pkce::optional;
    client.redirect_uris = {"http://app.example.org/", "javascript:x"};
    CHECK(oauth::registration_problems(client, settings()).size() == 4);
}

TEST_CASE("registration: a control character of a URI does not reach the message") {
    Client client = web_client();
    client.redirect_uris = {"https://h/\x1b[2J"};
    const auto problems = oauth::registration_problems(client, settings());
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].find('\x1b') == std::string::npos);
}

TEST_CASE("registration: advice about what is legal and probably a mistake") {
    Client client = public_client();
    client.native = true;
    client.redirect_uris = {"myapp:/cb"};
    CHECK(oauth::registration_problems(client, settings()).empty());
    CHECK(mentions(oauth::registration_advice(client, settings()), "without a dot"));

    // Without --native the port is not free; with it, on localhost as well [RFC 8252 §7.3].
    for (const char* host : {"127.0.0.1", "[::1]", "localhost"}) {
        CAPTURE(host);
        client.native = true;
        client.redirect_uris = {"http://" + std::string(host) + "/cb"};
        CHECK(oauth::registration_advice(client, settings()).empty());
        client.native = false;
        CHECK(mentions(oauth::registration_advice(client, settings()), "without --native"));
        client.redirect_uris = {"http://" + std::string(host) + ":5173/cb"};
        CHECK(oauth::registration_advice(client, settings()).empty());
    }
    client.redirect_uris = {"https://h/cb"};

    oauth::Settings plain = settings();
    plain.oidc = false;
    CHECK(mentions(oauth::registration_advice(client, plain), "OpenID Connect is off"));
}

TEST_CASE("registration: claims for introspection are released by a scope, and told to a client that authenticates") {
    Client client = web_client();
    client.introspection_claims = {"email", "groups"};
    CHECK(oauth::registration_problems(client, settings()).empty());
    CHECK(oauth::registration_advice(client, settings()).empty());
    for (const char* name : {"mail", "sub", "client_id", "Email", "roles"}) {
        CAPTURE(name);
        client.introspection_claims = {"email", name};
        CHECK(mentions(oauth::registration_problems(client, settings()),
                       "\"" + std::string(name) + "\", which no scope"));
    }
    oauth::Settings with_roles = settings();
    with_roles.released_claims.add("roles", "roles");
    client.introspection_claims = {"roles"};
    CHECK(oauth::registration_problems(client, with_roles).empty());

    oauth::Settings strangers = settings();
    strangers.authenticate_introspect = false;
    client.introspection_claims = {"email"};
    CHECK(mentions(oauth::registration_advice(client, strangers), "authenticateIntrospect"));
    oauth::Settings plain = settings();
    plain.oidc = false;
    CHECK(mentions(oauth::registration_advice(client, plain), "introspection tells no claims"));

    Client page = public_client();
    page.introspection_claims = {"email"};
    CHECK(mentions(oauth::registration_problems(page, settings()), "cannot have introspection claims"));
}

TEST_CASE("registration: advice about post-logout redirect URIs [RP-Initiated Logout §3]") {
    Client client = web_client();
    client.post_logout_redirect_uris = {"http://127.0.0.1/bye", "https://h/bye"};
    CHECK(oauth::registration_advice(client, settings()).empty());
    client.native = true;
    CHECK(oauth::registration_advice(client, settings()).size() == 1);
    CHECK(mentions(oauth::registration_advice(client, settings()), "\"http://127.0.0.1/bye\": the port must be"));

    client = web_client();
    client.scope = {};
    oauth::Settings plain = settings();
    plain.oidc = false;
    CHECK(oauth::registration_advice(client, plain).empty());
    client.post_logout_redirect_uris = {"https://h/bye"};
    CHECK(oauth::registration_problems(client, plain).empty());
    CHECK(mentions(oauth::registration_advice(client, plain), "post-logout redirect URIs do nothing"));
}

TEST_CASE(
    "registration: an operator's own secret is 32 to 512 printable ASCII characters [RFC 6749 §2.3.1f, §A.1, §A.2, "
    "OIDC Core §16.19, C03, C11]") {
    CHECK_FALSE(oauth::client_secret_problem(std::string(32, 'a')));
    CHECK_FALSE(oauth::client_secret_problem(std::string(512, '~')));
    CHECK_FALSE(oauth::client_secret_problem("with blank, \"quotes\", \\ and : inside"));
    CHECK(oauth::client_secret_problem(""));
    CHECK(oauth::client_secret_problem(std::string(31, 'a')));
    CHECK(oauth::client_secret_problem(std::string(513, 'a')));
    CHECK(oauth::client_secret_problem(std::string(32, 'a') + "\n"));
    CHECK(oauth::client_secret_problem(std::string(32, 'a') + " ").value_or("").find("a blank") != std::string::npos);
    CHECK(oauth::client_secret_problem(" " + std::string(32, 'a')).value_or("").find("a blank") != std::string::npos);
    CHECK(oauth::client_secret_problem(std::string(32, 'a') + "\xc3\xa4"));
}

TEST_CASE(
    "registration_problems: the URL of a document can be an id, in its one spelling and without a secret [CIMD-1]") {
    struct Row {
        std::string id;
        bool is_public;
        bool good;
    };
    const Row rows[] = {
        {"https://app.example/client.json", true, true},
        {"https://app.example/" + std::string(492, 'a'), true, true},
        {"https://app.example/" + std::string(493, 'a'), true, false},
        {"https://app.example/client.json", false, false},
        {"https://app.example/../client.json", true, false},
        {"https://APP.example/client.json", true, false},
        {"http://app.example/client.json", true, false},
        {"app:web", true, false},
    };
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    for (const Row& row : rows) {
        CAPTURE(row.id);
        model::Client client;
        client.id = model::ClientId(row.id);
        client.name = "App";
        client.grants = {model::GrantType::authorization_code};
        client.redirect_uris = {"https://app.example/cb"};
        if (row.is_public) {
            client.type = model::ClientType::public_;
            client.auth_method = model::AuthMethod::none;
            client.pkce = model::Pkce::required;
        }
        CHECK(oauth::registration_problems(client, settings).empty() == row.good);
    }
}
