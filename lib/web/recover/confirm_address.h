// What does a link that came by mail prove?
#pragma once

#include "db/database.h"
#include "model/link.h"
#include "util/clock.h"

namespace postern::web {

/// Whoever used the link reads the mail of the address to which it was sent (LINK-9): one of purpose `email` sets the
/// address, and any other proves it, as long as it is still the user's. In the transaction that spends the link.
/// Nothing for a link that was not sent by mail.
void confirm_address(db::Transaction& transaction, const model::Link& link, util::Time now);

}  // namespace postern::web
