// A link that came by mail proves that its user reads the mail of an address.
#pragma once

#include "db/database.h"
#include "model/link.h"
#include "util/clock.h"

namespace postern::web {

/// Records that the user reads the mail of the address to which the link was sent (LINK-9), in the transaction that
/// spends the link: one of purpose `email` sets the address, and any other proves it, as long as it is still the
/// user's. Does nothing for a link that was not sent by mail.
void confirm_address(db::Transaction& transaction, const model::Link& link, util::Time now);

/// Returns true for a link that was sent to an address that is not the user's any more, and so may be read by another
/// person: it is void, unless it brings the new address.
bool is_of_former_address(db::Database& database, const model::Link& link);

}  // namespace postern::web
