// Which tokens are ours: frozen headers, one spelling, one kind, a signature that holds.
#include "jose/jws.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>

#include "../crypto/refused_keys.h"
#include "../crypto/vectors.h"
#include "crypto/digest.h"
#include "crypto/key.h"
#include "json/writer.h"
#include "util/base64.h"

using namespace postern;
using jose::JwtFault;
using jose::TokenType;
using util::base64url_encode;

namespace {

constexpr const char* kPayload = R"({"iss":"https://op.example.com","sub":"alice"})";
const TokenType kTypes[] = {TokenType::access_token, TokenType::refresh_token, TokenType::id_token};

crypto::PrivateKey load(const char* pem) { return crypto::PrivateKey::from_pem(util::Secret(std::string(pem))); }

jose::Jwk jwk_of(const crypto::PrivateKey& key) {
    auto public_key = key.public_key();
    std::string kid = jose::thumbprint(public_key);
    return {std::move(kid), std::move(public_key)};
}

/// The published keys of RFC 7515 and RFC 8037, and a verifier that knows them.
struct JwsFixture {
    crypto::PrivateKey rsa = load(vectors::kRsaPem);
    crypto::PrivateKey ec = load(vectors::kEcPem);
    crypto::PrivateKey ed = load(vectors::kEdPem);
    jose::JwkSet keys{jwk_of(rsa), jwk_of(ec), jwk_of(ed)};
    jose::Verifier verifier{keys};

