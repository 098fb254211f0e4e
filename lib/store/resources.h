// Tables `resources` and `resource_addresses`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "db/rows.h"
#include "model/resource.h"

namespace postern::store {

/// Finds the resource by its own URI or an alias, in any spelling that http::normalize_url makes equal; without the
/// aliases. Disabled resources are found too: the caller refuses them.
std::optional<model::Resource> find_resource(db::Database& database, std::string_view uri);
/// Finds the resource with its aliases for a transaction that writes it back: no other one changes it meanwhile.
std::optional<model::Resource> find_resource_to_change(db::Transaction& transaction, std::string_view uri);
/// Finds the resource with its aliases for reading.
std::optional<model::Resource> find_resource_with_aliases(db::Database& database, std::string_view uri);

struct ListedResource {
    model::Resource resource;  ///< without the aliases
    std::int64_t aliases = 0;
};
db::Rows<ListedResource> list_resources(db::Database& database, db::Limit limit = {});  ///< by URI

/// Inserts the resource. Returns nullopt when it is done; else the URI or alias that a resource has already, and then
/// the caller does not commit.
std::optional<std::string> insert_resource(db::Transaction& transaction, const model::Resource& resource);
/// Replaces everything but the URI and created_at; returns as insert_resource does.
std::optional<std::string> update_resource(db::Transaction& transaction, const model::Resource& resource);
/// Deletes the resource with its aliases. What was granted for it stays: clients that may name any resource still get
/// tokens.
void remove_resource(db::Transaction& transaction, std::string_view uri);

}  // namespace postern::store
