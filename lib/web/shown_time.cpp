#include "web/shown_time.h"

#include <chrono>

namespace postern::web {
namespace {

constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};

std::string two_digits(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

}  // namespace

std::string shown_day(util::Time time) {
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
    return std::to_string(static_cast<unsigned>(date.day())) + " " + kMonths[static_cast<unsigned>(date.month()) - 1] +
           " " + std::to_string(static_cast<int>(date.year()));
}

std::string shown_time(util::Time time) {
    const std::chrono::hh_mm_ss clock(time - std::chrono::floor<std::chrono::days>(time));
    return shown_day(time) + ", " + two_digits(clock.hours().count()) + ":" + two_digits(clock.minutes().count()) +
           " UTC";
}

}  // namespace postern::web
