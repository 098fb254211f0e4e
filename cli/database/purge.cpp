// `postern purge`: deletes at once what the serving processes delete little by little, and renews what none of them
// does.
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/database/key_sets.h"
#include "cli/output.h"
#include "db/maintenance.h"
#include "db/write.h"
#include "store/access_tokens.h"
#include "store/sweep.h"

namespace postern::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// As a program on a server: its role may delete what is due, and nothing else.
constexpr std::string_view kSweep = "sweep";

/// The audit log gets a line after this many rows, or after this time.
constexpr std::int64_t kRowsALine = 10000;
constexpr std::chrono::seconds kLongestUnnoted{1};

/// Deleted rows that have no audit line yet. The destructor writes the last line, also after an exception.
class Unnoted {
public:
    explicit Unnoted(const Invocation& invocation) : invocation_(invocation) {}
    Unnoted(const Unnoted&) = delete;
    Unnoted& operator=(const Unnoted&) = delete;
    ~Unnoted() { note(); }

    void add(std::int64_t rows) {
        rows_ += rows;
        if (rows_ >= kRowsALine || Clock::now() - since_ >= kLongestUnnoted) note();
    }

private:
    void note() {
        if (rows_ > 0) note_done(invocation_, {{"rows", std::to_string(rows_)}});
        rows_ = 0;
        since_ = Clock::now();
    }
    const Invocation& invocation_;
    std::int64_t rows_ = 0;
    Clock::time_point since_ = Clock::now();
};

/// Repeats `step`, each time in its own transaction, until it returns nullopt: nothing is left. `committed` is called
/// after each. Then it sleeps three times as long as the step took, because a process that takes the write lock again
/// at once may get it before those that wait.
template <class Step, class Committed>
void repeat(db::Database& database, Unnoted& unnoted, store::RowCounts& total, Step step, Committed committed) {
    for (;;) {
        Clock::time_point begin;
        // A power cut may only undo the deletion: expired rows stay expired.
        const auto deleted = db::write(database, db::Durability::lazy, [&](db::Transaction& transaction) {
            begin = Clock::now();
            auto rows = step(transaction);
            commit(transaction);
            return rows;
        });
        if (!deleted) return;
        committed();
        for (const auto& [table, rows] : *deleted) {
            total[table] += rows;
            unnoted.add(rows);
        }
        std::this_thread::sleep_for(3 * (Clock::now() - begin));
    }
}

void sweep_all(db::Database& database, util::Time now, Unnoted& unnoted, store::RowCounts& total) {
    const auto sweep = [&](db::Transaction& transaction) -> std::optional<store::RowCounts> {
        auto deleted = store::sweep(transaction, now);
        for (const auto& [table, rows] : deleted) total.try_emplace(table, 0);
        const bool any =
            std::any_of(deleted.begin(), deleted.end(), [](const auto& table) { return table.second > 0; });
        return any ? std::optional(std::move(deleted)) : std::nullopt;
    };
    repeat(database, unnoted, total, sweep, [] {});
}

/// Looks at every access token.
void walk_all(db::Database& database, util::Time now, Unnoted& unnoted, store::RowCounts& total) {
    store::AccessTokenKey last;
    store::AccessTokenKey reached;  // by a step that may be run again
    const auto walk = [&](db::Transaction& transaction) -> std::optional<store::RowCounts> {
        reached = last;
        const auto deleted = store::walk_expired_access_tokens(transaction, reached, now);
        if (!deleted) return std::nullopt;
        return store::RowCounts{{"access_tokens", *deleted}};
    };
    repeat(database, unnoted, total, walk, [&] { last = reached; });
}

/// After a failed sync, a checkpoint is allowed only after a commit that was synced (docs/decisions/0033).
void try_checkpoint(db::Database& database) {
    db::write(database, db::Durability::full, [](db::Transaction& of_nothing) { of_nothing.commit(); });
    db::checkpoint(database);
}

store::RowCounts purge_all(const Invocation& invocation, db::Database& database, bool is_quick) {
    const util::Time now = util::SystemClock().now() - (is_quick ? store::kExpiredRetention : util::Seconds{0});
    store::RowCounts deleted;
    try {
        {
            Unnoted unnoted(invocation);
            sweep_all(database, now, unnoted, deleted);
            if (!is_quick) walk_all(database, now, unnoted, deleted);
        }
        if (!is_quick) try_checkpoint(database);
    } catch (const db::StoreBusy& error) {
        std::int64_t rows = 0;
        for (const auto& of_table : deleted) rows += of_table.second;
        if (rows == 0) throw;
        throw Refused("the database is busy, " + std::to_string(rows) +
                      " rows are deleted; run the same command again for the rest: " + error.what());
    }
    return deleted;
}

void print_deleted(const Invocation& invocation, const store::RowCounts& deleted) {
    json::Object object;
    std::vector<std::vector<std::string>> rows;
    for (const auto& [table, count] : deleted) {
        object.set(table, count);
        rows.push_back({table, std::to_string(count)});
    }
    if (invocation.json) return print_json(std::move(object));
    print_table({"TABLE", "DELETED"}, rows);
}

void purge(const Invocation& invocation, const bool& is_quick) {
    const std::string_view program = is_quick ? kSweep : db::kCommand;
    const config::Config config = invocation.load_config();
    const auto fetcher = start_key_fetcher(config);
    db::Database database = open_database(config, db::Access::read_write, program);
    print_deleted(invocation, purge_all(invocation, database, is_quick));
    if (fetcher) renew_key_sets(database, *fetcher, config);
}

}  // namespace

void add_purge_command(const Command& app, Invocation& invocation) {
    const auto [command, is_quick] = add_command<bool>(
        app, invocation, "purge", "Delete everything that has expired or ended", "postern purge --json", purge);
    command.explain(
        "The serving processes do the same a little at a time, so no cron job is needed; this helps after a long idle "
        "time. It also deletes expired access tokens of active grants, which the serving processes keep until the "
        "grant gets another token. It can run while they serve, and leaves them three quarters of the time. The file "
        "does not shrink: its free pages are used again before it grows. (`VACUUM` would shrink it, but blocks writers "
        "while it runs.)\n"
        "It also renews the keys at the jwks_uri of clients that introspect and revoke alone, because no endpoint fetches "
        "those: let a timer or cron run it with --quick, once an hour.");
    command.flag(
        "--quick", is_quick,
        "Leave out the expired access tokens of active grants, because finding them means reading every token. For a "
        "timer, where the serving processes have no right to delete. On a database server the role is postern_sweep");
}

}  // namespace postern::cli
