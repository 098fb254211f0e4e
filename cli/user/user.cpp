// `postern user`: shows and changes users.
#include "cli/user/user.h"

#include <iostream>
#include <optional>

#include "cli/audit.h"
#include "cli/client/parts.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/lookup.h"
#include "cli/mail/mail.h"
#include "cli/output.h"
#include "cli/second_factor.h"
#include "cli/session/notices.h"
#include "cli/user/claims.h"
#include "cli/user/sync.h"
#include "crypto/password.h"
#include "db/write.h"
#include "json/writer.h"
#include "model/user.h"
#include "store/groups.h"
#include "store/second_factor.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::User;

/// A user with the facts of other tables.
struct ShownUser {
    store::ListedUser listed;
    std::vector<std::string> groups;  ///< their names
    std::string second_factor;
    bool must_change_password = false;
};

std::string claim_text(const User& user, const char* name) {
    const json::Value* value = user.claims.find(name);
    return value && value->if_string() ? *value->if_string() : "";
}

Listing listing_of(const User& user) {
    return {
        {"sub", "sub", user.subject.str()},
        {"username", "username", user.username},
        {"enabled", "enabled", user.enabled},
        {"claims", "", user.claims},
        time_field("created_at", "created", user.created_at),
        time_field("updated_at", "updated", user.updated_at),
    };
}

Listing listing_of(const store::ListedUser& listed) {
    Listing fields = listing_of(listed.user);
    fields.push_back({"source", "source", listed.origin.source});
    if (listed.origin.left_at) fields.push_back(time_field("left_at", "left source", listed.origin.left_at));
    return fields;
}

Listing listing_of(const ShownUser& shown) {
    Listing fields = listing_of(shown.listed);
    fields.push_back({"must_change_password", "", shown.must_change_password});
    fields.push_back({"groups", "groups", json::strings(shown.groups)});
    fields.push_back({"second_factor", "second factor", shown.second_factor});
    fields.push_back({"", "must change password", {}, shown.must_change_password ? "yes" : ""});
    for (const auto& [name, value] : shown.listed.user.claims.members())
        fields.push_back({"", "claim " + name, {}, value.if_string() ? *value.if_string() : json::write(value)});
    return fields;
}

void print_users(db::Rows<store::ListedUser>& users) {
    print_table_rows({"USERNAME", "ENABLED", "SUB", "NAME", "EMAIL"}, users, [](const store::ListedUser& listed) {
        const User& user = listed.user;
        return std::vector<std::string>{user.username, yes_no(user.enabled), user.subject.str(),
                                        claim_text(user, "name"), claim_text(user, "email")};
    });
}

void list(const Invocation& invocation, const db::Limit& limit) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    auto users = store::list_users(database, limit);
    if (!invocation.json) return print_users(users);
    print_json_rows(users, [](const store::ListedUser& listed) { return members_of(listing_of(listed)); });
}

void print(const Invocation& invocation, db::Database& database, const User& user) {
    const Listing fields = listing_of(ShownUser{{user, store::find_origin(database, user.subject)},
                                                store::groups_of(database, user.subject),
                                                to_word(store::must_have_second_factor(database, user.subject)),
                                                store::find_password(database, user.subject).must_change});
    if (invocation.json) return print_json(members_of(fields));
    print_lines(fields);
}

void show(const Invocation& invocation, const std::string& name) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    print(invocation, database, require_user(database, name));
}

struct SetOptions {
    std::string name;
    std::optional<std::string> username;
    ClaimOptions claims;
    std::vector<std::string> unset;
    std::optional<std::string> source;
    std::optional<std::string> second_factor;
};

void rename(db::Database& database, User& user, const std::string& username) {
    require_username(username);
    const auto other = store::find_user_by_name(database, username);
    if (other && other->subject != user.subject)
        throw Refused("the user name " + in_quotes(username) + " is taken; choose another one");
    user.username = username;
}

