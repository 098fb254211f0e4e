// The page on which a user who has forgotten the password asks for a link by mail, and what a used link does to its
// user.
#include "web/recover/links.h"

#include <optional>
#include <string>
#include <utility>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "db/write.h"
#include "login/activity.h"
#include "login/browser.h"
#include "login/password_check.h"
#include "login/step.h"
#include "mail/notice.h"
#include "model/mail.h"
#include "model/user.h"
#include "oauth/acr.h"
#include "oauth/session_note.h"
#include "os/file.h"
#include "store/factors.h"
#include "store/login_attempts.h"
#include "store/mail_requests.h"
#include "store/passkeys.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "web/csrf.h"

namespace postern::web {
namespace {

using text::tr;

constexpr std::int64_t kMostOfAddress = 5;
constexpr std::int64_t kMostOfName = 3;
constexpr util::Seconds kHour = std::chrono::hours(1);

constexpr const char* kOutOfDate = tr("This form is out of date. Send it again.");
constexpr const char* kNothingTyped = tr("Enter your user name or your e-mail address.");

http::Response form(oauth::Context& context, const RecoverPages& own, login::Browser& browser,
                    const text::Message& problem, int status = 200) {
    return login::with_browser_id(context, browser, [&] {
        return own.ask({.csrf = csrf_token(context, Form::recover, browser, ""), .problem = problem}, status);
    });
}

http::Response refuse(http::Response response, refusal::Reason reason, const std::string& detail) {
    response.refusal = http::Refusal{reason, "the page of a forgotten password was shown", detail, ""};
    return response;
}

/// What is no address gets the digest of something else, which no user has: it may be a password. The row is alike.
std::string key_of(oauth::Context& context, const std::string& typed) {
    const std::string key = model::email_key(typed);
    const std::string random = crypto::random_token(context.random);
    return key.empty() ? crypto::sha256_hex(random) : key;
}

/// As the name is found: a user byte by byte, so that another spelling takes nothing from the owner; an address in any
/// case. The same work for each.
std::string counted_as(const std::string& typed, const std::optional<model::Subject>& named) {
    const std::string key = model::email_key(typed);
    if (named) return crypto::sha256_hex("user " + named->str());
    return key.empty() ? crypto::sha256_hex(typed) : key;
}

enum class Asked { yes, too_often, too_many };

struct Answer {
    Asked asked = Asked::yes;
    std::optional<model::Subject> subject = {};
};

Answer ask(oauth::Context& context, const std::string& typed, const std::string& address, const std::string& language) {
    const std::string address_key = login::counter_of_network("mail-address:", address);
    model::MailRequest request;
    request.id = crypto::random_id(context.random);
    request.email_key = key_of(context, typed);
    request.language = language;
    request.created_at = request.not_before = context.now();
    return db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) -> Answer {
        request.subject = store::find_subject(transaction.database(), typed);
        const std::string name_key = "mail-name:" + counted_as(typed, request.subject);
        const bool may_ask = store::count_uses(
            transaction, {{address_key, kMostOfAddress, context.settings.login.window}, {name_key, kMostOfName, kHour}},
            request.created_at);
        const bool is_written = may_ask && store::insert_reset(transaction, request);
        if (is_written && context.mail_wake != nullptr) context.mail_wake->request_wake();
        transaction.commit();
        return {!may_ask ? Asked::too_often : is_written ? Asked::yes : Asked::too_many, request.subject};
    });
}

http::Response submit(oauth::Context& context, const RecoverPages& own, login::Browser& browser,
                      const http::Request& request, const std::string& language) {
    if (const auto why = find_form_fault(context, Form::recover, browser, "", request))
        return refuse(form(context, own, browser, kOutOfDate, 403), refusal::Reason::recover_form_refused, *why);
    const auto typed = request.form.find_typed("name");
    if (!typed)
        return refuse(form(context, own, browser, kNothingTyped, 400), refusal::Reason::recover_form_refused,
                      "field: name");
    if (typed->empty()) return form(context, own, browser, kNothingTyped);
    const Answer answer = ask(context, *typed, request.remote_address, language);
    http::Response response = own.asked();
    if (answer.asked == Asked::yes) {
        context.trail.add(audit::Event::mail_asked, {{"kind", std::string(model::to_string(model::MailKind::reset))},
                                                     audit::subject(answer.subject.value_or(model::Subject()))});
        return response;
    }
    return refuse(
        std::move(response), refusal::Reason::mail_limited,
        answer.asked == Asked::too_many
            ? "no message will be sent: " + std::to_string(store::kMaxWaitingResets) + " requests wait already"
            : "no message will be sent: there were too many requests from this address, or for this name");
}

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

http::Response request_link(oauth::Context& context, const RecoverPages& own, const http::Request& request,
                            const std::string& language) {
    login::Browser browser = login::recognise_browser(context.settings, request);
    return request.method == http::Method::post ? submit(context, own, browser, request, language)
                                                : form(context, own, browser, "");
}

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
        store::replace_password(transaction, link.subject, hash, now, oauth::logout_notices(context),
                                store::MustChange::no, failures_after(link));
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
