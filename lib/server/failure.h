// An answer that the server gives in the endpoint's place: fixed texts, in the endpoint's own form.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "http/message.h"
#include "refusal/reason.h"
#include "server/endpoint.h"

namespace postern::server {

struct Failure {
    int status = 400;
    refusal::Reason reason = refusal::Reason::invalid_request;  ///< of a registered error code
    std::string description = {};                               ///< what the caller is told: constant text
    std::string detail = {};  ///< for the operator: expected, received, and what to change
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Makes the failure of a request that breaks HTTP or the endpoint's own limits: invalid_request with that status.
Failure refused_request(int status, std::string description, std::string detail);

/// The two failures that are our own: whatever the cause, the caller reads the same.
Failure store_failure();     ///< 503 temporarily_unavailable with Retry-After
Failure internal_failure();  ///< 500 server_error

/// Answers with JSON, or with the error page. Without templates, or when they fail, the page is a line of plain text,
/// and the detail of the refusal says why. The page of a refused request has a button "Sign out" to `sign_out`, unless
/// that is
/// "".
http::Response render_failure(const Failure& failure, OnFailure form, const pages::Pages* pages,
                              const std::string& request_id, const std::string& sign_out = {});

/// Returns the answer of plain CGI when the program could not start: 503 where another try may find the disk well, else
/// 500.
std::string start_failure(const std::exception& error);

}  // namespace postern::server
