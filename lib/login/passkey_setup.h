// How is a passkey added? The browser is asked for a new one, and its answer is verified (WebAuthn §7.1). The page of
// the passkeys, the login of a user who must have a second factor and an invitation do the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "http/message.h"
#include "json/value.h"
#include "login/browser.h"
#include "login/passkey_challenge.h"
#include "login/passkey_offer.h"
#include "oauth/context.h"
#include "oauth/settings.h"
#include "refusal/reason.h"
#include "store/passkeys.h"
#include "util/result.h"

namespace postern::login {

/// The time that a browser is given for a ceremony, in milliseconds (WebAuthn §5.4, §5.5): a hint.
inline constexpr std::int64_t kCeremonyTimeout = 300000;
/// Returns a passkey as the options of a ceremony name it (WebAuthn §5.8.3).
json::Object passkey_descriptor(const store::Passkey& passkey);

/// Returns whether Postern checks passwords itself, passkeys are good for something, and there is an RP ID for them.
bool can_have_passkeys(const oauth::Settings& settings);

/// The use that a new passkey has to be good for.
enum class PasskeyUse {
    any,    ///< beside a password too: a touch is enough, and the authenticator need not keep it
    alone,  ///< to sign in without a name and a password: it is found without its id, and verifies the user
};

/// The user of a new passkey, and the place where it is asked for.
struct PasskeySetup {
    oauth::Context& context;
    const Browser& browser;  ///< with an id
    const http::Request& request;
    model::Subject subject;
    std::string occasion;  ///< the sid of the session, the key of the login's request, or the digest of the link
    PasskeyUse use = PasskeyUse::any;
};

/// The user, as far as the options of the ceremony say it (WEBAUTHN-4). A program passes the facts that it may read.
struct PasskeyOwner {
    std::string username;
    std::string name;                   ///< the claim `name`, or ""
    std::vector<store::Passkey> known;  ///< their ids and, if they may be read, transports: an authenticator has one
};

/// Returns the claim `name` for PasskeyOwner::name, or "".
std::string name_of(const json::Object& claims);

/// Makes the facts for the page with the form. Stores nothing.
NewPasskey ask_for_passkey(const PasskeySetup& setup, const PasskeyOwner& owner);

/// Returns whether the form that came has the answer of an authenticator.
bool has_new_passkey(const http::Params& sent);
/// Returns the first of its fields that came twice, or is not as the script of the page makes it.
std::optional<std::string> faulty_new_passkey_field(const http::Params& sent);

/// A passkey whose registration is right.
struct ProvedPasskey {
    store::Passkey row;
    Challenge challenge;
    bool user_verified = false;
};

/// The reason why a passkey is not added.
struct PasskeyRefusal {
    const char* problem;  ///< for the user
    std::string detail;   ///< for the operator; nothing that was sent
    refusal::Reason reason = refusal::Reason::passkey_change_refused;
};

inline constexpr const char* kTooManyPasskeys =
    text::tr("You have as many passkeys as there can be. Remove one first.");
inline constexpr const char* kAccountChanged = text::tr("Your account was changed meanwhile. Try again.");
inline constexpr const char* kLongPasskeyName = text::tr("A name has at most 64 characters.");

/// Returns the name that the user gave to a passkey, as it is shown; "": no character of it would be. nullopt: too
/// long.
std::optional<std::string> passkey_name_in(const http::Params& sent);

/// Checks the fields of a form that faulty_new_passkey_field() has passed.
util::Result<ProvedPasskey, PasskeyRefusal> prove_new_passkey(const PasskeySetup& setup);

/// Adds the passkey to the user's, with a line of the activity, and spends its challenge. `known` is how many passkeys
/// the user has. The transaction holds the user's row; after a refusal it has to be rolled back.
util::Result<void, PasskeyRefusal> add_passkey(const oauth::Context& context, const Browser& browser,
                                               db::Transaction& transaction, const ProvedPasskey& proved,
                                               std::int64_t known);

}  // namespace postern::login
