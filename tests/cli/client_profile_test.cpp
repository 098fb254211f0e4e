// `postern client` of a client with a FAPI 2.0 profile: what must be registered for it, all problems in one list.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "crypto/digest.h"
#include "db/database.h"
#include "installation.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr const char* kKeys =
    R"({"keys":[{"kty":"EC","crv":"P-256","kid":"one","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";

struct WithProfiles {
    Installation installation;

    WithProfiles() {
        installation.reconfigure("clientAssertions", true);
        installation.reconfigure("dpop", "allowed");
        installation.reconfigure("paths", json::Object{{"par", "/par"}});
        installation.reconfigure("idTokenAlgorithms", json::strings({"RS256", "ES256"}));
    }
    std::string keys() const {
        const std::string path = (installation.directory() / "bank.jwks").string();
        std::ofstream(path) << kKeys;
        return path;
    }
    Words add_bank() const {
        return {"client",
                "add",
                "bank",
                "--profile",
                "fapi2",
                "--auth-method",
                "private_key_jwt",
                "--jwks",
                keys(),
                "--dpop-bound-access-tokens",
                "--redirect-uri",
                "https://bank.example/cb"};
    }
};

}  // namespace

TEST_CASE(
    "client add --profile: PKCE comes with it, and client show has it; --no-profile takes it away [F2-S1, COM-7]") {
    const WithProfiles w;
    w.installation.must(w.add_bank());
    const auto shown = w.installation.must_json({"client", "show", "bank"});
    CHECK(text_of(shown, "profile") == "fapi2");
    CHECK(text_of(shown, "pkce") == "required");
    CHECK(has(w.installation.must({"client", "show", "bank"}), "fapi2"));
    w.installation.must({"client", "set", "bank", "--no-profile"});
    CHECK(text_of(w.installation.must_json({"client", "show", "bank"}), "profile") == "none");
    w.installation.must({"client", "set", "bank", "--profile", "fapi2"});
    CHECK(w.installation.postern({"client", "set", "bank", "--profile", "fapi2", "--no-profile"}).exit_code == 2);
    CHECK(w.installation.postern({"client", "set", "bank", "--profile", "fapi1"}).exit_code == 2);
}

TEST_CASE("client add --profile: all problems are in one list, and nothing is saved [F2-S2, F2-R1, F2-R2, F2-R4]") {
    const WithProfiles w;
    const auto refused =
        w.installation.postern({"client", "add", "bank", "--profile", "fapi2", "--pkce", "optional", "--redirect-uri",
                                "http://127.0.0.1/cb", "--grant", "device_code", "--grant", "authorization_code"});
    CHECK(refused.exit_code == 1);
    for (const char* words : {"no client secrets", "--dpop-bound-access-tokens", "wants PKCE", "https alone",
                              "name those that the client needs with --grant"})
        CHECK(has(refused.err, words));
    CHECK(w.installation.postern({"client", "show", "bank"}).exit_code == 1);
    CHECK(has(w.installation
                  .postern({"client", "add", "app", "--public", "--profile", "fapi2", "--redirect-uri",
                            "https://app.example/cb"})
                  .err,
              "clients that authenticate"));
    Words signing = w.add_bank();
    signing[4] = "fapi2-message-signing";
    CHECK(has(w.installation.postern(signing).err, "signed requests alone"));
}

TEST_CASE("client set --resource-server: the API of a registered resource, by its own URI [F2-46]") {
    const WithProfiles w;
    w.installation.must({"client", "add", "api", "--grant", "client_credentials", "--scope", ""});
    CHECK(has(w.installation.postern({"client", "set", "api", "--resource-server", "https://api.example/"}).err,
              "postern resource add"));
    w.installation.must({"resource", "add", "https://api.example/", "--alias", "https://old.example/"});
    w.installation.must({"client", "set", "api", "--resource-server", "https://old.example/"});
    CHECK(text_of(w.installation.must_json({"client", "show", "api"}), "resource_server") == "https://api.example/");
    const std::string note = w.installation.noted({"resource", "remove", "https://api.example/"});
    CHECK(has(note, "\"api\" is still registered as this API (--resource-server)"));
    w.installation.must({"resource", "add", "https://api.example/"});
    w.installation.must({"client", "set", "api", "--no-resource-server"});
    CHECK(w.installation.noted({"resource", "remove", "https://api.example/"}).empty());
    w.installation.must({"resource", "add", "https://api.example/"});
    CHECK(text_of(w.installation.must_json({"client", "show", "api"}), "resource_server").empty());
    CHECK(has(w.installation
                  .postern({"client", "add", "app", "--public", "--resource-server", "https://api.example/",
                            "--redirect-uri", "https://app.example/cb"})
                  .err,
              "introspects"));
}

TEST_CASE("doctor: clients that the configuration no longer fits [F2-S2, F2-R3]") {
    const WithProfiles w;
    w.installation.must(w.add_bank());
    CHECK_FALSE(has(w.installation.findings("clients"), "profile"));
    w.installation.reconfigure("idTokenAlgorithms", json::strings({"RS256"}));
    CHECK(has(w.installation.findings("clients"), "the client \"bank\" does not fit its profile: "));
    CHECK(has(w.installation.findings("clients"), "idTokenAlgorithms"));
}

TEST_CASE("doctor: an algorithm that clients with a profile may want has no key that signs [F2-R9]") {
    const WithProfiles w;
    w.installation.must(w.add_bank());
    w.installation.reconfigure("idTokenAlgorithms", json::strings({"RS256", "PS256", "ES256"}));
    const std::string missing = w.installation.findings("keys");
    CHECK(has(missing, "error: "));
    CHECK(has(missing, "PS256"));
    CHECK(has(missing, "postern key repair"));
    w.installation.must({"key", "repair"});
    CHECK_FALSE(has(w.installation.findings("keys"), "error: "));
}

TEST_CASE("doctor: a jwks_uri has to have a key by which a client with a profile can sign [F2-R3]") {
    const WithProfiles w;
    w.installation.must(w.add_bank());
    const std::string for_rs256 =
        R"({"keys":[{"kty":"RSA","alg":"RS256","kid":"two","e":"AQAB","n":")"
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
        "\"}]}";
    const std::string url = "https://bank.example/jwks";
    const auto keep = [&](const std::string& set) {
        auto database = w.installation.open();
        db::Transaction transaction(database, db::Durability::full);
        transaction.queue("DELETE FROM fetched");
        transaction.queue("INSERT INTO fetched VALUES ($1, 'application/json', $2, 1, 4102444800, 1)",
                          crypto::sha256_hex("jwks " + url), set);
        transaction.queue("UPDATE client_keys SET jwks = '', jwks_uri = $1", url);
        transaction.commit();
    };
    keep(kKeys);
    CHECK_FALSE(has(w.installation.findings("clients"), "signs as the profile"));
    keep(for_rs256);
    const std::string found = w.installation.findings("clients");
    CHECK(has(found, "no key at \"" + url + "\" signs as the profile of the client \"bank\" wants it"));
    CHECK(has(found, "the client's operator has to add a key there"));
    // A set may serve other servers as well.
    keep(std::string(kKeys).substr(0, std::string(kKeys).rfind("]")) + "," +
         for_rs256.substr(for_rs256.find("{\"kty")));
    CHECK_FALSE(has(w.installation.findings("clients"), "signs as the profile"));
}
