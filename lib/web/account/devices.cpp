// The page of the browsers in which a user is signed in.
#include "web/account/devices.h"

#include <algorithm>

#include "db/write.h"
#include "store/sessions.h"
#include "web/agent_label.h"
#include "web/shown_time.h"

namespace postern::web {
namespace {

ListedDevice to_device(const model::Session& session, const AccountVisit& visit) {
    ListedDevice device;
    device.name = shown_agent(session.agent);
    if (visit.context().settings.account.addresses) device.address = session.address;
    device.since = shown_time(session.created_at);
    device.last_seen = shown_time(session.last_seen_at);
    device.sid = session.sid.str();
    device.is_this = session.sid == visit.session.sid;
    return device;
}

/// This one first, then by last use.
std::vector<ListedDevice> find_devices(const AccountVisit& visit) {
    const util::Time now = visit.context().now();
    std::vector<model::Session> sessions = store::sessions_of(visit.context().store, visit.subject(), now,
                                                              now - visit.context().settings.session_idle_ttl);
    std::ranges::stable_sort(sessions, [&](const model::Session& a, const model::Session& b) {
        const bool is_a = a.sid == visit.session.sid, is_b = b.sid == visit.session.sid;
        return is_a != is_b ? is_a : a.last_seen_at > b.last_seen_at;
    });
    std::vector<ListedDevice> devices;
    for (const model::Session& session : sessions) devices.push_back(to_device(session, visit));
    return devices;
}

struct Ended {
    model::Sid sid;
    std::int64_t grants = 0;
};

/// Those of `sids` that the user has: together or not at all, in one line of the activity. Durable, because a device
/// that is said to be signed out must stay so.
std::vector<Ended> end_sessions(const AccountVisit& visit, model::Happened what,
                                const std::function<std::vector<model::Sid>(db::Database&)>& choose) {
    return db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        std::vector<Ended> ended;
        for (const model::Sid& sid : choose(transaction.database()))
            if (const auto grants = store::end_session(transaction, visit.subject(), sid, visit.context().now()))
                ended.push_back({sid, *grants});
        if (!ended.empty()) visit.note(transaction, what);
        transaction.commit();
        return ended;
    });
}

void note(const AccountVisit& visit, const std::vector<Ended>& all) {
    for (const Ended& ended : all)
        visit.context().trail.add(oauth::AuditEvent::session_ended, {oauth::audit::subject(visit.subject()),
                                                                     oauth::audit::session(ended.sid),
                                                                     {"grants_ended", std::to_string(ended.grants)},
                                                                     {"by", "user"}});
}

std::vector<model::Sid> others(db::Database& database, const AccountVisit& visit) {
    std::vector<model::Sid> sids = store::sids_of(database, visit.subject());
    std::erase(sids, visit.session.sid);
    return sids;
}

}  // namespace

http::Response show_devices(AccountVisit& visit) {
    return with_browser_id(
        visit, [&] { return visit.pages.devices({.frame = frame_of(visit), .devices = find_devices(visit)}); });
}

http::Response submit_devices(AccountVisit& visit) {
    const http::Params& form = visit.request().form;
    if (form.find("everywhere")) {
        note(visit, end_sessions(visit, model::Happened::sessions_ended,
                                 [&](db::Database& database) { return others(database, visit); }));
        return done(visit, AccountDone::signed_out_elsewhere);
    }
    const auto sid = form.find("sid");
    if (!sid) return refuse_malformed_form(visit, "field: sid");
    note(visit, end_sessions(visit, model::Happened::session_ended,
                             [&](db::Database&) { return std::vector{model::Sid(std::string(*sid))}; }));
    return done(visit, AccountDone::signed_out);
}

}  // namespace postern::web
