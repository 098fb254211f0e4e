// Is this login older than max_age allows? One definition for both endpoints (docs/decisions/0005).
#pragma once

#include "model/session.h"
#include "util/clock.h"

namespace postern::oauth {

/// Whole seconds: stale when now > auth_time + max_age. A login that lies more than a minute ahead is stale too: a
/// clock that went back must not make old logins fresh. A login of which the time is not known is stale always.
inline bool is_stale_login(util::Time auth_time, util::Seconds max_age, util::Time now) {
    constexpr util::Seconds kClockTolerance{60};
    if (auth_time == model::kAuthTimeUnknown) return true;
    return now > auth_time + max_age || auth_time > now + kClockTolerance;
}

}  // namespace postern::oauth
