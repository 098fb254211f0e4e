// The page of a user's passkeys: they are added, named and removed there.
#pragma once

#include "web/account/visit.h"

namespace postern::web {

/// All of the user's; with `add` in the query the form that adds one, which needs a recent login.
http::Response show_passkeys(AccountVisit& visit);

/// After a recent login. Adds the passkey that a browser has made (WebAuthn §7.1), gives one another name, or removes
/// it. With the first second factor there are recovery codes: they are the answer then, and otherwise it is 303.
http::Response submit_passkeys(AccountVisit& visit);

}  // namespace postern::web
