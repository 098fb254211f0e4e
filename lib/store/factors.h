// Tables `totp_secrets` and `recovery_codes`: the second factors of users, and the stamp that grows with their changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::store {

/// The second factors that a user can be asked for.
struct Factors {
    bool app = false;
    std::int64_t unused_codes = 0;
    std::int64_t passkeys = 0;  ///< also suspended ones, and those of a former RP ID

    bool any() const { return app || unused_codes > 0 || passkeys > 0; }
};
/// The number of unused recovery codes at which, or below, the user is told to make new ones.
inline constexpr std::int64_t kFewCodes = 2;
Factors find_factors(db::Database& database, const model::Subject& subject);

struct TotpRow {
    std::string sealed;          ///< factor/totp.h
    std::int64_t last_step = 0;  ///< no code of it or of an earlier one counts
    util::Time created_at{};
    std::optional<util::Time> last_used_at = {};  ///< nullopt: for no login yet
};
std::optional<TotpRow> find_totp(db::Database& database, const model::Subject& subject);
/// An app and the user whom it belongs to.
struct OwnedTotp {
    model::Subject subject;
    TotpRow totp;
};
/// Returns at most `rows` apps, by subject, from the one after `after`: "" is before all.
std::vector<OwnedTotp> list_totp(db::Database& database, const model::Subject& after, std::int64_t rows);
/// Replaces the sealed secret `from` by the same secret sealed under another key, `to`; false: the row has another
/// secret by now.
bool reseal_totp(db::Transaction& transaction, const model::Subject& subject, std::string_view from,
                 std::string_view to);

/// Replaces the user's app, or adds it. `sealed` is bound to `now`; `step` is the step of the code that proved the app.
void replace_totp(db::Transaction& transaction, const model::Subject& subject, std::string_view sealed,
                  std::int64_t step, util::Time now);
bool remove_totp(db::Transaction& transaction, const model::Subject& subject);  ///< false: there was none
/// Spends the step; false when the step, or a later one, was spent before (RFC 6238 §5.2).
bool spend_totp_step(db::Transaction& transaction, const model::Subject& subject, std::int64_t step, util::Time now);

/// Replaces all codes of the user.
void replace_recovery_codes(db::Transaction& transaction, const model::Subject& subject,
                            const std::vector<std::string>& hashes, util::Time now);
bool has_unused_codes(db::Database& database);  ///< of any user
bool has_unused_code(db::Database& database, const model::Subject& subject, std::string_view hash);
/// Returns whether an unused code of the user was made under the key of that name (factor::code_key_name).
bool has_unused_code_under(db::Database& database, const model::Subject& subject, std::string_view key_name);
/// Spends the code; false when there is no such code or it was used before.
bool spend_recovery_code(db::Transaction& transaction, const model::Subject& subject, std::string_view hash,
                         util::Time now);
/// Removes all codes of the user; returns how many rows there were, used ones too.
std::int64_t remove_recovery_codes(db::Transaction& transaction, const model::Subject& subject);
/// Removes the codes of all users that were made under another key than that of the name.
std::int64_t remove_dead_recovery_codes(db::Transaction& transaction, std::string_view key_name);

/// Returns the stamp of the user, which grows with each change of the password or of a second factor, and when the user
/// is disabled: what was sealed with an earlier stamp is void, and what a link allowed is over (let_enrol). 0 when
/// there is no such user, as for a user without changes.
std::int64_t find_stamp(db::Database& database, const model::Subject& subject);
void raise_stamp(db::Transaction& transaction, const model::Subject& subject);

}  // namespace postern::store
