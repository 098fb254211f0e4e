// The way from a proved first half to the session. Nothing is stored before a login is whole.
#include "login/complete.h"

#include <utility>

#include "crypto/random.h"
#include "db/write.h"
#include "login/activity.h"
#include "login/password_check.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/sealed_request.h"
#include "oauth/session_note.h"
#include "store/authorization_requests.h"
#include "store/factors.h"
#include "store/session_clients.h"
#include "store/sessions.h"
#include "store/users.h"

namespace postern::login {
namespace {

std::optional<std::string> lock_unchanged(db::Transaction& transaction, const model::HalfLogin& half) {
    return store::find_unchanged_user(transaction, half.subject, half.stamp);
}

/// Carries out the last step of a login.
struct Complete {
    oauth::Context& context;
    const Browser& browser;
    const WholeLogin& whole;
    const std::string& username;
    db::Transaction& transaction;

    using Started = std::optional<StartedSession>;

    Started operator()(const StartSession& step) const {
        note_places(step.how);
        // The login is whole now: `max_age` counts from here (OpenID Connect Core §2, auth_time).
        auto started = start_session(context, transaction, browser, half().subject,
                                     half().auth_time.value_or(context.now()), step.how);
        if (step.is_for_request)
            store::record_login(transaction, oauth::request_key(whole.request), half().subject,
                                whole.request.expires_at);
        return started;
    }
    Started operator()(const RaiseSession& step) const {
        note_places(step.how);
        auto raised = raise_session(context, transaction, browser, half().sid, step.how);
        if (raised)
            note_activity(context, transaction, browser, half().subject, model::ActivityKind::second_step_done,
                          step.how.amr);
        return raised;
    }
    template <class OtherStep>
    Started operator()(const OtherStep&) const {
        return std::nullopt;
    }

private:
    const model::HalfLogin& half() const { return *whole.request.half_login; }

