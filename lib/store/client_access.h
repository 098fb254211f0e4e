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

/// Returns whether the client is not restricted, or names the user or a group of the user.
bool may_use(db::Database& database, const model::ClientId& client, const model::Subject& subject);

enum class Standing { session_ended, may_not_use, good };
/// Answers find_session and may_use in one question, for a transaction that gives the client something. Nobody may use
/// a client that is disabled.
Standing find_standing(db::Transaction& transaction, const model::Session& session, const model::ClientId& client,
                       const SessionLife& life);

/// Locks who may use clients, before a transaction changes that: waits for transactions that have called find_standing,
/// and makes later ones wait. So either those see the change, or this transaction sees the grants that they made. A
/// transaction that changes a user's groups has locked the user, and waits when it ends grants.
void lock_access(db::Transaction& transaction);
/// Ends the grants of users who may not use the client, or of clients that the user may not use. Returns their number.
std::int64_t end_grants_without_access(db::Transaction& transaction, const model::ClientId& client, util::Time now);
std::int64_t end_grants_without_access(db::Transaction& transaction, const model::Subject& subject, util::Time now);

struct ClientAccess {
    std::vector<std::string> groups;     ///< by name, byte by byte
    std::vector<std::string> usernames;  ///< by name, byte by byte
    bool operator==(const ClientAccess&) const = default;
};
ClientAccess find_client_access(db::Database& database, const model::ClientId& client);

/// Adds a group or a user to the client's list; no effect on one that is in the list. The client and the group or user
/// exist.
void allow_group(db::Transaction& transaction, const model::ClientId& client, std::string_view group);
void allow_user(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject);
/// Removes a group or a user from the client's list; false when it is not in the list.
bool disallow_group(db::Transaction& transaction, const model::ClientId& client, std::string_view group);
bool disallow_user(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject);
/// Empties both lists.
void forget_access(db::Transaction& transaction, const model::ClientId& client);

/// Returns the clients whose list names the group, by id.
std::vector<model::ClientId> clients_allowing(db::Database& database, std::string_view group);
/// Returns the clients that are restricted and name no group and no user, by id: no user can use them.
std::vector<model::ClientId> unusable_clients(db::Database& database);

}  // namespace postern::store
