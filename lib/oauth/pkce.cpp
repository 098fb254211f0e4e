// Proof Key for Code Exchange: the grammar of both values and the comparison.
#include "oauth/pkce.h"

#include <algorithm>

#include "crypto/digest.h"
#include "refusal/reason.h"
#include "util/base64.h"
#include "util/percent.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

constexpr std::size_t kChallengeCharacters = 43;  // base64url of a SHA-256 digest

/// 43 to 128 unreserved characters (RFC 7636 §4.1).
bool is_verifier(std::string_view text) {
    return text.size() >= 43 && text.size() <= 128 && std::ranges::all_of(text, util::is_unreserved);
}

/// Returns nullopt where the client may do without.
std::optional<OAuthError> find_missing_challenge(const model::Client& client) {
    constexpr const char* kRequired = "code_challenge is required for this client";
    if (client.type == model::ClientType::public_)  // RFC 9700 §2.1.1
        return make_error(Reason::invalid_request_pkce_of_public_client, kRequired, "a public client needs PKCE");
    if (client.pkce == model::Pkce::required)
        return make_error(Reason::invalid_request_pkce_required, kRequired,
                          "the client is registered with --pkce required");
    return std::nullopt;
}

}  // namespace

Outcome<std::optional<std::string>> parse_code_challenge(const model::Client& client,
                                                         std::optional<std::string_view> challenge,
                                                         std::optional<std::string_view> method) {
    if (!challenge && method) return invalid_request("code_challenge_method without code_challenge");
    if (!challenge) {
        if (auto missing = find_missing_challenge(client)) return std::move(*missing);
        return std::optional<std::string>();
    }
    // An absent method means `plain` (RFC 7636 §4.3), which a party that reads the request can answer.
    if (method != "S256")
        return make_error(Reason::invalid_request_challenge_not_s256, "code_challenge_method must be S256");
    if (challenge->size() != kChallengeCharacters || !util::base64url_decode(*challenge))
        return invalid_request("code_challenge must be 43 base64url characters");
    return std::optional<std::string>(challenge);
}

Outcome<void> check_code_verifier(const std::optional<std::string>& challenge,
                                  const std::optional<std::string>& verifier) {
    if (!challenge && !verifier) return {};
    if (!challenge) return invalid_grant("code_verifier without a code_challenge in the authorization request");
    if (!verifier) return invalid_grant("code_verifier is required");
    if (!is_verifier(*verifier))
        return invalid_grant("code_verifier does not match", "the verifier is not 43 to 128 unreserved characters");
    const std::string computed = util::base64url_encode(crypto::sha256(*verifier));
    if (!crypto::equal_constant_time(computed, *challenge)) return invalid_grant("code_verifier does not match");
    return {};
}

}  // namespace postern::oauth
