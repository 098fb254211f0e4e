// Copies the rows of a store into another one, of whichever engine. Private to this module.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/engine.h"
#include "db/table_rows.h"
#include "util/clock.h"

namespace postern::db {

/// Copies all rows, or with `live_at` those that may still have an effect then: tables in the order of their foreign
/// keys, rows in the order of their primary keys. Then it reads the rows of the target, and throws StoreError unless
/// they are the same: their number, and a digest of all values. Both connections are in a transaction of the caller;
/// what `source` reads does not change. `go_on` is called now and then, and throws to stop it.
std::vector<TableRows> copy_rows(Connection& source, Connection& target, std::optional<util::Time> live_at,
                                 const std::function<void()>& go_on);

}  // namespace postern::db
