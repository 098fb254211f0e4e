// Table `consents`: the access that users have approved, and the applications that have it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/authorization.h"
#include "model/claim_names.h"
#include "model/ids.h"
#include "model/scope.h"
#include "util/clock.h"

namespace postern::store {

std::optional<model::Consent> find_consent(db::Database& database, const model::ClientId& client,
                                           const model::Subject& subject);
/// Adds the consent to what was approved before.
void save_consent(db::Transaction& transaction, const model::Consent& consent);
/// Removes the consent; false when there was none. Grants are not touched: end_grants_of ends them.
bool remove_consent(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject);

/// Removes the consents of all users to the client.
void remove_consents(db::Transaction& transaction, const model::ClientId& client);

struct ListedConsent {
    model::Consent consent;
    std::string username;
};
/// Returns the consents, the oldest first; of one client, one user, or both, when named.
db::Rows<ListedConsent> list_consents(db::Database& database, const std::optional<model::ClientId>& client,
                                      const std::optional<model::Subject>& subject, db::Limit limit = {});

struct WithdrawnAccess {
    bool consent = false;     ///< there was one
    std::int64_t grants = 0;  ///< that have ended
};
/// Takes back what the user has approved for the client: the consent, the grants with all that is under them, and the
/// user's approved requests, which would become grants.
WithdrawnAccess withdraw_access(db::Transaction& transaction, const model::ClientId& client,
                                const model::Subject& subject, util::Time now);

struct Application {
    model::ClientId client_id;
    model::Scope scope;                   ///< of the consent and of all live grants
    model::ClaimNames claims;             ///< of the consent and of all live grants, beyond the scope
    util::Time since{};                   ///< of the oldest of them
    std::optional<util::Time> last_used;  ///< the latest token or grant that is stored; nullopt: no grant is live
};

/// Returns every client with a consent of the user or a grant that has not ended and still has something under it, by
/// id.
std::vector<Application> list_applications(db::Database& database, const model::Subject& subject, util::Time now);

}  // namespace postern::store
