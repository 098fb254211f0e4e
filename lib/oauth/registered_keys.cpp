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

/// RFC 8705 §2.1.2: exactly one name.
Outcome<void> read_certificate_name(const Asked& asked, model::Client& client) {
    for (const crypto::NameKind kind : model::kNameKinds) {
        ASSIGN_OR_RETURN(const auto value, text_of(asked, model::to_string(kind)));
        if (!value) continue;
        if (client.certificate_name) return refuse("tls_client_auth takes one name of certificates");
        client.certificate_name = crypto::CertificateName{kind, *value};
    }
    if (client.certificate_name) return {};
    return refuse("token_endpoint_auth_method tls_client_auth needs the name of the client's certificates");
}

}  // namespace

Outcome<void> read_request_algorithm(const Asked& asked, model::Client& client) {
    if (!asked.settings.request_objects || !model::has_keys(client)) return {};
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "request_object_signing_alg"));
    if (name && !jose::parse_foreign_algorithm(*name)) return not_offered("request_object_signing_alg");
    client.request_object_alg = name.value_or("");
    return {};
}

Outcome<void> read_keys(const Asked& asked, model::Client& client) {
    const bool has_authority = client.auth_method == model::AuthMethod::tls_client_auth;
    if (has_authority) RETURN_IF_ERROR(read_certificate_name(asked, client));
    if (!asked.settings.assertions.enabled && !model::has_keys(client)) return {};
    ASSIGN_OR_RETURN(const auto uri, text_of(asked, "jwks_uri"));
    if (uri && asked.request.find("jwks") != nullptr)  // RFC 7591 §2
        return refuse("jwks and jwks_uri must not both be there");
    model::ClientKeys keys;
    ASSIGN_OR_RETURN(keys.jwks, read_jwks(asked));
    ASSIGN_OR_RETURN(keys.alg, read_algorithm(asked));
    keys.jwks_uri = uri.value_or("");
    if (!model::has_keys(client)) return {};
    if (keys.jwks.empty() && keys.jwks_uri.empty()) {
        if (has_authority) return {};
        return refuse(
            "token_endpoint_auth_method " + std::string(to_string(client.auth_method)) +
            (client.auth_method == model::AuthMethod::private_key_jwt ? " needs jwks or jwks_uri" : " needs jwks"));
    }
    client.keys = std::move(keys);
    const auto problems = key_problems(client, asked.settings);
    if (!problems.empty()) return refuse("the keys cannot be used", problems.front().fault);
    return {};
}

}  // namespace postern::oauth
