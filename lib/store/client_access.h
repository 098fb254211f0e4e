// Tables `allowed_users` and `allowed_groups`: who may use a client that is restricted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "model/ids.h"
#include "model/session.h"
#include "store/sessions.h"

namespace postern::store {

/// Whether the client is not restricted, or names the user or a group of the user.
bool may_use(db::Database& database, const model::ClientId& client, const model::Subject& subject);

enum class Standing { session_ended, may_not_use, good };
/// Answers find_session and may_use in one question, for a transaction that gives the client something.
Standing find_standing(db::Transaction& transaction, const model::Session& session, const model::ClientId& client,
                       const SessionLife& life);

/// For a transaction that changes whom a client is for, before it does: waits for those that have asked find_standing,
/// and lets later ones wait. So either they see what it changes, or it sees the grants that they made. One that changes
/// a user's groups has locked the user, and waits when it ends grants.
void lock_access(db::Transaction& transaction);
/// Ends the grants of users who may not use the client, or of clients that the user may not use. Returns their number.
std::int64_t end_grants_without_access(db::Transaction& transaction, const model::ClientId& client, util::Time now);
std::int64_t end_grants_without_access(db::Transaction& transaction, const model::Subject& subject, util::Time now);

struct ClientAccess {
    std::vector<std::string> groups;     ///< by name, byte by byte
    std::vector<std::string> usernames;  ///< likewise
    bool operator==(const ClientAccess&) const = default;
};
ClientAccess find_client_access(db::Database& database, const model::ClientId& client);

/// No effect when it is in the list. The client and the group or user exist.
void allow_group(db::Transaction& transaction, const model::ClientId& client, std::string_view group);
void allow_user(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject);
/// False when it is not in the list.
bool disallow_group(db::Transaction& transaction, const model::ClientId& client, std::string_view group);
bool disallow_user(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject);
/// Empties both lists.
void forget_access(db::Transaction& transaction, const model::ClientId& client);

/// The clients whose list names the group, by id.
std::vector<model::ClientId> clients_allowing(db::Database& database, std::string_view group);
/// The clients that are restricted and name neither a group nor a user, by id: no user can use them.
std::vector<model::ClientId> unusable_clients(db::Database& database);

}  // namespace postern::store
