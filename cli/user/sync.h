// `postern user import --sync SOURCE`: the users of a source become those of a file.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/user/import_user.h"
#include "db/database.h"
#include "model/user.h"
#include "store/users.h"

namespace postern::cli {

/// Makes the users of a source those of a file. Throws UsageError for a name or a percentage that is none, Refused when
/// a line or the number of users to be disabled forbids it: then nothing was changed. A run that breaks off later has
/// done a part, and the next one does the rest.
void sync_users(const Invocation& invocation, const ImportOptions& options);

/// Throws Refused unless `name` is 1 to 64 of the characters of group names, the first of them no dash.
void require_source_name(const std::string& name);

enum class UserChange { add, update, enable, disable };

/// A user as the database has it.
struct KnownUser {
    model::User user;
    store::Origin origin;
    std::set<std::string> groups;
};

/// The change of one user.
struct SyncStep {
    UserChange change = UserChange::update;
    std::string username;
    const ImportedUser* line = nullptr;  ///< nullptr: the file does not have the user
    std::vector<std::string> what;       ///< that differs from the line, for people
};

struct SyncPlan {
    std::vector<SyncStep> steps;
    std::size_t unchanged = 0;
    std::size_t enabled = 0;   ///< users of the source, before; and adopted ones whom the steps disable
    std::size_t disabled = 0;  ///< by the steps, adopted ones included
};

/// All users of a source, and those whom the file names besides, by user name.
class KnownUsers {
public:
    KnownUsers(db::Database& database, const std::string& source);

    /// Returns nullptr when there is no such user.
    const KnownUser* find(const std::string& username);
    const std::map<std::string, KnownUser>& all() const { return known_; }

private:
    db::Database& database_;
    std::map<std::string, KnownUser> known_;
};

/// Returns whether a run may change a user: one of its source, or with --adopt one without a source.
bool may_take(const store::Origin& origin, const ImportOptions& options);

/// Returns the reason, for people, why a run may not change a user of `origin`.
std::string foreign_reason(const store::Origin& origin);

/// Returns whether the line enables the user: the operator's word on a state stays, a disabling by the sync ends when
/// the user is back.
bool is_enabled_by(const ImportedUser& line, const model::User& user, const store::Origin& origin);

/// Moves lines about users of another source to the faulty ones.
void check_origins(KnownUsers& users, ImportFile& file, const ImportOptions& options);

/// Compares the lines, which must outlive the plan, with the users of the database.
SyncPlan make_plan(db::Database& database, KnownUsers& users, const std::vector<ImportedUser>& lines,
                   const ImportOptions& options);

/// Throws Refused when more than `percent` of the source's enabled users would be disabled: a file that was cut short
/// must not lock a whole organisation out.
void require_few_disabled(const SyncPlan& plan, std::size_t percent, const ImportOptions& options);

}  // namespace postern::cli
