// The page of a user's authenticator app.
#include "web/account/app.h"

#include "crypto/digest.h"
#include "db/write.h"
#include "factor/totp.h"
#include "factor/totp_seal.h"
#include "factor/typed_code.h"
#include "http/url.h"
#include "store/factors.h"
#include "store/users.h"
#include "text/qr_svg.h"
#include "web/account/codes.h"
#include "web/account/in_fours.h"
#include "web/account/new_app.h"
#include "web/shown_time.h"

namespace postern::web {
namespace {

constexpr const char* kNoKey = "Authenticator apps cannot be set up here now. Ask the administrator of this service.";
constexpr const char* kWrong =
    "That code is not right. Enter the one that the app shows now. The device's clock must be right.";
constexpr const char* kOtherScript = "Enter the code with the digits 0 to 9.";
constexpr const char* kTooOld = "The page was open for too long. Here is a new key: set your app up with it.";
constexpr const char* kForeign = "The page was not of this browser. Here is a new key: set your app up with it.";
constexpr const char* kChanged = "Your account was changed meanwhile. Here is a new key: set your app up with it.";
constexpr const char* kOn = "Your app is on.";

/// The page was shown instead of what was asked for.
http::Response refused(http::Response response, const std::string& detail) {
    response.refusal = http::Refusal{"app_refused", "the page of the app was shown again", detail, ""};
    return response;
}

http::Response refuse_without_key(const AccountVisit& visit) {
    AppPage page;
    page.frame = frame_of(visit);
    page.frame.problem = kNoKey;
    return refused(visit.pages.app(page, 200), "there is no factor.key; postern key repair makes one");
}

/// What the app lists it as.
std::string service_name(const oauth::Settings& settings) {
    const auto issuer = http::parse_url(settings.issuer);
    return issuer ? issuer->host : settings.issuer;
}

/// The key of `secret`, as text, link and picture.
http::Response form(const AccountVisit& visit, const util::Secret& secret, const std::string& sealed,
                    const std::string& problem) {
    AppPage page;
    page.frame = frame_of(visit);
    page.frame.problem = problem;
    page.key = in_fours(factor::base32(secret.reveal()));
    page.link = factor::otpauth_uri(service_name(visit.context().settings),
                                    store::find_username(visit.context().store, visit.subject()), secret);
    if (const auto qr = text::qr_svg(page.link)) {
        page.path = qr->path;
        page.size = std::to_string(qr->size);
    }
    page.sealed = sealed;
    return visit.pages.app(page, 200);
}

/// The same with a new key.
http::Response new_form(AccountVisit& visit, const std::string& problem) {
    return with_browser_id(visit, [&] {
        oauth::Context& context = visit.context();
        const NewApp app{factor::make_totp_secret(context.random), store::find_stamp(context.store, visit.subject())};
        const std::string sealed =
            seal_new_app(context, app, visit.interaction.browser.id.value_or(""), visit.subject());
        return form(visit, app.secret, sealed, problem);
    });
}

http::Response show_what_is_on(AccountVisit& visit, const store::TotpRow& row) {
    return with_browser_id(visit, [&] {
        AppPage page;
        page.frame = frame_of(visit);
        page.since = shown_day(row.created_at);
        if (row.last_used_at) page.last_used = shown_time(*row.last_used_at);
        page.another = http::with_query(visit.url(), {{"another", "yes"}});
        page.ends_codes = store::find_factors(visit.context().store, visit.subject()).unused_codes > 0;
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

/// The stamp of the form is not the user's any more.
http::Response answer_late(AccountVisit& visit, const NewApp& app) {
    if (is_on(visit, app)) return done(visit, AccountDone::app_on);
    return refused(new_form(visit, kChanged), "the user's factors or password were changed after the form was made");
}

struct TurnedOn {
    bool in_time = false;            ///< false: the stamp had grown, and nothing was changed
    std::vector<std::string> codes;  ///< when this is the user's first second factor
};

TurnedOn turn_on(const AccountVisit& visit, const NewApp& app, std::int64_t step) {
    oauth::Context& context = visit.context();
    const model::Subject& subject = visit.subject();
    const util::Time now = context.now();
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> TurnedOn {
        if (store::find_stamp(transaction.database(), subject) != app.stamp) return {};
        TurnedOn turned{.in_time = true, .codes = {}};
        if (!store::find_factors(transaction.database(), subject).any())
            turned.codes = make_codes(visit, transaction, now);
        const std::string sealed =
            factor::seal_totp_secret(context.keys.factor_key(), subject, now, app.secret, context.random);
        store::replace_totp(transaction, subject, sealed, step, now);
        store::raise_stamp(transaction, subject);
        transaction.commit();
        return turned;
    });
}

void note(const AccountVisit& visit, oauth::AuditEvent event) {
    visit.context().trail.add(event,
                              {oauth::audit::subject(visit.subject()), oauth::audit::session(visit.session.sid)});
}

/// Why, for the operator (TOTP-6).
std::string describe(const factor::TotpVerdict& verdict) {
    if (verdict.outcome == factor::TotpOutcome::clock_off)
        return "the app's clock is off by " + std::to_string(verdict.seconds_off) + " s";
    return "the code is not one of the app";
}

/// `sealed` is the form's, and opens to `app`: after a wrong code the same key is shown again.
http::Response turn_on_with(AccountVisit& visit, const NewApp& app, const std::string& sealed, std::string_view code) {
    if (store::find_stamp(visit.context().store, visit.subject()) != app.stamp) return answer_late(visit, app);
    const factor::TypedCode typed = factor::parse_code(code);
    if (typed.kind == factor::CodeKind::other_script)
        return refused(form(visit, app.secret, sealed, kOtherScript), "the code has digits that are not 0-9");
    if (typed.kind != factor::CodeKind::app)
        return refused(form(visit, app.secret, sealed, kWrong), "the code is not six digits");
    constexpr std::int64_t kNoneSpent = -1;
    const auto verdict = factor::check_totp(app.secret, typed.digits, visit.context().now(), kNoneSpent);
    if (verdict.outcome != factor::TotpOutcome::right)
        return refused(form(visit, app.secret, sealed, kWrong), describe(verdict));
    const TurnedOn turned = turn_on(visit, app, verdict.step);
    if (!turned.in_time) return answer_late(visit, app);
    note(visit, oauth::AuditEvent::app_added);
    return turned.codes.empty() ? done(visit, AccountDone::app_on) : show_new_codes(visit, turned.codes, kOn);
}

/// Of the last second factor: the recovery codes end with it (CODE-5).
http::Response remove(const AccountVisit& visit) {
    const bool removed = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        if (!store::remove_totp(transaction, visit.subject())) return false;
        store::remove_recovery_codes(transaction, visit.subject());
        store::raise_stamp(transaction, visit.subject());
        transaction.commit();
        return true;
    });
    if (removed) note(visit, oauth::AuditEvent::app_removed);
    return done(visit, AccountDone::app_removed);
}

}  // namespace

bool has_app_page(const oauth::Settings& settings) {
    return settings.login.method == oauth::LoginMethod::password &&
           settings.login.second_factor != oauth::SecondFactor::off;
}

http::Response show_app(AccountVisit& visit) {
    if (!visit.request().query.find("another"))
        if (const auto row = store::find_totp(visit.context().store, visit.subject()))
            return show_what_is_on(visit, *row);
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    return visit.context().keys.has_factor_key() ? new_form(visit, "") : refuse_without_key(visit);
}

http::Response submit_app(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const http::Params& sent = visit.request().form;
    if (sent.find("remove")) return remove(visit);
    if (const auto faulty = sent.first_fault({"app", "code"})) return refuse_malformed_form(visit, "field: " + *faulty);
    if (!visit.context().keys.has_factor_key()) return refuse_without_key(visit);
    const std::string sealed(sent.find("app").value_or(""));
    const auto app = open_new_app(visit.context(), sealed, visit.interaction.browser.id.value_or(""), visit.subject());
    if (app) return turn_on_with(visit, *app, sealed, sent.find("code").value_or(""));
    if (app.error() == NewAppFault::expired) return refused(new_form(visit, kTooOld), "the form was older than 600 s");
    return refused(new_form(visit, kForeign),
                   "the field app was not sealed for this browser and user, or before the"
                   " seal key was renewed");
}

}  // namespace postern::web
