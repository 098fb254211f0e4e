// Decides how a user's approvals are stored: their union, per client (OpenID Connect Core §3.1.2.4).
#include "store/consents.h"

#include "store/authorization_requests.h"
#include "store/columns.h"
#include "store/grants.h"
#include "store/users.h"

namespace postern::store {
std::optional<model::Consent> find_consent(db::Database& database, const model::ClientId& client,
                                           const model::Subject& subject) {
    auto row = database.query(
        "SELECT scope, granted_at, claims, resources FROM consents WHERE client_id = $1 AND subject = $2", client,
        subject);
    if (!row.step()) return std::nullopt;
    model::Consent consent;
    consent.client_id = client;
    consent.subject = subject;
    row >> consent.scope >> consent.granted_at >> consent.claims >> consent.resources;
    return consent;
}

void save_consent(db::Transaction& transaction, const model::Consent& consent) {
    lock_user(transaction, consent.subject);  // read and write are one step
    model::Scope scope;
    model::ClaimNames claims = consent.claims;
    model::ResourceScopes resources;
    if (const auto before = find_consent(transaction.database(), consent.client_id, consent.subject)) {
        scope = before->scope;
        claims.insert(before->claims.begin(), before->claims.end());
        resources = before->resources;
    }
    scope.add(consent.scope);
    for (const auto& [uri, approved] : consent.resources) resources[uri].add(approved);
    transaction.queue(
        "INSERT INTO consents (client_id, subject, scope, granted_at, claims, resources) VALUES ($1, $2, $3, $4, $5, $6)"
        " ON CONFLICT (client_id, subject) DO UPDATE SET scope = excluded.scope, granted_at = excluded.granted_at,"
        " claims = excluded.claims, resources = excluded.resources",
        consent.client_id, consent.subject, scope, consent.granted_at, model::to_string(claims),
        model::to_string(resources));
}

bool remove_consent(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject) {
    lock_user(transaction, subject);
    return transaction.run("DELETE FROM consents WHERE client_id = $1 AND subject = $2", client, subject) == 1;
}

void remove_consents(db::Transaction& transaction, const model::ClientId& client) {
    transaction.queue("DELETE FROM consents WHERE client_id = $1", client);
}

WithdrawnAccess withdraw_access(db::Transaction& transaction, const model::ClientId& client,
                                const model::Subject& subject, util::Time now) {
    WithdrawnAccess withdrawn;
    withdrawn.consent = remove_consent(transaction, client, subject);
    end_open_requests(transaction, subject);
    withdrawn.grants = end_grants_of(transaction, client, subject, now);
    return withdrawn;
}

db::Rows<ListedConsent> list_consents(db::Database& database, const std::optional<model::ClientId>& client,
                                      const std::optional<model::Subject>& subject, db::Limit limit) {
    constexpr const char* kConsents =
        "SELECT c.client_id, c.subject, c.scope, c.granted_at, c.claims, c.resources, u.username"
        " FROM consents c JOIN users u ON u.subject = c.subject"
        " WHERE ($1 IS NULL OR c.client_id = $1) AND ($2 IS NULL OR c.subject = $2)"
        " ORDER BY c.granted_at, c.client_id, u.username LIMIT $3";
    return {database.list(kConsents, client, subject, limit.rows), [](db::Statement& row, ListedConsent& listed) {
                auto& consent = listed.consent;
                row >> consent.client_id >> consent.subject >> consent.scope >> consent.granted_at >> consent.claims >>
                    consent.resources >> listed.username;
            }};
}

}  // namespace postern::store
