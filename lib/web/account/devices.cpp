// The page of the browsers in which a user is signed in.
#include "web/account/account.h"

#include <iterator>

#include "db/write.h"
#include "login/browser.h"
#include "login/step.h"
#include "oauth/context.h"
#include "oauth/session_life.h"
#include "oauth/session_note.h"
#include "store/remembered_devices.h"
#include "store/sessions.h"
#include "store/users.h"
#include "text/message.h"

namespace postern::web {
namespace {

ListedDevice to_device(const model::Session& session, const AccountVisit& visit) {
    ListedDevice device;
    device.name = login::shown_agent(session.agent);
    if (visit.context().settings.account.addresses) device.address = session.address;
    device.since = text::shown_time(session.created_at);
    device.last_seen = text::shown_time(session.last_seen_at);
    device.sid = session.sid.str();
    device.is_this = session.sid == visit.session.sid;
    return device;
}

bool remembers_devices(const AccountVisit& visit) {
    return login::policy_of(visit.context().settings).remembers_devices;
}

/// This one first, then by last use, no more than are shown.
std::vector<ListedDevice> find_devices(const AccountVisit& visit) {
    const util::Time now = visit.context().now();
    std::vector<ListedDevice> devices = {to_device(visit.session, visit)};
    for (const model::Session& session :
         store::sessions_of(visit.context().store, visit.subject(), oauth::session_life(visit.context().settings, now),
                            {.rows = store::kShownSessions}))
        if (session.sid != visit.session.sid && std::ssize(devices) < store::kShownSessions)
            devices.push_back(to_device(session, visit));
    return devices;
}

/// How many devices the page does not list.
std::int64_t count_more(const AccountVisit& visit, const std::vector<ListedDevice>& listed) {
    return std::ssize(listed) < store::kShownSessions ? 0 : count_devices(visit) - std::ssize(listed);
}

using Ended = std::vector<store::EndedSession>;

/// Durable, because a device that is said to be signed out must stay so.
Ended end_one(const AccountVisit& visit, const model::Sid& sid) {
    return db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) -> Ended {
        const auto grants = store::end_session(transaction, visit.subject(), sid, visit.context().now(),
                                               oauth::logout_notices(visit.context()));
        if (!grants) return {};
        visit.note(transaction, model::ActivityKind::session_ended);
        transaction.commit();
        return {{sid, *grants}};
    });
}

void note_forgotten(const AccountVisit& visit, std::int64_t devices) {
    if (devices == 0) return;
    visit.context().trail.add(audit::Event::devices_forgotten, {audit::subject(visit.subject()),
                                                                audit::session(visit.session.sid),
                                                                {"devices", std::to_string(devices)},
                                                                {"by", "user"}});
}

/// All sessions but this one, and all remembered devices: together or not at all, in one line of the activity.
void sign_out_elsewhere(const AccountVisit& visit) {
    std::int64_t devices = 0;
    const auto ended = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        auto sessions = store::end_sessions(transaction, visit.subject(), visit.context().now(),
                                            oauth::logout_notices(visit.context()), visit.session.sid)
                            .sessions;
        devices = remembers_devices(visit) ? store::forget_devices(transaction, visit.subject()) : 0;
        if (!sessions.empty() || devices > 0) visit.note(transaction, model::ActivityKind::sessions_ended);
        transaction.commit();
        return sessions;
    });
    note_ended(visit, ended);
    note_forgotten(visit, devices);
}

void forget(const AccountVisit& visit, std::string_view id) {
    if (!remembers_devices(visit)) return;
    const bool is_forgotten = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        store::lock_user(transaction, visit.subject());
        if (!store::forget_device(transaction, visit.subject(), id)) return false;
        visit.note(transaction, model::ActivityKind::device_forgotten);
        transaction.commit();
        return true;
    });
    note_forgotten(visit, is_forgotten ? 1 : 0);
}

std::vector<ListedRemembered> find_remembered(const AccountVisit& visit) {
    std::vector<ListedRemembered> listed;
    if (!remembers_devices(visit)) return listed;
    for (const store::RememberedDevice& device :
         store::devices_of(visit.context().store, visit.subject(), visit.context().now(),
                           visit.context().settings.login.remember_device))
        listed.push_back({.name = login::shown_agent(device.agent),
                          .since = text::shown_time(device.created_at),
                          .last_used = text::shown_time(device.last_used_at),
                          .until = text::shown_time(device.expires_at),
                          .id = device.id});
    return listed;
}

}  // namespace

std::int64_t count_devices(const AccountVisit& visit) {
    const util::Time now = visit.context().now();
    return store::count_sessions_of(visit.context().store, visit.subject(),
                                    oauth::session_life(visit.context().settings, now));
}

http::Response show_devices(AccountVisit& visit) {
    return visit.with_browser_id([&] {
        DevicesPage page{
            .frame = frame_of(visit), .devices = find_devices(visit), .more = 0, .remembered = find_remembered(visit)};
        page.more = count_more(visit, page.devices);
        return visit.pages.devices(page);
    });
}

http::Response submit_devices(AccountVisit& visit) {
    const http::Params& form = visit.request().form;
    if (form.find("everywhere")) {
        sign_out_elsewhere(visit);
        return done(visit, AccountDone::signed_out_elsewhere);
    }
    if (const auto id = form.find("device")) {
        forget(visit, *id);
        return done(visit, AccountDone::device_forgotten);
    }
    const auto sid = form.find("sid");
    if (!sid) return refuse_malformed_form(visit, "field: sid");
    note_ended(visit, end_one(visit, model::Sid(std::string(*sid))));
    return done(visit, AccountDone::signed_out);
}

}  // namespace postern::web
