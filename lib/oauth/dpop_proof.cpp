// Decides whether a proof is good for a request.
#include "oauth/dpop_proof.h"

#include <algorithm>
#include <array>

#include "crypto/digest.h"
#include "http/url.h"
#include "jose/foreign_claims.h"
#include "jose/foreign_jwt.h"
#include "jose/jwk.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using crypto::Algorithm;
using jose::ClaimFault;

constexpr std::array<std::string_view, 1> kTypes = {"dpop+jwt"};
constexpr std::array kAlgorithms = {Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA};
constexpr jose::ForeignForm kForm{4096, kTypes, false, kAlgorithms, true};

/// RFC 3986 §2.3.
bool is_unreserved(char c) {
    return util::is_letter(c) || util::is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

int hex_value(char c) {
    if (util::is_digit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string without_needless_encoding(std::string_view path) {
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool is_encoded =
            path[i] == '%' && i + 2 < path.size() && hex_value(path[i + 1]) >= 0 && hex_value(path[i + 2]) >= 0;
        const char c = is_encoded ? static_cast<char>(hex_value(path[i + 1]) * 16 + hex_value(path[i + 2])) : path[i];
        if (is_encoded && is_unreserved(c)) {
            out += c;
            i += 2;
        } else {
            out += path[i];
        }
    }
    return out;
}

/// RFC 3986 §5.2.4, for a path that begins with a slash.
std::string without_dot_segments(std::string_view path) {
    std::vector<std::string_view> kept;
    const auto segments = util::split(path.substr(1), '/');
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const bool is_last = i + 1 == segments.size();
        const bool is_dots = segments[i] == "." || segments[i] == "..";
        if (segments[i] == ".." && !kept.empty()) kept.pop_back();
        if (!is_dots) kept.push_back(segments[i]);
        if (is_dots && is_last) kept.emplace_back();
    }
    std::string out;
    for (const std::string_view segment : kept) out.append("/").append(segment);
    return out.empty() ? "/" : out;
}

util::Result<void, std::string> check_target(const json::Object& claims, const ProofRules& rules) {
    const std::string* method = claims.find_string("htm");
    if (method == nullptr || *method != rules.method)
        return "its \"htm\" is " + (method ? jose::shown(*method) : std::string("missing or no string")) +
               ", and the method is " + rules.method;
    const std::string* url = claims.find_string("htu");
    const auto target = url ? normal_target(*url) : std::nullopt;
    const bool is_ours = target && std::ranges::any_of(rules.urls, [&](const std::string& expected) {
                             return normal_target(expected) == target;
                         });
    if (!is_ours)
        return "its \"htu\" is " + (url ? jose::shown(*url) : std::string("missing or no string")) +
               ", and the endpoint is " + rules.urls.front();
    return {};
}

util::Result<util::Time, ClaimFault> check_age(const json::Object& claims, const ProofRules& rules) {
    RETURN_IF_ERROR(jose::check_times(claims, rules.now, rules.clock_skew));
    const auto iat = jose::find_time(claims, "iat");
    if (!iat) return ClaimFault{"its \"iat\" is missing or not a time in seconds"};
    if (*iat < rules.now - rules.max_age)
        return ClaimFault{"its \"iat\" is " + std::to_string((rules.now - *iat).count()) +
                              " s ago, and dpopMaxAge is " + std::to_string(rules.max_age.count()) + " s",
                          true};
    return *iat;
}

/// A proof that its own key has signed, for this method and address.
struct SignedProof {
    std::string jkt;
    jose::SignedClaims claims;
};

util::Result<SignedProof, std::string> open_proof(std::string_view header, const ProofRules& rules) {
    if (header.find(',') != header.npos) return std::string("the header came more than once");  // DPOP-1
    ASSIGN_OR_RETURN(auto jwt, jose::parse_foreign_jwt(header, kForm));                         // DPOP-2, DPOP-3
    std::string jkt = jose::thumbprint(jwt.key->members);
    ASSIGN_OR_RETURN(auto claims, jose::verify_by_own_key(std::move(jwt)));  // DPOP-4
    RETURN_IF_ERROR(check_target(*claims, rules));                           // DPOP-5
    return SignedProof{std::move(jkt), std::move(claims)};
}

}  // namespace

bool is_thumbprint(std::string_view text) {
    constexpr std::size_t kThumbprintCharacters = 43;
    return text.size() == kThumbprintCharacters && util::base64url_decode(text).has_value();
}

std::optional<std::string> normal_target(std::string_view text) {
    const auto url = http::parse_url(text);
    if (!url || url->host.empty() || url->has_user_info) return std::nullopt;
    const std::string scheme = util::to_lower(url->scheme);
    if (scheme != "https" && scheme != "http") return std::nullopt;
    if (url->has_port && url->port.empty()) return std::nullopt;
    std::string target = scheme + "://" + util::to_lower(url->host);
    if (url->has_port && url->port != (scheme == "https" ? "443" : "80")) target += ":" + url->port;
    return target + (url->path.empty() ? "/" : without_dot_segments(without_needless_encoding(url->path)));
}

util::Result<GoodProof, jose::ClaimFault> check_proof(std::string_view header, const ProofRules& rules) {
    const auto proof = open_proof(header, rules);
    if (!proof) return ClaimFault{proof.error()};
    const std::string* jti = jose::find_jti(*proof->claims);  // DPOP-6
    if (jti == nullptr) return ClaimFault{"its \"jti\" is missing, or not a string of 1 to 256 bytes"};
    ASSIGN_OR_RETURN(const auto iat, check_age(*proof->claims, rules));  // DPOP-6, DPOP-8
    if (rules.access_token) {                                            // DPOP-9
        const std::string* ath = proof->claims->find_string("ath");
        if (ath == nullptr || *ath != util::base64url_encode(crypto::sha256(*rules.access_token)))
            return ClaimFault{"its \"ath\" is not the digest of the access token"};
    }
    return GoodProof{proof->jkt, *jti, iat + rules.max_age + rules.clock_skew};
}

}  // namespace postern::oauth
