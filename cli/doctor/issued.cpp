// Checks that the response types and algorithms for which clients are registered are still offered.
#include <algorithm>

#include "cli/doctor/clients.h"
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "oauth/client_demands.h"
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

bool has_type_that_is_off(const model::Client& client, const oauth::Settings& settings) {
    return std::ranges::any_of(model::response_types_of(client),
                               [&](model::ResponseType type) { return !settings.offers(type); });
}

bool has_algorithm_that_left(const model::Client& client, const oauth::Settings& settings) {
    return client.id_token_algorithm && !settings.offers_id_tokens_by(*client.id_token_algorithm);
}

bool has_response_algorithm_that_left(const model::Client& client, const oauth::Settings& settings) {
    return settings.jarm && client.response_algorithm && !settings.offers_id_tokens_by(*client.response_algorithm);
}

bool must_push_and_may_not(const model::Client& client, const oauth::Settings& settings) {
    return client.require_par && !oauth::can_push(settings, client.type);
}

bool must_be_bound_while_off(const model::Client& client, const oauth::Settings& settings) {
    return client.dpop_bound && !settings.dpop;
}

bool must_sign_while_off(const model::Client& client, const oauth::Settings& settings) {
    return client.require_signed_request && !settings.request_objects;
}

bool must_be_bound_to_certificate_while_off(const model::Client& client, const oauth::Settings& settings) {
    return client.tls_bound && !settings.mtls;
}

bool must_be_answered_signed_while_off(const model::Client& client, const oauth::Settings& settings) {
    return oauth::demands_signed_answers(settings, client) && !settings.jarm;
}

/// A way in which a registration can have fallen out of the configuration.
struct Misfit {
    bool (*is_there)(const model::Client& client, const oauth::Settings& settings);
    State state;
    const char* problem;  ///< behind the number of clients
    const char* fix;
    util::OwnWords command;  ///< with the client behind it
};

const Misfit kMisfits[] = {
    {has_type_that_is_off, State::warning,
     " with a response type that is switched off: requests for it are refused, first of all ",
     "add it to \"responseTypes\" in the configuration, or ", "postern client set --response-type TYPE"},
    {has_algorithm_that_left, State::error,
     " with ID tokens of an algorithm that idTokenAlgorithms has no more: no ID token is issued, first of all to ",
     "add it there, or ", "postern client set --no-id-token-signed-response-alg"},
    {has_response_algorithm_that_left, State::error,
     " with signed answers of an algorithm that idTokenAlgorithms has no more: none is sent, first of all to ",
     "add it there, or ", "postern client set --no-authorization-signed-response-alg"},
    {must_push_and_may_not, State::warning,
     " that must push their requests and may not: no user can sign in to them, first of all ",
     "name paths.par in the configuration, with par.publicClients for clients without a secret, or ",
     "postern client set --no-require-pushed-authorization-requests"},
    {must_be_bound_while_off, State::warning,
     " with tokens bound to keys, which is switched off: no token is issued, first of all to ",
     "set \"dpop\": \"allowed\" in the configuration, or ", "postern client set --no-dpop-bound-access-tokens"},
    {must_sign_while_off, State::warning,
     " that must sign their requests, which is switched off: no user can sign in to them, first of all ",
     "set \"requestObjects\": \"allowed\" in the configuration, or ",
     "postern client set --no-require-signed-request-object"},
    {must_be_bound_to_certificate_while_off, State::warning,
     " with tokens bound to certificates, and mtls is not configured: no token is issued, first of all to ",
     "configure \"mtls\", or ", "postern client set --no-tls-client-certificate-bound-access-tokens"},
    {must_be_answered_signed_while_off, State::warning,
     " with signed answers alone, which are switched off: no user can sign in to them, first of all ",
     "set \"jarm\" in the configuration, or ", "postern client set --no-response-mode"},
};

}  // namespace

void check_issued(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    std::vector<model::Client> clients;
    for (const model::ClientId& id : special_clients(database))
        if (auto client = store::find_client(database, id)) clients.push_back(*std::move(client));
    for (const Misfit& row : kMisfits) {
        FoundClients found;
        for (const model::Client& client : clients)
            if (row.is_there(client, settings)) found.add(client);
        if (found.clients > 0)
            findings.add({"clients", row.state, counted(found.clients, "client") + row.problem + in_quotes(found.first),
                          row.fix + util::ShellCommand(row.command).value(found.first).text()});
    }
}

}  // namespace postern::cli
