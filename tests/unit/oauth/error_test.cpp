// Every error code has its registered name and its status.
#include "oauth/error.h"

#include <doctest/doctest.h>

#include <set>

using namespace postern;
using oauth::ErrorCode;

TEST_CASE("error codes: registered names and statuses [RFC 6749 §5.2a, §8.5, RFC 7009 §2.2.1c]") {
    struct Row {
        ErrorCode code;
        const char* name;
        int status;
    };
    const Row rows[] = {
        {ErrorCode::invalid_request, "invalid_request", 400},
        {ErrorCode::invalid_client, "invalid_client", 401},
        {ErrorCode::invalid_grant, "invalid_grant", 400},
        {ErrorCode::unauthorized_client, "unauthorized_client", 400},
        {ErrorCode::unsupported_grant_type, "unsupported_grant_type", 400},
        {ErrorCode::invalid_scope, "invalid_scope", 400},
        {ErrorCode::access_denied, "access_denied", 400},
        {ErrorCode::unsupported_response_type, "unsupported_response_type", 400},
        {ErrorCode::server_error, "server_error", 500},
        {ErrorCode::temporarily_unavailable, "temporarily_unavailable", 503},
        {ErrorCode::invalid_token, "invalid_token", 401},
        {ErrorCode::insufficient_scope, "insufficient_scope", 403},
        {ErrorCode::invalid_target, "invalid_target", 400},
        {ErrorCode::unsupported_token_type, "unsupported_token_type", 400},
        {ErrorCode::login_required, "login_required", 400},
        {ErrorCode::consent_required, "consent_required", 400},
        {ErrorCode::unmet_authentication_requirements, "unmet_authentication_requirements", 400},
        {ErrorCode::request_not_supported, "request_not_supported", 400},
        {ErrorCode::request_uri_not_supported, "request_uri_not_supported", 400},
        {ErrorCode::registration_not_supported, "registration_not_supported", 400},
        {ErrorCode::authorization_pending, "authorization_pending", 400},
        {ErrorCode::slow_down, "slow_down", 400},
        {ErrorCode::expired_token, "expired_token", 400},
        {ErrorCode::invalid_redirect_uri, "invalid_redirect_uri", 400},
        {ErrorCode::invalid_client_metadata, "invalid_client_metadata", 400},
        {ErrorCode::invalid_request_object, "invalid_request_object", 400},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const auto error = oauth::make_error(row.code, "words", "detail");
        CHECK(oauth::wire_name(row.code) == row.name);
        CHECK(error.http_status == row.status);
        CHECK(error.description == "words");
        CHECK(error.log_detail == "detail");
    }
}