    const crypto::PrivateKey& key(std::size_t i) const { return i == 0 ? rsa : i == 1 ? ec : ed; }
    const std::string& kid(std::size_t i) const { return keys[i].kid; }
    std::string token(std::size_t i, TokenType type = TokenType::access_token) const {
        return jose::sign_compact(key(i), kid(i), type, kPayload);
    }
    std::optional<JwtFault> fault(std::string_view token, TokenType wanted = TokenType::access_token) {
        const auto result = verifier.verify(token, wanted);
        return result ? std::nullopt : std::optional(result.error());
    }
};

std::string text_of(const jose::Claims& claims) { return claims ? json::write(*claims) : "none"; }

/// A token with any header at all, really signed.
std::string sign_any(const crypto::PrivateKey& key, std::string_view header, std::string_view payload = kPayload) {
    const std::string text = base64url_encode(header) + "." + base64url_encode(payload);
    return text + "." + base64url_encode(key.sign(text));
}

/// What stands between the lines of a PEM.
std::string der_of(const std::string& pem) {
    std::string body = pem.substr(pem.find('\n'), pem.rfind("-----END") - pem.find('\n'));
    std::erase(body, '\n');
    return util::base64_decode(body).value();
}

std::string upper_case(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

std::string last_replaced(std::string text, char last) {
    text.back() = last;
    return text;
}

}  // namespace

TEST_CASE("typ tells the kinds of token apart [RFC 9068 §2.1, RFC 7519 §5.1]") {
    CHECK(jose::typ_of(TokenType::access_token) == "at+jwt");
    CHECK(jose::typ_of(TokenType::refresh_token) == "rt+jwt");
    CHECK(jose::typ_of(TokenType::id_token) == "JWT");
}

TEST_CASE("encode_header: members and their order are frozen, since issued tokens depend on them [OIDC Core §2n]") {
    using crypto::Algorithm;
    CHECK(jose::encode_header(Algorithm::RS256, TokenType::access_token, "k1") ==
          base64url_encode(R"({"alg":"RS256","typ":"at+jwt","kid":"k1"})"));
    CHECK(jose::encode_header(Algorithm::ES256, TokenType::refresh_token, "k1") ==
          base64url_encode(R"({"alg":"ES256","typ":"rt+jwt","kid":"k1"})"));
    CHECK(jose::encode_header(Algorithm::EdDSA, TokenType::id_token, "k\"1") ==
          base64url_encode(R"({"alg":"EdDSA","typ":"JWT","kid":"k\"1"})"));
    CHECK(jose::encode_header(Algorithm::RS256, TokenType::authorization_response, "k1") ==
          base64url_encode(R"({"alg":"RS256","kid":"k1"})"));
}

TEST_CASE("sign_compact makes the three segments of RFC 7515 §7.1 [RFC 6749 §A.11]") {
    JwsFixture fixture;
    // Ed25519 signatures are determined, so the whole token is.
    const std::string text =
        jose::encode_header(crypto::Algorithm::EdDSA, TokenType::id_token, "k") + "." + base64url_encode(kPayload);
    CHECK(jose::sign_compact(fixture.ed, "k", TokenType::id_token, kPayload) ==
          text + "." + base64url_encode(fixture.ed.sign(text)));
}

TEST_CASE("verify accepts what sign_compact made, with each key and as each kind") {
    JwsFixture fixture;
    for (std::size_t i = 0; i < 3; ++i) {
        for (const TokenType type : kTypes) {
            CAPTURE(i);
            CAPTURE(jose::typ_of(type));
            const auto verified = fixture.verifier.verify(fixture.token(i, type), type);
            REQUIRE(verified);
            CHECK(verified->kid == fixture.kid(i));
            CHECK(text_of(verified->claims) == kPayload);
        }
    }
}

TEST_CASE("verify: a token of one kind is none of another [IF35, RFC 8725 §3.11, §3.12, J10]") {
    JwsFixture fixture;
    for (const TokenType type : kTypes) {
        for (const TokenType wanted : kTypes) {
            CAPTURE(jose::typ_of(type));
            CAPTURE(jose::typ_of(wanted));
            const auto expected = type == wanted ? std::nullopt : std::optional(JwtFault::wrong_type);
            CHECK(fixture.fault(fixture.token(2, type), wanted) == expected);
        }
    }
}

TEST_CASE("type_of: the type in a header that this server makes, without verification; other text has none") {
    const JwsFixture world;
    for (std::size_t i = 0; i < world.keys.size(); ++i) {
        for (const TokenType type : kTypes) {
            CHECK(world.verifier.type_of(world.token(i, type)) == type);
            CHECK(world.verifier.type_of(jose::encode_header(world.key(i).algorithm(), type, world.kid(i)) + ".x") ==
                  type);
        }
    }
    const std::string token = world.token(0);
    for (const std::string& other : {std::string(), std::string("."), std::string("opaque"), "." + token,
                                     token.substr(1), sign_any(world.rsa, R"({"alg":"none"})")}) {
        CAPTURE(other);
        CHECK_FALSE(world.verifier.type_of(other));
    }
}

TEST_CASE(
    "verify: the published tokens are well signed and still not this server's [RFC 7515 A.2, A.3, RFC 8037 A.4]") {
    JwsFixture fixture;
    const auto token = [](const char* input, const char* signature) { return std::string(input) + "." + signature; };
    CHECK(fixture.fault(token(vectors::kRsaInput, vectors::kRsaSignature)) == JwtFault::unknown_header);
    CHECK(fixture.fault(token(vectors::kEcInput, vectors::kEcSignature)) == JwtFault::unknown_header);
    CHECK(fixture.fault(token(vectors::kEdInput, vectors::kEdSignature)) == JwtFault::unknown_header);
}

TEST_CASE(
    "verify refuses any header but its own bytes, though the signature is good [IF36, RFC 8725 §3.1, §3.10, §3.11, "
    "J04, J05, J06]") {
    JwsFixture fixture;
    const std::string kid = fixture.kid(2);
    const std::string good = R"({"alg":"EdDSA","typ":"at+jwt","kid":")" + kid + "\"}";
    REQUIRE(fixture.fault(sign_any(fixture.ed, good)) == std::nullopt);
    const std::string open = R"({"alg":"EdDSA","typ":"at+jwt","kid":")" + kid + "\"";
    const auto with_alg = [&](const std::string& alg) {
        return R"({"alg":)" + alg + R"(,"typ":"at+jwt","kid":")" + kid + "\"}";
    };
    const auto with_typ = [&](const std::string& typ) {
        return R"({"alg":"EdDSA","typ":)" + typ + R"(,"kid":")" + kid + "\"}";
    };
    const auto with_kid = [](const std::string& value) {
        return R"({"alg":"EdDSA","typ":"at+jwt","kid":)" + value + "}";
    };
    const std::string jwk = json::write(jose::to_json(fixture.keys[2]));
    const std::string headers[] = {
        // alg: none and friends, symmetric, other algorithms of our keys, other keys' algorithms
        // clang-format off
        with_alg("\"none\""), with_alg("\"None\""), with_alg("\"NONE\""), with_alg("\"nOnE\""), with_alg("\"\""),
        with_alg("null"), with_alg("[\"EdDSA\"]"), with_alg("\"HS256\""), with_alg("\"RS256\""), with_alg("\"RS512\""),
        with_alg("\"PS256\""), with_alg("\"ES256\""), with_alg("\"ES384\""), with_alg("\"Ed25519\""),
        with_alg("\"eddsa\""),
        // clang-format on
        R"({"typ":"at+jwt","kid":")" + kid + "\"}",
        // typ
        // clang-format off
        with_typ("\"AT+JWT\""), with_typ("\"At+jwt\""), with_typ("\"at+JWT\""), with_typ("\"at+jwt\\u0000\""),
        with_typ("null"), with_typ("1"), with_typ("\"application/at+jwt\""), with_typ("\"jwt\""),
        with_typ("\"id+jwt\""), with_typ("\"at+jwt \""), with_typ("\"\""), with_typ("[\"at+jwt\"]"),
        with_typ("\"a\\u0074+jwt\""),
        // clang-format on
        R"({"alg":"EdDSA","kid":")" + kid + "\"}",
        // kid
        with_kid("\"../../dev/null\""),
        with_kid("\"/proc/sys/kernel/randomize_va_space\""),
        with_kid("\"/var/lib/postern/keys/EdDSA.1700000000." + kid + ".pem\""),
        with_kid("\"jwks.json\""),
        with_kid("\"x' UNION SELECT 'k\""),
        with_kid("{\"kid\":\"" + kid + "\"}"),
        with_kid("\"" + upper_case(kid) + "\""),
        with_kid("\"' OR 1=1--\""),
        with_kid("\"\\u0000\""),
        with_kid("\"" + kid + "\\u0000\""),
        with_kid("\"" + kid + " \""),
        with_kid("\"\""),
        with_kid("7"),
        with_kid("[\"" + kid + "\"]"),
        with_kid("null"),
        with_kid("\"" + fixture.kid(0) + "\""),
        with_kid("\"" + std::string(5000, 'k') + "\""),
        R"({"alg":"EdDSA","typ":"at+jwt"})",
        // keys and places to fetch keys from
        open + R"(,"jku":"http://127.0.0.1:9/jwks.json"})",
        open + R"(,"x5u":"http://127.0.0.1:9/cert"})",
        open + R"(,"jwk":)" + jwk + "}",
        open + R"(,"x5c":["MIIB"]})",
        open + R"(,"x5t#S256":"x"})",
        // extensions
        open + R"(,"crit":["b64"]})",
        open + R"(,"crit":["x"],"x":1})",
        open + R"(,"crit":[]})",
        open + R"(,"crit":null})",
        open + R"(,"crit":["exp"]})",
        open + R"(,"crit":{}})",
        open + R"(,"crit":["b64"],"b64":true,"x":1})",
        open + R"(,"crit":["x"],"b64":true,"x":1})",
        open + R"(,"crit":[],"b64":true,"x":1})",
        open + R"(,"crit":"x","b64":true,"x":1})",
        open + R"(,"crit":null,"b64":true,"x":1})",
        open + R"(,"crit":["exp"],"b64":true,"x":1})",
        open + R"(,"crit":{},"b64":true,"x":1})",
        open + R"(,"crit":"x"})",
        open + R"(,"b64":false})",
        open + R"(,"zip":"DEF"})",
        // the same members, written otherwise
        R"({"typ":"at+jwt","alg":"EdDSA","kid":")" + kid + "\"}",
        R"({"kid":")" + kid + R"(","typ":"at+jwt","alg":"EdDSA"})",
        R"({"alg":"EdDSA","alg":"EdDSA","typ":"at+jwt","kid":")" + kid + "\"}",
        R"({"alg":"none",)" + good.substr(1),
        open + R"(,"alg":"none"})",
        " " + good,
        good + "\n",
        "{ " + good.substr(1),
        open + ",}",
        "\xEF\xBB\xBF" + good,
        good + std::string(1, '\0'),
        "{}",
        "null",
        "\"EdDSA\"",
        "[]",
        "1",
    };
    for (const auto& header : headers) {
        CAPTURE(header);
        CHECK(fixture.fault(sign_any(fixture.ed, header)) == JwtFault::unknown_header);
        // Nor does what a kid might lead to count as a secret.
        for (const char* secret : {"", "2\n", "k"}) {
            const std::string text = base64url_encode(header) + "." + base64url_encode(kPayload);
            const std::string token = text + "." + base64url_encode(crypto::hmac_sha256(secret, text));
            CHECK(fixture.fault(token) == JwtFault::unknown_header);
        }
    }
    CHECK(fixture.fault(sign_any(fixture.ed, "")) == JwtFault::malformed);
    CHECK(fixture.fault(sign_any(fixture.ed, with_kid("\"" + std::string(jose::kMaxTokenBytes, 'k') + "\""))) ==
          JwtFault::malformed);  // longer than any token
}

