// The table of error codes: what each is called on the wire and which HTTP status it has when nothing else decides.
#include "oauth/error.h"

#include <array>
#include <stdexcept>

namespace postern::oauth {
namespace {

struct ErrorRow {
    ErrorCode code;
    std::string_view name;
    int status;
};

constexpr std::array kRows = {
    ErrorRow{ErrorCode::invalid_request, "invalid_request", 400},                      // RFC 6749 §5.2
    ErrorRow{ErrorCode::invalid_client, "invalid_client", 401},                        // RFC 6749 §5.2
    ErrorRow{ErrorCode::invalid_grant, "invalid_grant", 400},                          // RFC 6749 §5.2
    ErrorRow{ErrorCode::unauthorized_client, "unauthorized_client", 400},              // RFC 6749 §5.2
    ErrorRow{ErrorCode::unsupported_grant_type, "unsupported_grant_type", 400},        // RFC 6749 §5.2
    ErrorRow{ErrorCode::invalid_scope, "invalid_scope", 400},                          // RFC 6749 §5.2
    ErrorRow{ErrorCode::access_denied, "access_denied", 400},                          // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::unsupported_response_type, "unsupported_response_type", 400},  // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::server_error, "server_error", 500},                            // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::temporarily_unavailable, "temporarily_unavailable", 503},      // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::invalid_token, "invalid_token", 401},                          // RFC 6750 §3.1
    ErrorRow{ErrorCode::insufficient_scope, "insufficient_scope", 403},                // RFC 6750 §3.1
    ErrorRow{ErrorCode::invalid_target, "invalid_target", 400},                        // RFC 8707 §2
    ErrorRow{ErrorCode::unsupported_token_type, "unsupported_token_type", 400},        // RFC 7009 §2.2.1
    ErrorRow{ErrorCode::login_required, "login_required", 400},                        // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::consent_required, "consent_required", 400},                    // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::unmet_authentication_requirements, "unmet_authentication_requirements", 400},
    ErrorRow{ErrorCode::request_not_supported, "request_not_supported", 400},            // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::request_uri_not_supported, "request_uri_not_supported", 400},    // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::registration_not_supported, "registration_not_supported", 400},  // OIDC Core §3.1.2.6
};

const ErrorRow& row_of(ErrorCode code) {
    for (const ErrorRow& row : kRows)
        if (row.code == code) return row;
    throw std::logic_error("error code without a row");
}

}  // namespace

std::string_view wire_name(ErrorCode code) { return row_of(code).name; }

OAuthError make_error(ErrorCode code, std::string description, std::string log_detail) {
    return OAuthError{code, std::move(description), row_of(code).status, std::move(log_detail)};
}

}  // namespace postern::oauth
