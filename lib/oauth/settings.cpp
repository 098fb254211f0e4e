// Derives from the settings the grants that a client may register for and the algorithm of its ID tokens.
#include "oauth/settings.h"

#include <algorithm>
#include <stdexcept>

namespace postern::oauth {

std::set<model::GrantType> registrable_grants(const Settings& settings) {
    using model::GrantType;
    if (settings.registration.grants) return *settings.registration.grants;
    std::set grants = {GrantType::authorization_code, GrantType::refresh_token};
    if (settings.has_front_tokens()) grants.insert(GrantType::implicit);
    return grants;
}

crypto::Algorithm Settings::first_profile_algorithm() const {
    const auto found = std::ranges::find_if(id_token_algorithms, is_profile_algorithm);
    return found == id_token_algorithms.end() ? id_token_algorithms.front() : *found;
}

crypto::Algorithm wanted_id_token_algorithm(const Settings& settings, const model::Client& client) {
    if (client.id_token_algorithm) return *client.id_token_algorithm;
    return has_security_profile(settings, client) ? settings.first_profile_algorithm()
                                                  : settings.id_token_algorithms.front();
}

std::string not_offered(const model::Client& client, crypto::Algorithm algorithm) {
    return "the client " + client.id.str() + " has ID tokens of " + std::string(crypto::to_string(algorithm)) +
           ", which idTokenAlgorithms has no more: add it there, or run `postern client set "
           "--id-token-signed-response-alg`";
}

crypto::Algorithm id_token_algorithm_of(const Settings& settings, const model::Client& client) {
    const crypto::Algorithm wanted = wanted_id_token_algorithm(settings, client);
    if (settings.offers_id_tokens_by(wanted)) return wanted;
    throw std::runtime_error(not_offered(client, wanted));
}

}  // namespace postern::oauth
