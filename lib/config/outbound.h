// What the keys of `outbound` accept that are more than a number or a file.
#pragma once

#include <string_view>

#include "config/checks.h"
#include "config/problems.h"

namespace postern::config {

/// A list of 1 to 16 TCP ports.
Problems read_ports(Config& config, const json::Value& value);

/// A list of up to 64 networks.
Problems read_allowed_networks(Config& config, const json::Value& value);

/// "http://HOST:PORT": the TLS is that of the host behind it.
Fault proxy_fault(std::string_view proxy);

}  // namespace postern::config
