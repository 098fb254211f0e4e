// The first page of the account: who is signed in, and what there is to manage.
#pragma once

#include "web/account/visit.h"

namespace postern::web {

http::Response show_overview(AccountVisit& visit);

}  // namespace postern::web
