// Decides what is counted, by the same rules by which it is accepted.
#include "store/statistics.h"

#include "store/columns.h"
#include "store/device_codes.h"

namespace postern::store {
namespace {

Statistics::ByState by_state(db::Statement rows) {
    Statistics::ByState count;
    while (rows.step()) {
        bool enabled = false;
        rows >> enabled;
        rows >> (enabled ? count.enabled : count.disabled);
    }
    return count;
}

// Follows the name of a table: joins and conditions that all three share.
#define POSTERN_ACTIVE                                                                           \
    " t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id"                 \
    " LEFT JOIN users u ON u.subject = g.subject WHERE t.expires_at > $1 AND g.ended_at IS NULL" \
    " AND c.enabled = 1 AND (g.subject IS NULL OR u.enabled = 1) AND "

}  // namespace

Statistics read_statistics(db::Database& database, const SessionLife& life, util::Seconds remembered) {
    const util::Time now = life.now;
    const auto count = [&](const char* sql) { return number_of(database.query(sql, now)); };
    Statistics statistics;
    statistics.clients = by_state(database.query("SELECT enabled, count(*) FROM clients GROUP BY enabled"));
    statistics.document_clients = number_of(database.query("SELECT count(*) FROM clients WHERE origin = 'document'"));
    statistics.dynamic_clients = number_of(database.query("SELECT count(*) FROM clients WHERE origin = 'dynamic'"));
    statistics.strangers =
        number_of(database.query("SELECT count(*) FROM clients WHERE origin = 'dynamic' AND registered_by = ''"));
    statistics.sites = by_state(database.query(
        "SELECT c.enabled, count(*) FROM sites s JOIN clients c ON c.id = s.client_id GROUP BY c.enabled"));
    statistics.restricted_clients = number_of(database.query("SELECT count(*) FROM clients WHERE restricted = 1"));
    statistics.users = by_state(database.query("SELECT enabled, count(*) FROM users GROUP BY enabled"));
    statistics.remembered_devices = number_of(database.query(
        "SELECT count(*) FROM remembered_devices d JOIN users u ON u.subject = d.subject AND u.stamp = d.stamp"
        " WHERE d.expires_at > $1 AND d.created_at > $2 AND u.enabled = 1",
        now, now - remembered));
    statistics.sessions =
        number_of(database.query("SELECT count(*) FROM sessions s JOIN users u ON u.subject = s.subject"
                                 " WHERE s.expires_at > $1 AND s.last_seen_at >= $2 AND s.created_at > $3"
                                 " AND u.enabled = 1",
                                 now, life.idle_since, life.begun_after));
    statistics.consents = number_of(database.query("SELECT count(*) FROM consents"));
    statistics.grants = count("SELECT count(*) FROM grants WHERE ended_at IS NULL AND kept_until > $1");
    statistics.authorization_codes = count("SELECT count(*) FROM authorization_codes" POSTERN_ACTIVE
                                           "t.redeemed_at IS NULL AND t.burned_at IS NULL");
    statistics.access_tokens = count("SELECT count(*) FROM access_tokens" POSTERN_ACTIVE "t.revoked_at IS NULL");
    statistics.refresh_tokens =
        count("SELECT count(*) FROM refresh_tokens" POSTERN_ACTIVE "t.state = 'current' AND t.revoked_at IS NULL");
    statistics.device_codes = count_open_device_codes(database, now);
    return statistics;
}

}  // namespace postern::store
