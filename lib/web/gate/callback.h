// The callback of a site: where the provider's code is spent and the site's cookie begins.
#pragma once

#include "web/gate/visit.h"

namespace postern::web {

/// Answers the address below `.postern/` to which the authorization endpoint sends a browser (GATE-22, GATE-23).
http::Response answer_callback(const GateVisit& visit);

}  // namespace postern::web
