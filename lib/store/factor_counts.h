// How many users have second factors, and how many must have one.
#pragma once

#include <cstdint>
#include <string_view>

#include "db/database.h"

namespace postern::store {

/// The users of whom the configuration demands a second factor.
enum class Demand {
    no_user,
    marked,  ///< of users who are marked, and of members of groups that are
    all,
};

/// Users who are enabled.
struct FactorCounts {
    std::int64_t app = 0;
    std::int64_t codes = 0;     ///< with a recovery code that is not used
    std::int64_t passkeys = 0;  ///< with a passkey that counts
    std::int64_t missing = 0;   ///< must log in with a second factor and have none of them
};
/// Passkeys count that were made for `rp_id` and are not suspended; none does for "".
FactorCounts count_factors(db::Database& database, Demand demand, std::string_view rp_id);

/// Passkeys of all users that were made for another RP ID, and so work no more (WEBAUTHN-25).
std::int64_t count_former_passkeys(db::Database& database, std::string_view rp_id);

/// Users, enabled or not, and groups that are marked.
struct MarkedCounts {
    std::int64_t users = 0;
    std::int64_t groups = 0;
};
MarkedCounts count_marked(db::Database& database);

}  // namespace postern::store
