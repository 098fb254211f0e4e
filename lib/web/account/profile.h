// The page of what is known about a user, and of what of it the user may change (ACCOUNT-11, ACCOUNT-12).
#pragma once

#include "http/message.h"
#include "web/account/visit.h"

namespace postern::web {

http::Response show_profile(AccountVisit& visit);
http::Response submit_profile(AccountVisit& visit);

}  // namespace postern::web
