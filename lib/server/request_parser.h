// Makes a request of CGI variables and a body, for an endpoint that accepts it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/body.h"
#include "gateway/variables.h"
#include "http/message.h"
#include "server/failure.h"
#include "util/result.h"

namespace postern::server {

/// The rules of one endpoint.
struct RequestRules {
    std::vector<std::string> paths;  ///< complete raw paths, as `http::served_paths` makes them
    std::vector<http::Method> methods;
    config::Limits limits;
    /// The variables in which the Authorization header may arrive; empty: the endpoint has no use for the header, and a
    /// browser may send one that was meant for the rest of the site.
    std::vector<std::string> authorization_variables = {};
    std::vector<std::string> server_variables = {};  ///< what becomes http::Request::server_variables
    bool takes_json = false;                         ///< the endpoint reads bodies of type application/json
    refusal::Reason wrong_post = refusal::Reason::invalid_request_method;  ///< of a POST that `methods` lacks
    bool takes_questions = false;  ///< as Endpoint has it: of the checks, those of duplicates and sizes are made
};

/// Writes "GET, POST" for Allow.
std::string allowed_methods(const RequestRules& rules);

/// Returns the value of the Authorization header in whichever of the variables `names` it arrived; nullopt when none of
/// them has one. Refuses (400) variables that contradict each other, and values that are several headers in one.
util::Result<std::optional<std::string>, Failure> find_authorization(const gateway::Variables& variables,
                                                                     const std::vector<std::string>& names);

/// Returns the request of a web server's question, or of a page that belongs to one.
util::Result<http::Request, Failure> parse_question(const gateway::Variables& variables, const gateway::Body& body,
                                                    const RequestRules& rules);

/// Returns the request without its `id` and `remote_address`, or the refusal: 404, 405, 400, 411, 413, 414 or 431.
/// Touches nothing but its arguments.
util::Result<http::Request, Failure> parse_request(const gateway::Variables& variables, const gateway::Body& body,
                                                   const RequestRules& rules);

}  // namespace postern::server
