// The page on which a user changes the password.
#include "web/account/account.h"

#include <algorithm>
#include <functional>

#include "crypto/random.h"
#include "db/write.h"
#include "login/new_password.h"
#include "login/password_check.h"
#include "oauth/access_token.h"
#include "oauth/context.h"
#include "oauth/session_life.h"
#include "oauth/session_note.h"
#include "store/passkeys.h"
#include "store/sessions.h"
#include "store/users.h"
#include "web/account/app_setup.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kWrong = tr("The present password is not right.");

/// What was typed.
struct Typed {
    util::Secret present;
    util::Secret fresh;
};

using Wrong = PasswordPage::Wrong;
using Asks = PasswordPage::Asks;

/// A login by passkey alone proves who changes the password (ACCOUNT-6). A passkey beside a password does not take its
/// place: a browser that was left open may have added it. Nor does any while one is suspended, which may have been
/// copied; what began with one that was removed has ended (web::submit_passkeys).
bool proves_by_passkey(const AccountVisit& visit, db::Database& database) {
    if (!was_by_passkey_alone(visit.session.how)) return false;
    const auto passkeys = store::list_passkeys(database, visit.subject());
    return std::ranges::none_of(passkeys,
                                [](const store::Passkey& passkey) { return passkey.suspended_at.has_value(); });
}

Asks asked_of(const AccountVisit& visit) {
    if (proves_by_passkey(visit, visit.context().store)) return Asks::new_alone;
    return store::find_password_hash(visit.context().store, visit.subject()).empty() ? Asks::nothing
                                                                                     : Asks::present_and_new;
}

http::Response form(AccountVisit& visit, Wrong wrong, const text::Message& problem, int status = 200) {
    return visit.with_browser_id([&] {
        PasswordPage page{.frame = frame_of(visit),
                          .wrong = wrong,
                          .username = store::find_username(visit.context().store, visit.subject()),
                          .min_length = std::to_string(visit.context().settings.login.password_min_length),
                          .asks = asked_of(visit)};
        page.frame.problem = problem;
        return visit.pages.password(page, status);
    });
}

/// Asked in the transaction of the change: whether what proves the user still does. It holds the user's row then.
using StillProved = std::function<bool(db::Transaction&)>;

/// The same session under a new cookie value; nullopt when it or the proof ended while this waited.
std::optional<std::string> change(const AccountVisit& visit, const StillProved& is_proved, const std::string& hash) {
    oauth::Context& context = visit.context();
    std::string cookie = crypto::random_token(context.random);
    const auto replace = [&](db::Transaction& transaction) {
        const util::Time now = context.now();
        if (!is_proved(transaction)) return false;
        auto session = store::find_session(transaction.database(), visit.session.cookie_hash,
                                           oauth::session_life(context.settings, now));
        if (!session) return false;
        store::replace_password(transaction, visit.subject(), hash, now, oauth::logout_notices(context),
                                store::MustChange::no, store::CodeFailuresAfter::none, session->sid);
        session->cookie_hash = oauth::hash_of(cookie);
        store::insert_session(transaction, *session);
        visit.note(transaction, model::ActivityKind::password_changed);
        transaction.commit();
        return true;
    };
    if (!db::write(context.store, db::Durability::full, replace)) return std::nullopt;
    context.trail.add(audit::Event::password_changed,
                      {audit::subject(visit.subject()), audit::session(visit.session.sid), {"by", "user"}});
    return cookie;
}

void note_refusal(const AccountVisit& visit, const std::string& reason) {
    visit.context().trail.add(audit::Event::password_refused,
                              {audit::subject(visit.subject()), audit::session(visit.session.sid), {"reason", reason}});
}

http::Response refuse(AccountVisit& visit, const login::ProofRefused& refused, const text::Message& wrong) {
    note_refusal(visit, refused.detail);
    const bool waits = refused.fault == login::ProofFault::throttled;
    const text::Message problem = waits ? login::wait_message(refused.wait) : wrong;
    return answer_refused(form(visit, Wrong::present, problem), refused,
                          {waits ? refusal::Reason::login_throttled : refusal::Reason::password_refused,
                           "the password form was shown again", refused.detail, ""});
}

