// The page of a user's recovery codes: how many are left, and new ones.
#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "web/account/visit.h"

namespace postern::web {

/// How many are left; with `new` in the query whether new ones are to be made, which needs a recent login.
http::Response show_codes(AccountVisit& visit);

/// After a recent login. Makes new ones and answers with them, once for each page that asked (docs/decisions/0073).
http::Response submit_codes(AccountVisit& visit);

/// New ones in place of all of before. Needs factor.key. Once that is committed, show_new_codes.
std::vector<std::string> make_codes(const AccountVisit& visit, db::Transaction& transaction, util::Time now);

/// Their audit line, and the answer that shows them, this once. `done` says what else has been changed, or "".
http::Response show_new_codes(AccountVisit& visit, const std::vector<std::string>& codes, const std::string& done);

}  // namespace postern::web
