// Authenticates the client that calls the token endpoint.
#include "oauth/client_auth.h"

#include "crypto/digest.h"
#include "http/headers.h"
#include "oauth/client_bar.h"
#include "oauth/client_id_url.h"
#include "oauth/cors.h"
#include "refusal/reason.h"
#include "store/clients.h"
#include "util/base64.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

constexpr const char* kFailed = "client authentication failed";

void add_reading(Credentials& credentials, std::string id, std::string secret) {
    if (util::has_control_bytes(id) || util::has_control_bytes(secret) || !util::is_utf8(id)) return;
    credentials.readings.push_back(
        Credentials::Reading{model::ClientId(std::move(id)), util::Secret(std::move(secret))});
}

/// RFC 7617 §2 with the encoding of RFC 6749 §2.3.1; the first colon separates.
Outcome<Credentials> parse_basic(std::string_view header) {
    const auto [scheme, encoded] = http::split_credentials(header);
    if (!util::equal_ignoring_case(scheme, "basic"))
        return invalid_client(kFailed, "the Authorization header is not of the Basic scheme");
    auto pair = util::base64_decode(encoded);
    const std::size_t colon = pair ? pair->find(':') : std::string::npos;
    if (colon == std::string::npos)
        return invalid_client(kFailed, "the Basic credentials are not strict base64 of id:secret");

    std::string id = pair->substr(0, colon);
    std::string secret = pair->substr(colon + 1);
    util::wipe(*pair);
    Credentials credentials;
    credentials.method = Credentials::Method::basic;
    auto decoded_id = util::form_decode(id);
    auto decoded_secret = util::form_decode(secret);
    const bool differ = decoded_id != id || decoded_secret != secret;  // mostly there is nothing to decode
    if (decoded_id && decoded_secret && differ)
        add_reading(credentials, std::move(*decoded_id), std::move(*decoded_secret));
    add_reading(credentials, std::move(id), std::move(secret));
    if (credentials.readings.empty()) return invalid_client(kFailed, "the Basic credentials hold control bytes");
    return credentials;
}

/// A body may repeat the id of the header, and nothing else about the client (RFC 6749 §2.3: one method a request).
Outcome<void> check_body_agrees(const Credentials& basic, const http::Params& form) {
    if (form.find("client_secret")) return invalid_request("client credentials were sent in two ways");
    const auto id = form.find("client_id");
    if (!id) return {};
    for (const auto& reading : basic.readings)
        if (reading.client_id.str() == *id) return {};
    return invalid_request("client_id differs from the Authorization header's");
}

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
        case model::AuthMethod::none:
            return false;
    }
    return false;
}

Proof prove(const model::Client& client, const std::optional<ClientBar>& bar, Credentials::Method method,
            bool has_secret, const std::string& hash) {
    if (bar) return {false, row_of(*bar).detail, row_of(*bar).to_client};
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

}  // namespace

Outcome<Credentials> parse_credentials(const http::Request& request) {
    if (request.authorization) {
        ASSIGN_OR_RETURN(auto basic, parse_basic(*request.authorization));
        RETURN_IF_ERROR(check_body_agrees(basic, request.form));
        return basic;
    }
    Credentials credentials;
    credentials.why_no_header = request.why_no_authorization;
    const auto id = request.form.find("client_id");
    const auto secret = request.form.find("client_secret");
    if (!id) return credentials;
    if (secret) credentials.method = Credentials::Method::post;
    add_reading(credentials, std::string(*id), std::string(secret.value_or("")));
    return credentials;
}

Outcome<model::Client> authenticate_client(Context& context, const Credentials& credentials) {
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
        const auto bar = find_client_bar(context.settings, *client);
        const Proof proof = prove(*client, bar, credentials.method, !reading.secret.empty(), hash);
        if (proof.correct) return std::move(*client);
        error = make_error(proof.reason, kFailed, proof.why_not);
        // Clients that repeat their id in the body send the secret in the header.
        const bool may_be_lost = reading.secret.empty() && credentials.method == Credentials::Method::id_only;
        if (may_be_lost && !bar) error.log_detail += "; " + credentials.why_no_header;
    }
    return refused_client(context, error, known);
}

std::optional<std::string> reader_of_refusal(Context& context, const Credentials& credentials) {
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

OAuthError refused_client(Context& context, const OAuthError& error, const model::ClientId& known) {
    if (error.code == ErrorCode::invalid_client)
        context.trail.add(
            audit::Event::client_authentication_failed,
            {{"reason", error.log_detail.empty() ? error.description : error.log_detail}, audit::client(known)});
    return error;
}

}  // namespace postern::oauth
