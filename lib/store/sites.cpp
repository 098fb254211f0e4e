// Decides which clients are the sites of an origin, and which client a URL is of.
#include "store/sites.h"

#include <string>

#include "store/client_row.h"

namespace postern::store {
namespace {

using model::Client;
using model::ClientId;

Client read_site_client(db::Statement& row) {
    Client client = read_client(row);
    // Left out, its URL would be that of the site around it.
    if (!client.site)
        throw db::StoreError("the client " + client.id.str() +
                             " is in the table sites, and has no site in clients.details");
    return client;
}

std::vector<Client> sites_of(db::Statement rows) {
    std::vector<Client> sites;
    while (rows.step()) sites.push_back(read_site_client(rows));
    return sites;
}

}  // namespace

std::vector<Client> find_sites(db::Database& database, std::string_view origin) {
    // '0' is what comes behind '/'.
    return sites_of(database.query("SELECT " POSTERN_CLIENT_COLUMNS " FROM sites s JOIN clients c ON c.id = s.client_id"
                                   " WHERE s.url >= $1 AND s.url < $2 ORDER BY s.url",
                                   std::string(origin) + "/", std::string(origin) + "0"));
}

std::vector<Client> list_sites(db::Database& database, db::Limit limit) {
    return sites_of(database.query("SELECT " POSTERN_CLIENT_COLUMNS
                                   " FROM sites s JOIN clients c ON c.id = s.client_id ORDER BY s.client_id LIMIT $1",
                                   limit.rows));
}

std::optional<ClientId> find_site(db::Database& database, std::string_view url) {
    auto row = database.query("SELECT client_id FROM sites WHERE url = $1", url);
    if (!row.step()) return std::nullopt;
    ClientId id;
    row >> id;
    return id;
}

void insert_site(db::Transaction& transaction, const Client& client) {
    if (client.site)
        transaction.queue("INSERT INTO sites (url, client_id) VALUES ($1, $2)", client.site->url, client.id);
}

void replace_site(db::Transaction& transaction, const Client& client) {
    if (client.site) transaction.queue("DELETE FROM sites WHERE client_id = $1", client.id);
    insert_site(transaction, client);
}

}  // namespace postern::store
