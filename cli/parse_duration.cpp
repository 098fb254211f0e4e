// Parses lengths of time.
#include "cli/parse_duration.h"

#include "util/text.h"

namespace postern::cli {
namespace {

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
