// Decides how values that several tables share are read from their columns.
#include "store/columns.h"

#include <cstdint>
#include <string>

#include "store/client_values.h"

namespace postern::store {
namespace {

std::string read_text(db::Statement& row) {
    std::string text;
    row >> text;
    return text;
}

}  // namespace

db::Statement& operator>>(db::Statement& row, model::Level& level) {
    std::int64_t number = 0;
    row >> number;
    level = static_cast<model::Level>(number);
    return row;
}

db::Statement& operator>>(db::Statement& row, model::Scope& scope) {
    scope = model::Scope::stored(read_text(row));
    return row;
}

db::Statement& operator>>(db::Statement& row, model::ClaimNames& names) {
    names = model::parse_claim_names(read_text(row));
    return row;
}

db::Statement& operator>>(db::Statement& row, model::ResourceUris& uris) {
    uris = model::parse_resource_uris(read_text(row));
    return row;
}

db::Statement& operator>>(db::Statement& row, model::ResourceScopes& scopes) {
    scopes = model::parse_resource_scopes(read_text(row));
    return row;
}

db::Statement& operator>>(db::Statement& row, model::Grant& grant) {
    return row >> grant.id >> grant.client_id >> grant.subject >> grant.scope >> grant.auth_time >> grant.sid >>
           grant.created_at >> grant.ended_at >> grant.claims.userinfo >> grant.claims.id_token >> grant.resources >>
           grant.acr >> grant.amr >> grant.ignored_scope >> grant.bound_to.jkt >> grant.bound_to.x5t;
}

db::Statement& operator>>(db::Statement& row, model::ClientState& state) {
    row >> state.enabled;
    state.origin = known(model::parse_origin(read_text(row)), "origin");
    bool is_without_token = false;
    row >> is_without_token;
    state.of_stranger = is_without_token && state.origin == model::Origin::dynamic;
    return row;
}

std::int64_t number_of(db::Statement row) { return row.step() ? row.integer(0) : 0; }

}  // namespace postern::store