http::Response refuse_busy(const AccountVisit& visit) {
    note_refusal(visit, login::kNoHashSlot);
    return pages::refusal_page(visit.interaction.pages(), visit.request(), refusal::Reason::too_busy,
                               {"", login::kNoHashSlot, visit.context().settings.issuer, visit.url()});
}

http::Response show_changed(const AccountVisit& visit, const std::string& cookie) {
    http::Response response = done(visit, AccountDone::password_changed);
    const login::CookieNames& names = visit.interaction.browser.names;
    response.add("Set-Cookie", http::set_cookie(names.session, cookie, names.security));
    return response;
}

/// The new password is right, the present one is not looked at yet.
http::Response change_with(AccountVisit& visit, const Typed& typed, const std::string& username) {
    const auto proof =
        login::attempt_password(visit.context(), username, typed.present, visit.request().remote_address);
    if (!proof && proof.error().fault == login::ProofFault::busy) return refuse_busy(visit);
    if (!proof) return refuse(visit, proof.error(), kWrong);
    const auto hash = login::hash_new_password(visit.context(), typed.fresh);
    if (!hash) return refuse_busy(visit);
    const auto is_proved = [&](db::Transaction& transaction) {
        const auto user = store::find_user_to_change(transaction, visit.subject());
        // The name may have become another user's since.
        const bool is_right = user && user->enabled && proof->subject == visit.subject() && proof->spend(transaction);
        if (is_right)
            login::note_success(transaction,
                                login::success_keys(visit.context(), username, visit.request().remote_address),
                                visit.context().now());
        return is_right;
    };
    const auto cookie = change(visit, is_proved, *hash);
    if (!cookie) {
        const util::Time now = visit.context().now();
        const bool is_live = store::find_session(visit.context().store, visit.session.cookie_hash,
                                                 oauth::session_life(visit.context().settings, now))
                                 .has_value();
        if (!is_live) return http::see_other(visit.url());  // the login comes first then
        return refuse(visit, {.detail = "the password was changed or the session ended while this change waited"},
                      kWrong);
    }
    return show_changed(visit, *cookie);
}

/// The same behind a login by passkey alone. Where another change has ended the session, the user logs in again.
http::Response change_by_passkey(const AccountVisit& visit, const util::Secret& fresh) {
    const auto hash = login::hash_new_password(visit.context(), fresh);
    if (!hash) return refuse_busy(visit);
    const auto is_proved = [&](db::Transaction& transaction) {
        const auto user = store::find_user_to_change(transaction, visit.subject());
        return user && user->enabled && proves_by_passkey(visit, transaction.database());
    };
    const auto cookie = change(visit, is_proved, *hash);
    return cookie ? show_changed(visit, *cookie) : http::see_other(visit.url());
}

http::Response refuse_without_proof(AccountVisit& visit) {
    http::Response response = form(visit, Wrong::none, "");
    response.refusal = http::Refusal{refusal::Reason::password_refused, "the page of the password was shown again",
                                     "the user has no password, and the login was not by a passkey alone", ""};
    return response;
}

}  // namespace

bool has_password_page(const oauth::Settings& settings) { return settings.login.keeps_passwords(); }

http::Response show_password(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    return form(visit, Wrong::none, "");
}

http::Response submit_password(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const http::Params& sent = visit.request().form;
    if (const auto faulty = login::first_unreadable(sent, {"present", "new", "again"}))
        return refuse_malformed_form(visit, "field: " + *faulty);
    const Asks asks = asked_of(visit);
    if (asks == Asks::nothing) return refuse_without_proof(visit);
    const std::string username = store::find_username(visit.context().store, visit.subject());
    auto fresh = login::read_new_password(visit.context(), sent,
                                          login::find_password_owner(visit.context(), visit.subject(), username));
    if (!fresh) {
        if (fresh.error().flaw) note_refusal(visit, login::log_reason(*fresh.error().flaw));
        return form(visit, Wrong::fresh, fresh.error().text);
    }
    if (asks == Asks::new_alone) return change_by_passkey(visit, *fresh);
    if (login::has_pasted_space(sent, "present"))
        return refuse(visit, {.detail = login::kPastedSpace}, login::pasted_space_message());
    return change_with(visit, {util::Secret(std::string(sent.find("present").value_or(""))), std::move(*fresh)},
                       username);
}

}  // namespace postern::web
