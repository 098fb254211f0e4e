// Decides whether the claims of a token that we signed still count (RFC 7519 §4.1, §7.2).
#include "jose/jwt.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "json/value.h"

namespace postern::jose {

namespace {

/// How far a clock of ours may have gone back since it issued a token.
constexpr util::Seconds kClockStep{60};

struct Fault {
    JwtFault fault;
    std::string_view text;
};
constexpr std::array<Fault, 7> kFaults = {{
    {JwtFault::malformed, "The token is not a JWT in compact form."},
    {JwtFault::unknown_header, "The token is not signed with a key of this server."},
    {JwtFault::wrong_type, "The token is of another kind than is asked for here."},
    {JwtFault::bad_signature, "The signature of the token is not valid."},
    {JwtFault::bad_claims, "The claims of the token are not valid."},
    {JwtFault::wrong_issuer, "The token is from another issuer."},
    {JwtFault::expired, "The token has expired."},
}};

const std::int64_t* integer(const json::Object& claims, std::string_view name) {
    const json::Value* value = claims.find(name);
    return value != nullptr ? value->if_integer() : nullptr;
}

std::optional<JwtFault> check_claims(const json::Object& claims, std::string_view issuer) {
    const json::Value* iss = claims.find("iss");
    const std::string* named = iss != nullptr ? iss->if_string() : nullptr;
    const json::Value* nbf = claims.find("nbf");
    if (named == nullptr || integer(claims, "exp") == nullptr || integer(claims, "iat") == nullptr ||
        (nbf != nullptr && nbf->if_integer() == nullptr)) {
        return JwtFault::bad_claims;
    }
    if (*named != issuer) return JwtFault::wrong_issuer;  // RFC 7519 §4.1.1: byte for byte
    return std::nullopt;
}

std::optional<JwtFault> check_time(const json::Object& claims, util::Time now) {
    if (util::to_epoch(now) >= *integer(claims, "exp")) return JwtFault::expired;  // RFC 7519 §4.1.4
    for (const char* name : {"iat", "nbf"}) {
        const std::int64_t* since = integer(claims, name);
        if (since != nullptr && *since > util::to_epoch(now + kClockStep)) return JwtFault::bad_claims;
    }
    return std::nullopt;
}

}  // namespace

std::string_view describe(JwtFault fault) {
    for (const Fault& known : kFaults) {
        if (known.fault == fault) return known.text;
    }
    return "The token is not valid.";
}

util::Result<VerifiedJwt, JwtFault> verify_jwt(Verifier& verifier, std::string_view token, TokenType type,
                                               std::string_view issuer, util::Time now, Expiry expiry) {
    ASSIGN_OR_RETURN(auto jws, verifier.verify(token, type));
    if (!jws.claims) return JwtFault::bad_claims;

    const json::Object& claims = *jws.claims;
    if (const auto fault = check_claims(claims, issuer)) return *fault;
    if (expiry == Expiry::enforced) {
        if (const auto fault = check_time(claims, now)) return *fault;
    }
    const util::Time issued_at = util::from_epoch(*integer(claims, "iat"));
    return VerifiedJwt{std::move(jws.claims), issued_at, std::move(jws.digest)};
}

}  // namespace postern::jose
