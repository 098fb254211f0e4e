// Decides whether a client may ask for a response type.
#include "oauth/response_type.h"

#include <string>

#include "refusal/reason.h"

namespace postern::oauth {
namespace {

/// "code", or the list of those that are offered.
std::string offered_types(const Settings& settings) {
    std::string list;
    for (const auto type : settings.response_types) list.append(list.empty() ? "" : ", ").append(to_string(type));
    return "response_type must be " + std::string(settings.response_types.size() > 1 ? "one of: " : "") + list;
}

}  // namespace

Outcome<void> check_response_type(const Settings& settings, const model::Client& client, model::ResponseType type) {
    if (!settings.offers(type))
        return make_error(refusal::Reason::unsupported_response_type_off, offered_types(settings),
                          "responseTypes of the configuration has not \"" + std::string(to_string(type)) + "\"");
    if (model::may_ask_for(client, type)) return {};
    if (const auto grant = model::missing_grant(client, type))
        return make_error(ErrorCode::unauthorized_client,
                          "the client is not registered for the " + std::string(to_string(*grant)) + " grant");
    return make_error(refusal::Reason::unauthorized_client_response_type,
                      "the client is not registered for this response_type");
}

Outcome<model::ResponseType> parse_response_type(const Settings& settings, const model::Client& client,
                                                 const http::Params& params) {
    const auto text = params.find("response_type");
    if (!text) return invalid_request("response_type is required");
    const auto type = model::parse_response_type(*text);
    if (!type) return make_error(ErrorCode::unsupported_response_type, offered_types(settings));
    RETURN_IF_ERROR(check_response_type(settings, client, *type));
    return *type;
}

Outcome<void> check_id_token_request(const Settings& settings, const model::Client& client, model::ResponseType type,
                                     const model::Scope& scope, std::string_view nonce) {
    const bool is_answered = model::yields_id_token(type);
    const bool has_openid = scope.contains("openid");
    if (is_answered && !has_openid)
        return make_error(refusal::Reason::invalid_request_id_token_without_openid,
                          "a response_type with id_token needs the scope openid");
    if (is_answered && nonce.empty())
        return make_error(refusal::Reason::invalid_request_nonce_required,
                          "a response_type with id_token needs a nonce");
    const bool is_signed = is_answered || (model::yields_code(type) && settings.oidc && has_openid);
    const auto algorithm = wanted_id_token_algorithm(settings, client);
    if (!is_signed || settings.offers_id_tokens_by(algorithm)) return {};
    return make_error(ErrorCode::server_error, "no ID token can be signed for this client",
                      not_offered(client, algorithm));
}

}  // namespace postern::oauth
