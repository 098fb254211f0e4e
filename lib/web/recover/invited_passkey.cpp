// Adding the passkey of an invited user, and spending the invitation.
#include "web/recover/invited_passkey.h"

#include <utility>

#include "db/write.h"
#include "login/activity.h"
#include "oauth/acr.h"
#include "store/users.h"
#include "web/recover/confirm_address.h"

namespace postern::web {

bool takes_passkey(const oauth::Settings& settings, model::LinkPurpose purpose) {
    return purpose == model::LinkPurpose::invite && oauth::offers_passkeys(settings) &&
           settings.login.passkeys == login::Passkeys::login;
}

login::PasskeySetup invited_setup(oauth::Context& context, const login::Browser& browser, const http::Request& request,
                                  const model::Link& link) {
    return {context, browser, request, link.subject, link.token_hash.str(), login::PasskeyUse::alone};
}

login::NewPasskey ask_for_invited_passkey(const login::PasskeySetup& setup, const store::FoundLink& found) {
    oauth::Context& context = setup.context;
    login::PasskeyOwner owner{found.username, login::name_of(store::find_claims(context.store, setup.subject)), {}};
    for (std::string& id : store::passkey_ids(context.store, setup.subject))
        owner.known.emplace_back().credential_id = std::move(id);
    return login::ask_for_passkey(setup, owner);
}

InvitedPasskey add_invited_passkey(oauth::Context& context, const login::Browser& browser, const model::Link& link,
                                   const login::ProvedPasskey& proved) {
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> InvitedPasskey {
        // First, for the stamp that it looks at grows with the passkey.
        if (!store::spend_link(transaction, link, context.now())) return {};
        if (is_of_former_address(transaction.database(), link)) return {};
        const auto known = static_cast<std::int64_t>(store::passkey_ids(transaction.database(), link.subject).size());
        if (const auto added = login::add_passkey(context, browser, transaction, proved, known); !added)
            return {.refusal = added.error()};
        confirm_address(transaction, link, context.now());
        login::note_activity(context, transaction, browser, link.subject, model::ActivityKind::link_used,
                             model::kUsedForPasskey);
        transaction.commit();
        return {.is_spent = true};
    });
}

}  // namespace postern::web
