// Decides how a user's approvals are stored: their union, per client (OpenID Connect Core §3.1.2.4).
#include "store/consents.h"

#include <algorithm>
#include <map>

#include "store/authorization_requests.h"
#include "store/columns.h"
#include "store/grants.h"
#include "store/users.h"

namespace postern::store {
namespace {

using Applications = std::map<model::ClientId, Application>;

struct Access {
    model::ClientId client_id;
    model::Scope scope;
    model::ClaimNames claims;
    util::Time since{};
};

Application& add(Applications& all, const Access& access) {
    const auto [found, is_new] = all.try_emplace(access.client_id);
    Application& application = found->second;
    application.since = is_new ? access.since : std::min(application.since, access.since);
    application.client_id = access.client_id;
    application.scope.add(access.scope);
    application.claims.insert(access.claims.begin(), access.claims.end());
    return application;
}

void add_consents(db::Database& database, const model::Subject& subject, Applications& all) {
    auto rows = database.query(
        "SELECT client_id, scope, claims, granted_at, resources FROM consents WHERE subject = $1", subject);
    while (rows.step()) {
        Access access;
        model::ResourceScopes resources;
        rows >> access.client_id >> access.scope >> access.claims >> access.since >> resources;
        Application& application = add(all, access);
        for (const auto& [uri, scope] : resources) application.scope.add(scope);
    }
}

void add_grants(db::Database& database, const model::Subject& subject, util::Time now, Applications& all) {
    auto rows = database.query(
        "SELECT client_id, scope, userinfo_claims, id_token_claims, created_at, sid,"
        " (SELECT MAX(issued_at) FROM access_tokens a WHERE a.grant_id = g.id),"
        " (SELECT MAX(issued_at) FROM refresh_tokens r WHERE r.grant_id = g.id)"
        " FROM grants g WHERE subject = $1 AND ended_at IS NULL AND kept_until > $2",
        subject, now);
    while (rows.step()) {
        Access access;
        std::string userinfo, id_token;
        model::Sid sid;
        std::optional<util::Time> accessed, refreshed;
        rows >> access.client_id >> access.scope >> userinfo >> id_token >> access.since >> sid >> accessed >>
            refreshed;
        // Of a device, and approved: it has nothing before it polls (RFC 8628 §3.5).
        if (sid.empty() && !accessed && !refreshed) continue;
        access.claims = model::parse_claim_names(userinfo);
        access.claims.merge(model::parse_claim_names(id_token));
        Application& application = add(all, access);
        const auto used = std::max(accessed.value_or(access.since), refreshed.value_or(access.since));
        application.last_used = std::max(application.last_used.value_or(used), used);
    }
}

}  // namespace

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

std::vector<Application> list_applications(db::Database& database, const model::Subject& subject, util::Time now) {
    Applications all;
    add_consents(database, subject, all);
    add_grants(database, subject, now, all);
    std::vector<Application> list;
    for (auto& [id, application] : all) list.push_back(std::move(application));
    return list;
}

}  // namespace postern::store
