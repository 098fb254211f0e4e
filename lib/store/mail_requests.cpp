// Decides which messages wait, who may send one now, and how many there may be.
#include "store/mail_requests.h"

#include "store/columns.h"

namespace postern::store {
namespace {

using model::MailRequest;

#define POSTERN_MAIL_COLUMNS "id, kind, subject, email_key, detail, language, created_at, not_before, tries, failed_at"

MailRequest read_request(db::Statement& row) {
    MailRequest request;
    std::string kind;
    row >> request.id >> kind >> request.subject >> request.email_key >> request.detail >> request.language >>
        request.created_at >> request.not_before >> request.tries >> request.failed_at;
    const auto known = model::parse_mail_kind(kind);
    if (!known) throw db::StoreError("mail_requests.kind holds something else than a kind");
    request.kind = *known;
    return request;
}

std::vector<MailRequest> read_all(db::Statement row) {
    std::vector<MailRequest> requests;
    while (row.step()) requests.push_back(read_request(row));
    return requests;
}

}  // namespace

void insert_mail(db::Transaction& transaction, const MailRequest& request) {
    transaction.run("INSERT INTO mail_requests (" POSTERN_MAIL_COLUMNS
                    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, NULL) ON CONFLICT DO NOTHING",
                    request.id, model::to_string(request.kind), request.subject, request.email_key, request.detail,
                    request.language, request.created_at, request.not_before);
}

bool insert_reset(db::Transaction& transaction, const MailRequest& request) {
    return transaction.run(
               "INSERT INTO mail_requests (" POSTERN_MAIL_COLUMNS
               ") SELECT CAST($1 AS text), 'reset', CAST($2 AS text), CAST($3 AS text), CAST($4 AS text),"
               " CAST($5 AS text), CAST($6 AS bigint), CAST($7 AS bigint), 0, NULL"
               " WHERE (SELECT count(*) FROM mail_requests WHERE kind = 'reset' AND failed_at IS NULL) < $8",
               request.id, request.subject, request.email_key, request.detail, request.language, request.created_at,
               request.not_before, kMaxWaitingResets) == 1;
}

std::vector<MailRequest> find_asked_mail(db::Database& database, int most) {
    return read_all(database.query("SELECT " POSTERN_MAIL_COLUMNS
                                   " FROM mail_requests WHERE kind = 'reset' AND failed_at IS NULL"
                                   " AND email_key IS NOT NULL ORDER BY not_before LIMIT $1",
                                   most));
}

std::vector<MailRequest> find_due_mail(db::Database& database, util::Time now, int most, MailSorts wanted) {
    return read_all(database.query("SELECT " POSTERN_MAIL_COLUMNS
                                   " FROM mail_requests WHERE failed_at IS NULL AND email_key IS NULL"
                                   " AND not_before <= $1 AND ($3 = 1 OR kind NOT IN ('reset', 'email'))"
                                   " AND ($4 = 1 OR kind NOT IN ('notice', 'guess'))"
                                   " ORDER BY CASE WHEN kind IN ('reset', 'email') THEN 1"
                                   " WHEN kind IN ('notice', 'guess') THEN 2 ELSE 0 END, not_before, id LIMIT $2",
                                   now, most, wanted.asked, wanted.notices));
}

bool is_notice_due(db::Database& database, util::Time now) {
    return database
        .query(
            "SELECT 1 FROM mail_requests WHERE kind IN ('notice', 'guess') AND not_before <= $1"
            " AND failed_at IS NULL LIMIT 1",
            now)
        .step();
}

bool postpone_mail(db::Transaction& transaction, const MailRequest& request, util::Time until) {
    return transaction.run(
               "UPDATE mail_requests SET not_before = $3 WHERE id = $1 AND tries = $2 AND failed_at IS NULL",
               request.id, request.tries, until) == 1;
}

bool claim_mail(db::Transaction& transaction, const MailRequest& request, util::Time until) {
    return transaction.run(
               "UPDATE mail_requests SET tries = tries + 1, not_before = $3 WHERE id = $1 AND tries = $2"
               " AND failed_at IS NULL",
               request.id, request.tries, until) == 1;
}

bool remove_mail(db::Transaction& transaction, const std::string& id, std::int64_t tries) {
    return transaction.run("DELETE FROM mail_requests WHERE id = $1 AND tries = $2", id, tries) == 1;
}

bool fail_mail(db::Transaction& transaction, const std::string& id, std::int64_t tries, util::Time now) {
    return transaction.run("UPDATE mail_requests SET failed_at = $3 WHERE id = $1 AND tries = $2", id, tries, now) == 1;
}

std::vector<MailRequest> list_mail(db::Database& database) {
    return read_all(database.query("SELECT " POSTERN_MAIL_COLUMNS " FROM mail_requests ORDER BY created_at, id"));
}

MailCounts count_mail(db::Database& database, util::Time late_before) {
    auto row = database.query(
        "SELECT COALESCE(SUM(CASE WHEN failed_at IS NULL THEN 1 ELSE 0 END), 0),"
        " COALESCE(SUM(CASE WHEN failed_at IS NULL AND created_at < $1 THEN 1 ELSE 0 END), 0),"
        " COALESCE(SUM(CASE WHEN failed_at IS NULL THEN 0 ELSE 1 END), 0) FROM mail_requests",
        late_before);
    MailCounts counts;
    if (row.step()) row >> counts.waiting >> counts.late >> counts.failed;
    return counts;
}

std::vector<model::Subject> subjects_with_email(db::Database& database, const std::string& email_key, int most) {
    return values_of<model::Subject>(
        database.query("SELECT subject FROM users WHERE email_key = $1 AND email_key <> '' AND enabled = 1 LIMIT $2",
                       email_key, most));
}

}  // namespace postern::store
