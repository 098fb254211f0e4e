// Computes the size of an answer that travels in the URL of a redirect.
#include "oauth/answer_size.h"

#include <algorithm>

#include "json/writer.h"
#include "util/percent.h"

namespace postern::oauth {
namespace {

constexpr std::size_t kShortestAccessToken = 1600;  ///< with all but scope and client id, signed
constexpr std::size_t kIdTokenFrame = 512;          ///< its header and signature, and the name of the parameter
constexpr std::size_t kIdTokenClaims = 700;         ///< the protocol's, but for those that have any length

std::size_t in_base64url(std::size_t bytes) { return (bytes * 4 + 2) / 3; }

std::size_t least_id_token_bytes(const VerifiedRedirect& target, std::string_view nonce) {
    const std::size_t nonce_bytes = json::write(std::string(nonce)).size();
    return kIdTokenFrame +
           in_base64url(kIdTokenClaims + target.issuer().size() + target.client().id.str().size() + nonce_bytes);
}

std::size_t least_access_token_bytes(const VerifiedRedirect& target, const model::Scope& scope) {
    const std::string told = scope.to_string();
    return kShortestAccessToken + in_base64url(told.size() + target.client().id.str().size()) +
           util::percent_encode(told).size();
}

}  // namespace

Outcome<void> check_answer_size(const VerifiedRedirect& target, model::ResponseType type, model::ResponseMode mode,
                                const model::Scope& scope, std::string_view nonce) {
    if (!model::yields_any_token(type) || mode == model::ResponseMode::form_post) return {};
    std::size_t bytes = answer_bytes(target);
    if (model::yields_token(type)) bytes += least_access_token_bytes(target, scope);
    if (model::yields_id_token(type)) bytes += least_id_token_bytes(target, nonce);
    if (bytes <= kMaxAnswerBytes) return {};
    return invalid_request("state and nonce are too long for an answer with tokens");
}

std::size_t room_for_claims(const VerifiedRedirect& target, std::size_t others, std::size_t most) {
    if (target.mode() == model::ResponseMode::form_post) return most;
    const std::size_t taken = answer_bytes(target) + others + kIdTokenFrame;
    const std::size_t left = taken < kMaxAnswerBytes ? kMaxAnswerBytes - taken : 0;
    return std::min(most, left / 4 * 3);
}

}  // namespace postern::oauth
