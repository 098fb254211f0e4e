// The question of a web server: may this request pass? Where it stands in the variables, and what it must have.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace postern::gate {

/// The ways in which a web server asks (GATE-10).
enum class Way {
    authorizer,  ///< FastCGI role AUTHORIZER
    subrequest,  ///< a sub-request of nginx (`auth_request`), which passes on 401 and 403 alone
    page,        ///< the same question behind nginx's `error_page`: the answer is the whole one
    forwarded,   ///< a question of another proxy over HTTP
    own,         ///< a request for a page of the gate itself, below `.postern/`
};

struct Question {
    Way way = Way::authorizer;
    std::string origin;  ///< in its one spelling
    std::string path;    ///< as the browser sent it
    std::string query;   ///< behind the `?`, which is part of neither; "": none
    std::string method;

    bool operator==(const Question&) const = default;
};

/// The route of FastCGI or HTTP by which a request came.
enum class Route {
    authorizer,  ///< the role AUTHORIZER
    gate,        ///< a RESPONDER at `paths.gate`, or for a sub-request
    pages,       ///< a RESPONDER for addresses below `.postern/`
};

using Variables = std::map<std::string, std::string, std::less<>>;

/// The variables that parse_question reads.
std::vector<std::string> question_variables();

/// The problem of a question, for the operator.
struct QuestionProblem {
    std::string detail;
};

/// The peer of a question over HTTP.
struct Proxy {
    bool is_believed = false;          ///< it is one of `gate.proxies`, so that its X-Forwarded-* headers count
    std::string_view pages_path = {};  ///< what it puts in front of the path of a page of the gate
};

/// Reads a question, or says what is missing or contradicts itself.
util::Result<Question, QuestionProblem> parse_question(Route route, const Variables& variables, const Proxy& proxy);

}  // namespace postern::gate