TEST_CASE("verify: a key that comes with the token is not looked at, whatever kid stands next to it [J05]") {
    JwsFixture fixture;
    const auto stranger = crypto::PrivateKey::generate(crypto::Algorithm::EdDSA);
    const jose::Jwk its_jwk = jwk_of(stranger);
    const std::string members[] = {R"("jku":"http://127.0.0.1:9/keys")", R"("x5u":"http://127.0.0.1:9/keys")",
                                   "\"jwk\":" + json::write(jose::to_json(its_jwk)), R"("x5c":["Y2VydGlmaWNhdGU="])",
                                   R"("x5t#S256":"x")"};
    const std::string kids[] = {R"("kid":")" + fixture.kid(2) + "\",", R"("kid":")" + its_jwk.kid + "\",", ""};
    for (const std::string& member : members) {
        for (const std::string& kid : kids) {
            CAPTURE(member);
            CAPTURE(kid);
            const std::string header = R"({"alg":"EdDSA","typ":"at+jwt",)" + kid + member + "}";
            CHECK(fixture.fault(sign_any(stranger, header)) == JwtFault::unknown_header);
            CHECK(fixture.fault(sign_any(fixture.ed, header)) == JwtFault::unknown_header);
        }
    }
}

TEST_CASE(
    "verify: no signature, and signatures made with public material, are refused [RFC 8725 §2.1, §3.2, OIDC Core §2m, "
    "J01, J02]") {
    JwsFixture fixture;
    for (std::size_t i = 0; i < 3; ++i) {
        CAPTURE(i);
        const std::string payload = base64url_encode(kPayload);
        const std::string pem = refused_keys::kPublic;  // the public half of the EC key
        const std::string der = der_of(pem);
        json::Object published = jose::to_json(fixture.keys[i]);
        const std::string jwk = json::write(published);
        const json::Value* const first = published.find(i == 0 ? "n" : "x");
        REQUIRE(first != nullptr);
        const std::string coordinate = *first->if_string();
        for (const char* added : {"kid", "alg", "use"}) published.erase(added);
        json::Array set;
        for (const jose::Jwk& one : fixture.keys) set.emplace_back(jose::to_json(one));
        const std::string hs256 = base64url_encode(R"({"alg":"HS256","typ":"at+jwt","kid":")" + fixture.kid(i) + "\"}");
        const std::string ours =
            jose::encode_header(fixture.key(i).algorithm(), TokenType::access_token, fixture.kid(i));
        for (const std::string& secret :
             {jwk, pem, pem.substr(0, pem.size() - 1), der, vectors::raw(vectors::kRsaModulus),
              vectors::raw(vectors::kEdX), std::string(), std::string("secret"), fixture.kid(i), coordinate,
              util::base64url_decode(coordinate).value(), json::write(published),
              json::write(json::Object{{"keys", set}})}) {
            const auto forged = [&](const std::string& header) {
                const std::string text = header + "." + payload;
                return text + "." + base64url_encode(crypto::hmac_sha256(secret, text));
            };
            CHECK(fixture.fault(forged(hs256)) == JwtFault::unknown_header);
            CHECK(fixture.fault(forged(ours)) == JwtFault::bad_signature);
        }
        const std::string none = base64url_encode(R"({"alg":"none","typ":"at+jwt","kid":")" + fixture.kid(i) + "\"}");
        CHECK(fixture.fault(none + "." + payload + ".") == JwtFault::malformed);
        // Under every name for "no signature": without one, and with that of the good token.
        const std::string token = fixture.token(i);
        const std::string old_signature = token.substr(token.rfind('.') + 1);
        const std::string tail = R"(,"typ":"at+jwt","kid":")" + fixture.kid(i) + "\"}";
        for (const char* alg : {"\"none\"", "\"None\"", "\"NONE\"", "\"nOnE\"", "\"\"", "null"}) {
            CAPTURE(alg);
            const std::string text = base64url_encode(R"({"alg":)" + std::string(alg) + tail) + "." + payload;
            CHECK(fixture.fault(text + ".") == JwtFault::malformed);
            CHECK(fixture.fault(text + "." + old_signature) == JwtFault::unknown_header);
        }
        const std::string no_alg = base64url_encode("{" + tail.substr(1)) + "." + payload + ".";
        CHECK(fixture.fault(no_alg) == JwtFault::malformed);
        CHECK(fixture.fault(no_alg + old_signature) == JwtFault::unknown_header);
        CHECK(fixture.fault(ours + "." + payload + ".") == JwtFault::malformed);
        CHECK(fixture.fault(ours + "." + payload) == JwtFault::malformed);
    }
}

