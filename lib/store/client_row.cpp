// Decides which column holds what of a client (RFC 6749 §2).
#include "store/client_row.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/client_values.h"
#include "store/columns.h"

namespace postern::store {
namespace {

using model::Client;

constexpr const char* kConfidential = "confidential";
constexpr const char* kPublic = "public";

/// $1 is the id, $2 to $23 are everything else but created_at, origin, last_used_at, brought_by, registered_by and
/// registration_token_hash. True when a row was written.
template <class... More>
bool write_client(db::Transaction& transaction, const char* sql, const Client& client, const More&... more) {
    const char* type = client.type == model::ClientType::public_ ? kPublic : kConfidential;
    const auto profile = client.access_token_profile ? to_string(*client.access_token_profile) : std::string_view();
    return transaction.run(sql, client.id, client.name, type, client.native, client.first_party, client.enabled,
                           column_of(client.grants), client.scope, to_string(client.auth_method),
                           to_string(client.pkce), client.restricted, to_string(client.groups), client.id_token_claims,
                           profile, client.groups_in_access_token, client.default_resource,
                           model::to_string(client.resources), client.removable_at,
                           static_cast<std::int64_t>(client.level), column_of(client.names),
                           model::to_string(client.introspection_claims), column_of(client.response_types),
                           details_of(client), more...) == 1;
}

}  // namespace

Client read_client(db::Statement& row) {
    Client client;
    std::string type, grants, auth_method, pkce, groups, profile, origin, names, response_types, details;
    row >> client.id >> client.name >> type >> client.native >> client.first_party >> client.enabled >> grants >>
        client.scope >> auth_method >> pkce >> client.created_at >> client.restricted >> groups >>
        client.id_token_claims >> profile >> client.groups_in_access_token >> client.default_resource >>
        client.resources >> client.own_claims >> origin >> client.last_used_at >> client.removable_at >>
        client.brought_by >> client.level >> names >> client.introspection_claims >> response_types >> details >>
        client.registered_by >> client.registration_token_hash;
    client.names = parse_names(names);
    client.type = type == kPublic ? model::ClientType::public_ : model::ClientType::confidential;
    client.grants = parse_grants(grants);
    client.response_types = parse_response_types(response_types);
    read_details(details, client);
    client.auth_method = known(model::parse_auth_method(auth_method), "auth_method");
    client.pkce = known(model::parse_pkce(pkce), "pkce");
    client.groups = known(model::parse_told_groups(groups), "groups");
    client.origin = known(model::parse_origin(origin), "origin");
    if (!profile.empty())
        client.access_token_profile = known(model::parse_token_profile(profile), "access_token_profile");
    return client;
}

bool insert_client_row(db::Transaction& transaction, const Client& client) {
    constexpr const char* kInsert =
        "INSERT INTO clients"
        " (id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce, restricted, groups,"
        " id_token_claims, access_token_profile, groups_in_access_token, default_resource, resources, removable_at,"
        " level, names, introspection_claims, response_types, details, created_at, origin, last_used_at, brought_by,"
        " registered_by, registration_token_hash)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,"
        " $23, $24, $25, $26, $27, $28, $29)"
        " ON CONFLICT (id) DO NOTHING";
    return write_client(transaction, kInsert, client, client.created_at, to_string(client.origin), client.last_used_at,
                        client.brought_by, client.registered_by, client.registration_token_hash);
}

bool update_client_row(db::Transaction& transaction, const Client& client) {
    constexpr const char* kUpdate =
        "UPDATE clients SET name = $2, type = $3, native = $4, first_party = $5, enabled = $6, grants = $7,"
        " scope = $8, auth_method = $9, pkce = $10, restricted = $11, groups = $12, id_token_claims = $13,"
        " access_token_profile = $14, groups_in_access_token = $15, default_resource = $16, resources = $17,"
        " removable_at = $18, level = $19, names = $20, introspection_claims = $21, response_types = $22, details = $23"
        " WHERE id = $1";
    return write_client(transaction, kUpdate, client);
}

}  // namespace postern::store
