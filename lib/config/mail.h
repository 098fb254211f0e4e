// `mail`: from whom messages to users are, which command sends them, and how many it may be given.
#pragma once

#include "config/problems.h"
#include "json/value.h"

namespace postern::config {

/// {"from": "Example <id@example.org>", "command": ["/usr/sbin/sendmail", "-t", "-i"], "perHour": 200}, of which the
/// last may be left out; or null, as if the key were not there.
Problems read_mail(Config& config, const json::Value& value);

}  // namespace postern::config