TEST_CASE(
    "verify: the signature covers header and payload and belongs to its key [RFC 7515 §5.2, RFC 8725 §3.3, RFC 6749 "
    "§10.3b, OIDC Core §16.3]") {
    JwsFixture fixture;
    const auto stranger = crypto::PrivateKey::generate(crypto::Algorithm::EdDSA);
    for (std::size_t i = 0; i < 3; ++i) {
        CAPTURE(i);
        const std::string token = fixture.token(i);
        const std::size_t dot = token.find('.');
        const std::size_t last = token.rfind('.');
        const std::string other = jose::sign_compact(fixture.key(i), fixture.kid(i), TokenType::access_token, "{}");
        CHECK(fixture.fault(token.substr(0, last) + other.substr(other.rfind('.'))) == JwtFault::bad_signature);
        std::string changed = token;
        changed[dot + 5] = changed[dot + 5] == 'A' ? 'B' : 'A';
        CHECK(fixture.fault(changed) == JwtFault::bad_signature);
        changed = token;
        changed[last + 5] = changed[last + 5] == 'A' ? 'B' : 'A';
        CHECK(fixture.fault(changed) == JwtFault::bad_signature);
        // The header of a refresh token over the signature of an access token.
        const auto refresh = jose::encode_header(fixture.key(i).algorithm(), TokenType::refresh_token, fixture.kid(i));
        CHECK(fixture.fault(refresh + token.substr(dot), TokenType::refresh_token) == JwtFault::bad_signature);
        // Signed by a key that is not in the set, under the name of one that is.
        CHECK(fixture.fault(jose::sign_compact(stranger, fixture.kid(i), TokenType::access_token, kPayload)) ==
              (i == 2 ? JwtFault::bad_signature : JwtFault::unknown_header));
    }
}

