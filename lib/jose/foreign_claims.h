// The claims that JWTs of others have in common: times, audience, and the name that is used once (KEY-7, KEY-8, JTI-5).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::jose {

/// Returns a value of a JWT as a line of the log shows it: its first `size` bytes, of UTF-8, without control
/// characters.
std::string shown(std::string_view value, std::size_t size = 200);

/// The time for which a JWT is taken after `exp`.
inline constexpr util::Seconds kExpiryGrace{10};

/// Returns the time of a claim (RFC 7519 §2, NumericDate) in whole seconds; nullopt: it is absent, no number, negative,
/// or 2^53 or more.
std::optional<util::Time> find_time(const json::Object& claims, std::string_view name);

/// The first claim that breaks a rule.
struct ClaimFault {
    std::string detail;         ///< a sentence for the log
    bool is_of_clocks = false;  ///< the claim is a time in order, which the clock of this server does not fit
};

/// Checks `exp`, `iat` and `nbf`, of which each may be absent. `clock_skew`: how far ahead `iat` and `nbf` may be. The
/// error names the claim and how many seconds it is off; of a JWT that has expired also its age, if it has `iat`.
util::Result<void, ClaimFault> check_times(const json::Object& claims, util::Time now, util::Seconds clock_skew);

/// The claim `aud` (RFC 7519 §4.1.3).
struct Audience {
    std::vector<std::string> values;
    bool is_array = false;
};
/// Returns nullopt when it is absent, empty, or not a string or an array of strings.
std::optional<Audience> find_audience(const json::Object& claims);

/// Returns `jti`, 1 to 256 bytes; nullopt: it is absent or another value.
const std::string* find_jti(const json::Object& claims);

}  // namespace postern::jose
