// The site that a request belongs to, among the sites of its origin.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "gate/site_url.h"
#include "util/result.h"

namespace postern::gate {

/// The place of a request: which site it is of, and whether it is for a page of the gate there.
struct Place {
    std::size_t site = 0;            ///< its index among the sites
    std::optional<std::string> own;  ///< what stands behind `.postern/`; nullopt: the application's

    bool operator==(const Place&) const = default;
};

enum class PlaceFault {
    no_site,    ///< no site has that URL
    ambiguous,  ///< the readings of the path belong to several sites
};

/// Finds the place of a request, by the `readings` of its path, among the `sites` of its origin: the longest path by
/// whole segments decides, and every reading has to lead to the same place (GATE-2, GATE-11).
util::Result<Place, PlaceFault> find_place(const std::set<std::string>& readings, std::span<const SiteUrl> sites);

}  // namespace postern::gate
