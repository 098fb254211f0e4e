// `postern session`: lists and ends sessions.
#include <iostream>

#include "cli/batches.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "cli/session/deliver.h"
#include "cli/session/notices.h"
#include "cli/user/user.h"
#include "oauth/context.h"
#include "oauth/session_life.h"
#include "store/remembered_devices.h"
#include "store/sessions.h"

namespace postern::cli {
namespace {

using db::Access;
using store::ListedSession;

/// The earliest of the session's end, the end that today's settings give it, and the end of its idle time.
util::Time expiry_of(const model::Session& session, const oauth::Settings& settings) {
    return std::min({session.expires_at, session.created_at + settings.session_ttl,
                     session.last_seen_at + settings.session_idle_ttl});
}

/// Unknown if the web server authenticates users and does not pass the time.
std::string login_time(const model::Session& session) {
    return session.auth_time == model::kAuthTimeUnknown ? "unknown" : to_text(session.auth_time);
}

json::Object to_json(const ListedSession& listed, const oauth::Settings& settings) {
    const model::Session& session = listed.session;
    json::Object listed_session{
        {"sid", session.sid.str()},
        {"username", listed.username},
        {"sub", session.subject.str()},
        {"iat", util::to_epoch(session.created_at)},
        {"last_seen_at", util::to_epoch(session.last_seen_at)},
        {"exp", util::to_epoch(expiry_of(session, settings))},
    };
    if (session.auth_time != model::kAuthTimeUnknown)
        listed_session.set("auth_time", util::to_epoch(session.auth_time));
    return listed_session;
}

std::vector<std::string> to_cells(const ListedSession& listed, const oauth::Settings& settings) {
    const auto& [session, username] = listed;
    return {username, login_time(session), to_text(session.last_seen_at), to_text(expiry_of(session, settings)),
            session.sid.str()};
}

struct ListOptions {
    Selection selection;
    db::Limit limit;
};

void list(const Invocation& invocation, const ListOptions& options) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::query_only);
    const auto subject = resolve(database, options.selection).subject;
    auto sessions = store::list_sessions(database, oauth::session_life(config.settings, now()), subject, options.limit);
    if (invocation.json)
        return print_json_rows(sessions, [&](const ListedSession& each) { return to_json(each, config.settings); });
    print_table_rows({"USER", "LOGGED_IN", "LAST_SEEN", "EXPIRES", "SID"}, sessions,
                     [&](const ListedSession& each) { return to_cells(each, config.settings); });
}

struct Ended {
    std::int64_t sessions = 0;
    std::int64_t grants = 0;
    std::int64_t devices = 0;
    store::ToldClients told = {};  ///< applications that will be told

    Ended& operator+=(const Ended& more) {
        sessions += more.sessions;
        grants += more.grants;
        devices += more.devices;
        told.insert(more.told.begin(), more.told.end());
        return *this;
    }
};

Ended end_of_user(const config::Config& config, db::Transaction& transaction, const model::Subject& subject) {
    Ended ended;
    const auto sessions = store::end_sessions(transaction, subject, now(), logout_notices(config));
    for (const store::EndedSession& each : sessions.sessions)
        ended += {.sessions = 1, .grants = each.grants, .devices = 0, .told = {}};
    ended.told = sessions.told;
    ended.devices = store::forget_devices(transaction, subject);
    if (ended.sessions > 0 || ended.devices > 0)
        note_activity(config.settings, transaction, subject, model::ActivityKind::sessions_ended);
    return ended;
}

void end(const Invocation& invocation, const Selection& selection) {
    require_choice(selection);
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::read_write);
    const auto subject = resolve(database, selection).subject;
    const auto subjects = subject ? std::vector{*subject} : store::subjects_with_sessions(database);
    Ended ended;
    write_in_batches(
        database, subjects,
        [&](db::Transaction& transaction, const model::Subject& each) {
            return end_of_user(config, transaction, each);
        },
        [&](const std::vector<Ended>& batch) {
            Ended sum;
            for (const Ended& of_user : batch) sum += of_user;
            std::vector<audit::Member> counts = {{"sessions_ended", std::to_string(sum.sessions)},
                                                 {"grants_ended", std::to_string(sum.grants)}};
            if (sum.devices > 0) counts.emplace_back("devices", std::to_string(sum.devices));
            note_ended(invocation, {.client = {}, .subject = subject, .before = {}}, std::move(counts));
            ended += sum;
        });
    note_told(config, ended.told);
    if (invocation.json)
        return print_json(json::Object{{"sessions", ended.sessions},
                                       {"grants", ended.grants},
                                       {"devices", ended.devices},
                                       {"applications", static_cast<std::int64_t>(ended.told.size())}});
    std::cout << counted(ended.sessions, "session") << " and " << counted(ended.grants, "grant")
              << " made in them ended\n";
    if (ended.devices > 0) std::cout << counted(ended.devices, "remembered device") << " forgotten\n";
}

constexpr std::string_view kNotify = "notify";  // its role on a server

void deliver(const Invocation& invocation) {
    const config::Config config = invocation.load_config();
    if (!config.settings.backchannel_logout)
        throw Refused("no application is told of ended sessions: set \"backchannelLogout\" in the configuration");
    db::Database database = open_database(config, Access::read_write, kNotify);
    const DeliveredLogouts delivered = deliver_logouts(invocation, config, database);
    if (invocation.json)
        return print_json(
            json::Object{{"sent", delivered.sent}, {"failed", delivered.failed}, {"dropped", delivered.dropped}});
    std::cout << counted(delivered.sent, "logout token") << " sent\n";
}

}  // namespace

void add_session_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("session", "List and end the sessions of users who are logged in");
    const auto [list_command, listed] = add_command<ListOptions>(
        group, invocation, "list", "List sessions, oldest first", "postern session list --user ada", list);
    add_user_filter(list_command, listed.selection);
    add_limit_option(list_command, listed.limit);

    add_command(group, invocation, "deliver", "Tell applications that sessions have ended", "postern session deliver",
                [&invocation] { deliver(invocation); })
        .explain(
            "Sends each logout token that waits to the client's --backchannel-logout-uri. To be run by "
            "postern-notify.path and postern-notify.timer, or by cron every minute; several may run at once. An "
            "application that could not be told is told again after 1, 10 and 60 minutes, within two hours in all; then "
            "the audit log has logout_notification_failed. An application that answers 400 is not told again.");
    const auto [end_command, ended] =
        add_command<Selection>(group, invocation, "end", "Log one user or all users out of every browser",
                               "postern session end --user ada", end);
    end_command.explain(
        "Like a logout, this also ends the grants made in these sessions, with their codes and tokens; grants with the "
        "scope offline_access continue (see `postern token revoke`). A login or consent in progress has to be "
        "repeated. Browsers that are remembered (login.rememberDevice) are forgotten.");
    add_user_filter(end_command, ended);
    add_all_option(end_command, ended);
}

}  // namespace postern::cli
