#include "fetch/freshness.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>

#include "util/text.h"

namespace postern::fetch {
namespace {

using util::Seconds;

constexpr std::int64_t kMostSeconds = 2147483648;  // RFC 9111 §1.2.2: what is greater counts as this

/// delta-seconds; nullopt: it is none.
std::optional<Seconds> parse_seconds(std::string_view text) {
    const bool is_number = !text.empty() && std::ranges::all_of(text, util::is_digit);
    if (!is_number) return std::nullopt;
    return Seconds(util::parse_digits(text, kMostSeconds).value_or(kMostSeconds));
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7); its obsolete forms are nullopt.
std::optional<util::Time> parse_date(std::string_view text) {
    constexpr std::string_view kForm = "Sun, 06 Nov 1994 08:49:37 GMT";
    constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != kForm.size() || !text.ends_with(" GMT")) return std::nullopt;
    const auto number = [&](std::size_t at, std::size_t length, std::int64_t most) {
        return util::parse_digits(text.substr(at, length), most);
    };
    const auto month = std::ranges::find(kMonths, text.substr(8, 3));
    const auto year = number(12, 4, 9999);
    const auto day = number(5, 2, 31);
    const auto hour = number(17, 2, 23);
    const auto minute = number(20, 2, 59);
    const auto second = number(23, 2, 60);
    if (month == std::end(kMonths) || !year || !day || !hour || !minute || !second) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(month - kMonths) + 1),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) + Seconds(*second);
}

/// The directives that count here.
struct CacheControl {
    bool forbids = false;
    std::optional<Seconds> max_age;
};

CacheControl parse_cache_control(std::string_view text) {
    CacheControl control;
    constexpr std::string_view kMaxAge = "max-age=";
    for (const std::string_view part : util::split(text, ',')) {
        const std::string directive = util::to_lower(util::trim(part));
        if (directive == "no-store" || directive == "no-cache") control.forbids = true;
        if (directive.starts_with(kMaxAge)) control.max_age = parse_seconds(directive.substr(kMaxAge.size()));
    }
    return control;
}

/// As the answer says it; nullopt: it does not.
std::optional<Seconds> stated(const Answer& answer, util::Time now) {
    const CacheControl control = parse_cache_control(answer.cache_control);
    if (control.forbids) return Seconds(0);
    if (control.max_age) return *control.max_age - parse_seconds(answer.age).value_or(Seconds(0));
    if (answer.expires.empty()) return std::nullopt;
    const auto expires = parse_date(answer.expires);
    if (!expires) return Seconds(0);  // RFC 9111 §5.3: what is no date has expired
    return *expires - parse_date(answer.date).value_or(now);
}

}  // namespace

Seconds freshness(const Answer& answer, util::Time now) {
    return std::clamp(stated(answer, now).value_or(kUsualFreshness), kShortestFreshness, kLongestFreshness);
}

}  // namespace postern::fetch
