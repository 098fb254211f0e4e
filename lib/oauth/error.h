// The error of a caller, as a value. Where it goes (JSON, redirect, page) is the endpoint's business.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "util/clock.h"
#include "util/result.h"

namespace postern::refusal {
enum class Reason : std::uint8_t;  // refusal/reason.h, for those who name one
}

namespace postern::oauth {

/// The registered names only (IANA OAuth Extensions Error registry).
enum class ErrorCode {
    invalid_request,
    invalid_client,
    invalid_grant,
    unauthorized_client,
    unsupported_grant_type,
    invalid_scope,  // RFC 6749 §5.2
    access_denied,
    unsupported_response_type,
    server_error,
    temporarily_unavailable,  // §4.1.2.1
    invalid_token,
    insufficient_scope,      // RFC 6750 §3.1
    invalid_target,          // RFC 8707 §2
    unsupported_token_type,  // RFC 7009 §2.2.1
    login_required,
    consent_required,                   // OIDC Core §3.1.2.6
    unmet_authentication_requirements,  // OpenID Connect Core Error Code unmet_authentication_requirements 1.0
    request_not_supported,
    request_uri_not_supported,
    registration_not_supported,
    authorization_pending,  // RFC 8628 §3.5
    slow_down,
    expired_token,
    invalid_redirect_uri,  // RFC 7591 §3.2.2
    invalid_client_metadata,
    invalid_dpop_proof,  // RFC 9449 §12.2
    // RFC 9101 §7
    invalid_request_object,
};

std::string_view wire_name(ErrorCode code);

struct OAuthError {
    ErrorCode code;
    std::string description;  ///< for the client's developer: our own ASCII text, no echo of input (RFC 6749 §5.2)
    int http_status;          ///< from the code's row in the table; a rule may override it
    std::string log_detail;   ///< for the operator: expected, received, fix; never sent, never a secret
    refusal::Reason reason;   ///< for `postern why`: that of the code, or a case of it
    util::Seconds retry_after{0};  ///< 0: the caller is not told when to come back
    std::string client_id = {};  ///< that the caller names where only its endpoint looks, proved or not; "": elsewhere
};

template <class T>
using Outcome = util::Result<T, OAuthError>;

/// The error of `code` with its status from the table.
OAuthError make_error(ErrorCode code, std::string description, std::string log_detail = {});

/// The error of the code that `reason` is a case of.
OAuthError make_error(refusal::Reason reason, std::string description, std::string log_detail = {});

inline OAuthError invalid_request(std::string d, std::string log = {}) {
    return make_error(ErrorCode::invalid_request, std::move(d), std::move(log));
}
/// Returns the detail for the log.
inline std::string parameter_fault(const std::string& name) {
    return "parameter " + name + " was given twice or is not decodable";
}
/// Returns the error for the parameter `name` of a form or query, which may occur once (RFC 6749 §3.1, §3.2).
inline OAuthError invalid_parameter(const std::string& name) {
    return invalid_request("a parameter was given twice or is not decodable", "parameter: " + name);
}
inline OAuthError invalid_client(std::string d, std::string log = {}) {
    return make_error(ErrorCode::invalid_client, std::move(d), std::move(log));
}
inline OAuthError invalid_grant(std::string d, std::string log = {}) {
    return make_error(ErrorCode::invalid_grant, std::move(d), std::move(log));
}
inline OAuthError invalid_target(std::string d, std::string log = {}) {
    return make_error(ErrorCode::invalid_target, std::move(d), std::move(log));
}
inline OAuthError invalid_scope(std::string d, std::string log = {}) {
    return make_error(ErrorCode::invalid_scope, std::move(d), std::move(log));
}

}  // namespace postern::oauth
