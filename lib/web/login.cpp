// The login endpoint: finds the page that a request is for, or takes the word of the web server.
#include "web/login.h"

#include <variant>

#include "login/remote_user.h"
#include "oauth/issue_grant.h"
#include "oauth/next_step.h"
#include "store/authorization_requests.h"
#include "store/users.h"
#include "web/authorization_response.h"
#include "web/login_pages.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

constexpr const char* kTooLong = text::tr("That took too long. Enter your password again.");
constexpr const char* kMethod = "remote_user";

http::Response refuse_login(Interaction& interaction, const login::ProofRefused& refused,
                            const std::string& client_id) {
    http::Response page = interaction.refuse(refused.reason, client_id, refused.detail);
    interaction.context.trail.add(audit::Event::login_failed,
                                  {{"method", kMethod},
                                   {"reason", std::string(refusal::error_word(page.refusal->reason))},
                                   audit::subject(refused.subject),
                                   {"client_id", client_id}});
    return page;
}

http::Response continue_with_session(Interaction& interaction, const LoginVisit& visit) {
    LoginVisit marked = visit;
    marked.request.session_sent = true;
    marked.sealed.clear();
    return continue_after_login(interaction, marked);
}

/// This program has no key to sign the answer with.
http::Response leave_to_authorize(Interaction& interaction, const LoginVisit& visit) {
    http::Response response =
        continue_at(interaction, interaction.context.settings.paths.authorize, visit.request, visit.sealed);
    response.set("Location", http::with_query(*response.find("Location"), {{kGoBack, kUnproved}}));
    return response;
}

/// A login form would ask again. The web server would give the same answer again, so the client gets an error. nullopt:
/// the login is good enough.
std::optional<http::Response> refuse_unproved(Interaction& interaction, const LoginVisit& visit,
                                              const model::Session& session) {
    if (!visit.target) return std::nullopt;
    oauth::Context& context = interaction.context;
    auto progress = store::find_progress(context.store, oauth::request_key(visit.request));
    // Where a half is missing, it is recorded when the login is whole.
    if (!progress && login::is_made_for(login::policy_of(context.settings), visit.request, session.auth_time))
        progress = model::AuthorizationProgress{.subject = session.subject, .logged_in = true};
    const oauth::AuthorizationInput input{.request = visit.request,
                                          .client = visit.target->client(),
                                          .released_claims = context.settings.released_claims,
                                          .session = session,
                                          .progress = progress,
                                          .consent = {},
                                          .now = context.now()};
    const auto step = oauth::next_step(input);
    if (!std::holds_alternative<oauth::ShowLogin>(step)) return std::nullopt;
    if (model::is_signed(visit.target->mode())) return leave_to_authorize(interaction, visit);
    if (!oauth::end_request(context, visit.request, session))
        return refuse_and_offer(interaction, refusal::Reason::already_used, visit.request);
    return early_error(interaction, *visit.target, oauth::login_unproved());
}

/// A step is missing: what it completes is to be good enough for the request.
http::Response ask_for_rest(Interaction& interaction, const LoginVisit& visit, const login::LoginStep& step) {
    const model::HalfLogin& half = *visit.request.half_login;
    model::Session whole;
    whole.subject = half.subject;
    whole.auth_time = *half.auth_time;
    if (auto refusal = refuse_unproved(interaction, visit, whole)) return *std::move(refusal);
    interaction.context.trail.add(audit::Event::second_factor_asked,
                                  {audit::subject(half.subject), audit::client(visit.request.client_id)});
    return ask_for(interaction, visit.request, step);
}

http::Response log_in(Interaction& interaction, const LoginVisit& visit, const login::RemoteUser& remote,
                      const login::Proof& proof) {
    LoginVisit half = visit;
    half.request.half_login = login::begin_login(interaction.context, proof);
    half.request.half_login->auth_time = remote.auth_time.value_or(model::kAuthTimeUnknown);
    const BegunLogin begun = begin(interaction, half, proof);
    if (std::holds_alternative<login::AskPassword>(begun.step)) return start_over(interaction, visit);
    if (!begun.started) return ask_for_rest(interaction, half, begun.step);
    login::note_login(interaction.context, *begun.started, kMethod, visit.request.client_id);
    auto refusal = refuse_unproved(interaction, visit, begun.started->session);
    http::Response response = refusal ? *std::move(refusal) : continue_with_session(interaction, visit);
    login::send_session(interaction.browser, *begun.started, response);
    if (begun.device) login::send_device(interaction.browser, *begun.device, response);
    return response;
}

bool is_second_half_of(const Interaction& interaction, const LoginVisit& visit, const login::RemoteUser& remote) {
    return visit.request.half_login &&
           store::find_username(interaction.context.store, visit.request.half_login->subject) == remote.username;
}

}  // namespace

http::Response show_login(Interaction& interaction) {
    ASSIGN_OR_RETURN(const auto visit, resume_login(interaction, interaction.request.query));
    if (auto used = refuse_if_used(interaction, visit.request)) return std::move(*used);
    if (auto few = show_few_codes(interaction, visit)) return std::move(*few);
    if (visit.request.half_login) return show_second_page(interaction, visit);
    // Only what the client sent itself fills the form: the `sub` of an old ID token must not be turned into a user name
    // for its holder.
    return show_first_page(interaction, visit, visit.half_expired ? kTooLong : "");
}

http::Response submit_login(Interaction& interaction) {
    ASSIGN_OR_RETURN(const auto visit, resume_login(interaction, interaction.request.form));
    if (visit.request.half_login) return submit_second_page(interaction, visit);
    if (visit.half_expired) return show_first_page(interaction, visit, kTooLong);
    return submit_first_page(interaction, visit);
}

http::Response remote_login(Interaction& interaction) {
    const bool posted = interaction.request.method == http::Method::post;
    // First, so that an operator who opens the page by hand learns whether the web server authenticates.
    const auto remote = login::read_remote_user(interaction.context.settings.login,
                                                interaction.request.server_variables, interaction.context.now());
    if (!remote) return refuse_login(interaction, remote.error(), "");
    ASSIGN_OR_RETURN(const auto visit,
                     resume_login(interaction, posted ? interaction.request.form : interaction.request.query));
    // The second half is of the user whom the web server names, and of no other.
    if (is_second_half_of(interaction, visit, *remote))
        return posted ? submit_second_page(interaction, visit) : show_second_page(interaction, visit);
    if (posted || visit.request.half_login) return start_over(interaction, visit);
    if (auto used = refuse_if_used(interaction, visit.request)) return std::move(*used);
    if (auto few = show_few_codes(interaction, visit)) return std::move(*few);
    // Without this check a browser that refuses the session cookie would be redirected in circles. A cookie of a
    // session that has ended did come back: a login in another tab has taken its place meanwhile.
    if (visit.request.session_sent && !interaction.browser.session_cookie)
        return refuse_and_offer(interaction, refusal::Reason::session_cookie_missing, visit.request,
                                "the browser cookie arrived, but the session cookie of the previous login did not");

    const auto proof = login::attempt_remote_user(interaction.context, *remote, interaction.request.id);
    return proof ? log_in(interaction, visit, *remote, *proof)
                 : refuse_login(interaction, proof.error(), visit.request.client_id.str());
}

}  // namespace postern::web
