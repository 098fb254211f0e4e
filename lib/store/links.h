// Table `links`.
#pragma once

#include <optional>
#include <string>

#include "db/database.h"
#include "model/link.h"

namespace postern::store {

/// Stores the link, void as soon as the user's password or second factors change or the user is disabled
/// (`users.stamp`). The user's links of the same purpose do nothing any more. False, and nothing is written: there is
/// no such user.
bool insert_link(db::Transaction& transaction, const model::Link& link);

struct FoundLink {
    model::Link link;
    std::string username;
    bool is_void = false;  ///< the user has changed since it was made (insert_link); true also for one that was used
};
/// Finds the link without spending it. nullopt: the link was never made, has been replaced, or is deleted.
std::optional<FoundLink> find_link(db::Database& database, const model::ValueHash& token_hash);

/// Spends the link: true for one request alone, and only while the link is unused, unexpired and not void. No other
/// transaction changes the user until this one ends, which is to do what the link is for.
bool spend_link(db::Transaction& transaction, const model::Link& link, util::Time now);

}  // namespace postern::store
