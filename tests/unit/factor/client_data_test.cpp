#include "factor/client_data.h"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>

#include "support/test_authenticator.h"

using namespace postern;
using factor::Ceremony;
using factor::PasskeyFault;
using namespace std::string_literals;

namespace {

// base64url of the challenge is AAECAwQF-_8
const std::string kChallenge = "\x00\x01\x02\x03\x04\x05\xFB\xFF"s;
const factor::Expected kExpected{.challenge = kChallenge, .origin = "https://id.example.org", .rp_id = "example.org"};

/// nullopt: accepted.
std::optional<PasskeyFault> fault_of(const std::string& json, Ceremony ceremony = Ceremony::registration) {
    const auto checked = factor::check_client_data(json, ceremony, kExpected);
    return checked ? std::nullopt : std::optional(checked.error());
}

std::string json_of(const std::string& type, const std::string& challenge, const std::string& origin,
                    const std::string& more = "") {
    return R"({"type":)" + type + R"(,"challenge":)" + challenge + R"(,"origin":)" + origin + more + "}";
}

const std::string kType = R"("webauthn.create")";
const std::string kText = R"("AAECAwQF-_8")";
const std::string kOrigin = R"("https://id.example.org")";

std::string with(const std::string& more) { return json_of(kType, kText, kOrigin, more); }

}  // namespace

TEST_CASE("check_client_data: what browsers send, with members that are not known [WEBAUTHN-2, WebAuthn §5.8.1]") {
    for (const std::string& more :
         {""s, R"(,"crossOrigin":false)"s, R"(,"tokenBinding":{"status":"supported"})"s,
          R"(,"other_keys_can_be_added_here":"do not compare clientDataJSON against a template")"s,
          R"(,"extra":[1,2.5,null,{"a":[true]}])"s})
        CHECK_FALSE(fault_of(with(more)));
    CHECK_FALSE(
        fault_of(" {\n\"origin\" : \"https:\\/\\/id.example.org\",\"challenge\":\"AAECAwQF-_8\", "
                 "\"type\":\"webauthn\\u002ecreate\"}\n"));
    CHECK_FALSE(fault_of(test::client_data(Ceremony::registration, kExpected)));
    CHECK_FALSE(fault_of(test::client_data(Ceremony::assertion, kExpected), Ceremony::assertion));
}

TEST_CASE("check_client_data: the type is that of the ceremony [WEBAUTHN-2, WebAuthn §7.1a, §7.2b]") {
    for (const std::string& type : {R"("webauthn.get")"s, R"("")"s, R"("webauthn.create ")"s, R"("WebAuthn.create")"s,
                                    R"("payment.get")"s, "null"s, "1"s, R"(["webauthn.create"])"s})
        CHECK(fault_of(json_of(type, kText, kOrigin)) == PasskeyFault::client_data_type);
    CHECK(fault_of(with(""), Ceremony::assertion) == PasskeyFault::client_data_type);
    CHECK(fault_of(R"({"challenge":)" + kText + R"(,"origin":)" + kOrigin + "}") == PasskeyFault::client_data_type);
}

TEST_CASE(
    "check_client_data: the challenge is the one that was given, in base64url without padding [WEBAUTHN-2, WebAuthn §7.1b, §7.2c]") {
    for (const std::string& challenge :
         {R"("")"s, R"("AAECAwQF-_9")"s, R"("AAECAwQF+/8")"s, R"("AAECAwQF-_8=")"s, R"("AAECAwQF-_8 ")"s,
          R"("AAECAwQF-_")"s, R"("aAECAwQF-_8")"s, "null"s, "0"s, R"({"AAECAwQF-_8":1})"s})
        CHECK(fault_of(json_of(kType, challenge, kOrigin)) == PasskeyFault::challenge);
    CHECK(fault_of(R"({"type":)" + kType + R"(,"origin":)" + kOrigin + "}") == PasskeyFault::challenge);
}

TEST_CASE(
    "check_client_data: the origin is the issuer's, byte for byte, whatever the RP ID is [WEBAUTHN-2, WebAuthn §7.1c, §7.2d]") {
    for (const std::string& origin :
         {R"("")"s, R"("https://example.org")"s, R"("https://id.example.org/")"s, R"("https://id.example.org:443")"s,
          R"("https://ID.example.org")"s, R"("http://id.example.org")"s, R"("https://id.example.org.evil.test")"s,
          R"("https://id.example.com")"s, R"("android:apk-key-hash:AAAA")"s, "null"s, R"(["https://id.example.org"])"s})
        CHECK(fault_of(json_of(kType, kText, origin)) == PasskeyFault::origin);
    CHECK(fault_of(R"({"type":)" + kType + R"(,"challenge":)" + kText + "}") == PasskeyFault::origin);
}

TEST_CASE("check_client_data: a page inside another one is refused [WEBAUTHN-2, WebAuthn §7.1d, §7.2e]") {
    for (const std::string& more :
         {R"(,"crossOrigin":true)"s, R"(,"crossOrigin":"false")"s, R"(,"crossOrigin":null)"s, R"(,"crossOrigin":0)"s,
          R"(,"topOrigin":"https://example.com")"s, R"(,"topOrigin":"https://id.example.org")"s,
          R"(,"topOrigin":null)"s, R"(,"crossOrigin":false,"topOrigin":"https://example.com")"s})
        CHECK(fault_of(with(more)) == PasskeyFault::cross_origin);
}

TEST_CASE(
    "check_client_data: one JSON object in UTF-8, no member twice, at most 4096 bytes [WEBAUTHN-2, WebAuthn §7.1m, §7.2n]") {
    const std::string good = with("");
    for (const std::string& bytes :
         {""s, "null"s, "[]"s, "\"\""s, "[" + good + "]", good + good, good + "x", "\xEF\xBB\xBF" + good,
          with(",\"extra\":\"\xFF\""), with(R"(,"type":"webauthn.create")"), with(R"(,"origin":"https://evil.test")"),
          with(R"(,"challenge":)" + kText), with(",\"extra\":\"\0\""s), good + "\0"s})
        CHECK(fault_of(bytes) == PasskeyFault::client_data_json);
    for (std::size_t length = 0; length < good.size(); ++length)
        CHECK(fault_of(good.substr(0, length)) == PasskeyFault::client_data_json);

    const std::string padding(4096 - with(R"(,"extra":"")").size(), 'x');
    CHECK(with(R"(,"extra":")" + padding + "\"").size() == 4096);
    CHECK_FALSE(fault_of(with(R"(,"extra":")" + padding + "\"")));
    CHECK(fault_of(with(R"(,"extra":")" + padding + "x\"")) == PasskeyFault::client_data_long);
    CHECK(fault_of(good + std::string(4097 - good.size(), ' ')) == PasskeyFault::client_data_long);
}

TEST_CASE("describe: a sentence of its own for each fault [WEBAUTHN-18]") {
    constexpr int kFaults = static_cast<int>(PasskeyFault::signature) + 1;
    std::set<std::string_view> sentences;
    for (int fault = 0; fault < kFaults; ++fault) {
        const std::string_view sentence = factor::describe(static_cast<PasskeyFault>(fault));
        CAPTURE(sentence);
        CHECK(sentence.starts_with("the "));
        CHECK_FALSE(sentence.ends_with('.'));
        sentences.insert(sentence);
    }
    CHECK(sentences.size() == kFaults);
    CHECK_FALSE(sentences.contains("the passkey was refused"));
    CHECK(factor::describe(PasskeyFault::challenge) == "the challenge is not the one that was given");
}
