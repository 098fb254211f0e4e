// Table `access_tokens`.
#pragma once

#include <optional>

#include "db/database.h"
#include "model/client.h"
#include "model/grant.h"

namespace postern::store {

/// The rights of a token, and the facts that decide whether it is active.
struct StoredAccessToken {
    model::Scope scope;
    model::ClientId client_id;
    model::Subject subject;             ///< empty for a token without a user (client_credentials)
    util::Time auth_time{};             ///< of the user's login, or model::kAuthTimeUnknown
    std::string acr;                    ///< of that login; "": not known, or from before it was kept
    model::ClaimNames userinfo_claims;  ///< granted beyond the scope
    bool own_claims = false;            ///< of the client
    model::Scope registered;            ///< the scope that the client is registered for now
    util::Time expires_at{};
    bool revoked = false;  ///< the token, or its grant has ended
    model::ClientState client;
    model::SecurityProfile client_profile =
        model::SecurityProfile::none;  ///< the client's own, beside that of the configuration
    bool user_enabled = false;         ///< true for a token without a user
    model::Confirmation cnf = {};      ///< the keys that it is bound to; empty: a bearer token
};

/// The key of an access token's row, computed from the signed token: `jti`, `iat`, SHA-256.
struct AccessTokenKey {
    model::GrantId grant_id;
    util::Time issued_at{};
    model::ValueHash token_hash;
};

/// Inserts the token and extends the grant's `kept_until` to the token's expiry. Passing the value that the grant
/// already has saves that second write.
void insert_access_token(db::Transaction& transaction, const model::AccessToken& token, util::Time kept_until = {});
/// Revokes the token. No effect on a token that is revoked already.
void revoke_access_token(db::Transaction& transaction, const AccessTokenKey& key, util::Time now);
/// Deletes a few of a grant's oldest access tokens that expired at `before` or earlier: more than one, so that a caller
/// who does it with each insert leaves no expired ones.
void delete_expired_access_tokens(db::Transaction& transaction, const model::GrantId& id, util::Time before);
/// Makes one step of `postern purge`, because a sweep leaves expired tokens until their grant gets another or ends:
/// looks at the next 1000 access tokens after `last`, deletes those that expired at `now` or earlier, and advances
/// `last`. Returns how many were deleted; nullopt at the end of the table.
std::optional<std::int64_t> walk_expired_access_tokens(db::Transaction& transaction, AccessTokenKey& last,
                                                       util::Time now);
std::optional<StoredAccessToken> find_access_token(db::Database& database, const AccessTokenKey& key);

/// Returns whether the token is active; the only definition of it (specification, Token active state): the record
/// exists, expires in the future, neither it nor its grant is revoked, client and user are enabled. The configuration
/// may bar the client besides: oauth::find_client_bar.
bool is_active(const StoredAccessToken& stored, util::Time now);

}  // namespace postern::store
