// A client that signs its own JWTs: its key pair, the set that it registers, and its assertions (RFC 7523 §2.2).
#pragma once

#include <string>
#include <utility>

#include "crypto/digest.h"
#include "crypto/key.h"
#include "jose/jwk.h"
#include "json/writer.h"
#include "support/flow.h"
#include "util/base64.h"

namespace postern::test {

class Signer {
public:
    Signer(std::string client, std::string kid, crypto::Algorithm algorithm = crypto::Algorithm::ES256)
        : client_(std::move(client)), kid_(std::move(kid)), key_(crypto::PrivateKey::generate(algorithm)) {}

    /// The key set that the client registers.
    json::Object jwks() const {
        json::Object key = jose::to_json(key_.public_key().members());
        key.set("kid", kid_);
        return {{"keys", json::Array{std::move(key)}}};
    }

    json::Object header() const {
        return {{"alg", crypto::to_string(key_.algorithm())}, {"typ", "JWT"}, {"kid", kid_}};
    }
    /// Good claims, with a `jti` that no other has.
    json::Object claims(const Deployment& op) const {
        static int number = 0;
        return {{"iss", client_},  {"sub", client_},       {"aud", op.issuer()},
                {"iat", op.now()}, {"exp", op.now() + 60}, {"jti", client_ + std::to_string(++number)}};
    }

    std::string sign(const json::Object& header, const json::Object& claims) const {
        const std::string text =
            util::base64url_encode(json::write(header)) + '.' + util::base64url_encode(json::write(claims));
        return text + '.' + util::base64url_encode(key_.sign(text));
    }
    std::string assertion(const Deployment& op) const { return sign(header(), claims(op)); }
    std::string with_claim(const Deployment& op, const std::string& name, json::Value value) const {
        json::Object changed = claims(op);
        changed.set(name, std::move(value));
        return sign(header(), changed);
    }
    std::string with_header(const Deployment& op, const std::string& name, json::Value value) const {
        json::Object changed = header();
        changed.set(name, std::move(value));
        return sign(changed, claims(op));
    }

    /// Thumbprint of the key (RFC 7638).
    std::string jkt() const { return jose::thumbprint(key_.public_key()); }
    json::Object proof_header() const {
        return {{"typ", "dpop+jwt"},
                {"alg", crypto::to_string(key_.algorithm())},
                {"jwk", jose::to_json(key_.public_key().members())}};
    }
    /// Good claims of a proof for that endpoint (RFC 9449 §4.2); with a token also its digest (§7).
    json::Object proof_claims(const Deployment& op, const std::string& endpoint, const std::string& token = "",
                              const std::string& method = "POST") const {
        static int number = 0;
        json::Object claims{
            {"jti", "proof" + std::to_string(++number)}, {"htm", method}, {"htu", op.url(endpoint)}, {"iat", op.now()}};
        if (!token.empty()) claims.set("ath", util::base64url_encode(crypto::sha256(token)));
        return claims;
    }
    std::string proof(const Deployment& op, const std::string& endpoint, const std::string& token = "",
                      const std::string& method = "POST") const {
        return sign(proof_header(), proof_claims(op, endpoint, token, method));
    }

private:
    std::string client_;
    std::string kid_;
    crypto::PrivateKey key_;
};

inline constexpr const char* kAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The form with an assertion.
inline Query with_assertion(const Query& form, const std::string& assertion) {
    return form.with("client_assertion_type", kAssertionType).with("client_assertion", assertion);
}

}  // namespace postern::test
