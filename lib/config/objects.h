// The keys whose values are objects with known members. Each function puts a value into the configuration, or returns
// the problems of its members.
#pragma once

#include "config/problems.h"

namespace postern::config {

/// `login.saslauthd`: {"socket": "/run/saslauthd/mux", "service": "postern", "realm": ""}; each may be left out.
Problems read_saslauthd(Config& config, const json::Value& value);
/// `login.groupsFromEnvironment`: {"variable": "MEMBER_OF", "separator": ";", "groups": {"cn=wiki": "wiki"}}, a CGI
/// variable, and the groups that its values stand for; or null, as if the key were not there.
Problems read_groups_from_environment(Config& config, const json::Value& value);
/// `mail`: {"from": "Example <id@example.org>", "command": ["/usr/sbin/sendmail", "-t", "-i"], "perHour": 200}, of
/// which the last may be left out; or null, as if the key were not there.
Problems read_mail(Config& config, const json::Value& value);

}  // namespace postern::config