TEST_CASE(
    "verify: ES256 signatures of zeros, in DER, or out of range are refused [RFC 7518 §3.4, CVE-2022-21449, J15]") {
    JwsFixture fixture;
    const std::string token = fixture.token(1);
    const std::size_t last = token.rfind('.') + 1;
    const std::string good = *util::base64url_decode(token.substr(last));
    const std::string r = good.substr(0, 32);
    const std::string s = good.substr(32);
    const std::string zero(1, '\0');
    const std::string order = vectors::raw("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE");  // n of P-256
    const std::string one = std::string(31, '\0') + "\1";
    REQUIRE(order.size() == 32);
    for (const std::string& signature :
         {std::string(64, '\0'), std::string(63, '\0') + "\1", std::string(64, '\xFF'), good + good, good.substr(1),
          *crypto::ecdsa_raw_to_der(good), std::string(32, '\0') + s, r + std::string(32, '\0'), order + s, r + order,
          one + one, good.substr(0, 63), good + zero, zero + good, zero + r + zero + s, s + r, r,
          std::string("\0\0\0", 3), crypto::sha512("any 64 bytes")}) {
        CAPTURE(signature.size());
        CHECK(fixture.fault(token.substr(0, last) + base64url_encode(signature)) == JwtFault::bad_signature);
    }
    CHECK(fixture.fault(token.substr(0, last)) == JwtFault::malformed);
    CHECK(fixture.fault(token) == std::nullopt);
}

