// The settings of the gate (`gate` in the configuration).
#pragma once

#include <vector>

#include "fetch/allowed.h"

namespace postern::gate {

struct Settings {
    std::vector<fetch::Network> proxies;  ///< whose X-Forwarded-* headers are believed; empty: those of no peer
};

}  // namespace postern::gate
