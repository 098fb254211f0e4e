// Keys as JSON: names by thumbprint, what is published, what is refused.
#include "jose/jwk.h"

#include <doctest/doctest.h>

#include <string>

#include "../crypto/vectors.h"
#include "json/reader.h"
#include "json/writer.h"

using namespace postern;

namespace {

const std::string kEc = std::string(R"({"kty":"EC","use":"sig","alg":"ES256","kid":"ec","crv":"P-256","x":")") +
                        vectors::kEcX + R"(","y":")" + vectors::kEcY + R"("})";
const std::string kRsa = std::string(R"({"kty":"RSA","use":"sig","alg":"RS256","kid":"rsa","e":"AQAB","n":")") +
                         vectors::kRsaModulus + R"("})";
const std::string kOkp = std::string(R"({"kty":"OKP","use":"sig","alg":"EdDSA","kid":"okp","crv":"Ed25519","x":")") +
                         vectors::kEdX + R"("})";

util::Result<jose::Jwk, std::string> parse(const std::string& text) { return jose::parse_jwk(*json::parse(text)); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string keys(const std::string& entries) { return R"({"keys":[)" + entries + "]}"; }

}  // namespace

TEST_CASE("thumbprint gives the published values [RFC 7638 §3.1, RFC 8037 A.3]") {
    using crypto::PublicKey;
    const crypto::RsaPublic rsa{vectors::raw(vectors::kThumbprintModulus), vectors::raw("AQAB")};
    CHECK(jose::thumbprint(PublicKey::from_members(rsa)) == vectors::kRsaThumbprint);
    const crypto::OkpPublic okp{vectors::raw(vectors::kEdX)};
    CHECK(jose::thumbprint(PublicKey::from_members(okp)) == vectors::kEdThumbprint);
    // No RFC prints one for EC. This is the digest of {"crv":"P-256","kty":"EC","x":"f83O...","y":"x_FE..."}.
    const crypto::EcPublic ec{vectors::raw(vectors::kEcX), vectors::raw(vectors::kEcY)};
    CHECK(jose::thumbprint(PublicKey::from_members(ec)) == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U");
}

TEST_CASE("thumbprint depends on the key alone, not on kid, use or member order [RFC 7638 §3.2]") {
    const auto one = parse(kEc);
    const auto other = parse(std::string(R"({"y":")") + vectors::kEcY + R"(","kid":"another","x":")" + vectors::kEcX +
                             R"(","crv":"P-256","kty":"EC","unknown":[1]})");
    REQUIRE(one);
    REQUIRE(other);
    CHECK(jose::thumbprint(one->key) == jose::thumbprint(other->key));
}

TEST_CASE("to_json writes kty, use, alg, kid and the public members, and no more [RFC 7517 §4]") {
    for (const std::string& text : {kEc, kRsa, kOkp, replaced(kRsa, "RS256", "PS256")}) {
        const auto jwk = parse(text);
        REQUIRE(jwk);
        CHECK(json::write(jose::to_json(*jwk)) == text);
    }
}

TEST_CASE("to_json of a set reads back, and has nothing private in it [RFC 7517 §5, Discovery §3d]") {
    jose::JwkSet set;
    for (const char* pem : {vectors::kRsaPem, vectors::kEcPem, vectors::kEdPem}) {
        auto key = crypto::PrivateKey::from_pem(util::Secret(std::string(pem))).public_key();
        std::string kid = jose::thumbprint(key);
        set.push_back({std::move(kid), std::move(key)});
    }
    const json::Object object = jose::to_json(set);
    const auto again = jose::parse_jwk_set(json::write(object));
    REQUIRE(again);
    REQUIRE(again->size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK((*again)[i].kid == set[i].kid);
        CHECK(jose::thumbprint((*again)[i].key) == set[i].kid);
    }
    for (const auto& entry : *object.find("keys")->if_array()) {
        for (const char* name : {"d", "p", "q", "dp", "dq", "qi"}) CHECK(entry.if_object()->find(name) == nullptr);
    }
    CHECK(json::write(jose::to_json(jose::JwkSet{})) == R"({"keys":[]})");
}

