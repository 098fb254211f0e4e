// Decides which clients get a logout token, and which process may send it now.
#include "store/logout_outbox.h"

#include "store/client_values.h"
#include "store/columns.h"

namespace postern::store {
namespace {

/// The sessions of $1: $2 alone unless it is empty, and not $3.
#define POSTERN_ENDING "s.subject = $1 AND ($2 = '' OR s.sid = $2) AND s.sid <> $3"

struct ToldClient {
    model::ClientId client_id;
    model::Sid sid;
};

std::vector<ToldClient> find_told_clients(db::Database& database, const model::Subject& subject,
                                          const EndingSessions& which) {
    auto row = database.query(
        "SELECT n.client_id, n.sid, c.details FROM sessions s JOIN session_clients n ON n.sid = s.sid"
        " JOIN clients c ON c.id = n.client_id WHERE " POSTERN_ENDING " ORDER BY n.sid, n.client_id",
        subject, which.only, which.keep);
    std::vector<ToldClient> told;
    while (row.step()) {
        ToldClient client;
        std::string details;
        row >> client.client_id >> client.sid >> details;
        if (!read_logout_uris(details).backchannel.empty()) told.push_back(std::move(client));
    }
    return told;
}

void insert_notice(db::Transaction& transaction, const LogoutNotice& notice) {
    transaction.queue(
        "INSERT INTO logout_outbox (id, client_id, subject, sid, jti, tries, not_before, expires_at)"
        " VALUES ($1, $2, $3, $4, $5, 0, $6, $7)",
        notice.id, notice.client_id, notice.subject, notice.sid, notice.jti, notice.not_before, notice.expires_at);
}

}  // namespace

ToldClients tell_of_logout(db::Transaction& transaction, const LogoutNotices& notices, const model::Subject& subject,
                           const EndingSessions& which, util::Time now) {
    ToldClients told;
    if (!notices.has_clients) return told;
    if (notices.backchannel) {
        for (const ToldClient& client : find_told_clients(transaction.database(), subject, which)) {
            insert_notice(transaction, {.id = crypto::random_id(*notices.random),
                                        .client_id = client.client_id,
                                        .subject = subject,
                                        .sid = client.sid,
                                        .jti = crypto::random_id(*notices.random),
                                        .not_before = now,
                                        .expires_at = now + kLogoutLifetime});
            told.insert(client.client_id);
        }
    }
    transaction.queue("DELETE FROM session_clients WHERE sid IN (SELECT s.sid FROM sessions s WHERE " POSTERN_ENDING
                      ")",
                      subject, which.only, which.keep);
    if (!told.empty() && notices.wake != nullptr) notices.wake->request_wake();
    return told;
}

std::vector<DueNotice> find_due_notices(db::Database& database, const NoticePlace& after, util::Time now, int most) {
    auto row = database.query(
        "SELECT o.id, o.client_id, o.subject, o.sid, o.jti, o.tries, o.not_before, o.expires_at,"
        " COALESCE(c.details, '') FROM logout_outbox o LEFT JOIN clients c ON c.id = o.client_id"
        " WHERE o.not_before <= $1 AND (o.not_before, o.id) > ($2, $3) ORDER BY o.not_before, o.id LIMIT $4",
        now, after.not_before, after.id, most);
    std::vector<DueNotice> due;
    while (row.step()) {
        DueNotice& each = due.emplace_back();
        LogoutNotice& notice = each.notice;
        std::string details;
        row >> notice.id >> notice.client_id >> notice.subject >> notice.sid >> notice.jti >> notice.tries >>
            notice.not_before >> notice.expires_at >> details;
        each.uri = read_logout_uris(details).backchannel;
    }
    return due;
}

bool claim_notice(db::Transaction& transaction, const LogoutNotice& notice, util::Time until) {
    return transaction.run("UPDATE logout_outbox SET tries = tries + 1, not_before = $3 WHERE id = $1 AND tries = $2",
                           notice.id, notice.tries, until) == 1;
}

bool remove_notice(db::Transaction& transaction, const std::string& id, std::int64_t tries) {
    return transaction.run("DELETE FROM logout_outbox WHERE id = $1 AND tries = $2", id, tries) == 1;
}

NoticeCounts count_notices(db::Database& database, util::Time late_before) {
    auto row = database.query(
        "SELECT count(*), COALESCE(SUM(CASE WHEN expires_at < $1 THEN 1 ELSE 0 END), 0) FROM logout_outbox",
        late_before + kLogoutLifetime);
    NoticeCounts counts;
    if (row.step()) row >> counts.waiting >> counts.late;
    return counts;
}

}  // namespace postern::store
