// What does a new passkey bring its signed-in user?
#include "web/account/own_passkey.h"

#include <algorithm>

#include "login/activity.h"
#include "store/factors.h"
#include "store/users.h"
#include "web/account/app.h"
#include "web/account/app_setup.h"

namespace postern::web {

login::NewPasskey ask_for_own_passkey(const login::PasskeySetup& setup) {
    const auto user = store::find_user(setup.context.store, setup.subject);
    if (!user) return {};
    return login::ask_for_passkey(setup, {user->username, login::name_of(user->claims),
                                          store::list_passkeys(setup.context.store, setup.subject)});
}

util::Result<std::vector<std::string>, login::PasskeyRefusal> add_own_passkey(Interaction& interaction,
                                                                              db::Transaction& transaction,
                                                                              const login::ProvedPasskey& proved) {
    oauth::Context& context = interaction.context;
    const model::Subject& subject = proved.row.subject;
    const store::Factors before = store::find_factors(transaction.database(), subject);
    RETURN_IF_ERROR(login::add_passkey(context, interaction.browser, transaction, proved, before.passkeys));
    std::vector<std::string> codes;
    if (before.any() || !has_app_page(context.settings) || !context.keys.has_factor_key()) return codes;
    codes = make_codes(context, transaction, subject);
    login::note_activity(context, transaction, interaction.browser, subject, model::Happened::recovery_codes_made);
    return codes;
}

bool is_added(oauth::Context& context, const login::ProvedPasskey& proved) {
    const auto known = store::find_passkey(context.store, proved.row.credential_id);
    return known && known->subject == proved.row.subject && known->cose_key == proved.row.cose_key;
}

model::Authentication with_new_passkey(const model::Authentication& done, const login::ProvedPasskey& proved) {
    auto how = model::with_passkey(done);
    if (!proved.user_verified) how.level = std::max(done.level, model::Level::second_factor);
    return how;
}

bool was_by_passkey_alone(const model::Authentication& how) {
    const auto methods = model::methods_of(how.amr);
    const auto has = [&](const char* method) { return std::ranges::find(methods, method) != methods.end(); };
    return how.level == model::Level::phishing_resistant && has("user") && !has("pwd");
}

}  // namespace postern::web
