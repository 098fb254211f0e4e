// Computes the size of an answer that travels in the URL of a redirect.
#include "oauth/answer_size.h"

#include <algorithm>

#include "json/writer.h"
#include "util/base64.h"
#include "util/percent.h"

namespace postern::oauth {
namespace {

constexpr std::size_t kShortestAccessToken = 1600;  ///< with all but scope and client id, signed
constexpr std::size_t kIdTokenFrame = 512;          ///< its header and signature, and the name of the parameter
constexpr std::size_t kIdTokenClaims = 700;         ///< the protocol's, but for those that have any length

/// The bytes that tokens of this size take in the answer: a signed one contains them.
std::size_t in_answer(model::ResponseMode mode, std::size_t bytes) {
    return model::is_signed(mode) ? util::base64url_size(bytes) : bytes;
}

std::size_t least_id_token_bytes(const VerifiedRedirect& target, std::string_view nonce) {
    const std::size_t nonce_bytes = json::write(std::string(nonce)).size();
    return kIdTokenFrame + util::base64url_size(kIdTokenClaims + target.issuer().size() +
                                                target.client().id.str().size() + nonce_bytes);
}

std::size_t least_access_token_bytes(const VerifiedRedirect& target, const model::Scope& scope) {
    const std::string told = scope.to_string();
    return kShortestAccessToken + util::base64url_size(told.size() + target.client().id.str().size()) +
           util::percent_encode(told).size();
}

}  // namespace

Outcome<void> check_answer_size(const VerifiedRedirect& target, model::ResponseType type, model::ResponseMode mode,
                                const model::Scope& scope, std::string_view nonce) {
    if (!model::yields_any_token(type) || model::carrier_of(mode) == model::ResponseMode::form_post) return {};
    std::size_t bytes = 0;
    if (model::yields_token(type)) bytes += least_access_token_bytes(target, scope);
    if (model::yields_id_token(type)) bytes += least_id_token_bytes(target, nonce);
    if (answer_bytes(target) + in_answer(mode, bytes) <= kMaxAnswerBytes) return {};
    return invalid_request("state and nonce are too long for an answer with tokens");
}

std::size_t room_for_claims(const VerifiedRedirect& target, std::size_t others, std::size_t most) {
    if (model::carrier_of(target.mode()) == model::ResponseMode::form_post) return most;
    const std::size_t taken = answer_bytes(target) + in_answer(target.mode(), others + kIdTokenFrame);
    const std::size_t left = taken < kMaxAnswerBytes ? kMaxAnswerBytes - taken : 0;
    const std::size_t of_token = model::is_signed(target.mode()) ? left / 4 * 3 : left;
    return std::min(most, of_token / 4 * 3);
}

}  // namespace postern::oauth