    /// The word of the web server alone cannot be guessed here. A session that is raised was not a password typed
    /// now.
    void note_places(const model::Authentication& how) const {
        if (how.amr.empty()) return;
        const SuccessKeys keys = success_keys(context, username, whole.address);
        if (half().sid.empty()) note_success(transaction, keys, context.now());
        if (how.level >= model::Level::second_factor) remember_code_place(transaction, keys, context.now());
    }
};

/// Another user's session, whose place the new one takes. One that has expired is not in browser.session, and one that
/// another tab has given another cookie value meanwhile lives on.
void tell_of_replaced(db::Transaction& transaction, const store::LogoutNotices& notices, const model::Session& session,
                      util::Time now) {
    if (!notices.has_clients) return;
    store::lock_user(transaction, session.subject);
    if (!store::has_session_row(transaction.database(), session.cookie_hash)) return;
    store::tell_of_logout(transaction, notices, session.subject, {.only = session.sid}, now);
}

}  // namespace

StartedSession start_session(oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                             const model::Subject& subject, util::Time auth_time, const model::Authentication& how) {
    const util::Time now = context.now();
    std::string value = crypto::random_token(context.random);
    model::Session session;
    session.cookie_hash = oauth::hash_of(value);
    const store::LogoutNotices notices = oauth::logout_notices(context);
    const bool was_of_user = browser.session && browser.session->subject == subject;
    if (browser.session && !was_of_user) tell_of_replaced(transaction, notices, *browser.session, now);
    const bool removed = browser.session_cookie && store::delete_session_row(transaction, *browser.session_cookie);
    // Of two logins at once one takes the old session's place; a session id names one session.
    const bool same_user = removed && was_of_user;
    session.sid = same_user ? browser.session->sid : model::Sid(crypto::random_id(context.random));
    session.subject = subject;
    session.auth_time = auth_time;
    session.created_at = now;
    session.last_seen_at = now;
    session.expires_at = now + context.settings.session_ttl;
    session.agent = agent_label(browser.user_agent);
    session.address = browser.address;
    session.how = how;
    store::insert_session(transaction, session);
    if (notices.has_clients && same_user) store::keep_session_clients(transaction, session);
    store::end_surplus_sessions(transaction, session, notices);
    note_activity(context, transaction, browser, subject, model::ActivityKind::signed_in, how.amr);
    StartedSession started{std::move(value), std::move(session), std::nullopt};
    if (removed && !was_of_user) started.replaced = browser.session;
    return started;
}

std::optional<StartedSession> raise_session(oauth::Context& context, db::Transaction& transaction,
                                            const Browser& browser, const model::Sid& sid,
                                            const model::Authentication& how) {
    if (!browser.session || browser.session->sid != sid) return std::nullopt;
    // Another tab may have raised it or logged out meanwhile.
    if (!store::delete_session_row(transaction, browser.session->cookie_hash)) return std::nullopt;
    StartedSession raised{crypto::random_token(context.random), *browser.session, std::nullopt};
    raised.session.cookie_hash = oauth::hash_of(raised.cookie);
    raised.session.last_seen_at = context.now();
    raised.session.how = how;
    store::insert_session(transaction, raised.session);
    return raised;
}

void send_session(const Browser& browser, const StartedSession& started, http::Response& response) {
    const CookieNames& names = browser.names;
    response.add("Set-Cookie", http::set_cookie(names.session, started.cookie, names.security));
}

void note_login(oauth::Context& context, const StartedSession& started, std::string_view method,
                const model::ClientId& client) {
    if (const auto& old = started.replaced)
        context.trail.add(audit::Event::session_replaced, {audit::subject(old->subject), audit::session(old->sid)});
    context.trail.add(audit::Event::login_succeeded,
                      {{"method", std::string(method)},
                       audit::subject(started.session.subject),
                       {"amr", started.session.how.amr},
                       {"acr", oauth::acr_of_login(context.settings, started.session.how.level, {})},
                       audit::client(client),
                       audit::session(started.session.sid)});
}

store::SecondFactorState find_factor_state(const oauth::Context& context, db::Database& database,
                                           const model::Subject& subject) {
    if (oauth::highest_level(context.settings) <= model::Level::password)
        return {.stamp = store::find_stamp(database, subject)};
    return store::find_second_factor(database, subject, oauth::rp_id_of_second_factor(context.settings));
}

model::HalfLogin begin_login(const oauth::Context& context, const Proof& proof) {
    return {.subject = proof.subject,
            .stamp = proof.stamp,
            .expires_at = context.now() + kHalfLoginTtl,
            .done = proof.how,
            .sid = {},
            .must_change_password = proof.must_change_password};
}

model::HalfLogin begin_raise(const oauth::Context& context, const model::Session& session, std::int64_t stamp) {
    return {.subject = session.subject,
            .stamp = stamp,
            .expires_at = context.now() + kHalfLoginTtl,
            .done = session.how,
            .sid = session.sid};
}

bool is_unchanged(const oauth::Context& context, const model::HalfLogin& half) {
    return store::is_user_unchanged(context.store, half.subject, half.stamp);
}

std::optional<StartedSession> complete_login(oauth::Context& context, const Browser& browser, const WholeLogin& whole,
                                             const Spend& spend) {
    const auto complete = [&](db::Transaction& transaction) -> std::optional<StartedSession> {
        const auto username = lock_unchanged(transaction, *whole.request.half_login);
        if (!username || !spend(transaction)) return std::nullopt;
        auto started = std::visit(Complete{context, browser, whole, *username, transaction}, whole.step);
        if (started) transaction.commit();
        return started;
    };
    return db::write(context.store, db::Durability::full, complete);
}

bool write_for_unchanged(oauth::Context& context, const model::HalfLogin& half, const Spend& write) {
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        if (!lock_unchanged(transaction, half) || !write(transaction)) return false;
        transaction.commit();
        return true;
    });
}

}  // namespace postern::login
