// Finds out which kind of token is presented to introspection or revocation.
#include "oauth/presented_token.h"

#include <string_view>
#include <utility>

#include "oauth/refresh_token.h"

namespace postern::oauth {
namespace {

constexpr std::pair<std::string_view, TokenTypeHint> kHints[] = {
    {"access_token", TokenTypeHint::access_token},
    {"refresh_token", TokenTypeHint::refresh_token},
    {"auth_code", TokenTypeHint::auth_code},
};

Outcome<Credentials> parse_caller(const http::Request& request) {
    if (const auto faulty = request.form.first_fault({"client_id", "client_secret"})) return invalid_parameter(*faulty);
    return parse_credentials(request);
}

Outcome<TokenTypeHint> parse_hint(const http::Params& form) {
    const auto name = form.find("token_type_hint");
    if (!name) return TokenTypeHint::none;
    for (const auto& known : kHints)
        if (known.first == *name) return known.second;
    return make_error(ErrorCode::unsupported_token_type,
                      "token_type_hint must be access_token, refresh_token or auth_code");
}

Outcome<PresentedToken> parse_token(const http::Params& form, std::size_t max_bytes) {
    if (form.fault_of("token") == http::ParamFault::duplicate || form.fault_of("token_type_hint"))
        return invalid_parameter("token or token_type_hint");
    auto value = form.find("token");
    if (!value && !form.fault_of("token")) return invalid_request("token is required");  // RFC 7662 §2.1, RFC 7009 §2.1
    ASSIGN_OR_RETURN(const auto hint, parse_hint(form));
    // A malformed token is an unknown one (RFC 7009 §2.2), and so is one longer than any of ours.
    if (value && value->size() > max_bytes) value.reset();
    return PresentedToken{value, hint};
}

}  // namespace

Outcome<PresentedTokenRequest> parse_presented_token(const http::Request& request, std::size_t max_token_bytes) {
    if (request.body == http::BodyKind::other)
        return invalid_request("the body must be application/x-www-form-urlencoded");
    return PresentedTokenRequest{parse_caller(request), parse_token(request.form, max_token_bytes)};
}

KnownToken find_presented_token(Context& context, const PresentedToken& token, jose::Expiry expiry) {
    if (!token.value) return std::monostate{};
    const std::string_view value = *token.value;
    const auto type = context.keys.verifier().type_of(value);
    if (type == jose::TokenType::access_token) {
        if (auto known = verify_access_token(context, value, expiry)) return std::move(*known);
    } else if (!type || type == jose::TokenType::refresh_token) {  // no type: an opaque refresh token, or foreign
        if (auto known = find_refresh_token(context, value, expiry)) return std::move(*known);
    }
    return std::monostate{};
}

}  // namespace postern::oauth
