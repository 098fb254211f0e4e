// Table `refresh_tokens`: which of several uses of one token is the one that counts (RFC 9700 §4.14.2).
#pragma once

#include <optional>

#include "db/database.h"
#include "model/grant.h"

namespace postern::store {

struct StoredRefreshToken {
    model::RefreshToken token;
    model::Grant grant;
    bool client_enabled = false;
    bool user_enabled = false;
};

/// `kept_until`: as of insert_access_token.
void insert_refresh_token(db::Transaction& transaction, const model::RefreshToken& token, util::Time kept_until = {});
/// A token that names its grant.
std::optional<StoredRefreshToken> find_refresh_token(db::Database& database, const model::GrantId& grant,
                                                     const model::ValueHash& token_hash);
/// A random value, which names nothing.
std::optional<StoredRefreshToken> find_opaque_refresh_token(db::Database& database, const model::ValueHash& token_hash);

/// Usable now: the record exists, expires in the future, has not been rotated or revoked, its grant lives, client and
/// user are enabled.
bool is_active(const StoredRefreshToken& stored, util::Time now);

enum class Rotation {
    rotated,  ///< the first use: a successor is due
    retried,  ///< the answer of the first use was lost: one sibling of its successor is due
    refused,  ///< not usable, and no sign of theft: expired, revoked, or tried too often inside the window
    reused,   ///< somebody else has it, or had it: the grant must end
};

/// Decides what one use of the token is and records it. Of any number of parallel uses exactly one is `rotated`. The
/// first use of a successor makes its siblings unusable in the same moment, so that one line survives. `grace` is the
/// window after the rotation in which a retry is no theft; 0: there is none. For `rotated` and `retried` the caller
/// inserts `successor` in the same transaction, for `reused` he ends the grant.
Rotation rotate_refresh_token(db::Transaction& transaction, const model::RefreshToken& used,
                              const model::ValueHash& successor, util::Time now, util::Seconds grace);

/// Every refresh token of the grant, for good; its access tokens live on (RFC 7009 §2.1).
void revoke_refresh_tokens(db::Transaction& transaction, const model::GrantId& id, util::Time now);

}  // namespace postern::store
