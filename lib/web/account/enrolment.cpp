// Setting up a passkey or an app as the second half of a login.
#include "web/account/enrolment.h"

#include <functional>
#include <utility>

#include "oauth/acr.h"
#include "oauth/sealed_request.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "web/account/app.h"
#include "web/account/app_setup.h"
#include "web/account/codes.h"
#include "web/account/own_passkey.h"
#include "web/account/visit.h"
#include "web/half_login.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kMethod = "second_factor";
constexpr const char* kAppOn = tr("Your app is on.");
constexpr const char* kPasskeyAdded = tr("Your passkey is added.");

/// A right password is worth the first second factor and no other: a user who has one shows it.
bool may_enrol(const Interaction& interaction, const LoginVisit& visit, db::Database& database) {
    const model::HalfLogin& half = *visit.request.half_login;
    const auto state =
        store::find_second_factor(database, half.subject, oauth::rp_id_of_second_factor(interaction.context.settings));
    return state.stamp == half.stamp && missing_half(interaction.context, state, visit) == SecondHalf::enrolment;
}

/// An app is worth level 2, and its key is kept under factor.key.
bool offers_app(const Interaction& interaction, const LoginVisit& visit) {
    return demanded_by(visit) <= model::Level::second_factor && interaction.context.keys.has_factor_key();
}

login::PasskeySetup passkey_setup_of(Interaction& interaction, const LoginVisit& visit) {
    return {interaction.context, interaction.browser, interaction.request, visit.request.half_login->subject,
            oauth::request_key(visit.request).str()};
}

/// With nothing set up and no message.
EnrolmentPage page_of(Interaction& interaction, const LoginVisit& visit) {
    const oauth::Settings& settings = interaction.context.settings;
    EnrolmentPage page;
    page.username = store::find_username(interaction.context.store, visit.request.half_login->subject);
    page.action = settings.url(*settings.paths.account + kEnrolmentSuffix);
    page.csrf = csrf_token(interaction.context, Form::enrolment, interaction.browser, visit.request.id);
    page.resume = visit.sealed;
    page.other_account = first_page_url(interaction, visit);
    if (login::can_have_passkeys(settings)) page.passkey = ask_for_own_passkey(passkey_setup_of(interaction, visit));
    return page;
}

/// Before anything else: whose login it is, and that it may be completed here. A visit that has no half login any more
/// has the login page before it.
util::Result<LoginVisit, http::Response> open_visit(Interaction& interaction, const http::Params& params) {
    ASSIGN_OR_RETURN(auto visit, resume_login(interaction, params));
    // A password that must be changed is changed first.
    const bool is_early = visit.request.half_login && visit.request.half_login->must_change_password;
    if (!visit.request.half_login || is_early || !may_enrol(interaction, visit, interaction.context.store))
        return start_over(interaction, visit);
    if (!offers_app(interaction, visit) && !login::can_have_passkeys(interaction.context.settings))
        return interaction.refuse(refusal::Reason::second_factor_missing_no_factor_key, visit.request.client_id.str(),
                                  "there is no factor.key; postern key repair makes one");
    return visit;
}

http::Response refuse(Interaction& interaction, const LoginVisit& visit, http::Response response,
                      refusal::Reason reason, const std::string& detail) {
    interaction.context.trail.add(audit::Event::second_factor_failed,
                                  {{"reason", detail},
                                   audit::subject(visit.request.half_login->subject),
                                   audit::client(visit.request.client_id)});
    response.refusal =
        http::Refusal{reason, "the page of the second factor was shown again", detail, visit.request.client_id.str()};
    return response;
}

http::Response refuse_app(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit,
                          const AppRefusal& refusal) {
    EnrolmentPage page = page_of(interaction, visit);
    page.app_problem = refusal.problem;
    page.key = refusal.key;
    return refuse(interaction, visit, pages.enrolment(page), refusal.reason, refusal.detail);
}

http::Response refuse_passkey(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit,
                              const login::PasskeyRefusal& refusal) {
    EnrolmentPage page = page_of(interaction, visit);
    page.passkey_problem = refusal.problem;
    if (offers_app(interaction, visit)) page.key = new_app_key(interaction, visit.request.half_login->subject);
    return refuse(interaction, visit, pages.enrolment(page), refusal.reason, refusal.detail);
}

/// The codes, and behind them what the login was for: at once where there are no codes.
http::Response show_codes_and_go_on(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit,
                                    const login::StartedSession& started, const std::vector<std::string>& codes,
                                    const char* what_is_done) {
    http::Response on = go_on_with(interaction, visit, started);
    if (codes.empty()) return on;
    interaction.browser.session = started.session;
    AccountVisit account{interaction, pages, started.session, *interaction.context.settings.paths.account + "/codes",
                         Form::account_codes};
    http::Response response = show_new_codes(account, codes, what_is_done, *on.find("Location"));
    login::send_session(interaction.browser, started, response);
    return response;
}

