// In which CGI variables the Authorization header arrives, and why it may not have arrived.
#include "server/authorization_header.h"

#include <algorithm>
#include <iterator>

#include "util/text.h"

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

/// Several headers reach us joined by commas, which neither Basic nor Bearer credentials contain (RFC 9110 §5.3).
bool is_one_credential(std::string_view value) {
    return value.find(',') == value.npos && !util::has_control_bytes(value);
}

/// The configuration that would let it in.
std::string setting_with(std::string_view name, const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& known : names) list += "\"" + known + "\", ";
    return "\"authorizationVariables\": [" + list.append("\"").append(name) + "\"]";
}

}  // namespace

util::Result<std::optional<std::string>, Failure> find_authorization(const gateway::Variables& variables,
                                                                     const std::vector<std::string>& names) {
    std::optional<std::string> found;
    std::string_view where;
    for (const std::string& name : names) {
        const std::string_view value = util::trim(variables.get(name));  // RFC 9110 §5.5: not part of the value
        if (value.empty()) continue;
        if (!is_one_credential(value)) {
            return refused_request(400, "The Authorization header is malformed or given twice.",
                                   "expected one Basic or Bearer credential without commas or control characters");
        }
        // The server cannot know which of the two the web server verified, and one may belong to another client.
        if (found && *found != value) {
            return refused_request(400, "The Authorization header is given twice.",
                                   std::string(where).append(" and ").append(name) +
                                       ", both of authorizationVariables, hold different credentials");
        }
        found = std::string(value);
        where = name;
    }
    return found;
}

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

}  // namespace postern::server
