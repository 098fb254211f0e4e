// The pages of the gate at a site, below `.postern/`.
#pragma once

#include <string>
#include <string_view>

#include "web/gate/visit.h"

namespace postern::web {

/// The page to which the authorization endpoint sends a browser.
inline constexpr std::string_view kCallback = "callback";

/// Returns whether the gate has a page of that name.
bool is_own_page(std::string_view name);

/// Answers a request for the page `name` of the gate (GATE-22, GATE-25, GATE-26); 404 for any other.
GateAnswer answer_own_page(const GateVisit& visit, const std::string& name);

}  // namespace postern::web
