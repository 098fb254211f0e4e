// What is out there: the codes and tokens of all grants, as an operator sees them. Their values are nowhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "model/grant.h"

namespace postern::store {

/// Which grants are meant; what is not named is not asked for.
struct GrantFilter {
    std::optional<model::ClientId> client;
    std::optional<model::Subject> subject;
    std::optional<util::Time> before;  ///< given before this moment
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

/// The oldest first. Everything: what was used, revoked or has expired too, as far as it is still remembered. All at
/// once, a few hundred bytes each: a reader who is paused by its terminal must not keep the log from being copied back.
std::vector<ListedToken> list_tokens(db::Database& database, const GrantFilter& filter, util::Time now, Listed listed);

/// The grants that the filter means and that have not ended.
std::vector<model::GrantId> find_living_grants(db::Database& database, const GrantFilter& filter);

}  // namespace postern::store
