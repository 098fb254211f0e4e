// The login endpoint where the web server authenticates people.
#include "web/remote_login.h"

#include <variant>

#include "db/write.h"
#include "login/met_user.h"
#include "login/remote_groups.h"
#include "login/remote_user.h"
#include "oauth/acr.h"
#include "oauth/issue_grant.h"
#include "oauth/next_step.h"
#include "store/authorization_requests.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "web/authorization_response.h"
#include "web/half_login.h"
#include "web/remembered_device.h"
#include "web/second_step.h"

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
    pages::PageFault fault;
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

/// Who logged in, and the session that began with it.
struct Start {
    login::MetUser met;
    login::GroupChanges groups;
    std::optional<login::StartedSession> session;  ///< nullopt: a half is missing
    SecondHalf missing = SecondHalf::none;
    std::int64_t stamp = 0;
    std::optional<DeviceCookie> device;  ///< that was used
};

/// With `login.remoteLevel` 1 the web server's word is worth a password, and what is missing behind a password is
/// missing here. With 2 it is worth both halves: what a client demands beyond that raises the session later.
void find_missing(Interaction& interaction, const LoginVisit& visit, db::Transaction& transaction, Start& start) {
    const oauth::Settings& settings = interaction.context.settings;
    if (settings.login.remote_level != 1 || oauth::highest_level(settings) == model::Level::password) return;
    const model::Subject& subject = start.met.user.subject;
    const auto state =
        store::find_second_factor(transaction.database(), subject, oauth::rp_id_of_second_factor(settings));
    start.missing = missing_half(interaction.context, state, visit);
    start.stamp = state.stamp;
    if (start.missing == SecondHalf::code)
        start.device = use_remembered_device(interaction, transaction, visit, subject);
}

model::Authentication by_web_server(const oauth::Settings& settings) {
    return {static_cast<model::Level>(settings.login.remote_level), ""};
}

