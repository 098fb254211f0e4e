// Authenticates the client that calls an endpoint.
#include "oauth/client_auth.h"

#include "crypto/digest.h"
#include "oauth/client_assertion.h"
#include "oauth/client_bar.h"
#include "oauth/client_certificate.h"
#include "oauth/client_id_url.h"
#include "oauth/cors.h"
#include "refusal/reason.h"
#include "store/clients.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

constexpr const char* kFailed = "client authentication failed";

struct Proof {
    bool correct = false;
    std::string why_not = {};  ///< for the log
    Reason reason = Reason::invalid_client;
};

bool secret_matches(const model::Client& client, const std::string& hash) {
    bool found = false;
    for (const model::ClientSecret& secret : client.secrets)
        found |= crypto::equal_constant_time(secret.hash.str(), hash);
    return found;
}

bool method_is_registered(model::AuthMethod registered, Credentials::Method used) {
    switch (registered) {
        case model::AuthMethod::client_secret:
            return used != Credentials::Method::id_only;
        case model::AuthMethod::client_secret_basic:
            return used == Credentials::Method::basic;
        case model::AuthMethod::client_secret_post:
            return used == Credentials::Method::post;
        case model::AuthMethod::private_key_jwt:
        case model::AuthMethod::tls_client_auth:
        case model::AuthMethod::self_signed_tls_client_auth:
        case model::AuthMethod::none:
            return false;
    }
    return false;
}

/// Of a client that signs, which sent no assertion, or one that nobody looked at.
Proof lacks_assertion(const Settings& settings) {
    if (!settings.assertions.enabled)
        return {false, "the client is registered for private_key_jwt, and clientAssertions is off",
                Reason::invalid_client_assertions_off};
    return {false, "the client is registered for private_key_jwt and sent no client_assertion",
            Reason::invalid_client_other_method};
}

Proof prove(const Settings& settings, const model::Client& client, Credentials::Method method, bool has_secret,
            const std::string& hash) {
    if (const auto bar = find_client_bar(settings, client)) return {false, row_of(*bar).detail, row_of(*bar).to_client};
    if (client.auth_method == model::AuthMethod::private_key_jwt) return lacks_assertion(settings);
    if (client.type == model::ClientType::public_)
        return has_secret ? Proof{false, "a public client has no secret and must not send one",
                                  Reason::invalid_client_public_with_secret}
                          : Proof{true};
    if (!has_secret) return {false, "a confidential client sent no secret"};
    if (!method_is_registered(client.auth_method, method))
        return {false,
                "the client is registered for " + std::string(model::to_string(client.auth_method)) +
                    " and used another method",
                Reason::invalid_client_other_method};
    if (!secret_matches(client, hash)) return {false, "wrong secret; `postern client secret` makes a new one"};
    return {true};
}

Proof prove_by_certificate(Context& context, const http::Request& request, const Credentials& credentials,
                           const model::Client& client) {
    if (const auto bar = find_client_bar(context.settings, client))
        return {false, row_of(*bar).detail, row_of(*bar).to_client};
    const auto checked = check_certificate_of(context, request, credentials, client);
    return checked ? Proof{true} : Proof{false, checked.error().log_detail, checked.error().reason};
}

}  // namespace

Outcome<model::Client> authenticate_client(Context& context, const Credentials& credentials,
                                           const http::Request& request, const CheckBefore& check) {
    if (context.settings.assertions.enabled && names_assertion(request.form))
        return authenticate_by_assertion(context, credentials, request, check);
    if (credentials.readings.empty())
        return refused_client(context, invalid_client(kNoCredentials, credentials.why_no_header));
    OAuthError error = invalid_client(kFailed, "no such client");
    model::ClientId known;
    for (const auto& reading : credentials.readings) {
        // The digest is computed for unknown clients too, so that they cannot be told by the clock.
        const std::string hash = crypto::sha256_hex(reading.secret.reveal());
        auto client = store::find_client_to_authenticate(context.store, reading.client_id, context.now());
        if (!client) continue;
        known = client->id;
        const Proof proof = authenticates_by_certificate(*client)
                                ? prove_by_certificate(context, request, credentials, *client)
                                : prove(context.settings, *client, credentials.method, !reading.secret.empty(), hash);
        if (proof.correct) {
            if (check) RETURN_IF_ERROR(check(*client));
            return std::move(*client);
        }
        error = make_error(proof.reason, kFailed, proof.why_not);
        // Clients that repeat their id in the body send the secret in the header.
        const bool may_be_lost = reading.secret.empty() && credentials.method == Credentials::Method::id_only;
        if (may_be_lost && !find_client_bar(context.settings, *client))
            error.log_detail += "; " + credentials.why_no_header;
    }
    return refused_client(context, error, known);
}

std::optional<std::string> reader_of_document(Context& context, const Credentials& credentials) {
    if (!context.settings.client_documents.enabled || credentials.method != Credentials::Method::id_only)
        return std::nullopt;
    for (const auto& reading : credentials.readings) {
        const std::string& id = reading.client_id.str();
        const bool is_unknown = !client_id_url_problem(id, context.settings.outbound.ports) &&
                                !store::is_client(context.store, reading.client_id);
        if (is_unknown) return origin_of(id);
    }
    return std::nullopt;
}

}  // namespace postern::oauth
