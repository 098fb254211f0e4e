// Which keys of a set that a client registers can be used (KEY-4, KEY-5).
#include "jose/client_keys.h"

#include <doctest/doctest.h>

#include <string>

#include "../crypto/vectors.h"
#include "json/reader.h"

using namespace postern;
using crypto::Algorithm;

namespace {

std::string set_of(const std::string& keys) { return R"({"keys":[)" + keys + "]}"; }

/// The P-256 key of RFC 7515 §A.3 with more members.
std::string ec(const std::string& more = "") {
    return std::string(R"({"kty":"EC","crv":"P-256","x":")") + vectors::kEcX + R"(","y":")" + vectors::kEcY + '"' +
           more + '}';
}
std::string okp(const std::string& more = "") {
    return std::string(R"({"kty":"OKP","crv":"Ed25519","x":")") + vectors::kEdX + '"' + more + '}';
}
std::string rsa(const std::string& more = "") {
    return std::string(R"({"kty":"RSA","n":")") + vectors::kRsaModulus + R"(","e":")" + vectors::kRsaExponent + '"' +
           more + '}';
}

std::string several(int count, const std::string& key) {
    std::string all = key;
    for (int i = 1; i < count; ++i) all += ',' + key;
    return all;
}

constexpr const char* kP384 = R"({"kty":"EC","crv":"P-384","x":"AA","y":"AA"})";

/// A certificate of another P-256 key.
constexpr const char* kCertificate =
    "MIIBfTCCASOgAwIBAgIUXjkPnr8s0Qe0a0Jd0p6LzE8G6gswCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0";

}  // namespace

