// Tables `passkeys` and `spent_challenges`, and the handle that a user's passkeys have instead of `sub`.
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

/// The largest number of passkeys of a user (WEBAUTHN-9).
inline constexpr std::size_t kMaxPasskeys = 20;

/// The length of a handle: random, WebAuthn §14.6.1 has up to 64.
inline constexpr std::size_t kHandleBytes = 32;

/// A credential record (WebAuthn §4). Ids, keys and handles are raw bytes here and in every argument below; the
/// database has them in base64url.
struct Passkey {
    std::string credential_id;
    model::Subject subject;
    std::string rp_id;     ///< the host for which it was made
    std::string cose_key;  ///< as it came, for factor::verify_assertion()
    std::int64_t alg = 0;  ///< RFC 9053 §2; -7, -8 or -257
    std::int64_t sign_count = 0;
    bool backup_eligible = false;
    bool backed_up = false;
    std::optional<bool> discoverable;  ///< found without its id; nullopt: the browser did not say
    std::string transports;            ///< words with single blanks, factor/passkey.h
    std::string aaguid;                ///< 16 bytes
    std::string name;                  ///< UTF-8, of its owner
    util::Time created_at{};
    std::optional<util::Time> last_used_at;  ///< nullopt: for no login yet
    std::optional<util::Time> suspended_at;  ///< set: not accepted, because a copy of it may exist

    bool operator==(const Passkey&) const = default;
};

/// Returns all passkeys of the user, the oldest first: also suspended ones, and those of a former RP ID.
std::vector<Passkey> list_passkeys(db::Database& database, const model::Subject& subject);
/// Finds the passkey of any user.
std::optional<Passkey> find_passkey(db::Database& database, std::string_view credential_id);
/// Inserts the passkey. False, and nothing is written: some user has that credential id, maybe this one. The caller
/// keeps kMaxPasskeys, in a transaction that holds the user's row.
bool insert_passkey(db::Transaction& transaction, const Passkey& passkey);
/// Removes the passkey; false: the user has no such one.
bool remove_passkey(db::Transaction& transaction, const model::Subject& subject, std::string_view credential_id);
/// Renames the passkey; false: the user has no such one.
bool rename_passkey(db::Transaction& transaction, const model::Subject& subject, std::string_view credential_id,
                    std::string_view name);
/// Returns the credential ids alone, for a program that may read no more of them.
std::vector<std::string> passkey_ids(db::Database& database, const model::Subject& subject);
/// Removes all passkeys of the user; returns their number.
std::int64_t remove_passkeys(db::Transaction& transaction, const model::Subject& subject);

/// Records an accepted answer. The counter goes upwards only, or stays 0 where the authenticator keeps none (WebAuthn
/// §6.1.1). False, and nothing is written: it has not grown, or the passkey is gone or suspended.
bool use_passkey(db::Transaction& transaction, std::string_view credential_id, std::int64_t sign_count,
                 bool backup_eligible, bool backed_up, util::Time now);
/// Suspends the passkey, which is not accepted from now on. A passkey that is suspended keeps its time.
void suspend_passkey(db::Transaction& transaction, std::string_view credential_id, util::Time now);
/// Resumes the passkey, which is accepted again, with the counter that is stored. False: the user has no such passkey
/// that is suspended.
bool resume_passkey(db::Transaction& transaction, const model::Subject& subject, std::string_view credential_id);

/// Returns `user.id` of WebAuthn §5.4.3, which is on devices that others may hold and so is never `sub` (WEBAUTHN-10).
/// "": no handle has been made yet.
std::string find_handle(db::Database& database, const model::Subject& subject);
/// Sets the user's handle, unless there is one: false when there is another.
bool set_handle_if_unset(db::Transaction& transaction, const model::Subject& subject, std::string_view handle);

/// Spends the challenge; false when it was spent before. Its SHA-256 is kept until `expires_at`, when its seal opens no
/// more.
bool spend_challenge(db::Transaction& transaction, std::string_view challenge, util::Time expires_at);

}  // namespace postern::store
