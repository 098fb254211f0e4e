// The configuration of connections that this server begins (the object `outbound`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fetch/allowed.h"
#include "util/clock.h"

namespace postern::fetch {

struct Outbound {
    bool enabled = false;
    std::vector<std::uint16_t> ports = {443};  ///< that a URL may name; 443 is the one of a URL that names none
    std::vector<Network> allow;                ///< of an intranet: may be connected to whatever the special ranges say
    std::optional<std::string> ca;             ///< file of certificates in place of the system's
    std::optional<std::string> proxy;          ///< "http://HOST:PORT"; the environment names none
    util::Seconds stale_if_error{3600};        ///< that a document may serve beyond its freshness when a fetch fails
    int slots = 1;                             ///< processes of this machine that may wait for hosts at the same time
    std::string slot_files;                    ///< what the names of their lock files begin with; "": no limit
    std::string program;                       ///< that connects; $(PREFIX)/libexec/postern/fetch
};

}  // namespace postern::fetch
