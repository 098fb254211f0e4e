// Tables `grants` and `authorization_codes`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "db/database.h"
#include "model/grant.h"
#include "model/session.h"
#include "store/bounds.h"

namespace postern::store {

/// Inserts the grant. Inserting a token extends its grant's `kept_until` if needed; passing `until` here saves that
/// second write.
void insert_grant(db::Transaction& transaction, const model::Grant& grant, util::Time until = {});
void insert_code(db::Transaction& transaction, const model::AuthorizationCode& code);
/// Binds the refresh tokens of the grant to the keys.
void bind_grant(db::Transaction& transaction, const model::GrantId& id, const model::Confirmation& keys);

struct StoredCode {
    model::AuthorizationCode code;
    model::Grant grant;
    bool user_enabled = false;
    std::string username;
};
std::optional<StoredCode> find_code(db::Database& database, const model::ValueHash& code_hash);
/// Returns whether the code can be redeemed and its grant was given in that session.
bool is_redeemable(db::Database& database, const model::ValueHash& code_hash, const model::Session& session,
                   util::Time now);

/// Redeems the code, which can be redeemed once: true for exactly one caller, false when the code was redeemed or
/// burned or its grant has ended.
bool redeem_code(db::Transaction& transaction, const model::ValueHash& code_hash, util::Time now);
/// Spends an unredeemed code without a token. No effect on a spent one.
void burn_code(db::Transaction& transaction, const model::ValueHash& code_hash, util::Time now);
std::optional<model::Grant> find_grant(db::Database& database, const model::GrantId& id);
/// Ends the grants of a session except those with `offline_access` (OpenID Connect Core §11). Returns their number.
std::int64_t end_grants_of_session(db::Transaction& transaction, const model::Sid& sid, util::Time now);
/// Ends the grants of all stored sessions of the user but `keep` (empty: all), except those with `offline_access`.
/// Returns the number for each session that had one.
std::map<model::Sid, std::int64_t> end_grants_of_sessions(db::Transaction& transaction, const model::Subject& subject,
                                                          util::Time now, const model::Sid& keep);
/// Keeps kMaxGrantsToClient grants of the user of `made`, which is inserted, to its client that have not ended. Each
/// kGrantsAtOnce-th grant ends the oldest ones, so that there is room for the next; at most kSurplusBatch at a time.
/// Queued. The transaction holds the user's row.
void end_surplus_grants(db::Transaction& transaction, const model::Grant& made, util::Time now);
/// Ends all grants of the user to the client. Returns their number.
std::int64_t end_grants_of(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject,
                           util::Time now);
/// Returns whether a grant to the client has not ended.
bool has_grants(db::Database& database, const model::ClientId& client);
/// Ends all grants of all users to the client. Returns their number.
std::int64_t end_grants_of(db::Transaction& transaction, const model::ClientId& client, util::Time now);
/// Ends the grant, and with it its codes and tokens. False when it has ended already.
bool end_grant(db::Transaction& transaction, const model::GrantId& id, util::Time now);

}  // namespace postern::store