/// What the user sets up, and what it makes of the login.
struct SetUp {
    model::Authentication how;
    audit::Event event;
    std::vector<audit::Member> facts;  ///< of the event, beside user and session
    const char* message;
    /// Recovery codes; nullopt: it was not written, because something has changed meanwhile.
    std::function<std::optional<std::vector<std::string>>(db::Transaction&)> write;
};

http::Response complete(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit, SetUp set_up) {
    std::vector<std::string> codes;
    const auto started = complete_login(interaction, visit, set_up.how, [&](db::Transaction& transaction) {
        if (!may_enrol(interaction, visit, transaction.database())) return false;
        auto made = set_up.write(transaction);
        if (made) codes = std::move(*made);
        return made.has_value();
    });
    if (!started) return start_over(interaction, visit);
    set_up.facts.push_back(audit::subject(visit.request.half_login->subject));
    set_up.facts.push_back(audit::session(started->session.sid));
    interaction.context.trail.add(set_up.event, std::move(set_up.facts));
    login::note_login(interaction.context, *started, kMethod, visit.request.client_id);
    return show_codes_and_go_on(interaction, pages, visit, *started, codes, set_up.message);
}

http::Response enrol_passkey(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit) {
    if (const auto faulty = login::faulty_new_passkey_field(interaction.request.form))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request, "field: " + *faulty);
    const auto proved = login::prove_new_passkey(passkey_setup_of(interaction, visit));
    if (!proved) return refuse_passkey(interaction, pages, visit, proved.error());
    std::optional<login::PasskeyRefusal> refusal;
    const auto write = [&](db::Transaction& transaction) -> std::optional<std::vector<std::string>> {
        refusal.reset();
        auto codes = add_own_passkey(interaction, transaction, *proved);
        if (codes) return std::move(*codes);
        refusal = codes.error();
        return std::nullopt;
    };
    SetUp set_up{with_new_passkey(visit.request.half_login->done, *proved),
                 audit::Event::passkey_added,
                 {},
                 kPasskeyAdded,
                 write};
    set_up.facts.emplace_back("passkey", audit::short_digest(proved->row.credential_id));
    http::Response response = complete(interaction, pages, visit, std::move(set_up));
    return refusal ? refuse_passkey(interaction, pages, visit, *refusal) : std::move(response);
}

http::Response enrol_app(Interaction& interaction, const AccountPages& pages, const LoginVisit& visit) {
    const http::Params& sent = interaction.request.form;
    if (sent.fault_of("app") || !sent.find_typed("code"))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request,
                                sent.fault_of("app") ? "field: app" : "field: code");
    const model::Subject& subject = visit.request.half_login->subject;
    const auto proved = prove_new_app(interaction, subject);
    if (!proved) return refuse_app(interaction, pages, visit, proved.error());
    const auto write = [&](db::Transaction& transaction) {
        auto codes = turn_on(interaction.context, transaction, subject, *proved);
        if (codes) note_app(interaction.context, transaction, interaction.browser, subject, *codes);
        return codes;
    };
    return complete(interaction, pages, visit,
                    {model::with_code(visit.request.half_login->done), audit::Event::app_added, {}, kAppOn, write});
}

}  // namespace

bool has_enrolment_page(const oauth::Settings& settings) {
    return has_app_page(settings) && offers_enrolment(settings);
}

http::Response show_enrolment(Interaction& interaction, const AccountPages& pages) {
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, interaction.request.query));
    EnrolmentPage page = page_of(interaction, visit);
    if (offers_app(interaction, visit)) page.key = new_app_key(interaction, visit.request.half_login->subject);
    return pages.enrolment(page);
}

http::Response submit_enrolment(Interaction& interaction, const AccountPages& pages) {
    const http::Params& sent = interaction.request.form;
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, sent));
    if (!is_own_form(interaction.context, Form::enrolment, interaction.browser, visit.request.id, interaction.request))
        return refuse_and_offer(interaction, refusal::Reason::form_foreign, visit.request,
                                "the csrf field is missing or does not belong to this browser and request");
    if (login::has_new_passkey(sent) && login::can_have_passkeys(interaction.context.settings))
        return enrol_passkey(interaction, pages, visit);
    if (offers_app(interaction, visit)) return enrol_app(interaction, pages, visit);
    return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request, "field: attestation_object");
}

}  // namespace postern::web
