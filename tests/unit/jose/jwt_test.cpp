// Claims of signed tokens: form, issuer, time.
#include "jose/jwt.h"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>

#include "../crypto/vectors.h"
#include "json/writer.h"
#include "util/text.h"

using namespace postern;
using jose::Expiry;
using jose::JwtFault;
using jose::TokenType;

namespace {

constexpr const char* kIssuer = "https://op.example.com";
const util::Time kNow = util::from_epoch(1700000000);

struct JwtFixture {
    crypto::PrivateKey key = crypto::PrivateKey::from_pem(util::Secret(std::string(vectors::kEdPem)));
    jose::Verifier verifier{{jose::Jwk{vectors::kEdThumbprint, key.public_key()}}};

    std::string token(std::string_view payload, TokenType type = TokenType::access_token) const {
        return jose::sign_compact(key, vectors::kEdThumbprint, type, payload);
    }
    auto verify(std::string_view token, util::Time now = kNow, Expiry expiry = Expiry::enforced) {
        return jose::verify_jwt(verifier, token, TokenType::access_token, kIssuer, now, expiry);
    }
    std::optional<JwtFault> fault(std::string_view payload, util::Time now = kNow, Expiry expiry = Expiry::enforced) {
        const auto result = verify(token(payload), now, expiry);
        return result ? std::nullopt : std::optional(result.error());
    }
};

std::string claims(const std::string& iss, const std::string& exp, const std::string& iat) {
    return "{\"iss\":" + iss + ",\"exp\":" + exp + ",\"iat\":" + iat + "}";
}

const std::string kGood = claims("\"https://op.example.com\"", "1700000100", "1699999900");

}  // namespace

TEST_CASE("verify_jwt gives the claims of a good token") {
    JwtFixture fixture;
    const auto jwt =
        fixture.verify(fixture.token(R"({"iss":"https://op.example.com","exp":1700000100,"iat":1700000000,)"
                                     R"("sub":"alice","scope":"openid"})"));
    REQUIRE(jwt);
    CHECK(*jwt->claims->find("sub")->if_string() == "alice");
    CHECK(*jwt->claims->find("exp")->if_integer() == 1700000100);
    CHECK(jwt->claims->size() == 5);
}

TEST_CASE("verify_jwt says what is wrong with the token around the claims") {
    JwtFixture fixture;
    const std::string token = fixture.token(kGood);
    struct Row {
        std::string token;
        JwtFault fault;
    };
    const Row rows[] = {
        {"", JwtFault::malformed},
        {"no token", JwtFault::malformed},
        {token + "=", JwtFault::malformed},
        {"e30.e30.e30", JwtFault::unknown_header},
        {fixture.token(kGood, TokenType::id_token), JwtFault::wrong_type},
        {fixture.token(kGood, TokenType::refresh_token), JwtFault::wrong_type},
        {token.substr(0, token.rfind('.')) + ".e30", JwtFault::bad_signature},
    };
    for (const auto& row : rows) {
        CAPTURE(row.token);
        const auto result = fixture.verify(row.token);
        REQUIRE_FALSE(result);
        CHECK(result.error() == row.fault);
    }
}

TEST_CASE("verify_jwt judges the signature before the claims [IF42, RFC 6750 §5.2a]") {
    JwtFixture fixture;
    const std::string token = fixture.token(claims("\"https://evil.example.com\"", "1", "1"));
    const auto result = fixture.verify(token.substr(0, token.rfind('.')) + ".e30");
    REQUIRE_FALSE(result);
    CHECK(result.error() == JwtFault::bad_signature);
}

