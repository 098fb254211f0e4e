// `postern user factors`: shows, removes and resumes second factors. A user cannot be asked for one that is gone.
#include "cli/user/user.h"

#include <algorithm>
#include <iostream>

#include "cli/audit.h"
#include "cli/lookup.h"
#include "cli/mail/mail.h"
#include "cli/output.h"
#include "cli/session/notices.h"
#include "db/write.h"
#include "store/factors.h"
#include "store/login_attempts.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using audit::Event;
using model::User;

struct Options {
    std::string name;
    std::optional<std::string> remove;
    bool resume = false;
};

/// The kinds of factors that a word of --remove takes away.
struct Removal {
    const char* name;
    bool app;
    bool codes;
    bool passkeys;
};
constexpr Removal kRemovals[] = {{"all", true, true, true},
                                 {"app", true, false, false},
                                 {"codes", false, true, false},
                                 {"passkeys", false, false, true}};

const Removal& removal_of(const std::string& name) {
    const auto* found = std::ranges::find_if(kRemovals, [&](const Removal& each) { return name == each.name; });
    if (found == std::end(kRemovals))
        throw UsageError("--remove takes all, app, codes or passkeys, not " + in_quotes(name));
    return *found;
}

struct Shown {
    User user;
    store::Factors factors = {};
    std::optional<store::TotpRow> totp = {};
    std::int64_t failures = 0;  ///< in a row, from places that are known or from all others
};

Shown find_shown(db::Database& database, const std::string& name) {
    Shown shown{.user = require_user(database, name)};
    shown.factors = store::find_factors(database, shown.user.subject);
    shown.totp = store::find_totp(database, shown.user.subject);
    const auto state = store::find_code_state(database, shown.user.subject, "", now());
    shown.failures = std::max(state.known.in_a_row, state.other.in_a_row);
    return shown;
}

json::Object to_json(const Shown& shown) {
    json::Object object{{"sub", shown.user.subject.str()}, {"username", shown.user.username}};
    if (shown.totp) {
        json::Object app{{"created_at", util::to_epoch(shown.totp->created_at)}};
        if (shown.totp->last_used_at) app.set("last_used_at", util::to_epoch(*shown.totp->last_used_at));
        object.set("app", std::move(app));
    }
    object.set("passkeys", shown.factors.passkeys);
    object.set("unused_codes", shown.factors.unused_codes);
    object.set("failures_in_a_row", shown.failures);
    return object;
}

std::string describe(const std::optional<store::TotpRow>& totp) {
    if (!totp) return "none";
    return "since " + to_text(totp->created_at) +
           (totp->last_used_at ? ", last used " + to_text(*totp->last_used_at) : ", not used for a login yet");
}

void show(const Invocation& invocation, db::Database& database, const std::string& name) {
    const Shown shown = find_shown(database, name);
    if (invocation.json) return print_json(to_json(shown));
    print_fields({{"sub", shown.user.subject.str()},
                  {"username", shown.user.username},
                  {"app", describe(shown.totp)},
                  {"passkeys", std::to_string(shown.factors.passkeys)},
                  {"unused recovery codes", std::to_string(shown.factors.unused_codes)},
                  {"wrong codes in a row", std::to_string(shown.failures)}});
}

/// The factors that were removed.
struct Removed {
    User user;
    bool app = false;
    std::int64_t codes = 0;
    std::vector<store::Passkey> passkeys = {};
    store::ToldClients told = {};  ///< of ended sessions
};

/// Each in a line of its own, for its owner.
void note_each(const oauth::Settings& settings, db::Transaction& transaction, const Removed& removed) {
    const model::Subject& subject = removed.user.subject;
    if (removed.app) note_activity(settings, transaction, subject, model::ActivityKind::app_removed);
    for (const store::Passkey& passkey : removed.passkeys)
        note_activity(settings, transaction, subject, model::ActivityKind::passkey_removed, passkey.name);
    if (removed.codes > 0) note_activity(settings, transaction, subject, model::ActivityKind::recovery_codes_removed);
}

