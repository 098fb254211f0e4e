// Decides how a client, its secrets and its redirect URIs are kept (RFC 6749 §2).
#include "store/clients.h"

#include <string>

#include "store/columns.h"
#include "util/text.h"

namespace postern::store {
namespace {

using model::Client;
using model::ClientId;

constexpr const char* kAuthorization = "authorization";
constexpr const char* kLogout = "logout";
constexpr const char* kConfidential = "confidential";
constexpr const char* kPublic = "public";

template <class T>
T known(std::optional<T> value, const char* column) {
    if (!value) throw db::StoreError(std::string("clients.") + column + " holds a name this program does not know");
    return *value;
}

std::string words(const std::set<model::GrantType>& grants) {
    std::string text;
    for (const auto grant : grants) {
        if (!text.empty()) text += ' ';
        text += to_string(grant);
    }
    return text;
}

std::set<model::GrantType> parse_grants(const std::string& text) {
    std::set<model::GrantType> grants;
    for (const auto word : util::split(text, ' ')) {
        if (!word.empty()) grants.insert(known(model::parse_grant_type(word), "grants"));
    }
    return grants;
}

Client client_at(const db::Statement& row) {
    Client client;
    client.id = ClientId(row.text(0));
    client.name = row.text(1);
    client.type = row.text(2) == kPublic ? model::ClientType::public_ : model::ClientType::confidential;
    client.native = row.integer(3) != 0;
    client.first_party = row.integer(4) != 0;
    client.enabled = row.integer(5) != 0;
    client.grants = parse_grants(row.text(6));
    client.scope = scope_at(row, 7);
    client.auth_method = known(model::parse_auth_method(row.text(8)), "auth_method");
    client.pkce = known(model::parse_pkce(row.text(9)), "pkce");
    client.created_at = time_at(row, 10);
    return client;
}

void read_uris(db::Database& database, Client& client) {
    auto rows = database.prepare("SELECT kind, uri FROM redirect_uris WHERE client_id = $1 ORDER BY kind, position");
    rows.bind(1, client.id.str());
    while (rows.step()) {
        auto& uris = rows.text(0) == kLogout ? client.post_logout_redirect_uris : client.redirect_uris;
        uris.push_back(rows.text(1));
    }
}

void read_secrets(db::Database& database, Client& client, util::Time now) {
    auto rows = database.prepare(
        "SELECT hash, expires_at FROM client_secrets"
        " WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2)"
        " ORDER BY expires_at IS NOT NULL, expires_at DESC, hash");
    rows.bind(1, client.id.str()).bind(2, util::to_epoch(now));
    while (rows.step()) client.secrets.push_back({model::ValueHash(rows.text(0)), optional_time_at(rows, 1)});
}

void read_rest(db::Database& database, Client& client, util::Time now) {
    read_uris(database, client);
    read_secrets(database, client, now);
}

void insert_uris(db::Database& database, const ClientId& id, const char* kind, const std::vector<std::string>& uris) {
    std::int64_t position = 0;
    for (const auto& uri : uris) {
        database
            .prepare(
                "INSERT INTO redirect_uris (client_id, kind, position, uri) VALUES ($1, $2, $3, $4)"
                " ON CONFLICT (client_id, kind, uri) DO NOTHING")
            .bind(1, id.str())
            .bind(2, kind)
            .bind(3, position++)
            .bind(4, uri)
            .execute();
    }
}

void insert_all_uris(db::Database& database, const Client& client) {
    insert_uris(database, client.id, kAuthorization, client.redirect_uris);
    insert_uris(database, client.id, kLogout, client.post_logout_redirect_uris);
}

void insert_secret(db::Database& database, const ClientId& id, const model::ValueHash& hash,
                   std::optional<util::Time> until) {
    database
        .prepare(
            "INSERT INTO client_secrets (client_id, hash, expires_at) VALUES ($1, $2, $3)"
            " ON CONFLICT (client_id, hash) DO UPDATE SET expires_at = excluded.expires_at")
        .bind(1, id.str())
        .bind(2, hash.str())
        .bind(3, epoch(until))
        .execute();
}

/// Everything but the id, $1, and created_at.
db::Statement& bind_properties(db::Statement& statement, const Client& client) {
    return statement.bind(1, client.id.str())
        .bind(2, client.name)
        .bind(3, client.type == model::ClientType::public_ ? kPublic : kConfidential)
        .bind(4, flag(client.native))
        .bind(5, flag(client.first_party))
        .bind(6, flag(client.enabled))
        .bind(7, words(client.grants))
        .bind(8, client.scope.to_string())
        .bind(9, to_string(client.auth_method))
        .bind(10, to_string(client.pkce));
}

}  // namespace

std::optional<Client> find_client(db::Database& database, const ClientId& id, util::Time now) {
    const db::Snapshot snapshot(database);  // properties, URIs and secrets of one moment
    auto row = database.prepare(
        "SELECT id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce, created_at"
        " FROM clients WHERE id = $1");
    if (!row.bind(1, id.str()).step()) return std::nullopt;
    auto client = client_at(row);
    read_rest(database, client, now);
    return client;
}

std::optional<Client> find_client_to_authenticate(db::Database& database, const ClientId& id, util::Time now) {
    // One statement, so of one moment. A row for each secret, and one without where there is none.
    auto row = database.prepare(
        "SELECT c.id, c.name, c.type, c.native, c.first_party, c.enabled, c.grants, c.scope, c.auth_method, c.pkce,"
        " c.created_at, s.hash, s.expires_at FROM clients c LEFT JOIN client_secrets s"
        " ON s.client_id = c.id AND (s.expires_at IS NULL OR s.expires_at > $2) WHERE c.id = $1");
    if (!row.bind(1, id.str()).bind(2, util::to_epoch(now)).step()) return std::nullopt;
    auto client = client_at(row);
    do {
        if (const auto hash = row.optional_text(11))
            client.secrets.push_back({model::ValueHash(*hash), optional_time_at(row, 12)});
    } while (row.step());
    return client;
}

std::vector<Client> list_clients(db::Database& database, util::Time now) {
    const db::Snapshot snapshot(database);
    std::vector<Client> clients;
    auto rows = database.prepare(
        "SELECT id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce, created_at"
        " FROM clients ORDER BY id");
    while (rows.step()) clients.push_back(client_at(rows));
    for (auto& client : clients) read_rest(database, client, now);
    return clients;
}

std::vector<RegisteredUri> find_redirect_uris(db::Database& database, std::string_view prefix,
                                              const std::optional<ClientId>& client) {
    auto rows = database.prepare(
        "SELECT r.uri, c.native FROM redirect_uris r JOIN clients c ON c.id = r.client_id"
        " WHERE r.kind = 'authorization' AND c.enabled = 1 AND r.client_id = COALESCE($3, r.client_id)"
        " AND lower(substr(r.uri, 1, $2)) = $1");
    rows.bind(1, std::string(prefix)).bind(2, static_cast<std::int64_t>(prefix.size()));
    rows.bind(3, client ? std::optional<std::string>(client->str()) : std::nullopt);
    std::vector<RegisteredUri> found;
    while (rows.step()) found.push_back({rows.text(0), rows.integer(1) != 0});
    return found;
}

bool insert_client(db::Transaction& transaction, const Client& client) {
    auto& database = transaction.database();
    auto insert = database.prepare(
        "INSERT INTO clients"
        " (id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING");
    if (bind_properties(insert, client).bind(11, util::to_epoch(client.created_at)).execute() == 0) return false;
    insert_all_uris(database, client);
    for (const auto& secret : client.secrets) insert_secret(database, client.id, secret.hash, secret.expires_at);
    return true;
}

bool update_client(db::Transaction& transaction, const Client& client) {
    auto& database = transaction.database();
    auto update = database.prepare(
        "UPDATE clients SET name = $2, type = $3, native = $4, first_party = $5, enabled = $6, grants = $7,"
        " scope = $8, auth_method = $9, pkce = $10 WHERE id = $1");
    if (bind_properties(update, client).execute() == 0) return false;
    database.prepare("DELETE FROM redirect_uris WHERE client_id = $1").bind(1, client.id.str()).execute();
    insert_all_uris(database, client);
    return true;
}

bool remove_client(db::Transaction& transaction, const ClientId& id) {
    // The rest goes by foreign keys: secrets, URIs, consents, grants, and their codes and tokens.
    return transaction.database().prepare("DELETE FROM clients WHERE id = $1").bind(1, id.str()).execute() == 1;
}

void replace_client_secret(db::Transaction& transaction, const ClientId& id, const model::ValueHash& hash,
                           std::optional<util::Time> old_until, util::Time now) {
    auto& database = transaction.database();
    const auto until = util::to_epoch(old_until.value_or(now));
    // A secret that ends earlier already is not given more time.
    database
        .prepare(
            "UPDATE client_secrets SET expires_at = $2"
            " WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2)")
        .bind(1, id.str())
        .bind(2, until)
        .execute();
    database.prepare("DELETE FROM client_secrets WHERE client_id = $1 AND expires_at <= $2")
        .bind(1, id.str())
        .bind(2, util::to_epoch(now))
        .execute();
    insert_secret(database, id, hash, std::nullopt);
}

}  // namespace postern::store
