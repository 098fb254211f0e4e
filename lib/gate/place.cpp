// Decides which site a request belongs to, and whether all readings of its path agree.
#include "gate/place.h"

#include <string>
#include <vector>

#include "util/text.h"

namespace postern::gate {
namespace {

/// The rest of `path` behind the site's path: "" for the path without its last `/`. nullopt: it is not below it.
std::optional<std::string_view> below(std::string_view path, const SiteUrl& site) {
    if (path.starts_with(site.path)) return path.substr(site.path.size());
    if (path == site.cookie_path()) return std::string_view();
    return std::nullopt;
}

std::optional<std::string> own_page(std::string_view rest) {
    if (!rest.starts_with(kOwnSegment)) return std::nullopt;
    rest.remove_prefix(kOwnSegment.size());
    if (rest.empty()) return std::string();
    if (rest.front() != '/') return std::nullopt;
    return std::string(rest.substr(1));
}

std::optional<Place> place_of(std::string_view path, std::span<const SiteUrl> sites) {
    std::optional<Place> found;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        const auto rest = below(path, sites[i]);
        const bool is_longer = !found || sites[i].path.size() > sites[found->site].path.size();
        if (rest && is_longer) found = Place{i, own_page(*rest)};
    }
    return found;
}

std::vector<SiteUrl> in_lower_case(std::span<const SiteUrl> sites) {
    std::vector<SiteUrl> folded(sites.begin(), sites.end());
    for (SiteUrl& site : folded) site.path = util::to_lower(site.path);
    return folded;
}

/// Whether a reading that leads to `place` leads elsewhere where letter case is ignored, as many routers of
/// applications do and some file systems. `folded`: the sites in lower case.
bool depends_on_case(std::string_view reading, const std::optional<Place>& place, std::span<const SiteUrl> folded) {
    const auto lower = place_of(util::to_lower(reading), folded);
    if (!place || !lower) return place.has_value() != lower.has_value();
    return place->site != lower->site || place->own.has_value() != lower->own.has_value();
}

}  // namespace

util::Result<Place, PlaceFault> find_place(const std::set<std::string>& readings, std::span<const SiteUrl> sites) {
    if (readings.empty()) return PlaceFault::no_site;
    const auto first = place_of(*readings.begin(), sites);
    const std::vector<SiteUrl> folded = in_lower_case(sites);
    for (const std::string& reading : readings)
        if (place_of(reading, sites) != first || depends_on_case(reading, first, folded)) return PlaceFault::ambiguous;
    if (!first) return PlaceFault::no_site;
    return *first;
}

}  // namespace postern::gate
