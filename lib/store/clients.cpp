// Decides how a client, its secrets and its redirect URIs are kept (RFC 6749 §2).
#include "store/clients.h"

#include <algorithm>
#include <string>

#include "http/url.h"
#include "store/client_row.h"
#include "store/client_values.h"
#include "store/columns.h"
#include "store/sites.h"

namespace postern::store {
namespace {

using model::Client;
using model::ClientId;

constexpr const char* kAuthorization = "authorization";
constexpr const char* kLogout = "logout";
/// The condition of the partial index clients_by_open_registration.
#define POSTERN_OPEN_REGISTRATION "origin = 'dynamic' AND registered_by = '' AND removable_at IS NOT NULL"

void read_uris(db::Database& database, Client& client) {
    auto rows =
        database.query("SELECT kind, uri FROM redirect_uris WHERE client_id = $1 ORDER BY kind, position", client.id);
    while (rows.step()) {
        std::string kind;
        rows >> kind;
        rows >> (kind == kLogout ? client.post_logout_redirect_uris : client.redirect_uris).emplace_back();
    }
}

void read_secrets(db::Database& database, Client& client, util::Time now) {
    auto rows = database.query(
        "SELECT hash, expires_at FROM client_secrets"
        " WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2)"
        " ORDER BY expires_at IS NOT NULL, expires_at DESC, hash",
        client.id, now);
    while (rows.step()) {
        auto& secret = client.secrets.emplace_back();
        rows >> secret.hash >> secret.expires_at;
    }
}

void insert_uris(db::Transaction& transaction, const ClientId& id, const char* kind,
                 const std::vector<std::string>& uris) {
    int position = 0;
    for (const auto& uri : uris) {
        transaction.queue(
            "INSERT INTO redirect_uris (client_id, kind, position, uri) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT (client_id, kind, uri) DO NOTHING",
            id, kind, position++, uri);
    }
}

void insert_all_uris(db::Transaction& transaction, const Client& client) {
    insert_uris(transaction, client.id, kAuthorization, client.redirect_uris);
    insert_uris(transaction, client.id, kLogout, client.post_logout_redirect_uris);
}

void insert_secret(db::Transaction& transaction, const ClientId& id, const model::ValueHash& hash,
                   std::optional<util::Time> until) {
    transaction.queue(
        "INSERT INTO client_secrets (client_id, hash, expires_at) VALUES ($1, $2, $3)"
        " ON CONFLICT (client_id, hash) DO UPDATE SET expires_at = excluded.expires_at",
        id, hash, until);
}

}  // namespace

std::optional<Client> find_client(db::Database& database, const ClientId& id) {
    // One statement sees one moment. A client has a row for each URI, or one whose URI is NULL.
    auto row = database.query("SELECT r.kind, r.uri, " POSTERN_CLIENT_COLUMNS
                              " FROM clients c LEFT JOIN redirect_uris r ON r.client_id = c.id WHERE c.id = $1"
                              " ORDER BY r.kind, r.position",
                              id);
    std::optional<Client> client;
    while (row.step()) {
        std::optional<std::string> kind;
        std::optional<std::string> uri;
        row >> kind >> uri;
        if (!client) client = read_client(row);
        if (uri) (*kind == kLogout ? client->post_logout_redirect_uris : client->redirect_uris).push_back(*uri);
    }
    return client;
}

std::optional<Client> find_client(db::Database& database, const ClientId& id, util::Time now) {
    const db::Snapshot snapshot(database);
    auto client = find_client(database, id);
    if (client) read_secrets(database, *client, now);
    return client;
}

bool is_client(db::Database& database, const ClientId& id) {
    return database.query("SELECT 1 FROM clients WHERE id = $1", id).step();
}

std::optional<Client> find_client_to_change(db::Transaction& transaction, const ClientId& id, util::Time now) {
    lock_client(transaction, id);
    return find_client(transaction.database(), id, now);
}

std::optional<Client> find_client_to_authenticate(db::Database& database, const ClientId& id, util::Time now) {
    // As in find_client: a row for each secret, or one whose secret is NULL.
    auto row = database.query("SELECT s.hash, s.expires_at, " POSTERN_CLIENT_COLUMNS
                              " FROM clients c LEFT JOIN client_secrets s"
                              " ON s.client_id = c.id AND (s.expires_at IS NULL OR s.expires_at > $2) WHERE c.id = $1",
                              id, now);
    std::optional<Client> client;
    while (row.step()) {
        std::optional<model::ValueHash> hash;
        std::optional<util::Time> expires_at;
        row >> hash >> expires_at;
        if (!client) client = read_client(row);
        if (hash) client->secrets.push_back({*hash, expires_at});
    }
    return client;
}

std::vector<Client> list_clients(db::Database& database, util::Time now, db::Limit limit,
                                 std::optional<model::Origin> origin) {
    const db::Snapshot snapshot(database);
    std::vector<Client> clients;
    const auto wanted = origin ? std::optional(std::string(to_string(*origin))) : std::nullopt;
    auto rows = database.query("SELECT " POSTERN_CLIENT_COLUMNS
                               " FROM clients c WHERE c.origin = COALESCE($2, c.origin) ORDER BY c.id LIMIT $1",
                               limit.rows, wanted);
    while (rows.step()) clients.push_back(read_client(rows));
    for (auto& client : clients) {
        read_uris(database, client);
        read_secrets(database, client, now);
    }
    return clients;
}

/// True where the site of an address has this spelling: a path, a query or nothing is behind it.
#define POSTERN_IS_AT(site)                                                                                   \
    "(lower(substr(r.uri, 1, length(CAST(" site " AS text)))) = " site " AND substr(r.uri, length(CAST(" site \
    " AS text)) + 1, 1) IN ('', '/', '?'))"

std::vector<ClientOfOrigin> find_clients_of_origin(db::Database& database, std::string_view origin,
                                                   const std::optional<ClientId>& client) {
    const std::string site(origin);
    const std::string with_port = site + (site.starts_with("https:") ? ":443" : ":80");
    auto rows =
        database.query("SELECT DISTINCT c.native, " POSTERN_CLIENT_STATE_COLUMNS
                       " FROM redirect_uris r JOIN clients c ON c.id = r.client_id"
                       " WHERE r.kind = 'authorization' AND c.enabled = 1 AND r.client_id = COALESCE($4, r.client_id)"
                       " AND (" POSTERN_IS_AT("$1") " OR " POSTERN_IS_AT("$2") " OR " POSTERN_IS_AT("$3") ")",
                       site, with_port, site + ":", client);
    std::vector<ClientOfOrigin> found;
    while (rows.step()) {
        auto& kind = found.emplace_back();
        rows >> kind.native >> kind.client;
    }
    return found;
}

bool insert_client(db::Transaction& transaction, const Client& client) {
    if (!insert_client_row(transaction, client)) return false;
    insert_all_uris(transaction, client);
    insert_site(transaction, client);
    for (const auto& secret : client.secrets)
        transaction.queue("INSERT INTO client_secrets (client_id, hash, expires_at) VALUES ($1, $2, $3)", client.id,
                          secret.hash, secret.expires_at);
    return true;
}

bool update_client(db::Transaction& transaction, const Client& client) {
    if (!update_client_row(transaction, client)) return false;
    transaction.queue("DELETE FROM redirect_uris WHERE client_id = $1", client.id);
    insert_all_uris(transaction, client);
    replace_site(transaction, client);
    return true;
}

void lock_client(db::Transaction& transaction, const ClientId& id) {
    transaction.lock("SELECT 1 FROM clients WHERE id = $1 FOR NO KEY UPDATE", id);
}

std::optional<Client> find_client_at(db::Database& database, std::string_view url) {
    const std::string wanted = http::one_spelling(url);
    // '0' is what comes behind '/'.
    auto ids = values_of<std::string>(
        database.query("SELECT id FROM clients WHERE id >= 'https://' AND id < 'https:/0' ORDER BY id"));
    const auto same = std::ranges::find_if(ids, [&](const auto& id) { return http::one_spelling(id) == wanted; });
    return same == ids.end() ? std::nullopt : find_client(database, ClientId(*same));
}

void update_description(db::Transaction& transaction, const Client& client) {
    transaction.queue("UPDATE clients SET name = $2, native = $3, grants = $4, scope = $5, details = $6 WHERE id = $1",
                      client.id, client.name, client.native, column_of(client.grants), client.scope,
                      details_of(client));
    transaction.queue("DELETE FROM redirect_uris WHERE client_id = $1", client.id);
    insert_all_uris(transaction, client);
}

void touch_client(db::Transaction& transaction, const ClientId& id, util::Time last_used_at, util::Time removable_at) {
    transaction.queue(
        "UPDATE clients SET last_used_at = $2, removable_at = CASE WHEN removable_at IS NULL THEN NULL ELSE $3 END"
        " WHERE id = $1",
        id, last_used_at, removable_at);
}

void set_brought_by(db::Transaction& transaction, const ClientId& id, const model::Subject& subject) {
    transaction.queue("UPDATE clients SET brought_by = $2 WHERE id = $1", id, subject);
}

std::int64_t count_fleeting_clients(db::Database& database) {
    return number_of(
        database.query("SELECT count(*) FROM clients WHERE removable_at IS NOT NULL AND origin = 'document'"));
}

std::int64_t count_fleeting_clients(db::Database& database, const model::Subject& subject, model::Origin origin) {
    return number_of(database.query(
        "SELECT count(*) FROM clients WHERE removable_at IS NOT NULL AND brought_by = $1 AND origin = $2", subject,
        to_string(origin)));
}

std::int64_t count_open_registrations(db::Database& database) {
    return number_of(database.query("SELECT count(*) FROM clients WHERE " POSTERN_OPEN_REGISTRATION));
}

#define POSTERN_OLDEST_UNAPPROVED                             \
    "SELECT id FROM clients WHERE " POSTERN_OPEN_REGISTRATION \
    " AND last_used_at IS NULL AND created_at < $1 ORDER BY created_at LIMIT 1"
constexpr const char* kOldestUnapproved = POSTERN_OLDEST_UNAPPROVED;

bool has_unapproved(db::Database& database, util::Time registered_before) {
    return database.query(kOldestUnapproved, registered_before).step();
}

bool remove_oldest_unapproved(db::Transaction& transaction, util::Time registered_before) {
    constexpr db::Text kDelete = {"DELETE FROM clients WHERE id IN (" POSTERN_OLDEST_UNAPPROVED ")",
                                  "DELETE FROM clients WHERE id IN (" POSTERN_OLDEST_UNAPPROVED
                                  " FOR UPDATE SKIP LOCKED)"};
    return transaction.run(kDelete, registered_before) == 1;
}

static_assert(kUseIsToldBy.count() == 86400, "as the condition of unused registrations has it");

/// Of a row of `clients`, for a moment $1 before $2, which is now.
#define POSTERN_UNUSED_REGISTRATION                                          \
    "origin = 'dynamic' AND removable_at IS NOT NULL"                        \
    " AND COALESCE(last_used_at + 86400, created_at) <= $1"                  \
    " AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = clients.id" \
    " AND g.ended_at IS NULL AND g.kept_until > $2)"

std::vector<ClientId> find_unused_registrations(db::Database& database, util::Time now, util::Seconds unused_for,
                                                db::Limit limit) {
    return values_of<ClientId>(database.query("SELECT id FROM clients WHERE " POSTERN_UNUSED_REGISTRATION
                                              " ORDER BY id LIMIT $3",
                                              now - unused_for, now, limit.rows));
}

bool is_unused_registration(db::Database& database, const ClientId& id, util::Time now, util::Seconds unused_for) {
    return database
        .query("SELECT 1 FROM clients WHERE " POSTERN_UNUSED_REGISTRATION " AND id = $3", now - unused_for, now, id)
        .step();
}

bool remove_client(db::Transaction& transaction, const ClientId& id) {
    // The rest goes by foreign keys: secrets, URIs, who may use it, its own claims and names of groups, consents,
    // grants, and their codes and tokens.
    return transaction.run("DELETE FROM clients WHERE id = $1", id) == 1;
}

void replace_client_secret(db::Transaction& transaction, const ClientId& id, const model::ValueHash& hash,
                           std::optional<util::Time> old_until, util::Time now) {
    // A secret that ends earlier already is not given more time.
    transaction.queue(
        "UPDATE client_secrets SET expires_at = $2 WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2)",
        id, old_until.value_or(now));
    transaction.queue("DELETE FROM client_secrets WHERE client_id = $1 AND expires_at <= $2", id, now);
    insert_secret(transaction, id, hash, std::nullopt);
}

void remove_client_secrets(db::Transaction& transaction, const ClientId& id) {
    transaction.queue("DELETE FROM client_secrets WHERE client_id = $1", id);
}

}  // namespace postern::store
