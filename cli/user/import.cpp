// `postern user import`: imports users from a file, all of them or none.
#include <iostream>
#include <span>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/session/notices.h"
#include "cli/user/claims.h"
#include "cli/user/import_user.h"
#include "cli/user/sync.h"
#include "cli/user/user.h"
#include "db/write.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using db::Access;

struct Report {
    std::int64_t grants_ended = 0;  ///< of users who lost a group; those of a new password or state are not counted
    store::ToldClients told;        ///< of ended sessions, by the latest batch
    std::size_t added = 0;
    std::size_t updated = 0;
    std::size_t unchanged = 0;
    std::vector<FaultyLine> refused;
};

constexpr const char* kNameIsTaken = "the user name is taken; --update changes that user";

/// Moves users whose names are taken to the faulty lines, before anything is written.
void check_names(db::Database& database, ImportFile& file, const ImportOptions& options) {
    if (options.update) return;
    move_faulty(file, [&](const ImportedUser& user) -> std::optional<std::string> {
        if (!store::find_user_by_name(database, user.username)) return std::nullopt;
        return kNameIsTaken;
    });
}

void import_one(db::Transaction& transaction, const ImportedUser& imported, const ImportOptions& options,
                Report& report) {
    const auto known = store::find_user_by_name_to_change(transaction, imported.username);
    if (known && !options.update) {  // created while passwords were hashed
        report.refused.push_back({imported.line, imported.username, kNameIsTaken});
    } else if (known) {
        const Updated updated = update_user(transaction, imported, *known, options);
        ++(updated.changed ? report.updated : report.unchanged);
        report.grants_ended += updated.grants_ended;
        report.told.insert(updated.told.begin(), updated.told.end());
    } else if (add_user(transaction, imported, options)) {
        ++report.added;
    } else {  // another process has just created it
        import_one(transaction, imported, options, report);
    }
}

std::size_t count_done(const Report& report) { return report.added + report.updated; }

void import_all(const Invocation& invocation, const config::Config& config, db::Database& database,
                std::span<const ImportedUser> users, const ImportOptions& options, Report& report) {
    const auto take = [&](db::Transaction& transaction, std::span<const ImportedUser> batch, Report counted) {
        counted.told.clear();
        for (const ImportedUser& user : batch) import_one(transaction, user, options, counted);
        if (!options.dry_run) commit(transaction);
        return counted;
    };
    const auto note = [&](const Report& before, const Report& after) {
        const auto changed = count_done(after) - count_done(before);
        if (!options.dry_run && changed > 0)
            note_done(invocation,
                      {{"rows", std::to_string(changed)}, grants_ended(after.grants_ended - before.grants_ended)});
        if (!options.dry_run) note_told(config, after.told);
    };
    write_users(database, users, report, take, note, count_done,
                "imported before that; the same file with --update imports the rest");
}

void print(const Invocation& invocation, const ImportOptions& options, const Report& report) {
    if (!invocation.json) {
        std::cout << (options.dry_run ? "nothing was written; the result would be: " : "") << report.added << " added, "
                  << report.updated << " updated, " << report.unchanged << " unchanged, " << report.refused.size()
                  << " refused";
        if (report.grants_ended > 0) std::cout << "; " << counted(report.grants_ended, "grant") << " ended";
        std::cout << '\n';
        return;
    }
    print_json(json::Object{{"added", static_cast<std::int64_t>(report.added)},
                            {"updated", static_cast<std::int64_t>(report.updated)},
                            {"unchanged", static_cast<std::int64_t>(report.unchanged)},
                            {"refused", json::array_of(report.refused, to_json)},
                            {"grants_ended", report.grants_ended},
                            {"dry_run", options.dry_run}});
}

void import(const Invocation& invocation, const ImportOptions& typed) {
    if (typed.source) return sync_users(invocation, typed);
    const config::Config config = invocation.load_config();
    ImportOptions options = typed;
    options.notices = logout_notices(config);
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
        import_all(invocation, config, database, std::span<const ImportedUser>(file.users), options, report);
    }
    print(invocation, options, report);
    if (report.refused.empty()) return;
    const std::string lines = invocation.json ? std::string() : lines_text(report.refused);
    const std::string count = refused_lines(report.refused.size());
    if (stop) {
        throw Refused(lines + "no user was imported because of " + count +
                      "; correct the file, or import the others with --skip-faulty");
    }
    throw Refused(lines + count + (options.dry_run ? "" : "; the others were imported"));
}

}  // namespace

void add_user_import_command(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<ImportOptions>(group, invocation, "import", "Add many users from an htpasswd or JSON Lines file",
                                   "postern user import /etc/apache2/users.htpasswd\n"
                                   "  getent shadow ada | postern user import -\n"
                                   "  postern user import --update --dry-run people.jsonl",
                                   import);
    command.explain(
        "Either `name:hash` lines (htpasswd, shadow; what follows a second colon is ignored), or lines of one JSON "
        "object each with \"username\" and, optionally, \"password_hash\" or \"password\", \"claims\", \"enabled\" "
        "and \"groups\", a list of names; the first line decides which. A user without both has no password. Hashes "
        "may be yescrypt ($y$), bcrypt ($2y$, $2b$, $2a$; cost 14 at most) or SHA-512 ($6$; 1000000 rounds at most), "
        "also behind {CRYPT} and the like.\n"
        "\n"
        "Exits 1 when a line is refused: each is listed with its reason, and no user is imported. Names that are "
        "taken are refused too, unless --update or --sync is given. Passwords take about 20 ms each to hash; a "
        "terminal shows the progress.\n"
        "\n"
        "With --sync, each user in the file gets the claims and groups of the line, and none where the line has none. "
        "A user whom --sync has disabled is enabled when the file has the user again.");
    command.argument("FILE", options.file, "The file; - is standard input");
    const Option update = command.flag(
        "--update", options.update,
        "Give existing users the password, claims and groups (all of them) and state in the file; a new password ends "
        "their sessions and tokens");
    command.flag("--dry-run", options.dry_run,
                 "Check everything, write nothing; with --update and --sync, passwords are not compared");
    command.flag("--email-verified", options.email_verified, kEmailVerifiedHelp);
    const Option skip =
        command.flag("--skip-faulty", options.skip_faulty, "Import the valid lines even if others are refused");
    const Option sync = command
                            .option("--sync", "SOURCE", options.source,
                                    "The file has all users of SOURCE, in JSON lines: add and change these, and "
                                    "disable users of SOURCE who are not in it")
                            .excludes(update)
                            .excludes(skip);
    command
        .option("--at-most", "N%", options.at_most,
                "With --sync: change nothing if more than so many percent of the enabled users of SOURCE would be "
                "disabled; 10% without it")
        .needs(sync);
    command
        .flag("--adopt", options.adopt,
              "With --sync: existing users without a source become users of SOURCE if the file has them")
        .needs(sync);
}

}  // namespace postern::cli
