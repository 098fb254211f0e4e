// Errors of the endpoints that programs call.
#include "oauth/respond.h"

#include "oauth/bearer.h"
#include "oauth/credentials.h"
#include "oauth/dpop.h"

namespace postern::respond {
namespace {

http::Response error_body(const oauth::OAuthError& error) {
    http::Response response =
        http::json(json::Object{{"error", oauth::wire_name(error.code)}, {"error_description", error.description}},
                   error.http_status);
    // A device that waits for its user is refused nothing, and it asks every five seconds.
    if (error.code == oauth::ErrorCode::authorization_pending) return response;
    response.refusal = http::Refusal{error.reason, error.description, error.log_detail, ""};
    return response;
}

/// Returns the client id as the request names it, proved or not; "" if it does not.
std::string client_of(const http::Request& request, const oauth::OAuthError& error) {
    if (!error.client_id.empty()) return error.client_id;
    if (const auto id = request.form.find("client_id")) return std::string(*id);
    const auto credentials = oauth::parse_credentials(request);
    return credentials && !credentials->readings.empty() ? credentials->readings.front().client_id.str() : "";
}

std::string parameters_of(std::string_view error, std::string_view description, std::string_view scope) {
    std::string parameters = " error=\"";
    parameters.append(error).append("\", error_description=\"").append(description).append("\"");
    if (!scope.empty()) parameters.append(", scope=\"").append(scope).append("\"");
    return parameters;
}

}  // namespace

http::Response json_error(const http::Request& request, const oauth::OAuthError& error) {
    http::Response response = error_body(error);
    if (response.refusal) response.refusal->client_id = client_of(request, error);
    if (error.http_status == 401 && request.authorization)
        response.set("WWW-Authenticate", "Basic realm=\"postern\", charset=\"UTF-8\"");
    if (error.retry_after.count() > 0) response.set("Retry-After", std::to_string(error.retry_after.count()));
    return response;
}

std::string bearer_challenge(std::string_view error, std::string_view description, std::string_view scope) {
    return "Bearer" + parameters_of(error, description, scope);
}

std::string dpop_challenge(std::string_view error, std::string_view description, std::string_view scope) {
    std::string challenge = "DPoP";
    if (!error.empty()) challenge += parameters_of(error, description, scope) + ",";
    return challenge.append(" algs=\"").append(oauth::kProofAlgorithms).append("\"");
}

http::Response dpop_error(const oauth::OAuthError& error, const std::string& scope) {
    http::Response response = error_body(error);
    response.set("WWW-Authenticate", dpop_challenge(oauth::wire_name(error.code), error.description, scope));
    return response;
}

http::Response bearer_error(const oauth::OAuthError& error, const std::string& scope) {
    http::Response response = error_body(error);
    response.set("WWW-Authenticate", bearer_challenge(oauth::wire_name(error.code), error.description, scope));
    return response;
}

http::Response registration_error(const http::Request& request, const oauth::OAuthError& error) {
    http::Response response =
        oauth::bearer_token(request) && error.http_status == 401 ? bearer_error(error) : error_body(error);
    if (response.refusal) response.refusal->client_id = request.query.find("client_id").value_or("");
    if (error.http_status == 401 && response.find("WWW-Authenticate") == nullptr)
        response.set("WWW-Authenticate", "Bearer realm=\"postern\"");
    return response;
}

}  // namespace postern::respond
