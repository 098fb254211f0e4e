// Setting up an app as the second half of a login.
#include "web/account/enrolment.h"

#include "oauth/acr.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "web/account/app.h"
#include "web/account/app_setup.h"
#include "web/account/codes.h"
#include "web/account/visit.h"
#include "web/half_login.h"

namespace postern::web {
namespace {

constexpr const char* kMethod = "second_factor";
constexpr const char* kOn = "Your app is on.";

/// A right password is worth the first app and no other: who has one gives its code.
bool may_enrol(const Interaction& interaction, const LoginVisit& visit, db::Database& database) {
    const model::HalfLogin& half = *visit.request.half_login;
    const auto state =
        store::find_second_factor(database, half.subject, oauth::rp_id_of_second_factor(interaction.context.settings));
    return state.stamp == half.stamp &&
           missing_half(interaction.context.settings, state, visit) == SecondHalf::enrolment;
}

http::Response form(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit, AppKey key,
                    const std::string& message) {
    const oauth::Settings& settings = interaction.context.settings;
    EnrolmentPage page;
    page.username = store::find_username(interaction.context.store, visit.request.half_login->subject);
    page.action = settings.url(*settings.paths.account + kEnrolmentSuffix);
    page.csrf = csrf_token(interaction.context, Form::enrolment, interaction.browser, visit.request.id);
    page.resume = visit.sealed;
    page.other_account = first_page_url(interaction, visit);
    page.message = message;
    page.key = std::move(key);
    return pages.enrolment(page);
}

/// Before anything else: whose login it is, and that it may be completed here. A visit that has no half login any more
/// has the login page before it.
util::Result<LoginVisit, http::Response> open_visit(Interaction& interaction, const http::Params& params) {
    ASSIGN_OR_RETURN(auto visit, resume_login(interaction, params));
    if (!visit.request.half_login || !may_enrol(interaction, visit, interaction.context.store))
        return start_over(interaction, visit);
    if (!interaction.context.keys.has_factor_key())
        return interaction.refuse(PageFault::second_factor_missing, visit.request.client_id.str(),
                                  "there is no factor.key; postern key repair makes one");
    return visit;
}

http::Response refuse_app(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit,
                          const AppRefusal& refusal) {
    interaction.context.trail.add(oauth::AuditEvent::second_factor_failed,
                                  {{"reason", refusal.detail},
                                   oauth::audit::subject(visit.request.half_login->subject),
                                   oauth::audit::client(visit.request.client_id)});
    http::Response response = form(interaction, pages, visit, refusal.key, refusal.problem);
    response.refusal = http::Refusal{"app_refused", "the page of the app was shown again", refusal.detail,
                                     visit.request.client_id.str()};
    return response;
}

/// The codes, and behind them what the login was for.
http::Response show_codes_and_go_on(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit,
                                    const StartedSession& started, const std::vector<std::string>& codes) {
    const http::Response on = go_on_with(interaction, visit, started);
    interaction.browser.session = started.session;
    AccountVisit account{interaction, pages, started.session, *interaction.context.settings.paths.account + "/codes",
                         Form::account_codes};
    http::Response response = show_new_codes(account, codes, kOn, *on.find("Location"));
    send_session(interaction.browser, started, response);
    return response;
}

}  // namespace

bool has_enrolment_page(const oauth::Settings& settings) { return has_app_page(settings) && can_enrol(settings); }

http::Response show_enrolment(Interaction& interaction, const AccountPages& pages) {
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, interaction.request.query));
    return form(interaction, pages, visit, new_app_key(interaction, visit.request.half_login->subject), "");
}

http::Response submit_enrolment(Interaction& interaction, const AccountPages& pages) {
    oauth::Context& context = interaction.context;
    const http::Params& sent = interaction.request.form;
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, sent));
    if (!is_own_form(context, Form::enrolment, interaction.browser, visit.request.id, interaction.request))
        return refuse_and_offer(interaction, PageFault::form_foreign, visit.request,
                                "the csrf field is missing or does not belong to this browser and request");
    if (const auto faulty = sent.first_fault({"app", "code"}))
        return refuse_and_offer(interaction, PageFault::form_malformed, visit.request, "field: " + *faulty);

    const model::HalfLogin& half = *visit.request.half_login;
    auto proved = prove_new_app(interaction, half.subject);
    if (!proved) return refuse_app(interaction, pages, visit, proved.error());
    std::vector<std::string> codes;
    const model::Authentication done{model::Level::password, half.amr};
    const auto started = complete_login(interaction, visit, model::with_code(done), [&](db::Transaction& transaction) {
        if (!may_enrol(interaction, visit, transaction.database())) return false;
        auto made = turn_on(context, transaction, half.subject, *proved);
        if (made) codes = std::move(*made);
        return made.has_value();
    });
    if (!started) return start_over(interaction, visit);
    const auto subject = oauth::audit::subject(half.subject);
    context.trail.add(oauth::AuditEvent::app_added, {subject, oauth::audit::session(started->session.sid)});
    note_login(context, *started, kMethod, visit.request.client_id);
    return show_codes_and_go_on(interaction, pages, visit, *started, codes);
}

}  // namespace postern::web
