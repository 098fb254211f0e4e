// Checks that the response types and algorithms for which clients are registered are still offered.
#include <algorithm>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "store/clients.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr std::int64_t kClientsLookedAt = 10000;

/// The clients that are registered for something else than the defaults of those who use a code.
std::vector<model::ClientId> special_clients(db::Database& database) {
    auto row = database.query(
        "SELECT id FROM clients WHERE enabled = 1"
        " AND (response_types <> '' OR details <> '' OR grants LIKE '%implicit%') ORDER BY id LIMIT $1",
        kClientsLookedAt);
    std::vector<model::ClientId> ids;
    while (row.step()) row >> ids.emplace_back();
    return ids;
}

/// The first of the clients, and how many there are.
struct Named {
    std::int64_t clients = 0;
    std::string first;

    void add(const model::Client& client) {
        if (clients++ == 0) first = client.id.str();
    }
};

bool has_type_that_is_off(const model::Client& client, const oauth::Settings& settings) {
    return std::ranges::any_of(model::response_types_of(client),
                               [&](model::ResponseType type) { return !settings.offers(type); });
}

bool has_algorithm_that_left(const model::Client& client, const oauth::Settings& settings) {
    return client.id_token_algorithm && !settings.offers_id_tokens_by(*client.id_token_algorithm);
}

}  // namespace

void check_issued(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    Named types;
    Named algorithms;
    for (const model::ClientId& id : special_clients(database)) {
        const auto client = store::find_client(database, id);
        if (client && has_type_that_is_off(*client, settings)) types.add(*client);
        if (client && has_algorithm_that_left(*client, settings)) algorithms.add(*client);
    }
    if (types.clients > 0)
        findings.warning("clients",
                         counted(types.clients, "client") +
                             " with a response type that is switched off: requests for it are refused, first of all " +
                             in_quotes(types.first),
                         "add it to \"responseTypes\" in the configuration, or " +
                             util::ShellCommand("postern client set --response-type TYPE").value(types.first).text());
    if (algorithms.clients > 0)
        findings.error("clients",
                       counted(algorithms.clients, "client") +
                           " with ID tokens of an algorithm that idTokenAlgorithms has no more: no ID token is issued, "
                           "first of all to " +
                           in_quotes(algorithms.first),
                       "add it there, or " + util::ShellCommand("postern client set --no-id-token-signed-response-alg")
                                                 .value(algorithms.first)
                                                 .text());
}

}  // namespace postern::cli
