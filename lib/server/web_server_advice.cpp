// Which directives make which web server pass on the Authorization header and the length of a body.
#include "server/web_server_advice.h"

#include <algorithm>
#include <optional>

namespace postern::server {
namespace {

struct ForwardingAdvice {
    std::string_view software;  ///< how it names itself; "": any other
    std::string_view directive;
};

constexpr ForwardingAdvice kForwardingAdvice[] = {
    {"Apache",
     "Apache passes it with `CGIPassAuth On` in the <Location> of the endpoints; mod_fcgid also with `FcgidPassHeader "
     "Authorization`"},
    {"nginx", "nginx passes it with `fastcgi_param HTTP_AUTHORIZATION $http_authorization;`"},
    {"lighttpd", "lighttpd always passes it: the client did not send it, or a proxy in front removed it"},
    {"",
     "Apache passes it with `CGIPassAuth On`, nginx with `fastcgi_param HTTP_AUTHORIZATION $http_authorization;`, "
     "lighttpd always"},
};

struct LengthAdvice {
    std::string_view software;              ///< how it names itself; "": any other
    std::optional<gateway::StreamEnd> end;  ///< nullopt: either
    std::string_view advice;
};

constexpr LengthAdvice kLengthAdvice[] = {
    {"Apache", gateway::StreamEnd::at_length_only,
     "mod_cgid and mod_cgi cannot collect a body that comes in chunks or over HTTP/2 without a length: let the client "
     "send Content-Length, or use mod_fcgid, or mod_proxy_fcgi with `SetEnv proxy-sendcl 1`"},
    {"Apache", gateway::StreamEnd::by_itself,
     "mod_proxy_fcgi passes a chunked body on as it comes: `SetEnv proxy-sendcl 1` lets it collect the body first; or "
     "let the client send Content-Length"},
    {"nginx", gateway::StreamEnd::by_itself,
     "nginx passes a chunked body on as it comes: `fastcgi_request_buffering on;` lets it collect the body first; or "
     "let the client send Content-Length"},
    {"lighttpd", std::nullopt,
     "lighttpd passes a chunked body on as it comes: `server.stream-request-body = 0` lets it collect the body first; "
     "or let the client send Content-Length"},
    {"", gateway::StreamEnd::by_itself,
     "the web server passes a chunked body on as it comes: let it collect the body first, or let the client send "
     "Content-Length"},
    {"", std::nullopt,
     "the web server passes a body on without its length, and CGI has no other sign of its end: let it collect the "
     "body first, let the client send Content-Length, or use FastCGI"},
};

/// The configuration that would let the header in.
std::string setting_with(std::string_view name, const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& known : names) list += "\"" + known + "\", ";
    return "\"authorizationVariables\": [" + list.append("\"").append(name) + "\"]";
}

}  // namespace

std::string_view passing_directive(std::string_view software) {
    return std::ranges::find_if(kForwardingAdvice,
                                [&](const ForwardingAdvice& row) { return software.starts_with(row.software); })
        ->directive;
}

std::string explain_missing_authorization(const gateway::Variables& variables, const std::vector<std::string>& names) {
    const std::string directive(passing_directive(variables.clues.software));
    const auto stray = std::ranges::find_if(variables.clues.authorization, [&](std::string_view name) {
        return std::ranges::find(names, name) == names.end();
    });
    if (stray != variables.clues.authorization.end())
        return "the Authorization header arrived in " + std::string(*stray) +
               ", which is not read here. If the web server alone sets it: " + setting_with(*stray, names) +
               " in the configuration. Otherwise: " + directive;
    if (variables.clues.user)
        return "no Authorization header arrived, but AUTH_TYPE or REMOTE_USER did: the web server consumes the header "
               "itself. Exclude the endpoint from its own authentication; " +
               directive;
    return "no Authorization header arrived; if the client sends one, the web server removes it: " + directive;
}

std::string_view explain_missing_length(std::string_view software, gateway::StreamEnd end) {
    return std::ranges::find_if(kLengthAdvice,
                                [&](const LengthAdvice& row) {
                                    return row.end.value_or(end) == end && software.starts_with(row.software);
                                })
        ->advice;
}

}  // namespace postern::server
