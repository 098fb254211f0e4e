// Which scope does a request get?
#include "oauth/scope_policy.h"

#include "model/standard_claims.h"

namespace postern::oauth {
namespace {

constexpr std::string_view kOfflineAccess = "offline_access";

bool may_ask_for(const Settings& settings, const model::Client& client, const std::string& token) {
    if (!settings.oidc && openid_scopes().contains(token)) return false;
    return token == kOfflineAccess || client.scope.contains(token);
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
    return known;
}

Outcome<model::Scope> resolve_scope(const Settings& settings, const model::Client& client,
                                    std::optional<std::string_view> requested) {
    if (!requested) {
        model::Scope granted = client.scope;
        for (const std::string& token : openid_scopes().tokens()) granted.remove(token);
        return granted;
    }
    auto asked = model::Scope::parse(*requested);
    if (!asked) return invalid_scope("scope must be words separated by single spaces");
    for (const std::string& token : asked->tokens()) {
        if (!may_ask_for(settings, client, token))
            return invalid_scope("the client is not registered for a requested scope",
                                 "refused scope: " + token + "; registered: " + client.scope.to_string() +
                                     (settings.oidc ? "" : " (OpenID Connect is off)"));
    }
    return std::move(*asked);
}

Outcome<AskedScope> resolve_asked_scope(const Settings& settings, const model::Client& client,
                                        std::optional<std::string_view> requested) {
    const auto words = model::Scope::parse(requested.value_or(""));
    AskedScope asked;
    if (!words || !settings.oidc || !words->contains("openid")) {
        ASSIGN_OR_RETURN(asked.scope, resolve_scope(settings, client, requested));
        return asked;
    }
    const model::Scope known = known_scopes(settings);
    model::Scope left;
    for (const std::string& token : words->tokens())
        (known.contains(token) || client.scope.contains(token) ? left : asked.ignored).add(token);
    ASSIGN_OR_RETURN(asked.scope, resolve_scope(settings, client, left.to_string()));
    return asked;
}

model::Scope still_registered(const Settings& settings, const model::Client& client, const model::Scope& granted) {
    model::Scope left;
    for (const std::string& token : granted.tokens())
        if (may_ask_for(settings, client, token)) left.add(token);
    return left;
}

model::ClaimNames still_registered(const model::Scope& registered, const model::ClaimNames& granted) {
    model::ClaimNames left;
    for (const std::string& name : granted)
        if (const auto scope = model::scope_of_claim(name); scope && registered.contains(*scope)) left.insert(name);
    return left;
}

}  // namespace postern::oauth
