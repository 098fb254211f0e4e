// The codes and tokens of all grants, as an operator sees them, without their values, which are not stored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/grant.h"

namespace postern::store {

/// Selects grants; a member without a value selects all.
struct GrantFilter {
    std::optional<model::ClientId> client;
    std::optional<model::Subject> subject;
    std::optional<util::Time> before;  ///< created before this time
};

struct ListedToken {
    std::string kind;  ///< authorization_code, access_token or refresh_token
    model::GrantId grant_id;
    model::ClientId client_id;
    model::Subject subject;  ///< empty: no user is involved
    std::string username;
    std::string scope;
    std::string audience;
    std::string jti;  ///< of an access token
    util::Time issued_at{};
    util::Time expires_at{};
    bool active = false;  ///< it could be presented now
};

enum class Listed { active, everything };

/// Returns the codes and tokens, the oldest first. Listed::everything includes used, revoked and expired ones that are
/// still stored.
db::Rows<ListedToken> list_tokens(db::Database& database, const GrantFilter& filter, util::Time now, Listed listed,
                                  db::Limit limit = {});

/// Returns the selected grants that have not ended.
std::vector<model::GrantId> find_living_grants(db::Database& database, const GrantFilter& filter);

}  // namespace postern::store
