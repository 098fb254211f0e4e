// `postern user import --sync SOURCE`: the users of a source are those of a file.
#include "cli/user/sync.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <set>
#include <span>

#include "cli/audit.h"
#include "cli/output.h"
#include "cli/user/claims.h"
#include "cli/user/progress.h"
#include "db/write.h"
#include "model/group.h"
#include "store/groups.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::User;
using store::Origin;

enum class Change { add, update, enable, disable };

struct ChangeWords {
    Change change;
    const char* verb;
    const char* done;
};
constexpr std::array kChanges = {
    ChangeWords{Change::add, "add", "added"},
    ChangeWords{Change::update, "update", "updated"},
    ChangeWords{Change::enable, "enable", "enabled"},
    ChangeWords{Change::disable, "disable", "disabled"},
};

const ChangeWords& words_of(Change change) { return *std::ranges::find(kChanges, change, &ChangeWords::change); }

/// A user as the database has it.
struct Known {
    User user;
    Origin origin;
    std::set<std::string> groups;
};

/// What the run is to do to one user.
struct Step {
    Change change = Change::update;
    std::string username;
    const ImportedUser* line = nullptr;  ///< nullptr: the file does not have the user
    std::vector<std::string> what;       ///< that differs from the line, for people
};

struct Plan {
    std::vector<Step> steps;
    std::size_t unchanged = 0;
    std::size_t enabled = 0;   ///< users of the source, before
    std::size_t disabled = 0;  ///< of them, by the steps
};

/// A user who got or lost the right to sign in.
struct StateChange {
    model::Subject subject;
    bool enabled = false;
};

struct Report {
    std::map<Change, std::size_t> counts;
    std::int64_t grants_ended = 0;  ///< of users who lost a group
    std::vector<FaultyLine> refused;
    std::vector<StateChange> states;
};

util::Time now() { return util::SystemClock().now(); }

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

bool may_take(const Origin& origin, const ImportOptions& options) {
    return origin.source == *options.source || (options.adopt && origin.source.empty());
}

std::string foreign_reason(const Origin& origin) {
    if (origin.source.empty())
        return "a user of that name is there already and has no source; --adopt makes it a user of this one";
    return "a user of that name belongs to the source " + in_quotes(origin.source) +
           "; `postern user set --source` changes that";
}

/// All users of the source, and those whom the file names besides, by user name.
class Users {
public:
    Users(db::Database& database, const std::string& source) : database_(database) {
        std::map<std::string, std::set<std::string>> groups;
        for (const store::Membership& each : store::list_memberships(database, source))
            groups[each.subject.str()].insert(each.group);
        for (const store::ListedUser& each : store::list_users_of_source(database, source))
            known_[each.user.username] = {each.user, each.origin, groups[each.user.subject.str()]};
    }

    /// nullptr when there is no such user.
    const Known* find(const std::string& username) {
        const auto found = known_.find(username);
        if (found != known_.end()) return &found->second;
        const auto user = store::find_user_by_name(database_, username);
        if (!user) return nullptr;
        const auto groups = store::groups_of(database_, user->subject);
        Known known{*user, store::find_origin(database_, user->subject), {groups.begin(), groups.end()}};
        return &known_.emplace(username, std::move(known)).first->second;
    }

    const std::map<std::string, Known>& all() const { return known_; }

private:
    db::Database& database_;
    std::map<std::string, Known> known_;
};

/// Moves lines about users of another source to the faulty ones.
void check_origins(Users& users, ImportFile& file, const ImportOptions& options) {
    std::erase_if(file.users, [&](const ImportedUser& line) {
        const Known* known = users.find(line.username);
        if (!known || may_take(known->origin, options)) return false;
        file.faulty.push_back({line.line, line.username, foreign_reason(known->origin)});
        return true;
    });
    std::ranges::sort(file.faulty, {}, &FaultyLine::line);
}

/// The operator's word on a state stays; what the sync itself has done ends when the user is back.
bool is_enabled_by(const ImportedUser& line, const User& user, const Origin& origin) {
    return line.enabled.value_or(user.enabled || origin.left_at);
}

