// `postern client`: what is registered, shown, changed and refused.
#include <doctest/doctest.h>

#include <regex>

#include "crypto/digest.h"
#include "installation.h"
#include "store/clients.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr const char* kUri = "https://app.example.org/callback";
const std::string kOwnSecret = "with blank, \"quotes\", \\ and : inside";

model::Client stored(const Installation& installation, const std::string& id,
                     util::Time now = util::SystemClock().now()) {
    auto database = installation.open();
    auto client = store::find_client(database, model::ClientId(id), now);
    REQUIRE(client);
    return *client;
}

bool has_secret(const model::Client& client, std::string_view secret) {
    for (const auto& entry : client.secrets) {
        if (entry.hash.str() == crypto::sha256_hex(secret)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE(
    "client add: the defaults are a confidential client for the code flow with a secret of 256 bits, printed once [RFC "
    "6749 §2, §2.3.1f]") {
    const Installation installation;
    const auto added = installation.must_json({"client", "add", "web", "--redirect-uri", kUri});
    CHECK(text_of(added, "client_id") == "web");
    const std::string secret = text_of(added, "client_secret");
    CHECK(secret.size() == 43);
    CHECK(has_secret(stored(installation, "web"), secret));

    const std::string shown = installation.must({"client", "show", "web", "--json"}) +
                              installation.must({"client", "show", "web"}) + installation.must({"client", "list"});
    CHECK_FALSE(has(shown, secret));
    CHECK_FALSE(has(shown, crypto::sha256_hex(secret)));
    const auto client = installation.must_json({"client", "show", "web"});
    CHECK(text_of(client, "client_name") == "web");
    CHECK(text_of(client, "client_type") == "confidential");
    CHECK(flag_of(client, "enabled"));
    CHECK_FALSE(flag_of(client, "native"));
    CHECK_FALSE(flag_of(client, "first_party"));
    CHECK(words_of(client, "grant_types") == "authorization_code refresh_token");
    CHECK(text_of(client, "scope") == "openid profile email");
    CHECK(text_of(client, "token_endpoint_auth_method") == "client_secret");
    CHECK(text_of(client, "pkce") == "optional");
    CHECK(words_of(client, "redirect_uris") == kUri);
    CHECK(words_of(client, "post_logout_redirect_uris").empty());
    CHECK(member_of(client, "created_at").if_integer());
}

TEST_CASE(
    "client add: claims of its scopes are in the ID token unless it says otherwise, and set changes that alone when asked [CLAIM-3]") {
    const Installation installation;
    const auto has_claims = [&](const char* id) {
        return flag_of(installation.must_json({"client", "show", id}), "id_token_claims");
    };
    installation.must({"client", "add", "new", "--redirect-uri", kUri});
    installation.must({"client", "add", "asked", "--redirect-uri", kUri, "--id-token-claims"});
    installation.must({"client", "add", "plain", "--redirect-uri", kUri, "--no-id-token-claims"});
    CHECK(has_claims("new"));
    CHECK(has_claims("asked"));
    CHECK_FALSE(has_claims("plain"));
    for (const char* id : {"new", "plain"}) {
        CAPTURE(id);
        const bool before = has_claims(id);
        installation.must({"client", "set", id, "--name", "Another"});
        CHECK(has_claims(id) == before);
        installation.must({"client", "set", id, before ? "--no-id-token-claims" : "--id-token-claims"});
        CHECK(has_claims(id) != before);
    }
}

TEST_CASE("client add: every option is kept [RFC 6749 §2, RP-Initiated Logout §2h, §3.1]") {
    const Installation installation;
    installation.must({"client",
                       "add",
                       "web",
                       "--name",
                       "Wiki \xc3\xa9",
                       "--redirect-uri",
                       kUri,
                       "--redirect-uri",
                       "http://127.0.0.1/cb",
                       "--native",
                       "--post-logout-redirect-uri",
                       "https://app.example.org/",
                       "--grant",
                       "authorization_code",
                       "--grant",
                       "client_credentials",
                       "--scope",
                       "openid api:read",
                       "--auth-method",
                       "client_secret_post",
                       "--pkce",
                       "required",
                       "--first-party"});
    const auto client = installation.must_json({"client", "show", "web"});
    CHECK(text_of(client, "client_name") == "Wiki \xc3\xa9");
    CHECK(words_of(client, "redirect_uris") == std::string(kUri) + " http://127.0.0.1/cb");
    CHECK(words_of(client, "post_logout_redirect_uris") == "https://app.example.org/");
    CHECK(words_of(client, "grant_types") == "authorization_code client_credentials");
    CHECK(text_of(client, "scope") == "openid api:read");
    CHECK(text_of(client, "token_endpoint_auth_method") == "client_secret_post");
    CHECK(text_of(client, "pkce") == "required");
    CHECK(flag_of(client, "native"));
    CHECK(flag_of(client, "first_party"));
}

TEST_CASE(
    "client add: a public client has no secret and needs PKCE, by --public or by --auth-method none [RFC 6749 §2.1]") {
    const Installation installation;
    for (const Words& option : std::vector<Words>{{"--public"}, {"--auth-method", "none"}}) {
        Words arguments = {"client", "add", option.back(), "--redirect-uri", kUri};
        if (option.size() == 1) arguments[2] = "spa";
        arguments.insert(arguments.end(), option.begin(), option.end());
        const auto added = installation.must_json(arguments);
        CHECK(added.if_object()->find("client_secret") == nullptr);
        const auto client = installation.must_json({"client", "show", arguments[2]});
        CHECK(text_of(client, "client_type") == "public");
        CHECK(text_of(client, "token_endpoint_auth_method") == "none");
        CHECK(text_of(client, "pkce") == "required");
        installation.refused({"client", "secret", arguments[2]});
        CHECK(stored(installation, arguments[2]).secrets.empty());
    }
}

TEST_CASE("client add: an operator's own secret is read as one line and never printed") {
    const Installation installation;
    for (const std::string line_end : {"\n", "\r\n", ""}) {
        const std::string id = "web" + std::to_string(line_end.size());
        const auto added = installation.must_json({"client", "add", id, "--redirect-uri", kUri, "--secret-stdin"},
                                                  kOwnSecret + line_end);
        CHECK(added.if_object()->find("client_secret") == nullptr);
        CHECK(has_secret(stored(installation, id), kOwnSecret));
    }
    for (const std::string& secret : {std::string(31, 'a'), std::string()})
        installation.refused({"client", "add", "other", "--redirect-uri", kUri, "--secret-stdin"}, secret + "\n");
    CHECK(installation.postern({"client", "show", "other"}).exit_code == 1);
}

TEST_CASE("client add: redirect URIs are trimmed, kept once, and refused with name and reason") {
    const Installation installation;
    installation.must(
        {"client", "add", "web", "--redirect-uri", " \thttps://app.example.org/callback\r\n ", "--redirect-uri", kUri});
    CHECK(words_of(installation.must_json({"client", "show", "web"}), "redirect_uris") == kUri);

    struct Row {
        const char* uri;
        const char* reason;
    };
    const Row rows[] = {
        {"https://app.example.org/#x", "fragment"},
        {"com.example.app:/cb", "--native"},
        {"https://app.example.org/a b", "contains a space"},
    };
    for (const Row& row : rows) {
        for (const char* option : {"--redirect-uri", "--post-logout-redirect-uri"}) {
            CAPTURE(row.uri);
            const std::string result =
                installation.refused({"client", "add", "bad", "--redirect-uri", kUri, option, row.uri});
            CHECK(has(result, row.uri));
            CHECK(has(result, row.reason));
        }
    }
    CHECK(installation.postern({"client", "show", "bad"}).exit_code == 1);
    installation.must({"client", "add", "good", "--redirect-uri", kUri});
    const std::string before = installation.must({"client", "show", "good"});
    for (const Row& row : rows)
        CHECK(installation.postern({"client", "set", "good", "--redirect-uri", row.uri}).exit_code == 1);
    CHECK(installation.must({"client", "show", "good"}) == before);
}

TEST_CASE("client add: what the rules refuse exits 1 and stores nothing") {
    const Installation installation;
    const std::vector<Words> rows = {
        {},
        {"--redirect-uri", kUri, "--public", "--pkce", "optional"},
        {"--redirect-uri", "com.example.app:/cb", "--public", "--native", "--first-party"},
        {"--redirect-uri", kUri, "--scope", "a\"b"},
        {"--redirect-uri", kUri, "--name", ""},
        {"--redirect-uri", kUri, "--name", "a\nb"},
    };
    for (const auto& options : rows) {
        const Words arguments = joined({"client", "add", "bad"}, options);
        CAPTURE(arguments.back());
        installation.refused(arguments);
    }
    installation.refused({"client", "add", "a b", "--redirect-uri", kUri});
    const auto clients = installation.must_json({"client", "list"});
    REQUIRE(clients.if_array());
    CHECK(clients.if_array()->empty());
}

TEST_CASE("client add: without OpenID Connect its scopes are not registered unasked") {
    const Installation installation(Installation::Start::configured);
    installation.write_config(installation.least_config());
    installation.must({"init"});
    installation.must({"client", "add", "web", "--redirect-uri", kUri});
    CHECK(text_of(installation.must_json({"client", "show", "web"}), "scope").empty());
}

TEST_CASE("client add: an id that is taken is refused and stays as it was [RFC 6749 §2.2a]") {
    const Installation installation;
    installation.must({"client", "add", "web", "--redirect-uri", kUri});
    installation.refused({"client", "add", "web", "--redirect-uri", "https://other.example.org/"});
    CHECK(words_of(installation.must_json({"client", "show", "web"}), "redirect_uris") == kUri);
}

TEST_CASE("client list: all clients by id, as JSON and as a table") {
    const Installation installation;
    CHECK(installation.must_json({"client", "list"}).if_array()->empty());
    installation.must({"client", "add", "b", "--redirect-uri", kUri});
    installation.must({"client", "add", "a", "--public", "--redirect-uri", kUri});
    const auto clients = installation.must_json({"client", "list"});
    REQUIRE(clients.if_array()->size() == 2);
    CHECK(text_of(clients.if_array()->at(0), "client_id") == "a");
    CHECK(text_of(clients.if_array()->at(1), "client_id") == "b");
    const std::string table = installation.must({"client", "list"});
    CHECK(table.starts_with("CLIENT_ID  NAME"));
    CHECK(has(table, "\na          a"));
}

TEST_CASE("client set: replaces what is given and keeps the rest") {
    const Installation installation;
    const auto added = installation.must_json({"client", "add", "web", "--name", "Wiki", "--redirect-uri", kUri,
                                               "--redirect-uri", "https://b.example/", "--first-party"});
    installation.must(
        {"client", "set", "web", "--redirect-uri", "https://c.example/", "--scope", "openid", "--no-first-party"});
    auto client = installation.must_json({"client", "show", "web"});
    CHECK(words_of(client, "redirect_uris") == "https://c.example/");
    CHECK(text_of(client, "scope") == "openid");
    CHECK_FALSE(flag_of(client, "first_party"));
    CHECK(text_of(client, "client_name") == "Wiki");
    CHECK(has_secret(stored(installation, "web"), text_of(added, "client_secret")));

    CHECK(text_of(installation.must_json({"client", "set", "web", "--name", "Other"}), "client_name") == "Other");
    installation.must({"client", "set", "web", "--grant", "client_credentials", "--no-redirect-uri", "--scope", ""});
    client = installation.must_json({"client", "show", "web"});
    CHECK(words_of(client, "redirect_uris").empty());
    CHECK(words_of(client, "grant_types") == "client_credentials");
    CHECK(text_of(client, "scope").empty());
}

TEST_CASE("client add and set: --acr is shown, and is not taken by another change [POLICY-6]") {
    const Installation installation;
    const auto acr = [&](const char* id) { return text_of(installation.must_json({"client", "show", id}), "acr"); };
    installation.must({"client", "add", "web", "--redirect-uri", kUri});
    installation.must({"client", "add", "bank", "--redirect-uri", kUri, "--acr", "mfa"});
    CHECK(acr("web") == "any");
    CHECK(acr("bank") == "mfa");
    CHECK(text_of(installation.must_json({"client", "set", "web", "--acr", "mfa"}), "acr") == "mfa");
    CHECK(stored(installation, "web").level == model::Level::second_factor);
    installation.must({"client", "set", "web", "--name", "Wiki"});
    CHECK(acr("web") == "mfa");
    const std::string text = installation.must({"client", "show", "web"});
    CHECK(std::regex_search(text, std::regex("\nacr +mfa\n")));
    for (const char* value : {"", "PHR", "3", "https://refeds.org/profile/mfa"})
        CHECK(installation.postern({"client", "set", "web", "--acr", value}).exit_code == 2);
    CHECK(acr("web") == "mfa");
    CHECK(text_of(installation.must_json({"client", "set", "web", "--acr", "phr"}), "acr") == "phr");
    CHECK(stored(installation, "web").level == model::Level::phishing_resistant);
    installation.must({"client", "set", "web", "--acr", "any"});
    CHECK(acr("web") == "any");
    CHECK(acr("bank") == "mfa");
}

TEST_CASE(
    "client add and set: response types and the algorithm of ID tokens, and back to the defaults [HYB-1, ALG-1]") {
    const Installation installation;
    auto config = installation.least_config();
    config.set("oidc", json::Object());
    config.set("responseTypes", json::strings({"code", "id_token", "code id_token"}));
    config.set("idTokenAlgorithms", json::strings({"RS256", "ES256"}));
    installation.write_config(config);
    const auto shown = [&] {
        const auto client = installation.must_json({"client", "show", "old"});
        return words_of(client, "response_types") + ", " + text_of(client, "id_token_signed_response_alg");
    };
    installation.must({"client", "add", "old", "--redirect-uri", kUri, "--grant", "implicit", "--grant",
                       "authorization_code", "--response-type", "id_token code", "--response-type", "id_token",
                       "--id-token-signed-response-alg", "ES256"});
    CHECK(shown() == "id_token code id_token, ES256");
    const std::string text = installation.must({"client", "show", "old"});
    CHECK(std::regex_search(text, std::regex("\nresponse types +id_token, code id_token\n")));
    CHECK(std::regex_search(text, std::regex("\nID tokens by +ES256\n")));
    installation.must({"client", "set", "old", "--name", "Old"});
    CHECK(shown() == "id_token code id_token, ES256");
    installation.must({"client", "set", "old", "--response-type", "code", "--no-id-token-signed-response-alg"});
    CHECK(shown() == "code, default");
    installation.refused({"client", "set", "old", "--no-response-type"});  // "token" of the grant implicit is off
    installation.must({"client", "set", "old", "--no-response-type", "--grant", "authorization_code"});
    CHECK(shown() == "code, default");
    for (const Words& refused : std::vector<Words>{{"--response-type", "id_token"},  // lacks the grant
                                                   {"--grant", "implicit", "--response-type", "token"},
                                                   {"--grant", "implicit", "--response-type", "code"},
                                                   {"--id-token-signed-response-alg", "EdDSA"}})
        installation.refused(joined({"client", "set", "old"}, refused));
    for (const Words& wrong : std::vector<Words>{{"--response-type", "none"},
                                                 {"--response-type", "code code"},
                                                 {"--response-type", ""},
                                                 {"--response-type", "code", "--no-response-type"},
                                                 {"--id-token-signed-response-alg", "none"},
                                                 {"--id-token-signed-response-alg", "HS256"}})
        CHECK(installation.postern(joined({"client", "set", "old"}, wrong)).exit_code == 2);
    CHECK(shown() == "code, default");
}

TEST_CASE("client set: a change that the rules refuse changes nothing") {
    const Installation installation;
    installation.must({"client", "add", "web", "--redirect-uri", kUri});
    const auto before = installation.must({"client", "show", "web", "--json"});
    for (const Words& options : std::vector<Words>{{"--no-redirect-uri"},
                                                   {"--name", "New", "--redirect-uri", "https://a.example/#x"},
                                                   {"--grant", "implicit"},
                                                   {"--scope", "\""}}) {
        installation.refused(joined({"client", "set", "web"}, options));
    }
    CHECK(installation.postern({"client", "set", "web", "--no-redirect-uri", "--redirect-uri", kUri}).exit_code == 2);
    CHECK(installation.must({"client", "show", "web", "--json"}) == before);
}

TEST_CASE("client set: confidential to public and back gives a new secret, and the former one stays invalid") {
    const Installation installation;
    const auto first =
        text_of(installation.must_json({"client", "add", "web", "--redirect-uri", kUri}), "client_secret");
    installation.must({"client", "set", "web", "--public"});
    CHECK(text_of(installation.must_json({"client", "show", "web"}), "token_endpoint_auth_method") == "none");
    CHECK(text_of(installation.must_json({"client", "show", "web"}), "pkce") == "required");
    const auto second = text_of(installation.must_json({"client", "set", "web", "--confidential"}), "client_secret");
    CHECK(second.size() == 43);
    const auto client = stored(installation, "web");
    CHECK(client.auth_method == model::AuthMethod::client_secret);
    CHECK(has_secret(client, second));
    CHECK_FALSE(has_secret(client, first));
}

TEST_CASE("client secret: the new one works, the old one ends at once or after --keep-old") {
    const Installation installation;
    const auto first =
        text_of(installation.must_json({"client", "add", "web", "--redirect-uri", kUri}), "client_secret");
    const auto second = text_of(installation.must_json({"client", "secret", "web"}), "client_secret");
    CHECK(second.size() == 43);
    CHECK(first != second);
    CHECK(has_secret(stored(installation, "web"), second));
    CHECK_FALSE(has_secret(stored(installation, "web"), first));

    const auto third =
        text_of(installation.must_json({"client", "secret", "web", "--keep-old", "3600"}), "client_secret");
    const util::Time now = util::SystemClock().now();
    for (const auto& secret : {second, third}) CHECK(has_secret(stored(installation, "web"), secret));
    CHECK(has_secret(stored(installation, "web", now + util::Seconds(3000)), second));
    CHECK_FALSE(has_secret(stored(installation, "web", now + util::Seconds(3700)), second));
    CHECK(has_secret(stored(installation, "web", now + util::Seconds(3700)), third));

    installation.must({"client", "secret", "web", "--secret-stdin"}, kOwnSecret + "\n");
    CHECK(has_secret(stored(installation, "web"), kOwnSecret));
    CHECK_FALSE(has_secret(stored(installation, "web"), third));
}

TEST_CASE("client disable, enable, remove: one client, and no other") {
    const Installation installation;
    for (const char* id : {"a", "b"}) installation.must({"client", "add", id, "--redirect-uri", kUri});
    installation.must({"client", "disable", "a"});
    CHECK_FALSE(stored(installation, "a").enabled);
    CHECK(stored(installation, "b").enabled);
    CHECK(stored(installation, "a").redirect_uris == Words{kUri});
    CHECK(flag_of(installation.must_json({"client", "enable", "a"}), "enabled"));
    CHECK(stored(installation, "a").enabled);
    installation.must({"client", "remove", "a"});
    CHECK(installation.postern({"client", "show", "a"}).exit_code == 1);
    CHECK(stored(installation, "b").enabled);
}

TEST_CASE("client: a client that is not there is refused by every sub-command with one line") {
    const Installation installation;
    for (const char* command : {"show", "secret", "disable", "enable", "remove"}) {
        CAPTURE(command);
        installation.refused({"client", command, "nobody"});
    }
    CHECK(installation.postern({"client", "set", "nobody", "--name", "x"}).exit_code == 1);
}
