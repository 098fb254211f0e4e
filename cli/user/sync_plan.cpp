// Decides what a sync is to do to each user.
#include "cli/user/sync.h"

#include <algorithm>
#include <utility>

#include "cli/command.h"
#include "cli/output.h"
#include "store/groups.h"

namespace postern::cli {
namespace {

using model::User;
using store::Origin;

std::vector<std::string> differences(db::Database& database, const ImportedUser& line, const KnownUser& known,
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

SyncStep step_of(const ImportedUser& line, const KnownUser& known, std::vector<std::string> what) {
    const bool is_enabled = is_enabled_by(line, known.user, known.origin);
    SyncStep step{UserChange::update, line.username, &line, std::move(what)};
    if (is_enabled != known.user.enabled) step.change = is_enabled ? UserChange::enable : UserChange::disable;
    return step;
}

}  // namespace

KnownUsers::KnownUsers(db::Database& database, const std::string& source) : database_(database) {
    std::map<std::string, std::set<std::string>> groups;
    for (const store::Membership& each : store::list_memberships(database, source))
        groups[each.subject.str()].insert(each.group);
    for (const store::ListedUser& each : store::list_users_of_source(database, source))
        known_[each.user.username] = {each.user, each.origin, groups[each.user.subject.str()]};
}

const KnownUser* KnownUsers::find(const std::string& username) {
    const auto found = known_.find(username);
    if (found != known_.end()) return &found->second;
    const auto user = store::find_user_by_name(database_, username);
    if (!user) return nullptr;
    const auto groups = store::groups_of(database_, user->subject);
    KnownUser known{*user, store::find_origin(database_, user->subject), {groups.begin(), groups.end()}};
    return &known_.emplace(username, std::move(known)).first->second;
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

bool is_enabled_by(const ImportedUser& line, const User& user, const Origin& origin) {
    return line.enabled.value_or(user.enabled || origin.left_at);
}

void check_origins(KnownUsers& users, ImportFile& file, const ImportOptions& options) {
    move_faulty(file, [&](const ImportedUser& line) -> std::optional<std::string> {
        const KnownUser* known = users.find(line.username);
        if (!known || may_take(known->origin, options)) return std::nullopt;
        return foreign_reason(known->origin);
    });
}

SyncPlan make_plan(db::Database& database, KnownUsers& users, const std::vector<ImportedUser>& lines,
                   const ImportOptions& options) {
    SyncPlan plan;
    std::set<std::string> named;
    for (const ImportedUser& line : lines) {
        named.insert(line.username);
        const KnownUser* known = users.find(line.username);
        if (!known) {
            plan.steps.push_back({UserChange::add, line.username, &line, {}});
        } else if (auto what = differences(database, line, *known, options); !what.empty()) {
            plan.steps.push_back(step_of(line, *known, std::move(what)));
        } else {
            ++plan.unchanged;
        }
    }
    for (const auto& [username, known] : users.all()) {
        if (known.user.enabled && !named.contains(username))
            plan.steps.push_back({UserChange::disable, username, nullptr, {}});
    }
    std::set<std::string> to_disable;
    for (const SyncStep& step : plan.steps)
        if (step.change == UserChange::disable) to_disable.insert(step.username);
    plan.disabled = to_disable.size();
    // Adopted users count only when they would be disabled, lest they make room for more of the source's own.
    plan.enabled = static_cast<std::size_t>(std::ranges::count_if(users.all(), [&](const auto& each) {
        return each.second.user.enabled &&
               (each.second.origin.source == *options.source || to_disable.contains(each.first));
    }));
    return plan;
}

void require_few_disabled(const SyncPlan& plan, std::size_t percent, const ImportOptions& options) {
    if (plan.disabled * 100 <= percent * plan.enabled) return;
    const std::string share = std::to_string((plan.disabled * 100 + plan.enabled - 1) / plan.enabled) + "%";
    throw Refused(std::to_string(plan.disabled) + " of " + std::to_string(plan.enabled) +
                  " enabled users of the source " + in_quotes(*options.source) +
                  " would be disabled, which is more than " + std::to_string(percent) +
                  "%; nothing was changed. If the file is complete, run the same with --at-most " + share);
}

}  // namespace postern::cli
