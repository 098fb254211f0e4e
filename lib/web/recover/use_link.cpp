// What a used link does to its user.
#include "web/recover/use_link.h"

#include <utility>

#include "db/write.h"
#include "login/activity.h"
#include "login/step.h"
#include "mail/notice.h"
#include "model/mail.h"
#include "model/user.h"
#include "oauth/acr.h"
#include "os/wake_file.h"
#include "store/factors.h"
#include "store/passkeys.h"
#include "store/second_factor.h"
#include "store/users.h"

namespace postern::web {
namespace {

/// The user reads the mail of the address to which the link was sent (LINK-9): a link of purpose `email` sets the
/// address, and any other proves it, as long as it is still the user's.
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

RemovedFactors remove_factors(db::Transaction& transaction, const model::Subject& subject) {
    RemovedFactors removed;
    removed.app = store::remove_totp(transaction, subject);
    removed.passkeys = store::passkey_ids(transaction.database(), subject);
    store::remove_passkeys(transaction, subject);
    store::remove_recovery_codes(transaction, subject);
    return removed;
}

/// A thief of the mailbox has a link as often as it pleases, and must not have the tries of a code with each (TOTP-9).
store::CodeFailuresAfter failures_after(const model::Link& link) {
    return link.email.empty() ? store::CodeFailuresAfter::none : store::CodeFailuresAfter::same;
}

}  // namespace

bool is_of_former_address(db::Database& database, const model::Link& link) {
    if (link.email.empty() || link.purpose == model::LinkPurpose::email) return false;
    const std::string present = model::mail_address_of(store::find_claims(database, link.subject));
    return model::email_key(present) != model::email_key(link.email);
}

std::optional<RemovedFactors> spend_on_password(oauth::Context& context, const login::Browser& browser,
                                                const model::Link& link, const std::string& hash) {
    using Removed = std::optional<RemovedFactors>;
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> Removed {
        const util::Time now = context.now();
        if (!store::spend_link(transaction, link, now)) return std::nullopt;
        if (is_of_former_address(transaction.database(), link)) return std::nullopt;
        RemovedFactors removed;
        if (link.purpose == model::LinkPurpose::factors) removed = remove_factors(transaction, link.subject);
        if (link.purpose == model::LinkPurpose::invite) confirm_address(transaction, link, now);
        store::replace_password(transaction, link.subject, hash, now, store::MustChange::no, failures_after(link));
        store::let_enrol(transaction, link.subject, now + login::kEnrolAfterLink);  // behind the change that ends it
        login::note_activity(context, transaction, browser, link.subject, model::ActivityKind::link_used,
                             std::string(model::to_string(link.purpose)));
        transaction.commit();
        return removed;
    });
}

bool spend_on_address(oauth::Context& context, const login::Browser& browser, const model::Link& link) {
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        if (!store::spend_link(transaction, link, context.now())) return false;
        const bool told =
            context.mail_wake != nullptr && mail::queue_notice(transaction, context.random, link.subject,
                                                               model::ActivityKind::profile_changed, context.now());
        if (told) context.mail_wake->request_wake();
        confirm_address(transaction, link, context.now());
        login::note_activity(context, transaction, browser, link.subject, model::ActivityKind::profile_changed,
                             "email");
        transaction.commit();
        return true;
    });
}

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
