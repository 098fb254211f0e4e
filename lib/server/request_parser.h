// Whether CGI variables and a body are a request that an endpoint can be asked, and which one.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/body.h"
#include "gateway/variables.h"
#include "http/message.h"
#include "server/failure.h"
#include "util/result.h"

namespace postern::server {

/// What one endpoint accepts.
struct RequestRules {
    std::vector<std::string> paths;  ///< complete raw paths, as `served_paths` makes them
    std::vector<http::Method> methods;
    config::Limits limits;
    /// Where the Authorization header may arrive; empty: the endpoint has no use for one, and a browser may send what
    /// was meant for the rest of the site.
    std::vector<std::string> authorization_variables = {};
    std::vector<std::string> server_variables = {};  ///< what becomes http::Request::server_variables
    refusal::Reason wrong_post = refusal::Reason::invalid_request_method;  ///< of a POST that `methods` lacks
};

/// The raw paths under which `relative` ones are reached: below the issuer's base path, and without it (a proxy may
/// strip it).
std::vector<std::string> served_paths(const std::string& issuer, const std::vector<std::string>& relative);

/// "GET, POST": for Allow.
std::string allowed_methods(const RequestRules& rules);

/// The request without its `id` and `remote_address`, or the answer it gets instead: 404, 405, 400, 411, 413, 414, 431.
/// Touches nothing but its arguments.
util::Result<http::Request, Failure> parse_request(const gateway::Variables& variables, const gateway::Body& body,
                                                   const RequestRules& rules);

}  // namespace postern::server
