// Decides what a JWT of somebody else says, and whether one of the keys that it may have has signed it.
#include "jose/foreign_jwt.h"

#include <algorithm>
#include <array>
#include <utility>

#include "crypto/foreign_key.h"
#include "jose/foreign_claims.h"
#include "json/reader.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::jose {
namespace {

using crypto::Algorithm;
using crypto::ForeignKey;
using crypto::PublicMembers;

constexpr std::size_t kMaxHeaderBytes = 2048;  // of base64url
constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kMaxShown = 40;  // of a value of the header

struct Segments {
    std::string_view header;
    std::string_view payload;
    std::string_view signature;
    std::string_view signed_text;  ///< RFC 7515 §5.1
};

std::optional<Segments> split(std::string_view token) {
    const auto parts = util::split(token, '.');
    if (parts.size() != 3) return std::nullopt;
    return Segments{parts[0], parts[1], parts[2], token.substr(0, parts[0].size() + 1 + parts[1].size())};
}

/// The value of a log line: a sender chooses it.
util::Result<json::Object, std::string> read_object(std::string_view segment, const char* name) {
    const auto text = util::base64url_decode(segment);
    if (!text || text->empty()) return std::string(name) + " is not base64url";
    auto value = json::parse(*text, json::Dialect::strict, {.bytes = text->size(), .depth = kMaxDepth});
    if (!value) return std::string(name) + " is not strict JSON: " + value.error().reason;
    json::Object* object = value->if_object();
    if (object == nullptr) return std::string(name) + " is not a JSON object";
    return std::move(*object);
}

/// RFC 7515 §4.1.9: media types are compared without case, and "application/" may be left out.
util::Result<void, std::string> check_type(const json::Object& header, const ForeignForm& form) {
    if (header.find("typ") == nullptr) {
        if (form.may_lack_type) return {};
        return std::string("it has no \"typ\"");
    }
    const std::string* typ = header.find_string("typ");
    if (typ == nullptr) return std::string("its \"typ\" is not a string");
    constexpr std::string_view kApplication = "application/";
    std::string type = util::to_lower(*typ);
    if (type.starts_with(kApplication)) type.erase(0, kApplication.size());
    if (std::ranges::find(form.types, type) == form.types.end())
        return "its \"typ\" is " + shown(*typ, kMaxShown) + ": it is a JWT for something else";
    return {};
}

util::Result<Algorithm, std::string> read_algorithm(const json::Object& header, const ForeignForm& form) {
    const std::string* alg = header.find_string("alg");
    if (alg == nullptr) return std::string("its \"alg\" is missing or not a string");
    const auto algorithm = parse_foreign_algorithm(*alg);
    if (!algorithm || std::ranges::find(form.algorithms, *algorithm) == form.algorithms.end())
        return "its \"alg\" is " + shown(*alg, kMaxShown) + ", which is not accepted here";
    return *algorithm;
}

util::Result<ClientKey, std::string> read_own_key(const json::Object& header, Algorithm algorithm) {
    const json::Value* jwk = header.find("jwk");
    const json::Object* object = jwk != nullptr ? jwk->if_object() : nullptr;
    if (object == nullptr) return std::string("its \"jwk\" is missing or no object");
    auto key = parse_header_key(*object);
    if (!key) return "its \"jwk\" " + key.error();
    const bool is_for_it = key->algorithm.value_or(algorithm) == algorithm && crypto::fits(algorithm, key->members);
    if (!is_for_it) return "its \"jwk\" is not for " + std::string(crypto::to_string(algorithm));
    return key;
}

/// RFC 7515 §A.2, §A.3 and RFC 8037 §A.1 publish both halves of these keys, so no client can be taken for their owner.
const ForeignKey& key_in_vain(Algorithm algorithm) {
    static const auto key = [](PublicMembers members) { return *ForeignKey::from_members(std::move(members)); };
    static const auto bytes = [](std::string_view text) { return *util::base64url_decode(text); };
    switch (algorithm) {
        case Algorithm::ES256: {
            static const ForeignKey ec = key(crypto::EcPublic{bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
                                                              bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")});
            return ec;
        }
        case Algorithm::EdDSA: {
            static const ForeignKey okp = key(crypto::OkpPublic{bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")});
            return okp;
        }
        case Algorithm::RS256:
        case Algorithm::PS256:
            break;
    }
    static const ForeignKey rsa = key(crypto::RsaPublic{
        bytes("ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR"
              "T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB"
              "dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia"
              "GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
        bytes("AQAB")});
    return rsa;
}

}  // namespace

const std::string* UnverifiedJwt::unverified_text(std::string_view claim) const { return claims.find_string(claim); }

util::Result<UnverifiedJwt, std::string> parse_foreign_jwt(std::string_view token, const ForeignForm& form) {
    if (token.size() > form.most_bytes) return "it has more than " + std::to_string(form.most_bytes) + " bytes";
    const auto segments = split(token);
    if (!segments) return std::string("it is not a JWT in compact form");
    if (segments->header.size() > kMaxHeaderBytes)
        return "its header has more than " + std::to_string(kMaxHeaderBytes) + " bytes";

    ASSIGN_OR_RETURN(const json::Object header, read_object(segments->header, "its header"));
    if (header.find("crit") != nullptr) return std::string("it has \"crit\": no extension is understood");  // §4.1.11
    RETURN_IF_ERROR(check_type(header, form));
    UnverifiedJwt jwt{};
    ASSIGN_OR_RETURN(jwt.algorithm, read_algorithm(header, form));
    if (form.has_key) {
        ASSIGN_OR_RETURN(jwt.key, read_own_key(header, jwt.algorithm));
    } else if (const json::Value* kid = header.find("kid")) {
        if (kid->if_string() == nullptr) return std::string("its \"kid\" is not a string");
        jwt.kid = *kid->if_string();
    }
    ASSIGN_OR_RETURN(jwt.claims, read_object(segments->payload, "its payload"));
    auto signature = util::base64url_decode(segments->signature);
    if (!signature || signature->empty()) return std::string("its signature is not base64url");
    jwt.signature = std::move(*signature);
    jwt.signed_text = segments->signed_text;
    return jwt;
}

util::Result<SignedClaims, std::string> verify_foreign_jwt(UnverifiedJwt jwt, const ClientKeys& keys) {
    const auto fitting = candidates(keys, jwt.algorithm, jwt.kid);
    const std::string alg(crypto::to_string(jwt.algorithm));
    if (fitting.empty()) {
        verify_in_vain(jwt);
        return "no registered key is for " + alg +
               (jwt.kid ? " and has the \"kid\" " + shown(*jwt.kid, kMaxShown) : "");
    }
    if (fitting.size() > kMaxCandidates) {
        verify_in_vain(jwt);
        return "more than " + std::to_string(kMaxCandidates) + " registered keys are for " + alg +
               (jwt.kid ? " and have this \"kid\"" : ", and it has no \"kid\"");
    }
    for (const ClientKey* candidate : fitting) {
        const auto key = ForeignKey::from_members(candidate->members);
        if (key && key->verify(jwt.algorithm, jwt.signed_text, jwt.signature))
            return SignedClaims(std::move(jwt.claims));
    }
    return "its signature by " + alg + " is not of a registered key";
}

util::Result<SignedClaims, std::string> verify_by_own_key(UnverifiedJwt jwt) {
    const auto key = jwt.key ? ForeignKey::from_members(jwt.key->members) : std::nullopt;
    if (key && key->verify(jwt.algorithm, jwt.signed_text, jwt.signature)) return SignedClaims(std::move(jwt.claims));
    return "its signature by " + std::string(crypto::to_string(jwt.algorithm)) + " is not of the key in its header";
}

void verify_in_vain(const UnverifiedJwt& jwt) {
    static_cast<void>(key_in_vain(jwt.algorithm).verify(jwt.algorithm, jwt.signed_text, jwt.signature));
}

}  // namespace postern::jose
