// Setting up a passkey or an app as the second half of a login.
#include "web/account/account.h"

#include <functional>
#include <utility>

#include "oauth/sealed_request.h"
#include "web/account/app_setup.h"
#include "web/account/visit.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

constexpr const char* kMethod = "second_factor";

/// A right password is worth the first second factor and no other: a user who has one shows it.
std::optional<login::Enrol> find_enrolment(const Interaction& interaction, const LoginVisit& visit,
                                           db::Database& database) {
    if (!visit.request.half_login) return std::nullopt;
    const auto step = find_login_step(interaction, database, visit);
    const auto* enrol = std::get_if<login::Enrol>(&step);
    return enrol != nullptr ? std::optional(*enrol) : std::nullopt;
}

/// A login that lacks a second factor which is to be set up.
struct Enrolment {
    LoginVisit login;
    bool offers_app;  ///< its key is kept under factor.key

    const model::HalfLogin& half() const { return *login.request.half_login; }
    const model::Subject& subject() const { return half().subject; }
    const model::AuthorizationRequest& request() const { return login.request; }
};

login::PasskeySetup passkey_setup_of(Interaction& interaction, const Enrolment& visit) {
    return {interaction.context, interaction.browser, interaction.request, visit.subject(),
            oauth::request_key(visit.request()).str()};
}

/// With nothing set up and no message.
EnrolmentPage page_of(Interaction& interaction, const Enrolment& visit) {
    EnrolmentPage page;
    page.frame = frame_of(interaction, visit.login, Form::enrolment, kEnrolmentSuffix);
    if (login::can_have_passkeys(interaction.context.settings))
        page.passkey = ask_for_own_passkey(passkey_setup_of(interaction, visit));
    return page;
}

/// Before anything else: whose login it is, and that it may be completed here. Any other step has the login page before
/// it; a password that must be changed is changed first.
util::Result<Enrolment, http::Response> open_visit(Interaction& interaction, const http::Params& params) {
    ASSIGN_OR_RETURN(auto visit, resume_login(interaction, params));
    const auto enrol = find_enrolment(interaction, visit, interaction.context.store);
    if (!enrol) return start_over(interaction, visit);
    const bool offers_app = enrol->app && interaction.context.keys.has_factor_key();
    if (!offers_app && !login::can_have_passkeys(interaction.context.settings))
        return interaction.refuse(refusal::Reason::second_factor_missing_no_factor_key, visit.request.client_id.str(),
                                  "there is no factor.key; postern key repair makes one");
    return Enrolment{std::move(visit), offers_app};
}

http::Response refuse(Interaction& interaction, const Enrolment& visit, http::Response response, refusal::Reason reason,
                      const std::string& detail) {
    interaction.context.trail.add(
        audit::Event::second_factor_failed,
        {{"reason", detail}, audit::subject(visit.subject()), audit::client(visit.request().client_id)});
    response.refusal =
        http::Refusal{reason, "the page of the second factor was shown again", detail, visit.request().client_id.str()};
    return response;
}

http::Response refuse_app(Interaction& interaction, const AccountPages& pages, const Enrolment& visit,
                          const AppRefusal& refusal) {
    EnrolmentPage page = page_of(interaction, visit);
    page.app_problem = refusal.problem;
    page.key = refusal.key;
    return refuse(interaction, visit, pages.enrolment(page), refusal.reason, refusal.detail);
}

http::Response refuse_passkey(Interaction& interaction, const AccountPages& pages, const Enrolment& visit,
                              const login::PasskeyRefusal& refusal) {
    EnrolmentPage page = page_of(interaction, visit);
    page.passkey_problem = refusal.problem;
    if (visit.offers_app) page.key = new_app_key(interaction, visit.subject());
    return refuse(interaction, visit, pages.enrolment(page), refusal.reason, refusal.detail);
}

/// The codes, and behind them what the login was for: at once where there are no codes.
http::Response show_codes_and_go_on(Interaction& interaction, const AccountPages& pages, const Enrolment& visit,
                                    const login::StartedSession& started, const std::vector<std::string>& codes,
                                    AccountDone what) {
    http::Response on = go_on_with(interaction, visit.login, started);
    if (codes.empty()) return on;
    interaction.browser.session = started.session;
    AccountVisit account{interaction, pages, started.session, *interaction.context.settings.paths.account + "/codes",
                         Form::account_codes};
    http::Response response = show_new_codes(account, codes, message_of(what), *on.find("Location"));
    login::send_session(interaction.browser, started, response);
    return response;
}

