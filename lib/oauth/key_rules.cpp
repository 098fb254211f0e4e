// Decides whether a client that authenticates by a JWT could do so with what is registered.
#include "oauth/key_rules.h"

#include <algorithm>

#include "fetch/allowed.h"
#include "jose/client_keys.h"

namespace postern::oauth {
namespace {

using model::AuthMethod;
using Problems = std::vector<std::string>;

bool can_sign_by(const std::string& jwks, crypto::Algorithm algorithm) {
    const auto keys = jose::parse_client_keys(jwks);
    return keys && !jose::candidates(*keys, algorithm, std::nullopt).empty();
}

void check_place(const model::ClientKeys& keys, const Settings& settings, Problems& problems) {
    if (keys.jwks.empty() == keys.jwks_uri.empty())
        problems.emplace_back(
            "keys are registered themselves or by an address: give --jwks or --jwks-uri, and not both");
    if (keys.jwks_uri.empty()) return;
    if (!settings.outbound.enabled)
        problems.emplace_back("--jwks-uri needs \"outbound\": {\"enabled\": true}; use --jwks FILE");
    else if (const auto fault = fetch::url_fault(keys.jwks_uri, settings.outbound.ports))
        problems.push_back("the jwks_uri cannot be fetched: " + *fault);
}

void check_algorithm(const model::ClientKeys& keys, Problems& problems) {
    if (keys.alg.empty()) return;
    const auto algorithm = jose::parse_foreign_algorithm(keys.alg);
    if (!algorithm)
        problems.emplace_back("the algorithm of assertions must be ES256, PS256, EdDSA, Ed25519 or RS256");
    else if (!keys.jwks.empty() && !can_sign_by(keys.jwks, *algorithm))
        problems.push_back("no key of the client is for " + keys.alg);
}

/// RFC 8705 §2.
Problems certificate_problems(const model::Client& client, const Settings& settings) {
    Problems problems;
    const bool has_authority = client.auth_method == AuthMethod::tls_client_auth;
    const bool has_certificate = has_authority || client.auth_method == AuthMethod::self_signed_tls_client_auth;
    if (has_certificate && !settings.mtls)
        problems.push_back(std::string(to_string(client.auth_method)) +
                           " is switched off; configure \"mtls\" with the host that asks for certificates");
    else if (has_authority && !settings.offers_tls_client_auth())
        problems.emplace_back(
            "tls_client_auth needs the authorities of clients; name their file in mtls.ca of the configuration");
    if (has_authority && !client.certificate_name)
        problems.emplace_back(
            "the method tls_client_auth needs the one name of the client's certificates; add --tls-client-auth-subject-dn, "
            "-san-dns, -san-uri, -san-ip or -san-email");
    if (!has_authority && client.certificate_name)
        problems.emplace_back(
            "names of certificates are for the method tls_client_auth; add --auth-method tls_client_auth");
    if (client.certificate_name)
        if (const auto fault = crypto::fault_of(*client.certificate_name))
            problems.push_back("the " + std::string(model::to_string(client.certificate_name->kind)) + " " + *fault);
    return problems;
}

}  // namespace

Problems key_problems(const model::Client& client, const Settings& settings) {
    Problems problems = certificate_problems(client, settings);
    if (!model::has_keys(client)) {
        if (client.keys)
            problems.emplace_back(
                "keys are for the methods private_key_jwt and self_signed_tls_client_auth; add --auth-method private_key_jwt");
        return problems;
    }
    if (client.auth_method == AuthMethod::self_signed_tls_client_auth) {
        if (!client.keys || client.keys->jwks.empty())
            problems.emplace_back(
                "the method self_signed_tls_client_auth needs the public keys of the client's certificates; add --jwks FILE");
        return problems;
    }
    if (!settings.assertions.enabled)
        problems.emplace_back("private_key_jwt is switched off; set \"clientAssertions\": true in the configuration");
    if (!client.keys) {
        problems.emplace_back("the method private_key_jwt needs the client's public keys; add --jwks FILE");
        return problems;
    }
    check_place(*client.keys, settings, problems);
    check_algorithm(*client.keys, problems);
    return problems;
}

Problems key_advice(const model::Client& client) {
    if (!client.keys || client.keys->jwks.empty()) return {};
    const auto keys = jose::parse_client_keys(client.keys->jwks);
    if (!keys || !jose::needs_kids(*keys)) return {};
    return {
        "more than " + std::to_string(jose::kMaxCandidates) +
        " keys could have signed an assertion without a \"kid\", which is refused then: give each key a kid, and let the "
        "client send it"};
}

}  // namespace postern::oauth