TEST_CASE("parse_jwk reads the public keys of RFC 7517 A.1, but none that is there to encrypt [RFC 7517 §4.2, J14]") {
    const std::string ec = R"({"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",)"
                           R"("y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1"})";
    const std::string rsa = std::string(R"({"kty":"RSA","n":")") + vectors::kThumbprintModulus +
                            R"(","e":"AQAB","alg":"RS256","kid":"2011-04-29"})";
    const auto second = parse(rsa);
    REQUIRE(second);
    CHECK(second->kid == "2011-04-29");
    CHECK(jose::thumbprint(second->key) == vectors::kRsaThumbprint);

    const auto first = parse(ec);
    REQUIRE_FALSE(first);
    CHECK(first.error() == R"("use" is not "sig")");
    CHECK(parse(replaced(ec, "enc", "sig")));
    CHECK_FALSE(jose::parse_jwk_set(keys(ec + "," + rsa)));
}

TEST_CASE("parse_jwk says which member is missing or wrong") {
    struct Row {
        std::string text;
        const char* error;
    };
    const std::string x = vectors::kEcX;
    const std::string y = vectors::kEcY;
    const Row rows[] = {
        {"[]", "the key is not an object"},
        {"null", "the key is not an object"},
        {"\"EC\"", "the key is not an object"},
        {"{}", R"("kid" is missing or not a string)"},
        {replaced(kEc, R"("kid":"ec",)", ""), R"("kid" is missing or not a string)"},
        {replaced(kEc, R"("kid":"ec")", R"("kid":"")"), R"("kid" is missing or not a string)"},
        {replaced(kEc, R"("kid":"ec")", R"("kid":7)"), R"("kid" is missing or not a string)"},
        {replaced(kEc, R"("kty":"EC",)", ""), R"("kty" is missing or not a string)"},
        {replaced(kEc, R"("kty":"EC")", R"("kty":"oct")"), R"("kty" is not RSA, EC or OKP)"},
        {replaced(kEc, R"("kty":"EC")", R"("kty":"ec")"), R"("kty" is not RSA, EC or OKP)"},
        {replaced(kEc, R"("kty":"EC")", R"("kty":"OKP")"), R"("crv" is not "Ed25519")"},
        {replaced(kEc, R"("kty":"EC")", R"("kty":"RSA")"), R"("n" is missing or not a string)"},
        {replaced(kEc, "P-256", "P-384"), R"("crv" is not "P-256")"},
        {replaced(kEc, "P-256", "secp256k1"), R"("crv" is not "P-256")"},
        {replaced(kEc, R"("crv":"P-256",)", ""), R"("crv" is missing or not a string)"},
        {replaced(kEc, R"("use":"sig")", R"("use":"enc")"), R"("use" is not "sig")"},
        {replaced(kEc, R"("use":"sig")", R"("use":["sig"])"), R"("use" is missing or not a string)"},
        {replaced(kEc, "ES256", "ES384"), R"("alg" is not "ES256")"},
        {replaced(kEc, "ES256", "RS256"), R"("alg" is not "ES256")"},
        {replaced(kEc, "ES256", "HS256"), R"("alg" is not "ES256")"},
        {replaced(kEc, "ES256", "none"), R"("alg" is not "ES256")"},
        {replaced(kRsa, "RS256", "PS384"), R"("alg" is not "RS256")"},
        {replaced(kRsa, "RS256", "ES256"), R"("alg" is not "RS256")"},
        {replaced(kEc, "ES256", "PS256"), R"("alg" is not "ES256")"},
        {replaced(kOkp, "EdDSA", "Ed25519"), R"("alg" is not "EdDSA")"},
        {replaced(kEc, x, x + "="), R"("x" is not base64url)"},
        {replaced(kEc, y, replaced(y, "_", "/")), R"("y" is not base64url)"},
        {replaced(kEc, x, x.substr(0, 42)), R"("x" is not base64url)"},
        {replaced(kEc, R"(,"y":")" + y + "\"", ""), R"("y" is missing or not a string)"},
        {replaced(kEc, x, x.substr(0, 40)), "a P-256 coordinate is not 32 bytes"},
        {replaced(kOkp, R"("x")", R"("X")"), R"("x" is missing or not a string)"},
        {replaced(kOkp, "Ed25519", "Ed448"), R"("crv" is not "Ed25519")"},
        {replaced(kRsa, "AQAB", "AQ"), "the RSA exponent is even or below 65537"},
        {replaced(kRsa, "AQAB", "AAEAAQ"), "e is empty or begins with zero"},
        {replaced(kRsa, vectors::kRsaModulus, std::string(vectors::kRsaModulus).substr(0, 172)),
         "the RSA key has fewer than 2048 bits"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.text);
        const auto jwk = parse(row.text);
        REQUIRE_FALSE(jwk);
        CHECK(jwk.error() == row.error);
    }
}

