// How many users have second factors, and how many must have one.
#pragma once

#include <cstdint>

#include "db/database.h"

namespace postern::store {

/// Of whom the configuration demands a second factor.
enum class Demand {
    no_user,
    marked,  ///< of users who are marked, and of members of groups that are
    all,
};

/// Users who are enabled.
struct FactorCounts {
    std::int64_t app = 0;
    std::int64_t codes = 0;    ///< with a recovery code that is not used
    std::int64_t missing = 0;  ///< must log in with a second factor and have neither
};
FactorCounts count_factors(db::Database& database, Demand demand);

/// Users, enabled or not, and groups that are marked.
struct MarkedCounts {
    std::int64_t users = 0;
    std::int64_t groups = 0;
};
MarkedCounts count_marked(db::Database& database);

}  // namespace postern::store
