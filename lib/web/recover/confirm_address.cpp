// Decides whose address a link that came by mail proves.
#include "web/recover/confirm_address.h"

#include "model/mail.h"
#include "store/users.h"

namespace postern::web {

void confirm_address(db::Transaction& transaction, const model::Link& link, util::Time now) {
    if (link.email.empty()) return;
    auto user = store::find_user_to_change(transaction, link.subject);
    if (!user) return;
    if (link.purpose == model::LinkPurpose::email) user->claims.set("email", link.email);
    if (model::mail_address_of(user->claims) != link.email) return;  // it has changed since the invitation
    user->claims.set("email_verified", true);
    user->claims.erase("updated_at");  // an import's; the row's own is told from now on
    user->updated_at = now;
    store::update_claims(transaction, *user);
}

}  // namespace postern::web