TEST_CASE("verify_jwt refuses payloads that are not an object with one meaning [RFC 7519 §7.2, RFC 8725 §2.4, J09]") {
    JwtFixture fixture;
    const std::string members = kGood.substr(1, kGood.size() - 2);
    const std::string rows[] = {
        "x",
        "null",
        "[]",
        "\"x\"",
        "7",
        "true",
        "{}",
        "[" + kGood + "]",
        kGood + "x",
        kGood + kGood,
        kGood + "\n//",
        kGood + "//",
        kGood + "{}",
        "/* */" + kGood,
        "\xEF\xBB\xBF" + kGood,
        " ",
        "{'iss':'https://op.example.com','exp':1700000100,'iat':1699999900}",
        json::write(json::Value(kGood)),
        "{" + members + ",\"sub\":\"a\",\"s\\u0075b\":\"b\"}",
        "{" + members + ",\"exp\":1700000100}",
        "{" + members + ",\"x\":Infinity}",
        "{" + members + ",\"x\":\"\\ud800\"}",
        "{" + members + ",\"x\":\"\\u0000\"}",
        "{" + members + ",}",
        "{" + members + ",\"sub\":\"a\",\"sub\":\"b\"}",
        "{" + members + ",\"iss\":\"x\"}",
        "{" + members + ",\"x\":NaN}",
        "{" + members + ",\"x\":1e999}",
        "{" + members + ",\"x\":\"\xFF\"}",
        "{" + members + ",\"x\":" + std::string(2000, '[') + std::string(2000, ']') + "}",
        kGood + std::string(1, '\0'),
    };
    for (const auto& row : rows) {
        CAPTURE(row);
        CHECK(fixture.fault(row) == JwtFault::bad_claims);
        CHECK(fixture.fault(row, kNow, Expiry::ignored) == JwtFault::bad_claims);
    }
    CHECK(fixture.fault("") == JwtFault::malformed);
    const std::string deeper = "{" + members + ",\"x\":" + std::string(10000, '[') + std::string(10000, ']') + "}";
    CHECK(fixture.fault(deeper) == JwtFault::malformed);  // longer than any token
}

TEST_CASE(
    "verify_jwt needs an iss that is the issuer, byte for byte [IF37, RFC 7519 §4.1.1, RFC 8725 §3.8, RFC 8414 §4, "
    "J13]") {
    JwtFixture fixture;
    struct Row {
        const char* iss;
        std::optional<JwtFault> fault;
    };
    const Row rows[] = {
        {"\"https://op.example.com\"", std::nullopt},
        {"\"https://op.example.com/\"", JwtFault::wrong_issuer},
        {"\"https://OP.example.com\"", JwtFault::wrong_issuer},
        {"\"HTTPS://OP.EXAMPLE.COM\"", JwtFault::wrong_issuer},
        {"\"https://evil.example\"", JwtFault::wrong_issuer},
        {"\"https://op.example.com:80\"", JwtFault::wrong_issuer},
        {"\" https://op.example.com\"", JwtFault::wrong_issuer},
        {"{\"iss\":\"https://op.example.com\"}", JwtFault::bad_claims},
        {"\"http://op.example.com\"", JwtFault::wrong_issuer},
        {"\"https://op.example.com:443\"", JwtFault::wrong_issuer},
        {"\"https://op.example.com \"", JwtFault::wrong_issuer},
        {"\"https://op.example.co\"", JwtFault::wrong_issuer},
        {"\"\"", JwtFault::wrong_issuer},
        {"[\"https://op.example.com\"]", JwtFault::bad_claims},
        {"null", JwtFault::bad_claims},
        {"7", JwtFault::bad_claims},
    };
    for (const auto& row : rows) {
        CAPTURE(row.iss);
        CHECK(fixture.fault(claims(row.iss, "1700000100", "1700000000")) == row.fault);
        CHECK(fixture.fault(claims(row.iss, "1700000100", "1700000000"), kNow, Expiry::ignored) == row.fault);
    }
    CHECK(fixture.fault(R"({"exp":1700000100,"iat":1700000000})") == JwtFault::bad_claims);
}

