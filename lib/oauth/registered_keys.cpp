// Decides which keys a client registers.
#include "oauth/registered_keys.h"

#include <utility>

#include "jose/client_keys.h"
#include "json/writer.h"
#include "oauth/key_rules.h"

namespace postern::oauth {
namespace {

using namespace registering;

/// As they are kept: the usable keys alone. "" when there are none.
Outcome<std::string> read_jwks(const Asked& asked) {
    const json::Value* given = asked.request.find("jwks");
    if (given == nullptr) return std::string();
    const auto keys = jose::parse_client_keys(json::write(*given));
    if (!keys) return refuse("jwks is not a set of public keys that can be used", keys.error());
    return jose::write_client_keys(*keys);
}

Outcome<std::string> read_algorithm(const Asked& asked) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "token_endpoint_auth_signing_alg"));
    if (name && !jose::parse_foreign_algorithm(*name)) return not_offered("token_endpoint_auth_signing_alg");
    return name.value_or("");
}

}  // namespace

Outcome<void> read_request_algorithm(const Asked& asked, model::Client& client) {
    if (!asked.settings.request_objects || client.auth_method != model::AuthMethod::private_key_jwt) return {};
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "request_object_signing_alg"));
    if (name && !jose::parse_foreign_algorithm(*name)) return not_offered("request_object_signing_alg");
    client.request_object_alg = name.value_or("");
    return {};
}

Outcome<void> read_keys(const Asked& asked, model::Client& client) {
    if (!asked.settings.assertions.enabled) return {};
    ASSIGN_OR_RETURN(const auto uri, text_of(asked, "jwks_uri"));
    if (uri && asked.request.find("jwks") != nullptr)  // RFC 7591 §2
        return refuse("jwks and jwks_uri must not both be there");
    model::ClientKeys keys;
    ASSIGN_OR_RETURN(keys.jwks, read_jwks(asked));
    ASSIGN_OR_RETURN(keys.alg, read_algorithm(asked));
    keys.jwks_uri = uri.value_or("");
    if (client.auth_method != model::AuthMethod::private_key_jwt) return {};
    if (keys.jwks.empty() && keys.jwks_uri.empty())
        return refuse("token_endpoint_auth_method private_key_jwt needs jwks or jwks_uri");
    client.keys = std::move(keys);
    const auto problems = key_problems(client, asked.settings);
    if (!problems.empty()) return refuse("the keys cannot be used", problems.front().fault);
    return {};
}

}  // namespace postern::oauth
