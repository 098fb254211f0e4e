// Is this the password? Guessing is slowed down, the machine is not (OWASP ASVS V2, V6; CWE-307, CWE-400).
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "http/params.h"
#include "login/proof.h"
#include "model/user.h"
#include "oauth/context.h"
#include "os/file_lock.h"
#include "store/users.h"
#include "text/message.h"
#include "util/secret.h"

namespace postern::login {

/// A name or an address alone may fail this many times as often as both together.
inline constexpr int kAloneFactor = 10;

/// Looks at the password and counts a failure, which is written before it returns. Failures count per user name and
/// address together (`maxFailures`), and per user name and per address alone (ten times that): one guesser is stopped
/// early, and neither locks out the rest of a campus nor the owner of the name from elsewhere. Where a name has logged
/// in of late, what others guess elsewhere does not count (docs/decisions/0028), and one hash slot is not taken by
/// strangers (docs/decisions/0103). With method saslauthd it is saslauthd that looks, in which names count in any
/// case; a user may be made (find_user_by_saslauthd), and a refusal takes at least 500 ms, in which it keeps its hash
/// slot; throws SaslauthdError then.
ProofResult attempt_password(oauth::Context& context, const std::string& username, const util::Secret& password,
                             const std::string& address);
/// Returns the proof of a password that is right while `stored` says so of its user.
Proof proof_by_password(const model::Subject& subject, const store::StoredPassword& stored);

/// Takes one of the places that limit how many passwords this machine hashes at a time; nullopt: all stayed taken for
/// the bounded wait. For a new password: attempt_password takes its own. Throws db::StoreError.
std::optional<os::Slot> take_hash_slot(const oauth::Context& context);
/// The sentence for the log where no place was free.
inline constexpr const char* kNoHashSlot = "every hash slot was taken; login.hashSlots sets how many there are";

/// Returns a key of table `login_attempts`: `sort`, and a digest of the part of the address that one customer of a
/// provider has.
std::string counter_of_network(std::string_view sort, const std::string& address);

/// Returns the wait that failures from this address have brought, for a login that names no user before it is right,
/// such as one that begins with a passkey. The counter is that of passwords.
std::optional<util::Seconds> find_address_wait(oauth::Context& context, const std::string& address);
/// Counts one more failure of the address. `with_it` runs first in the transaction of the failure: it may lock a user's
/// row, for which a transaction that has counters waits for no other.
void count_address_failure(oauth::Context& context, const std::string& address,
                           const std::function<void(db::Transaction&)>& with_it = {});

/// Returns the sentence for a user whose attempt was throttled.
text::Message wait_message(util::Seconds wait);

/// Returns whether a field for a password came with a tab or a line end: something was pasted with the password. No
/// password here has such a character, and none is changed before it is checked, so it is wrong (docs/decisions/0098).
bool has_pasted_space(const http::Params& sent, std::string_view field);
/// Returns the sentence for the user about a password that was pasted with more.
text::Message pasted_space_message();
/// The sentence for the log about it.
inline constexpr const char* kPastedSpace =
    "the password has a tab or a line end, which no password here has: it was pasted with more than the password";
/// Returns the first of the fields for passwords that is faulty in another way.
std::optional<std::string> first_unreadable(const http::Params& sent, std::initializer_list<std::string_view> fields);

/// The keys under which a success counts: of the counter that it clears, and of the place that it makes known.
struct SuccessKeys {
    std::string failures;
    std::string place;
    std::string code_place = {};  ///< the place, as a login with a second factor alone makes it known
};
/// Returns the keys for a success of the name at the address.
SuccessKeys success_keys(const oauth::Context& context, const std::string& username, const std::string& address);
/// Clears the counter, and makes the place known for 90 days.
void note_success(db::Transaction& transaction, const SuccessKeys& keys, util::Time now);
/// Makes the place known to codes for 90 days.
void remember_code_place(db::Transaction& transaction, const SuccessKeys& keys, util::Time now);

}  // namespace postern::login
