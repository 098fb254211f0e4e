// Parses points in time (RFC 3339 §5.6) and lengths of time.
#include "cli/parse_time.h"

#include <algorithm>
#include <ctime>
#include <string>

#include "util/clock.h"
#include "util/text.h"

namespace postern::cli {
namespace {

/// Whether the text is the picture with any digit for each 0: strptime also takes blanks, signs and single digits.
bool looks_like(std::string_view text, std::string_view picture) {
    const auto fits = [](char c, char shown) { return shown == '0' ? '0' <= c && c <= '9' : c == shown; };
    return std::ranges::equal(text, picture, fits);
}

/// Removes what has the picture's length from the front of `text`; nullopt when it does not follow `format`.
std::optional<std::tm> take(std::string_view& text, std::string_view picture, const char* format) {
    const std::string front(text.substr(0, picture.size()));
    if (!looks_like(front, picture)) return std::nullopt;
    std::tm fields{};
    const char* end = ::strptime(front.c_str(), format, &fields);
    if (!end || *end != '\0') return std::nullopt;  // of 32 for a month it would take the 3
    text.remove_prefix(picture.size());
    return fields;
}

/// Midnight UTC of a day that the calendar has.
std::optional<util::Time> take_date(std::string_view& text) {
    auto fields = take(text, "0000-00-00", "%Y-%m-%d");
    if (!fields) return std::nullopt;
    const int day = fields->tm_mday;
    const std::time_t midnight = ::timegm(&*fields);
    if (fields->tm_mday != day) return std::nullopt;  // timegm makes 1 March of 30 February
    return util::from_epoch(midnight);
}

/// With its fraction rounded up. A leap second is the one after the 59th, as the clock has it.
std::optional<util::Seconds> take_time_of_day(std::string_view& text) {
    const auto fields = take(text, "00:00:00", "%H:%M:%S");
    if (!fields || fields->tm_sec > 60) return std::nullopt;  // strptime takes 61
    util::Seconds time =
        std::chrono::hours(fields->tm_hour) + std::chrono::minutes(fields->tm_min) + util::Seconds(fields->tm_sec);
    if (!text.starts_with('.')) return time;
    const auto fraction = text.substr(1, text.find_first_not_of("0123456789", 1) - 1);
    if (fraction.empty()) return std::nullopt;
    text.remove_prefix(1 + fraction.size());
    return fraction.find_first_not_of('0') == std::string_view::npos ? time : time + util::Seconds(1);
}

/// How far the local time is ahead of UTC.
std::optional<util::Seconds> take_offset(std::string_view& text) {
    if (text.empty()) return std::nullopt;
    const char sign = text.front();
    text.remove_prefix(1);
    if (sign == 'Z' || sign == 'z') return util::Seconds(0);
    const auto fields = take(text, "00:00", "%H:%M");
    if (!fields || (sign != '+' && sign != '-')) return std::nullopt;
    const util::Seconds offset = std::chrono::hours(fields->tm_hour) + std::chrono::minutes(fields->tm_min);
    return sign == '-' ? -offset : offset;
}

struct Unit {
    char letter;
    util::Seconds length;
};
constexpr Unit kUnits[] = {
    {'m', std::chrono::minutes(1)},
    {'h', std::chrono::hours(1)},
    {'d', std::chrono::days(1)},
};
constexpr util::Seconds kLongest = std::chrono::days(36525);

}  // namespace

std::optional<util::Time> parse_time(std::string_view text) {
    if (const auto seconds = util::parse_digits(text, util::kMaxEpoch)) return util::from_epoch(*seconds);
    const auto date = take_date(text);
    if (!date || text.empty() || std::string_view("Tt ").find(text.front()) == std::string_view::npos)
        return std::nullopt;
    text.remove_prefix(1);
    const auto time = take_time_of_day(text);
    if (!time) return std::nullopt;
    const auto offset = take_offset(text);
    if (!offset || !text.empty()) return std::nullopt;
    return *date + *time - *offset;
}

std::optional<util::Seconds> parse_duration(std::string_view text) {
    if (text.empty()) return std::nullopt;
    for (const Unit& unit : kUnits) {
        if (text.back() != unit.letter) continue;
        const auto number = util::parse_digits(text.substr(0, text.size() - 1), kLongest / unit.length);
        if (!number) return std::nullopt;
        return *number * unit.length;
    }
    return std::nullopt;
}

}  // namespace postern::cli
