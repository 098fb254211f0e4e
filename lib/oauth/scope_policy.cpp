// Decides which scope a request gets.
#include "oauth/scope_policy.h"

#include "refusal/reason.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

constexpr std::string_view kOfflineAccess = "offline_access";

bool may_ask_for(const Settings& settings, const model::Client& client, const std::string& token) {
    if (!settings.oidc && openid_scopes().contains(token)) return false;
    // A scope that the configuration takes away from these clients is gone at once, whatever their rows say.
    if (client.origin == model::Origin::document && !settings.client_documents.scope.contains(token)) return false;
    const bool is_unknown = model::is_of_stranger(client) && client.removable_at.has_value();
    if (is_unknown && !settings.registration.scope.contains(token)) return false;
    if (client.scope.contains(token)) return true;
    return token == kOfflineAccess && client.origin != model::Origin::dynamic;
}

/// Returns the scope of a request that names none.
model::Scope unless_asked(const model::Client& client) {
    model::Scope granted = client.scope;
    for (const std::string& token : openid_scopes().tokens()) granted.remove(token);
    return granted;
}

/// A list without a word is as no list (RFC 6749 §3.1).
Outcome<model::Scope> parse(std::optional<std::string_view> requested) {
    auto words = read_words(requested.value_or(""));
    if (!words)
        return make_error(Reason::invalid_scope_malformed,
                          "scope must be words of ASCII with blanks between them, at most 64");
    return std::move(*words);
}

/// Nothing here has such a scope, so an OpenID request for it loses nothing.
bool is_ignorable(const Settings& settings, const model::Client& client, const std::string& token) {
    return !client.scope.contains(token) && !known_scopes(settings).contains(token);
}

struct RefusedToken {
    Reason reason;
    const char* kind;  ///< for the operator
};

RefusedToken refusal_of(const Settings& settings, const std::string& token) {
    if (!settings.oidc && openid_scopes().contains(token))
        return {Reason::invalid_scope_openid_off, "OpenID scope while OpenID Connect is off"};
    if (known_scopes(settings).contains(token)) return {Reason::invalid_scope, "refused scope"};
    return {Reason::invalid_scope_unknown, "unknown scope"};
}

}  // namespace

const model::Scope& openid_scopes() {
    static const model::Scope scopes = *model::Scope::parse("openid profile email address phone offline_access");
    return scopes;
}

std::optional<model::Scope> read_words(std::string_view list) {
    std::string text;
    for (const std::string_view word : util::split(list, ' '))
        if (!word.empty()) text.append(text.empty() ? "" : " ").append(word);
    return model::Scope::parse(text);
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

Outcome<void> check_registered(const Settings& settings, const model::Client& client, const model::Scope& asked) {
    std::string refused;
    Reason first = Reason::invalid_scope;
    for (const std::string& token : asked.tokens()) {
        if (may_ask_for(settings, client, token)) continue;
        const RefusedToken why = refusal_of(settings, token);
        if (refused.empty()) first = why.reason;
        refused += (refused.empty() ? "" : ", ") + std::string(why.kind) + ": " + token;
    }
    if (refused.empty()) return {};
    return make_error(first, "the client is not registered for a requested scope",
                      refused + "; registered: " + client.scope.to_string());
}

Outcome<AskedScope> judge_scope(const Settings& settings, const model::Client& client,
                                std::optional<std::string_view> requested) {
    ASSIGN_OR_RETURN(const auto words, parse(requested));
    if (words.empty()) return AskedScope{unless_asked(client), {}, false};
    const bool is_openid = settings.oidc && words.contains("openid");
    AskedScope asked{{}, {}, true};
    for (const std::string& token : words.tokens())
        (is_openid && is_ignorable(settings, client, token) ? asked.ignored : asked.scope).add(token);
    RETURN_IF_ERROR(check_registered(settings, client, asked.scope));
    return asked;
}

Outcome<AskedScope> read_scope(Context& context, const model::Client& client,
                               std::optional<std::string_view> requested) {
    ASSIGN_OR_RETURN(auto asked, judge_scope(context.settings, client, requested));
    if (!asked.ignored.empty()) {
        context.log.info(
            "scope_ignored",
            {{"id", context.trail.request_id()}, {"client_id", client.id.str()}, {"scope", asked.ignored.to_string()}});
    }
    return asked;
}

Outcome<model::Scope> judge_repeated_scope(const Settings& settings, const model::Client& client,
                                           const model::Grant& grant, std::optional<std::string_view> requested) {
    ASSIGN_OR_RETURN(const auto words, parse(requested));
    if (words.empty()) return still_registered(settings, client, grant.scope);
    const bool is_openid = grant.scope.contains("openid");
    model::Scope asked;
    std::string refused;
    for (const std::string& token : words.tokens()) {
        if (grant.scope.contains(token))
            asked.add(token);
        else if (!grant.ignored_scope.contains(token) && !(is_openid && is_ignorable(settings, client, token)))
            refused += (refused.empty() ? "" : " ") + token;
    }
    model::Scope left = still_registered(settings, client, asked);
    if (!refused.empty() || left.empty())
        return make_error(
            Reason::invalid_scope_beyond_grant, "the scope exceeds what was granted",
            "refused: " + (refused.empty() ? words.to_string() : refused) + "; granted: " + grant.scope.to_string());
    return left;
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
