// Writes one user as a line of a file says.
#include "cli/user/import_user.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/user/claims.h"
#include "crypto/password.h"
#include "json/writer.h"
#include "store/client_access.h"
#include "store/groups.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::chrono::seconds kBeforeGuessing{2};

std::string time_text(std::int64_t seconds) {
    if (seconds < 90) return std::to_string(seconds) + " s";
    return std::to_string((seconds + 30) / 60) + " min";
}

using model::User;

bool has_password(db::Database& database, const ImportedUser& user) {
    const auto known = store::find_user_by_name(database, user.username);
    return known && crypto::verify_password(*user.password, store::find_password_hash(database, known->subject));
}

/// `before`: the claims of a user whom the file leaves as they are.
json::Object claims_of(const ImportedUser& imported, const json::Object& before, const ImportOptions& options) {
    json::Object claims = imported.claims.value_or(before);
    if (options.email_verified) set_email_verified(claims);
    return claims;
}

/// Makes the user a member of what the line names and of nothing else.
Updated update_groups(db::Transaction& transaction, const ImportedUser& imported, const model::Subject& subject) {
    if (!imported.groups) return {};
    const auto before = store::groups_of(transaction.database(), subject);
    const std::set<std::string> wanted(imported.groups->begin(), imported.groups->end());
    bool changed = false;
    bool lost = false;
    for (const std::string& name : wanted) changed |= store::add_member(transaction, name, subject, now());
    for (const std::string& name : before) {
        if (!wanted.contains(name)) lost |= store::remove_member(transaction, name, subject);
    }
    const std::int64_t ended = lost ? store::end_grants_without_access(transaction, subject, now()) : 0;
    return {changed || lost, ended, {}};
}

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), visible_(total > 0 && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (drawn_ > 0) std::cerr << '\r' << std::string(drawn_, ' ') << '\r' << std::flush;
}

void Progress::advance(std::size_t by) {
    done_ += by;
    const auto now = Clock::now();
    if (!visible_ || (now < next_ && done_ < total_)) return;
    next_ = now + kInterval;
    draw(now);
}

void Progress::draw(Clock::time_point now) {
    const std::size_t filled = kBarWidth * std::min(done_, total_) / total_;
    std::string line = what_ + " [" + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "] " +
                       std::to_string(done_) + "/" + std::to_string(total_);
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - begun_);
    if (passed >= kBeforeGuessing && done_ < total_) {
        const auto left = passed.count() * static_cast<std::int64_t>(total_ - done_) / static_cast<std::int64_t>(done_);
        line += ", " + time_text(left) + " left";
    }
    const std::size_t columns = line.size();
    if (columns < drawn_) line.append(drawn_ - columns, ' ');
    drawn_ = columns;
    std::cerr << '\r' << line << std::flush;
}

void check_groups(db::Database& database, ImportFile& file) {
    std::set<std::string> known;
    const auto is_there = [&](const std::string& name) {
        if (!known.contains(name) && store::find_group(database, name)) known.insert(name);
        return known.contains(name);
    };
    move_faulty(file, [&](const ImportedUser& user) -> std::optional<std::string> {
        if (!user.groups) return std::nullopt;
        const auto unknown = std::ranges::find_if_not(*user.groups, is_there);
        if (unknown == user.groups->end()) return std::nullopt;
        return "there is no group " + in_quotes(*unknown) + "; `postern group add` makes one";
    });
}

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

void note_claims(const oauth::Settings& settings, const std::vector<ImportedUser>& users) {
    json::Object all;
    for (const ImportedUser& user : users) {
        if (!user.claims) continue;
        for (const auto& [name, value] : user.claims->members()) all.set(name, value);
    }
    note_unreleased_claims(settings, all);
}

std::optional<model::Subject> add_user(db::Transaction& transaction, const ImportedUser& imported,
                                       const ImportOptions& options) {
    User user = new_user(imported.username, claims_of(imported, {}, options));
    user.enabled = imported.enabled.value_or(true);
    if (!store::insert_user(transaction, user, imported.password_hash.value_or(""))) return std::nullopt;
    update_groups(transaction, imported, user.subject);
    return user.subject;
}

Updated update_user(db::Transaction& transaction, const ImportedUser& imported, User user,
                    const ImportOptions& options) {
    json::Object claims = claims_of(imported, user.claims, options);
    const bool new_hash = imported.password_hash &&
                          *imported.password_hash != store::find_password_hash(transaction.database(), user.subject);
    const bool new_claims = !same_claims(claims, user.claims);
    const bool new_state = imported.enabled && *imported.enabled != user.enabled;
    Updated updated = update_groups(transaction, imported, user.subject);
    if (!new_hash && !new_claims && !new_state) return updated;
    updated.changed = true;
    if (new_hash) store::set_password_hash(transaction, user.subject, *imported.password_hash, now());
    user.claims = std::move(claims);
    if (new_state) user.enabled = *imported.enabled;
    user.updated_at = now();
    store::update_user(transaction, user);
    if (new_hash || !user.enabled)
        updated.told = store::end_user_access(transaction, user.subject, now(), options.notices);
    return updated;
}

bool same_claims(const json::Object& a, const json::Object& b) { return json::write(a) == json::write(b); }

json::Object to_json(const FaultyLine& faulty) {
    return json::Object{
        {"line", static_cast<std::int64_t>(faulty.line)}, {"username", faulty.username}, {"reason", faulty.reason}};
}

std::string lines_text(const std::vector<FaultyLine>& faulty) {
    std::string text;
    for (const FaultyLine& one : faulty) {
        const std::string name = one.username.empty() ? "" : " (" + util::displayable(one.username) + ")";
        text += "line " + std::to_string(one.line) + name + ": " + one.reason + "\n";
    }
    return text;
}

std::string refused_lines(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " refused line" : " refused lines");
}

}  // namespace postern::cli
