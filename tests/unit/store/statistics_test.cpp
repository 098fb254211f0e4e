#include "store/statistics.h"

#include <map>

#include "store/consents.h"
#include "store/factors.h"
#include "store/remembered_devices.h"
#include "store/sessions.h"
#include "store/token_list.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ClientId;
using model::GrantId;
using model::Subject;
using model::ValueHash;
using store::Listed;

TEST_CASE("read_statistics: counts what list_tokens lists, and everything else by the rules it is accepted by") {
    auto database = with_tokens();
    written(database, [](auto& t) {
        auto disabled = client("disabled");
        disabled.enabled = false;
        disabled.restricted = true;
        store::insert_client(t, disabled);
        for (const char* id : {"wiki", "admin", "off"}) {
            auto site = client(id);
            site.enabled = std::string(id) != "off";
            site.site =
                model::Site{.url = std::string("https://") + id + ".example/", .max_age = {}, .session_ttl = {}};
            store::insert_client(t, site);
        }
        auto carol = user("sub-3", "carol");
        carol.enabled = false;
        store::insert_user(t, carol);
        store::insert_grant(t, grant("carol's", "sub-3"));
        store::insert_access_token(t, token("carol's", "carol's"));
        store::redeem_code(t, ValueHash("code a"), kNow);
        store::revoke_access_token(t, key_in(t.database(), "token b"), kNow);
        rotate(t, "refresh of c", kNow, Seconds{10});
        store::end_grant(t, GrantId("d"), kNow);
        const auto log_in = [&](const char* name, const char* subject, Time last_seen, Time until) {
            model::Session session;
            session.cookie_hash = ValueHash(name);
            session.sid = model::Sid(name);
            session.subject = Subject(subject);
            session.last_seen_at = last_seen;
            session.expires_at = until;
            store::insert_session(t, session);
        };
        const auto remember = [&](const char* name, const char* subject, Time until) {
            store::RememberedDevice device;
            device.token_hash = ValueHash(name);
            device.id = name;
            device.subject = Subject(subject);
            device.expires_at = until;
            store::remember_device(t, device);
        };
        remember("of before the other password", "sub-1", kNow + Seconds{1});
        store::raise_stamp(t, Subject("sub-1"));
        remember("device", "sub-1", kNow + Seconds{1});
        remember("expired", "sub-1", kNow);
        remember("disabled", "sub-3", kNow + Seconds{1});
        log_in("live", "sub-1", kNow, kNow + Seconds{1});
        log_in("idle", "sub-1", kNow - Seconds{31}, kNow + Seconds{1});
        log_in("expired", "sub-1", kNow, kNow);
        log_in("disabled", "sub-3", kNow, kNow + Seconds{1});
        store::save_consent(t, {ClientId("client"), Subject("sub-1"), {}, kNow});
    });
    const auto statistics = store::read_statistics(database, {kNow, kNow - Seconds{30}}, Seconds{2592000});
    CHECK(statistics.clients.enabled == 4);
    CHECK(statistics.clients.disabled == 2);
    CHECK(statistics.sites.enabled == 2);
    CHECK(statistics.sites.disabled == 1);
    CHECK(statistics.users.enabled == 2);
    CHECK(statistics.users.disabled == 1);
    CHECK(statistics.restricted_clients == 1);
    CHECK(statistics.remembered_devices == 1);
    CHECK(statistics.device_codes == 0);
    CHECK(statistics.sessions == 1);
    CHECK(statistics.consents == 1);
    CHECK(statistics.grants == 4);
    std::map<std::string, std::int64_t> active;
    for (const auto& each : store::list_tokens(database, {}, kNow, Listed::active)) ++active[each.kind];
    CHECK(statistics.authorization_codes == 2);
    CHECK(statistics.access_tokens == 2);
    CHECK(statistics.refresh_tokens == 2);
    CHECK(active["authorization_code"] == statistics.authorization_codes);
    CHECK(active["access_token"] == statistics.access_tokens);
    CHECK(active["refresh_token"] == statistics.refresh_tokens);
    CHECK(store::read_statistics(database, {kNow + Seconds{86400}, kNow}, Seconds{2592000}).grants == 0);
}
