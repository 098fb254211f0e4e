// The login endpoint where the web server authenticates people.
#include "web/remote_login.h"

#include <variant>

#include "db/write.h"
#include "login/met_user.h"
#include "login/remote_groups.h"
#include "login/remote_user.h"
#include "oauth/issue_grant.h"
#include "oauth/next_step.h"
#include "store/authorization_requests.h"
#include "store/factors.h"
#include "store/users.h"
#include "web/authorization_response.h"
#include "web/login_step.h"
#include "web/second_page.h"

namespace postern::web {
namespace {

constexpr const char* kMethod = "remote_user";

/// With the claims of this login.
util::Result<login::MetUser, std::string> meet(oauth::Context& context, db::Transaction& transaction,
                                               const login::RemoteUser& remote) {
    return login::meet_user(context, transaction, remote.username,
                            [&](model::User& user) { return login::update_claims(user, remote); });
}

/// Why the user that the web server names may not log in.
struct NotLoggedIn {
    refusal::Reason fault;
    model::Subject named;  ///< the user that the web server names, if there is one
    std::string reason = {};
};

http::Response refuse_login(Interaction& interaction, const NotLoggedIn& why, const std::string& client_id,
                            const std::string& detail) {
    http::Response page = interaction.refuse(why.fault, client_id, detail);
    interaction.context.trail.add(audit::Event::login_failed,
                                  {{"method", kMethod},
                                   {"reason", std::string(refusal::error_word(page.refusal->reason))},
                                   audit::subject(why.named),
                                   {"client_id", client_id}});
    return page;
}

/// Who the web server has named.
struct Met {
    login::MetUser user;
    login::GroupChanges groups;
};

/// Makes or updates the user as the web server describes them: user and groups together or not at all. Without a change
/// nothing is written.
util::Result<Met, NotLoggedIn> meet(oauth::Context& context, const login::RemoteUser& remote) {
    return db::write(
        context.store, db::Durability::full, [&](db::Transaction& transaction) -> util::Result<Met, NotLoggedIn> {
            auto user = meet(context, transaction, remote);
            const bool would_make = context.settings.login.auto_create;
            if (!user)
                return NotLoggedIn{
                    would_make ? refusal::Reason::remote_user_unusable : refusal::Reason::account_unknown,
                    {},
                    user.error()};
            const model::Subject& subject = user->user.subject;
            if (!user->user.enabled) return NotLoggedIn{refusal::Reason::account_disabled, subject};
            auto groups = login::follow_groups(context, transaction, subject, remote);
            const bool is_changed = user->made || user->changed || !groups.joined.empty() || !groups.left.empty();
            if (is_changed) transaction.commit();
            return Met{*std::move(user), std::move(groups)};
        });
}

/// With `login.remoteLevel` 1 the web server's word is worth a password, and what is missing behind a password is
/// missing here. With 2 it is worth both halves: what a client demands beyond that raises the session later.
login::Proof proof_of(const oauth::Context& context, const Met& met) {
    const model::Subject& subject = met.user.user.subject;
    return {.subject = subject,
            .how = {static_cast<model::Level>(context.settings.login.remote_level), ""},
            .stamp = store::find_stamp(context.store, subject)};
}

void note_groups(const Interaction& interaction, const model::Subject& subject, const login::GroupChanges& changes) {
    audit::Trail& trail = interaction.context.trail;
    const audit::Member user = audit::subject(subject);
    for (const std::string& group : changes.joined)
        trail.add(audit::Event::group_joined, {{"method", kMethod}, user, {"group", group}});
    for (const auto& [group, ended] : changes.left)
        trail.add(
            audit::Event::group_left,
            {{"method", kMethod}, user, {"group", group}, {"grants_ended", ended > 0 ? std::to_string(ended) : ""}});
    for (const std::string& group : changes.missing)
        interaction.context.log.warn("group_missing", {{"group", group}, {"id", interaction.request.id}});
}

void note_unusable(const Interaction& interaction, const login::RemoteUser& remote) {
    for (const std::string& claim : remote.unusable)
        interaction.context.log.warn("claim_unusable", {{"claim", claim}, {"id", interaction.request.id}});
    if (!remote.groups_fault.empty())
        interaction.context.log.warn("groups_unusable",
                                     {{"reason", remote.groups_fault}, {"id", interaction.request.id}});
}

void note_met(const Interaction& interaction, const login::RemoteUser& remote, const Met& met) {
    const model::Subject& subject = met.user.user.subject;
    if (met.user.made)
        interaction.context.trail.add(audit::Event::user_created, {{"method", kMethod}, audit::subject(subject)});
    note_groups(interaction, subject, met.groups);
    note_unusable(interaction, remote);
}

http::Response continue_with_session(Interaction& interaction, const LoginVisit& visit) {
    LoginVisit marked = visit;
    marked.request.session_sent = true;
    marked.sealed.clear();
    return continue_after_login(interaction, marked);
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
    if (!oauth::end_request(context, visit.request, session))
        return refuse_and_offer(interaction, refusal::Reason::already_used, visit.request);
    return early_error(
        interaction, *visit.target,
        oauth::make_error(oauth::ErrorCode::login_required, "the login that the request requires cannot be proved",
                          "another user than the one asked for is signed in at the web server, or its login is older "
                          "than the request; login.authTimeFromEnvironment names the variable that tells its time"));
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

refusal::Reason page_fault(login::RemoteFault fault) {
    return fault == login::RemoteFault::missing ? refusal::Reason::remote_user_missing
                                                : refusal::Reason::remote_user_unusable;
}

}  // namespace

http::Response remote_login(Interaction& interaction) {
    const bool posted = interaction.request.method == http::Method::post;
    // First, so that an operator who opens the page by hand learns whether the web server authenticates.
    const auto remote = login::read_remote_user(interaction.context.settings.login,
                                                interaction.request.server_variables, interaction.context.now());
    if (!remote)
        return refuse_login(interaction, {page_fault(remote.error().fault), {}}, "", remote.error().log_detail);
    ASSIGN_OR_RETURN(const auto visit,
                     resume_login(interaction, posted ? interaction.request.form : interaction.request.query));
    // The second half is of the user whom the web server names, and of no other.
    if (is_second_half_of(interaction, visit, *remote))
        return posted ? submit_second_page(interaction, visit) : show_second_page(interaction, visit);
    if (posted || visit.request.half_login) return start_over(interaction, visit);
    const std::string client_id = visit.request.client_id.str();
    if (auto used = refuse_if_used(interaction, visit.request)) return std::move(*used);
    if (auto few = show_few_codes(interaction, visit)) return std::move(*few);
    // Without this check a browser that refuses the session cookie would be redirected in circles. A cookie of a
    // session that has ended did come back: a login in another tab has taken its place meanwhile.
    if (visit.request.session_sent && !interaction.browser.session_cookie)
        return refuse_and_offer(interaction, refusal::Reason::session_cookie_missing, visit.request,
                                "the browser cookie arrived, but the session cookie of the previous login did not");

    const auto met = meet(interaction.context, *remote);
    if (!met) {
        const std::string& reason = met.error().reason;
        return refuse_login(interaction, met.error(), client_id,
                            "user: " + remote->username + (reason.empty() ? "" : "; " + reason));
    }
    note_met(interaction, *remote, *met);
    return log_in(interaction, visit, *remote, proof_of(interaction.context, *met));
}

}  // namespace postern::web