TEST_CASE("verify: a key that is no longer published signs nothing [J14]") {
    JwsFixture fixture;
    jose::Verifier without({fixture.keys[0], fixture.keys[1]});
    const auto result = without.verify(fixture.token(2), TokenType::access_token);
    REQUIRE_FALSE(result);
    CHECK(result.error() == JwtFault::unknown_header);
    CHECK(without.verify(fixture.token(0), TokenType::access_token));
    CHECK_FALSE(jose::Verifier({}).verify(fixture.token(0), TokenType::access_token));
    // A stranger's key under its own name, and one of ours under the name of another.
    const crypto::Algorithm of_keys[] = {crypto::Algorithm::RS256, crypto::Algorithm::ES256, crypto::Algorithm::EdDSA};
    for (std::size_t same = 0; same < std::size(of_keys); ++same) {
        const auto algorithm = of_keys[same];
        const auto stranger = crypto::PrivateKey::generate(algorithm);
        const auto signed_as = [&](const crypto::PrivateKey& key, const std::string& kid) {
            return sign_any(
                key, util::base64url_decode(jose::encode_header(algorithm, TokenType::access_token, kid)).value());
        };
        CHECK(fixture.fault(signed_as(stranger, jwk_of(stranger).kid)) == JwtFault::unknown_header);
        CHECK(fixture.fault(signed_as(stranger, fixture.kid(same))) == JwtFault::bad_signature);
        CHECK(fixture.fault(signed_as(fixture.key((same + 1) % 3), fixture.kid(same))) == JwtFault::bad_signature);
    }
}

TEST_CASE("verify takes three segments, not more and not fewer [RFC 7515 §7.1, J07]") {
    JwsFixture fixture;
    const std::string token = fixture.token(2);
    const std::size_t dot = token.find('.');
    const std::size_t last = token.rfind('.');
    const std::string header = token.substr(0, dot);
    const std::string payload = token.substr(dot + 1, last - dot - 1);
    const std::string signature = token.substr(last + 1);
    REQUIRE(fixture.fault(token) == std::nullopt);
    const std::string rows[] = {
        "",
        ".",
        "..",
        "...",
        "....",
        header,
        header + ".",
        header + "." + payload,
        header + "." + payload + ".",
        header + ".." + signature,
        "." + payload + "." + signature,
        token + ".",
        "." + token,
        token + "." + signature,
        token + ".." + signature,
        token + ".a.b",
        ". " + token,
        payload,
        payload + ".",
        token + "." + token,
        "\"" + token + "\"",
        token + "\r\n",
        "\t" + token,
        base64url_encode(R"({"alg":"dir","enc":"A256GCM"})") + ".." + std::string(16, 'x') + "." + payload + "." +
            std::string(22, 'x'),
        R"({"payload":")" + payload + R"(","signatures":[{"protected":")" + header + R"(","signature":")" + signature +
            "\"}]}",
        R"({"protected":")" + header + R"(","payload":")" + payload + R"(","signature":")" + signature + "\"}",
    };
    for (const auto& row : rows) {
        CAPTURE(row);
        CHECK(fixture.fault(row) == JwtFault::malformed);
    }
}

TEST_CASE("verify knows one spelling of a token [RFC 7515 §2, RFC 4648 §3.5, J08]") {
    JwsFixture fixture;
    const std::string token = fixture.token(2);
    const std::size_t dot = token.find('.');
    const std::size_t last = token.rfind('.');
    for (const std::string& row : {
             token + "=",
             token + "==",
             token + "\n",
             token + " ",
             " " + token,
             "\n" + token,
             token + std::string(1, '\0'),
             std::string(token).insert(last, "="),
             std::string(token).insert(dot, "="),
             std::string(token).insert(last, " "),
             std::string(token).insert(dot + 3, "\r\n"),
             std::string(token).insert(3, std::string(1, '\0')),
             std::string(token).insert(last + 40, " "),
             std::string(token).insert(last + 40, "\n"),
             std::string(token).insert(last + 40, std::string(1, '\0')),
             last_replaced(token, '+'),
             last_replaced(token, '/'),
             "Bearer " + token,
             token + "AAA",
         }) {
        CAPTURE(row);
        CHECK(fixture.fault(row) == JwtFault::malformed);
    }
    // 64 bytes leave four bits of the last character unused: sixteen characters would decode to the same bytes.
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    int accepted = 0;
    for (const char c : kAlphabet) {
        if (fixture.fault(last_replaced(token, c)) == std::nullopt) ++accepted;
    }
    CHECK(accepted == 1);
    // Well spelled, one byte longer.
    CHECK(fixture.fault(token + "A") == JwtFault::bad_signature);
    CHECK(fixture.fault(token.substr(0, token.size() - 1)));
    // Where the signature covers the spelling, the signature is good.
    const std::string header = token.substr(0, dot);
    const std::string payload = token.substr(dot + 1, last - dot - 1);
    const auto signed_again = [&](const std::string& text) {
        return text + "." + base64url_encode(fixture.ed.sign(text));
    };
    REQUIRE(fixture.fault(signed_again(header + "." + payload)) == std::nullopt);
    for (const std::string& more :
         {std::string("="), std::string("=="), std::string(" "), std::string("\n"), std::string(1, '\0')}) {
        CAPTURE(more);
        CHECK(fixture.fault(signed_again(header + more + "." + payload)) == JwtFault::malformed);
        CHECK(fixture.fault(signed_again(header + "." + payload + more)) == JwtFault::malformed);
    }
    // Payloads whose length leaves two and four bits of the last character unused, which are then set: no claims.
    for (const char* text : {R"({"x":1})", R"({"x":12})"}) {
        CAPTURE(text);
        std::string encoded = base64url_encode(text);
        REQUIRE(encoded.size() % 4 != 0);
        REQUIRE(fixture.fault(signed_again(header + "." + encoded)) == std::nullopt);
        encoded.back() = kAlphabet[kAlphabet.find(encoded.back()) + 1];
        const auto verified = fixture.verifier.verify(signed_again(header + "." + encoded), TokenType::access_token);
        REQUIRE(verified);
        CHECK(text_of(verified->claims) == "none");
    }
}

