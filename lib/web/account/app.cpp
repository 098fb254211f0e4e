// The page of a user's authenticator app.
#include "web/account/account.h"

#include "crypto/digest.h"
#include "db/write.h"
#include "factor/totp.h"
#include "http/url.h"
#include "login/complete.h"
#include "oauth/acr.h"
#include "store/factors.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "text/message.h"
#include "web/account/app_setup.h"

namespace postern::web {
namespace {

using refusal::Reason;
using text::tr;

constexpr const char* kNoKey =
    tr("Authenticator apps cannot be set up here now. Ask the administrator of this service.");
constexpr const char* kMustStay = tr("Your account must have an app. Set up another in its place.");
constexpr const char* kAnother = "another";  // parameter of the page that sets one up in its place

/// The page was shown instead of what was asked for.
http::Response refused(http::Response response, const std::string& detail, Reason reason = Reason::app_refused) {
    response.refusal = http::Refusal{reason, "the page of the app was shown again", detail, ""};
    return response;
}

http::Response refuse_with(const AccountVisit& visit, const char* problem, const std::string& detail,
                           Reason reason = Reason::app_refused) {
    AppPage page;
    page.frame = frame_of(visit);
    page.frame.problem = problem;
    return refused(visit.pages.app(page, 200), detail, reason);
}

/// Why no app is set up now; nullopt: one may be.
std::optional<http::Response> refuse_app_of(const AccountVisit& visit) {
    oauth::Context& context = visit.context();
    if (!context.keys.has_factor_key())
        return refuse_with(visit, kNoKey, "there is no factor.key; postern key repair makes one",
                           Reason::app_refused_no_factor_key);
    if (needs_link(visit)) return refuse_with(visit, kNeedsLink, kNeedsLinkDetail);
    return std::nullopt;
}

/// `key` as text, link and picture, with the form that turns the app on.
http::Response form(const AccountVisit& visit, AppKey key, const text::Message& problem) {
    AppPage page;
    page.frame = frame_of(visit);
    page.frame.problem = problem;
    page.frame.state_parameter = kAnother;
    page.key = std::move(key);
    return visit.pages.app(page, 200);
}

http::Response show_what_is_on(AccountVisit& visit, const store::TotpRow& row, const text::Message& problem = {}) {
    return visit.with_browser_id([&] {
        AppPage page;
        page.frame = frame_of(visit);
        page.frame.problem = problem;
        page.since = text::shown_day(row.created_at);
        if (row.last_used_at) page.last_used = text::shown_time(*row.last_used_at);
        page.another = http::with_query(visit.url(), {{kAnother, "yes"}});
        const store::Factors factors = store::find_factors(visit.context().store, visit.subject());
        page.ends_codes = factors.unused_codes > 0 && factors.passkeys == 0;
        return visit.pages.app(page, 200);
    });
}

/// It was turned on by this form before.
bool is_on(const AccountVisit& visit, const NewApp& app) {
    oauth::Context& context = visit.context();
    const auto row = store::find_totp(context.store, visit.subject());
    if (!row) return false;
    const auto secret =
        factor::open_totp_secret(context.keys.factor_key(), visit.subject(), row->created_at, row->sealed);
    return secret && crypto::equal_constant_time(secret->reveal(), app.secret.reveal());
}

http::Response refuse_app(const AccountVisit& visit, const AppRefusal& refusal) {
    if (refusal.late && is_on(visit, *refusal.late)) return done(visit, AccountDone::app_on);
    return refused(form(visit, refusal.key, refusal.problem), refusal.detail, refusal.reason);
}

void note(const AccountVisit& visit, audit::Event event) {
    visit.context().trail.add(event, {audit::subject(visit.subject()), audit::session(visit.session.sid)});
}

/// Else a thief of the password could be the next to set one up.
bool must_stay(const AccountVisit& visit, db::Database& database) {
    const auto user = login::find_factor_state(visit.context(), database, visit.subject());
    return must_have_second_factor(visit, user) && !user.passkey;
}

http::Response remove(AccountVisit& visit) {
    const auto row = store::find_totp(visit.context().store, visit.subject());
    bool stays = false;
    const bool removed = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        if (!store::find_user_to_change(transaction, visit.subject())) return false;
        // Behind the lock: the passkey that would be left may be removed in another tab.
        stays = must_stay(visit, transaction.database());
        if (stays) return false;
        if (!store::remove_totp(transaction, visit.subject())) return false;
        visit.note(transaction, model::ActivityKind::app_removed);
        end_codes_without_factor(transaction, visit.subject());
        store::raise_stamp(transaction, visit.subject());
        transaction.commit();
        return true;
    });
    if (row && stays)
        return refused(show_what_is_on(visit, *row, kMustStay), "the user must log in with a second factor");
    if (removed) note(visit, audit::Event::app_removed);
    return done(visit, AccountDone::app_removed);
}

}  // namespace

bool has_app_page(const oauth::Settings& settings) {
    return settings.login.has_levels() && settings.login.second_factor != login::SecondFactor::off;
}

http::Response show_app(AccountVisit& visit) {
    if (!visit.request().query.find(kAnother))
        if (const auto row = store::find_totp(visit.context().store, visit.subject()))
            return show_what_is_on(visit, *row);
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    if (auto refusal = refuse_app_of(visit)) return std::move(*refusal);
    return visit.with_browser_id([&] { return form(visit, new_app_key(visit.interaction, visit.subject()), ""); });
}

http::Response submit_app(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const http::Params& sent = visit.request().form;
    if (sent.find("remove")) return remove(visit);
    if (sent.fault_of("app")) return refuse_malformed_form(visit, "field: app");
    if (!sent.find_typed("code")) return refuse_malformed_form(visit, "field: code");
    if (auto refusal = refuse_app_of(visit)) return std::move(*refusal);
    auto proved = prove_new_app(visit.interaction, visit.subject());
    if (!proved) return refuse_app(visit, proved.error());
    const auto added = add_factor(visit, model::with_code(visit.session.how), [&](db::Transaction& transaction) {
        return turn_on(visit.context(), visit.interaction.browser, transaction, visit.subject(), *proved);
    });
    if (!added) return refuse_app(visit, late_app_refusal(visit.interaction, visit.subject(), std::move(proved->app)));
    note(visit, audit::Event::app_added);
    return show_added(visit, *added, AccountDone::app_on);
}

}  // namespace postern::web
