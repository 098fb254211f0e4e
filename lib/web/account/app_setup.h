// How is a second factor set up? An app's key is shown once, sealed in the form, and a first code proves that an app
// has it. The pages of the app and of passkeys, and the login of a user who must have a second factor, do the same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "login/complete.h"
#include "login/passkey_setup.h"
#include "model/authentication.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "refusal/reason.h"
#include "util/clock.h"
#include "util/result.h"
#include "util/secret.h"
#include "web/account/visit.h"

namespace postern::web {

/// The time after its page was made in which a form may turn its app on.
inline constexpr util::Seconds kNewAppTtl{600};

struct NewApp {
    util::Secret secret;     ///< bytes, as factor/totp has them
    std::int64_t stamp = 0;  ///< `users.stamp` when the page was made: another change of factors ends this one
};

enum class NewAppFault {
    foreign,  ///< not made by this server for this browser and user, or made before its seal key was renewed
    expired,
};

/// Seals the key for the form, as the browser carries it. `browser` as in oauth::SealedRequest.
std::string seal_new_app(oauth::Context& context, const NewApp& app, const std::string& browser,
                         const model::Subject& subject);
/// Opens a sealed key for the browser and user that it was sealed for, within kNewAppTtl.
util::Result<NewApp, NewAppFault> open_new_app(oauth::Context& context, std::string_view sealed,
                                               const std::string& browser, const model::Subject& subject);

/// Returns a key or code in groups of four, as it is shown: "JBSWY3DP" is "JBSW Y3DP".
std::string in_fours(std::string_view text);

/// Makes a key that no app has yet, for the user in this browser, which has an id. Nothing is stored.
AppKey new_app_key(Interaction& interaction, const model::Subject& subject);

/// An app that has shown a right code of its key.
struct ProvedApp {
    NewApp app;
    std::int64_t step = 0;  ///< of that code, RFC 6238 §4.2
};

struct AppRefusal {
    text::Message problem;            ///< for the user
    std::string detail;               ///< for the operator
    AppKey key;                       ///< to go on with: the same after a wrong code, a new one where that has ended
    std::optional<NewApp> late = {};  ///< the app of a form that another change of the user's factors has ended
    refusal::Reason reason = refusal::Reason::app_refused;
};
/// Returns the refusal of a form whose `app` another change of the user's factors has ended.
AppRefusal late_app_refusal(Interaction& interaction, const model::Subject& subject, NewApp app);

/// Checks the fields `app` and `code` of a form, each of which is there once.
util::Result<ProvedApp, AppRefusal> prove_new_app(Interaction& interaction, const model::Subject& subject);

/// Recovery codes to show, because the factor is the user's first; nullopt: something has changed meanwhile, and
/// nothing was written.
using FirstCodes = std::optional<std::vector<std::string>>;

/// Replaces the user's authenticator app, spends the code and writes the lines of the activity. nullopt: the stamp has
/// grown. The transaction holds the user's row (store::find_user_to_change). Needs factor.key.
FirstCodes turn_on(oauth::Context& context, const login::Browser& browser, db::Transaction& transaction,
                   const model::Subject& subject, const ProvedApp& proved);

/// Ends the recovery codes of a user who has no other second factor left (CODE-5).
void end_codes_without_factor(db::Transaction& transaction, const model::Subject& subject);

/// Replaces all recovery codes of the user. Needs factor.key.
std::vector<std::string> make_codes(oauth::Context& context, db::Transaction& transaction,
                                    const model::Subject& subject);

/// Calls login::ask_for_passkey with the user's names and passkeys.
login::NewPasskey ask_for_own_passkey(const login::PasskeySetup& setup);

/// Calls login::add_passkey. Makes no codes where no second factor is asked for, or factor.key is missing. nullopt:
/// `refusal` says why.
FirstCodes add_own_passkey(oauth::Context& context, const login::Browser& browser, db::Transaction& transaction,
                           const login::ProvedPasskey& proved, std::optional<login::PasskeyRefusal>& refusal);

/// Returns true when the same form has added the passkey before: the button was pressed twice.
bool is_added(oauth::Context& context, const login::ProvedPasskey& proved);

/// Returns `done` with the new passkey added: a touch counts as a code does, and a passkey that has verified the user
/// counts as at a login.
model::Authentication with_new_passkey(const model::Authentication& done, const login::ProvedPasskey& proved);

/// Returns true for a login by a passkey alone that has verified its user.
bool was_by_passkey_alone(const model::Authentication& how);

/// A second factor that was added in a session, which has just proved it.
struct AddedFactor {
    login::StartedSession session;
    std::vector<std::string> codes;  ///< recovery codes to show, because it is the user's first second factor
};
/// Runs `add` and raises the session to `how`, in one durable transaction that holds the user's row (STORE-2). Returns
/// for the log why nothing was written: "" where `add` returned nullopt.
util::Result<AddedFactor, std::string> add_factor(const AccountVisit& visit, const model::Authentication& how,
                                                  const std::function<FirstCodes(db::Transaction&)>& add);
/// Answers with the codes, this once, or else with done(). The cookie of the raised session is set.
http::Response show_added(AccountVisit& visit, const AddedFactor& added, AccountDone what);

}  // namespace postern::web
