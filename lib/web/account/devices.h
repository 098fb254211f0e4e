// The page of the browsers in which a user is signed in.
#pragma once

#include <cstdint>

#include "web/account/visit.h"

namespace postern::web {

/// How many there are, whatever the page lists.
std::int64_t count_devices(const AccountVisit& visit);

http::Response show_devices(AccountVisit& visit);

/// Signs one of them out, or all but this. That needs no recent login: it only takes away.
http::Response submit_devices(AccountVisit& visit);

}  // namespace postern::web
