// Errors of the endpoints that programs call: JSON bodies and challenges.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "oauth/error.h"

namespace postern::respond {

/// {"error":..,"error_description":..} (RFC 6749 §5.2). A 401 to a request that used the Authorization header
/// challenges for Basic. The refusal is recorded for the operator.
http::Response json_error(const http::Request& request, const oauth::OAuthError& error);

/// Returns the value of WWW-Authenticate for an access token that does not do (RFC 6750 §3), by the word of the error
/// and its description, which is text of ours without `"` and `\`, so that it cannot end the quoted string.
std::string bearer_challenge(std::string_view error, std::string_view description, std::string_view scope = {});

/// A bearer challenge (RFC 6750 §3): 401 invalid_token, or 403 insufficient_scope with the scope that is missing.
http::Response bearer_error(const oauth::OAuthError& error, const std::string& scope = {});

/// Returns the challenge of the scheme DPoP (RFC 9449 §7.1), with the algorithms that proofs may have; `error` "": to a
/// caller without a token.
std::string dpop_challenge(std::string_view error = {}, std::string_view description = {}, std::string_view scope = {});

/// A DPoP challenge in place of bearer_error's.
http::Response dpop_error(const oauth::OAuthError& error, const std::string& scope = {});

/// Makes the error of the registration endpoint: as json_error, but a 401 challenges for a bearer token, with the error
/// code if the request had one (RFC 6750 §3.1).
http::Response registration_error(const http::Request& request, const oauth::OAuthError& error);

}  // namespace postern::respond
