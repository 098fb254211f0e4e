// Table `access_tokens`.
#pragma once

#include <optional>

#include "model/grant.h"
#include "store/database.h"

namespace postern::store {

struct StoredAccessToken {
    model::AccessToken token;
    model::Grant grant;
    model::Scope registered;  ///< what the client may ask for at present
    bool client_enabled = false;
    bool user_enabled = false;  ///< true for a token without a user (client_credentials)
};

void insert_access_token(Transaction& transaction, const model::AccessToken& token);
/// No effect on one that is revoked.
void revoke_access_token(Transaction& transaction, const model::ValueHash& token_hash, util::Time now);
std::optional<StoredAccessToken> find_access_token(Database& database, const model::ValueHash& token_hash);

/// The only definition of "active" (specification, Token active state): the record exists, expires in the future,
/// neither it nor its grant is revoked, client and user are enabled.
bool is_active(const StoredAccessToken& stored, util::Time now);

}  // namespace postern::store
