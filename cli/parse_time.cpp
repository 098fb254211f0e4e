// Decides what is a moment (RFC 3339 §5.6).
#include "cli/parse_time.h"

#include <algorithm>

#include "util/text.h"

namespace postern::cli {
namespace {

constexpr std::int64_t kMaxEpoch = 253402300799;  // the end of the year 9999

/// Takes text apart from the left.
class Cursor {
public:
    explicit Cursor(std::string_view text) : text_(text) {}

    /// The next character, if it is one of these; NUL otherwise.
    char take_one_of(std::string_view these) {
        if (text_.empty() || these.find(text_.front()) == std::string_view::npos) return '\0';
        const char taken = text_.front();
        text_.remove_prefix(1);
        return taken;
    }
    /// Exactly `digits` digits that say a number of at most `max`; -1 otherwise.
    int take_number(std::size_t digits, int max) {
        const auto number = text_.size() < digits ? std::nullopt : util::parse_digits(text_.substr(0, digits), max);
        if (!number) return -1;
        text_.remove_prefix(digits);
        return static_cast<int>(*number);
    }
    /// All digits that follow.
    std::string_view take_digits() {
        const auto end = std::min(text_.find_first_not_of("0123456789"), text_.size());
        const auto digits = text_.substr(0, end);
        text_.remove_prefix(end);
        return digits;
    }
    bool at_end() const { return text_.empty(); }

private:
    std::string_view text_;
};

std::optional<std::chrono::sys_days> take_date(Cursor& text) {
    const int year = text.take_number(4, 9999);
    if (year < 0 || !text.take_one_of("-")) return std::nullopt;
    const int month = text.take_number(2, 12);
    if (month < 0 || !text.take_one_of("-")) return std::nullopt;
    const int day = text.take_number(2, 31);
    if (day < 0) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)});
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date);
}

/// With its fraction rounded up. A leap second is the one after the 59th, as the clock has it.
std::optional<util::Seconds> take_time_of_day(Cursor& text) {
    const int hour = text.take_number(2, 23);
    if (hour < 0 || !text.take_one_of(":")) return std::nullopt;
    const int minute = text.take_number(2, 59);
    if (minute < 0 || !text.take_one_of(":")) return std::nullopt;
    const int second = text.take_number(2, 60);
    if (second < 0) return std::nullopt;
    util::Seconds time = std::chrono::hours(hour) + std::chrono::minutes(minute) + util::Seconds(second);
    if (text.take_one_of(".")) {
        const auto fraction = text.take_digits();
        if (fraction.empty()) return std::nullopt;
        if (fraction.find_first_not_of('0') != std::string_view::npos) time += util::Seconds(1);
    }
    return time;
}

/// How far the local time is ahead of UTC.
std::optional<util::Seconds> take_offset(Cursor& text) {
    if (text.take_one_of("Zz")) return util::Seconds(0);
    const char sign = text.take_one_of("+-");
    if (!sign) return std::nullopt;
    const int hours = text.take_number(2, 23);
    if (hours < 0 || !text.take_one_of(":")) return std::nullopt;
    const int minutes = text.take_number(2, 59);
    if (minutes < 0) return std::nullopt;
    const util::Seconds offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    return sign == '-' ? -offset : offset;
}

}  // namespace

std::optional<util::Time> parse_time(std::string_view text) {
    if (const auto seconds = util::parse_digits(text, kMaxEpoch)) return util::from_epoch(*seconds);
    Cursor rest(text);
    const auto date = take_date(rest);
    if (!date || !rest.take_one_of("Tt ")) return std::nullopt;
    const auto time = take_time_of_day(rest);
    if (!time) return std::nullopt;
    const auto offset = take_offset(rest);
    if (!offset || !rest.at_end()) return std::nullopt;
    return util::Time(*date) + *time - *offset;
}

}  // namespace postern::cli
