// Table `sites`: the URLs by which the gate finds the clients that are sites.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/client.h"

namespace postern::store {

/// Returns the sites of an origin (gate::SiteUrl), enabled or not, without URIs and secrets.
std::vector<model::Client> find_sites(db::Database& database, std::string_view origin);
/// Returns all sites by id, enabled or not, without URIs and secrets.
std::vector<model::Client> list_sites(db::Database& database, db::Limit limit = {});
/// Returns the client that is the site with that URL, enabled or not.
std::optional<model::ClientId> find_site(db::Database& database, std::string_view url);

/// Inserts the URL of a client that is a site; no effect for another client. Two clients never have one URL.
void insert_site(db::Transaction& transaction, const model::Client& client);
/// Puts that URL in the place of the one that was there.
void replace_site(db::Transaction& transaction, const model::Client& client);

}  // namespace postern::store