/// What the user sets up, and what it makes of the login.
struct SetUp {
    model::Authentication how;
    audit::Event event;
    std::vector<audit::Member> facts;  ///< of the event, beside user and session
    AccountDone what;
    std::function<FirstCodes(db::Transaction&)> write;
};

http::Response complete_with(Interaction& interaction, const AccountPages& pages, const Enrolment& visit,
                             SetUp set_up) {
    std::vector<std::string> codes;
    const auto last = find_login_step(interaction, interaction.context.store, visit.login, set_up.how);
    const auto started = web::complete(interaction, visit.login, last, [&](db::Transaction& transaction) {
        if (!find_enrolment(interaction, visit.login, transaction.database())) return false;
        auto made = set_up.write(transaction);
        if (made) codes = std::move(*made);
        return made.has_value();
    });
    if (!started) return start_over(interaction, visit.login);
    set_up.facts.push_back(audit::subject(visit.subject()));
    set_up.facts.push_back(audit::session(started->session.sid));
    interaction.context.trail.add(set_up.event, std::move(set_up.facts));
    login::note_login(interaction.context, *started, kMethod, visit.request().client_id);
    return show_codes_and_go_on(interaction, pages, visit, *started, codes, set_up.what);
}

http::Response enrol_passkey(Interaction& interaction, const AccountPages& pages, const Enrolment& visit) {
    if (const auto faulty = login::faulty_new_passkey_field(interaction.request.form))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request(), "field: " + *faulty);
    const auto proved = login::prove_new_passkey(passkey_setup_of(interaction, visit));
    if (!proved) return refuse_passkey(interaction, pages, visit, proved.error());
    std::optional<login::PasskeyRefusal> refusal;
    const auto write = [&](db::Transaction& transaction) {
        return add_own_passkey(interaction.context, interaction.browser, transaction, *proved, refusal);
    };
    SetUp set_up{with_new_passkey(visit.half().done, *proved),
                 audit::Event::passkey_added,
                 {},
                 AccountDone::passkey_added,
                 write};
    set_up.facts.emplace_back("passkey", audit::short_digest(proved->row.credential_id));
    http::Response response = complete_with(interaction, pages, visit, std::move(set_up));
    return refusal ? refuse_passkey(interaction, pages, visit, *refusal) : std::move(response);
}

http::Response enrol_app(Interaction& interaction, const AccountPages& pages, const Enrolment& visit) {
    const http::Params& sent = interaction.request.form;
    if (sent.fault_of("app") || !sent.find_typed("code"))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request(),
                                sent.fault_of("app") ? "field: app" : "field: code");
    const model::Subject& subject = visit.subject();
    const auto proved = prove_new_app(interaction, subject);
    if (!proved) return refuse_app(interaction, pages, visit, proved.error());
    const auto write = [&](db::Transaction& transaction) {
        return turn_on(interaction.context, interaction.browser, transaction, subject, *proved);
    };
    return complete_with(
        interaction, pages, visit,
        {model::with_code(visit.half().done), audit::Event::app_added, {}, AccountDone::app_on, write});
}

}  // namespace

bool has_enrolment_page(const oauth::Settings& settings) {
    return has_app_page(settings) && login::policy_of(settings).may_enrol != login::MayEnrol::nobody;
}

http::Response show_enrolment(Interaction& interaction, const AccountPages& pages) {
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, interaction.request.query));
    EnrolmentPage page = page_of(interaction, visit);
    if (visit.offers_app) page.key = new_app_key(interaction, visit.subject());
    return pages.enrolment(page);
}

http::Response submit_enrolment(Interaction& interaction, const AccountPages& pages) {
    const http::Params& sent = interaction.request.form;
    ASSIGN_OR_RETURN(const auto visit, open_visit(interaction, sent));
    if (auto foreign = refuse_foreign_form(interaction, Form::enrolment, visit.request())) return *std::move(foreign);
    if (login::has_new_passkey(sent) && login::can_have_passkeys(interaction.context.settings))
        return enrol_passkey(interaction, pages, visit);
    if (visit.offers_app) return enrol_app(interaction, pages, visit);
    return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request(), "field: attestation_object");
}

}  // namespace postern::web
