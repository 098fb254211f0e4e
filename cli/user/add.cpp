// `postern user add`: adds one user.
#include "cli/user/user.h"

#include <optional>

#include "cli/audit.h"
#include "cli/input.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "cli/user/claims.h"
#include "crypto/password.h"
#include "db/write.h"
#include "store/groups.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::User;

struct AddOptions {
    std::string name;
    PasswordOptions password;
    bool email_verified = false;
    ClaimOptions claims;
    std::vector<std::string> groups;
};

/// nullopt where saslauthd knows the passwords.
std::optional<util::Secret> read_password(const oauth::Settings& settings, const PasswordOptions& options) {
    if (!settings.login.saslauthd) return read_new_password(options.from_stdin);
    if (options.from_stdin || options.weak || options.must_change)
        throw Refused(
            "login.method is \"saslauthd\": passwords are kept where saslauthd looks; leave out --password-stdin, "
            "--weak and --must-change");
    return std::nullopt;
}

void add(const Invocation& invocation, const AddOptions& options) {
    const config::Config config = invocation.load_config();
    require_username(options.name);
    db::Database database = open_database(config, Access::read_write);
    for (const std::string& group : options.groups) require_group(database, group);  // before a password is asked for
    require_page_for(config.settings, options.password);
    const auto password = read_password(config.settings, options.password);
    User user = new_user(options.name, read_claims(config.settings, options.claims));
    if (options.email_verified) set_email_verified(user.claims);
    std::string overridden, hash;
    if (password) {
        overridden = judge_password(config.settings, *password, options.name, user.claims, options.password.weak);
        hash = crypto::hash_password(*password);  // before the transaction, because it is slow
    }

    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        if (!store::insert_user(transaction, user, hash, must_change(options.password))) {
            throw Refused("the user name " + in_quotes(options.name) +
                          " is taken; change that user with `postern user set`, or choose another name");
        }
        for (const std::string& group : options.groups)
            store::add_member(transaction, require_group(database, group).name, user.subject, now());
        commit(transaction);
    });
    note_done(invocation, {audit::subject(user.subject), {"weak", overridden}});
    if (invocation.json) return print_json(json::Object{{"sub", user.subject.str()}, {"username", user.username}});
    print_fields({{"sub", user.subject.str()}, {"username", user.username}});
}

}  // namespace

void add_user_add_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<AddOptions>(
        group, invocation, "add", "Add a user who can log in; print the `sub` that tokens will show",
        "postern user add ada --claim name=\"Ada Lovelace\" --claim email=ada@example.org\n"
        "  printf '%s\\n' \"$PASSWORD\" | postern user add ada --password-stdin --json",
        add);
    command.explain(
        "The password is asked for twice at a terminal, or read with --password-stdin. Claims are what applications "
        "may learn about the user, by the scopes profile, email, address and phone.");
    command.argument("NAME", options.name, "The name that the user types at login");
    add_password_options(command, options.password);
    add_claim_options(command, options.claims);
    command.flag("--email-verified", options.email_verified, kEmailVerifiedHelp);
    command.option("--group", "GROUP", options.groups, "Put the user into this group; repeatable");
}

}  // namespace postern::cli
