// Which keys of the configuration contradict a FAPI 2.0 profile of all clients (F2-S5).
#include <algorithm>

#include "config/keys.h"

namespace postern::config {

void check_profile(const oauth::Settings& settings, Problems& problems) {
    using model::SecurityProfile;
    if (settings.security_profile == SecurityProfile::none) return;
    const bool signs_messages = settings.security_profile == SecurityProfile::fapi2_message_signing;
    const auto refuse = [&](bool is_there, const char* key, const char* reason) {
        if (is_there) problems.push_back({key, reason});
    };
    refuse(settings.response_types != std::vector{model::ResponseType::code}, "responseTypes",
           "must be [\"code\"] with \"profile\", and \"implicit\" false");
    refuse(settings.registration.mode == oauth::RegistrationMode::open, "registration.mode",
           "must not be \"open\" with \"profile\": clients that register without a token do not authenticate");
    refuse(settings.client_documents.enabled, "clientDocuments.enabled",
           "must not be true with \"profile\": clients of documents do not authenticate");
    refuse(settings.paths.gate.has_value(), "paths.gate",
           "must be null with \"profile\": sites are clients that do not authenticate");
    refuse(settings.paths.device.has_value(), "paths.device",
           "must be null with \"profile\", which has no device grant");
    refuse(settings.oidc && settings.offers_id_tokens_by(crypto::Algorithm::RS256), "idTokenAlgorithms",
           "must not have RS256 with \"profile\": name ES256, PS256 or EdDSA");
    refuse(settings.access_token_algorithm == crypto::Algorithm::RS256, "accessTokenAlgorithm",
           "must not be RS256 with \"profile\"");
    // F2-5.
    refuse(!settings.authenticate_introspect, "authenticateIntrospect", "must not be false with \"profile\"");
    refuse(!settings.authenticate_revoke, "authenticateRevoke", "must not be false with \"profile\"");
    // F2-R2, F2-R4: a certificate can do both.
    refuse(!settings.assertions.enabled && !settings.mtls, "profile",
           "needs \"clientAssertions\": true or \"mtls\", by which clients authenticate");
    refuse(!settings.dpop && !settings.mtls, "profile",
           "needs \"dpop\": \"allowed\" or \"mtls\", by which tokens are bound");
    refuse(!settings.paths.par, "profile", "needs paths.par: every request must be pushed");
    refuse(signs_messages && !settings.jarm, "profile", "\"fapi2-message-signing\" needs \"jarm\": true");
    refuse(signs_messages && !settings.request_objects, "profile",
           "\"fapi2-message-signing\" needs \"requestObjects\": \"allowed\"");
}

}  // namespace postern::config
