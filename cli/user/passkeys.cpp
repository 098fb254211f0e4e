// `postern user passkeys`: lists, removes and resumes passkeys. They are named by the digest that the audit log has.
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
#include "store/users.h"

namespace postern::cli {
namespace {

using audit::Event;
using model::User;
using store::Passkey;

struct Options {
    std::string name;
    std::optional<std::string> remove;
    std::optional<std::string> resume;
};

std::string id_of(const Passkey& passkey) { return audit::short_digest(passkey.credential_id); }

json::Object to_json(const Passkey& passkey) {
    json::Object object{{"id", id_of(passkey)},
                        {"name", passkey.name},
                        {"rp_id", passkey.rp_id},
                        {"created_at", util::to_epoch(passkey.created_at)},
                        {"sign_count", passkey.sign_count},
                        {"backup_eligible", passkey.backup_eligible},
                        {"backed_up", passkey.backed_up},
                        {"transports", passkey.transports}};
    if (passkey.discoverable) object.set("discoverable", *passkey.discoverable);
    if (passkey.last_used_at) object.set("last_used_at", util::to_epoch(*passkey.last_used_at));
    if (passkey.suspended_at) object.set("suspended_at", util::to_epoch(*passkey.suspended_at));
    return object;
}

std::string state_of(const Passkey& passkey) {
    if (passkey.suspended_at) return "suspended since " + to_text(*passkey.suspended_at);
    return passkey.backed_up ? "synchronised" : "on one device only";
}

void show(const Invocation& invocation, db::Database& database, const std::string& name) {
    const User user = require_user(database, name);
    const auto passkeys = store::list_passkeys(database, user.subject);
    if (invocation.json) return print_json(json::array_of(passkeys, to_json));
    if (passkeys.empty()) std::cout << "user " << in_quotes(user.username) << " has no passkeys\n";
    for (const Passkey& passkey : passkeys) {
        if (&passkey != &passkeys.front()) std::cout << '\n';
        print_fields({{"id", id_of(passkey)},
                      {"name", passkey.name},
                      {"host", passkey.rp_id},
                      {"added", to_text(passkey.created_at)},
                      {"last used", passkey.last_used_at ? to_text(*passkey.last_used_at) : "not for a login yet"},
                      {"state", state_of(passkey)}});
    }
}

/// Returns the user's passkey with that id. Throws Refused.
Passkey require_passkey(db::Transaction& transaction, const User& user, const std::string& id) {
    auto passkeys = store::list_passkeys(transaction.database(), user.subject);
    const auto found = std::ranges::find(passkeys, id, &id_of);
    if (found == passkeys.end())
        throw Refused("user " + in_quotes(user.username) + " has no passkey " + in_quotes(id) +
                      "; nothing was changed");
    return std::move(*found);
}

/// With the sessions, because its thief may have one.
Passkey remove(const config::Config& config, db::Database& database, const Options& options, store::ToldClients& told) {
    return db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        const User user = require_user(transaction, options.name);
        Passkey passkey = require_passkey(transaction, user, *options.remove);
        store::remove_passkey(transaction, user.subject, passkey.credential_id);
        note_activity(config.settings, transaction, user.subject, model::ActivityKind::passkey_removed, passkey.name);
        const store::Factors left = store::find_factors(transaction.database(), user.subject);
        if (!left.app && left.passkeys == 0) store::remove_recovery_codes(transaction, user.subject);
        store::raise_stamp(transaction, user.subject);
        told = store::end_user_access(transaction, user.subject, now(), logout_notices(config));
        commit(transaction);
        return passkey;
    });
}

Passkey resume(const oauth::Settings& settings, db::Database& database, const Options& options) {
    return db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        const User user = require_user(transaction, options.name);
        Passkey passkey = require_passkey(transaction, user, *options.resume);
        if (!store::resume_passkey(transaction, user.subject, passkey.credential_id))
            throw Refused("passkey " + in_quotes(*options.resume) + " is not suspended; nothing was changed");
        note_activity(settings, transaction, user.subject, model::ActivityKind::passkey_resumed, passkey.name);
        commit(transaction);
        return passkey;
    });
}

void passkeys(const Invocation& invocation, const Options& options) {
    const bool changes = options.remove || options.resume;
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, changes ? db::Access::read_write : db::Access::query_only);
    if (options.remove) {
        store::ToldClients told;
        const Passkey removed = remove(config, database, options, told);
        note_removed(invocation, removed);
        note_done(invocation, {audit::subject(removed.subject)});
        wake_deliverer(config);
        note_told(config, told);
        if (!invocation.json)
            std::cout << "passkey " << in_quotes(*options.remove)
                      << " is removed; earlier sessions and tokens of the user have ended\n";
    }
    if (options.resume) {
        const Passkey resumed = resume(config.settings, database, options);
        note_done(invocation, {audit::subject(resumed.subject)});
        if (!invocation.json) std::cout << "passkey " << in_quotes(*options.resume) << " counts again\n";
    }
    if (!changes || invocation.json) show(invocation, database, options.name);
}

}  // namespace

void note_removed(const Invocation& invocation, const Passkey& passkey) {
    note(invocation, audit::Event::passkey_removed, {audit::subject(passkey.subject), {"passkey", id_of(passkey)}});
}

void add_user_passkeys_command(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<Options>(group, invocation, "passkeys", "List, remove or resume the passkeys of a user",
                             "postern user passkeys ada\n"
                             "  postern user passkeys ada --remove 3f1c9a0d52b7e864\n"
                             "  postern user passkeys ada --resume 3f1c9a0d52b7e864\n"
                             "      when it was suspended and no copy of it was made",
                             passkeys);
    command.explain(
        "A passkey whose counter does not grow is suspended, because there may be a copy of it. Removing one ends the "
        "user's sessions and tokens. Recovery codes go with the last app or passkey.");
    command.argument(kUserName, options.name);
    const Option remove =
        command.option("--remove", "ID", options.remove, "The id that the list and the audit log have");
    const Option resume = command.option("--resume", "ID", options.resume, "A suspended passkey counts again");
    remove.excludes(resume);
}

}  // namespace postern::cli
