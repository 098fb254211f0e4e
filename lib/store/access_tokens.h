// Table `access_tokens`.
#pragma once

#include <optional>

#include "db/database.h"
#include "model/grant.h"

namespace postern::store {

struct StoredAccessToken {
    model::AccessToken token;
    model::Grant grant;
    model::Scope registered;  ///< what the client may ask for at present
    bool client_enabled = false;
    bool user_enabled = false;  ///< true for a token without a user (client_credentials)
};

/// Where the row of an access token is. All of it is in the signed token or made of it: `jti`, `iat`, SHA-256.
struct AccessTokenKey {
    model::GrantId grant_id;
    util::Time issued_at{};
    model::ValueHash token_hash;
};

/// The grant is kept until the token expires. `kept_until`: until then at least it is kept already, by what the caller
/// has inserted or read; then it need not be looked at.
void insert_access_token(db::Transaction& transaction, const model::AccessToken& token, util::Time kept_until = {});
/// No effect on one that is revoked.
void revoke_access_token(db::Transaction& transaction, const AccessTokenKey& key, util::Time now);
/// Deletes the oldest of a grant's access tokens that expired at `before` or earlier: a few, but more than one, so that
/// whoever does it with each token that he adds leaves only what is good.
void delete_expired_access_tokens(db::Transaction& transaction, const model::GrantId& id, util::Time before);
/// Looks at the next 1000 access tokens after `last`, deletes what had expired at `now`, and moves `last` on: for
/// whoever walks over all of them, since a sweep leaves them until their grant gets another or ends. Returns how many
/// were deleted; nullopt: there was nothing to look at.
std::optional<std::int64_t> walk_expired_access_tokens(db::Transaction& transaction, AccessTokenKey& last, util::Time now);
std::optional<StoredAccessToken> find_access_token(db::Database& database, const AccessTokenKey& key);

/// The only definition of "active" (specification, Token active state): the record exists, expires in the future,
/// neither it nor its grant is revoked, client and user are enabled.
bool is_active(const StoredAccessToken& stored, util::Time now);

}  // namespace postern::store
