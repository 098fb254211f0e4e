// What is read of a JWT that somebody else made, and which signatures count (KEY-1 to KEY-4, KEY-6).
#include "jose/foreign_jwt.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "../crypto/refused_keys.h"
#include "../crypto/vectors.h"
#include "crypto/key.h"
#include "jose/jwk.h"
#include "json/writer.h"
#include "util/base64.h"

using namespace postern;
using crypto::Algorithm;
using util::base64url_encode;

namespace {

constexpr std::array<std::string_view, 2> kTypes = {"jwt", "client-authentication+jwt"};
constexpr std::array kAlgorithms = {Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA, Algorithm::RS256};
constexpr std::array<std::string_view, 1> kProofTypes = {"dpop+jwt"};
constexpr std::array kProofAlgorithms = {Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA};

const jose::ForeignForm kAssertion{8192, kTypes, true, kAlgorithms};
const jose::ForeignForm kProof{8192, kProofTypes, false, kProofAlgorithms};

std::string token(const std::string& header, const std::string& payload, const std::string& signature = "c2ln") {
    return base64url_encode(header) + '.' + base64url_encode(payload) + '.' + signature;
}

crypto::PrivateKey load(const char* pem) { return crypto::PrivateKey::from_pem(util::Secret(std::string(pem))); }

std::string signed_by(const char* pem, const std::string& header, const std::string& payload) {
    const std::string text = base64url_encode(header) + '.' + base64url_encode(payload);
    return text + '.' + base64url_encode(load(pem).sign(text));
}

std::string key_of(const char* pem, const std::string& kid = "") {
    json::Object key = jose::to_json(load(pem).public_key().members());
    if (!kid.empty()) key.set("kid", kid);
    return json::write(key);
}

jose::ClientKeys keys_of(const std::string& keys) { return *jose::parse_client_keys(R"({"keys":[)" + keys + "]}"); }

const std::string kClaims = R"({"sub":"app"})";

}  // namespace

