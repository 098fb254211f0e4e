// Choosing another password as a part of a login.
#include "web/account/account.h"

#include <utility>

#include "crypto/password.h"
#include "login/activity.h"
#include "login/new_password.h"
#include "login/password_check.h"
#include "oauth/session_note.h"
#include "store/factors.h"
#include "store/users.h"
#include "web/account/visit.h"
#include "web/login_step.h"

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
    bool then_enrol = false;

    oauth::Context& context() const { return interaction.context; }
    const model::HalfLogin& half() const { return *login.request.half_login; }
    const model::Subject& subject() const { return half().subject; }
};

util::Result<ChangeVisit, http::Response> open_visit(Interaction& interaction, const AccountPages& pages,
                                                     const http::Params& params) {
    ASSIGN_OR_RETURN(auto visit, resume_login(interaction, params));
    if (!visit.request.half_login) return start_over(interaction, visit);
    const auto step = find_login_step(interaction, interaction.context.store, visit);
    const auto* choose = std::get_if<login::ChooseNewPassword>(&step);
    if (choose == nullptr) return start_over(interaction, visit);
    return ChangeVisit{interaction, pages, std::move(visit), choose->then_enrol};
}

http::Response form(const ChangeVisit& visit, const text::Message& problem) {
    return visit.pages.password_change(
        {.frame = frame_of(visit.interaction, visit.login, Form::password_change, kPasswordChangeSuffix),
         .min_length = std::to_string(visit.context().settings.login.password_min_length),
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
    store::replace_password(transaction, visit.subject(), hash, visit.context().now(),
                            oauth::logout_notices(visit.context()));
    login::note_activity(visit.context(), transaction, visit.interaction.browser, visit.subject(),
                         model::ActivityKind::password_changed);
}

/// The visit with its password changed, for the step that comes next.
LoginVisit with_new_password(const ChangeVisit& visit) {
    LoginVisit changed = visit.login;
    changed.request.half_login->must_change_password = false;
    return changed;
}

/// The second factor is set up behind it: that is nothing which the user could have proved before.
http::Response go_on_to_enrolment(const ChangeVisit& visit, const std::string& hash) {
    LoginVisit changed = with_new_password(visit);
    std::int64_t& stamp = changed.request.half_login->stamp;
    const bool is_set = login::write_for_unchanged(visit.context(), visit.half(), [&](db::Transaction& transaction) {
        set_password(visit, transaction, hash);
        stamp = store::find_stamp(transaction.database(), visit.subject());
        return true;
    });
    if (!is_set) return start_over(visit.interaction, visit.login);
    note_changed(visit);
    return ask_for(visit.interaction, changed.request,
                   find_login_step(visit.interaction, visit.context().store, changed));
}

http::Response go_on(const ChangeVisit& visit, const std::string& hash) {
    if (visit.then_enrol) return go_on_to_enrolment(visit, hash);
    Interaction& interaction = visit.interaction;
    const LoginVisit changed = with_new_password(visit);
    const auto last = find_login_step(interaction, visit.context().store, changed);
    const auto started = complete(interaction, changed, last, [&](db::Transaction& transaction) {
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
    if (auto foreign = refuse_foreign_form(interaction, Form::password_change, request)) return *std::move(foreign);
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
