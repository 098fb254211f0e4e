// The page of the browsers in which a user is signed in.
#pragma once

#include "web/account/visit.h"

namespace postern::web {

http::Response show_devices(AccountVisit& visit);

/// Signs one of them out, or all but this. That needs no recent login: it only takes away.
http::Response submit_devices(AccountVisit& visit);

}  // namespace postern::web