TEST_CASE(
    "foreign JWTs: each neighbour of a good JWT is refused [KEY-1, KEY-2, KEY-3, KEY-6, RFC 7515 §4, RFC 8725 §3, F2-53, CVE-2018-0114]") {
    const std::string good = R"({"alg":"ES256"})";
    const auto header = [](const std::string& members) { return token(R"({"alg":"ES256",)" + members + "}", kClaims); };
    const std::string deep = R"({"a":[[[[[[[1]]]]]]]})";
    struct Row {
        const char* when;
        std::string text;
        const char* fault;  ///< a part of the sentence; "": it is taken
        const jose::ForeignForm* form = &kAssertion;
    };
    const Row rows[] = {
        {"three segments", token(good, kClaims), ""},
        {"two segments", base64url_encode(good) + "." + base64url_encode(kClaims), "compact form"},
        {"four segments", token(good, kClaims) + ".c2ln", "compact form"},
        {"nothing", "", "compact form"},
        {"an empty header", "." + base64url_encode(kClaims) + ".c2ln", "header is not base64url"},
        {"an empty payload", base64url_encode(good) + "..c2ln", "payload is not base64url"},
        {"no signature", base64url_encode(good) + "." + base64url_encode(kClaims) + ".", "signature is not base64url"},
        {"padding", token(good, kClaims, "c2ln="), "signature is not base64url"},
        {"spare bits", token(good, kClaims, "c2"), "signature is not base64url"},
        {"a line break", token(good, kClaims) + "\n", "signature is not base64url"},
        {"8192 bytes", token(good, kClaims, std::string(8192 - token(good, kClaims, "").size(), 'A')), ""},
        {"8193 bytes", token(good, kClaims, std::string(8193 - token(good, kClaims, "").size(), 'A')), "8192 bytes"},
        {"a long header", header(R"("x":")" + std::string(1600, 'x') + '"'), "2048 bytes"},
        {"a header that is an array", token("[]", kClaims), "not a JSON object"},
        {"a payload that is a string", token(good, "\"x\""), "payload is not a JSON object"},
        {"bytes behind the header", token(good + "x", kClaims), "strict JSON"},
        {"a member twice", header(R"("kid":"a","kid":"b")"), "strict JSON"},
        {"alg twice", token(R"({"alg":"ES256","\u0061lg":"none"})", kClaims), "strict JSON"},
        {"a claim twice", token(good, R"({"sub":"a","sub":"b"})"), "payload is not strict JSON"},
        {"eight levels", token(good, deep), ""},
        {"nine levels", token(good, R"({"a":[[[[[[[[1]]]]]]]]})"), "strict JSON"},
        {"invalid UTF-8", token(good, "{\"sub\":\"\xff\"}"), "strict JSON"},
        {"crit", header(R"("crit":["b64"])"), "crit"},
        {"crit that is empty", header(R"("crit":[])"), "crit"},
        {"keys and addresses of keys, which are not looked at",
         header(
             R"("jku":"https://evil.example/","x5u":"https://evil.example/","x5c":["AA"],"jwk":{"kty":"oct"},"x5t":"x")"),
         ""},
        {"a kid that is no string", header(R"("kid":1)"), "kid"},
        {"no alg", token("{}", kClaims), "alg"},
        {"alg that is no string", token(R"({"alg":1})", kClaims), "alg"},
        {"none", token(R"({"alg":"none"})", kClaims), "alg"},
        {"None", token(R"({"alg":"None"})", kClaims), "alg"},
        {"HS256", token(R"({"alg":"HS256"})", kClaims), "alg"},
        {"ES384", token(R"({"alg":"ES384"})", kClaims), "alg"},
        {"es256", token(R"({"alg":"es256"})", kClaims), "alg"},
        {"RS256", token(R"({"alg":"RS256"})", kClaims), ""},
        {"PS256", token(R"({"alg":"PS256"})", kClaims), ""},
        {"EdDSA", token(R"({"alg":"EdDSA"})", kClaims), ""},
        {"Ed25519", token(R"({"alg":"Ed25519"})", kClaims), ""},
        {"typ JWT", header(R"("typ":"JWT")"), ""},
        {"typ jwt", header(R"("typ":"jwt")"), ""},
        {"a media type", header(R"("typ":"application/JWT")"), ""},
        {"the type of the draft", header(R"("typ":"Client-Authentication+JWT")"), ""},
        {"an empty typ", header(R"("typ":"")"), "typ"},
        {"typ that is no string", header(R"("typ":null)"), "typ"},
        {"typ of an access token", header(R"("typ":"at+jwt")"), "something else"},
        {"typ of a proof", header(R"("typ":"dpop+jwt")"), "something else"},
        {"application/ twice", header(R"("typ":"application/application/jwt")"), "something else"},
        {"a proof", header(R"("typ":"dpop+jwt")"), "", &kProof},
        {"a proof without typ", token(good, kClaims), "typ", &kProof},
        {"a proof by RS256", token(R"({"alg":"RS256","typ":"dpop+jwt"})", kClaims), "alg", &kProof},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto jwt = jose::parse_foreign_jwt(row.text, *row.form);
        const std::string fault = jwt ? std::string() : jwt.error();
        CAPTURE(fault);
        CHECK(static_cast<bool>(jwt) == std::string(row.fault).empty());
        CHECK(fault.find(row.fault) != std::string::npos);
    }
}

TEST_CASE("foreign JWTs: a fault repeats little of a value, and no control characters [KEY-1]") {
    const auto jwt =
        jose::parse_foreign_jwt(token(R"({"alg":"\u001b[31m)" + std::string(500, 'x') + "\"}", kClaims), kAssertion);
    REQUIRE_FALSE(jwt);
    CHECK(jwt.error().size() < 120);
    CHECK(jwt.error().find('\x1b') == std::string::npos);
}

TEST_CASE(
    "foreign JWTs: the JWTs of the RFCs verify with their keys [KEY-3, KEY-4, RFC 7515 §A.2, §A.3; RFC 8037 §A.4]") {
    const std::string keys = key_of(vectors::kRsaPem) + "," + key_of(vectors::kEcPem) + "," + key_of(vectors::kEdPem);
    const std::pair<const char*, const char*> rows[] = {{vectors::kRsaInput, vectors::kRsaSignature},
                                                        {vectors::kEcInput, vectors::kEcSignature}};
    for (const auto& [input, signature] : rows) {
        const std::string text = std::string(input) + "." + signature;
        auto jwt = jose::parse_foreign_jwt(text, kAssertion);
        REQUIRE(jwt);
        const auto claims = jose::verify_foreign_jwt(std::move(*jwt), keys_of(keys));
        REQUIRE(claims);
        CHECK(*(*claims)->find("iss")->if_string() == "joe");
    }
    // RFC 8037 §A.4 signs a text that is no JSON object, which is no JWT.
    CHECK_FALSE(jose::parse_foreign_jwt(std::string(vectors::kEdInput) + "." + vectors::kEdSignature, kAssertion));
}

TEST_CASE("foreign JWTs: a signature counts if a key that fits `alg` and `kid` has made it [KEY-4]") {
    const std::string ec = key_of(vectors::kEcPem, "a");
    const std::string other =
        json::write(jose::to_json(crypto::PrivateKey::generate(Algorithm::ES256).public_key().members()));
    const auto with = [](const std::string& key, const std::string& member) {
        return key.substr(0, key.size() - 1) + "," + member + "}";
    };
    const std::string by_ec = signed_by(vectors::kEcPem, R"({"alg":"ES256"})", kClaims);
    const std::string by_ec_a = signed_by(vectors::kEcPem, R"({"alg":"ES256","kid":"a"})", kClaims);
    const std::string by_ec_b = signed_by(vectors::kEcPem, R"({"alg":"ES256","kid":"b"})", kClaims);
    const std::string by_ed = signed_by(vectors::kEdPem, R"({"alg":"Ed25519"})", kClaims);
    const std::string by_rsa = signed_by(vectors::kRsaPem, R"({"alg":"RS256"})", kClaims);
    std::string changed = by_ec;
    changed.back() = changed.back() == 'A' ? 'Q' : 'A';
    struct Row {
        const char* when;
        std::string keys;
        std::string text;
        const char* fault;
    };
    const Row rows[] = {
        {"the key", ec, by_ec, ""},
        {"its kid", ec, by_ec_a, ""},
        {"another kid", ec, by_ec_b, "no registered key"},
        {"the kid of another key", ec + "," + with(other, R"("kid":"b")"), by_ec_b, "not of a registered key"},
        {"two keys of one kid", with(other, R"("kid":"a")") + "," + ec, by_ec_a, ""},
        {"the fourth key", other + "," + other + "," + other + "," + ec, by_ec, ""},
        {"the fifth key", other + "," + other + "," + other + "," + other + "," + ec, by_ec, "more than 4"},
        {"the fifth key, and a kid", other + "," + other + "," + other + "," + other + "," + ec, by_ec_a, ""},
        {"a changed signature", ec, changed, "not of a registered key"},
        {"a signature of another key", other, by_ec, "not of a registered key"},
        {"EdDSA by its new name", key_of(vectors::kEdPem), by_ed, ""},
        {"RSA", key_of(vectors::kRsaPem), by_rsa, ""},
        {"RSA for PS256 alone", with(key_of(vectors::kRsaPem), R"("alg":"PS256")"), by_rsa, "no registered key"},
        {"a key of another type", key_of(vectors::kEdPem), by_ec, "no registered key"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        auto jwt = jose::parse_foreign_jwt(row.text, kAssertion);
        REQUIRE(jwt);
        const auto claims = jose::verify_foreign_jwt(std::move(*jwt), keys_of(row.keys));
        const std::string fault = claims ? std::string() : claims.error();
        CAPTURE(fault);
        CHECK(static_cast<bool>(claims) == std::string(row.fault).empty());
        CHECK(fault.find(row.fault) != std::string::npos);
    }
}

TEST_CASE("foreign JWTs: a caller who is nobody is verified against a key for each algorithm [KEY-10]") {
    for (const char* alg : {"ES256", "PS256", "EdDSA", "Ed25519", "RS256"}) {
        const std::string text = token(std::string(R"({"alg":")") + alg + "\"}", kClaims);
        const auto jwt = jose::parse_foreign_jwt(text, kAssertion);
        REQUIRE(jwt);
        CHECK_NOTHROW(jose::verify_in_vain(*jwt));
    }
}
