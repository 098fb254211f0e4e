// Which resource does a client mean?
#include "store/resources.h"

#include "http/url.h"
#include "store/columns.h"

namespace postern::store {
namespace {

using model::Resource;

/// The columns of `resources r`, in the order in which read_resource reads them.
#define POSTERN_RESOURCE_COLUMNS "r.uri, r.name, r.scope, r.access_token_ttl, r.enabled, r.created_at"
Resource read_resource(db::Statement& row) {
    Resource resource;
    std::optional<std::int64_t> ttl;
    row >> resource.uri >> resource.name >> resource.scope >> ttl >> resource.enabled >> resource.created_at;
    if (ttl) resource.access_token_ttl = util::Seconds{*ttl};
    return resource;
}

void read_aliases(db::Database& database, Resource& resource) {
    auto rows =
        database.query("SELECT address FROM resource_addresses WHERE uri = $1 AND address <> $2 ORDER BY address",
                       resource.uri, http::one_spelling(resource.uri));
    resource.aliases = values_of<std::string>(std::move(rows));
}

std::optional<std::int64_t> seconds_of(const Resource& resource) {
    if (!resource.access_token_ttl) return std::nullopt;
    return resource.access_token_ttl->count();
}

std::optional<std::string> insert_addresses(db::Transaction& transaction, const Resource& resource) {
    const auto insert = [&](const std::string& address) {
        return transaction.run(
                   "INSERT INTO resource_addresses (address, uri) VALUES ($1, $2) ON CONFLICT (address) DO NOTHING",
                   address, resource.uri) == 1;
    };
    if (!insert(http::one_spelling(resource.uri))) return resource.uri;
    for (const std::string& alias : resource.aliases)
        if (!insert(alias)) return alias;
    return std::nullopt;
}

}  // namespace

std::optional<Resource> find_resource(db::Database& database, std::string_view uri) {
    auto row = database.query("SELECT " POSTERN_RESOURCE_COLUMNS
                              " FROM resource_addresses a JOIN resources r ON r.uri = a.uri WHERE a.address = $1",
                              http::one_spelling(uri));
    if (!row.step()) return std::nullopt;
    return read_resource(row);
}

std::optional<Resource> find_resource_with_aliases(db::Database& database, std::string_view uri) {
    const db::Snapshot snapshot(database);
    auto resource = find_resource(database, uri);
    if (resource) read_aliases(database, *resource);
    return resource;
}

std::optional<Resource> find_resource_to_change(db::Transaction& transaction, std::string_view uri) {
    transaction.lock(
        "SELECT 1 FROM resources WHERE uri = (SELECT uri FROM resource_addresses WHERE address = $1)"
        " FOR NO KEY UPDATE",
        http::one_spelling(uri));
    return find_resource_with_aliases(transaction.database(), uri);
}

db::Rows<ListedResource> list_resources(db::Database& database, db::Limit limit) {
    constexpr const char* kResources =
        "SELECT " POSTERN_RESOURCE_COLUMNS
        ", (SELECT count(*) FROM resource_addresses a WHERE a.uri = r.uri) - 1 FROM resources r ORDER BY r.uri LIMIT $1";
    return {database.list(kResources, limit.rows), [](db::Statement& row, ListedResource& listed) {
                listed.resource = read_resource(row);
                row >> listed.aliases;
            }};
}

std::optional<std::string> insert_resource(db::Transaction& transaction, const Resource& resource) {
    const bool is_new = transaction.run(
                            "INSERT INTO resources (uri, name, scope, access_token_ttl, enabled, created_at)"
                            " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (uri) DO NOTHING",
                            resource.uri, resource.name, resource.scope, seconds_of(resource), resource.enabled,
                            resource.created_at) == 1;
    if (!is_new) return resource.uri;
    return insert_addresses(transaction, resource);
}

std::optional<std::string> update_resource(db::Transaction& transaction, const Resource& resource) {
    transaction.queue("UPDATE resources SET name = $2, scope = $3, access_token_ttl = $4, enabled = $5 WHERE uri = $1",
                      resource.uri, resource.name, resource.scope, seconds_of(resource), resource.enabled);
    transaction.run("DELETE FROM resource_addresses WHERE uri = $1", resource.uri);
    return insert_addresses(transaction, resource);
}

void remove_resource(db::Transaction& transaction, std::string_view uri) {
    transaction.queue("DELETE FROM resources WHERE uri = $1", uri);
}

}  // namespace postern::store
