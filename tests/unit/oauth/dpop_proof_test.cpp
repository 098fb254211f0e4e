// Proofs of possession as such: which one is good for a request, and which spellings of its target are one.
#include "oauth/dpop_proof.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "crypto/digest.h"
#include "crypto/key.h"
#include "jose/jwk.h"
#include "json/writer.h"
#include "util/base64.h"

namespace {

using namespace postern;
using crypto::Algorithm;

const util::Time kNow = util::from_epoch(1800000000);
constexpr const char* kUrl = "https://op.example/auth/token";

struct Key {
    crypto::PrivateKey key;
    json::Object header;

    explicit Key(Algorithm algorithm = Algorithm::ES256)
        : key(crypto::PrivateKey::generate(algorithm)),
          header{{"typ", "dpop+jwt"},
                 {"alg", crypto::to_string(algorithm)},
                 {"jwk", jose::to_json(key.public_key().members())}} {}

    std::string sign(const json::Object& head, const json::Object& claims) const {
        const std::string text =
            util::base64url_encode(json::write(head)) + '.' + util::base64url_encode(json::write(claims));
        return text + '.' + util::base64url_encode(key.sign(text));
    }
};

json::Object good_claims() { return {{"jti", "a"}, {"htm", "POST"}, {"htu", kUrl}, {"iat", util::to_epoch(kNow)}}; }

oauth::ProofRules rules() { return {"POST", {kUrl}, util::Seconds{60}, util::Seconds{30}, kNow}; }

TEST_CASE(
    "check_proof: what a proof must say [DPOP-1, DPOP-2, DPOP-3, DPOP-4, DPOP-5, DPOP-6, DPOP-8, RFC 9449 §4.2, §4.3]") {
    const Key key;
    const Key other;
    const auto head = [&](const char* name, json::Value value) {
        json::Object changed = key.header;
        changed.set(name, std::move(value));
        return key.sign(changed, good_claims());
    };
    const auto with = [&](const char* name, json::Value value) {
        json::Object changed = good_claims();
        changed.set(name, std::move(value));
        return key.sign(key.header, changed);
    };
    const auto without = [&](const char* name) {
        json::Object changed = good_claims();
        changed.erase(name);
        return key.sign(key.header, changed);
    };
    const auto jwk_with = [&](const char* name, json::Value value) {
        json::Object jwk = jose::to_json(key.key.public_key().members());
        jwk.set(name, std::move(value));
        return head("jwk", std::move(jwk));
    };
    const std::string good = key.sign(key.header, good_claims());
    const auto at = [&](int seconds) { return with("iat", util::to_epoch(kNow) + seconds); };
    struct Row {
        const char* when;
        std::string header;
        const char* fault;  ///< "": it is good
        bool is_of_clocks = false;
    };
    const std::vector<Row> rows = {
        {"as it should be", good, ""},
        {"twice", good + ", " + good, "more than once"},
        {"empty", "", "compact form"},
        {"too long", with("x", std::string(4096, 'x')), "4096 bytes"},
        {"another typ", head("typ", "JWT"), "something else"},
        {"RS256", head("alg", "RS256"), "not accepted"},
        {"none", head("alg", "none"), "not accepted"},
        {"crit", head("crit", json::Array{"x"}), "crit"},
        {"an unknown member", head("x", 1), ""},
        {"a kid that is no string", head("kid", 1), ""},
        {"no key", head("jwk", nullptr), "jwk"},
        {"a private key", jwk_with("d", "AA"), "private key"},
        {"a symmetric key", head("jwk", json::Object{{"kty", "oct"}, {"k", "AA"}}), "symmetric"},
        {"a key for encryption", jwk_with("use", "enc"), "cannot verify"},
        {"a key for signatures", jwk_with("use", "sig"), ""},
        {"a key for another algorithm", jwk_with("alg", "PS256"), "jwk"},
        {"a key with a kid and a chain", jwk_with("x5c", "?"), ""},
        {"a key of another type", head("alg", "EdDSA"), "not for EdDSA"},
        {"signed by another key", other.sign(key.header, good_claims()), "not of the key"},
        {"another method", with("htm", "GET"), "htm"},
        {"the method in lower case", with("htm", "post"), "htm"},
        {"no method", without("htm"), "htm"},
        {"another address", with("htu", "https://op.example/auth/par"), "htu"},
        {"no address", without("htu"), "htu"},
        {"no jti", without("jti"), "jti"},
        {"an empty jti", with("jti", ""), "jti"},
        {"a jti of 256 bytes", with("jti", std::string(256, 'j')), ""},
        {"a jti of 257 bytes", with("jti", std::string(257, 'j')), "jti"},
        {"no iat", without("iat"), "iat"},
        {"iat in words", with("iat", "now"), "iat"},
        {"60 s old", at(-60), ""},
        {"61 s old", at(-61), "61 s ago, and dpopMaxAge is 60 s", true},
        {"30 s ahead", at(30), ""},
        {"31 s ahead", at(31), "31 s ahead of the clock of this server, and clockSkew is 30 s", true},
        {"expired", with("exp", util::to_epoch(kNow) - 10), "expired", true},
        {"not good yet", with("nbf", util::to_epoch(kNow) + 62), "nbf", true},
        {"a nonce", with("nonce", "x"), ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto checked = oauth::check_proof(row.header, rules());
        CHECK(bool(checked) == (*row.fault == '\0'));
        if (checked) continue;
        CHECK(checked.error().detail.find(row.fault) != std::string::npos);
        CHECK(checked.error().is_of_clocks == row.is_of_clocks);
    }
    const auto checked = oauth::check_proof(good, rules());
    REQUIRE(checked);
    CHECK(checked->jkt == jose::thumbprint(key.key.public_key()));
    CHECK(checked->jti == "a");
    CHECK(checked->until == kNow + util::Seconds{90});
}

TEST_CASE("check_proof: each algorithm [DPOP-2, RFC 9449 §4.3]") {
    for (const Algorithm algorithm : {Algorithm::ES256, Algorithm::EdDSA}) {
        const Key key(algorithm);
        CHECK(oauth::check_proof(key.sign(key.header, good_claims()), rules()));
    }
    const Key key(Algorithm::EdDSA);
    json::Object header = key.header;
    header.set("alg", "Ed25519");
    CHECK(oauth::check_proof(key.sign(header, good_claims()), rules()));
    // This server has no key for PS256: the proof was made elsewhere.
    const std::string by_pss =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IlBTMjU2IiwiandrIjp7Imt0eSI6IlJTQSIsIm4iOiJqdEtpZE5NdlJpWDBXaVZhanE1"
        "LWVjRk9IWkZHSHdpSmdwYzY1ajFwRWZjbU9BNDlfZ3ltOTJkMlFqY3k2Zi04Ty1vdk1zR0E4WUM5bnFHTzllNm9kZWl1c2RDenlo"
        "eFVWVndsV1BwMng3cHdBMlJlUmhlbGhWSlYxVW1qOEtkbm4taUFMaDh1eUkzU1lUcUdHdGc4VVRzY1VJemdtM1N1X3NRYUJTRFlo"
        "Tmlxa2xOTTBTMGdnRFh2X1kyRGJhSDlqckExVmZQN3FqWkFvUm4zdEh5UTR3WnhYUFFkZTNHdkdrbmRXUVdwVGxWdzhTYTRiRlpp"
        "a0xSZFlQWEtiSGtsZDIwVVZjbTdkRXVsVWdKeHlKaTAydU14ZUo1WlJHcmdZWjZpdnFCNGU2dWktU21ZTmpRWWI0QWlYcW05UFpO"
        "VXBRUDNITkxkUng4cENNWVRoZjVEZ3ciLCJlIjoiQVFBQiJ9fQ.eyJqdGkiOiJhIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzO"
        "i8vb3AuZXhhbXBsZS9hdXRoL3Rva2VuIiwiaWF0IjoxODAwMDAwMDAwfQ.JKqGFLjIT_SBXpTSNRkrn9zXPTtPK2oJcpIOXWVpUO"
        "OZMVX8bB7mLvArH461n_Ds_z_DcRzBUBodbIK4fd2Hy5Fmihps6XxIJi6RXkClW3_IPXbynLIVnwC-jPJRwbGM-g3tjLBbZbBchs"
        "r_ArBrcJ3tcAkcjgtA7P7Oko_ExIDml5oak3t1Q8HUkMmhu1o7tumKQ34TlHbmKUGKulN6oa7wFUqZv3BNulRIzJS83oJqhinSFm"
        "m-QB54qrChQxDgElv7jxzMOsxW3-RedR06-3tsapnfOvRO5HQ9TXIPUS_uYeeEtDWMf4ze88ayUZs_USS9RDS4rY3g1CfHPrXxLg";
    CHECK(oauth::check_proof(by_pss, rules()));
    const Key rsa(Algorithm::RS256);
    json::Object as_pss = rsa.header;
    as_pss.set("alg", "PS256");
    CHECK_FALSE(oauth::check_proof(rsa.sign(as_pss, good_claims()), rules()));
}

TEST_CASE("check_proof: the digest of an access token [DPOP-9, RFC 9449 §4.3, §7]") {
    const Key key;
    oauth::ProofRules with_token = rules();
    with_token.access_token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";  // RFC 9449 §7.1
    json::Object claims = good_claims();
    CHECK_FALSE(oauth::check_proof(key.sign(key.header, claims), with_token));
    claims.set("ath", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
    CHECK(oauth::check_proof(key.sign(key.header, claims), with_token));
    claims.set("ath", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEp");
    CHECK_FALSE(oauth::check_proof(key.sign(key.header, claims), with_token));
}

TEST_CASE("check_proof: the proof of the standard [RFC 9449 §4.1, §6.1]") {
    const std::string proof =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCR"
        "nMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaH"
        "RtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvq"
        "RMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg";
    const auto checked = oauth::check_proof(proof, {"POST",
                                                    {"https://server.example.com/token"},
                                                    util::Seconds{60},
                                                    util::Seconds{30},
                                                    util::from_epoch(1562262616)});
    REQUIRE(checked);
    CHECK(checked->jkt == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
}

TEST_CASE(
    "normal_target: spellings of one address, and neighbours that differ [DPOP-5, RFC 3986 §6.2.2, §6.2.3, F2-44]") {
    const auto normal = [](const std::string& url) { return oauth::normal_target(url).value_or("-"); };
    for (const char* same :
         {"https://op.example/auth/token", "HTTPS://OP.Example/auth/token", "https://op.example:443/auth/token",
          "https://op.example/auth/token?a=b", "https://op.example/auth/token#x", "https://op.example/auth/%74oken",
          "https://op.example/auth/./x/../token", "https://op.example/../auth/token"}) {
        CAPTURE(same);
        CHECK(normal(same) == kUrl);
    }
    for (const char* other :
         {"http://op.example/auth/token", "https://op.example:/auth/token", "https://op.example:0443/auth/token",
          "https://op.example:8443/auth/token", "https://op.example./auth/token", "https://u@op.example/auth/token",
          "https://op.example/auth/token/", "https://op.example/auth//token", "https://op.example/Auth/token",
          "https://op.example/auth%2Ftoken", "https://op.example", "/auth/token", "op.example/auth/token", ""}) {
        CAPTURE(other);
        CHECK(normal(other) != kUrl);
    }
    CHECK(normal("https://op.example") == "https://op.example/");
    CHECK(normal("https://op.example/a/..") == "https://op.example/");
    CHECK(normal("http://[::1]:80/t") == "http://[::1]/t");
}

TEST_CASE("is_thumbprint [DPOP-20]") {
    CHECK(oauth::is_thumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"));
    for (const char* text :
         {"", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4II",
          "0ZcOCORZNYy+DWpqq30jZyJGHTN0d2HglBV3uiguA4I", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4="})
        CHECK_FALSE(oauth::is_thumbprint(text));
}

}  // namespace
