// Reads the form that a client sends to the token endpoint.
#include "oauth/token_request.h"

#include "oauth/target.h"

namespace postern::oauth {
namespace {

using OptionalText = std::optional<std::string>;

Outcome<TokenGrant> parse_authorization_code(const http::Request& request) {
    const auto code = request.form.find("code");
    if (!code) return invalid_request("code is required");
    ASSIGN_OR_RETURN(auto target, parse_target(request.query, request.form));
    return TokenGrant(AuthorizationCodeGrant{std::string(*code), OptionalText(request.form.find("redirect_uri")),
                                             OptionalText(request.form.find("code_verifier")), std::move(target)});
}

Outcome<TokenGrant> parse_refresh_token(const http::Request& request) {
    const auto token = request.form.find("refresh_token");
    if (!token) return invalid_request("refresh_token is required");
    ASSIGN_OR_RETURN(auto target, parse_target(request.query, request.form));
    return TokenGrant(
        RefreshTokenGrant{std::string(*token), OptionalText(request.form.find("scope")), std::move(target)});
}

Outcome<TokenGrant> parse_client_credentials(const http::Request& request) {
    ASSIGN_OR_RETURN(auto target, parse_target(request.query, request.form));
    return TokenGrant(ClientCredentialsGrant{OptionalText(request.form.find("scope")), std::move(target)});
}

Outcome<TokenGrant> parse_device_code(const http::Request& request) {
    const auto code = request.form.find("device_code");
    if (!code) return invalid_request("device_code is required");
    ASSIGN_OR_RETURN(auto target, parse_target(request.query, request.form));
    return TokenGrant(DeviceCodeGrant{std::string(*code), std::move(target)});
}

/// A new grant type is one row here, one alternative of TokenGrant and one file with its rules.
struct GrantRow {
    std::string_view grant_type;
    Outcome<TokenGrant> (*parse)(const http::Request&);
    std::optional<std::string> Paths::*page = nullptr;  ///< without its page the grant is not offered
};
constexpr GrantRow kGrants[] = {
    {"authorization_code", parse_authorization_code},
    {"refresh_token", parse_refresh_token},
    {"client_credentials", parse_client_credentials},
    {"urn:ietf:params:oauth:grant-type:device_code", parse_device_code, &Paths::device},
};

bool is_offered(const Paths& paths, const GrantRow& row) { return row.page == nullptr || paths.*row.page; }

Outcome<TokenGrant> parse_grant(const Paths& paths, const http::Request& request) {
    const auto type = request.form.find("grant_type");
    if (!type) return invalid_request("grant_type is required");
    for (const GrantRow& row : kGrants)
        if (row.grant_type == *type && is_offered(paths, row)) return row.parse(request);
    std::string offered;
    for (const GrantRow& row : kGrants)
        if (is_offered(paths, row)) offered.append(offered.empty() ? "" : ", ").append(row.grant_type);
    return make_error(ErrorCode::unsupported_grant_type, "grant_type must be one of " + offered);
}

}  // namespace

Outcome<TokenRequest> parse_token_request(const Paths& paths, const http::Request& request) {
    if (request.body != http::BodyKind::form)
        return invalid_request("the body must be application/x-www-form-urlencoded");
    const auto in_body =
        request.form.first_fault({"grant_type", "code", "redirect_uri", "client_id", "client_secret", "code_verifier",
                                  "scope", "refresh_token", "device_code", "aud", "audience"});
    const auto in_query = request.query.first_fault({"aud", "audience"});
    if (in_body || in_query) return invalid_parameter(in_body ? *in_body : *in_query);

    ASSIGN_OR_RETURN(auto credentials, parse_credentials(request));
    return TokenRequest{std::move(credentials), parse_grant(paths, request)};
}

}  // namespace postern::oauth
