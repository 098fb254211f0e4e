// Decides which progress of an authorization request is stored: one row per request, one answer per row (RFC 6749
// §4.1.2).
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

}  // namespace

std::optional<AuthorizationProgress> find_progress(db::Database& database, const RequestKey& key) {
    auto row = database.query(
        "SELECT subject, logged_in, decision, used FROM authorization_requests WHERE request_key = $1", key);
    if (!row.step()) return std::nullopt;
    AuthorizationProgress progress;
    std::string decision;
    row >> progress.subject >> progress.logged_in >> decision >> progress.used;
    progress.decision = decision_of(decision);
    return progress;
}

std::optional<AuthorizationProgress> find_progress_to_change(db::Transaction& transaction, const RequestKey& key) {
    transaction.lock("SELECT 1 FROM authorization_requests WHERE request_key = $1 FOR NO KEY UPDATE", key);
    return find_progress(transaction.database(), key);
}

void record_login(db::Transaction& transaction, const RequestKey& key, const Subject& subject, util::Time expires_at) {
    transaction.queue(
        "INSERT INTO authorization_requests (request_key, subject, logged_in, decision, used, expires_at)"
        " VALUES ($1, $2, 1, 'unset', 0, $3)"
        " ON CONFLICT (request_key) DO UPDATE SET logged_in = 1, subject = excluded.subject,"
        " decision = CASE WHEN authorization_requests.subject = excluded.subject"
        " THEN authorization_requests.decision ELSE 'unset' END"
        " WHERE authorization_requests.used = 0",
        key, subject, expires_at);
}

bool record_decision(db::Transaction& transaction, const RequestKey& key, const Subject& subject, Decision decision,
                     util::Time expires_at) {
    // A login of another subject for this request does not count for this one. A denial is final: the form that it came
    // from may still be open (RFC 6749 §4.1.2.1).
    const auto written = transaction.run(
        "INSERT INTO authorization_requests (request_key, subject, logged_in, decision, used, expires_at)"
        " VALUES ($1, $2, 0, $4, 0, $3)"
        " ON CONFLICT (request_key) DO UPDATE SET decision = excluded.decision, subject = excluded.subject,"
        " logged_in = CASE WHEN authorization_requests.subject = excluded.subject"
        " THEN authorization_requests.logged_in ELSE 0 END"
        " WHERE authorization_requests.used = 0 AND NOT (authorization_requests.decision = 'denied'"
        " AND authorization_requests.subject = excluded.subject)",
        key, subject, expires_at, to_text(decision));
    return written == 1;
}

bool use_request(db::Transaction& transaction, const RequestKey& key, const Subject& subject, util::Time expires_at) {
    const auto written = transaction.run(
        "INSERT INTO authorization_requests (request_key, subject, logged_in, decision, used, expires_at)"
        " VALUES ($1, $2, 0, 'unset', 1, $3)"
        " ON CONFLICT (request_key) DO UPDATE SET used = 1, subject = excluded.subject"
        " WHERE authorization_requests.used = 0",
        key, subject, expires_at);
    return written == 1;
}

void end_open_requests(db::Transaction& transaction, const Subject& subject) {
    transaction.queue("DELETE FROM authorization_requests WHERE subject = $1 AND used = 0", subject);
}

}  // namespace postern::store
