// `postern user import`: imports users from a file, all of them or none.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <span>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/user/claims.h"
#include "cli/user/import.h"
#include "cli/user/import_file.h"
#include "cli/user/progress.h"
#include "crypto/password.h"
#include "crypto/random.h"
#include "db/write.h"
#include "json/writer.h"
#include "store/client_access.h"
#include "store/groups.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::User;

/// Written in a few milliseconds, so that logins meanwhile do not wait for the whole file.
constexpr std::size_t kBatch = 200;

struct Options {
    std::string file;
    bool update = false;
    bool dry_run = false;
    bool skip_faulty = false;
    bool email_verified = false;
};

struct Report {
    std::int64_t grants_ended = 0;  ///< of users who lost a group; those of a new password or state are not counted
    std::size_t added = 0;
    std::size_t updated = 0;
    std::size_t unchanged = 0;
    std::vector<FaultyLine> refused;
};

util::Time now() { return util::SystemClock().now(); }

Refused name_is_taken() { return Refused("the user name is taken; --update changes that user"); }

/// Moves users whose names are taken to the faulty lines, before anything is written.
void check_names(db::Database& database, ImportFile& file, const Options& options) {
    if (options.update) return;
    std::erase_if(file.users, [&](const ImportedUser& user) {
        if (!store::find_user_by_name(database, user.username)) return false;
        file.faulty.push_back({user.line, user.username, name_is_taken().what()});
        return true;
    });
    std::ranges::sort(file.faulty, {}, &FaultyLine::line);
}

/// Moves users of groups that are not there to the faulty lines.
void check_groups(db::Database& database, ImportFile& file) {
    std::set<std::string> known;
    const auto is_there = [&](const std::string& name) {
        if (!known.contains(name) && store::find_group(database, name)) known.insert(name);
        return known.contains(name);
    };
    std::erase_if(file.users, [&](const ImportedUser& user) {
        if (!user.groups) return false;
        const auto unknown = std::ranges::find_if_not(*user.groups, is_there);
        if (unknown == user.groups->end()) return false;
        file.faulty.push_back(
            {user.line, user.username, "there is no group " + in_quotes(*unknown) + "; `postern group add` makes one"});
        return true;
    });
    std::ranges::sort(file.faulty, {}, &FaultyLine::line);
}

/// An unchanged password is not hashed again: a new hash would end the user's sessions.
bool has_password(db::Database& database, const ImportedUser& user) {
    const auto known = store::find_user_by_name(database, user.username);
    return known && crypto::verify_password(*user.password, store::find_password_hash(database, known->subject));
}

/// Before any transaction, because hashing is slow.
void hash_passwords(db::Database& database, std::vector<ImportedUser>& users) {
    const auto has_one = [](const ImportedUser& user) { return user.password.has_value(); };
    Progress progress("hashing", static_cast<std::size_t>(std::ranges::count_if(users, has_one)));
    for (ImportedUser& user : users) {
        if (!user.password) continue;
        if (!has_password(database, user)) user.password_hash = crypto::hash_password(*user.password);
        user.password.reset();
        progress.advance();
    }
}

/// `before`: the claims of a user whom the file leaves as they are.
json::Object claims_of(const ImportedUser& imported, const json::Object& before, const Options& options) {
    json::Object claims = imported.claims.value_or(before);
    if (options.email_verified) set_email_verified(claims);
    return claims;
}

User new_user(const ImportedUser& imported, const Options& options) {
    crypto::SystemRandom random;
    User user;
    user.subject = model::Subject(crypto::random_id(random));
    user.username = imported.username;
    user.claims = claims_of(imported, {}, options);
    user.enabled = imported.enabled.value_or(true);
    user.created_at = user.updated_at = now();
    return user;
}

bool same_claims(const json::Object& a, const json::Object& b) { return json::write(a) == json::write(b); }