/// The names of claims that went with their former value. Throws Refused when a claim to take away is not there.
std::vector<std::string> change_claims(User& user, const std::vector<std::string>& unset, const json::Object& set) {
    model::ClaimChanges changes;
    for (const std::string& name : unset) {
        if (!user.claims.find(name))
            throw Refused("user " + in_quotes(user.username) + " has no claim " + in_quotes(name) +
                          "; nothing was changed");
        changes.emplace_back(name, std::nullopt);
    }
    for (const auto& [name, value] : set.members()) changes.emplace_back(name, value);
    return model::change_claims(user.claims, changes).dropped;
}

/// Tells the operator, who may know that the new value is verified as well.
void note_dropped(const std::vector<std::string>& dropped) {
    for (const std::string& name : dropped)
        print_note(name + " was about the former value and is taken away; --claim " + name + "=true sets it");
}

/// The user of that name or `sub`, as `change(transaction, user)` has made it.
template <class Change>
User change_user(db::Database& database, const std::string& name, Change change) {
    return db::write(database, Durability::full, [&](db::Transaction& transaction) {
        User user = require_user(transaction, name);
        change(transaction, user);
        user.updated_at = now();
        store::update_user(transaction, user);
        commit(transaction);
        return user;
    });
}

/// Returns the names of the claims that are set or taken away, with blanks between them.
std::string names_of(const json::Object& claims, const std::vector<std::string>& unset) {
    std::string names;
    for (const auto& member : claims.members()) names += (names.empty() ? "" : " ") + member.first;
    for (const std::string& name : unset) names += (names.empty() ? "" : " ") + name;
    return names;
}

void set(const Invocation& invocation, const SetOptions& options) {
    if (!options.username && !options.claims.from_stdin && options.claims.texts.empty() && options.unset.empty() &&
        !options.source && !options.second_factor) {
        throw UsageError("nothing to change; `postern user set --help` lists the options");
    }
    if (options.source && !options.source->empty()) require_source_name(*options.source);
    const config::Config config = invocation.load_config();
    const json::Object claims = read_claims(config.settings, options.claims);
    db::Database database = open_database(config, Access::read_write);
    std::vector<std::string> dropped;
    const User user = change_user(database, options.name, [&](db::Transaction& transaction, User& changed) {
        // The source that the user has already changes nothing, so a user who has left it can come back.
        const bool moves =
            options.source && *options.source != store::find_origin(transaction.database(), changed.subject).source;
        if (moves) store::set_origin(transaction, changed.subject, {*options.source, std::nullopt});
        if (options.second_factor)
            store::demand_second_factor(transaction, changed.subject, *options.second_factor == kRequired);
        if (options.username) rename(database, changed, *options.username);
        dropped = change_claims(changed, options.unset, claims);
        if (const std::string names = names_of(claims, options.unset); !names.empty())
            note_activity(config.settings, transaction, changed.subject, model::ActivityKind::profile_changed, names);
    });
    note_done(invocation, {audit::subject(user.subject)});
    note_dropped(dropped);
    print(invocation, database, user);
}

struct PasswdOptions {
    std::string name;
    PasswordOptions password;
};

void passwd(const Invocation& invocation, const PasswdOptions& options) {
    const config::Config config = invocation.load_config();
    if (config.settings.login.saslauthd)
        throw Refused(
            "login.method is \"saslauthd\": passwords are kept where saslauthd looks; set this one there, and end what "
            "the user has with `postern session end` and `postern token revoke`");
    require_page_for(config.settings, options.password);
    db::Database database = open_database(config, Access::read_write);
    const User owner = require_user(database, options.name);  // refuses an unknown user before asking for a password
    const util::Secret password = read_new_password(options.password.from_stdin);
    const auto overridden =
        judge_password(config.settings, password, owner.username, owner.claims, options.password.weak);
    const std::string hash = crypto::hash_password(password);
    store::ToldClients told;
    const User user = change_user(database, options.name, [&](db::Transaction& transaction, User& changed) {
        told = store::replace_password(transaction, changed.subject, hash, now(), logout_notices(config),
                                       must_change(options.password));
        note_activity(config.settings, transaction, changed.subject, model::ActivityKind::password_changed);
    });
    note_done(invocation, {audit::subject(user.subject), {"weak", overridden}});
    wake_deliverer(config);
    note_told(config, told);
    if (invocation.json) return print_json(members_of(listing_of(user)));
    std::cout << "user " << in_quotes(user.username) << " has a new password; earlier sessions and tokens have ended\n";
    if (options.password.must_change) std::cout << "the next login by password asks for another one\n";
}

