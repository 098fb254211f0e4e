// Answers of the protocol: errors and tokens as JSON, authorization responses as redirects.
#pragma once

#include <string>

#include "http/message.h"
#include "oauth/error.h"
#include "oauth/redirect_uri.h"

namespace postern::respond {

/// {"error":..,"error_description":..} (RFC 6749 §5.2). A 401 to a request that used the Authorization header
/// challenges for Basic. The refusal is recorded for the operator.
http::Response json_error(const http::Request& request, const oauth::OAuthError& error);

/// A bearer challenge (RFC 6750 §3): 401 invalid_token, or 403 insufficient_scope with the scope that is missing.
http::Response bearer_error(const oauth::OAuthError& error, const std::string& scope = {});

/// 303 to the verified address with error, error_description, state and iss (RFC 6749 §4.1.2.1, RFC 9207 §2).
http::Response redirect_error(const oauth::VerifiedRedirect& target, const oauth::OAuthError& error);

/// 303 to the verified address with code, state and iss (RFC 6749 §4.1.2, RFC 9207 §2).
http::Response redirect_code(const oauth::VerifiedRedirect& target, const std::string& code);

}  // namespace postern::respond