/// Makes the user a member of what the line names and of nothing else. False when that is so already.
bool update_groups(db::Transaction& transaction, const ImportedUser& imported, const model::Subject& subject,
                   Report& report) {
    if (!imported.groups) return false;
    const auto before = store::groups_of(transaction.database(), subject);
    const std::set<std::string> wanted(imported.groups->begin(), imported.groups->end());
    bool changed = false;
    bool lost = false;
    for (const std::string& name : wanted) changed |= store::add_member(transaction, name, subject, now());
    for (const std::string& name : before) {
        if (!wanted.contains(name)) lost |= store::remove_member(transaction, name, subject);
    }
    if (lost) report.grants_ended += store::end_grants_without_access(transaction, subject, now());
    return changed || lost;
}

/// As in `user passwd` and `user disable`, a new password or a disabled state ends sessions and tokens.
bool update_user(db::Transaction& transaction, const ImportedUser& imported, User user, const Options& options,
                 Report& report) {
    json::Object claims = claims_of(imported, user.claims, options);
    const bool new_hash = imported.password_hash &&
                          *imported.password_hash != store::find_password_hash(transaction.database(), user.subject);
    const bool new_claims = !same_claims(claims, user.claims);
    const bool new_state = imported.enabled && *imported.enabled != user.enabled;
    const bool new_groups = update_groups(transaction, imported, user.subject, report);
    if (!new_hash && !new_claims && !new_state) return new_groups;
    if (new_hash) store::set_password_hash(transaction, user.subject, *imported.password_hash);
    user.claims = std::move(claims);
    if (new_state) user.enabled = *imported.enabled;
    user.updated_at = now();
    store::update_user(transaction, user);
    if (new_hash || !user.enabled) store::end_user_access(transaction, user.subject, now());
    return true;
}

void import_one(db::Transaction& transaction, const ImportedUser& imported, const Options& options, Report& report) {
    const auto known = store::find_user_by_name_to_change(transaction, imported.username);
    if (known && !options.update) {  // created while passwords were hashed
        report.refused.push_back({imported.line, imported.username, name_is_taken().what()});
    } else if (known) {
        ++(update_user(transaction, imported, *known, options, report) ? report.updated : report.unchanged);
    } else if (const User user = new_user(imported, options);
               store::insert_user(transaction, user, imported.password_hash.value_or(""))) {
        update_groups(transaction, imported, user.subject, report);
        ++report.added;
    } else {  // another process has just created it
        import_one(transaction, imported, options, report);
    }
}

/// The report counts a batch only after its commit.
void import_users(const Invocation& invocation, db::Database& database, std::span<const ImportedUser> users,
                  const Options& options, Report& report) {
    Progress progress("writing", users.size());
    while (!users.empty()) {
        const auto batch = users.first(std::min(kBatch, users.size()));
        Report so_far = db::write(database, Durability::full, [&](db::Transaction& transaction) {
            Report counted = report;
            for (const ImportedUser& user : batch) import_one(transaction, user, options, counted);
            if (!options.dry_run) commit(transaction);
            return counted;
        });
        const auto changed = so_far.added + so_far.updated - report.added - report.updated;
        const auto ended = so_far.grants_ended - report.grants_ended;
        if (!options.dry_run && changed > 0)
            note_done(invocation, {{"rows", std::to_string(changed)}, grants_ended(ended)});
        report = std::move(so_far);
        users = users.subspan(batch.size());
        progress.advance(batch.size());
    }
}

void import_all(const Invocation& invocation, db::Database& database, std::span<const ImportedUser> users,
                const Options& options, Report& report) {
    const auto with_count = [&](const std::exception& error) {
        return std::string(error.what()) + "\n" + std::to_string(report.added + report.updated) +
               " users were imported before that; the same file with --update imports the rest";
    };
    try {
        import_users(invocation, database, users, options, report);
    } catch (const db::StoreUnsynced& error) {
        throw db::StoreUnsynced(with_count(error));
    } catch (const std::exception& error) {
        throw Refused(with_count(error));
    }
}

json::Object to_json(const FaultyLine& faulty) {
    return json::Object{
        {"line", static_cast<std::int64_t>(faulty.line)}, {"username", faulty.username}, {"reason", faulty.reason}};
}

