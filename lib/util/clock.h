// Wall-clock time as a value that is passed in, so that no test sleeps to make time pass.
#pragma once

#include <chrono>
#include <cstdint>

namespace postern::util {

using Time = std::chrono::sys_seconds;  ///< whole seconds since 1970-01-01 UTC, rounded down
using Seconds = std::chrono::seconds;

class Clock {
public:
    virtual ~Clock() = default;
    virtual Time now() const = 0;
};

class SystemClock final : public Clock {
public:
    Time now() const override { return std::chrono::floor<Seconds>(std::chrono::system_clock::now()); }
};

/// Returns the time that it was given, for tests.
class FixedClock final : public Clock {
public:
    explicit FixedClock(Time now) : now_(now) {}
    Time now() const override { return now_; }
    void advance(Seconds by) { now_ += by; }

private:
    Time now_;
};

/// The greatest time that is accepted: 9999-12-31T23:59:59Z, in seconds since the epoch.
inline constexpr std::int64_t kMaxEpoch = 253402300799;

/// Seconds since the epoch, as JSON and SQL carry them.
constexpr std::int64_t to_epoch(Time time) { return time.time_since_epoch().count(); }
constexpr Time from_epoch(std::int64_t seconds) { return Time{Seconds{seconds}}; }

}  // namespace postern::util
