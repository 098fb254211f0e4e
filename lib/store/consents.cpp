// Decides what is remembered of a user's approvals: the union of them, per client (OpenID Connect Core §3.1.2.4).
#include "store/consents.h"

#include "store/columns.h"

namespace postern::store {

std::optional<model::Consent> find_consent(db::Database& database, const model::ClientId& client,
                                           const model::Subject& subject) {
    auto row = database.prepare("SELECT scope, granted_at, claims FROM consents WHERE client_id = $1 AND subject = $2");
    if (!row.bind(1, client.str()).bind(2, subject.str()).step()) return std::nullopt;
    model::Consent consent;
    consent.client_id = client;
    consent.subject = subject;
    consent.scope = scope_at(row, 0);
    consent.granted_at = time_at(row, 1);
    consent.claims = model::parse_claim_names(row.text(2));
    return consent;
}

void save_consent(db::Transaction& transaction, const model::Consent& consent) {
    auto& database = transaction.database();
    // Read and write are one step: the transaction holds the write lock.
    model::Scope scope;
    model::ClaimNames claims = consent.claims;
    if (const auto before = find_consent(database, consent.client_id, consent.subject)) {
        scope = before->scope;
        claims.insert(before->claims.begin(), before->claims.end());
    }
    for (const auto& token : consent.scope.tokens()) scope.add(token);
    database
        .prepare(
            "INSERT INTO consents (client_id, subject, scope, granted_at, claims) VALUES ($1, $2, $3, $4, $5)"
            " ON CONFLICT (client_id, subject) DO UPDATE SET scope = excluded.scope, granted_at = excluded.granted_at,"
            " claims = excluded.claims")
        .bind(1, consent.client_id.str())
        .bind(2, consent.subject.str())
        .bind(3, scope.to_string())
        .bind(4, util::to_epoch(consent.granted_at))
        .bind(5, model::to_string(claims))
        .execute();
}

bool remove_consent(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject) {
    return transaction.database()
               .prepare("DELETE FROM consents WHERE client_id = $1 AND subject = $2")
               .bind(1, client.str())
               .bind(2, subject.str())
               .execute() == 1;
}

std::vector<ListedConsent> list_consents(db::Database& database, const std::optional<model::ClientId>& client,
                                         const std::optional<model::Subject>& subject) {
    auto rows = database.prepare(
        "SELECT c.client_id, c.subject, c.scope, c.granted_at, c.claims, u.username"
        " FROM consents c JOIN users u ON u.subject = c.subject"
        " WHERE ($1 IS NULL OR c.client_id = $1) AND ($2 IS NULL OR c.subject = $2)"
        " ORDER BY c.granted_at, c.client_id, u.username");
    rows.bind(1, optional_text(client)).bind(2, optional_text(subject));
    std::vector<ListedConsent> consents;
    while (rows.step()) {
        ListedConsent& listed = consents.emplace_back();
        listed.consent.client_id = model::ClientId(rows.text(0));
        listed.consent.subject = model::Subject(rows.text(1));
        listed.consent.scope = scope_at(rows, 2);
        listed.consent.granted_at = time_at(rows, 3);
        listed.consent.claims = model::parse_claim_names(rows.text(4));
        listed.username = rows.text(5);
    }
    return consents;
}

}  // namespace postern::store