void set_enabled(const Invocation& invocation, const std::string& name, bool enabled) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::read_write);
    store::ToldClients told;
    const User user = change_user(database, name, [&](db::Transaction& transaction, User& changed) {
        changed.enabled = enabled;
        // The operator's word: a user who has left a source and is back there stays as this says.
        store::set_origin(transaction, changed.subject,
                          {store::find_origin(transaction.database(), changed.subject).source, std::nullopt});
        if (!enabled) told = store::end_user_access(transaction, changed.subject, now(), logout_notices(config));
    });
    note_done(invocation, {audit::subject(user.subject)});
    note_told(config, told);
    if (invocation.json) return print_json(members_of(listing_of(user)));
    std::cout << "user " << in_quotes(user.username)
              << (enabled ? " can log in again\n" : " is disabled; sessions and tokens have ended\n");
}

void enable(const Invocation& invocation, const std::string& name) { set_enabled(invocation, name, true); }
void disable(const Invocation& invocation, const std::string& name) { set_enabled(invocation, name, false); }

void remove(const Invocation& invocation, const std::string& name) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::read_write);
    store::ToldClients told;
    const auto unusable = store::unusable_clients(database);
    const User user = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        User removed = require_user(transaction, name);
        // Sessions, grants and tokens go with the row.
        told = store::remove_user(transaction, removed.subject, now(), logout_notices(config)).value_or(told);
        commit(transaction);
        return removed;
    });
    note_done(invocation, {audit::subject(user.subject)});
    note_told(config, told);
    note_unusable_clients(database, unusable);
    if (invocation.json) return print_json(json::Object{{"sub", user.subject.str()}, {"username", user.username}});
    std::cout << "user " << in_quotes(user.username) << " is removed, with all sessions, tokens and consents\n";
}

void add_set(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<SetOptions>(group, invocation, "set",
                                "Change a user's name, claims, source or second factor; claims that are not named stay",
                                "postern user set ada --claim email=ada@example.net --unset-claim phone_number", set);
    command.argument(kUserName, options.name);
    command.option("--username", "NEW", options.username, "A new user name; `sub` stays");
    add_claim_options(command, options.claims);
    command.option("--unset-claim", "NAME", options.unset, "Remove a claim; repeatable");
    command.option("--source", "SOURCE", options.source,
                   "The user belongs to this source of `postern user import --sync`; to none with an empty name");
    add_second_factor_option(
        command, options.second_factor,
        "required: the user must log in with a second factor; default: as groups and login.secondFactor say");
}

void add_passwd(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<PasswdOptions>(group, invocation, "passwd",
                                                               "Set a new password; end the user's sessions and tokens",
                                                               "postern user passwd ada", passwd);
    command.argument(kUserName, options.name);
    add_password_options(command, options.password);
}

}  // namespace

void add_user_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("user", "Add and change users");
    add_user_add_command(group, invocation);
    add_list_command(group, invocation, "List all users", "postern user list --json", list);
    add_command(group, invocation, "show", "Show one user with all claims and groups", "postern user show ada",
                kUserName, show);
    add_set(group, invocation);
    add_passwd(group, invocation);
    add_user_invite_command(group, invocation);
    add_user_reset_link_command(group, invocation);
    add_user_factors_command(group, invocation);
    add_user_passkeys_command(group, invocation);
    add_user_activity_command(group, invocation);
    add_user_import_command(group, invocation);
    add_command(group, invocation, "disable", "Disable a user; end the user's sessions and tokens",
                "postern user disable ada", kUserName, disable);
    add_command(group, invocation, "enable", "Enable a disabled user", "postern user enable ada", kUserName, enable);
    add_command(group, invocation, "remove", "Delete a user with all sessions, tokens and consents",
                "postern user remove ada", kUserName, remove);
}

}  // namespace postern::cli
