// The page of a user's recovery codes: how many are left, and new ones.
#pragma once

#include <string>
#include <vector>

#include "web/account/visit.h"

namespace postern::web {

/// How many are left; with `new` in the query whether new ones are to be made, which needs a recent login.
http::Response show_codes(AccountVisit& visit);

/// After a recent login. Makes new ones and answers with them, once for each page that asked (docs/decisions/0073).
http::Response submit_codes(AccountVisit& visit);

/// The audit line of codes that have been committed, and the answer that shows them, this once. `done` says what else
/// has been changed, or "". `next`: URL of what comes after them, the overview unless it is given.
http::Response show_new_codes(AccountVisit& visit, const std::vector<std::string>& codes, const text::Message& done,
                              const std::string& next = "");

}  // namespace postern::web
