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

/// `what`: whatever the client signs by `alg`, in the plural.
void check_algorithm(const char* what, const std::string& alg, const std::string& jwks, Problems& problems) {
    if (alg.empty()) return;
    const auto algorithm = jose::parse_foreign_algorithm(alg);
    if (!algorithm)
        problems.push_back("the algorithm of " + std::string(what) + " must be ES256, PS256, EdDSA, Ed25519 or RS256");
    else if (!jwks.empty() && !can_sign_by(jwks, *algorithm))
        problems.push_back("no key of the client is for " + alg);
}

}  // namespace

Problems key_problems(const model::Client& client, const Settings& settings) {
    if (client.auth_method != AuthMethod::private_key_jwt) {
        if (!client.keys) return {};
        return {"keys are for the method private_key_jwt; add --auth-method private_key_jwt"};
    }
    Problems problems;
    if (!settings.assertions.enabled)
        problems.emplace_back("private_key_jwt is switched off; set \"clientAssertions\": true in the configuration");
    if (!client.keys) {
        problems.emplace_back("the method private_key_jwt needs the client's public keys; add --jwks FILE");
        return problems;
    }
    check_place(*client.keys, settings, problems);
    check_algorithm("assertions", client.keys->alg, client.keys->jwks, problems);
    check_algorithm("request objects", client.request_object_alg, client.keys->jwks, problems);
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
