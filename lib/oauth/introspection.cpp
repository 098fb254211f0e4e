// Answers whether a token is active, and what was granted with it.
#include "oauth/introspection.h"

#include <iterator>
#include <utility>

#include "http/url.h"
#include "model/session.h"
#include "oauth/acr.h"
#include "oauth/client_auth.h"
#include "oauth/client_bar.h"
#include "oauth/client_profile.h"
#include "oauth/confirmation.h"
#include "refusal/reason.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

/// The members of RFC 7662 §2.2 that a claim may fill. Storage decides the others.
constexpr const char* kFromClaims[] = {"username", "exp", "iat", "nbf", "sub", "aud", "iss", "jti"};

json::Object inactive() { return {{"active", false}}; }

json::Object active(const model::Scope& scope, const model::ClientId& client, const char* token_type,
                    const json::Object& claims) {
    json::Object answer;
    answer.reserve(6 + std::size(kFromClaims));
    answer.set("active", true);
    if (!scope.empty()) answer.set("scope", scope.to_string());
    answer.set("client_id", client.str());
    answer.set("token_type", token_type);
    for (const char* name : kFromClaims)
        if (const json::Value* value = claims.find(name)) answer.set(name, *value);
    return answer;
}

/// How and when the user logged in (RFC 9470 §6.2); nothing for a token without a user.
void add_login(const store::StoredAccessToken& stored, json::Object& answer) {
    if (stored.subject.empty()) return;
    if (stored.auth_time != model::kAuthTimeUnknown) answer.set("auth_time", util::to_epoch(stored.auth_time));
    if (!stored.acr.empty()) answer.set("acr", stored.acr);
}

/// What the answer says already stays.
void add_user_claims(const store::StoredAccessToken& stored, const UserClaimsOf& user_claims, json::Object& answer) {
    if (!user_claims || stored.subject.empty()) return;
    const json::Object claims = user_claims(stored);
    for (const auto& [name, value] : claims.members())
        if (answer.find(name) == nullptr) answer.set(name, value);
}

OAuthError may_not_introspect(const model::Client& client) {
    const bool is_described = client.origin == model::Origin::document;
    return make_error(
        is_described ? Reason::invalid_client_document_introspects : Reason::invalid_client_dynamic_introspects,
        "this client may not introspect",
        client.id.str() + (is_described ? " is described by a document" : " registered itself"));
}

/// Returns true if the token is active and nothing bars its client.
template <class Stored>
bool counts(const Context& context, const Stored& stored) {
    return store::is_active(stored, context.now()) && !find_client_bar(context.settings, stored.client);
}

template <class Stored>
bool is_of_profile(const Context& context, const Stored& stored) {
    return is_held_to_profile(context.settings) || stored.client_profile != model::SecurityProfile::none;
}

bool is_api_of(const model::Client& caller, const json::Object& claims) {
    if (caller.resource_server.empty()) return false;
    const std::string* audience = claims.find_string("aud");
    return audience == nullptr || http::one_spelling(*audience) == http::one_spelling(caller.resource_server);
}

/// F2-46.
bool is_told(const Context& context, const model::Client* caller, const store::StoredAccessToken& stored,
             const json::Object& claims) {
    return !is_of_profile(context, stored) || (caller != nullptr && is_api_of(*caller, claims));
}

bool is_told(const Context& context, const model::Client* caller, const store::StoredRefreshToken& stored) {
    return !is_of_profile(context, stored) || (caller != nullptr && caller->id == stored.grant.client_id);
}

}  // namespace

Outcome<std::optional<model::Client>> check_introspection_caller(Context& context, const PresentedTokenRequest& asked,
                                                                 const http::Request& request) {
    if (!context.settings.authenticate_introspect) return std::optional<model::Client>();
    if (!asked.credentials) return refused_client(context, asked.credentials.error());
    const auto check = [&](const model::Client& known) { return check_profile_method(context.settings, known); };
    ASSIGN_OR_RETURN(auto client, authenticate_client(context, *asked.credentials, request, check));
    // Checked before the type, which an option may admit. The operator has not registered this client, so it learns no
    // token of others.
    if (client.origin != model::Origin::operator_)
        return refused_client(context, may_not_introspect(client), client.id);
    if (client.type == model::ClientType::public_ && context.settings.introspection_requires_confidential_client)
        return refused_client(
            context,
            make_error(Reason::invalid_client_public_introspects, "only a confidential client may introspect",
                       client.id.str() + " is public; introspectionRequiresConfidentialClient lets it in"),
            client.id);
    return std::optional(std::move(client));
}

json::Object describe_active(const store::StoredAccessToken& stored, const json::Object& claims,
                             const UserClaimsOf& user_claims) {
    json::Object answer = active(stored.scope, stored.client_id, stored.cnf.jkt.empty() ? "Bearer" : "DPoP", claims);
    add_confirmation(stored.cnf, answer);  // RFC 9449 §6.2, RFC 8705 §3.2
    add_login(stored, answer);
    add_user_claims(stored, user_claims, answer);
    return answer;
}

json::Object introspect(Context& context, const PresentedToken& token, const UserClaimsOf& user_claims,
                        const model::Client* caller) {
    // The hint selects the handler, and codes are not introspected, whatever the value is.
    if (token.hint == TokenTypeHint::auth_code) return inactive();
    const KnownToken known = find_presented_token(context, token, jose::Expiry::enforced);
    if (const auto* access = std::get_if<VerifiedAccessToken>(&known)) {
        const auto stored = store::find_access_token(context.store, access->key);
        if (stored && counts(context, *stored) && is_told(context, caller, *stored, *access->claims))
            return describe_active(*stored, *access->claims, user_claims);
    }
    if (const auto* refresh = std::get_if<KnownRefreshToken>(&known))
        // Not "Bearer": a resource server must see that this token is not for its API.
        if (counts(context, refresh->stored) && is_told(context, caller, refresh->stored))
            return active(refresh->stored.grant.scope, refresh->stored.grant.client_id, "refresh_token",
                          *refresh->claims);
    return inactive();
}

}  // namespace postern::oauth
