// Answers a token request.
#include "oauth/token_response.h"

#include "oauth/client_demands.h"
#include "oauth/grant_authorization_code.h"
#include "oauth/grant_client_credentials.h"
#include "oauth/grant_device_code.h"
#include "oauth/grant_refresh_token.h"
#include "oauth/refresh_token.h"
#include "oauth/session_note.h"
#include "store/session_clients.h"

namespace postern::oauth {
namespace {

/// One overload for each grant type.
struct Redeem {
    Context& context;
    const model::Client& client;
    const MakeIdToken& make_id_token;
    const ShownKeys& keys;

    Outcome<TokenResponse> operator()(const AuthorizationCodeGrant& grant) const {
        const auto usable = find_usable_code(context, client, grant, jkt_of(keys.proof));
        if (!usable) return settle(context, client, usable.error());
        RETURN_IF_ERROR(use_key(usable->stored.grant));
        const store::StoredCode& stored = usable->stored;
        const model::Grant& given = stored.grant;

        const auto access = access_token({given, usable->scope, usable->target, stored.username});
        std::optional<RefreshTokenIssue> refresh;
        if (client.has_grant(model::GrantType::refresh_token)) refresh = first_refresh_token(given);
        TokenResponse response = respond_with(access);
        if (refresh) response.refresh_token = refresh->value;
        response.id_token = make_id_token({client, given, usable->granted, access, stored.code.nonce});

        const auto record = refresh ? std::optional(refresh->record) : std::nullopt;
        const auto note = response.id_token ? session_note_of(context.settings, client, given) : SessionNote::none;
        RETURN_IF_ERROR(redeem_code(context, stored, access.record, record, note));
        return response;
    }

    Outcome<TokenResponse> operator()(const RefreshTokenGrant& grant) const {
        ASSIGN_OR_RETURN(const auto checked, check_refresh_token(context, client, grant, keys.all()));
        RETURN_IF_ERROR(use_key(checked.stored.grant));
        model::Grant given = checked.stored.grant;
        if (has_lost_session(given)) given.sid = {};
        ASSIGN_OR_RETURN(auto response, refresh_with(grant, checked, given));
        if (response) return std::move(*response);
        given.sid = {};  // it ended at the same time
        ASSIGN_OR_RETURN(response, refresh_with(grant, checked, given));
        return *std::move(response);
    }

    Outcome<TokenResponse> operator()(const DeviceCodeGrant& asked) const {
        const auto usable = find_usable_device_code(context, client, asked);
        if (!usable) return settle(context, client, usable.error());
        RETURN_IF_ERROR(use_key(usable->grant));
        const model::Grant& given = usable->grant;

        const auto access = access_token({given, usable->scope, usable->target, usable->username});
        std::optional<RefreshTokenIssue> refresh;
        if (client.has_grant(model::GrantType::refresh_token)) refresh = first_refresh_token(given);
        TokenResponse response = respond_with(access);
        if (refresh) response.refresh_token = refresh->value;
        response.id_token = make_id_token({client, given, usable->granted, access, std::nullopt});

        const auto record = refresh ? std::optional(refresh->record) : std::nullopt;
        RETURN_IF_ERROR(redeem_device_code(context, *usable, access.record, record));
        return response;
    }

    Outcome<TokenResponse> operator()(const ClientCredentialsGrant& asked) const {
        ASSIGN_OR_RETURN(const auto made, make_client_grant(context, client, asked));
        RETURN_IF_ERROR(use_key(made.grant));
        const auto access = access_token({made.grant, made.grant.scope, made.target});
        store_client_grant(context, client, made.grant, access.record);
        return respond_with(access);  // no refresh token: RFC 6749 §4.4.3
    }

    /// Returns the tokens of a refresh, whose ID token has the `sid` of `given`. nullopt: that session has ended.
    Outcome<std::optional<TokenResponse>> refresh_with(const RefreshTokenGrant& asked,
                                                       const CheckedRefreshToken& checked,
                                                       const model::Grant& given) const {
        const auto access = access_token({given, checked.scope, checked.target, checked.stored.username});
        std::optional<RefreshTokenIssue> refresh;
        if (!is_kept(context.settings, client, checked.stored))
            refresh = make_refresh_token(context, given, checked.stored.token);
        TokenResponse response = respond_with(access);
        response.refresh_token = refresh ? refresh->value : asked.refresh_token;
        response.id_token = make_id_token({client, given, checked.asked_for, access, std::nullopt});

        const auto note = response.id_token ? session_note_of(context.settings, client, given) : SessionNote::none;
        ASSIGN_OR_RETURN(const auto refreshed,
                         refresh ? redeem_refresh_token(context, checked, access.record, refresh->record, note)
                                 : use_refresh_token(context, checked, access.record, note));
        if (refreshed == Refreshed::session_ended) return std::optional<TokenResponse>();
        return std::optional(std::move(response));
    }

    bool has_lost_session(const model::Grant& given) const {
        return session_note_of(context.settings, client, given) == SessionNote::wanted &&
               !store::is_session_stored(context.store, given.subject, given.sid);
    }

    AccessTokenIssue access_token(AccessTokenAbout about) const {
        about.cnf = keys.binding(client);
        return make_access_token(context, as_wanted(context.settings, client, std::move(about)));
    }

    /// RFC 9449 §5, RFC 8705 §4: a client that authenticates is bound by that, and may change its key.
    RefreshTokenIssue first_refresh_token(const model::Grant& given) const {
        auto issue = make_refresh_token(context, given, std::nullopt);
        if (client.type == model::ClientType::public_) issue.record.cnf = keys.binding(client);
        return issue;
    }

    /// A public client makes keys at will, so the share of marks is its grant's (JTI-6).
    Outcome<void> use_key(const model::Grant& given) const {
        if (!keys.proof) return {};
        const bool is_public = client.type == model::ClientType::public_;
        return use_proof(context, store::ReplayKind::proof, *keys.proof, is_public ? given.id.str() : client.id.str(),
                         client.id);
    }

    TokenResponse respond_with(const AccessTokenIssue& access) const {
        TokenResponse response{access.value, access.record.expires_at - access.record.issued_at, access.record.scope};
        response.is_proof_bound = !access.record.cnf.jkt.empty();
        return response;
    }
};

}  // namespace

json::Object TokenResponse::to_json() const {
    json::Object object{{"access_token", access_token},
                        {"token_type", is_proof_bound ? "DPoP" : "Bearer"},
                        {"expires_in", std::int64_t{expires_in.count()}}};
    if (!scope.empty()) object.set("scope", scope.to_string());
    if (refresh_token) object.set("refresh_token", *refresh_token);
    if (id_token) object.set("id_token", *id_token);
    return object;
}

Outcome<TokenResponse> redeem_grant(Context& context, const model::Client& client, const TokenGrant& grant,
                                    const MakeIdToken& make_id_token, const ShownKeys& keys) {
    // Before a code is looked at: whatever a stranger sends under the id of a site costs its users nothing.
    if (client.site)
        return make_error(ErrorCode::unauthorized_client, "the client is a site; only the gate redeems its codes");
    RETURN_IF_ERROR(check_demands(context.settings, client));
    return std::visit(Redeem{context, client, make_id_token, keys}, grant);
}

}  // namespace postern::oauth