std::vector<std::string> differences(db::Database& database, const ImportedUser& line, const Known& known,
                                     const ImportOptions& options) {
    const bool has_left = known.origin.left_at.has_value();
    const bool is_enabled = is_enabled_by(line, known.user, known.origin);
    const std::pair<bool, const char*> rows[] = {
        {known.origin.source != *options.source, "source"},
        {!same_claims(*line.claims, known.user.claims), "claims"},
        {std::set<std::string>(line.groups->begin(), line.groups->end()) != known.groups, "groups"},
        {line.password_hash && *line.password_hash != store::find_password_hash(database, known.user.subject),
         "password"},
        {is_enabled != known.user.enabled || (has_left && !is_enabled), "state"},
    };
    std::vector<std::string> what;
    for (const auto& [differs, name] : rows)
        if (differs) what.emplace_back(name);
    return what;
}

Step step_of(const ImportedUser& line, const Known& known, std::vector<std::string> what) {
    const bool is_enabled = is_enabled_by(line, known.user, known.origin);
    Step step{Change::update, line.username, &line, std::move(what)};
    if (is_enabled != known.user.enabled) step.change = is_enabled ? Change::enable : Change::disable;
    return step;
}

Plan make_plan(db::Database& database, Users& users, const std::vector<ImportedUser>& lines,
               const ImportOptions& options) {
    Plan plan;
    std::set<std::string> named;
    for (const ImportedUser& line : lines) {
        named.insert(line.username);
        const Known* known = users.find(line.username);
        if (!known) {
            plan.steps.push_back({Change::add, line.username, &line, {}});
        } else if (auto what = differences(database, line, *known, options); !what.empty()) {
            plan.steps.push_back(step_of(line, *known, std::move(what)));
        } else {
            ++plan.unchanged;
        }
    }
    for (const auto& [username, known] : users.all()) {
        if (known.user.enabled && !named.contains(username))
            plan.steps.push_back({Change::disable, username, nullptr, {}});
    }
    const auto is_of_source = [&](const std::string& username) {
        return users.find(username)->origin.source == *options.source;
    };
    plan.enabled = static_cast<std::size_t>(std::ranges::count_if(
        users.all(), [&](const auto& each) { return each.second.user.enabled && is_of_source(each.first); }));
    plan.disabled = static_cast<std::size_t>(std::ranges::count_if(
        plan.steps, [&](const Step& step) { return step.change == Change::disable && is_of_source(step.username); }));
    return plan;
}

/// A file that was cut short must not lock a whole organisation out.
void require_few_disabled(const Plan& plan, std::size_t percent, const ImportOptions& options) {
    if (plan.disabled * 100 <= percent * plan.enabled) return;
    const std::string share = std::to_string((plan.disabled * 100 + plan.enabled - 1) / plan.enabled) + "%";
    throw Refused(std::to_string(plan.disabled) + " of " + std::to_string(plan.enabled) +
                  " enabled users of the source " + in_quotes(*options.source) +
                  " would be disabled, which is more than " + std::to_string(percent) +
                  "%; nothing was changed. If the file is complete, run the same with --at-most " + share);
}

/// False when the user of the line is not to be taken any more, as the transaction has it locked.
bool take_line(db::Transaction& transaction, const Step& step, const ImportOptions& options, Report& report) {
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
    report.grants_ended += update_user(transaction, line, *user, options).grants_ended;
    store::set_origin(transaction, user->subject, {*options.source, std::nullopt});
    return true;
}

/// False when the user has gone, is disabled or belongs elsewhere meanwhile.
bool let_go(db::Transaction& transaction, const Step& step, const ImportOptions& options, Report& report) {
    auto user = store::find_user_by_name_to_change(transaction, step.username);
    if (!user || !user->enabled) return false;
    if (store::find_origin(transaction.database(), user->subject).source != *options.source) return false;
    user->enabled = false;
    user->updated_at = now();
    store::update_user(transaction, *user);
    store::end_user_access(transaction, user->subject, now());
    store::set_origin(transaction, user->subject, {*options.source, now()});
    report.states.push_back({user->subject, false});
    return true;
}