/// User, groups, session, the mark that this request was logged in for, and the end of the old session: together or not
/// at all.
util::Result<Start, NotLoggedIn> record(db::Transaction& transaction, Interaction& interaction, const LoginVisit& visit,
                                        const login::RemoteUser& remote) {
    oauth::Context& context = interaction.context;
    auto met = meet(context, transaction, remote);
    const bool would_make = context.settings.login.auto_create;
    if (!met)
        return NotLoggedIn{
            would_make ? pages::PageFault::remote_user_unusable : pages::PageFault::account_unknown, {}, met.error()};
    if (!met->user.enabled) return NotLoggedIn{pages::PageFault::account_disabled, met->user.subject};
    Start start{.met = *std::move(met), .groups = {}, .session = {}, .device = {}};
    const model::Subject& subject = start.met.user.subject;
    start.groups = login::follow_groups(context, transaction, subject, remote);
    find_missing(interaction, visit, transaction, start);
    if (start.missing == SecondHalf::none || start.device) {
        model::Authentication how = by_web_server(context.settings);
        how.remembered = start.device.has_value();
        start.session = login::start_session(context, transaction, interaction.browser, subject,
                                             remote.auth_time.value_or(model::kAuthTimeUnknown), how);
        if (visit.target && is_made_for(context.settings, visit.request, remote.auth_time))
            store::record_login(transaction, oauth::request_key(visit.request), subject, visit.request.expires_at);
    }
    transaction.commit();
    return start;
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

util::Result<Start, NotLoggedIn> start(Interaction& interaction, const LoginVisit& visit,
                                       const login::RemoteUser& remote) {
    // Durable, because the old cookie must stay dead.
    auto recorded = db::write(interaction.context.store, db::Durability::full, [&](db::Transaction& transaction) {
        return record(transaction, interaction, visit, remote);
    });
    ASSIGN_OR_RETURN(Start start, std::move(recorded));
    if (start.met.made)
        interaction.context.trail.add(audit::Event::user_created,
                                      {{"method", kMethod}, audit::subject(start.met.user.subject)});
    note_groups(interaction, start.met.user.subject, start.groups);
    if (start.session) login::note_login(interaction.context, *start.session, kMethod, visit.request.client_id);
    return start;
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
    if (!progress && is_made_for(context.settings, visit.request, session.auth_time))
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
        return refuse_and_offer(interaction, pages::PageFault::already_used, visit.request);
    return early_error(
        interaction, *visit.target,
        oauth::make_error(oauth::ErrorCode::login_required, "the login that the request requires cannot be proved",
                          "another user than the one asked for is signed in at the web server, or its login is older "
                          "than the request; login.authTimeFromEnvironment names the variable that tells its time"));
}

/// The second half comes next: what it completes is to be good enough for the request.
http::Response ask_for_second_half(Interaction& interaction, const LoginVisit& visit, const login::RemoteUser& remote,
                                   const Start& start) {
    oauth::Context& context = interaction.context;
    const model::Subject& subject = start.met.user.subject;
    const util::Time auth_time = remote.auth_time.value_or(model::kAuthTimeUnknown);
    model::Session whole;
    whole.subject = subject;
    whole.auth_time = auth_time;
    if (auto refusal = refuse_unproved(interaction, visit, whole)) return *std::move(refusal);
    context.trail.add(audit::Event::second_factor_asked,
                      {audit::subject(subject), audit::client(visit.request.client_id)});
    model::HalfLogin half = begin_half_login(context, subject, start.stamp);
    half.done = by_web_server(context.settings);
    half.auth_time = auth_time;
    return continue_with_half(interaction, visit.request, std::move(half), start.missing);
}

void note_unusable(const Interaction& interaction, const login::RemoteUser& remote) {
    for (const std::string& claim : remote.unusable)
        interaction.context.log.warn("claim_unusable", {{"claim", claim}, {"id", interaction.request.id}});
    if (!remote.groups_fault.empty())
        interaction.context.log.warn("groups_unusable",
                                     {{"reason", remote.groups_fault}, {"id", interaction.request.id}});
}

bool is_second_half_of(const Interaction& interaction, const LoginVisit& visit, const login::RemoteUser& remote) {
    return visit.request.half_login &&
           store::find_username(interaction.context.store, visit.request.half_login->subject) == remote.username;
}

pages::PageFault page_fault(login::RemoteFault fault) {
    return fault == login::RemoteFault::missing ? pages::PageFault::remote_user_missing
                                                : pages::PageFault::remote_user_unusable;
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
        return posted ? submit_second_step(interaction, visit) : show_second_step(interaction, visit);
    if (posted || visit.request.half_login) return start_over(interaction, visit);
    const std::string client_id = visit.request.client_id.str();
    if (auto used = refuse_if_used(interaction, visit.request)) return std::move(*used);
    if (auto few = show_few_codes(interaction, visit)) return std::move(*few);
    // Without this check a browser that refuses the session cookie would be redirected in circles. A cookie of a
    // session that has ended did come back: a login in another tab has taken its place meanwhile.
    if (visit.request.session_sent && !interaction.browser.session_cookie)
        return refuse_and_offer(interaction, pages::PageFault::session_cookie_missing, visit.request,
                                "the browser cookie arrived, but the session cookie of the previous login did not");

    const auto started = start(interaction, visit, *remote);
    if (!started) {
        const std::string& reason = started.error().reason;
        return refuse_login(interaction, started.error(), client_id,
                            "user: " + remote->username + (reason.empty() ? "" : "; " + reason));
    }
    note_unusable(interaction, *remote);
    if (!started->session) return ask_for_second_half(interaction, visit, *remote, *started);
    auto refusal = refuse_unproved(interaction, visit, started->session->session);
    http::Response response = refusal ? *std::move(refusal) : continue_with_session(interaction, visit);
    login::send_session(interaction.browser, *started->session, response);
    if (started->device) send_device(interaction, *started->device, response);
    return response;
}

}  // namespace postern::web
