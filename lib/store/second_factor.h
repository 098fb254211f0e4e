// The second factor of one user, as tables `users`, `groups`, `totp_secrets`, `recovery_codes` and `passkeys` say it
// together, and the number of users who have one.
#pragma once

#include <cstdint>
#include <string_view>

#include "db/database.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::store {

struct SecondFactorState {
    bool demanded = false;     ///< the user, or a group of the user, must log in with one
    bool code = false;         ///< an app, or a recovery code that was not used
    bool passkey = false;      ///< one that is not suspended
    bool available = false;    ///< either of them
    bool suspended = false;    ///< a passkey that is: whether there is a copy of it, the operator decides
    std::int64_t stamp = 0;    ///< of the user, users.stamp
    util::Time enrol_until{};  ///< until then the user may set up the first one, because of a link (let_enrol)
};
/// Finds the state in one statement, which sees one moment. All members are false for a user that does not exist. Only
/// passkeys that were made for `rp_id` count; no passkey counts for "".
SecondFactorState find_second_factor(db::Database& database, const model::Subject& subject, std::string_view rp_id);

/// Lets the user set up a first second factor before `until`, also where the password alone does not allow it. The next
/// change of the password or of a second factor ends that, and so does disabling.
void let_enrol(db::Transaction& transaction, const model::Subject& subject, util::Time until);

/// Marks the user or the group as one of whom a second factor is demanded, or takes the mark away. False: there is no
/// such user, or no such group.
bool demand_second_factor(db::Transaction& transaction, const model::Subject& subject, bool demanded);
bool demand_second_factor_of_group(db::Transaction& transaction, std::string_view group, bool demanded);
/// Returns whether the user alone is marked, whatever the user's groups are.
bool must_have_second_factor(db::Database& database, const model::Subject& subject);
bool is_demanded_of_group(db::Database& database, std::string_view group);

/// The users of whom the configuration demands a second factor.
enum class Demand {
    no_user,
    marked,  ///< of users who are marked, and of members of groups that are
    all,
};

/// The numbers of users who are enabled, by their second factors.
struct FactorCounts {
    std::int64_t app = 0;
    std::int64_t codes = 0;     ///< with a recovery code that is not used
    std::int64_t passkeys = 0;  ///< with a passkey that counts
    std::int64_t missing = 0;   ///< must log in with a second factor and have none of them
};
/// Counts the enabled users by their second factors. Only passkeys that were made for `rp_id` and are not suspended
/// count; no passkey counts for "".
FactorCounts count_factors(db::Database& database, Demand demand, std::string_view rp_id);

/// Counts the passkeys of all users that were made for another RP ID, and so work no more (WEBAUTHN-25).
std::int64_t count_former_passkeys(db::Database& database, std::string_view rp_id);

/// The numbers of marked users, enabled or not, and of marked groups.
struct MarkedCounts {
    std::int64_t users = 0;
    std::int64_t groups = 0;
};
MarkedCounts count_marked(db::Database& database);

}  // namespace postern::store
