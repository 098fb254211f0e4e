// Decides how a client, its secrets and its redirect URIs are kept (RFC 6749 §2).
#include "store/clients.h"

#include <algorithm>
#include <string>

#include "http/url.h"
#include "store/client_values.h"
#include "store/columns.h"

namespace postern::store {
namespace {

using model::Client;
using model::ClientId;

constexpr const char* kAuthorization = "authorization";
constexpr const char* kLogout = "logout";
constexpr const char* kConfidential = "confidential";
constexpr const char* kPublic = "public";

/// The columns of `clients c`, in the order in which read_client reads them.
#define POSTERN_CLIENT_COLUMNS                                                                              \
    "c.id, c.name, c.type, c.native, c.first_party, c.enabled, c.grants, c.scope, c.auth_method, c.pkce,"   \
    " c.created_at, c.restricted, c.groups, c.id_token_claims, c.access_token_profile,"                     \
    " c.groups_in_access_token, c.default_resource, c.resources, c.own_claims, c.origin, c.last_used_at,"   \
    " c.removable_at, c.brought_by, c.level, c.names, c.introspection_claims, c.response_types, c.details," \
    " c.registered_by, c.registration_token_hash"
Client read_client(db::Statement& row) {
    Client client;
    std::string type, grants, auth_method, pkce, groups, profile, origin, names, response_types, details;
    row >> client.id >> client.name >> type >> client.native >> client.first_party >> client.enabled >> grants >>
        client.scope >> auth_method >> pkce >> client.created_at >> client.restricted >> groups >>
        client.id_token_claims >> profile >> client.groups_in_access_token >> client.default_resource >>
        client.resources >> client.own_claims >> origin >> client.last_used_at >> client.removable_at >>
        client.brought_by >> client.level >> names >> client.introspection_claims >> response_types >> details >>
        client.registered_by >> client.registration_token_hash;
    client.names = parse_names(names);
    client.type = type == kPublic ? model::ClientType::public_ : model::ClientType::confidential;
    client.grants = parse_grants(grants);
    client.response_types = parse_response_types(response_types);
    read_details(details, client);
    client.auth_method = known(model::parse_auth_method(auth_method), "auth_method");
    client.pkce = known(model::parse_pkce(pkce), "pkce");
    client.groups = known(model::parse_told_groups(groups), "groups");
    client.origin = known(model::parse_origin(origin), "origin");
    if (!profile.empty())
        client.access_token_profile = known(model::parse_token_profile(profile), "access_token_profile");
    return client;
}

Client read_site_client(db::Statement& row) {
    Client client = read_client(row);
    // Left out, its URL would be that of the site around it.
    if (!client.site)
        throw db::StoreError("the client " + client.id.str() +
                             " is in the table sites, and has no site in clients.details");
    return client;
}

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

/// What the gate finds a site by. Two clients never have one URL.
void insert_site(db::Transaction& transaction, const Client& client) {
    if (client.site)
        transaction.queue("INSERT INTO sites (url, client_id) VALUES ($1, $2)", client.site->url, client.id);
}

void insert_secret(db::Transaction& transaction, const ClientId& id, const model::ValueHash& hash,
                   std::optional<util::Time> until) {
    transaction.queue(
        "INSERT INTO client_secrets (client_id, hash, expires_at) VALUES ($1, $2, $3)"
        " ON CONFLICT (client_id, hash) DO UPDATE SET expires_at = excluded.expires_at",
        id, hash, until);
}

/// $1 is the id, $2 to $23 are everything else but created_at, origin, last_used_at, brought_by, registered_by and
/// registration_token_hash. True when a row was written.
template <class... More>
bool write_client(db::Transaction& transaction, const char* sql, const Client& client, const More&... more) {
    const char* type = client.type == model::ClientType::public_ ? kPublic : kConfidential;
    const auto profile = client.access_token_profile ? to_string(*client.access_token_profile) : std::string_view();
    return transaction.run(sql, client.id, client.name, type, client.native, client.first_party, client.enabled,
                           column_of(client.grants), client.scope, to_string(client.auth_method),
                           to_string(client.pkce), client.restricted, to_string(client.groups), client.id_token_claims,
                           profile, client.groups_in_access_token, client.default_resource,
                           model::to_string(client.resources), client.removable_at,
                           static_cast<std::int64_t>(client.level), column_of(client.names),
                           model::to_string(client.introspection_claims), column_of(client.response_types),
                           details_of(client), more...) == 1;
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
    constexpr const char* kInsert =
        "INSERT INTO clients"
        " (id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce, restricted, groups,"
        " id_token_claims, access_token_profile, groups_in_access_token, default_resource, resources, removable_at,"
        " level, names, introspection_claims, response_types, details, created_at, origin, last_used_at, brought_by,"
        " registered_by, registration_token_hash)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,"
        " $23, $24, $25, $26, $27, $28, $29)"
        " ON CONFLICT (id) DO NOTHING";
    if (!write_client(transaction, kInsert, client, client.created_at, to_string(client.origin), client.last_used_at,
                      client.brought_by, client.registered_by, client.registration_token_hash))
        return false;
    insert_all_uris(transaction, client);
    insert_site(transaction, client);
    for (const auto& secret : client.secrets)
        transaction.queue("INSERT INTO client_secrets (client_id, hash, expires_at) VALUES ($1, $2, $3)", client.id,
                          secret.hash, secret.expires_at);
    return true;
}

bool update_client(db::Transaction& transaction, const Client& client) {
    constexpr const char* kUpdate =
        "UPDATE clients SET name = $2, type = $3, native = $4, first_party = $5, enabled = $6, grants = $7,"
        " scope = $8, auth_method = $9, pkce = $10, restricted = $11, groups = $12, id_token_claims = $13,"
        " access_token_profile = $14, groups_in_access_token = $15, default_resource = $16, resources = $17,"
        " removable_at = $18, level = $19, names = $20, introspection_claims = $21, response_types = $22, details = $23"
        " WHERE id = $1";
    if (!write_client(transaction, kUpdate, client)) return false;
    transaction.queue("DELETE FROM redirect_uris WHERE client_id = $1", client.id);
    insert_all_uris(transaction, client);
    if (client.site) transaction.queue("DELETE FROM sites WHERE client_id = $1", client.id);
    insert_site(transaction, client);
    return true;
}

std::vector<Client> find_sites(db::Database& database, std::string_view origin) {
    // '0' is what comes behind '/'.
    auto rows = database.query("SELECT " POSTERN_CLIENT_COLUMNS
                               " FROM sites s JOIN clients c ON c.id = s.client_id"
                               " WHERE s.url >= $1 AND s.url < $2 ORDER BY s.url",
                               std::string(origin) + "/", std::string(origin) + "0");
    std::vector<Client> sites;
    while (rows.step()) sites.push_back(read_site_client(rows));
    return sites;
}

std::vector<Client> list_sites(db::Database& database, db::Limit limit) {
    auto rows = database.query("SELECT " POSTERN_CLIENT_COLUMNS
                               " FROM sites s JOIN clients c ON c.id = s.client_id ORDER BY s.client_id LIMIT $1",
                               limit.rows);
    std::vector<Client> sites;
    while (rows.step()) sites.push_back(read_site_client(rows));
    return sites;
}

std::optional<ClientId> find_site(db::Database& database, std::string_view url) {
    auto row = database.query("SELECT client_id FROM sites WHERE url = $1", url);
    if (!row.step()) return std::nullopt;
    ClientId id;
    row >> id;
    return id;
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
    transaction.queue("UPDATE clients SET name = $2, native = $3, grants = $4, scope = $5 WHERE id = $1", client.id,
                      client.name, client.native, column_of(client.grants), client.scope);
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

}  // namespace postern::store