TEST_CASE("parse_jwk refuses a point off the curve") {
    const auto jwk = parse(replaced(kEc, vectors::kEcY, std::string(vectors::kEcY).replace(0, 1, "y")));
    REQUIRE_FALSE(jwk);
    CHECK_FALSE(jwk.error().empty());
}

TEST_CASE("parse_jwk: a private member is an error, with any value [RFC 7517 §9.2]") {
    for (const char* name : {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}) {
        for (const char* value : {"\"AQAB\"", "\"\"", "null", "[]"}) {
            CAPTURE(name);
            CAPTURE(value);
            const auto jwk = parse(replaced(kRsa, "{", std::string("{\"") + name + "\":" + value + ","));
            REQUIRE_FALSE(jwk);
            CHECK(jwk.error() == "\"" + std::string(name) + "\" is part of a private key");
        }
    }
}

TEST_CASE("parse_jwk: use and alg may be absent, other members are ignored [RFC 7517 §4]") {
    CHECK(parse(replaced(kEc, R"("use":"sig","alg":"ES256",)", "")));
    CHECK(parse(replaced(kEc, "{", R"({"x5u":"https://example.com/","key_ops":["verify"],)")));
}

TEST_CASE("parse_jwk_set reads the keys in order") {
    const auto set = jose::parse_jwk_set(keys(kRsa + "," + kEc + "," + kOkp));
    REQUIRE(set);
    REQUIRE(set->size() == 3);
    CHECK((*set)[0].kid == "rsa");
    CHECK((*set)[1].key.algorithm() == crypto::Algorithm::ES256);
    CHECK((*set)[2].key.verify(vectors::kEdInput, vectors::raw(vectors::kEdSignature)));
    CHECK(jose::parse_jwk_set(keys(""))->empty());
}

TEST_CASE("parse_jwk_set says which key is wrong [RFC 7517 §4.5, §5]") {
    struct Row {
        std::string text;
        const char* error;
    };
    const Row rows[] = {
        {"{}", "there is no array \"keys\""},
        {"[]", "there is no array \"keys\""},
        {R"({"keys":{}})", "there is no array \"keys\""},
        {R"({"Keys":[]})", "there is no array \"keys\""},
        {keys("null"), "key 1: the key is not an object"},
        {keys(kRsa + ",{}"), "key 2: \"kid\" is missing or not a string"},
        {keys(kRsa + "," + replaced(kEc, R"("kid":"ec")", R"("kid":"rsa")")), "key 2: its \"kid\" is used twice"},
        {keys(kEc + "," + kRsa + "," + kEc), "key 3: its \"kid\" is used twice"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.text);
        const auto set = jose::parse_jwk_set(row.text);
        REQUIRE_FALSE(set);
        CHECK(set.error() == row.error);
    }
    for (const std::string& text : {std::string(), std::string("{"), keys(kEc) + "x", keys(kEc + ","),
                                    keys(replaced(kEc, "{", R"({"kid":"twice",)"))}) {
        CAPTURE(text);
        const auto set = jose::parse_jwk_set(text);
        REQUIRE_FALSE(set);
        CHECK(set.error().substr(0, 8) == "line 1: ");
    }
}
