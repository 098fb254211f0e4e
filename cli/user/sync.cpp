// `postern user import --sync SOURCE`: the users of a source are those of a file.
#include "cli/user/sync.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <span>

#include "cli/audit.h"
#include "cli/output.h"
#include "cli/session/notices.h"
#include "cli/user/claims.h"
#include "db/write.h"
#include "model/group.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using db::Access;
using store::Origin;

struct ChangeWords {
    UserChange change;
    const char* verb;
    const char* done;
};
constexpr std::array kChanges = {
    ChangeWords{UserChange::add, "add", "added"},
    ChangeWords{UserChange::update, "update", "updated"},
    ChangeWords{UserChange::enable, "enable", "enabled"},
    ChangeWords{UserChange::disable, "disable", "disabled"},
};

const ChangeWords& words_of(UserChange change) { return *std::ranges::find(kChanges, change, &ChangeWords::change); }

/// A user who got or lost the right to sign in.
struct StateChange {
    model::Subject subject;
    bool enabled = false;
};

struct Report {
    std::map<UserChange, std::size_t> counts;
    std::int64_t grants_ended = 0;  ///< of users who lost a group
    store::ToldClients told;        ///< of ended sessions, by the latest batch
    std::vector<FaultyLine> refused;
    std::vector<StateChange> states;
};

/// 0 to 100, with or without the sign.
std::size_t parse_percent(std::string_view text) {
    if (text.ends_with('%')) text.remove_suffix(1);
    const auto number = util::parse_digits(text, 100);
    if (!number) throw UsageError("--at-most must be a whole number of percent from 0 to 100, such as 10%");
    return static_cast<std::size_t>(*number);
}

/// Claims and groups follow the file: what a line does not have, its user has not.
void complete_lines(std::vector<ImportedUser>& users, const ImportOptions& options) {
    for (ImportedUser& user : users) {
        if (!user.claims) user.claims.emplace();
        if (!user.groups) user.groups.emplace();
        if (options.email_verified) set_email_verified(*user.claims);
    }
}

/// False when the user of the line is not to be taken any more, as the transaction has it locked.
bool take_line(db::Transaction& transaction, const SyncStep& step, const ImportOptions& options, Report& report) {
    const ImportedUser& line = *step.line;
    auto user = store::find_user_by_name_to_change(transaction, line.username);
    if (!user) {
        const auto subject = add_user(transaction, line, options);
        if (!subject) return take_line(transaction, step, options, report);  // another process has just created it
        store::set_origin(transaction, *subject, {*options.source, std::nullopt});
        return true;
    }
    const Origin origin = store::find_origin(transaction.database(), user->subject);
    if (!may_take(origin, options)) {
        report.refused.push_back({line.line, line.username, foreign_reason(origin)});
        return false;
    }
    const bool is_enabled = is_enabled_by(line, *user, origin);
    if (is_enabled != user->enabled) report.states.push_back({user->subject, is_enabled});
    if (is_enabled && !user->enabled) {
        user->enabled = true;
        user->updated_at = now();
        store::update_user(transaction, *user);
    }
    const Updated updated = update_user(transaction, line, *user, options);
    report.grants_ended += updated.grants_ended;
    report.told.insert(updated.told.begin(), updated.told.end());
    store::set_origin(transaction, user->subject, {*options.source, std::nullopt});
    return true;
}

/// False when the user has gone, is disabled or belongs elsewhere meanwhile.
bool disable_missing(db::Transaction& transaction, const SyncStep& step, const ImportOptions& options, Report& report) {
    auto user = store::find_user_by_name_to_change(transaction, step.username);
    if (!user || !user->enabled) return false;
    if (store::find_origin(transaction.database(), user->subject).source != *options.source) return false;
    user->enabled = false;
    user->updated_at = now();
    store::update_user(transaction, *user);
    report.told.merge(store::end_user_access(transaction, user->subject, now(), options.notices));
    store::set_origin(transaction, user->subject, {*options.source, now()});
    report.states.push_back({user->subject, false});
    return true;
}

Report take_batch(db::Transaction& transaction, std::span<const SyncStep> steps, const ImportOptions& options,
                  Report report) {
    report.states.clear();
    report.told.clear();
    for (const SyncStep& step : steps) {
        const bool is_done = step.line ? take_line(transaction, step, options, report)
                                       : disable_missing(transaction, step, options, report);
        if (is_done) ++report.counts[step.change];
    }
    return report;
}

std::size_t total(const Report& report) {
    std::size_t all = 0;
    for (const auto& [change, count] : report.counts) all += count;
    return all;
}

/// A line for the batch, and one for each user who got or lost the right to sign in.
void note_batch(const Invocation& invocation, const Report& before, const Report& after, const std::string& source) {
    const std::size_t rows = total(after) - total(before);
    if (rows == 0) return;
    note_done(
        invocation,
        {{"rows", std::to_string(rows)}, grants_ended(after.grants_ended - before.grants_ended), {"source", source}});
    for (const StateChange& each : after.states)
        note_done(invocation,
                  {audit::subject(each.subject), {"source", source}, audit::yes_or_no("enabled", each.enabled)});
}

