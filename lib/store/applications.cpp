// Which clients have access to something of a user's?
#include "store/applications.h"

#include <algorithm>
#include <map>

#include "store/columns.h"

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
        "SELECT client_id, scope, userinfo_claims, id_token_claims, created_at,"
        " COALESCE((SELECT MAX(issued_at) FROM access_tokens a WHERE a.grant_id = g.id), created_at),"
        " COALESCE((SELECT MAX(issued_at) FROM refresh_tokens r WHERE r.grant_id = g.id), created_at)"
        " FROM grants g WHERE subject = $1 AND ended_at IS NULL AND kept_until > $2",
        subject, now);
    while (rows.step()) {
        Access access;
        std::string userinfo, id_token;
        util::Time accessed{}, refreshed{};
        rows >> access.client_id >> access.scope >> userinfo >> id_token >> access.since >> accessed >> refreshed;
        access.claims = model::parse_claim_names(userinfo);
        access.claims.merge(model::parse_claim_names(id_token));
        Application& application = add(all, access);
        application.last_used = std::max({application.last_used.value_or(accessed), accessed, refreshed});
    }
}

}  // namespace

std::vector<Application> list_applications(db::Database& database, const model::Subject& subject, util::Time now) {
    Applications all;
    add_consents(database, subject, all);
    add_grants(database, subject, now, all);
    std::vector<Application> list;
    for (auto& [id, application] : all) list.push_back(std::move(application));
    return list;
}

}  // namespace postern::store
