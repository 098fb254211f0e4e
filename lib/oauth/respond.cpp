// Answers of the protocol: errors as JSON or challenges, authorization responses as redirects.
#include "oauth/respond.h"

#include "http/url.h"

namespace postern::respond {
namespace {

http::Response error_body(const oauth::OAuthError& error) {
    http::Response response =
        http::json(json::Object{{"error", oauth::wire_name(error.code)}, {"error_description", error.description}},
                   error.http_status);
    response.refusal =
        http::Refusal{std::string(oauth::wire_name(error.code)), error.description, error.log_detail, ""};
    return response;
}

}  // namespace

http::Response json_error(const http::Request& request, const oauth::OAuthError& error) {
    http::Response response = error_body(error);
    response.refusal->client_id = request.form.find("client_id").value_or("");
    if (error.http_status == 401 && request.authorization)
        response.set("WWW-Authenticate", "Basic realm=\"postern\", charset=\"UTF-8\"");
    return response;
}

http::Response bearer_error(const oauth::OAuthError& error, const std::string& scope) {
    // Descriptions are constants of ours without `"` or `\`, so the quoted strings cannot be broken out of (RFC 6750
    // §3).
    std::string challenge = "Bearer error=\"" + std::string(oauth::wire_name(error.code)) + "\", error_description=\"" +
                            error.description + "\"";
    if (!scope.empty()) challenge += ", scope=\"" + scope + "\"";
    http::Response response = error_body(error);
    response.set("WWW-Authenticate", std::move(challenge));
    return response;
}

http::Response redirect_error(const oauth::VerifiedRedirect& target, const oauth::OAuthError& error) {
    const std::string name(oauth::wire_name(error.code));
    http::Response response = http::see_other(http::with_query(target.uri(), {{"error", name},
                                                                              {"error_description", error.description},
                                                                              {"state", target.state()},
                                                                              {"iss", target.issuer()}}));
    response.refusal = http::Refusal{name, error.description, error.log_detail, target.client().id.str()};
    return response;
}

http::Response redirect_code(const oauth::VerifiedRedirect& target, const std::string& code) {
    return http::see_other(
        http::with_query(target.uri(), {{"code", code}, {"state", target.state()}, {"iss", target.issuer()}}));
}

}  // namespace postern::respond
