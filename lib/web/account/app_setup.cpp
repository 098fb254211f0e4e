// How is a second factor set up, and what does it bring its user?
#include "web/account/app_setup.h"

#include <algorithm>
#include <limits>

#include "crypto/seal.h"
#include "db/write.h"
#include "factor/totp.h"
#include "factor/typed_code.h"
#include "login/activity.h"
#include "oauth/sealed_members.h"
#include "store/factors.h"
#include "store/users.h"
#include "text/qr_svg.h"
#include "util/text.h"
#include "web/account/account.h"

namespace postern::web {
namespace {

/// Whatever changes in the members changes the purpose.
constexpr std::string_view kPurpose = "authenticator app v1";

using refusal::Reason;
using text::tr;

constexpr const char* kWrong =
    tr("That code is not right. Enter the one that the app shows now. The device's clock must be right.");
constexpr const char* kTooOld = tr("The page was open for too long. Here is a new key: set your app up with it.");
constexpr const char* kForeign = tr("The page was not of this browser. Here is a new key: set your app up with it.");
constexpr const char* kChanged = tr("Your account was changed meanwhile. Here is a new key: set your app up with it.");

AppKey show_key(oauth::Context& context, const model::Subject& subject, const util::Secret& secret,
                std::string sealed) {
    AppKey key;
    key.text = in_fours(factor::base32(secret.reveal()));
    key.link =
        factor::otpauth_uri(context.settings.service_name(), store::find_username(context.store, subject), secret);
    if (const auto qr = text::qr_svg(key.link)) {
        key.path = qr->path;
        key.size = std::to_string(qr->size);
    }
    key.sealed = std::move(sealed);
    return key;
}

/// By the id of the browser for which it was sealed.
util::Result<NewApp, NewAppFault> open_of_browser(oauth::Context& context, const std::string& sealed,
                                                  const login::Browser& browser, const model::Subject& subject) {
    for (const std::string& id : browser.ids()) {
        auto app = open_new_app(context, sealed, id, subject);
        if (app || app.error() != NewAppFault::foreign) return app;
    }
    return NewAppFault::foreign;
}

}  // namespace

std::string in_fours(std::string_view text) {
    std::string grouped;
    for (std::size_t at = 0; at < text.size(); at += 4) {
        if (at > 0) grouped += ' ';
        grouped += text.substr(at, 4);
    }
    return grouped;
}

std::string seal_new_app(oauth::Context& context, const NewApp& app, const std::string& browser,
                         const model::Subject& subject) {
    oauth::sealed::Writer writer;
    const std::string secret(app.secret.reveal());
    writer(browser, subject, util::Time(context.now() + kNewAppTtl), std::to_string(app.stamp), secret);
    return crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
}

util::Result<NewApp, NewAppFault> open_new_app(oauth::Context& context, std::string_view sealed,
                                               const std::string& browser, const model::Subject& subject) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, sealed);
    if (!plain) return NewAppFault::foreign;
    std::string of_browser, stamp, secret;
    model::Subject of_subject;
    util::Time expires_at{};
    oauth::sealed::Reader reader(*plain);
    reader(of_browser, of_subject, expires_at, stamp, secret);
    const auto number = util::parse_digits(stamp, std::numeric_limits<std::int64_t>::max());
    if (!reader.is_whole() || !number) return NewAppFault::foreign;
    // TOTP-4; a form of a browser without an id opens nowhere.
    if (browser.empty() || of_browser != browser || of_subject != subject) return NewAppFault::foreign;
    if (context.now() >= expires_at) return NewAppFault::expired;
    return NewApp{util::Secret(std::move(secret)), *number};
}

AppKey new_app_key(Interaction& interaction, const model::Subject& subject) {
    oauth::Context& context = interaction.context;
    const NewApp app{factor::make_totp_secret(context.random), store::find_stamp(context.store, subject)};
    std::string sealed = seal_new_app(context, app, interaction.browser.id.value_or(""), subject);
    return show_key(context, subject, app.secret, std::move(sealed));
}

AppRefusal late_app_refusal(Interaction& interaction, const model::Subject& subject, NewApp app) {
    return {kChanged, "the user's factors or password were changed after the form was made",
            new_app_key(interaction, subject), std::move(app)};
}

util::Result<ProvedApp, AppRefusal> prove_new_app(Interaction& interaction, const model::Subject& subject) {
    oauth::Context& context = interaction.context;
    const std::string sealed(interaction.request.form.find("app").value_or(""));
    auto app = open_of_browser(context, sealed, interaction.browser, subject);
    if (!app && app.error() == NewAppFault::expired)
        return AppRefusal{kTooOld, "the form was older than 600 s", new_app_key(interaction, subject)};
    if (!app)
        return AppRefusal{kForeign,
                          "the field app was not sealed for this browser and user, or before the seal key was renewed",
                          new_app_key(interaction, subject)};
    if (store::find_stamp(context.store, subject) != app->stamp)
        return late_app_refusal(interaction, subject, std::move(*app));

    const auto again = [&](const char* problem, const std::string& detail, Reason reason = Reason::app_refused) {
        return AppRefusal{problem, detail, show_key(context, subject, app->secret, sealed), {}, reason};
    };
    const factor::TypedCode typed = factor::parse_code(interaction.request.form.find_typed("code").value_or(""));
    if (typed.kind != factor::CodeKind::app) return again(kWrong, "the code is not six digits");
    constexpr std::int64_t kNoneSpent = -1;
    const auto verdict = factor::check_totp(app->secret, typed.digits, context.now(), kNoneSpent);
    if (verdict.outcome == factor::TotpOutcome::clock_off)  // TOTP-6
        return again(kWrong, "the app's clock is off by " + std::to_string(verdict.seconds_off) + " s",
                     Reason::app_refused_clock_off);
    if (verdict.outcome != factor::TotpOutcome::right) return again(kWrong, "the code is not one of the app");
    return ProvedApp{std::move(*app), verdict.step};
}