TEST_CASE("client keys: what a set of keys may have [KEY-5, F2-51]") {
    struct Row {
        const char* when;
        std::string text;
        int keys;  ///< that can be used; -1: the set is refused
    };
    const Row rows[] = {
        {"one key", set_of(ec()), 1},
        {"each type", set_of(ec() + "," + okp() + "," + rsa()), 3},
        {"the same key twice", set_of(several(2, ec())), 2},
        {"members beside keys", R"({"x":1,"keys":[)" + ec() + "]}", 1},
        {"twenty keys", set_of(several(20, okp())), 20},
        {"twenty-one keys", set_of(several(21, okp())), -1},
        {"no keys", set_of(""), -1},
        {"no array", R"({"keys":{}})", -1},
        {"an array alone", "[" + ec() + "]", -1},
        {"no JSON", "keys", -1},
        {"an entry that is no object", set_of(R"("key")"), -1},
        {"a member twice", set_of(ec(R"(,"kid":"a","kid":"b")")), -1},
        {"keys twice", R"({"keys":[)" + ec() + R"(],"keys":[]})", -1},
        {"bytes behind it", set_of(ec()) + "x", -1},
        {"nested too deep", set_of(ec(R"(,"a":[[[[[[[[1]]]]]]]])")), -1},
        {"too large", set_of(ec()) + std::string(jose::kMaxClientKeySetBytes, ' '), -1},
        {"use sig", set_of(ec(R"(,"use":"sig")")), 1},
        {"use enc beside another", set_of(ec(R"(,"use":"enc")") + "," + okp()), 1},
        {"use enc alone", set_of(ec(R"(,"use":"enc")")), -1},
        {"key_ops verify", set_of(ec(R"(,"key_ops":["verify"])")), 1},
        {"key_ops encrypt beside another", set_of(ec(R"(,"key_ops":["encrypt"])") + "," + okp()), 1},
        {"another curve beside one", set_of(kP384 + std::string(",") + ec()), 1},
        {"another curve alone", set_of(kP384), -1},
        {"a type of the future beside one", set_of(R"({"kty":"AKP"},)" + ec()), 1},
        {"its algorithm", set_of(ec(R"(,"alg":"ES256")")), 1},
        {"PS256 for RSA", set_of(rsa(R"(,"alg":"PS256")")), 1},
        {"Ed25519 by its new name", set_of(okp(R"(,"alg":"Ed25519")")), 1},
        {"an algorithm of another type alone", set_of(ec(R"(,"alg":"RS256")")), -1},
        {"an algorithm that is not offered beside another", set_of(rsa(R"(,"alg":"RS512")") + "," + ec()), 1},
        {"a kid that is a number", set_of(ec(R"(,"kid":1)")), -1},
        {"a kid of 256 bytes", set_of(ec(R"(,"kid":")" + std::string(256, 'k') + '"')), 1},
        {"a kid of 257 bytes", set_of(ec(R"(,"kid":")" + std::string(257, 'k') + '"')), -1},
        {"a private member", set_of(ec(R"(,"d":"AA")")), -1},
        {"a private member of a key for something else", set_of(ec(R"(,"use":"enc","d":"AA")") + "," + okp()), -1},
        {"a symmetric key beside another", set_of(R"({"kty":"oct","k":"AA"},)" + ec()), -1},
        {"no crv beside another",
         set_of(std::string(R"({"kty":"EC","x":")") + vectors::kEcX + R"(","y":")" + vectors::kEcY + R"("},)" + okp()),
         1},
        {"no crv", set_of(std::string(R"({"kty":"OKP","x":")") + vectors::kEdX + R"("})"), -1},
        {"no kty", set_of(R"({"x":"AA"},)" + ec()), -1},
        {"an unsound key beside another", set_of(R"({"kty":"OKP","crv":"Ed25519","x":"AA"},)" + ec()), -1},
        {"padding", set_of(R"({"kty":"RSA","n":")" + std::string(vectors::kRsaModulus) + R"(","e":"AQAB="})"), -1},
        {"spare bits", set_of(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp"})"),
         -1},
        {"a leading zero", set_of(R"({"kty":"RSA","n":")" + std::string(vectors::kRsaModulus) + R"(","e":"AAEAAQ"})"),
         -1},
        {"a certificate that is none", set_of(ec(R"(,"x5c":["AAAA"])")), -1},
        {"a certificate that is cut", set_of(ec(std::string(R"(,"x5c":[")") + kCertificate + R"("])")), -1},
        {"an empty chain", set_of(ec(R"(,"x5c":[])")), -1},
        {"an address of certificates, which is not followed", set_of(ec(R"(,"x5u":"https://keys.example/")")), 1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto keys = jose::parse_client_keys(row.text);
        const std::string problem = keys ? std::string() : keys.error();
        CAPTURE(problem);
        REQUIRE(static_cast<bool>(keys) == (row.keys >= 0));
        if (!keys) continue;
        CHECK(keys->size() == static_cast<std::size_t>(row.keys));
        const std::string written = jose::write_client_keys(*keys);
        const auto again = jose::parse_client_keys(written);
        REQUIRE(again);
        CHECK(jose::write_client_keys(*again) == written);
    }
}

TEST_CASE("client keys: a problem of a set names the key and never shows a private member [KEY-5]") {
    const auto keys = jose::parse_client_keys(set_of(okp() + "," + ec(R"(,"d":"c2VjcmV0")")));
    REQUIRE_FALSE(keys);
    CHECK(keys.error().find("key 2 has \"d\"") != std::string::npos);
    CHECK(keys.error().find("c2VjcmV0") == std::string::npos);
}

TEST_CASE("client keys: the key decides which signatures it may have made [KEY-4]") {
    const auto keys = jose::parse_client_keys(set_of(ec(R"(,"kid":"a")") + "," + ec(R"(,"kid":"b")") + "," +
                                                     rsa(R"(,"kid":"a","alg":"PS256")") + "," + okp()));
    REQUIRE(keys);
    struct Row {
        Algorithm algorithm;
        std::optional<std::string> kid;
        std::size_t found;
    };
    const Row rows[] = {
        {Algorithm::ES256, std::nullopt, 2}, {Algorithm::ES256, "a", 1},          {Algorithm::ES256, "c", 0},
        {Algorithm::ES256, "", 0},           {Algorithm::PS256, "a", 1},          {Algorithm::PS256, std::nullopt, 1},
        {Algorithm::RS256, "a", 0},          {Algorithm::EdDSA, std::nullopt, 1}, {Algorithm::EdDSA, "a", 0},
    };
    for (const Row& row : rows) {
        CAPTURE(crypto::to_string(row.algorithm));
        CAPTURE(row.kid.value_or("none"));
        CHECK(jose::candidates(*keys, row.algorithm, row.kid).size() == row.found);
    }
    CHECK_FALSE(jose::needs_kids(*keys));
    CHECK_FALSE(jose::needs_kids(*jose::parse_client_keys(set_of(several(4, rsa())))));
    CHECK(jose::needs_kids(*jose::parse_client_keys(set_of(several(5, rsa())))));
}
