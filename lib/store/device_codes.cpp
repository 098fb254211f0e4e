// Decides which request approves, denies or uses a device code, each once.
#include "store/device_codes.h"

#include "store/columns.h"

namespace postern::store {
namespace {

using model::DeviceCode;
using model::ValueHash;

#define POSTERN_DEVICE_CODE_COLUMNS                                                                              \
    "d.device_hash, d.user_code_hash, d.client_id, d.scope, d.ignored_scope, d.resources, d.state,"              \
    " d.subject, d.grant_id, d.address, d.network, d.created_at, d.expires_at, d.last_poll_at, d.poll_interval," \
    " d.slowed"

#define POSTERN_OPEN "d.expires_at > $1 AND d.state IN ('pending', 'approved')"

model::DeviceCodeState state_of(const std::string& name) {
    const auto state = model::parse_device_code_state(name);
    if (!state) throw db::StoreError("device_codes.state holds something else than a state");
    return *state;
}

void read(db::Statement& row, DeviceCode& code) {
    std::string state;
    std::optional<model::Subject> subject;
    std::int64_t interval = 0;
    row >> code.device_hash >> code.user_code_hash >> code.client_id >> code.scope >> code.ignored_scope >>
        code.resources >> state >> subject >> code.grant_id >> code.address >> code.network >> code.created_at >>
        code.expires_at >> code.last_poll_at >> interval >> code.slowed;
    code.state = state_of(state);
    code.subject = subject.value_or(model::Subject());
    code.interval = util::Seconds{interval};
}

}  // namespace

OpenDeviceCodes count_open_device_codes(db::Database& database, const model::ClientId& client, std::string_view network,
                                        util::Time now) {
    auto row = database.query(
        "SELECT count(*), COALESCE(SUM(CASE WHEN c.type = 'public' THEN 1 ELSE 0 END), 0),"
        " COALESCE(SUM(CASE WHEN d.client_id = $2 THEN 1 ELSE 0 END), 0),"
        " COALESCE(SUM(CASE WHEN d.network <> '' AND d.network = $3 THEN 1 ELSE 0 END), 0)"
        " FROM device_codes d JOIN clients c ON c.id = d.client_id WHERE " POSTERN_OPEN,
        now, client, network);
    OpenDeviceCodes open;
    if (row.step()) row >> open.all >> open.of_public_clients >> open.of_client >> open.of_network;
    return open;
}

std::int64_t count_open_device_codes(db::Database& database, util::Time now) {
    return number_of(database.query("SELECT count(*) FROM device_codes d WHERE " POSTERN_OPEN, now));
}

bool insert_device_code(db::Transaction& transaction, const DeviceCode& code) {
    // The other columns are those of an answer: they keep their defaults, and who inserts has no right to them.
    const bool is_new =
        transaction.run(
            "INSERT INTO device_codes (device_hash, user_code_hash, client_id, scope, ignored_scope, resources,"
            " address, network, created_at, expires_at, poll_interval)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
            " ON CONFLICT DO NOTHING",
            code.device_hash, code.user_code_hash, code.client_id, code.scope, code.ignored_scope,
            model::to_string(code.resources), code.address, code.network, code.created_at, code.expires_at,
            code.interval.count()) == 1;
    if (is_new) transaction.mark("SELECT 1 FROM device_codes WHERE device_hash = $1", code.device_hash);
    return is_new;
}

std::optional<StoredDeviceCode> find_device_code(db::Database& database, const ValueHash& device_hash) {
    auto row = database.query("SELECT " POSTERN_DEVICE_CODE_COLUMNS
                              ", u.enabled, u.username FROM device_codes d"
                              " LEFT JOIN users u ON u.subject = d.subject WHERE d.device_hash = $1",
                              device_hash);
    if (!row.step()) return std::nullopt;
    StoredDeviceCode stored;
    read(row, stored.code);
    row >> stored.user_enabled >> stored.username;
    return stored;
}

std::optional<DeviceCode> find_typed_device_code(db::Database& database, const ValueHash& user_code_hash) {
    auto row = database.query("SELECT " POSTERN_DEVICE_CODE_COLUMNS " FROM device_codes d WHERE d.user_code_hash = $1",
                              user_code_hash);
    if (!row.step()) return std::nullopt;
    DeviceCode code;
    read(row, code);
    return code;
}

void record_poll(db::Transaction& transaction, const ValueHash& device_hash, util::Time now) {
    transaction.queue("UPDATE device_codes SET last_poll_at = $2, slowed = 0 WHERE device_hash = $1", device_hash, now);
}

void slow_polls(db::Transaction& transaction, const ValueHash& device_hash, util::Seconds interval) {
    transaction.queue("UPDATE device_codes SET poll_interval = $2, slowed = 1 WHERE device_hash = $1 AND slowed = 0",
                      device_hash, interval.count());
}

bool approve_device_code(db::Transaction& transaction, const ValueHash& device_hash, const model::Subject& subject,
                         const model::GrantId& grant, util::Time now) {
    return transaction.run(
               "UPDATE device_codes SET state = 'approved', subject = $2, grant_id = $3"
               " WHERE device_hash = $1 AND state = 'pending' AND expires_at > $4",
               device_hash, subject, grant, now) == 1;
}

bool deny_device_code(db::Transaction& transaction, const ValueHash& device_hash, const model::Subject& subject,
                      util::Time now) {
    return transaction.run(
               "UPDATE device_codes SET state = 'denied', subject = $2"
               " WHERE device_hash = $1 AND state = 'pending' AND expires_at > $3",
               device_hash, subject, now) == 1;
}

bool redeem_device_code(db::Transaction& transaction, const ValueHash& device_hash, util::Time now) {
    transaction.lock(
        "SELECT 1 FROM grants WHERE id = (SELECT grant_id FROM device_codes WHERE device_hash = $1)"
        " FOR NO KEY UPDATE",
        device_hash);
    // One statement decides: a second caller changes no row.
    return transaction.run(
               "UPDATE device_codes SET state = 'used' WHERE device_hash = $1 AND state = 'approved' AND expires_at > $2"
               " AND EXISTS (SELECT 1 FROM grants g WHERE g.id = device_codes.grant_id AND g.ended_at IS NULL)",
               device_hash, now) == 1;
}

}  // namespace postern::store
