// Makes signed answers of the authorization endpoint.
#include "oauth/signed_response.h"

#include <stdexcept>

#include "jose/jws.h"
#include "json/writer.h"

namespace postern::oauth {
namespace {

const keys::SigningKey& key_for(const Context& context, const model::Client& client) {
    const crypto::Algorithm algorithm = wanted_response_algorithm(context.settings, client);
    if (!context.settings.offers_id_tokens_by(algorithm))
        throw std::runtime_error("the client " + client.id.str() + " has answers signed with " +
                                 std::string(crypto::to_string(algorithm)) +
                                 ", which idTokenAlgorithms has no more: add it there, or run `postern client set "
                                 "--authorization-signed-response-alg`");
    return context.keys.signing_key(algorithm, context.now());
}

}  // namespace

crypto::Algorithm wanted_response_algorithm(const Settings& settings, const model::Client& client) {
    if (client.response_algorithm) return *client.response_algorithm;
    return has_security_profile(settings, client) ? settings.first_profile_algorithm()
                                                  : settings.default_response_algorithm();
}

void check_can_answer(const Context& context, const VerifiedRedirect& target) {
    if (model::is_signed(target.mode())) key_for(context, target.client());
}

std::string sign_response(Context& context, const model::Client& client, const http::Parameters& parameters) {
    json::Object claims{{"iss", context.settings.issuer},
                        {"aud", client.id.str()},
                        {"exp", util::to_epoch(context.now() + kSignedResponseTtl)}};
    for (const auto& [name, value] : parameters)
        if (value) claims.set(name, *value);
    const keys::SigningKey& key = key_for(context, client);
    return jose::sign_compact(key.key, key.kid, jose::TokenType::authorization_response, json::write(claims));
}

}  // namespace postern::oauth
