// Which clients have access to something of a user's? From the tables of consents and grants.
#pragma once

#include <optional>
#include <vector>

#include "db/database.h"
#include "model/claim_names.h"
#include "model/ids.h"
#include "model/scope.h"
#include "util/clock.h"

namespace postern::store {

struct Application {
    model::ClientId client_id;
    model::Scope scope;                   ///< of the consent and of all live grants
    model::ClaimNames claims;             ///< likewise, beyond the scope
    util::Time since{};                   ///< of the oldest of them
    std::optional<util::Time> last_used;  ///< the latest token or grant that is stored; nullopt: no grant is live
};

/// Every client with a consent of the user or a grant that has not ended and still has something under it, by id.
std::vector<Application> list_applications(db::Database& database, const model::Subject& subject, util::Time now);

}  // namespace postern::store
