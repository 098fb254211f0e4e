// PKCE: the grammar of both values, and what belongs together (RFC 7636).
#include "oauth/pkce.h"

#include <doctest/doctest.h>

using namespace postern;

namespace {

// RFC 7636 appendix B.
const std::string kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const std::string kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

using Text = std::optional<std::string>;

}  // namespace

TEST_CASE("parse_code_challenge: S256 and 43 characters, or nothing at all [RFC 7636 §4.2, §4.3, A11]") {
    struct Row {
        const char* when;
        model::Pkce pkce;
        Text challenge;
        Text method;
        bool accepted;
    };
    using model::Pkce;
    const Row rows[] = {
        {"the vector of appendix B", Pkce::required, kChallenge, "S256", true},
        {"none where optional", Pkce::optional, {}, {}, true},
        {"none where required", Pkce::required, {}, {}, false},
        {"a method alone", Pkce::optional, {}, "S256", false},
        {"no method means plain", Pkce::optional, kChallenge, {}, false},
        {"plain", Pkce::optional, kChallenge, "plain", false},
        {"lower case", Pkce::optional, kChallenge, "s256", false},
        {"unknown method", Pkce::optional, kChallenge, "S512", false},
        {"upper case", Pkce::optional, kChallenge, "PLAIN", false},
        {"none", Pkce::optional, kChallenge, "none", false},
        {"a blank behind the method", Pkce::optional, kChallenge, "S256 ", false},
        {"plain alone", Pkce::optional, {}, "plain", false},
        {"both signs of the alphabet", Pkce::optional, "-_" + std::string(41, 'A'), "S256", true},
        {"another end", Pkce::optional, kChallenge.substr(0, 42) + "Q", "S256", true},
        {"one character", Pkce::optional, "A", "S256", false},
        {"128 characters", Pkce::optional, std::string(128, 'A'), "S256", false},
        {"129 characters", Pkce::optional, std::string(129, 'A'), "S256", false},
        {"a slash", Pkce::optional, "/" + kChallenge.substr(1), "S256", false},
        {"a character of verifiers only", Pkce::optional, "~" + kChallenge.substr(1), "S256", false},
        {"a dot", Pkce::optional, "." + kChallenge.substr(1), "S256", false},
        {"a blank", Pkce::optional, " " + kChallenge.substr(1), "S256", false},
        {"one character short", Pkce::optional, kChallenge.substr(1), "S256", false},
        {"one character long", Pkce::optional, kChallenge + "A", "S256", false},
        {"another alphabet", Pkce::optional, kChallenge.substr(0, 42) + "+", "S256", false},
        {"padding", Pkce::optional, kChallenge.substr(0, 42) + "=", "S256", false},
        {"trailing bits that no digest has", Pkce::optional, kChallenge.substr(0, 42) + "N", "S256", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        model::Client client;
        client.pkce = row.pkce;
        const auto parsed = oauth::parse_code_challenge(client, row.challenge, row.method);
        CHECK(bool(parsed) == row.accepted);
        if (parsed) CHECK(*parsed == row.challenge);
        if (!parsed) CHECK(parsed.error().code == oauth::ErrorCode::invalid_request);
    }
}

TEST_CASE(
    "parse_code_challenge: a public client needs one whatever its row says [RFC 9700 §2.1.1, RFC 7636 §4.4.1a, A10]") {
    model::Client client;
    client.type = model::ClientType::public_;
    client.pkce = model::Pkce::optional;
    CHECK_FALSE(oauth::parse_code_challenge(client, {}, {}));
    CHECK(oauth::parse_code_challenge(client, kChallenge, "S256"));
}

TEST_CASE("check_code_verifier: exactly the verifier of the challenge [RFC 7636 §4.1, §4.6a]") {
    struct Row {
        const char* when;
        Text challenge;
        Text verifier;
        bool accepted;
    };
    const Row rows[] = {
        {"the vector of appendix B", kChallenge, kVerifier, true},
        {"neither", {}, {}, true},
        {"no verifier", kChallenge, {}, false},
        {"verifier without a challenge [RFC 9700 §4.8.2]", {}, kVerifier, false},
        {"one character off", kChallenge, kVerifier.substr(0, 42) + "l", false},
        {"one character more", kChallenge, kVerifier + "a", false},
        {"42 characters", kChallenge, kVerifier.substr(1), false},
        {"a blank behind", kChallenge, kVerifier + " ", false},
        {"129 characters", kChallenge, std::string(129, 'a'), false},
        {"the challenge itself", kChallenge, kChallenge, false},
        {"a character outside the grammar", kChallenge, kVerifier.substr(0, 42) + "!", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto checked = oauth::check_code_verifier(row.challenge, row.verifier);
        CHECK(bool(checked) == row.accepted);
        if (!checked) CHECK(checked.error().code == oauth::ErrorCode::invalid_grant);
    }
}
