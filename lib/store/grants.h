// Tables `grants` and `authorization_codes`.
#pragma once

#include <optional>

#include "db/database.h"
#include "model/grant.h"

namespace postern::store {

/// `until`: when what comes with it in the same transaction expires, where that is known. Whatever is inserted under a
/// grant prolongs it if it must, which moves a row that was just made.
void insert_grant(db::Transaction& transaction, const model::Grant& grant, util::Time until = {});
void insert_code(db::Transaction& transaction, const model::AuthorizationCode& code);

struct StoredCode {
    model::AuthorizationCode code;
    model::Grant grant;
};
std::optional<StoredCode> find_code(db::Database& database, const model::ValueHash& code_hash);

/// Single use: true for exactly one caller, false when it was redeemed or burned or its grant has ended.
bool redeem_code(db::Transaction& transaction, const model::ValueHash& code_hash, util::Time now);
/// Spends an unredeemed code without a token. No effect on a spent one.
void burn_code(db::Transaction& transaction, const model::ValueHash& code_hash, util::Time now);
std::optional<model::Grant> find_grant(db::Database& database, const model::GrantId& id);
/// What was given in a session ends with it, but for what the user allowed to go on: grants with `offline_access`
/// (OpenID Connect Core §11). Returns how many grants that were.
std::int64_t end_grants_of_session(db::Transaction& transaction, const model::Sid& sid, util::Time now);
/// Everything that the user gave the client. Returns how many grants that were.
std::int64_t end_grants_of(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject,
                           util::Time now);
/// Ends everything the grant yielded. False when it has ended before.
bool end_grant(db::Transaction& transaction, const model::GrantId& id, util::Time now);

}  // namespace postern::store
