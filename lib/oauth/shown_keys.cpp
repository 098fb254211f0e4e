// Decides which keys a token request must show.
#include "oauth/shown_keys.h"

#include "oauth/client_certificate.h"
#include "refusal/reason.h"

namespace postern::oauth {

using refusal::Reason;

Outcome<ShownKeys> read_shown_keys(const Context& context, const http::Request& request, const model::Client& client) {
    const Settings& settings = context.settings;
    ASSIGN_OR_RETURN(auto proof, read_proof(context, request, settings.paths.token));
    if (client.dpop_bound && settings.dpop && !proof)
        return make_error(Reason::invalid_request_proof_missing, "a DPoP proof is required",
                          "the client is registered with dpop_bound_access_tokens, and no DPoP header arrived");
    ShownKeys keys{std::move(proof), shown_thumbprint(context, request)};
    if (client.tls_bound && settings.mtls && keys.x5t.empty())
        return make_error(
            Reason::invalid_request_certificate_missing, "a client certificate is required",
            "the client is registered with tls_client_certificate_bound_access_tokens, and no certificate "
            "arrived; its requests go to " +
                settings.mtls->base_url);
    return keys;
}

}  // namespace postern::oauth
