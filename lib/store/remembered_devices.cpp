// Decides in which browsers a password is enough.
#include "store/remembered_devices.h"

#include <algorithm>
#include <functional>

namespace postern::store {

bool remember_device(db::Transaction& transaction, const RememberedDevice& device) {
    const bool is_written =
        transaction.run(
            "INSERT INTO remembered_devices (token_hash, id, subject, stamp, agent, created_at, last_used_at,"
            " expires_at) SELECT CAST($1 AS text), CAST($2 AS text), u.subject, u.stamp, CAST($4 AS text),"
            " CAST($5 AS bigint), CAST($6 AS bigint), CAST($7 AS bigint) FROM users u WHERE u.subject = $3",
            device.token_hash, device.id, device.subject, device.agent, device.created_at, device.last_used_at,
            device.expires_at) == 1;
    if (is_written)
        transaction.queue(
            "DELETE FROM remembered_devices WHERE token_hash IN (SELECT token_hash FROM remembered_devices"
            " WHERE subject = $1 AND token_hash <> $2 ORDER BY last_used_at DESC, token_hash LIMIT $3 OFFSET $4)",
            device.subject, device.token_hash, kSurplusBatch, kMaxRememberedDevices - 1);
    return is_written;
}

std::optional<util::Time> use_device(db::Transaction& transaction, const model::Subject& subject,
                                     const model::ValueHash& value, const model::ValueHash& fresh, util::Time now,
                                     util::Seconds lifetime) {
    const auto used = transaction.run(
        "UPDATE remembered_devices SET token_hash = $2, last_used_at = $4 WHERE token_hash = $1 AND subject = $3"
        " AND expires_at > $4 AND created_at > $5 AND stamp = (SELECT u.stamp FROM users u WHERE u.subject = $3)",
        value, fresh, subject, now, now - lifetime);
    if (used != 1) return std::nullopt;
    auto row = transaction.database().query(
        "SELECT created_at, expires_at FROM remembered_devices WHERE token_hash = $1", fresh);
    if (!row.step()) throw db::StoreError("a remembered device has no row");
    util::Time created_at{}, expires_at{};
    row >> created_at >> expires_at;
    return std::min(expires_at, created_at + lifetime);
}

std::vector<RememberedDevice> devices_of(db::Database& database, const model::Subject& subject, util::Time now,
                                         util::Seconds lifetime) {
    auto rows = database.query(
        "SELECT d.token_hash, d.id, d.subject, d.agent, d.created_at, d.last_used_at, d.expires_at"
        " FROM remembered_devices d JOIN users u ON u.subject = d.subject AND u.stamp = d.stamp"
        " WHERE d.subject = $1 AND d.expires_at > $2 AND d.created_at > $3",
        subject, now, now - lifetime);
    std::vector<RememberedDevice> devices;
    while (rows.step()) {
        RememberedDevice device;
        rows >> device.token_hash >> device.id >> device.subject >> device.agent >> device.created_at >>
            device.last_used_at >> device.expires_at;
        device.expires_at = std::min(device.expires_at, device.created_at + lifetime);
        devices.push_back(std::move(device));
    }
    std::ranges::stable_sort(devices, std::ranges::greater(), &RememberedDevice::last_used_at);
    return devices;
}

bool forget_device(db::Transaction& transaction, const model::Subject& subject, std::string_view id) {
    return transaction.run("DELETE FROM remembered_devices WHERE subject = $1 AND id = $2", subject, id) > 0;
}

void forget_device(db::Transaction& transaction, const model::ValueHash& value) {
    transaction.run("DELETE FROM remembered_devices WHERE token_hash = $1", value);
}

std::int64_t forget_devices(db::Transaction& transaction, const model::Subject& subject) {
    return transaction.run("DELETE FROM remembered_devices WHERE subject = $1", subject);
}

}  // namespace postern::store
