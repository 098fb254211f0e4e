// The login endpoint where the web server authenticates people.
#include "web/remote_login.h"

#include <variant>

#include "db/write.h"
#include "oauth/issue_grant.h"
#include "oauth/next_step.h"
#include "store/authorization_requests.h"
#include "store/users.h"
#include "web/authorization_response.h"
#include "web/met_user.h"
#include "web/remote_groups.h"
#include "web/remote_user.h"

namespace postern::web {
namespace {

constexpr const char* kMethod = "remote_user";

/// With the claims of this login.
std::optional<MetUser> meet(oauth::Context& context, db::Transaction& transaction, const RemoteUser& remote) {
    return meet_user(context, transaction, remote.username,
                     [&](model::User& user) { return update_claims(user, remote); });
}

/// What `prompt=login` and a stale `max_age` want: that the user was asked after the client had asked for it.
bool is_made_for(const oauth::Settings& settings, const model::AuthorizationRequest& request,
                 const RemoteUser& remote) {
    return remote.auth_time && *remote.auth_time >= request.expires_at - settings.authorization_request_ttl;
}

/// Why the user that the web server names may not log in.
struct NotLoggedIn {
    PageFault fault;
    model::Subject named;  ///< the user that the web server names, if there is one
};

http::Response refuse_login(Interaction& interaction, const NotLoggedIn& why, const std::string& client_id,
                            const std::string& detail) {
    http::Response page = interaction.refuse(why.fault, client_id, detail);
    interaction.context.trail.add(oauth::AuditEvent::login_failed, {{"method", kMethod},
                                                                    {"reason", page.refusal->error},
                                                                    oauth::audit::subject(why.named),
                                                                    {"client_id", client_id}});
    return page;
}

/// Who logged in, and the session that began with it.
struct Start {
    MetUser met;
    GroupChanges groups;
    StartedSession session;
};

/// User, groups, session, the mark that this request was logged in for, and the end of the old session: together or not
/// at all.
util::Result<Start, NotLoggedIn> record(db::Transaction& transaction, Interaction& interaction, const LoginVisit& visit,
                                        const RemoteUser& remote) {
    auto met = meet(interaction.context, transaction, remote);
    const bool would_make = interaction.context.settings.login.auto_create;
    if (!met) return NotLoggedIn{would_make ? PageFault::remote_user_unusable : PageFault::account_unknown, {}};
    const model::User& user = met->user;
    if (!user.enabled) return NotLoggedIn{PageFault::account_disabled, user.subject};
    GroupChanges groups = follow_groups(interaction.context, transaction, user.subject, remote);
    StartedSession started = start_session(interaction.context, transaction, interaction.browser, user.subject,
                                           remote.auth_time.value_or(model::kAuthTimeUnknown), {});
    if (visit.target && is_made_for(interaction.context.settings, visit.request, remote))
        store::record_login(transaction, oauth::request_key(visit.request), user.subject, visit.request.expires_at);
    transaction.commit();
    return Start{*std::move(met), std::move(groups), std::move(started)};
}

void note_groups(const Interaction& interaction, const model::Subject& subject, const GroupChanges& changes) {
    oauth::AuditTrail& trail = interaction.context.trail;
    const oauth::audit::Member user = oauth::audit::subject(subject);
    for (const std::string& group : changes.joined)
        trail.add(oauth::AuditEvent::group_joined, {{"method", kMethod}, user, {"group", group}});
    for (const auto& [group, ended] : changes.left)
        trail.add(
            oauth::AuditEvent::group_left,
            {{"method", kMethod}, user, {"group", group}, {"grants_ended", ended > 0 ? std::to_string(ended) : ""}});
    for (const std::string& group : changes.missing)
        interaction.context.log.warn("group_missing", {{"group", group}, {"id", interaction.request.id}});
}

util::Result<StartedSession, NotLoggedIn> start(Interaction& interaction, const LoginVisit& visit,
                                                const RemoteUser& remote) {
    // Durable, because the old cookie must stay dead.
    auto recorded = db::write(interaction.context.store, db::Durability::full, [&](db::Transaction& transaction) {
        return record(transaction, interaction, visit, remote);
    });
    ASSIGN_OR_RETURN(Start start, std::move(recorded));
    if (start.met.made)
        interaction.context.trail.add(oauth::AuditEvent::user_created,
                                      {{"method", kMethod}, oauth::audit::subject(start.met.user.subject)});
    note_groups(interaction, start.met.user.subject, start.groups);
    note_login(interaction.context, start.session, kMethod, visit.request.client_id);
    return std::move(start.session);
}

http::Response continue_with_session(Interaction& interaction, const LoginVisit& visit) {
    LoginVisit marked = visit;
    marked.request.session_sent = true;
    marked.sealed.clear();
    return continue_after_login(interaction, marked);
}

/// A login form would ask again. The web server would give the same answer again, so the client gets an error.
http::Response answer(Interaction& interaction, const LoginVisit& visit, const model::Session& session) {
    if (!visit.target) return continue_with_session(interaction, visit);
    const oauth::AuthorizationInput input{
        .request = visit.request,
        .client = visit.target->client(),
        .released_claims = interaction.context.settings.released_claims,
        .session = session,
        .progress = store::find_progress(interaction.context.store, oauth::request_key(visit.request)),
        .consent = {},
        .now = interaction.context.now()};
    if (!std::holds_alternative<oauth::ShowLogin>(oauth::next_step(input)))
        return continue_with_session(interaction, visit);
    if (!oauth::end_request(interaction.context, visit.request, session))
        return refuse_and_offer(interaction, PageFault::already_used, visit.request);
    return early_error(
        interaction, *visit.target,
        oauth::make_error(oauth::ErrorCode::login_required, "the login that the request requires cannot be proved",
                          "another user than the one asked for is signed in at the web server, or its login is older "
                          "than the request; login.authTimeFromEnvironment names the variable that tells its time"));
}

void note_unusable(const Interaction& interaction, const RemoteUser& remote) {
    for (const std::string& claim : remote.unusable)
        interaction.context.log.warn("claim_unusable", {{"claim", claim}, {"id", interaction.request.id}});
    if (!remote.groups_fault.empty())
        interaction.context.log.warn("groups_unusable",
                                     {{"reason", remote.groups_fault}, {"id", interaction.request.id}});
}

PageFault page_fault(RemoteFault fault) {
    return fault == RemoteFault::missing ? PageFault::remote_user_missing : PageFault::remote_user_unusable;
}

}  // namespace

http::Response remote_login(Interaction& interaction) {
    // First, so that an operator who opens the page by hand learns whether the web server authenticates.
    const auto remote = read_remote_user(interaction.context.settings.login, interaction.request.server_variables,
                                         interaction.context.now());
    if (!remote)
        return refuse_login(interaction, {page_fault(remote.error().fault), {}}, "", remote.error().log_detail);
    ASSIGN_OR_RETURN(const auto visit, resume_login(interaction, interaction.request.query));
    const std::string client_id = visit.request.client_id.str();
    if (auto used = refuse_if_used(interaction, visit.request)) return std::move(*used);
    // Without this check a browser that refuses the session cookie would be redirected in circles.
    if (visit.request.session_sent && !interaction.browser.session)
        return refuse_and_offer(interaction, PageFault::cookie_missing, visit.request,
                                "the browser cookie arrived, but the session cookie of the previous login did not");

    const auto started = start(interaction, visit, *remote);
    if (!started) return refuse_login(interaction, started.error(), client_id, "user: " + remote->username);
    note_unusable(interaction, *remote);
    http::Response response = answer(interaction, visit, started->session);
    const CookieNames& names = interaction.browser.names;
    response.add("Set-Cookie", http::set_cookie(names.session, started->cookie, names.security));
    return response;
}

}  // namespace postern::web
