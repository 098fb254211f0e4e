// Decides how codes and tokens are listed, and which of them are active.
#include "store/token_list.h"

#include "store/columns.h"

namespace postern::store {
namespace {

// $1 client, $2 subject, $3 before, each NULL when it is not asked for.
#define POSTERN_GRANT_FILTER \
    " ($1 IS NULL OR g.client_id = $1) AND ($2 IS NULL OR g.subject = $2) AND ($3 IS NULL OR g.created_at < $3)"

// $4 is now, $5 whether inactive ones are listed too. `usable` is what each table says for itself; the rest is the same
// for all: the grant lives, client and user are enabled.
constexpr const char* kTokens =
    "SELECT kind, grant_id, client_id, subject, username, scope, audience, jti, issued_at, expires_at, active FROM ("
    "SELECT t.kind, t.grant_id, g.client_id, g.subject, u.username, COALESCE(t.scope, g.scope) AS scope, t.audience,"
    " t.jti, COALESCE(t.issued_at, g.created_at) AS issued_at, t.expires_at,"
    " t.usable AND t.expires_at > $4 AND g.ended_at IS NULL AND c.enabled = 1"
    " AND (g.subject IS NULL OR u.enabled = 1) AS active"
    " FROM ("
    "SELECT 'authorization_code' AS kind, grant_id, NULL AS scope, audience, NULL AS jti, NULL AS issued_at,"
    " expires_at, redeemed_at IS NULL AND burned_at IS NULL AS usable FROM authorization_codes"
    " UNION ALL "
    "SELECT 'access_token', grant_id, scope, audience, jti, issued_at, expires_at, revoked_at IS NULL"
    " FROM access_tokens"
    " UNION ALL "
    "SELECT 'refresh_token', grant_id, NULL, NULL, NULL, issued_at, expires_at,"
    " state = 'current' AND revoked_at IS NULL FROM refresh_tokens"
    ") t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id"
    " LEFT JOIN users u ON u.subject = g.subject"
    " WHERE" POSTERN_GRANT_FILTER ") listed WHERE active OR $5 = 1 ORDER BY issued_at, grant_id, kind LIMIT $6";

}  // namespace

db::Rows<ListedToken> list_tokens(db::Database& database, const GrantFilter& filter, util::Time now, Listed listed,
                                  db::Limit limit) {
    const bool all = listed == Listed::everything;
    return {database.list(kTokens, filter.client, filter.subject, filter.before, now, all, limit.rows),
            [](db::Statement& row, ListedToken& token) {
                row >> token.kind >> token.grant_id >> token.client_id >> token.subject >> token.username >>
                    token.scope >> token.audience >> token.jti >> token.issued_at >> token.expires_at >> token.active;
            }};
}

std::vector<model::GrantId> find_living_grants(db::Database& database, const GrantFilter& filter) {
    return values_of<model::GrantId>(database.query("SELECT g.id FROM grants g WHERE" POSTERN_GRANT_FILTER
                                                    " AND g.ended_at IS NULL ORDER BY g.id",
                                                    filter.client, filter.subject, filter.before));
}

}  // namespace postern::store
