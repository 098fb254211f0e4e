// The client credentials grant.
#include "oauth/grant_client_credentials.h"

#include <algorithm>

#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/record_client.h"
#include "oauth/scope_policy.h"
#include "refusal/reason.h"
#include "store/access_tokens.h"
#include "store/grants.h"

namespace postern::oauth {
namespace {

Outcome<model::Scope> resolve_client_scope(const Settings& settings, const model::Client& client,
                                           std::optional<std::string_view> requested) {
    ASSIGN_OR_RETURN(auto asked, judge_scope(settings, client, requested));
    if (std::ranges::any_of(asked.scope.tokens(),
                            [](const std::string& token) { return openid_scopes().contains(token); }))
        return make_error(refusal::Reason::invalid_scope_openid_without_user,
                          "the client_credentials grant has no OpenID scopes");
    return std::move(asked.scope);
}

}  // namespace

Outcome<ClientGrant> make_client_grant(Context& context, const model::Client& client,
                                       const ClientCredentialsGrant& asked) {
    if (!client.has_grant(model::GrantType::client_credentials) || client.type != model::ClientType::confidential)
        return make_error(ErrorCode::unauthorized_client,
                          "the client is not registered for the client_credentials grant");
    model::Grant grant;
    ASSIGN_OR_RETURN(const auto named, find_named_target(context, client, asked.target));
    ASSIGN_OR_RETURN(auto target, choose_target(context, client, grant, named));
    ASSIGN_OR_RETURN(const auto scope, resolve_client_scope(context.settings, client, asked.scope));
    ASSIGN_OR_RETURN(grant.scope, scope_for(target, scope));
    grant.created_at = context.now();
    grant.id = make_grant_id(context.random, grant.created_at);
    grant.client_id = client.id;
    grant.auth_time = grant.created_at;
    return ClientGrant{std::move(grant), std::move(target)};
}

void store_client_grant(Context& context, const model::Client& client, const model::Grant& grant,
                        const model::AccessToken& access) {
    // Lazy: a token that a power cut takes back is asked for again.
    db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        store::insert_grant(transaction, grant, access.expires_at);
        store::insert_access_token(transaction, access, access.expires_at);
        note_use(transaction, context, client);
        transaction.commit();
    });
    context.trail.add(audit::Event::token_issued,
                      audit::with_grant(grant, {{"grant_type", "client_credentials"},
                                                audit::credential("access_token", access.token_hash),
                                                {"scope", access.scope.to_string()},
                                                {"aud", access.audience.value_or("")}}));
}

}  // namespace postern::oauth
