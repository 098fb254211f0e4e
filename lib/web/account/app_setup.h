// How is an authenticator app turned on? Its key is shown once, and a first code proves that an app has it. The page of
// the app and the login of a user who must have a second factor do the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "refusal/reason.h"
#include "web/account/new_app.h"
#include "web/account/page.h"
#include "web/interaction.h"

namespace postern::web {

/// A key that no app has yet, for the user in this browser, which has an id. Nothing is stored.
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
/// That refusal.
AppRefusal app_is_late(Interaction& interaction, const model::Subject& subject, NewApp app);

/// Looks at the fields `app` and `code` of a form, each of which is there once.
util::Result<ProvedApp, AppRefusal> prove_new_app(Interaction& interaction, const model::Subject& subject);

/// The user's app from now on, in place of one of before; the code is spent. Returns recovery codes to show when this
/// is the first second factor. nullopt: the stamp has grown, and nothing is written. The transaction holds the user's
/// row (store::find_user_to_change). Needs factor.key.
std::optional<std::vector<std::string>> turn_on(oauth::Context& context, db::Transaction& transaction,
                                                const model::Subject& subject, const ProvedApp& proved);

/// What the user is told of it in the activity, in the same transaction. `codes` are those that turn_on has made.
void note_app(const oauth::Context& context, db::Transaction& transaction, const login::Browser& browser,
              const model::Subject& subject, const std::vector<std::string>& codes);

/// Behind the removal of a second factor: without another one the recovery codes end, too (CODE-5).
void end_codes_without_factor(db::Transaction& transaction, const model::Subject& subject);

/// New recovery codes in place of all of before. Needs factor.key.
std::vector<std::string> make_codes(oauth::Context& context, db::Transaction& transaction,
                                    const model::Subject& subject);

}  // namespace postern::web