FirstCodes turn_on(oauth::Context& context, const login::Browser& browser, db::Transaction& transaction,
                   const model::Subject& subject, const ProvedApp& proved) {
    if (store::find_stamp(transaction.database(), subject) != proved.app.stamp) return std::nullopt;
    std::vector<std::string> codes;
    if (!store::find_factors(transaction.database(), subject).any()) codes = make_codes(context, transaction, subject);
    const util::Time now = context.now();
    const std::string sealed =
        factor::seal_totp_secret(context.keys.factor_key(), subject, now, proved.app.secret, context.random);
    store::replace_totp(transaction, subject, sealed, proved.step, now);
    store::raise_stamp(transaction, subject);
    const auto note = [&](model::ActivityKind what) {
        login::note_activity(context, transaction, browser, subject, what);
    };
    note(model::ActivityKind::app_added);
    if (!codes.empty()) note(model::ActivityKind::recovery_codes_made);
    return codes;
}

void end_codes_without_factor(db::Transaction& transaction, const model::Subject& subject) {
    const store::Factors left = store::find_factors(transaction.database(), subject);
    if (!left.app && left.passkeys == 0) store::remove_recovery_codes(transaction, subject);
}

std::vector<std::string> make_codes(oauth::Context& context, db::Transaction& transaction,
                                    const model::Subject& subject) {
    std::vector<std::string> codes = factor::make_recovery_codes(context.random);
    std::vector<std::string> hashes;
    for (const std::string& code : codes)
        hashes.push_back(factor::recovery_code_hash(context.keys.factor_key(), subject, code));
    store::replace_recovery_codes(transaction, subject, hashes, context.now());
    return codes;
}

login::NewPasskey ask_for_own_passkey(const login::PasskeySetup& setup) {
    const auto user = store::find_user(setup.context.store, setup.subject);
    if (!user) return {};
    return login::ask_for_passkey(setup, {user->username, login::name_of(user->claims),
                                          store::list_passkeys(setup.context.store, setup.subject)});
}

FirstCodes add_own_passkey(oauth::Context& context, const login::Browser& browser, db::Transaction& transaction,
                           const login::ProvedPasskey& proved, std::optional<login::PasskeyRefusal>& refusal) {
    const model::Subject& subject = proved.row.subject;
    const store::Factors before = store::find_factors(transaction.database(), subject);
    refusal.reset();  // an engine may run the action again
    const auto added = login::add_passkey(context, browser, transaction, proved, before.passkeys);
    if (!added) {
        refusal = added.error();
        return std::nullopt;
    }
    std::vector<std::string> codes;
    if (before.any() || !has_app_page(context.settings) || !context.keys.has_factor_key()) return codes;
    codes = make_codes(context, transaction, subject);
    login::note_activity(context, transaction, browser, subject, model::ActivityKind::recovery_codes_made);
    return codes;
}

bool is_added(oauth::Context& context, const login::ProvedPasskey& proved) {
    const auto known = store::find_passkey(context.store, proved.row.credential_id);
    return known && known->subject == proved.row.subject && known->cose_key == proved.row.cose_key;
}

model::Authentication with_new_passkey(const model::Authentication& done, const login::ProvedPasskey& proved) {
    auto how = model::with_passkey(done);
    if (!proved.user_verified) how.level = std::max(done.level, model::Level::second_factor);
    return how;
}

bool was_by_passkey_alone(const model::Authentication& how) {
    const auto methods = model::methods_of(how.amr);
    const auto has = [&](const char* method) { return std::ranges::find(methods, method) != methods.end(); };
    return how.level == model::Level::phishing_resistant && has("user") && !has("pwd");
}

util::Result<AddedFactor, std::string> add_factor(const AccountVisit& visit, const model::Authentication& how,
                                                  const std::function<FirstCodes(db::Transaction&)>& add) {
    oauth::Context& context = visit.context();
    using Outcome = util::Result<AddedFactor, std::string>;
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> Outcome {
        if (!store::find_user_to_change(transaction, visit.subject()))
            return std::string("the user is not there any more");
        auto codes = add(transaction);
        if (!codes) return std::string();
        auto session = login::raise_session(context, transaction, visit.interaction.browser, visit.session.sid, how);
        if (!session) return std::string("the session has ended");
        transaction.commit();
        return AddedFactor{std::move(*session), std::move(*codes)};
    });
}

http::Response show_added(AccountVisit& visit, const AddedFactor& added, AccountDone what) {
    visit.interaction.browser.session = added.session.session;
    http::Response response =
        added.codes.empty() ? done(visit, what) : show_new_codes(visit, added.codes, message_of(what));
    login::send_session(visit.interaction.browser, added.session, response);
    return response;
}

}  // namespace postern::web