Report take_batch(db::Transaction& transaction, std::span<const Step> steps, const ImportOptions& options,
                  Report report) {
    report.states.clear();
    for (const Step& step : steps) {
        const bool is_done =
            step.line ? take_line(transaction, step, options, report) : let_go(transaction, step, options, report);
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
        note_done(invocation, {oauth::audit::subject(each.subject),
                               {"source", source},
                               oauth::audit::yes_or_no("enabled", each.enabled)});
}

/// The report counts a batch only after its commit.
void take_steps(const Invocation& invocation, db::Database& database, std::span<const Step> steps,
                const ImportOptions& options, Report& report) {
    Progress progress("writing", steps.size());
    while (!steps.empty()) {
        const auto batch = steps.first(std::min(kImportBatch, steps.size()));
        Report so_far = db::write(database, Durability::full, [&](db::Transaction& transaction) {
            Report counted = take_batch(transaction, batch, options, report);
            commit(transaction);
            return counted;
        });
        note_batch(invocation, report, so_far, *options.source);
        report = std::move(so_far);
        steps = steps.subspan(batch.size());
        progress.advance(batch.size());
    }
}

void take_all(const Invocation& invocation, db::Database& database, std::span<const Step> steps,
              const ImportOptions& options, Report& report) {
    const auto with_count = [&](const std::exception& error) {
        return std::string(error.what()) + "\n" + std::to_string(total(report)) +
               " users were changed before that; the same command does the rest";
    };
    try {
        take_steps(invocation, database, steps, options, report);
    } catch (const db::StoreUnsynced& error) {
        throw db::StoreUnsynced(with_count(error));
    } catch (const std::exception& error) {
        throw Refused(with_count(error));
    }
}

json::Object to_json(const Step& step) {
    json::Object object{{"username", step.username}, {"change", words_of(step.change).verb}};
    if (!step.what.empty()) object.set("what", json::strings(step.what));
    return object;
}

void print_json(const Plan& plan, const ImportOptions& options, const Report& report) {
    json::Object object;
    for (const ChangeWords& words : kChanges) {
        const auto count = report.counts.find(words.change);
        object.set(words.done, static_cast<std::int64_t>(count == report.counts.end() ? 0 : count->second));
    }
    json::Array refused;
    for (const FaultyLine& faulty : report.refused) refused.emplace_back(cli::to_json(faulty));
    json::Array changes;
    for (const Step& step : plan.steps) changes.emplace_back(to_json(step));
    object.set("unchanged", static_cast<std::int64_t>(plan.unchanged));
    object.set("refused", std::move(refused));
    object.set("grants_ended", report.grants_ended);
    object.set("source", *options.source);
    object.set("changes", std::move(changes));
    object.set("dry_run", options.dry_run);
    cli::print_json(std::move(object));
}

void print(const Invocation& invocation, const Plan& plan, const ImportOptions& options, const Report& report) {
    if (invocation.json) return print_json(plan, options, report);
    if (options.dry_run) {
        for (const Step& step : plan.steps)
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

void count_planned(const Plan& plan, Report& report) {
    for (const Step& step : plan.steps) ++report.counts[step.change];
}

}  // namespace

void require_source_name(const std::string& name) {
    if (!model::is_group_name(name))
        throw Refused("the name of a source must be 1 to 64 of the characters A-Z a-z 0-9 . _ -");
}

void sync_users(const Invocation& invocation, const ImportOptions& options) {
    require_source_name(*options.source);
    const std::size_t percent = parse_percent(options.at_most);
    const config::Config config = invocation.load_config();
    ImportFile file = read_lines(options);
    db::Database database = open_database(config, options.dry_run ? Access::query_only : Access::read_write);
    check_groups(database, file);
    Users users(database, *options.source);
    check_origins(users, file, options);
    require_no_faults(invocation, file, options);
    note_claims(config.settings, file.users);
    if (!options.dry_run) hash_passwords(database, file.users);

    const Plan plan = make_plan(database, users, file.users, options);
    Report report;
    if (options.dry_run) {
        count_planned(plan, report);
        print(invocation, plan, options, report);
        return require_few_disabled(plan, percent, options);
    }
    require_few_disabled(plan, percent, options);
    take_all(invocation, database, plan.steps, options, report);
    print(invocation, plan, options, report);
    if (!report.refused.empty())
        throw Refused((invocation.json ? std::string() : lines_text(report.refused)) +
                      refused_lines(report.refused.size()) + "; the others were changed");
}

}  // namespace postern::cli