void print(const Invocation& invocation, const Options& options, const Report& report) {
    if (!invocation.json) {
        std::cout << (options.dry_run ? "nothing was written; the result would be: " : "") << report.added << " added, "
                  << report.updated << " updated, " << report.unchanged << " unchanged, " << report.refused.size()
                  << " refused";
        if (report.grants_ended > 0) std::cout << "; " << counted(report.grants_ended, "grant") << " ended";
        std::cout << '\n';
        return;
    }
    json::Array refused;
    for (const FaultyLine& faulty : report.refused) refused.emplace_back(to_json(faulty));
    print_json(json::Object{{"added", static_cast<std::int64_t>(report.added)},
                            {"updated", static_cast<std::int64_t>(report.updated)},
                            {"unchanged", static_cast<std::int64_t>(report.unchanged)},
                            {"refused", std::move(refused)},
                            {"grants_ended", report.grants_ended},
                            {"dry_run", options.dry_run}});
}

/// One line for each; with --json they are in the result.
std::string lines_text(const Invocation& invocation, const std::vector<FaultyLine>& faulty) {
    std::string text;
    if (invocation.json) return text;
    for (const FaultyLine& one : faulty) {
        const std::string name = one.username.empty() ? "" : " (" + util::displayable(one.username) + ")";
        text += "line " + std::to_string(one.line) + name + ": " + one.reason + "\n";
    }
    return text;
}

std::string refused_lines(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " refused line" : " refused lines");
}

/// One note for all users.
void note_claims(const oauth::Settings& settings, const std::vector<ImportedUser>& users) {
    json::Object all;
    for (const ImportedUser& user : users) {
        if (!user.claims) continue;
        for (const auto& [name, value] : user.claims->members()) all.set(name, value);
    }
    note_unreleased_claims(settings, all);
}

void import(const Invocation& invocation, const Options& options) {
    const config::Config config = invocation.load_config();
    ImportFile file = read_import_file(options.file);
    db::Database database = open_database(config, Access::read_write);
    check_names(database, file, options);
    check_groups(database, file);

    Report report;
    const bool stop = !file.faulty.empty() && !options.skip_faulty;
    report.refused = std::move(file.faulty);
    if (!stop) {
        note_claims(config.settings, file.users);
        if (!options.dry_run) hash_passwords(database, file.users);
        import_all(invocation, database, file.users, options, report);
    }
    print(invocation, options, report);
    if (report.refused.empty()) return;
    const std::string lines = lines_text(invocation, report.refused);
    const std::string count = refused_lines(report.refused.size());
    if (stop) {
        throw Refused(lines + "no user was imported because of " + count +
                      "; correct the file, or import the others with --skip-faulty");
    }
    throw Refused(lines + count + (options.dry_run ? "" : "; the others were imported"));
}

}  // namespace

void add_user_import_command(const Command& group, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    const Command command =
        add_command(group, invocation, "import", "Add many users from an htpasswd or JSON Lines file",
                    "postern user import /etc/apache2/users.htpasswd\n"
                    "  getent shadow ada | postern user import -\n"
                    "  postern user import --update --dry-run people.jsonl",
                    [&invocation, options] { import(invocation, *options); });
    command.explain(
        "Either `name:hash` lines (htpasswd, shadow; what follows a second colon is ignored), or lines of one JSON "
        "object each with \"username\" and, optionally, \"password_hash\" or \"password\", \"claims\", \"enabled\" and "
        "\"groups\", a list of names; "
        "the first line decides which. A user without both has no password. Hashes may be yescrypt ($y$), bcrypt "
        "($2y$, $2b$, $2a$; cost 14 at most) or SHA-512 ($6$; 1000000 rounds at most).\n"
        "\n"
        "Exits 1 when a line is refused: each is listed with its reason, and no user is imported. Names that are taken "
        "are refused too, unless --update is given. Passwords take about 20 ms each to hash; a terminal shows the "
        "progress.");
    command.argument("FILE", options->file, "The file; - is standard input");
    command.flag(
        "--update", options->update,
        "Give existing users the password, claims and groups (all of them) and state in the file; a new password ends "
        "their sessions and tokens");
    command.flag("--dry-run", options->dry_run,
                 "Check everything, write nothing; with --update, passwords are not compared");
    command.flag("--email-verified", options->email_verified, kEmailVerifiedHelp);
    command.flag("--skip-faulty", options->skip_faulty, "Import the valid lines even if others are refused");
}

}  // namespace postern::cli