TEST_CASE("verify_jwt needs exp and iat as integers, whether or not expiry counts [RFC 7519 §4.1.4, §4.1.6, J09]") {
    JwtFixture fixture;
    const std::string iss = "\"https://op.example.com\"";
    for (const char* value : {"\"1700000100\"", "1700000100.5", "1.7000001e9", "1700000100.0", "1e300", "1e-2147483648",
                              "null", "true", "[1700000100]", "99999999999999999999", "{}"}) {
        for (const Expiry expiry : {Expiry::enforced, Expiry::ignored}) {
            CAPTURE(value);
            CHECK(fixture.fault(claims(iss, value, "1700000000"), kNow, expiry) == JwtFault::bad_claims);
            CHECK(fixture.fault(claims(iss, "1700000100", value), kNow, expiry) == JwtFault::bad_claims);
        }
    }
    CHECK(fixture.fault(R"({"iss":"https://op.example.com","iat":1700000000})") == JwtFault::bad_claims);
    CHECK(fixture.fault(R"({"iss":"https://op.example.com","exp":1700000100})") == JwtFault::bad_claims);
}

TEST_CASE("verify_jwt: a token is expired from the second of its exp on [RFC 7519 §4.1.4, J12]") {
    JwtFixture fixture;
    const util::Time exp = util::from_epoch(1700000100);
    CHECK(fixture.fault(kGood, exp - util::Seconds{1}) == std::nullopt);
    CHECK(fixture.fault(kGood, exp) == JwtFault::expired);
    CHECK(fixture.fault(kGood, exp + util::Seconds{1}) == JwtFault::expired);
    CHECK(fixture.fault(kGood, exp, Expiry::ignored) == std::nullopt);
    CHECK(fixture.fault(kGood, exp + util::Seconds{100000000}, Expiry::ignored) == std::nullopt);
    const std::string iss = "\"https://op.example.com\"";
    for (const char* long_ago : {"0", "-1", "-9223372036854775808"}) {
        CAPTURE(long_ago);
        CHECK(fixture.fault(claims(iss, long_ago, "0")) == JwtFault::expired);
    }
    CHECK(fixture.fault(claims(iss, "9223372036854775807", "1700000000")) == std::nullopt);
}

TEST_CASE(
    "verify_jwt: a token from more than a minute ahead does not count yet [RFC 7519 §4.1.5, §4.1.6, RFC 7662 §4d, "
    "J12]") {
    JwtFixture fixture;
    const std::string iss = "\"https://op.example.com\"";
    CHECK(fixture.fault(claims(iss, "1700009999", "1700000060")) == std::nullopt);
    CHECK(fixture.fault(claims(iss, "1700009999", "1700000061")) == JwtFault::bad_claims);
    CHECK(fixture.fault(claims(iss, "1700009999", "9223372036854775807")) == JwtFault::bad_claims);
    CHECK(fixture.fault(claims(iss, "1700009999", "1700000061"), kNow, Expiry::ignored) == std::nullopt);
    const auto with_nbf = [&](const std::string& nbf) {
        return claims(iss, "1700009999", "1700000000").replace(0, 1, "{\"nbf\":" + nbf + ",");
    };
    CHECK(fixture.fault(with_nbf("1700000060")) == std::nullopt);
    CHECK(fixture.fault(with_nbf("1700000061")) == JwtFault::bad_claims);
    for (const char* nbf : {"\"1700000000\"", "1700000900", "\"1\"", "1.5", "true", "null", "1e300"}) {
        CAPTURE(nbf);
        CHECK(fixture.fault(with_nbf(nbf)) == JwtFault::bad_claims);
    }
    CHECK(fixture.fault(with_nbf("1700000000")) == std::nullopt);
    CHECK(fixture.fault(claims(iss, "1700009999", "1700000900")) == JwtFault::bad_claims);
}

TEST_CASE("describe has a text of its own for every fault, fit for error_description [RFC 6749 §5.2]") {
    std::set<std::string_view> texts;
    for (const JwtFault fault :
         {JwtFault::malformed, JwtFault::unknown_header, JwtFault::wrong_type, JwtFault::bad_signature,
          JwtFault::bad_claims, JwtFault::wrong_issuer, JwtFault::expired}) {
        const std::string_view text = jose::describe(fault);
        CHECK(util::is_vschar(text));
        CHECK(text.find_first_of("\"\\") == std::string_view::npos);
        texts.insert(text);
    }
    CHECK(texts.size() == 7);
}
