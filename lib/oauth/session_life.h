// The sessions that count by the settings of today.
#pragma once

#include "oauth/settings.h"
#include "store/sessions.h"

namespace postern::oauth {

/// Returns the bounds of sessions that count. A session keeps the expiry of its beginning, and ends earlier when
/// `sessionTTL` was lowered since: docs/decisions/0107.
inline store::SessionLife session_life(const Settings& settings, util::Time now) {
    return {.now = now, .idle_since = now - settings.session_idle_ttl, .begun_after = now - settings.session_ttl};
}

}  // namespace postern::oauth
