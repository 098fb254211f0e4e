// Decides which of the configured algorithms signs for a client.
#include "oauth/settings.h"

#include <stdexcept>

namespace postern::oauth {

crypto::Algorithm id_token_algorithm_of(const Settings& settings, const model::Client& client) {
    const crypto::Algorithm wanted = client.id_token_algorithm.value_or(settings.id_token_algorithms.front());
    if (settings.offers_id_tokens_by(wanted)) return wanted;
    throw std::runtime_error("the client " + client.id.str() + " has ID tokens of " +
                             std::string(crypto::to_string(wanted)) +
                             ", which idTokenAlgorithms has no more: add it there, or run `postern client set "
                             "--id-token-signed-response-alg`");
}

}  // namespace postern::oauth
