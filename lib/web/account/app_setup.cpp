// How is an authenticator app turned on?
#include "web/account/app_setup.h"

#include "factor/recovery_code.h"
#include "factor/totp.h"
#include "factor/typed_code.h"
#include "login/activity.h"
#include "store/factors.h"
#include "store/users.h"
#include "text/qr_svg.h"
#include "web/account/in_fours.h"

namespace postern::web {
namespace {

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

AppKey new_app_key(Interaction& interaction, const model::Subject& subject) {
    oauth::Context& context = interaction.context;
    const NewApp app{factor::make_totp_secret(context.random), store::find_stamp(context.store, subject)};
    std::string sealed = seal_new_app(context, app, interaction.browser.id.value_or(""), subject);
    return show_key(context, subject, app.secret, std::move(sealed));
}

AppRefusal app_is_late(Interaction& interaction, const model::Subject& subject, NewApp app) {
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
        return app_is_late(interaction, subject, std::move(*app));

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

std::optional<std::vector<std::string>> turn_on(oauth::Context& context, db::Transaction& transaction,
                                                const model::Subject& subject, const ProvedApp& proved) {
    if (store::find_stamp(transaction.database(), subject) != proved.app.stamp) return std::nullopt;
    std::vector<std::string> codes;
    if (!store::find_factors(transaction.database(), subject).any()) codes = make_codes(context, transaction, subject);
    const util::Time now = context.now();
    const std::string sealed =
        factor::seal_totp_secret(context.keys.factor_key(), subject, now, proved.app.secret, context.random);
    store::replace_totp(transaction, subject, sealed, proved.step, now);
    store::raise_stamp(transaction, subject);
    return codes;
}

void note_app(const oauth::Context& context, db::Transaction& transaction, const login::Browser& browser,
              const model::Subject& subject, const std::vector<std::string>& codes) {
    login::note_activity(context, transaction, browser, subject, model::Happened::app_added);
    if (!codes.empty())
        login::note_activity(context, transaction, browser, subject, model::Happened::recovery_codes_made);
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

}  // namespace postern::web
