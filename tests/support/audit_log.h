// The audit lines among what programs have logged.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace postern::test {

/// Returns the lines of `log` at level "audit", in their order. Fails the test for a line that is not of the
/// vocabulary: an event without a row in the table, a member that its row does not name, a line without what every line
/// has.
std::vector<json::Object> audit_lines(const std::string& log);

/// The one line with that event; fails the test when there is none or another one.
json::Object audit_line(const std::string& log, const std::string& event);

/// The events of the lines, separated by blanks.
std::string audit_events(const std::string& log);

}  // namespace postern::test
