// Choosing another password as a part of a login.
#include "web/account/password_change.h"

#include <utility>

#include "crypto/password.h"
#include "db/write.h"
#include "login/activity.h"
#include "login/new_password.h"
#include "login/password_check.h"
#include "oauth/acr.h"
#include "oauth/sealed_request.h"
#include "store/factors.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "web/csrf.h"
#include "web/half_login.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kMethod = "password";
constexpr const char* kSecondFactor = "second_factor";
constexpr const char* kSame = tr("The new password must be another one than the present one.");

/// A visit whose half login lacks a new password, and perhaps a second factor that is to be set up behind it.
struct ChangeVisit {
    Interaction& interaction;
    const AccountPages& pages;
    LoginVisit login;
    SecondHalf missing = SecondHalf::none;

    oauth::Context& context() const { return interaction.context; }
    const model::HalfLogin& half() const { return *login.request.half_login; }
    const model::Subject& subject() const { return half().subject; }
};

/// What is missing beside the new password: none or enrolment. nullopt: something that comes before it, or the user
/// has changed.
std::optional<SecondHalf> find_missing(const Interaction& interaction, const LoginVisit& visit) {
    const oauth::Context& context = interaction.context;
    const model::HalfLogin& half = *visit.request.half_login;
    const auto state =
        store::find_second_factor(context.store, half.subject, oauth::rp_id_of_second_factor(context.settings));
    if (!half.must_change_password || state.stamp != half.stamp) return std::nullopt;
    if (half.done.level >= model::Level::second_factor) return SecondHalf::none;
    const SecondHalf missing = missing_half(context, state, visit);
    const bool is_proved = missing == SecondHalf::none || missing == SecondHalf::enrolment;
    return is_proved ? std::optional(missing) : std::nullopt;
}

util::Result<ChangeVisit, http::Response> open_visit(Interaction& interaction, const AccountPages& pages,
                                                     const http::Params& params) {
    ASSIGN_OR_RETURN(auto visit, resume_login(interaction, params));
    if (!visit.request.half_login) return start_over(interaction, visit);
    const auto missing = find_missing(interaction, visit);
    if (!missing) return start_over(interaction, visit);
    return ChangeVisit{interaction, pages, std::move(visit), *missing};
}

http::Response form(const ChangeVisit& visit, const text::Message& problem) {
    const oauth::Settings& settings = visit.context().settings;
    return visit.pages.password_change(
        {.username = store::find_username(visit.context().store, visit.subject()),
         .action = settings.url(*settings.paths.account + kPasswordChangeSuffix),
         .csrf = csrf_token(visit.context(), Form::password_change, visit.interaction.browser, visit.login.request.id),
         .resume = visit.login.sealed,
         .other_account = first_page_url(visit.interaction, visit.login),
         .min_length = std::to_string(settings.login.password_min_length),
         .problem = problem});
}

http::Response refuse(const ChangeVisit& visit, const text::Message& problem, const std::string& detail) {
    visit.context().trail.add(audit::Event::password_refused, {audit::subject(visit.subject()), {"reason", detail}});
    http::Response response = form(visit, problem);
    response.refusal = http::Refusal{refusal::Reason::password_refused, "the form for a new password was shown again",
                                     detail, visit.login.request.client_id.str()};
    return response;
}

void note_changed(const ChangeVisit& visit) {
    visit.context().trail.add(audit::Event::password_changed, {audit::subject(visit.subject()), {"by", "user"}});
}

/// The user's row is held.
void set_password(const ChangeVisit& visit, db::Transaction& transaction, const std::string& hash) {
    store::replace_password(transaction, visit.subject(), hash, visit.context().now());
    login::note_activity(visit.context(), transaction, visit.interaction.browser, visit.subject(),
                         model::Happened::password_changed);
}

/// The second factor is set up behind it: that is nothing which the user could have proved before. Returns the half
/// login that goes on; nullopt: the user has changed meanwhile.
std::optional<model::HalfLogin> set_before_enrolment(const ChangeVisit& visit, const std::string& hash) {
    oauth::Context& context = visit.context();
    const auto set = [&](db::Transaction& transaction) -> std::optional<model::HalfLogin> {
        const auto user = store::find_user_to_change(transaction, visit.subject());
        if (!user || !user->enabled) return std::nullopt;
        if (store::find_stamp(transaction.database(), visit.subject()) != visit.half().stamp) return std::nullopt;
        set_password(visit, transaction, hash);
        model::HalfLogin half = visit.half();
        half.must_change_password = false;
        half.stamp = store::find_stamp(transaction.database(), visit.subject());
        transaction.commit();
        return half;
    };
    return db::write(context.store, db::Durability::full, set);
}

http::Response go_on(const ChangeVisit& visit, const std::string& hash) {
    Interaction& interaction = visit.interaction;
    if (visit.missing == SecondHalf::enrolment) {
        auto half = set_before_enrolment(visit, hash);
        if (!half) return start_over(interaction, visit.login);
        note_changed(visit);
        return continue_with_half(interaction, visit.login.request, *std::move(half), SecondHalf::enrolment);
    }
    const auto started = complete_login(interaction, visit.login, visit.half().done, [&](db::Transaction& transaction) {
        set_password(visit, transaction, hash);
        return true;
    });
    if (!started) return start_over(interaction, visit.login);
    note_changed(visit);
    const bool had_second = visit.half().done.level >= model::Level::second_factor;
    login::note_login(visit.context(), *started, had_second ? kSecondFactor : kMethod, visit.login.request.client_id);
    return go_on_with(interaction, visit.login, *started);
}

}  // namespace

bool has_password_change_page(const oauth::Settings& settings) {
    return settings.paths.account && settings.login.keeps_passwords();
}

http::Response show_password_change(Interaction& interaction, const AccountPages& pages) {
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, pages, interaction.request.query));
    return form(visit, "");
}

http::Response submit_password_change(Interaction& interaction, const AccountPages& pages) {
    const http::Params& sent = interaction.request.form;
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, pages, sent));
    oauth::Context& context = interaction.context;
    const model::AuthorizationRequest& request = visit.login.request;
    if (!is_own_form(context, Form::password_change, interaction.browser, request.id, interaction.request))
        return refuse_and_offer(interaction, refusal::Reason::form_foreign, request,
                                "the csrf field is missing or does not belong to this browser and request");
    if (const auto faulty = login::first_unreadable(sent, {"new", "again"}))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, request, "field: " + *faulty);
    const auto fresh = login::read_new_password(
        context, sent,
        login::find_password_owner(context, visit.subject(), store::find_username(context.store, visit.subject())));
    if (!fresh)
        return refuse(visit, fresh.error().text,
                      fresh.error().flaw ? login::log_reason(*fresh.error().flaw) : "the two new passwords differ");
    std::string hash;
    {
        const auto slot = login::take_hash_slot(context);
        if (!slot) return refuse_and_offer(interaction, refusal::Reason::too_busy, request, login::kNoHashSlot);
        // Who has set it knows it, and so does what it was sent with.
        if (crypto::verify_password(*fresh, store::find_password_hash(context.store, visit.subject())))
            return refuse(visit, kSame, "new password: the present one");
        hash = crypto::hash_password(*fresh);
    }
    return go_on(visit, hash);
}

}  // namespace postern::web
