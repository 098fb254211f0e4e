// `postern client` of a client that signs: its keys are registered, shown and replaced, and it has no secret.
#include <doctest/doctest.h>

#include <string>

#include "robot.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr const char* kKey =
    R"({"kty":"EC","crv":"P-256","kid":"one","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})";
constexpr const char* kOtherKey =
    R"({"kty":"OKP","crv":"Ed25519","kid":"two","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})";

struct Signing : WithRobot {
    Signing() { installation.reconfigure("clientAssertions", true); }

    std::string key_file(const std::string& keys) const { return file("robot.jwks", R"({"keys":[)" + keys + "]}"); }
    json::Value add(const std::string& keys = kKey) const {
        return WithRobot::add({"--auth-method", "private_key_jwt", "--jwks", key_file(keys)});
    }
};

}  // namespace

TEST_CASE("client add --jwks: the client signs, has no secret, and its keys are shown [CA-14, COM-7, KEY-5]") {
    const Signing s;
    const auto added = s.add(std::string(kKey) + "," + kOtherKey + R"(,{"kty":"RSA","use":"enc","n":"AA","e":"AA"})");
    CHECK(text_of(added, "client_id") == "robot");
    CHECK(added.if_object()->find("client_secret") == nullptr);
    CHECK(s.secrets() == 0);
    const auto shown = s.installation.must_json({"client", "show", "robot"});
    CHECK(text_of(shown, "token_endpoint_auth_method") == "private_key_jwt");
    CHECK(member_of(member_of(shown, "jwks"), "keys").if_array()->size() == 2);
    CHECK(has(s.installation.must({"client", "show", "robot"}), "P-256 one, Ed25519 two"));
    CHECK(has(s.refusal({"client", "secret", "robot"}), "signs with its own key and has no secret"));
}

TEST_CASE("client set: keys are replaced, and a client changes between keys and a secret [CA-14, COM-7]") {
    const Signing s;
    s.add();
    s.installation.must(
        {"client", "set", "robot", "--jwks", s.key_file(kOtherKey), "--token-endpoint-auth-signing-alg", "EdDSA"});
    auto shown = s.installation.must({"client", "show", "robot"});
    CHECK(has(shown, "Ed25519 two"));
    CHECK_FALSE(has(shown, "P-256"));
    CHECK(has(shown, "EdDSA"));
    s.installation.must({"client", "set", "robot", "--no-token-endpoint-auth-signing-alg"});
    CHECK_FALSE(has(s.installation.must({"client", "show", "robot"}), "EdDSA"));
    s.installation.must({"client", "set", "robot", "--name", "Robot"});  // keeps its keys
    CHECK(has(s.installation.must({"client", "show", "robot"}), "Ed25519 two"));

    const auto with_secret = s.installation.must_json({"client", "set", "robot", "--auth-method", "client_secret"});
    CHECK(text_of(with_secret, "client_secret").size() == 43);
    CHECK(s.secrets() == 1);
    CHECK(s.installation.must_json({"client", "show", "robot"}).if_object()->find("jwks") == nullptr);
    s.installation.must({"client", "set", "robot", "--auth-method", "private_key_jwt", "--jwks", s.key_file(kKey)});
    CHECK(s.secrets() == 0);
}

TEST_CASE(
    "client add: keys that no assertion could be verified with are refused, each with its reason [KEY-5, KEY-9, CA-19]") {
    const Signing s;
    const std::string keys = s.key_file(kKey);
    s.check_refused({
        {{"--auth-method", "private_key_jwt"}, "needs the client's public keys"},
        {{"--jwks", keys}, "go with --auth-method private_key_jwt"},
        {{"--auth-method", "private_key_jwt", "--jwks", keys, "--jwks-uri", "https://a.example/"}, "contradict"},
        {{"--auth-method", "private_key_jwt", "--jwks-uri", "https://a.example/jwks"}, "needs \"outbound\""},
        {{"--auth-method", "private_key_jwt", "--jwks", keys, "--token-endpoint-auth-signing-alg", "RS256"},
         "no key of the client is for RS256"},
        {{"--auth-method", "private_key_jwt", "--jwks", keys, "--public"}, "public"},
        {{"--auth-method", "private_key_jwt", "--jwks", keys, "--secret-stdin"}, "--secret-stdin"},
        {{"--auth-method", "private_key_jwt", "--jwks", "/nowhere/robot.jwks"}, "robot.jwks"},
    });
    const std::string private_key =
        s.key_file(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"c2VjcmV0"})");
    const std::string refused = s.refusal({"client", "add", "x", "--auth-method", "private_key_jwt", "--jwks",
                                           private_key, "--grant", "client_credentials"});
    CHECK(has(refused, "a part of a private key"));
    CHECK_FALSE(has(refused, "c2VjcmV0"));
    // More keys than are tried, and none of them has a name.
    const std::string nameless = R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})";
    std::string five = nameless;
    for (int i = 1; i < 5; ++i) five += "," + nameless;
    CHECK(has(s.installation.noted({"client", "add", "five", "--auth-method", "private_key_jwt", "--jwks",
                                    s.key_file(five), "--grant", "client_credentials", "--scope", "api"}),
              "give each key a kid"));
}

TEST_CASE("doctor: clients that sign while nobody looks at it, and keys that nobody fetches [CA-19, COM-10]") {
    const Signing s;
    s.add();
    CHECK_FALSE(has(s.installation.findings("clients"), "private_key_jwt"));
    s.installation.reconfigure("clientAssertions", false);
    CHECK(has(s.installation.findings("clients"), "1 client with private_key_jwt, which is switched off"));
    CHECK(has(s.refusal({"client", "set", "robot", "--name", "Robot"}), "private_key_jwt is switched off"));
}
