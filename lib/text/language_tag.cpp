#include "text/language_tag.h"

#include <algorithm>

#include "util/text.h"

namespace postern::text {
namespace {

constexpr std::size_t kMaxTag = 35;  // RFC 5646 §4.4.1
constexpr std::size_t kMaxSubtag = 8;
constexpr std::size_t kMaxRanges = 20;

struct Accepted {
    std::string range;
    int weight = 1000;  ///< thousandths
};

/// "0.8" as 800. nullopt for text that is no weight (RFC 9110 §12.4.2).
std::optional<int> parse_weight(std::string_view text) {
    if (text.empty() || (text[0] != '0' && text[0] != '1') || text.size() > 5) return std::nullopt;
    if (text.size() > 1 && text[1] != '.') return std::nullopt;
    int weight = (text[0] - '0') * 1000;
    int place = 100;
    for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
        if (!util::is_digit(c)) return std::nullopt;
        weight += (c - '0') * place;
        place /= 10;
    }
    return weight <= 1000 ? std::optional(weight) : std::nullopt;
}

std::optional<Accepted> parse_accepted(std::string_view item) {
    const auto semicolon = item.find(';');
    Accepted accepted{std::string(util::trim(item.substr(0, semicolon)))};
    if (!is_language_tag(accepted.range)) return std::nullopt;
    if (semicolon == std::string_view::npos) return accepted;
    const std::string_view parameter = util::trim(item.substr(semicolon + 1));
    const bool is_weight = parameter.starts_with("q=") || parameter.starts_with("Q=");
    const auto weight = is_weight ? parse_weight(parameter.substr(2)) : std::nullopt;
    if (!weight || *weight == 0) return std::nullopt;
    accepted.weight = *weight;
    return accepted;
}

std::optional<std::size_t> find_tag(std::string_view tag, const std::vector<std::string>& offered) {
    const auto found =
        std::ranges::find_if(offered, [&](const std::string& one) { return util::equal_ignoring_case(one, tag); });
    if (found == offered.end()) return std::nullopt;
    return static_cast<std::size_t>(found - offered.begin());
}

/// Without its last subtag, and without a single letter that led to that one.
std::string_view shortened(std::string_view range) {
    const auto cut = range.rfind('-');
    if (cut == std::string_view::npos) return {};
    range = range.substr(0, cut);
    return range.size() > 1 && range[range.size() - 2] == '-' ? range.substr(0, range.size() - 2) : range;
}

std::optional<std::size_t> look_up(std::string_view range, const std::vector<std::string>& offered) {
    for (std::string_view rest = range; !rest.empty(); rest = shortened(rest))
        if (const auto found = find_tag(rest, offered)) return found;
    const std::string primary = util::to_lower(range.substr(0, range.find('-')));
    const auto related = std::ranges::find_if(
        offered, [&](const std::string& one) { return util::to_lower(one.substr(0, one.find('-'))) == primary; });
    if (related == offered.end()) return std::nullopt;
    return static_cast<std::size_t>(related - offered.begin());
}

}  // namespace

bool is_language_tag(std::string_view text) {
    if (text.size() > kMaxTag) return false;
    bool is_first = true;
    for (const std::string_view subtag : util::split(text, '-')) {
        if (subtag.empty() || subtag.size() > kMaxSubtag) return false;
        const auto fits = [&](char c) { return util::is_letter(c) || (!is_first && util::is_digit(c)); };
        if (!std::ranges::all_of(subtag, fits)) return false;
        is_first = false;
    }
    return true;
}

bool is_right_to_left(std::string_view tag) {
    constexpr std::string_view kLanguages[] = {"ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"};
    const std::string primary = util::to_lower(tag.substr(0, tag.find('-')));
    return std::ranges::find(kLanguages, primary) != std::end(kLanguages);
}

std::vector<std::string> accepted_languages(std::string_view header) {
    std::vector<Accepted> accepted;
    for (const std::string_view item : util::split(header, ',')) {
        if (accepted.size() == kMaxRanges) break;
        if (auto one = parse_accepted(item)) accepted.push_back(std::move(*one));
    }
    std::ranges::stable_sort(accepted, std::greater<>(), &Accepted::weight);
    std::vector<std::string> ranges;
    for (Accepted& one : accepted) ranges.push_back(std::move(one.range));
    return ranges;
}

std::vector<std::string> wanted_languages(std::string_view ui_locales) {
    std::vector<std::string> ranges;
    for (const std::string_view tag : util::split(ui_locales, ' ')) {
        if (ranges.size() == kMaxRanges) break;
        if (is_language_tag(tag)) ranges.emplace_back(tag);
    }
    return ranges;
}

std::optional<std::size_t> find_language(const std::vector<std::string>& ranges,
                                         const std::vector<std::string>& offered) {
    for (const std::string& range : ranges)
        if (const auto found = look_up(range, offered)) return found;
    return std::nullopt;
}

}  // namespace postern::text
