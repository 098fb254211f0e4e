// Decides whose address a link that came by mail proves.
#include "web/recover/confirm_address.h"

#include <string>

#include "model/mail.h"
#include "model/user.h"
#include "store/users.h"

namespace postern::web {

void confirm_address(db::Transaction& transaction, const model::Link& link, util::Time now) {
    if (link.email.empty()) return;
    auto user = store::find_user_to_change(transaction, link.subject);
    if (!user) return;
    model::ClaimChanges changes = {{"email_verified", true}};
    if (link.purpose == model::LinkPurpose::email) changes.insert(changes.begin(), {"email", link.email});
    model::change_claims(user->claims, changes);
    if (model::mail_address_of(user->claims) != link.email) return;
    user->updated_at = now;
    store::update_claims(transaction, *user);
}

bool is_of_former_address(db::Database& database, const model::Link& link) {
    if (link.email.empty() || link.purpose == model::LinkPurpose::email) return false;
    const std::string present = model::mail_address_of(store::find_claims(database, link.subject));
    return model::email_key(present) != model::email_key(link.email);
}

}  // namespace postern::web
