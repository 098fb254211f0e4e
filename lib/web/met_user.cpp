// The user of a name that something else than Postern has checked.
#include "web/met_user.h"

#include "crypto/random.h"
#include "model/user_name.h"
#include "store/users.h"

namespace postern::web {

std::optional<MetUser> meet_user(oauth::Context& context, db::Transaction& transaction, const std::string& username,
                                 const std::function<bool(model::User&)>& describe) {
    if (auto user = store::find_user_by_name_to_change(transaction, username)) {
        if (user->enabled && describe(*user)) {
            user->updated_at = context.now();
            store::update_claims(transaction, *user);
        }
        return MetUser{std::move(*user), false};
    }
    if (!context.settings.login.auto_create || !model::is_new_user_name(username)) return std::nullopt;
    model::User made;
    made.subject = model::Subject(crypto::random_id(context.random));
    made.username = username;
    made.created_at = made.updated_at = context.now();
    describe(made);
    if (!store::insert_user(transaction, made))
        return meet_user(context, transaction, username, describe);  // another login made it
    return MetUser{std::move(made), true};
}

}  // namespace postern::web
