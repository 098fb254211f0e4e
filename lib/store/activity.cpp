// Decides how many lines of activity a user has.
#include "store/activity.h"

#include <string>

namespace postern::store {
namespace {

static_assert(kMaxActivity == 50 && kActivityRetention.count() == 7776000 && kActivityOnce.count() == 86400,
              "as the statements have it, here and in sweep.cpp");

void remove_oldest(db::Transaction& transaction, const model::Subject& subject) {
    transaction.queue(
        "DELETE FROM activity WHERE subject = $1"
        " AND number <= (SELECT max(a.number) FROM activity a WHERE a.subject = $1) - 50",
        subject);
}

}  // namespace

void add_activity(db::Transaction& transaction, const model::Subject& subject, const model::ActivityLine& line) {
    transaction.queue(
        "INSERT INTO activity (subject, number, at, what, agent, address, detail) VALUES ($1,"
        " COALESCE((SELECT max(a.number) FROM activity a WHERE a.subject = $1), 0) + 1, $2, $3, $4, $5, $6)",
        subject, line.at, word_of(line.what), line.agent, line.address, line.detail);
    remove_oldest(transaction, subject);
}

void add_activity_once(db::Transaction& transaction, const model::Subject& subject, const model::ActivityLine& line) {
    // A line of later than now was written before the clock was set back, and counts too.
    transaction.queue(
        "INSERT INTO activity (subject, number, at, what, agent, address, detail) SELECT $1,"
        " COALESCE((SELECT max(a.number) FROM activity a WHERE a.subject = $1), 0) + 1, CAST($2 AS bigint), $3, $4, $5,"
        " $6 WHERE NOT EXISTS (SELECT 1 FROM activity a WHERE a.subject = $1 AND a.what = $3"
        " AND a.at > CAST($2 AS bigint) - 86400)",
        subject, line.at, word_of(line.what), line.agent, line.address, line.detail);
    remove_oldest(transaction, subject);
}

std::vector<model::ActivityLine> list_activity(db::Database& database, const model::Subject& subject, util::Time now) {
    auto rows = database.query(
        "SELECT what, at, agent, address, detail FROM activity WHERE subject = $1 AND at > CAST($2 AS bigint) - 7776000"
        " ORDER BY number DESC LIMIT 50",
        subject, now);
    std::vector<model::ActivityLine> lines;
    while (rows.step()) {
        std::string word;
        model::ActivityLine line;
        rows >> word >> line.at >> line.agent >> line.address >> line.detail;
        const auto what = model::parse_happened(word);
        if (!what) continue;  // of a later release
        line.what = *what;
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace postern::store
