// Decides what is remembered of an authorization request: one row per request, one answer per row (RFC 6749 §4.1.2).
#include "store/authorization_requests.h"

#include <iterator>
#include <string>

#include "store/columns.h"

namespace postern::store {
namespace {

using model::AuthorizationProgress;
using model::Decision;
using model::RequestKey;
using model::Subject;

constexpr const char* kDecisions[] = {"unset", "approved", "denied"};  // in the order of model::Decision

const char* to_text(Decision decision) { return kDecisions[static_cast<std::size_t>(decision)]; }

Decision decision_of(const std::string& text) {
    for (std::size_t i = 0; i < std::size(kDecisions); ++i) {
        if (text == kDecisions[i]) return static_cast<Decision>(i);
    }
    throw db::StoreError("authorization_requests.decision holds a name this program does not know");
}

/// $1 to $3. True when the row was written.
bool write(db::Statement& statement, const RequestKey& key, const Subject& subject, util::Time expires_at) {
    return statement.bind(1, key.str()).bind(2, subject.str()).bind(3, util::to_epoch(expires_at)).execute() == 1;
}

}  // namespace

std::optional<AuthorizationProgress> find_progress(db::Database& database, const RequestKey& key) {
    auto row = database.prepare(
        "SELECT subject, logged_in, decision, used FROM authorization_requests WHERE request_key = $1");
    if (!row.bind(1, key.str()).step()) return std::nullopt;
    AuthorizationProgress progress;
    progress.subject = Subject(row.text(0));
    progress.logged_in = row.integer(1) != 0;
    progress.decision = decision_of(row.text(2));
    progress.used = row.integer(3) != 0;
    return progress;
}

void record_login(db::Transaction& transaction, const RequestKey& key, const Subject& subject, util::Time expires_at) {
    auto statement = transaction.database().prepare(
        "INSERT INTO authorization_requests (request_key, subject, logged_in, decision, used, expires_at)"
        " VALUES ($1, $2, 1, 'unset', 0, $3)"
        " ON CONFLICT (request_key) DO UPDATE SET logged_in = 1, subject = excluded.subject,"
        " decision = CASE WHEN authorization_requests.subject = excluded.subject"
        " THEN authorization_requests.decision ELSE 'unset' END"
        " WHERE authorization_requests.used = 0");
    write(statement, key, subject, expires_at);
}

bool record_decision(db::Transaction& transaction, const RequestKey& key, const Subject& subject, Decision decision,
                     util::Time expires_at) {
    // Another subject's login for the request is not this subject's. A denial is final: the form that it came from may
    // still be open (RFC 6749 §4.1.2.1).
    auto statement = transaction.database().prepare(
        "INSERT INTO authorization_requests (request_key, subject, logged_in, decision, used, expires_at)"
        " VALUES ($1, $2, 0, $4, 0, $3)"
        " ON CONFLICT (request_key) DO UPDATE SET decision = excluded.decision, subject = excluded.subject,"
        " logged_in = CASE WHEN authorization_requests.subject = excluded.subject"
        " THEN authorization_requests.logged_in ELSE 0 END"
        " WHERE authorization_requests.used = 0 AND NOT (authorization_requests.decision = 'denied'"
        " AND authorization_requests.subject = excluded.subject)");
    return write(statement.bind(4, to_text(decision)), key, subject, expires_at);
}

bool use_request(db::Transaction& transaction, const RequestKey& key, const Subject& subject, util::Time expires_at) {
    auto statement = transaction.database().prepare(
        "INSERT INTO authorization_requests (request_key, subject, logged_in, decision, used, expires_at)"
        " VALUES ($1, $2, 0, 'unset', 1, $3)"
        " ON CONFLICT (request_key) DO UPDATE SET used = 1, subject = excluded.subject"
        " WHERE authorization_requests.used = 0");
    return write(statement, key, subject, expires_at);
}

void end_open_requests(db::Transaction& transaction, const Subject& subject) {
    transaction.database()
        .prepare("DELETE FROM authorization_requests WHERE subject = $1 AND used = 0")
        .bind(1, subject.str())
        .execute();
}

}  // namespace postern::store
