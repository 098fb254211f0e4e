// Table `refresh_tokens`: rotation, retry and reuse detection (RFC 9700 §4.14.2).
#pragma once

#include <optional>
#include <string>

#include "db/database.h"
#include "model/client.h"
#include "model/grant.h"

namespace postern::store {

struct StoredRefreshToken {
    model::RefreshToken token;
    model::Grant grant;
    model::ClientState client;
    model::SecurityProfile client_profile =
        model::SecurityProfile::none;  ///< the client's own, beside that of the configuration
    bool user_enabled = false;
    std::string username;
};

/// Inserts the token and extends the grant's `kept_until` to the token's expiry. Passing the value that the grant
/// already has saves that second write.
void insert_refresh_token(db::Transaction& transaction, const model::RefreshToken& token, util::Time kept_until = {});
/// Finds a token that names its grant.
std::optional<StoredRefreshToken> find_refresh_token(db::Database& database, const model::GrantId& grant,
                                                     const model::ValueHash& token_hash);
/// Finds a token by its random value, which does not name its grant.
std::optional<StoredRefreshToken> find_opaque_refresh_token(db::Database& database, const model::ValueHash& token_hash);

/// Returns whether the token is usable now: the record exists, expires in the future, has not been rotated or revoked,
/// its grant lives, client and user are enabled. The configuration may bar the client besides: oauth::find_client_bar.
bool is_active(const StoredRefreshToken& stored, util::Time now);

/// Returns whether the token may be used now, for a caller that leaves it as it is: it was neither rotated nor revoked,
/// has not expired, and its grant lives, which stays so until the transaction ends.
bool is_live(db::Transaction& transaction, const model::RefreshToken& token, util::Time now);

enum class Rotation {
    rotated,  ///< the first use: the caller inserts a successor
    retried,  ///< the answer of the first use was lost: the caller inserts a sibling of its successor
    refused,  ///< not usable, and no sign of theft: expired, revoked, or tried too often inside the window
    reused,   ///< another party has used it: the grant must end
};

/// Classifies one use of the token and records it. Of any number of parallel uses exactly one is `rotated`. The
/// first use of a successor makes its sibling unusable in the same statement, so that one line of tokens survives.
/// `grace` is the time after a rotation in which a second use counts as a retry; 0 for none. For `rotated` and
/// `retried` the caller inserts `successor` in the same transaction; for `reused` the caller ends the grant.
Rotation rotate_refresh_token(db::Transaction& transaction, const model::RefreshToken& used,
                              const model::ValueHash& successor, util::Time now, util::Seconds grace);

/// Revokes every refresh token of the grant, for good; its access tokens live on (RFC 7009 §2.1).
void revoke_refresh_tokens(db::Transaction& transaction, const model::GrantId& id, util::Time now);

}  // namespace postern::store
