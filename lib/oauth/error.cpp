// The table of error codes: what each is called on the wire and which HTTP status it has when nothing else decides.
#include "oauth/error.h"

#include <array>
#include <stdexcept>

#include "refusal/reason.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

struct ErrorRow {
    ErrorCode code;
    Reason reason;
    int status;
};

constexpr std::array kRows = {
    ErrorRow{ErrorCode::invalid_request, Reason::invalid_request, 400},                      // RFC 6749 §5.2
    ErrorRow{ErrorCode::invalid_client, Reason::invalid_client, 401},                        // RFC 6749 §5.2
    ErrorRow{ErrorCode::invalid_grant, Reason::invalid_grant, 400},                          // RFC 6749 §5.2
    ErrorRow{ErrorCode::unauthorized_client, Reason::unauthorized_client, 400},              // RFC 6749 §5.2
    ErrorRow{ErrorCode::unsupported_grant_type, Reason::unsupported_grant_type, 400},        // RFC 6749 §5.2
    ErrorRow{ErrorCode::invalid_scope, Reason::invalid_scope, 400},                          // RFC 6749 §5.2
    ErrorRow{ErrorCode::access_denied, Reason::access_denied, 400},                          // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::unsupported_response_type, Reason::unsupported_response_type, 400},  // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::server_error, Reason::server_error, 500},                            // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::temporarily_unavailable, Reason::temporarily_unavailable, 503},      // RFC 6749 §4.1.2.1
    ErrorRow{ErrorCode::invalid_token, Reason::invalid_token, 401},                          // RFC 6750 §3.1
    ErrorRow{ErrorCode::insufficient_scope, Reason::insufficient_scope, 403},                // RFC 6750 §3.1
    ErrorRow{ErrorCode::invalid_target, Reason::invalid_target, 400},                        // RFC 8707 §2
    ErrorRow{ErrorCode::unsupported_token_type, Reason::unsupported_token_type, 400},        // RFC 7009 §2.2.1
    ErrorRow{ErrorCode::login_required, Reason::login_required, 400},                        // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::consent_required, Reason::consent_required, 400},                    // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::unmet_authentication_requirements, Reason::unmet_authentication_requirements, 400},
    ErrorRow{ErrorCode::request_not_supported, Reason::request_not_supported, 400},            // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::request_uri_not_supported, Reason::request_uri_not_supported, 400},    // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::registration_not_supported, Reason::registration_not_supported, 400},  // OIDC Core §3.1.2.6
    ErrorRow{ErrorCode::authorization_pending, Reason::authorization_pending, 400},            // RFC 8628 §3.5
    ErrorRow{ErrorCode::slow_down, Reason::slow_down, 400},                                    // RFC 8628 §3.5
    ErrorRow{ErrorCode::expired_token, Reason::expired_token, 400},                            // RFC 8628 §3.5
    ErrorRow{ErrorCode::invalid_redirect_uri, Reason::invalid_redirect_uri, 400},              // RFC 7591 §3.2.2
    ErrorRow{ErrorCode::invalid_dpop_proof, Reason::invalid_dpop_proof, 400},                  // RFC 9449 §5, §12.2
    ErrorRow{ErrorCode::invalid_request_object, Reason::invalid_request_object, 400},          // RFC 9101 §7
    ErrorRow{ErrorCode::invalid_client_metadata, Reason::invalid_client_metadata, 400},        // RFC 7591 §3.2.2
};

const ErrorRow& row_of(ErrorCode code) {
    for (const ErrorRow& row : kRows)
        if (row.code == code) return row;
    throw std::logic_error("error code without a row");
}

const ErrorRow& row_of_error(Reason error) {
    for (const ErrorRow& row : kRows)
        if (row.reason == error) return row;
    throw std::logic_error("refusal without an error code");
}

}  // namespace

std::string_view wire_name(ErrorCode code) { return refusal::row_of(row_of(code).reason).word; }

OAuthError make_error(ErrorCode code, std::string description, std::string log_detail) {
    const ErrorRow& row = row_of(code);
    return OAuthError{code, std::move(description), row.status, std::move(log_detail), row.reason, {}};
}

OAuthError make_error(Reason reason, std::string description, std::string log_detail) {
    const ErrorRow& row = row_of_error(refusal::row_of(reason).error);
    return OAuthError{row.code, std::move(description), row.status, std::move(log_detail), reason, {}};
}

}  // namespace postern::oauth