void take_all(const Invocation& invocation, const config::Config& config, db::Database& database,
              std::span<const SyncStep> steps, const ImportOptions& options, Report& report) {
    const auto take = [&](db::Transaction& transaction, std::span<const SyncStep> batch, const Report& before) {
        Report counted = take_batch(transaction, batch, options, before);
        commit(transaction);
        return counted;
    };
    const auto note = [&](const Report& before, const Report& after) {
        note_batch(invocation, before, after, *options.source);
        note_told(config, after.told);
    };
    write_users(database, steps, report, take, note, total, "changed before that; the same command does the rest");
}

json::Object to_json(const SyncStep& step) {
    json::Object object{{"username", step.username}, {"change", words_of(step.change).verb}};
    if (!step.what.empty()) object.set("what", json::strings(step.what));
    return object;
}

void print_json(const SyncPlan& plan, const ImportOptions& options, const Report& report) {
    json::Object object;
    for (const ChangeWords& words : kChanges) {
        const auto count = report.counts.find(words.change);
        object.set(words.done, static_cast<std::int64_t>(count == report.counts.end() ? 0 : count->second));
    }
    object.set("unchanged", static_cast<std::int64_t>(plan.unchanged));
    object.set("refused", json::array_of(report.refused, cli::to_json));
    object.set("grants_ended", report.grants_ended);
    object.set("source", *options.source);
    object.set("changes", json::array_of(plan.steps, to_json));
    object.set("dry_run", options.dry_run);
    cli::print_json(std::move(object));
}

void print(const Invocation& invocation, const SyncPlan& plan, const ImportOptions& options, const Report& report) {
    if (invocation.json) return print_json(plan, options, report);
    if (options.dry_run) {
        for (const SyncStep& step : plan.steps)
            std::cout << words_of(step.change).verb << ' ' << util::displayable(step.username)
                      << (step.what.empty() ? "" : ": " + join(step.what, ", ")) << '\n';
        std::cout << "nothing was written; the result would be: ";
    }
    for (const ChangeWords& words : kChanges) {
        const auto count = report.counts.find(words.change);
        std::cout << (count == report.counts.end() ? 0 : count->second) << ' ' << words.done << ", ";
    }
    std::cout << plan.unchanged << " unchanged, " << report.refused.size() << " refused";
    if (report.grants_ended > 0) std::cout << "; " << counted(report.grants_ended, "grant") << " ended";
    std::cout << '\n';
}

ImportFile read_lines(const ImportOptions& options) {
    ImportFile file = read_import_file(options.file);
    if (file.format != ImportFormat::json_lines)
        throw Refused("--sync needs lines of JSON, because claims and groups follow the file; nothing was changed");
    complete_lines(file.users, options);
    return file;
}

/// A user of a line that cannot be read would be taken for one who has left.
void require_no_faults(const Invocation& invocation, ImportFile& file, const ImportOptions& options) {
    if (file.faulty.empty()) return;
    Report report;
    report.refused = std::move(file.faulty);
    print(invocation, {}, options, report);
    throw Refused((invocation.json ? std::string() : lines_text(report.refused)) + "nothing was changed because of " +
                  refused_lines(report.refused.size()) + "; correct the file");
}

void count_planned(const SyncPlan& plan, Report& report) {
    for (const SyncStep& step : plan.steps) ++report.counts[step.change];
}

}  // namespace

void require_source_name(const std::string& name) {
    if (!model::is_new_group_name(name))
        throw Refused(
            "the name of a source must be 1 to 64 of the characters A-Z a-z 0-9 . _ -, the first of them no -");
}

void sync_users(const Invocation& invocation, const ImportOptions& typed) {
    require_source_name(*typed.source);
    const std::size_t percent = parse_percent(typed.at_most);
    const config::Config config = invocation.load_config();
    ImportOptions options = typed;
    options.notices = logout_notices(config);
    ImportFile file = read_lines(options);
    db::Database database = open_database(config, options.dry_run ? Access::query_only : Access::read_write);
    check_groups(database, file);
    KnownUsers users(database, *options.source);
    check_origins(users, file, options);
    require_no_faults(invocation, file, options);
    note_claims(config.settings, file.users);
    if (!options.dry_run) hash_passwords(database, file.users);

    const SyncPlan plan = make_plan(database, users, file.users, options);
    Report report;
    if (options.dry_run) {
        count_planned(plan, report);
        print(invocation, plan, options, report);
        return require_few_disabled(plan, percent, options);
    }
    require_few_disabled(plan, percent, options);
    take_all(invocation, config, database, std::span<const SyncStep>(plan.steps), options, report);
    print(invocation, plan, options, report);
    if (!report.refused.empty())
        throw Refused((invocation.json ? std::string() : lines_text(report.refused)) +
                      refused_lines(report.refused.size()) + "; the others were changed");
}

}  // namespace postern::cli
