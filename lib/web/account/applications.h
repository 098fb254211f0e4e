// The page of the applications that have access to something of the user's.
#pragma once

#include "web/account/visit.h"

namespace postern::web {

http::Response show_applications(AccountVisit& visit);

/// Withdraws the consent to one of them and ends its grants. That needs no recent login: it only takes away.
http::Response submit_applications(AccountVisit& visit);

}  // namespace postern::web
