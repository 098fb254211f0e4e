// Table `clients` with its secrets and redirect URIs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/client.h"

namespace postern::store {

/// The longest time for which `last_used_at` is stale: most uses of a client write nothing.
inline constexpr util::Seconds kUseIsToldBy{86400};

/// Finds the client with its URIs, and with the secrets that are unexpired at `now` where `now` is given: a program
/// that authenticates no client has no right to read secrets. Disabled clients are found too: the caller refuses them.
std::optional<model::Client> find_client(db::Database& database, const model::ClientId& id);
std::optional<model::Client> find_client(db::Database& database, const model::ClientId& id, util::Time now);
/// Finds the client for a transaction that writes it back: no other one changes the client meanwhile.
std::optional<model::Client> find_client_to_change(db::Transaction& transaction, const model::ClientId& id,
                                                   util::Time now);
/// Finds the client without URIs, for client authentication: one query. The secrets are not ordered.
std::optional<model::Client> find_client_to_authenticate(db::Database& database, const model::ClientId& id,
                                                         util::Time now);
/// Returns whether there is a client of that id, disabled or not.
bool is_client(db::Database& database, const model::ClientId& id);
/// Returns the clients, by id; with `origin`, those of that source.
std::vector<model::Client> list_clients(db::Database& database, util::Time now, db::Limit limit = {},
                                        std::optional<model::Origin> origin = std::nullopt);

/// The facts that count of a client that has a redirect URI at an origin.
struct ClientOfOrigin {
    bool native = false;
    model::ClientState client;

    bool operator==(const ClientOfOrigin&) const = default;
};
/// Returns the different kinds of enabled clients, or that of `client` while it is enabled, which have a redirect URI
/// at `origin`, an http or https origin as browsers spell it. One pass over the table inside the database, and a few
/// rows at most, however many clients there are.
std::vector<ClientOfOrigin> find_clients_of_origin(db::Database& database, std::string_view origin,
                                                   const std::optional<model::ClientId>& client);

/// Inserts the client; false when the id is taken.
bool insert_client(db::Transaction& transaction, const model::Client& client);
/// Finds the client whose id is this URL in any spelling that http::normalize_url makes equal; nullopt: there is none.
/// Looks at every client whose id is a URL.
std::optional<model::Client> find_client_at(db::Database& database, std::string_view url);

/// Replaces everything but id, secrets, created_at, own_claims, origin, last_used_at, brought_by, registered_by and
/// registration_token_hash. False when there is no such client.
bool update_client(db::Transaction& transaction, const model::Client& client);
/// Deletes the client with everything under it (grants, codes, tokens, consents).
bool remove_client(db::Transaction& transaction, const model::ClientId& id);

/// Keeps other transactions from changing the client until this one ends. No effect when there is no such client.
void lock_client(db::Transaction& transaction, const model::ClientId& id);
/// Replaces what a document says of a client: name, native, grants, scope, what is only read with the client, and URIs.
void update_description(db::Transaction& transaction, const model::Client& client);
/// Records that a user has signed in to a client of a document. `removable_at` is for a client that may be deleted, and
/// for no other.
void touch_client(db::Transaction& transaction, const model::ClientId& id, util::Time last_used_at,
                  util::Time removable_at);
/// Records the user who was the first to approve a client that is there already.
void set_brought_by(db::Transaction& transaction, const model::ClientId& id, const model::Subject& subject);
/// Counts the clients of documents that may be deleted one day.
std::int64_t count_fleeting_clients(db::Database& database);
/// Counts the fleeting clients of this origin that the user has brought, with or without a consent of the user today.
std::int64_t count_fleeting_clients(db::Database& database, const model::Subject& subject, model::Origin origin);
/// Counts the clients that registered themselves without a token and that the operator has not changed.
std::int64_t count_open_registrations(db::Database& database);
/// Returns whether remove_oldest_unapproved would find a client.
bool has_unapproved(db::Database& database, util::Time registered_before);
/// Removes the oldest client that registered itself without a token before `registered_before`, that no user has signed
/// in to and that the operator has not changed. False: there is none.
bool remove_oldest_unapproved(db::Transaction& transaction, util::Time registered_before);
/// Returns, by id, the clients that registered themselves, that the operator has not changed, that were not used for
/// `unused_for` and a day, and that have no live grant.
std::vector<model::ClientId> find_unused_registrations(db::Database& database, util::Time now, util::Seconds unused_for,
                                                       db::Limit limit = {});
/// Returns whether find_unused_registrations would return the client.
bool is_unused_registration(db::Database& database, const model::ClientId& id, util::Time now,
                            util::Seconds unused_for);

/// Adds `hash` as the client's secret; the secrets there end at `old_until` (at once when nullopt).
void replace_client_secret(db::Transaction& transaction, const model::ClientId& id, const model::ValueHash& hash,
                           std::optional<util::Time> old_until, util::Time now);

/// Deletes all secrets of the client, which authenticates otherwise from now on.
void remove_client_secrets(db::Transaction& transaction, const model::ClientId& id);

}  // namespace postern::store
