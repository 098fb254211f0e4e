// Which scope does a request get?
#include "oauth/scope_policy.h"

namespace postern::oauth {
namespace {

constexpr std::string_view kOfflineAccess = "offline_access";

bool may_ask_for(const Settings& settings, const model::Client& client, const std::string& token) {
    if (!settings.oidc && openid_scopes().contains(token)) return false;
    // What the configuration takes away from these clients is gone at once, whatever their rows still say.
    if (client.origin == model::Origin::document && !settings.client_documents.scope.contains(token)) return false;
    return token == kOfflineAccess || client.scope.contains(token);
}

/// What a request without a scope gets.
model::Scope unless_asked(const model::Client& client) {
    model::Scope granted = client.scope;
    for (const std::string& token : openid_scopes().tokens()) granted.remove(token);
    return granted;
}

Outcome<model::Scope> parse(std::string_view requested) {
    auto words = model::Scope::parse(requested);
    if (!words) return invalid_scope("scope must be words separated by single spaces");
    return std::move(*words);
}

/// In words for the operator.
const char* kind_of(const Settings& settings, const std::string& token) {
    if (!settings.oidc && openid_scopes().contains(token)) return "OpenID scope while OpenID Connect is off";
    return known_scopes(settings).contains(token) ? "refused scope" : "unknown scope";
}

Outcome<void> check_registered(const Settings& settings, const model::Client& client, const model::Scope& asked) {
    std::string refused;
    for (const std::string& token : asked.tokens()) {
        if (may_ask_for(settings, client, token)) continue;
        refused += (refused.empty() ? "" : ", ") + std::string(kind_of(settings, token)) + ": " + token;
    }
    if (refused.empty()) return {};
    return invalid_scope("the client is not registered for a requested scope",
                         refused + "; registered: " + client.scope.to_string());
}

}  // namespace

const model::Scope& openid_scopes() {
    static const model::Scope scopes = *model::Scope::parse("openid profile email address phone offline_access");
    return scopes;
}

model::Scope known_scopes(const Settings& settings) {
    const model::Scope& openid = openid_scopes();
    model::Scope known;
    if (settings.oidc) known = openid;
    for (const auto& [scope, description] : settings.scope_descriptions)
        if (!openid.contains(scope)) known.add(scope);
    if (settings.oidc)
        for (const auto& [scope, claims] : settings.released_claims.added()) known.add(scope);
    return known;
}

Outcome<model::Scope> resolve_scope(const Settings& settings, const model::Client& client,
                                    std::optional<std::string_view> requested) {
    if (!requested) return unless_asked(client);
    ASSIGN_OR_RETURN(auto asked, parse(*requested));
    RETURN_IF_ERROR(check_registered(settings, client, asked));
    return asked;
}

Outcome<AskedScope> resolve_asked_scope(const Settings& settings, const model::Client& client,
                                        std::optional<std::string_view> requested) {
    if (!requested) return AskedScope{unless_asked(client), {}};
    ASSIGN_OR_RETURN(const auto words, parse(*requested));
    const bool is_openid = settings.oidc && words.contains("openid");
    AskedScope asked;
    for (const std::string& token : words.tokens()) {
        const bool is_ignored = is_openid && !client.scope.contains(token) && !known_scopes(settings).contains(token);
        (is_ignored ? asked.ignored : asked.scope).add(token);
    }
    RETURN_IF_ERROR(check_registered(settings, client, asked.scope));
    return asked;
}

model::Scope still_registered(const Settings& settings, const model::Client& client, const model::Scope& granted) {
    model::Scope left;
    for (const std::string& token : granted.tokens())
        if (may_ask_for(settings, client, token)) left.add(token);
    return left;
}

model::ClaimNames still_registered(const Settings& settings, const model::Scope& registered,
                                   const model::ClaimNames& granted) {
    model::ClaimNames left;
    for (const std::string& name : granted)
        if (settings.released_claims.is_released_by(registered, name)) left.insert(name);
    return left;
}

}  // namespace postern::oauth