/// With the sessions, because a thief of the phone may have one. The password stays.
Removed remove(const config::Config& config, db::Database& database, const std::string& name, const Removal& removal) {
    return db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        Removed removed{.user = require_user(transaction, name)};
        const model::Subject& subject = removed.user.subject;
        removed.app = removal.app && store::remove_totp(transaction, subject);
        if (removal.codes) removed.codes = store::remove_recovery_codes(transaction, subject);
        if (removal.passkeys) {
            removed.passkeys = store::list_passkeys(transaction.database(), subject);
            store::remove_passkeys(transaction, subject);
        }
        // Codes stand in for a factor: without one they are removed, too.
        const store::Factors left = store::find_factors(transaction.database(), subject);
        const bool has_lost_one = removed.app || !removed.passkeys.empty();
        if (has_lost_one && !left.app && left.passkeys == 0)
            removed.codes += store::remove_recovery_codes(transaction, subject);
        if (!has_lost_one && removed.codes == 0)
            throw Refused("user " + in_quotes(removed.user.username) + " has none of them; nothing was changed");
        note_each(config.settings, transaction, removed);
        store::clear_code_failures(transaction, subject);
        store::raise_stamp(transaction, subject);
        removed.told = store::end_user_access(transaction, subject, now(), logout_notices(config));
        commit(transaction);
        return removed;
    });
}

/// "no app, no passkeys and no recovery codes"
std::string words_of(const Removed& removed) {
    std::vector<std::string> gone;
    if (removed.app) gone.emplace_back("no app");
    if (!removed.passkeys.empty()) gone.emplace_back("no passkeys");
    if (removed.codes > 0) gone.emplace_back("no recovery codes");
    std::string words = gone.front();
    for (std::size_t i = 1; i < gone.size(); ++i) words += (i + 1 == gone.size() ? " and " : ", ") + gone[i];
    return words;
}

void remove_and_tell(const Invocation& invocation, const config::Config& config, db::Database& database,
                     const std::string& name, const Removal& removal) {
    const Removed removed = remove(config, database, name, removal);
    if (removed.app) note(invocation, audit::Event::app_removed, {audit::subject(removed.user.subject)});
    for (const store::Passkey& passkey : removed.passkeys) note_removed(invocation, passkey);
    note_done(invocation, {audit::subject(removed.user.subject)});
    note_told(config, removed.told);
    if (invocation.json) return;
    std::cout << "user " << in_quotes(removed.user.username) << " has " << words_of(removed)
              << " any more; earlier sessions and tokens have ended\n";
}

void resume(const Invocation& invocation, db::Database& database, const std::string& name) {
    const User user = db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        User resumed = require_user(transaction, name);
        store::clear_code_failures(transaction, resumed.subject);
        commit(transaction);
        return resumed;
    });
    note_done(invocation, {audit::subject(user.subject)});
    if (!invocation.json)
        std::cout << "wrong codes of user " << in_quotes(user.username) << " are counted from zero again\n";
}

void factors(const Invocation& invocation, const Options& options) {
    if (options.remove && options.resume) throw UsageError("--remove ends the wait as well; give one of the two");
    const Removal* removal = options.remove ? &removal_of(*options.remove) : nullptr;
    const bool changes = removal || options.resume;
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, changes ? db::Access::read_write : db::Access::query_only);
    if (removal) {
        remove_and_tell(invocation, config, database, options.name, *removal);
        wake_deliverer(config);
    }
    if (options.resume) resume(invocation, database, options.name);
    if (!changes || invocation.json) show(invocation, database, options.name);
}

}  // namespace

void add_user_factors_command(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<Options>(group, invocation, "factors", "Show or remove the second factors of a user",
                             "postern user factors ada\n"
                             "  postern user factors ada --remove all\n"
                             "      when the phone is lost: sign-in by password alone, until a new factor is set up\n"
                             "  postern user factors ada --resume",
                             factors);
    command.explain(
        "No secret is shown. Removing a factor ends the user's sessions and tokens; the password stays. Another "
        "person who knows it could be the first to set up a new factor: `postern user reset-link NAME --factors` has "
        "the user choose a new password as well. Recovery codes go with the last app or passkey.");
    command.argument(kUserName, options.name);
    command.option("--remove", "WHAT", options.remove, "all, app, codes or passkeys");
    command.flag("--resume", options.resume,
                 "Codes count again after too many wrong ones: the count of failures starts from zero");
}

}  // namespace postern::cli
