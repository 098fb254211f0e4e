// Decides about an access token as about the session of a browser.
#include "gate/bearer.h"

#include "http/headers.h"
#include "model/session.h"
#include "oauth/acr.h"
#include "oidc/userinfo.h"
#include "util/text.h"

namespace postern::gate {
namespace {

oauth::OAuthError invalid_token(std::string description) {
    return oauth::make_error(oauth::ErrorCode::invalid_token, std::move(description));
}

bool is_for(const json::Object& claims, const std::string& url) {
    const json::Value* audience = claims.find("aud");
    const std::string* named = audience ? audience->if_string() : nullptr;
    return named && *named == url;
}

/// The login behind the token, as far as it is known.
model::Session login_of(const oauth::Settings& settings, const store::StoredAccessToken& token) {
    model::Session session;
    session.subject = token.subject;
    session.auth_time = token.auth_time;
    session.how.level = oauth::level_named(settings, token.acr).value_or(model::Level::unknown);
    return session;
}

}  // namespace

std::optional<std::string_view> bearer_token_of(const model::Site& site,
                                                const std::optional<std::string>& authorization) {
    if (!site.bearer || !authorization) return std::nullopt;
    const auto [scheme, token] = http::split_credentials(*authorization);
    if (!util::equal_ignoring_case(scheme, "bearer")) return std::nullopt;
    return token;
}

oauth::Outcome<Checked> check_bearer(oauth::Context& context, const Found& found, std::string_view token) {
    ASSIGN_OR_RETURN(const auto active, oidc::find_active_token(context, token));
    if (active.stored.subject.empty()) return invalid_token("the access token is not a user's");
    if (!is_for(*active.claims, found.url.str())) return invalid_token("the access token is not for this site");
    return decide(context, found, login_of(context.settings, active.stored), context.now());
}

}  // namespace postern::gate
