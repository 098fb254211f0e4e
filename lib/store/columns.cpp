// Decides how values that several tables share come out of their columns.
#include "store/columns.h"

#include "util/text.h"

namespace postern::store {

model::Scope scope_at(const db::Statement& row, int column) {
    model::Scope scope;
    const auto text = row.text(column);
    for (const auto token : util::split(text, ' ')) {
        if (!token.empty()) scope.add(token);
    }
    return scope;
}

model::Grant grant_at(const db::Statement& row, int first_column) {
    const int c = first_column;
    model::Grant grant;
    grant.id = model::GrantId(row.text(c));
    grant.client_id = model::ClientId(row.text(c + 1));
    grant.subject = model::Subject(row.text(c + 2));
    grant.scope = scope_at(row, c + 3);
    grant.auth_time = time_at(row, c + 4);
    grant.sid = model::Sid(row.text(c + 5));
    grant.created_at = time_at(row, c + 6);
    grant.ended_at = optional_time_at(row, c + 7);
    grant.claims.userinfo = model::parse_claim_names(row.text(c + 8));
    grant.claims.id_token = model::parse_claim_names(row.text(c + 9));
    return grant;
}

}  // namespace postern::store
