// What does a link that came by mail prove?
#pragma once

#include "db/database.h"
#include "model/link.h"
#include "util/clock.h"

namespace postern::web {

/// The user of the link reads the mail of the address to which it was sent (LINK-9): one of purpose `email` sets the
/// address, and any other proves it, as long as it is still the user's. In the transaction that spends the link.
/// Nothing for a link that was not sent by mail.
void confirm_address(db::Transaction& transaction, const model::Link& link, util::Time now);

/// Whether it was sent to an address that is not the user's any more, and so may be read by another person: such a link
/// is void, unless it is the one that brings the new address.
bool is_of_former_address(db::Database& database, const model::Link& link);

}  // namespace postern::web
