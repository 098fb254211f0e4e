// The page of what has happened to an account of late (ACCOUNT-13).
#pragma once

#include "http/message.h"
#include "web/account/visit.h"

namespace postern::web {

http::Response show_activity(AccountVisit& visit);

}  // namespace postern::web
