// The single use of what a client signs: an assertion (RFC 7523 §3) or a proof (RFC 9449 §11.1).
#pragma once

#include "audit/trail.h"
#include "db/database.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "refusal/reason.h"
#include "store/replays.h"

namespace postern::oauth {

/// The words in which a kind of signed text is refused.
struct SingleUse {
    audit::Event replayed;
    refusal::Reason again;
    const char* description;   ///< to the client, of one that was used before
    const char* again_detail;  ///< for the operator
    refusal::Reason crowded;
    const char* crowded_description;
    const char* crowded_detail;
};

/// Marks the use in `marks`: `again` where it was used before, 429 `crowded` where the sender has its share of marks.
/// The trail names `client`. Throws StoreError when the use cannot be remembered: then nobody may be let in.
Outcome<void> use_once(Context& context, db::Database& marks, store::ReplayKind kind, const store::Mark& mark,
                       const model::ClientId& client, const SingleUse& words);

}  // namespace postern::oauth
