// The form that a client sends to the token endpoint (RFC 6749 §3.2)
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "http/message.h"
#include "oauth/credentials.h"
#include "oauth/error.h"

namespace postern::oauth {

/// RFC 6749 §4.1.3 with RFC 7636 §4.5 and RFC 8707 §2.2.
struct AuthorizationCodeGrant {
    std::string code;
    std::optional<std::string> redirect_uri;
    std::optional<std::string> code_verifier;
    std::optional<std::string> target;  ///< parse_target
};

/// RFC 6749 §6.
struct RefreshTokenGrant {
    std::string refresh_token;
    std::optional<std::string> scope;  ///< as sent
    std::optional<std::string> target;
};

/// RFC 6749 §4.4.2.
struct ClientCredentialsGrant {
    std::optional<std::string> scope;  ///< as sent
    std::optional<std::string> target;
};

/// RFC 8628 §3.4.
struct DeviceCodeGrant {
    std::string device_code;
    std::optional<std::string> target;
};

/// One alternative per grant type.
using TokenGrant = std::variant<AuthorizationCodeGrant, RefreshTokenGrant, ClientCredentialsGrant, DeviceCodeGrant>;

struct TokenRequest {
    Credentials credentials;
    /// The grant or its fault. Only an authenticated client is told the fault, so it waits here.
    Outcome<TokenGrant> grant;
};

/// Syntax: content type, duplicates, two ways of authentication. Credentials and grants come from the body alone; only
/// `aud` and `audience` may be in the query. A grant whose page is off in `paths` is not offered.
Outcome<TokenRequest> parse_token_request(const Paths& paths, const http::Request& request);

}  // namespace postern::oauth
