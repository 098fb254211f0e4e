// Checks the clients that authenticate by certificates, and the authorities that issue these.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "cli/doctor/clients.h"
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "db/database.h"
#include "jose/client_keys.h"
#include "oauth/authorities.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr util::Seconds kSoon{30 * 86400};
constexpr std::int64_t kClientsLookedAt = 10000;

/// A method that is switched off, and what switches it on.
struct Method {
    const char* name;
    bool (*is_offered)(const oauth::Settings& settings);
    const char* fix;
};
const Method kMethods[] = {
    {"tls_client_auth", [](const oauth::Settings& settings) { return settings.offers_tls_client_auth(); },
     "configure \"mtls\" with \"ca\", or "},
    {"self_signed_tls_client_auth", [](const oauth::Settings& settings) { return settings.mtls.has_value(); },
     "configure \"mtls\", or "},
};

void check_methods(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    for (const Method& method : kMethods)
        if (!method.is_offered(settings)) warn_of_method(findings, database, method.name, method.fix);
}

void check_dates(Findings& findings, const crypto::Authorities& authorities, const std::string& file, util::Time now) {
    for (const crypto::Certificate& authority : authorities.certificates()) {
        if (authority.not_after() > now + kSoon) continue;
        const bool is_past = authority.not_after() <= now;
        findings.add({"clients", is_past ? State::error : State::warning,
                      "the authority " + in_quotes(authority.subject()) + " in " + file +
                          (is_past ? " has expired" : " expires on " + to_text(authority.not_after())),
                      "add its successor to the file, and restart the endpoints"});
    }
}

/// A self-signed certificate is often one that may sign others (MTLS-15).
void check_clients_in_file(Findings& findings, db::Database& database, const crypto::Authorities& authorities,
                           const std::string& file) {
    auto row = database.query(
        "SELECT k.client_id, k.jwks FROM client_keys k JOIN clients c ON c.id = k.client_id"
        " WHERE c.auth_method = 'self_signed_tls_client_auth' ORDER BY k.client_id LIMIT $1",
        kClientsLookedAt);
    while (row.step()) {
        std::string client, jwks;
        row >> client >> jwks;
        const auto keys = jose::parse_client_keys(jwks);
        if (!keys) continue;
        const bool is_there =
            std::ranges::any_of(authorities.certificates(), [&](const crypto::Certificate& authority) {
                return std::ranges::any_of(*keys,
                                           [&](const jose::ClientKey& key) { return authority.has_key(key.members); });
            });
        if (is_there)
            findings.error("clients",
                           file + " has a certificate of the client " + in_quotes(client) +
                               ", which could sign certificates of other clients",
                           "remove it from there and from the authorities of the web server");
    }
}

}  // namespace

void check_certificates(Findings& findings, db::Database& database, const oauth::Settings& settings, util::Time now) {
    check_methods(findings, database, settings);
    if (!settings.offers_tls_client_auth()) return;
    const std::string& file = settings.mtls->ca;
    try {
        const crypto::Authorities authorities = oauth::read_authorities(file);
        check_dates(findings, authorities, file, now);
        check_clients_in_file(findings, database, authorities, file);
    } catch (const std::runtime_error& error) {
        findings.error("clients", error.what(), "let mtls.ca name a file with the authorities of clients, in PEM");
    }
}

}  // namespace postern::cli