TEST_CASE("verify: the characters of the other base64 alphabet are none of ours [RFC 4648 §5, J08]") {
    JwsFixture fixture;
    std::string token;
    do token = fixture.token(1);
    while (token.find('-', token.rfind('.')) == std::string::npos ||
           token.find('_', token.rfind('.')) == std::string::npos);
    REQUIRE(fixture.fault(token) == std::nullopt);
    for (std::size_t at = token.rfind('.'); at < token.size(); ++at) {
        if (token[at] == '-') token[at] = '+';
        if (token[at] == '_') token[at] = '/';
    }
    CHECK(fixture.fault(token) == JwtFault::malformed);
}

TEST_CASE("verify: RS256 has one spelling too; its last character carries four bits [J08]") {
    JwsFixture fixture;
    const std::string token = fixture.token(0);
    REQUIRE(fixture.fault(token) == std::nullopt);
    const std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const std::size_t at = alphabet.find(token.back());
    REQUIRE(at % 16 == 0);
    for (std::size_t next = at + 1; next < at + 16; ++next) {
        CHECK(fixture.fault(last_replaced(token, alphabet[next])) == JwtFault::malformed);
    }
    CHECK(fixture.fault(token + "==") == JwtFault::malformed);
}

TEST_CASE("verify refuses what is longer than kMaxTokenBytes before it looks inside [J17]") {
    JwsFixture fixture;
    const auto of_length = [&fixture](std::size_t length) {
        // Three bytes of payload are four characters; the rest is found by trying.
        std::string payload((length - fixture.token(2).size()) / 4 * 3, 'x');
        std::string token;
        do {
            payload += 'x';
            token = jose::sign_compact(fixture.ed, fixture.kid(2), TokenType::access_token, payload);
        } while (token.size() < length);
        return token;
    };
    const std::string longest = of_length(jose::kMaxTokenBytes - 1);
    REQUIRE(longest.size() <= jose::kMaxTokenBytes);
    CHECK(fixture.fault(longest) == std::nullopt);
    const std::string longer = of_length(jose::kMaxTokenBytes + 1);
    CHECK(fixture.fault(longer) == JwtFault::malformed);
    CHECK(fixture.fault(std::string(1000000, 'a') + ".a.a") == JwtFault::malformed);
    CHECK(fixture.fault(std::string(1000000, '.')) == JwtFault::malformed);
    CHECK(fixture.fault("a." + std::string(1000000, 'a') + ".a") == JwtFault::malformed);
    const std::string token = fixture.token(2);
    CHECK(fixture.fault(std::string(50000, 'A') + token.substr(token.find('.'))) == JwtFault::malformed);
    const std::string tail = token.substr(token.rfind('.'));
    CHECK(fixture.fault(token.substr(0, token.find('.') + 1) + std::string(50000, 'A') + tail) == JwtFault::malformed);
}

