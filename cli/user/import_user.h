// What a line of a file of users makes of one user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/user/import_file.h"
#include "db/database.h"
#include "model/user.h"
#include "oauth/settings.h"

namespace postern::cli {

/// As typed.
struct ImportOptions {
    std::string file;
    bool update = false;
    bool dry_run = false;
    bool skip_faulty = false;
    bool email_verified = false;
    std::optional<std::string> source;  ///< of --sync
    std::string at_most = "10%";
    bool adopt = false;
};

/// Written in a few milliseconds, so that logins meanwhile do not wait for the whole file.
inline constexpr std::size_t kImportBatch = 200;

/// Moves users of groups that are not there to the faulty lines.
void check_groups(db::Database& database, ImportFile& file);

/// Before any transaction, because hashing is slow. An unchanged password is not hashed again: a new hash would end the
/// user's sessions.
void hash_passwords(db::Database& database, std::vector<ImportedUser>& users);

/// Says once for all users which of their claims no scope releases.
void note_claims(const oauth::Settings& settings, const std::vector<ImportedUser>& users);

/// nullopt when the name is taken.
std::optional<model::Subject> add_user(db::Transaction& transaction, const ImportedUser& imported,
                                       const ImportOptions& options);

struct Updated {
    bool changed = false;
    std::int64_t grants_ended = 0;  ///< with a lost group; those of a new password or state are not counted
};
/// What the line does not have stays. As in `user passwd` and `user disable`, a new password or a disabled state ends
/// sessions and tokens. The transaction has locked the user.
Updated update_user(db::Transaction& transaction, const ImportedUser& imported, model::User user,
                    const ImportOptions& options);

bool same_claims(const json::Object& a, const json::Object& b);

json::Object to_json(const FaultyLine& faulty);
/// A line of text for each.
std::string lines_text(const std::vector<FaultyLine>& faulty);
/// "1 refused line", "2 refused lines"
std::string refused_lines(std::size_t count);

}  // namespace postern::cli
