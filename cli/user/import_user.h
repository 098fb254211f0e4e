// Makes users as the lines of a file say.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/user/import_file.h"
#include "db/write.h"
#include "model/user.h"
#include "oauth/settings.h"
#include "store/logout_outbox.h"

namespace postern::cli {

/// Draws on standard error if that is a terminal; otherwise draws nothing.
class Progress {
public:
    Progress(std::string what, std::size_t total);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  ///< removes the bar

    void advance(std::size_t by = 1);

private:
    using Clock = std::chrono::steady_clock;
    void draw(Clock::time_point now);
    std::string what_;
    std::size_t total_;
    std::size_t done_ = 0;
    std::size_t drawn_ = 0;  ///< columns of the last line drawn
    bool visible_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point next_ = begun_;
};

/// The options of `user import` as the operator typed them.
struct ImportOptions {
    std::string file;
    bool update = false;
    bool dry_run = false;
    bool skip_faulty = false;
    bool email_verified = false;
    std::optional<std::string> source;  ///< of --sync
    std::string at_most = "10%";
    bool adopt = false;
    store::LogoutNotices notices = {};  ///< of the configuration: applications that are told of ended sessions
};

/// Moves each user for whom `reason_against` returns a text to the faulty lines.
template <class ReasonAgainst>
void move_faulty(ImportFile& file, ReasonAgainst reason_against) {
    std::erase_if(file.users, [&](const ImportedUser& user) {
        std::optional<std::string> reason = reason_against(user);
        if (reason) file.faulty.push_back({user.line, user.username, *std::move(reason)});
        return reason.has_value();
    });
    std::ranges::sort(file.faulty, {}, &FaultyLine::line);
}

/// The number of users in one transaction. They are written in a few milliseconds, so that logins meanwhile do not wait
/// for the whole file.
inline constexpr std::size_t kImportBatch = 200;

/// Writes `items` with a progress bar, each batch in a transaction of its own: `take(transaction, batch, report)`
/// returns the report with the batch in it. After the commit it becomes `report`, and `noted(before, after)` is called.
/// An error says how many users `count_done(report)` counts, and `advice`.
template <class Item, class Report, class Take, class Noted, class CountDone>
void write_users(db::Database& database, std::span<const Item> items, Report& report, Take take, Noted noted,
                 CountDone count_done, const std::string& advice) {
    const auto with_count = [&](const std::exception& error) {
        return std::string(error.what()) + "\n" + std::to_string(count_done(report)) + " users were " + advice;
    };
    try {
        Progress progress("writing", items.size());
        while (!items.empty()) {
            const auto batch = items.first(std::min(kImportBatch, items.size()));
            Report so_far = db::write(database, db::Durability::full,
                                      [&](db::Transaction& transaction) { return take(transaction, batch, report); });
            noted(report, so_far);
            report = std::move(so_far);
            items = items.subspan(batch.size());
            progress.advance(batch.size());
        }
    } catch (const db::StoreUnsynced& error) {
        throw db::StoreUnsynced(with_count(error));
    } catch (const std::exception& error) {
        throw Refused(with_count(error));
    }
}

/// Moves users of groups that do not exist to the faulty lines.
void check_groups(db::Database& database, ImportFile& file);

/// Replaces passwords by their hashes, before any transaction, because hashing is slow. An unchanged password is not
/// hashed again: a new hash would end the user's sessions.
void hash_passwords(db::Database& database, std::vector<ImportedUser>& users);

/// Prints one note for all users with the claims that no scope releases.
void note_claims(const oauth::Settings& settings, const std::vector<ImportedUser>& users);

/// Adds the user of a line. Returns nullopt when the name is taken.
std::optional<model::Subject> add_user(db::Transaction& transaction, const ImportedUser& imported,
                                       const ImportOptions& options);

struct Updated {
    bool changed = false;
    std::int64_t grants_ended = 0;  ///< with a lost group; those of a new password or state are not counted
    store::ToldClients told;        ///< of ended sessions
};
/// Changes the user, whom the transaction has locked, as the line says; the rest stays. As in `user passwd` and `user
/// disable`, a new password or a disabled state ends sessions and tokens.
Updated update_user(db::Transaction& transaction, const ImportedUser& imported, model::User user,
                    const ImportOptions& options);

bool same_claims(const json::Object& a, const json::Object& b);

json::Object to_json(const FaultyLine& faulty);
/// Returns a line of text for each faulty line.
std::string lines_text(const std::vector<FaultyLine>& faulty);
/// Returns the number with its noun: "1 refused line", "2 refused lines"
std::string refused_lines(std::size_t count);

}  // namespace postern::cli
