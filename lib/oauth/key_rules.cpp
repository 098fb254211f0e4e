// Decides whether a client that authenticates by a JWT could do so with what is registered.
#include "oauth/key_rules.h"

#include <utility>

#include "fetch/allowed.h"
#include "jose/client_keys.h"

namespace postern::oauth {
namespace {

using model::AuthMethod;
using Problems = std::vector<KeyProblem>;

void add(Problems& problems, std::string fault, std::string remedy = "") {
    problems.push_back({std::move(fault), std::move(remedy)});
}

bool can_sign_by(const std::string& jwks, crypto::Algorithm algorithm) {
    const auto keys = jose::parse_client_keys(jwks);
    return keys && !jose::candidates(*keys, algorithm, std::nullopt).empty();
}

void check_place(const model::ClientKeys& keys, const Settings& settings, Problems& problems) {
    if (keys.jwks.empty() == keys.jwks_uri.empty())
        add(problems, "keys are registered themselves or by an address, and not both", "give --jwks or --jwks-uri");
    if (keys.jwks_uri.empty()) return;
    if (!settings.outbound.enabled)
        add(problems, "a jwks_uri needs \"outbound\": {\"enabled\": true} in the configuration", "use --jwks FILE");
    else if (const auto fault = fetch::url_fault(keys.jwks_uri, settings.outbound.ports))
        add(problems, "the jwks_uri cannot be fetched: " + *fault);
}

/// `what`: whatever the client signs by `alg`, in the plural.
void check_algorithm(const char* what, const std::string& alg, const std::string& jwks, Problems& problems) {
    if (alg.empty()) return;
    const auto algorithm = jose::parse_foreign_algorithm(alg);
    if (!algorithm)
        add(problems, "the algorithm of " + std::string(what) + " must be ES256, PS256, EdDSA, Ed25519 or RS256");
    else if (!jwks.empty() && !can_sign_by(jwks, *algorithm))
        add(problems, "no key of the client is for " + alg);
}

bool lacks_kids(const model::ClientKeys& registered) {
    if (registered.jwks.empty()) return false;
    const auto keys = jose::parse_client_keys(registered.jwks);
    return keys && jose::needs_kids(*keys);
}

/// FETCH-15: as an API is registered that introspects.
bool only_asks_about_tokens(const model::Client& client) {
    return client.scope.empty() && !client.has_grant(model::GrantType::authorization_code) &&
           !client.has_grant(model::GrantType::device_code);
}

/// RFC 8705 §2.
void check_certificate(const model::Client& client, const Settings& settings, Problems& problems) {
    const bool has_authority = client.auth_method == AuthMethod::tls_client_auth;
    const bool has_certificate = has_authority || client.auth_method == AuthMethod::self_signed_tls_client_auth;
    if (has_certificate && !settings.mtls)
        add(problems, std::string(to_string(client.auth_method)) +
                          " is switched off; configure \"mtls\" with the host that asks for certificates");
    else if (has_authority && !settings.offers_tls_client_auth())
        add(problems,
            "tls_client_auth needs the authorities of clients; name their file in mtls.ca of the configuration");
    if (has_authority && !client.certificate_name)
        add(problems, "the method tls_client_auth needs the one name of the client's certificates",
            "add --tls-client-auth-subject-dn, -san-dns, -san-uri, -san-ip or -san-email");
    if (!has_authority && client.certificate_name)
        add(problems, "names of certificates are for the method tls_client_auth", "add --auth-method tls_client_auth");
    if (client.certificate_name)
        if (const auto fault = crypto::fault_of(*client.certificate_name))
            add(problems, "the " + std::string(model::to_string(client.certificate_name->kind)) + " " + *fault);
}

bool must_sign_requests(const model::Client& client, const Settings& settings) {
    return client.require_signed_request ||
           (client.has_grant(model::GrantType::authorization_code) &&
            (signs_messages(settings, client) || settings.require_signed_request_object));
}

}  // namespace

std::vector<KeyProblem> key_problems(const model::Client& client, const Settings& settings) {
    Problems problems;
    check_certificate(client, settings, problems);
    if (!model::has_keys(client)) {
        if (client.keys)
            add(problems, "keys are for clients that sign or have certificates", "add --auth-method private_key_jwt");
        return problems;
    }
    const std::string jwks = client.keys ? client.keys->jwks : "";
    if (client.auth_method != AuthMethod::private_key_jwt) {
        if (client.keys && jwks.empty())
            add(problems, "keys of a client with certificates are registered themselves", "add --jwks FILE");
        else if (client.auth_method == AuthMethod::self_signed_tls_client_auth && jwks.empty())
            add(problems, "the method self_signed_tls_client_auth needs the public keys of the client's certificates",
                "add --jwks FILE");
        else if (must_sign_requests(client, settings) && jwks.empty())
            add(problems, "the client has no keys to sign its requests with", "add --jwks FILE");
        check_algorithm("request objects", client.request_object_alg, jwks, problems);
        return problems;
    }
    if (!settings.assertions.enabled)
        add(problems, "private_key_jwt is switched off; set \"clientAssertions\": true in the configuration");
    if (!client.keys) {
        add(problems, "the method private_key_jwt needs the client's public keys", "add --jwks FILE");
        return problems;
    }
    check_place(*client.keys, settings, problems);
    check_algorithm("assertions", client.keys->alg, client.keys->jwks, problems);
    check_algorithm("request objects", client.request_object_alg, jwks, problems);
    return problems;
}

std::vector<std::string> key_advice(const model::Client& client) {
    if (!client.keys) return {};
    std::vector<std::string> advice;
    if (lacks_kids(*client.keys))
        advice.push_back(
            "more than " + std::to_string(jose::kMaxCandidates) +
            " keys could have signed an assertion without a \"kid\", which is refused then: give each key a "
            "kid, and let the client send it");
    if (!client.keys->jwks_uri.empty() && only_asks_about_tokens(client))
        advice.emplace_back(
            "the client gets no scope, so that it probably introspects or revokes alone, for which no endpoint fetches its "
            "keys: register them with --jwks FILE, or let a timer run `postern purge --quick`, which fetches them");
    return advice;
}

}  // namespace postern::oauth