TEST_CASE("verify: a payload has claims if it is a JSON object, at the first time and at the next") {
    JwsFixture fixture;
    for (const std::string& payload : {std::string("x"), std::string("a\0b", 3), std::string("\xFF\xFE"),
                                       std::string("[]"), std::string("{}"), std::string(kPayload)}) {
        const auto token = jose::sign_compact(fixture.ec, fixture.kid(1), TokenType::id_token, payload);
        for (int times = 0; times < 3; ++times) {
            const auto verified = fixture.verifier.verify(token, TokenType::id_token);
            REQUIRE(verified);
            CHECK(text_of(verified->claims) == (payload.front() == '{' ? payload : "none"));
        }
    }
}

TEST_CASE("verify: a token that is verified again has the claims of the first time") {
    JwsFixture fixture;
    const std::string token = fixture.token(1);
    const auto first = fixture.verifier.verify(token, TokenType::access_token);
    const auto again = fixture.verifier.verify(token, TokenType::access_token);
    REQUIRE((first && again));
    CHECK(first->claims == again->claims);
}

TEST_CASE("a Verifier outlives the keys it was made of, and its own original") {
    JwsFixture fixture;
    auto keys = std::make_unique<jose::JwkSet>(fixture.keys);
    auto first = std::make_unique<jose::Verifier>(*keys);
    keys.reset();
    jose::Verifier copy = *first;
    jose::Verifier moved = std::move(*first);
    first.reset();
    for (jose::Verifier* verifier : {&copy, &moved}) {
        for (std::size_t i = 0; i < 3; ++i) CHECK(verifier->verify(fixture.token(i), TokenType::access_token));
    }
}

TEST_CASE("verify: a token that was found good before makes no other one good [RFC 7515 §5.2, RFC 8725 §3.11]") {
    JwsFixture fixture;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string token = fixture.token(i);
        for (int times = 0; times < 3; ++times) {
            const auto verified = fixture.verifier.verify(token, TokenType::access_token);
            REQUIRE(verified);
            CHECK(text_of(verified->claims) == kPayload);
            CHECK(verified->kid == fixture.kid(i));
        }
        CHECK(fixture.fault(token, TokenType::refresh_token) == JwtFault::wrong_type);
        CHECK(fixture.fault(token, TokenType::id_token) == JwtFault::wrong_type);
        for (std::size_t at = 0; at < token.size(); ++at) {
            std::string other = token;
            other[at] = other[at] == 'A' ? 'B' : 'A';
            if (other != token) CHECK(fixture.fault(other));
        }
        CHECK(fixture.fault(token + "A"));
        CHECK(fixture.fault(token.substr(0, token.size() - 1)));
        CHECK(fixture.fault(token.substr(0, token.rfind('.') + 1)));
        CHECK_FALSE(fixture.fault(token));
        // Without its key it is nobody's, and with the same kid on another key a forgery.
        CHECK(jose::Verifier(jose::JwkSet{}).verify(token, TokenType::access_token).error() ==
              JwtFault::unknown_header);
    }
    const auto other = crypto::PrivateKey::generate(crypto::Algorithm::ES256);
    jose::Verifier replaced(jose::JwkSet{{fixture.kid(1), other.public_key()}});
    CHECK(replaced.verify(fixture.token(1), TokenType::access_token).error() == JwtFault::bad_signature);
}

TEST_CASE(
    "note_signed: what was signed here need not be verified here; anything else must be, and a kind stays a kind") {
    JwsFixture fixture;
    std::string unproved = fixture.token(1, TokenType::refresh_token);
    unproved[unproved.rfind('.') + 1] = unproved[unproved.rfind('.') + 1] == 'A' ? 'B' : 'A';
    REQUIRE(fixture.fault(unproved, TokenType::refresh_token) == JwtFault::bad_signature);
    CHECK(fixture.verifier.note_signed(unproved, {{"sub", "alice"}}) == crypto::sha256(unproved));
    const auto verified = fixture.verifier.verify(unproved, TokenType::refresh_token);
    REQUIRE(verified);  // its word is taken
    CHECK(verified->digest == crypto::sha256(unproved));
    CHECK(text_of(verified->claims) == R"({"sub":"alice"})");
    CHECK(fixture.fault(unproved, TokenType::access_token) == JwtFault::wrong_type);
    CHECK(fixture.fault(unproved + "A", TokenType::refresh_token));
    std::string other = unproved;
    other[other.find('.') + 1] = other[other.find('.') + 1] == 'A' ? 'B' : 'A';
    CHECK(fixture.fault(other, TokenType::refresh_token) == JwtFault::bad_signature);
    CHECK(JwsFixture().fault(unproved, TokenType::refresh_token) == JwtFault::bad_signature);  // of another process
}
